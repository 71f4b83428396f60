import FoundationEssentials
import ISOMedia

/// Items of an ID3 tag's frames.
struct ID3Items {
  private(set) var items: [MetadataItem] = []

  init(_ tag: ID3Tag) {
    for frame in tag.frames where frame.id != "CHAP" && frame.id != "CTOC" { append(frame) }
  }

  private mutating func append(_ frame: ID3Tag.Frame) {
    let payload = frame.payload
    guard !frame.isOpaque else { return append(frame, .data(Data(payload)), type: .rawData) }
    switch frame.id {
    case "TXXX":
      var text = ID3Text(payload)
      let description = text.next()
      for value in text.all() { append(frame, .string(value), info: description) }
    case "WXXX":
      var text = ID3Text(payload)
      let description = text.next()
      append(frame, .string(text.latin()), info: description)
    case "COMM", "USLT":
      guard payload.count >= 4 else { return }
      let language = String(decoding: payload.dropFirst().prefix(3), as: UTF8.self)
      var text = ID3Text(payload.dropFirst(4), encoding: payload[payload.startIndex])
      let description = text.next()
      append(frame, .string(text.next()), language: language, info: description)
    case "USER":
      guard payload.count >= 4 else { return }
      let language = String(decoding: payload.dropFirst().prefix(3), as: UTF8.self)
      var text = ID3Text(payload.dropFirst(4), encoding: payload[payload.startIndex])
      append(frame, .string(text.next()), language: language)
    case "APIC": appendPicture(frame)
    case "UFID", "PRIV":
      var text = ID3Text(payload, encoding: 0)
      let owner = text.latin()
      append(frame, .data(Data(text.remaining)), type: .rawData, info: owner)
    case "POPM":
      var text = ID3Text(payload, encoding: 0)
      let owner = text.latin()
      append(frame, .integer(Int64(text.remaining.first ?? 0)), info: owner)
    case "PCNT" where payload.count <= 8:
      append(frame, .integer(Int64(clamping: payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })))
    case "GEOB":
      var text = ID3Text(payload)
      let mime = text.latin()
      let name = text.next()
      let description = text.next()
      append(frame, .data(Data(text.remaining)), type: .rawData, info: description)
      items[items.count - 1].extraAttributes[.mimeType] = mime
      items[items.count - 1].extraAttributes[.fileName] = name
    case let id where id.hasPrefix("T"):
      var text = ID3Text(payload)
      for value in text.all() { append(frame, .string(value), type: .utf8) }
    case let id where id.hasPrefix("W"):
      var text = ID3Text(payload, encoding: 0)
      append(frame, .string(text.latin()))
    default: append(frame, .data(Data(payload)), type: .rawData)
    }
  }

  private mutating func appendPicture(_ frame: ID3Tag.Frame) {
    guard let picture = ID3Picture(frame.payload) else { return }
    append(
      frame, .data(Data(picture.bytes)), type: MetadataDataType(sniffing: picture.bytes), info: picture.description)
    let last = items.count - 1
    items[last].extraAttributes[.pictureType] = ID3Picture.typeName(picture.type)
    items[last].extraAttributes[.mimeType] = picture.mimeType
  }

  private mutating func append(
    _ frame: ID3Tag.Frame, _ value: MetadataValue, type: MetadataDataType? = .utf8, language: String? = nil,
    info: String = ""
  ) {
    items.append(
      MetadataItem(
        keySpace: .id3, key: frame.id, value: value, dataType: type,
        extendedLanguageTag: LanguageTag.canonical(language), extraAttributes: info.isEmpty ? [:] : [.info: info]))
    if case .integer = value { items[items.count - 1].dataType = nil }
  }
}

/// `APIC`, and 2.2's `PIC`, whose format has three characters.
struct ID3Picture {
  var mimeType: String
  var type: UInt8
  var description: String
  var bytes: ArraySlice<UInt8>

  init?(_ payload: ArraySlice<UInt8>) {
    guard let encoding = payload.first else { return nil }
    var text = ID3Text(payload.dropFirst(), encoding: encoding)
    let format = payload.dropFirst().prefix(3)
    switch format.elementsEqual("PNG".utf8) || format.elementsEqual("JPG".utf8) {
    case true:
      mimeType = format.first == UInt8(ascii: "P") ? "image/png" : "image/jpeg"
      text.skip(3)
    case false:
      let stated = text.latin()
      mimeType = stated.isEmpty || stated.contains("/") ? stated : "image/" + stated.lowercased()
    }
    guard let type = text.remaining.first else { return nil }
    self.type = type
    text.skip(1)
    description = text.next()
    bytes = text.remaining
    guard !bytes.isEmpty else { return nil }
  }

  /// ID3's names of what pictures show; FLAC uses the same numbers.
  static func typeName(_ type: UInt8) -> String {
    let names = [
      "Other", "Icon (32x32)", "Icon", "Cover (front)", "Cover (back)", "Leaflet page", "Media", "Lead artist",
      "Artist",
      "Conductor", "Band", "Composer", "Lyricist", "Recording location", "During recording", "During performance",
      "Screen capture", "A bright coloured fish", "Illustration", "Band logo", "Publisher logo",
    ]
    return Int(type) < names.count ? names[Int(type)] : "Other"
  }
}
