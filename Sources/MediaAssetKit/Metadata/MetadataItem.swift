public import FoundationEssentials

/// One piece of metadata: a key of a key space and its value.
public struct MetadataItem: Sendable, Hashable {
  /// What the key means.
  public var keySpace: MetadataKeySpace
  /// The key as the container writes it (`©nam`, `TIT2`, `com.apple.quicktime.title`, `mean.name` of freeform items).
  public var key: String
  /// The value.
  public var value: MetadataValue
  /// How the container stores the value; nil where it does not say.
  public var dataType: MetadataDataType?
  /// The value's language as a BCP 47 tag (`en`, `pt-BR`); nil when undetermined.
  public var extendedLanguageTag: String?
  /// When the value begins to hold; invalid for values that hold for the whole asset.
  public var time: MediaTime
  /// How long the value holds; invalid for values that hold for the whole asset.
  public var duration: MediaTime
  /// The moment from which the value holds, of items of date ranges; nil for all others.
  public var startDate: Date?
  /// What the container says of the value besides.
  public var extraAttributes: [ExtraAttribute: String]

  /// An item of given parts.
  public init(
    keySpace: MetadataKeySpace, key: String, value: MetadataValue, dataType: MetadataDataType? = nil,
    extendedLanguageTag: String? = nil, time: MediaTime = .invalid, duration: MediaTime = .invalid,
    extraAttributes: [ExtraAttribute: String] = [:]
  ) {
    self.keySpace = keySpace
    self.key = key
    self.value = value
    self.dataType = dataType
    self.extendedLanguageTag = extendedLanguageTag
    self.time = time
    self.duration = duration
    self.extraAttributes = extraAttributes
  }

  /// An item of an identifier; nil for an identifier without a key space.
  public init?(
    identifier: MetadataIdentifier, value: MetadataValue, dataType: MetadataDataType? = nil,
    extendedLanguageTag: String? = nil
  ) {
    guard let keySpace = identifier.keySpace, let key = identifier.key else { return nil }
    self.init(
      keySpace: keySpace, key: key, value: value, dataType: dataType, extendedLanguageTag: extendedLanguageTag)
  }

  /// What the container says of a value besides the value.
  public struct ExtraAttribute: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The attribute's name.
    public let rawValue: String
    /// An attribute by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }

    /// A description or owner: of ID3's user texts, comments, pictures and private data.
    public static let info = Self(rawValue: "info")
    /// Where the value can be found.
    public static let valueURI = Self(rawValue: "URL")
    /// What relative references are resolved against.
    public static let baseURI = Self(rawValue: "baseURL")
    /// What a picture shows, by ID3's names (`Cover (front)`).
    public static let pictureType = Self(rawValue: "pictureType")
    /// The media type that the container states for the bytes.
    public static let mimeType = Self(rawValue: "mimeType")
    /// What a Matroska tag is about: `ALBUM`, `TRACK`, the level's number.
    public static let target = Self(rawValue: "target")
    /// The name of a file that is stored in the container.
    public static let fileName = Self(rawValue: "fileName")
  }
}

extension MetadataItem {
  /// The key space and the key in one.
  public var identifier: MetadataIdentifier { MetadataIdentifier(key: key, keySpace: keySpace) }

  /// The common key that the item's key means; nil for what has none.
  public var commonKey: MetadataCommonKey? { identifier.commonKey }

  /// The language as a locale.
  public var locale: Locale? { extendedLanguageTag.map { Locale(identifier: $0) } }

  /// The value as text; nil for bytes.
  public var stringValue: String? { value.string }

  /// The value as a number; of texts too, where the whole text is one.
  public var numberValue: Double? {
    switch value {
    case .integer(let number): Double(number)
    case .number(let number): number
    case .position(let number, _): Double(number)
    case .string(let text): Double(text)
    default: nil
    }
  }

  /// The value as a moment; of texts too, where the whole text is one in ISO 8601.
  public var dateValue: Date? { metadataDate?.date }

  /// The value as a moment, with the offset that was written beside it.
  public var metadataDate: MetadataDate? {
    switch value {
    case .date(let date): date
    case .string(let text): MetadataDate(text)
    default: nil
    }
  }

  /// The value as a place, where it is text in ISO 6709.
  public var locationValue: GeographicLocation? {
    guard case .string(let text) = value else { return nil }
    return GeographicLocation(iso6709: text)
  }

  /// The value's bytes: as stored for binary values, UTF-8 for text; nil for numbers and moments.
  public var dataValue: Data? {
    switch value {
    case .data(let data): data
    case .string(let text): Data(text.utf8)
    default: nil
    }
  }

  /// The media type of a binary value: stated, or by its first bytes; nil for other values.
  public var mimeType: String? {
    guard case .data(let data) = value else { return nil }
    switch MetadataDataType(sniffing: data) {
    case .jpeg: return "image/jpeg"
    case .png: return "image/png"
    case .gif: return "image/gif"
    case .bmp: return "image/bmp"
    default: break
    }
    if data.starts(with: "RIFF".utf8), data.dropFirst(8).starts(with: "WEBP".utf8) { return "image/webp" }
    return extraAttributes[.mimeType] ?? "application/octet-stream"
  }

  /// The item in the common key space; nil where its key means no common one.
  var common: MetadataItem? {
    guard let commonKey else { return nil }
    var item = self
    item.keySpace = .common
    item.key = commonKey.rawValue
    if commonKey == .type, let name = ID3Genres.name(of: self) { item.value = .string(name) }
    return item
  }
}
