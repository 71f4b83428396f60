/// What has to stand before the first copied picture behind encoded ones, in codecs whose sequence headers travel with the
/// pictures.
enum SequenceHeader {
  /// The sample, with the source's sequence header where it has none.
  static func prefixed(_ bytes: [UInt8], codec: String, extradata: [UInt8]) -> [UInt8] {
    switch codec {
    case "mpeg2video", "mpeg1video":
      return hasMPEG(bytes) ? bytes : extradata + bytes
    case "av1":
      // Behind the record's four bytes stand its headers.
      guard extradata.count > 4, extradata[0] == 0x81, !hasAV1(bytes) else { return bytes }
      return afterDelimiter(bytes, insert: extradata[4...])
    default: return bytes
    }
  }

  /// Whether a sequence header stands before the first picture (H.262, table 6-1).
  private static func hasMPEG(_ bytes: [UInt8]) -> Bool {
    var index = 0
    while index + 3 < bytes.count {
      if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        if bytes[index + 3] == 0xB3 { return true }
        if bytes[index + 3] == 0 { return false }
        index += 3
      } else {
        index += 1
      }
    }
    return false
  }

  private static func hasAV1(_ bytes: [UInt8]) -> Bool {
    var position = 0
    while let unit = unit(bytes, position) {
      if unit.type == 1 { return true }
      // Frames and their headers come behind it.
      if unit.type == 3 || unit.type == 6 { return false }
      position = unit.end
    }
    return false
  }

  private static func afterDelimiter(_ bytes: [UInt8], insert: ArraySlice<UInt8>) -> [UInt8] {
    guard let first = unit(bytes, 0), first.type == 2 else { return insert + bytes }
    return Array(bytes[..<first.end]) + insert + bytes[first.end...]
  }

  /// The open bitstream unit at a place (AV1, 5.3): its type and where it ends.
  private static func unit(_ bytes: [UInt8], _ start: Int) -> (type: UInt8, end: Int)? {
    guard start < bytes.count else { return nil }
    let head = bytes[start]
    var position = start + (head & 4 != 0 ? 2 : 1)
    guard head & 2 != 0 else { return (head >> 3 & 15, bytes.count) }
    var size = 0
    for place in 0..<8 {
      guard position < bytes.count else { return nil }
      let byte = bytes[position]
      position += 1
      size |= Int(byte & 0x7F) << (7 * place)
      if byte & 0x80 == 0 { break }
    }
    guard size <= bytes.count - position else { return nil }
    return (head >> 3 & 15, position + size)
  }
}
