/// Writes values into `data` boxes: the other direction of ``ItemValue``.
enum ItemEncoder {
  /// iTunes' items that are whole numbers, and how many bytes they have.
  private static let numbers: [String: Int] = [
    "tmpo": 2, "cpil": 1, "pgap": 1, "pcst": 1, "hdvd": 1, "stik": 1, "rtng": 1, "akID": 1, "shwm": 1, "sfID": 4,
    "cnID": 4, "atID": 4, "geID": 4, "cmID": 4, "tvsn": 4, "tves": 4, "plID": 8, "rate": 2, "\u{A9}mvi": 2,
    "\u{A9}mvc": 2,
  ]

  /// The payload of one item: a `data` box for each value, behind `mean` and `name` of a freeform one.
  static func item(_ change: MetadataBoxChange) throws(UnstorableValue) -> [UInt8] {
    var builder = BoxBuilder()
    if change.isFreeform {
      let (mean, name) = freeformNames(change.key)
      for (type, text) in [("mean", mean), ("name", name)] as [(FourCharacterCode, String)] {
        builder.fullBox(type, version: 0, flags: 0) { builder, _ in builder.append(Array(text.utf8)[...]) }
      }
    }
    for value in change.values {
      let (type, bytes) = try encoded(value, change)
      builder.box("data") { builder in
        builder.append(type)
        builder.append(UInt16(0))
        // 0 says "any language".
        builder.append(value.language == nil ? UInt16(0) : LanguageCode.packed(value.language))
        builder.append(bytes[...])
      }
    }
    return builder.bytes
  }

  /// The name follows the last point: `com.apple.iTunes.iTunSMPB`.
  static func freeformNames(_ key: String) -> (mean: String, name: String) {
    // Names may hold points, the usual `mean` is known.
    for mean in ["com.apple.iTunes", "com.pilabor.tone", "org.musicbrainz"] where key.hasPrefix(mean + ".") {
      return (mean, String(key.dropFirst(mean.count + 1)))
    }
    guard let point = key.lastIndex(of: ".") else { return ("com.apple.iTunes", key) }
    return (String(key[..<point]), String(key[key.index(after: point)...]))
  }

  private static func encoded(
    _ value: MetadataBoxChange.Value, _ change: MetadataBoxChange
  ) throws(UnstorableValue) -> (type: UInt32, bytes: [UInt8]) {
    let key = change.key
    if change.store == .iTunes, !change.isFreeform, let fixed = try iTunes(value, key) { return fixed }
    switch value.content {
    case .text(let text):
      if value.type == 2 { return (2, text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }) }
      return (1, Array(text.utf8))
    case .integer(let number): return integer(number, type: value.type)
    case .real(let number):
      return value.type == 23
        ? (23, Float(number).bitPattern.bigEndianBytes()) : (24, number.bitPattern.bigEndianBytes())
    case .reals(let numbers):
      let type: UInt32 = value.type ?? (numbers.count == 9 ? 79 : numbers.count == 4 ? 72 : 70)
      let counts: [UInt32: Int] = [70: 2, 71: 2, 72: 4, 79: 9]
      guard counts[type] == numbers.count else {
        throw UnstorableValue(key: key, reason: "\(numbers.count) numbers are no point, size, rectangle or matrix")
      }
      return (
        type,
        numbers.flatMap { type == 79 ? $0.bitPattern.bigEndianBytes() : Float($0).bitPattern.bigEndianBytes() }
      )
    case .fraction(let number, let count):
      return (1, Array((count > 0 ? "\(number)/\(count)" : "\(number)").utf8))
    case .location: throw UnstorableValue(key: key, reason: "a place is stored as text here")
    case .data(let bytes): return (value.type ?? pictureType(bytes), bytes)
    }
  }

  private static func iTunes(
    _ value: MetadataBoxChange.Value, _ key: String
  ) throws(UnstorableValue) -> (type: UInt32, bytes: [UInt8])? {
    switch key {
    case "trkn", "disk":
      let pair: (Int, Int)
      switch value.content {
      case .fraction(let number, let count): pair = (number, count)
      case .integer(let number): pair = (Int(clamping: number), 0)
      case .text(let text):
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard let number = parts.first ?? nil, parts.count < 3, let count = parts.count > 1 ? parts[1] : 0 else {
          throw UnstorableValue(key: key, reason: "\"\(text)\" is no number like 3 or 3/12")
        }
        pair = (number, count)
      default: throw UnstorableValue(key: key, reason: "the value is no number like 3 or 3/12")
      }
      guard let number = UInt16(exactly: pair.0), let count = UInt16(exactly: pair.1) else {
        throw UnstorableValue(key: key, reason: "the numbers are larger than 65535")
      }
      let fields = number.bigEndianBytes(2) + count.bigEndianBytes(2)
      return (0, [0, 0] + fields + (key == "trkn" ? [0, 0] : []))
    case "gnre":
      let number = try whole(value, key)
      guard let code = UInt16(exactly: number) else { throw UnstorableValue(key: key, reason: "no such genre") }
      return (0, code.bigEndianBytes(2))
    case "covr":
      guard case .data(let data) = value.content else {
        throw UnstorableValue(key: key, reason: "a picture is wanted")
      }
      return (pictureType(data), data)
    default:
      guard let size = numbers[key] else { return nil }
      let number = try whole(value, key)
      let limit = size == 8 ? Int64.max : Int64(1) << Int64(8 * size) - 1
      guard number <= limit, number >= -(limit / 2) - 1 else {
        throw UnstorableValue(key: key, reason: "\(number) needs more than \(size) bytes")
      }
      return (21, number.bigEndianBytes(size))
    }
  }

  private static func whole(_ value: MetadataBoxChange.Value, _ key: String) throws(UnstorableValue) -> Int64 {
    switch value.content {
    case .integer(let number): return number
    case .real(let real):
      if let number = Int64(exactly: real.rounded()) { return number }
    case .text(let text):
      if let number = Int64(text) { return number }
      if text == "true" || text == "yes" { return 1 }
      if text == "false" || text == "no" { return 0 }
    default: break
    }
    throw UnstorableValue(key: key, reason: "the value is no whole number")
  }

  private static func integer(_ number: Int64, type: UInt32?) -> (UInt32, [UInt8]) {
    let sizes: [UInt32: Int] = [65: 1, 66: 2, 67: 4, 74: 8, 75: 1, 76: 2, 77: 4, 78: 8]
    let bits = UInt64(bitPattern: number)
    if let type, let size = sizes[type] {
      let isSigned = type < 75
      let fits =
        size == 8
        ? isSigned || number >= 0
        : isSigned
          ? number >> Int64(8 * size - 1) == 0 || number >> Int64(8 * size - 1) == -1
          : number >> Int64(8 * size) == 0
      if fits { return (type, bits.bigEndianBytes(size)) }
    }
    return Int32(exactly: number) != nil ? (21, bits.bigEndianBytes(4)) : (74, bits.bigEndianBytes(8))
  }

  /// The well-known type of a picture; 0 for anything else.
  private static func pictureType(_ data: [UInt8]) -> UInt32 {
    if data.starts(with: [0xFF, 0xD8, 0xFF]) { return 13 }
    if data.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return 14 }
    if data.starts(with: Array("BM".utf8)) { return 27 }
    if data.starts(with: Array("GIF8".utf8)) { return 12 }
    return 0
  }
}
