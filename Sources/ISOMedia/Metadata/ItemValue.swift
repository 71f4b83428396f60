/// Values of `data` boxes by their well-known types.
enum ItemValue {
  /// Items whose values are numbers where the type says nothing.
  private static let numbers: Set<String> = [
    "gnre", "tmpo", "cpil", "pgap", "pcst", "hdvd", "stik", "rtng", "akID", "sfID", "cnID", "atID", "plID", "geID",
    "cmID", "tvsn", "tves", "shwm", "rate", "\u{A9}mvi", "\u{A9}mvc",
  ]
  /// Items whose values are text where the type says nothing.
  private static let texts: Set<String> = ["purl", "egid", "catg", "keyw", "purd", "ownr", "apID"]

  static func value(type: UInt32, key: String, _ bytes: [UInt8], _ range: Range<Int>) -> MetadataEntry.Value {
    let data = bytes[range]
    if key == "trkn" || key == "disk", range.count >= 6, type == 0 || type == 21 {
      return .fraction(
        Int(bytes.bigEndianUInt16(at: range.lowerBound + 2)), of: Int(bytes.bigEndianUInt16(at: range.lowerBound + 4)))
    }
    switch type {
    case 1, 4: return .text(String(decoding: trimmed(data), as: UTF8.self))
    case 2, 5:
      // Big-endian unless a mark says otherwise.
      let isMarked = data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE])
      return .text(
        isMarked ? StoredText.string(data, macintosh: false) : StoredText.utf16(data, isBigEndian: true))
    case 21, 65, 66, 67, 74: return signed(data).map { .integer($0) } ?? .data(range)
    case 22, 75, 76, 77, 78: return unsigned(data).map { .unsigned($0) } ?? .data(range)
    case 23 where range.count == 4, 24 where range.count == 8: return .real(reals(data, size: range.count)[0])
    case 70 where range.count == 8, 71 where range.count == 8, 72 where range.count == 16:
      return .reals(reals(data, size: 4))
    case 79 where range.count == 72: return .reals(reals(data, size: 8))
    case 0 where numbers.contains(key): return unsigned(data).map { .integer(Int64(clamping: $0)) } ?? .data(range)
    case 0 where texts.contains(key): return .text(String(decoding: trimmed(data), as: UTF8.self))
    default: return .data(range)
    }
  }

  /// Text may end in NULs that some writers count.
  private static func trimmed(_ data: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var data = data
    while data.last == 0 { data.removeLast() }
    return data
  }

  private static func unsigned(_ data: ArraySlice<UInt8>) -> UInt64? {
    guard (1...8).contains(data.count) else { return nil }
    return data.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func signed(_ data: ArraySlice<UInt8>) -> Int64? {
    guard let value = unsigned(data) else { return nil }
    let unused = UInt64(64 - 8 * data.count)
    return Int64(bitPattern: value << unused) >> Int64(unused)
  }

  private static func reals(_ data: ArraySlice<UInt8>, size: Int) -> [Double] {
    stride(from: data.startIndex, to: data.endIndex, by: size).map { start in
      let bits = data[start..<start + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    }
  }
}
