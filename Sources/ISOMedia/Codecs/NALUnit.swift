/// The payload of a NAL unit without emulation prevention.
///
/// - Parameters:
///   - bytes: Holds the unit.
///   - range: The unit's payload; cut to 64 KiB, more than any parameter set needs.
func rawPayload(_ bytes: [UInt8], in range: Range<Int>) -> [UInt8] {
  rawPayload(bytes[range.prefix(65_536).clamped(to: 0..<bytes.count)])
}

/// Bytes of a NAL unit without emulation prevention: every 00 00 03 loses its 03.
package func rawPayload(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
  var result: [UInt8] = []
  result.reserveCapacity(bytes.count)
  var zeros = 0
  for byte in bytes {
    if zeros >= 2, byte == 3 {
      zeros = 0
      continue
    }
    zeros = byte == 0 ? zeros + 1 : 0
    result.append(byte)
  }
  return result
}

/// What video usability information says about colour and shape, the same in H.264 and HEVC.
package struct VideoUsability: Hashable, Sendable {
  /// Width to height of a sample; nil when not said or 0.
  package var sampleAspectRatio: PixelAspectRatio?
  package var isFullRange: Bool?
  /// Code points of ISO/IEC 23091-2; nil when not said.
  package var primaries: UInt8?
  package var transfer: UInt8?
  package var matrix: UInt8?

  /// Reads from the aspect ratio through the chroma sample location, which both standards share.
  mutating func readCommon(_ reader: inout BitReader) {
    if reader.flag() {
      let code = Int(reader.bits(8))
      if code == 255 {
        let (width, height) = (reader.bits(16), reader.bits(16))
        if width > 0, height > 0 {
          sampleAspectRatio = PixelAspectRatio(horizontalSpacing: width, verticalSpacing: height)
        }
      } else if Self.aspectRatios.indices.contains(code - 1) {
        let (width, height) = Self.aspectRatios[code - 1]
        sampleAspectRatio = PixelAspectRatio(horizontalSpacing: width, verticalSpacing: height)
      }
    }
    if reader.flag() { reader.skip(1) }
    if reader.flag() {
      reader.skip(3)
      isFullRange = reader.flag()
      if reader.flag() {
        primaries = UInt8(reader.bits(8))
        transfer = UInt8(reader.bits(8))
        matrix = UInt8(reader.bits(8))
      }
    }
    if reader.flag() {
      _ = reader.unsignedGolomb()
      _ = reader.unsignedGolomb()
    }
  }

  /// H.264 table E-1, from aspect_ratio_idc 1.
  private static let aspectRatios: [(UInt32, UInt32)] = [
    (1, 1), (12, 11), (10, 11), (16, 11), (40, 33), (24, 11), (20, 11), (32, 11), (80, 33),
    (18, 11), (15, 11), (64, 33), (160, 99), (4, 3), (3, 2), (2, 1),
  ]
}
