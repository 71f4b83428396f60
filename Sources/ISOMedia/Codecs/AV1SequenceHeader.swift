/// An AV1 sequence header OBU (AV1 specification, 5.5).
package struct AV1SequenceHeader: Hashable, Sendable {
  package var profile: UInt8 = 0
  /// Level and tier of the first operating point.
  package var level: UInt8 = 0
  package var isHighTier = false
  package var maximumWidth = 0
  package var maximumHeight = 0
  package var bitDepth: UInt8 = 8
  package var isMonochrome = false
  package var subsamplingX = true
  package var subsamplingY = true
  package var chromaSamplePosition: UInt8 = 0
  /// Code points of ISO/IEC 23091-2; 2 where the stream does not say.
  package var color = ColorParameters(primaries: 2, transfer: 2, matrix: 2, isFullRange: false)

  /// Finds and reads the first sequence header among OBUs; nil without a sound one.
  package init?(units bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    while reader.remaining > 0 {
      let header = reader.uint8()
      if header & 4 != 0 { reader.skip(1) }
      var length = reader.remaining
      if header & 2 != 0 {
        guard let coded = Self.lengthBytes(&reader), coded <= reader.remaining else { return nil }
        length = coded
      }
      let payload = reader.range(length)
      guard header >> 3 & 15 == 1 else { continue }
      var bits = BitReader(bytes, in: payload)
      guard read(&bits), !bits.isExhausted else { return nil }
      return
    }
    return nil
  }

  private static func lengthBytes(_ reader: inout ByteReader) -> Int? {
    var value = 0
    for index in 0..<5 {
      let byte = reader.uint8()
      value |= Int(byte & 0x7F) << (index * 7)
      if byte & 0x80 == 0 { return reader.isExhausted ? nil : value }
    }
    return nil
  }

  private mutating func read(_ reader: inout BitReader) -> Bool {
    profile = UInt8(reader.bits(3))
    guard profile <= 2 else { return false }
    reader.skip(1)
    let isReduced = reader.flag()
    if isReduced { level = UInt8(reader.bits(5)) } else { readOperatingPoints(&reader) }
    let widthBits = Int(reader.bits(4)) + 1
    let heightBits = Int(reader.bits(4)) + 1
    maximumWidth = Int(reader.bits(widthBits)) + 1
    maximumHeight = Int(reader.bits(heightBits)) + 1
    if !isReduced, reader.flag() { reader.skip(7) }
    reader.skip(3)
    if !isReduced { readTools(&reader) }
    reader.skip(3)
    readColor(&reader)
    return true
  }

  private mutating func readOperatingPoints(_ reader: inout BitReader) {
    var delayBits: Int?
    if reader.flag() {
      reader.skip(64)
      if reader.flag() { _ = reader.unsignedGolomb() }
      if reader.flag() {
        delayBits = Int(reader.bits(5)) + 1
        reader.skip(42)
      }
    }
    let hasInitialDelay = reader.flag()
    for point in 0...Int(reader.bits(5)) {
      reader.skip(12)
      let pointLevel = UInt8(reader.bits(5))
      let tier = pointLevel > 7 && reader.flag()
      if point == 0 { (level, isHighTier) = (pointLevel, tier) }
      if let delayBits, reader.flag() { reader.skip(2 * delayBits + 1) }
      if hasInitialDelay, reader.flag() { reader.skip(4) }
    }
  }

  /// The coding tools between the size and the colours.
  private func readTools(_ reader: inout BitReader) {
    reader.skip(4)
    let hasOrderHint = reader.flag()
    if hasOrderHint { reader.skip(2) }
    // 2: chosen by every frame.
    let screenContent = reader.flag() ? 2 : reader.bits(1)
    if screenContent > 0, !reader.flag() { reader.skip(1) }
    if hasOrderHint { reader.skip(3) }
  }

  private mutating func readColor(_ reader: inout BitReader) {
    bitDepth = reader.flag() ? 10 : 8
    if profile == 2, bitDepth == 10, reader.flag() { bitDepth = 12 }
    isMonochrome = profile != 1 && reader.flag()
    if reader.flag() {
      color.primaries = UInt16(reader.bits(8))
      color.transfer = UInt16(reader.bits(8))
      color.matrix = UInt16(reader.bits(8))
    }
    if isMonochrome {
      color.isFullRange = reader.flag()
      return
    }
    if color.primaries == 1, color.transfer == 13, color.matrix == 0 {
      color.isFullRange = true
      (subsamplingX, subsamplingY) = (false, false)
      return
    }
    color.isFullRange = reader.flag()
    switch profile {
    case 0: break
    case 1: (subsamplingX, subsamplingY) = (false, false)
    default:
      subsamplingX = bitDepth == 12 ? reader.flag() : true
      subsamplingY = bitDepth == 12 && subsamplingX ? reader.flag() : false
    }
    if subsamplingX, subsamplingY { chromaSamplePosition = UInt8(reader.bits(2)) }
  }
}
