/// An H.264 sequence parameter set (ITU-T H.264, 7.3.2.1.1 and annex E).
package struct AVCSequenceParameters: Hashable, Sendable {
  package var profile: UInt8
  package var constraints: UInt8
  package var level: UInt8
  /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  package var chromaFormat: UInt8 = 1
  package var lumaBitDepth: UInt8 = 8
  package var chromaBitDepth: UInt8 = 8
  /// In pixels, after cropping.
  package var width: Int = 0
  package var height: Int = 0
  /// False when pictures may be fields or field pairs.
  package var isFrameOnly = true
  package var usability = VideoUsability()
  /// Frames that may precede a frame in decode order and follow it in output order; nil when the
  /// stream does not say.
  package var reorderFrameCount: UInt32?

  /// Reads a NAL unit with its one-byte header; nil when it is none of a sequence parameter set or
  /// damaged before the size. Damaged usability information keeps what was read of it.
  package init?(nalUnit bytes: [UInt8], in range: Range<Int>? = nil) {
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    guard range.count > 4, bytes[range.lowerBound] & 31 == 7 else { return nil }
    var reader = BitReader(rawPayload(bytes, in: range.dropFirst()))
    profile = UInt8(reader.bits(8))
    constraints = UInt8(reader.bits(8))
    level = UInt8(reader.bits(8))
    _ = reader.unsignedGolomb()
    guard readFormat(&reader), readOrderCount(&reader), readSize(&reader), !reader.isExhausted
    else { return nil }
    if reader.flag() { readUsability(&reader) }
  }

  private mutating func readFormat(_ reader: inout BitReader) -> Bool {
    guard [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) else {
      return true
    }
    let format = reader.unsignedGolomb()
    guard format <= 3 else { return false }
    chromaFormat = UInt8(format)
    if format == 3 { reader.skip(1) }
    let luma = reader.unsignedGolomb()
    let chroma = reader.unsignedGolomb()
    guard luma <= 6, chroma <= 6 else { return false }
    lumaBitDepth = UInt8(luma) + 8
    chromaBitDepth = UInt8(chroma) + 8
    reader.skip(1)
    guard reader.flag() else { return true }
    for list in 0..<(format == 3 ? 12 : 8) where reader.flag() {
      skipScalingList(list < 6 ? 16 : 64, &reader)
    }
    return true
  }

  private func skipScalingList(_ count: Int, _ reader: inout BitReader) {
    var (last, next): (Int32, Int32) = (8, 8)
    for _ in 0..<count {
      if next != 0 { next = (last &+ reader.signedGolomb() &+ 256) & 255 }
      if next != 0 { last = next }
    }
  }

  private func readOrderCount(_ reader: inout BitReader) -> Bool {
    _ = reader.unsignedGolomb()
    switch reader.unsignedGolomb() {
    case 0: _ = reader.unsignedGolomb()
    case 1:
      reader.skip(1)
      _ = reader.signedGolomb()
      _ = reader.signedGolomb()
      let count = reader.unsignedGolomb()
      guard count <= 255 else { return false }
      for _ in 0..<count { _ = reader.signedGolomb() }
    case 2: break
    default: return false
    }
    _ = reader.unsignedGolomb()
    reader.skip(1)
    return true
  }

  private mutating func readSize(_ reader: inout BitReader) -> Bool {
    let columns = reader.unsignedGolomb()
    let rows = reader.unsignedGolomb()
    // Annex A allows no more than 1055 macroblocks a side; leave ample room.
    guard columns < 8192, rows < 8192 else { return false }
    isFrameOnly = reader.flag()
    if !isFrameOnly { reader.skip(1) }
    reader.skip(1)
    width = (Int(columns) + 1) * 16
    height = (Int(rows) + 1) * 16 * (isFrameOnly ? 1 : 2)
    guard reader.flag() else { return true }
    let unitX = chromaFormat == 1 || chromaFormat == 2 ? 2 : 1
    let unitY = (chromaFormat == 1 ? 2 : 1) * (isFrameOnly ? 1 : 2)
    let crop = (0..<4).map { _ in Int(reader.unsignedGolomb()) }
    let (x, y) = ((crop[0] + crop[1]) * unitX, (crop[2] + crop[3]) * unitY)
    guard x < width, y < height else { return false }
    width -= x
    height -= y
    return true
  }

  private mutating func readUsability(_ reader: inout BitReader) {
    usability.readCommon(&reader)
    if reader.flag() { reader.skip(65) }
    let hasNALParameters = reader.flag()
    if hasNALParameters { skipDecoderParameters(&reader) }
    let hasVCLParameters = reader.flag()
    if hasVCLParameters { skipDecoderParameters(&reader) }
    if hasNALParameters || hasVCLParameters { reader.skip(1) }
    reader.skip(1)
    guard reader.flag() else { return }
    reader.skip(1)
    for _ in 0..<4 { _ = reader.unsignedGolomb() }
    let reorder = reader.unsignedGolomb()
    if !reader.isExhausted, reorder <= 16 { reorderFrameCount = reorder }
  }

  private func skipDecoderParameters(_ reader: inout BitReader) {
    let count = min(reader.unsignedGolomb(), 31) + 1
    reader.skip(8)
    for _ in 0..<count {
      _ = reader.unsignedGolomb()
      _ = reader.unsignedGolomb()
      reader.skip(1)
    }
    reader.skip(20)
  }
}
