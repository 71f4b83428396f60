/// `esds`: what MPEG-4 systems say about a stream (ISO/IEC 14496-1, 7.2.6).
package struct ElementaryStreamDescriptor: Hashable, Sendable {
  /// The coding: 0x20 MPEG-4 video, 0x40 MPEG-4 audio, 0x69 and 0x6B MPEG audio, …
  package var objectType: UInt8
  package var maximumBitRate: UInt32
  package var averageBitRate: UInt32
  /// The decoder's own configuration, as a range of the bytes given.
  package var decoderConfiguration: Range<Int>?

  /// Reads the payload of `esds`, version and flags first; nil without a decoder configuration
  /// descriptor.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    reader.skip(4)
    var (tag, body) = Self.descriptor(&reader)
    if tag == 3 {
      reader = ByteReader(bytes, in: body)
      reader.skip(2)
      let flags = reader.uint8()
      if flags & 0x80 != 0 { reader.skip(2) }
      if flags & 0x40 != 0 { reader.skip(Int(reader.uint8())) }
      if flags & 0x20 != 0 { reader.skip(2) }
      (tag, body) = Self.descriptor(&reader)
    }
    guard tag == 4 else { return nil }
    reader = ByteReader(bytes, in: body)
    objectType = reader.uint8()
    reader.skip(4)
    maximumBitRate = reader.uint32()
    averageBitRate = reader.uint32()
    guard !reader.isExhausted else { return nil }
    while reader.remaining > 0 {
      let (tag, body) = Self.descriptor(&reader)
      guard tag == 5 else { continue }
      if !body.isEmpty { decoderConfiguration = body }
      return
    }
  }

  /// A tag, a length of up to four 7-bit groups, and the body, cut to what is there.
  private static func descriptor(_ reader: inout ByteReader) -> (tag: UInt8, body: Range<Int>) {
    let tag = reader.uint8()
    var length = 0
    for _ in 0..<4 {
      let byte = reader.uint8()
      length = length << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { break }
    }
    guard !reader.isExhausted else { return (0, reader.rest) }
    return (tag, reader.range(min(length, reader.remaining)))
  }
}
