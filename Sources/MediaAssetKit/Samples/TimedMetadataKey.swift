import FoundationEssentials
import ISOMedia

/// A kind of item that a track of timed metadata may hold: what it means, how its values are stored, and for whom.
///
/// A track names its kinds in its header, so they are known before the first item is written.
public struct TimedMetadataKey: Sendable, Hashable {
  /// What the items mean.
  public var identifier: MetadataIdentifier
  /// How their values are stored. One that has no name of CoreMedia's is a number of QuickTime's, in decimal digits, or the
  /// name that its maker gave it, whose values are bytes or text.
  public var dataType: MetadataDataType
  /// The values' language as a BCP 47 tag; nil for values that suit everybody.
  public var extendedLanguageTag: String?

  /// A kind of given parts.
  public init(identifier: MetadataIdentifier, dataType: MetadataDataType, extendedLanguageTag: String? = nil) {
    self.identifier = identifier
    self.dataType = dataType
    self.extendedLanguageTag = extendedLanguageTag
  }

  /// The kind of an item; its data type follows from the value where the item states none.
  public init(_ item: MetadataItem) {
    self.init(
      identifier: item.identifier, dataType: item.dataType ?? Self.dataType(of: item.value),
      extendedLanguageTag: item.extendedLanguageTag)
  }

  /// The kinds of all items of some groups, each once, in their order.
  public static func keys(of groups: some Sequence<TimedMetadataGroup>) -> [TimedMetadataKey] {
    var found: [TimedMetadataKey] = []
    var known: Set<TimedMetadataKey> = []
    for group in groups {
      for item in group.items {
        let key = TimedMetadataKey(item)
        if known.insert(key).inserted { found.append(key) }
      }
    }
    return found
  }

  private static func dataType(of value: MetadataValue) -> MetadataDataType {
    switch value {
    case .string, .date, .position: .utf8
    case .integer: .int64
    case .number: .float64
    case .numbers(let numbers): [2: .pointF32, 4: .rectF32][numbers.count] ?? .affineTransformF64
    case .data(let data): MetadataDataType(sniffing: data)
    }
  }
}

extension TimedMetadataKey {
  init(_ key: MetadataSampleDescription.Key) {
    let name = String(validating: key.name, as: UTF8.self) ?? key.name.latin1
    let type: MetadataDataType =
      switch key.dataType {
      case .wellKnown(0)?, nil: .rawData
      case .wellKnown(let number)?: ISOMetadata.dataTypes[number] ?? MetadataDataType(rawValue: String(number))
      case .named(let name)?: MetadataDataType(rawValue: name)
      }
    self.init(
      identifier: MetadataIdentifier(
        key: name, keySpace: MetadataKeySpace(rawValue: key.namespace.rawValue.bigEndianBytes().latin1)),
      dataType: type, extendedLanguageTag: LanguageTag.canonical(key.locale) ?? key.locale)
  }

  /// The key as the sample description has it; nil for a key space whose name does not have four characters, of which the
  /// file has no way to tell.
  func stored(as localID: UInt32) -> MetadataSampleDescription.Key? {
    guard let space = identifier.keySpace, let namespace = FourCharacterCode(characters: space.rawValue),
      let name = identifier.key, !name.isEmpty
    else { return nil }
    let isCode = FourCharacterCode(characters: name) != nil
    let type: MetadataSampleDescription.DataType =
      switch dataType {
      case .rawData: .wellKnown(0)
      case .utf8: .wellKnown(1)
      case .utf16: .wellKnown(2)
      case .int64: .wellKnown(74)
      case .uint64: .wellKnown(78)
      default:
        if let number = ISOMetadata.dataTypes.filter({ $0.value == dataType }).keys.max() ?? UInt32(dataType.rawValue) {
          .wellKnown(number)
        } else {
          .named(dataType.rawValue)
        }
      }
    return .init(
      localID: localID, namespace: namespace,
      name: isCode ? name.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(name.utf8),
      dataType: type, locale: extendedLanguageTag)
  }
}

extension [UInt8] {
  fileprivate var latin1: String { String(String.UnicodeScalarView(map { Unicode.Scalar($0) })) }
}

extension MetadataSampleDescription {
  /// The description of these kinds; nil where one of them can't be told, or where there is none.
  init?(_ keys: [TimedMetadataKey]) {
    let stored = keys.enumerated().compactMap { index, key in key.stored(as: UInt32(clamping: index + 1)) }
    guard !stored.isEmpty, stored.count == keys.count else { return nil }
    self.init(keys: stored)
  }

  /// The group that a sample holds.
  func group(_ sample: [UInt8], _ range: MediaTimeRange) -> TimedMetadataGroup {
    let items = values(in: sample).map { key, value in
      let kind = TimedMetadataKey(key)
      return MetadataItem(
        keySpace: kind.identifier.keySpace ?? .quickTimeMetadata, key: kind.identifier.key ?? "",
        value: Self.value(value, kind.dataType, in: sample), dataType: kind.dataType,
        extendedLanguageTag: kind.extendedLanguageTag, time: range.start, duration: range.duration)
    }
    return TimedMetadataGroup(items: items, timeRange: range)
  }

  /// CoreMedia's own types that are text.
  private static let texts: Set<MetadataDataType> = [
    .init(rawValue: "com.apple.quicktime.metadata.location.ISO6709"),
    .init(rawValue: "com.apple.quicktime.metadata.direction"),
  ]

  private static func value(
    _ value: MetadataEntry.Value, _ type: MetadataDataType, in sample: [UInt8]
  ) -> MetadataValue {
    switch value {
    case .text(let text): .string(text)
    case .integer(let number): .integer(number)
    case .unsigned(let number): Int64(exactly: number).map { .integer($0) } ?? .number(Double(number))
    case .real(let number): .number(number)
    case .reals(let numbers): .numbers(numbers)
    case .data(let range) where texts.contains(type): .string(String(decoding: sample[range], as: UTF8.self))
    case .data(let range): .data(Data(sample[range]))
    case .fraction(let number, let count): .position(number, of: count)
    case .location: .data(Data())
    }
  }

  /// The sample that holds a group.
  ///
  /// - Throws: ``UnstorableValue`` for an item of no kind of the description, or whose value does not suit its data type.
  func sample(of group: TimedMetadataGroup) throws(UnstorableValue) -> [UInt8] {
    var values: [(key: Key, bytes: [UInt8])] = []
    let kinds = keys.map { ($0, TimedMetadataKey($0)) }
    for item in group.items {
      let wanted = TimedMetadataKey(item)
      let alike = kinds.filter {
        $0.1.identifier == wanted.identifier && $0.1.extendedLanguageTag == wanted.extendedLanguageTag
      }
      guard let (key, _) = alike.first(where: { $0.1 == wanted }) ?? (item.dataType == nil ? alike.first : nil) else {
        throw UnstorableValue(
          key: item.identifier.rawValue, reason: "the track has no such key, data type and language")
      }
      values.append((key, try Self.bytes(of: Self.content(item.value), under: key)))
    }
    return Self.sample(values)
  }

  private static func content(_ value: MetadataValue) -> MetadataBoxChange.Content {
    switch value {
    case .string(let text): .text(text)
    case .integer(let number): .integer(number)
    case .number(let number): .real(number)
    case .numbers(let numbers): .reals(numbers)
    case .position: .text(value.string ?? "")
    case .date(let date): .text(date.description)
    case .data(let data): .data(Array(data))
    }
  }
}
