/// Writes boxes of `udta`: QuickTime's international texts and the texts of 3GPP.
enum UserDataEncoder {
  /// Boxes that a list of values becomes; none for no values.
  static func boxes(_ change: MetadataBoxChange) throws(UnstorableValue) -> [UInt8] {
    guard !change.values.isEmpty else { return [] }
    guard let code = FourCharacterCode(characters: change.key), code.isPlausible else {
      throw UnstorableValue(key: change.key, reason: "it is no four characters")
    }
    var builder = BoxBuilder()
    if code.rawValue >> 24 == 0xA9 {
      try builder.box(code) { builder throws(UnstorableValue) in
        for value in change.values { try international(value, change.key, &builder) }
      }
      return builder.bytes
    }
    for value in change.values {
      try builder.box(code) { builder throws(UnstorableValue) in
        switch code {
        case "titl", "dscp", "cprt", "perf", "auth", "gnre", "albm", "coll", "ades", "tnam":
          // `cprt` and `tnam` of QuickTime have the same form.
          language(value, &builder)
          terminated(try text(value, change.key), &builder)
          if code == "albm", let number = value.attributes["trackNumber"].flatMap({ UInt8($0) }) {
            builder.append(number)
          }
        case "yrrc": try year(value, change.key, &builder)
        case "loci": try place(value, change.key, &builder)
        case "kywd": try keywords(value, change.key, &builder)
        case "date":
          builder.append(UInt32(0))
          terminated(try text(value, change.key), &builder)
        case "urat":
          guard case .integer(let number) = value.content, let stars = UInt8(exactly: number) else {
            throw UnstorableValue(key: change.key, reason: "the value is no number from 0 to 255")
          }
          builder.append([0, 0, 0, 0, 0, 0, 0, stars][...])
        case "thmb":
          guard case .data(let bytes) = value.content else {
            throw UnstorableValue(key: change.key, reason: "a picture is wanted")
          }
          builder.append(UInt32(0))
          builder.append(bytes[...])
        case "rtng", "clsf": try classified(value, code, change.key, &builder)
        default:
          if case .data(let bytes) = value.content {
            builder.append(bytes[...])
          } else {
            builder.append(Array(try text(value, change.key).utf8)[...])
          }
        }
      }
    }
    return builder.bytes
  }

  private static func text(
    _ value: MetadataBoxChange.Value, _ key: String
  ) throws(UnstorableValue) -> String {
    switch value.content {
    case .text(let text): return text
    case .integer(let number): return String(number)
    case .fraction(let number, let count): return count > 0 ? "\(number)/\(count)" : "\(number)"
    default: throw UnstorableValue(key: key, reason: "only text can be stored here")
    }
  }

  private static func international(
    _ value: MetadataBoxChange.Value, _ key: String, _ builder: inout BoxBuilder
  ) throws(UnstorableValue) {
    let bytes = Array(try text(value, key).utf8)
    guard let count = UInt16(exactly: bytes.count) else {
      throw UnstorableValue(key: key, reason: "the text is longer than 65535 bytes")
    }
    builder.append(count)
    builder.append(LanguageCode.packed(value.language))
    builder.append(bytes[...])
  }

  private static func language(_ value: MetadataBoxChange.Value, _ builder: inout BoxBuilder) {
    builder.append(UInt32(0))
    builder.append(LanguageCode.packed(value.language))
  }

  private static func terminated(_ text: String, _ builder: inout BoxBuilder) {
    builder.append(Array(text.utf8)[...])
    builder.append([0][...])
  }

  private static func year(
    _ value: MetadataBoxChange.Value, _ key: String, _ builder: inout BoxBuilder
  ) throws(UnstorableValue) {
    let digits = try text(value, key).prefix { $0.isASCII && $0.isNumber }
    guard let year = UInt16(digits) else { throw UnstorableValue(key: key, reason: "the value begins with no year") }
    builder.append(UInt32(0))
    builder.append(year)
  }

  private static func place(
    _ value: MetadataBoxChange.Value, _ key: String, _ builder: inout BoxBuilder
  ) throws(UnstorableValue) {
    guard case .location(let place) = value.content else {
      throw UnstorableValue(key: key, reason: "the value is no place")
    }
    language(value, &builder)
    terminated(place.name, &builder)
    builder.append([place.role][...])
    for number in [place.longitude, place.latitude, place.altitude] { builder.append(UInt32(bitPattern: number)) }
    terminated(place.body, &builder)
    terminated(place.notes, &builder)
  }

  private static func keywords(
    _ value: MetadataBoxChange.Value, _ key: String, _ builder: inout BoxBuilder
  ) throws(UnstorableValue) {
    let words = try text(value, key).split(separator: ",").map { word in
      Array(word.utf8.drop { $0 == 0x20 }) + [0]
    }
    guard let count = UInt8(exactly: words.count), words.allSatisfy({ $0.count < 256 }) else {
      throw UnstorableValue(key: key, reason: "there are more than 255 keywords, or one is longer than 254 bytes")
    }
    language(value, &builder)
    builder.append(count)
    for word in words {
      builder.append(UInt8(word.count))
      builder.append(word[...])
    }
  }

  private static func classified(
    _ value: MetadataBoxChange.Value, _ code: FourCharacterCode, _ key: String, _ builder: inout BoxBuilder
  ) throws(UnstorableValue) {
    builder.append(UInt32(0))
    builder.append((value.attributes["entity"].flatMap { FourCharacterCode(characters: $0) } ?? "    ").rawValue)
    if code == "rtng" {
      builder.append((value.attributes["criteria"].flatMap { FourCharacterCode(characters: $0) } ?? "    ").rawValue)
    } else {
      builder.append(value.attributes["table"].flatMap { UInt16($0) } ?? 0)
    }
    builder.append(LanguageCode.packed(value.language))
    terminated(try text(value, key), &builder)
  }
}
