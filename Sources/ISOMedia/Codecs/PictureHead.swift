/// What the first bytes of a JPEG or PNG picture say of it (ITU-T T.81, B.2.2; ISO/IEC 15948, 11.2.2).
package struct PictureHead: Hashable, Sendable {
  /// `jpeg` or `png `.
  package var codec: FourCharacterCode
  package var width: UInt16
  package var height: UInt16

  package init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      reader.skip(16)
      guard let width = UInt16(exactly: reader.uint32()), let height = UInt16(exactly: reader.uint32()),
        width > 0, height > 0
      else { return nil }
      (codec, self.width, self.height) = ("png ", width, height)
      return
    }
    guard reader.uint16() == 0xFFD8 else { return nil }
    while reader.remaining >= 4 {
      guard reader.uint8() == 0xFF else { return nil }
      var marker = reader.uint8()
      while marker == 0xFF { marker = reader.uint8() }
      // Marks without a segment.
      if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
      let length = Int(reader.uint16())
      guard length >= 2, marker != 0xDA, marker != 0xD9 else { return nil }
      // Starts of frames, but for the tables that have numbers among them.
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        reader.skip(1)
        (height, width) = (reader.uint16(), reader.uint16())
        guard !reader.isExhausted, width > 0, height > 0 else { return nil }
        codec = "jpeg"
        return
      }
      reader.skip(length - 2)
    }
    return nil
  }
}
