import ISOMedia
import Testing

@Suite struct ParameterSetTests {
  /// 1920x1080 as coded by most phones: 120 by 68 macroblocks, 8 lines cropped.
  @Test func avcHigh() throws {
    var bits = BitWriter()
    bits.u(8, 122)
    bits.u(8, 0)
    bits.u(8, 40)
    bits.ue(0)
    bits.ue(2)
    bits.ue(2)
    bits.ue(1)
    bits.flag(false)
    // One scaling list of 16 that ends early: delta -8 makes the next scale 0.
    bits.flag(true)
    bits.flag(true)
    bits.se(-8)
    bits.u(7, 0)
    bits.ue(0)
    bits.ue(1)
    bits.flag(false)
    bits.se(3)
    bits.se(-4)
    bits.ue(2)
    bits.se(1)
    bits.se(-1)
    bits.ue(4)
    bits.flag(false)
    bits.ue(119)
    bits.ue(33)
    bits.flag(false)
    bits.flag(true)
    bits.flag(true)
    bits.flag(true)
    for value in [0, 0, 0, 4] as [UInt64] { bits.ue(value) }
    usability(&bits, sampleAspect: (64, 45))
    let set = try #require(AVCSequenceParameters(nalUnit: [0x67] + bits.protected))
    #expect(set.profile == 122 && set.level == 40)
    #expect(set.chromaFormat == 2)
    #expect(set.lumaBitDepth == 10 && set.chromaBitDepth == 9)
    // 34 map units are 68 rows of fields; 4:2:2 fields crop in steps of 2 lines.
    #expect(set.width == 1920 && set.height == 1080)
    #expect(!set.isFrameOnly)
    #expect(set.usability.sampleAspectRatio?.horizontalSpacing == 64)
    #expect(set.usability.sampleAspectRatio?.verticalSpacing == 45)
    #expect(set.usability.primaries == 9 && set.usability.transfer == 16)
    #expect(set.usability.matrix == 9 && set.usability.isFullRange == true)
    #expect(set.reorderFrameCount == 2)
  }

  private func usability(_ bits: inout BitWriter, sampleAspect: (UInt64, UInt64)) {
    bits.flag(true)
    bits.flag(true)
    bits.u(8, 255)
    bits.u(16, sampleAspect.0)
    bits.u(16, sampleAspect.1)
    bits.flag(true)
    bits.flag(false)
    bits.flag(true)
    bits.u(3, 5)
    bits.flag(true)
    bits.flag(true)
    for value in [9, 16, 9] as [UInt64] { bits.u(8, value) }
    bits.flag(true)
    bits.ue(0)
    bits.ue(0)
    bits.flag(true)
    bits.u(32, 1)
    bits.u(32, 50)
    bits.flag(true)
    // NAL decoder parameters with two buffers.
    bits.flag(true)
    bits.ue(1)
    bits.u(8, 0)
    for _ in 0..<2 {
      bits.ue(1000)
      bits.ue(2000)
      bits.flag(false)
    }
    bits.u(20, 0)
    bits.flag(false)
    bits.flag(false)
    bits.flag(true)
    bits.flag(true)
    bits.flag(true)
    for value in [2, 1, 10, 10, 2, 4] as [UInt64] { bits.ue(value) }
  }

  /// From the box dump of a GPAC file: Main profile, 960x540, no more than the peer's own dump says.
  @Test func avcOfAPeer() throws {
    let data = hex(
      "674d401fe4607808bf780b4f00000300010000030032e020005b8d00016e3782080396386270")
    let set = try #require(AVCSequenceParameters(nalUnit: data))
    #expect(set.profile == 77 && set.level == 31)
    #expect(set.width == 960 && set.height == 540)
    #expect(set.isFrameOnly)
    #expect(set.lumaBitDepth == 8)
  }

  @Test func hevcMain10() throws {
    var bits = BitWriter()
    bits.u(4, 0)
    bits.u(3, 1)
    bits.flag(true)
    // Profile, tier, level.
    bits.u(2, 0)
    bits.flag(true)
    bits.u(5, 2)
    bits.u(32, 0x2000_0000)
    bits.flag(false)
    bits.flag(true)
    bits.u(46, 0)
    bits.u(8, 153)
    // One sub-layer with a profile and a level of its own.
    bits.flag(true)
    bits.flag(true)
    bits.u(14, 0)
    bits.u(32, 0)
    bits.u(32, 0)
    bits.u(24, 0)
    bits.u(8, 120)
    bits.ue(0)
    bits.ue(1)
    bits.ue(3840)
    bits.ue(2176)
    bits.flag(true)
    for value in [0, 0, 0, 8] as [UInt64] { bits.ue(value) }
    bits.ue(2)
    bits.ue(2)
    bits.ue(4)
    bits.flag(true)
    for value in [2, 1, 0, 4, 3, 0] as [UInt64] { bits.ue(value) }
    for value in [0, 3, 0, 3, 2, 2] as [UInt64] { bits.ue(value) }
    // Scaling lists: all predicted.
    bits.flag(true)
    bits.flag(true)
    for _ in 0..<20 {
      bits.flag(false)
      bits.ue(0)
    }
    bits.flag(true)
    bits.flag(true)
    // PCM.
    bits.flag(true)
    bits.u(8, 0x77)
    bits.ue(0)
    bits.ue(2)
    bits.flag(true)
    // Two reference sets: 2 + 1 pictures, then predicted from it.
    bits.ue(2)
    bits.ue(2)
    bits.ue(1)
    for _ in 0..<3 {
      bits.ue(0)
      bits.flag(true)
    }
    bits.flag(true)
    bits.flag(false)
    bits.ue(0)
    for _ in 0..<2 { bits.flag(true) }
    for isKept in [true, false] {
      bits.flag(false)
      bits.flag(isKept)
    }
    // One long-term picture with a count of 4 + 4 bits.
    bits.flag(true)
    bits.ue(1)
    bits.u(8, 5)
    bits.flag(false)
    bits.flag(true)
    bits.flag(true)
    bits.flag(true)
    // Usability: square samples, limited BT.2020 HLG, fields.
    bits.flag(true)
    bits.u(8, 1)
    bits.flag(false)
    bits.flag(true)
    bits.u(3, 5)
    bits.flag(false)
    bits.flag(true)
    for value in [9, 18, 9] as [UInt64] { bits.u(8, value) }
    bits.flag(false)
    bits.flag(false)
    bits.flag(true)
    bits.flag(true)
    let set = try #require(HEVCSequenceParameters(nalUnit: [0x42, 0x01] + bits.protected))
    #expect(set.profile == 2 && set.isHighTier && set.level == 153)
    #expect(!set.isProgressiveSource && set.isInterlacedSource)
    #expect(set.width == 3840 && set.height == 2160)
    #expect(set.lumaBitDepth == 10 && set.chromaBitDepth == 10)
    #expect(set.reorderPictureCount == 3)
    #expect(set.usability.transfer == 18 && set.usability.isFullRange == false)
    #expect(set.usability.sampleAspectRatio?.horizontalSpacing == 1)
    #expect(set.isFieldSequence)
  }

  @Test(arguments: [[], [0x67], [0x67, 0, 0, 0, 0, 0, 0], [0x42, 1], [0x42, 1, 0, 0, 0]])
  func refusesWhatIsNone(data: [UInt8]) {
    #expect(AVCSequenceParameters(nalUnit: data) == nil)
    #expect(HEVCSequenceParameters(nalUnit: data) == nil)
  }

  @Test func av1Sequence() throws {
    var bits = BitWriter()
    bits.u(3, 0)
    bits.u(1, 0)
    bits.flag(false)
    // Timing with a decoder model of 10-bit delays.
    bits.flag(true)
    bits.u(32, 1)
    bits.u(32, 60)
    bits.flag(true)
    bits.ue(0)
    bits.flag(true)
    bits.u(5, 9)
    bits.u(32, 1)
    bits.u(10, 0)
    bits.flag(true)
    bits.u(5, 0)
    bits.u(12, 0)
    bits.u(5, 9)
    bits.flag(true)
    bits.flag(true)
    bits.u(21, 0)
    bits.flag(true)
    bits.u(4, 3)
    bits.u(4, 10)
    bits.u(4, 10)
    bits.u(11, 1919)
    bits.u(11, 1079)
    bits.flag(false)
    bits.u(3, 7)
    bits.u(4, 15)
    bits.flag(true)
    bits.u(2, 3)
    bits.flag(true)
    bits.flag(true)
    bits.u(3, 6)
    bits.u(3, 6)
    bits.flag(true)
    bits.flag(false)
    bits.flag(true)
    for value in [9, 16, 9] as [UInt64] { bits.u(8, value) }
    bits.flag(false)
    bits.u(2, 2)
    let payload = bits.trailed
    let data = hex("81 09 4E 00") + [0x0A, UInt8(payload.count)] + payload
    let record = try #require(AV1Configuration(data))
    let header = try #require(record.sequenceHeader)
    #expect(header.profile == 0 && header.level == 9 && header.isHighTier)
    #expect(header.maximumWidth == 1920 && header.maximumHeight == 1080)
    #expect(header.bitDepth == 10 && !header.isMonochrome)
    #expect(header.subsamplingX && header.subsamplingY && header.chromaSamplePosition == 2)
    #expect(
      header.color == ColorParameters(primaries: 9, transfer: 16, matrix: 9, isFullRange: false))
    #expect(record.codecString() == "av01.0.09M.10.0.112.09.16.09.0")
  }
}
