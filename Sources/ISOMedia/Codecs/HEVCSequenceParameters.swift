/// An HEVC sequence parameter set of the base layer (ITU-T H.265, 7.3.2.2 and annex E).
package struct HEVCSequenceParameters: Hashable, Sendable {
  package var profile: UInt8 = 0
  package var isHighTier = false
  package var level: UInt8 = 0
  /// general_progressive_source_flag and general_interlaced_source_flag.
  package var isProgressiveSource = false
  package var isInterlacedSource = false
  /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  package var chromaFormat: UInt8 = 1
  package var lumaBitDepth: UInt8 = 8
  package var chromaBitDepth: UInt8 = 8
  /// In pixels, after the conformance window.
  package var width: Int = 0
  package var height: Int = 0
  /// Pictures that may precede a picture in decode order and follow it in output order.
  package var reorderPictureCount: UInt32 = 0
  package var usability = VideoUsability()
  /// field_seq_flag: every picture is a field.
  package var isFieldSequence = false

  /// Reads a NAL unit with its two-byte header; nil when it is no base-layer set, or damaged before
  /// the usability information.
  package init?(nalUnit bytes: [UInt8], in range: Range<Int>? = nil) {
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    guard range.count > 2 else { return nil }
    let header = bytes.bigEndianUInt16(at: range.lowerBound)
    guard header >> 9 & 0x3F == 33, header >> 3 & 0x3F == 0 else { return nil }
    var reader = BitReader(rawPayload(bytes, in: range.dropFirst(2)))
    reader.skip(4)
    let subLayers = Int(reader.bits(3))
    reader.skip(1)
    readProfile(subLayers, &reader)
    _ = reader.unsignedGolomb()
    guard readPicture(&reader), readCoding(subLayers, &reader), !reader.isExhausted else {
      return nil
    }
    if reader.flag() { readUsability(&reader) }
  }

  private mutating func readProfile(_ subLayers: Int, _ reader: inout BitReader) {
    reader.skip(2)
    isHighTier = reader.flag()
    profile = UInt8(reader.bits(5))
    reader.skip(32)
    isProgressiveSource = reader.flag()
    isInterlacedSource = reader.flag()
    reader.skip(46)
    level = UInt8(reader.bits(8))
    guard subLayers > 0 else { return }
    let present = (0..<8).map { _ in (profile: reader.flag(), level: reader.flag()) }
    for layer in present[..<subLayers] {
      if layer.profile { reader.skip(88) }
      if layer.level { reader.skip(8) }
    }
  }

  private mutating func readPicture(_ reader: inout BitReader) -> Bool {
    let format = reader.unsignedGolomb()
    guard format <= 3 else { return false }
    chromaFormat = UInt8(format)
    if format == 3 { reader.skip(1) }
    let storedWidth = Int(reader.unsignedGolomb())
    let storedHeight = Int(reader.unsignedGolomb())
    guard (1...65_535).contains(storedWidth), (1...65_535).contains(storedHeight) else {
      return false
    }
    width = storedWidth
    height = storedHeight
    if reader.flag() {
      let window = (0..<4).map { _ in Int(reader.unsignedGolomb()) }
      let x = (window[0] + window[1]) * (format == 1 || format == 2 ? 2 : 1)
      let y = (window[2] + window[3]) * (format == 1 ? 2 : 1)
      guard x < width, y < height else { return false }
      width -= x
      height -= y
    }
    let luma = reader.unsignedGolomb()
    let chroma = reader.unsignedGolomb()
    guard luma <= 8, chroma <= 8 else { return false }
    lumaBitDepth = UInt8(luma) + 8
    chromaBitDepth = UInt8(chroma) + 8
    return true
  }

  /// From the order count through strong intra smoothing, which stand before the usability flag.
  private mutating func readCoding(_ subLayers: Int, _ reader: inout BitReader) -> Bool {
    let orderBits = reader.unsignedGolomb() &+ 4
    guard orderBits <= 16 else { return false }
    for _ in (reader.flag() ? 0 : subLayers)...subLayers {
      _ = reader.unsignedGolomb()
      reorderPictureCount = reader.unsignedGolomb()
      _ = reader.unsignedGolomb()
    }
    for _ in 0..<6 { _ = reader.unsignedGolomb() }
    if reader.flag(), reader.flag() { skipScalingLists(&reader) }
    reader.skip(2)
    if reader.flag() {
      reader.skip(8)
      _ = reader.unsignedGolomb()
      _ = reader.unsignedGolomb()
      reader.skip(1)
    }
    guard skipReferenceSets(&reader) else { return false }
    if reader.flag() {
      let count = reader.unsignedGolomb()
      guard count <= 32 else { return false }
      for _ in 0..<count { reader.skip(Int(orderBits) + 1) }
    }
    reader.skip(2)
    return true
  }

  private func skipScalingLists(_ reader: inout BitReader) {
    for size in 0..<4 {
      for _ in stride(from: 0, to: 6, by: size == 3 ? 3 : 1) {
        guard reader.flag() else {
          _ = reader.unsignedGolomb()
          continue
        }
        if size > 1 { _ = reader.signedGolomb() }
        for _ in 0..<min(64, 1 << (4 + size * 2)) { _ = reader.signedGolomb() }
      }
    }
  }

  private func skipReferenceSets(_ reader: inout BitReader) -> Bool {
    let count = reader.unsignedGolomb()
    guard count <= 64 else { return false }
    var previous = 0
    for index in 0..<count {
      if index > 0, reader.flag() {
        reader.skip(1)
        _ = reader.unsignedGolomb()
        var kept = 0
        for _ in 0...previous {
          // used_by_curr_pic_flag, or else use_delta_flag.
          if reader.flag() || reader.flag() { kept += 1 }
        }
        previous = kept
      } else {
        let negative = reader.unsignedGolomb()
        let positive = reader.unsignedGolomb()
        guard negative <= 16, positive <= 16 else { return false }
        previous = Int(negative + positive)
        for _ in 0..<previous {
          _ = reader.unsignedGolomb()
          reader.skip(1)
        }
      }
    }
    return true
  }

  private mutating func readUsability(_ reader: inout BitReader) {
    usability.readCommon(&reader)
    reader.skip(1)
    isFieldSequence = reader.flag()
  }
}
