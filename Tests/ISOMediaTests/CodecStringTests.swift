import ISOMedia
import Testing

/// Strings from the examples of RFC 6381 and of the codecs' own binding documents.
@Suite struct CodecStringTests {
  @Test func avc() throws {
    let data = hex("01 42 E0 1E FF E1 0004 67 42E01E 01 0002 68CE")
    let record = try #require(AVCConfiguration(data))
    #expect(record.codecString() == "avc1.42E01E")
    #expect(record.codecString(format: .avc3) == "avc3.42E01E")
    #expect(record.lengthSize == 4)
    #expect(record.sequenceParameterSets == [8..<12])
    #expect(record.pictureParameterSets == [15..<17])
    #expect(AVCConfiguration([1, 2, 3]) == nil)
  }

  /// ISO/IEC 14496-15 annex E: `hvc1.1.6.L93.B0` is Main, level 3.1, progressive, frame only.
  @Test(arguments: [
    ("01 01 60000000 B00000000000 5D F000FCFDF8F80000 0F 00", "hvc1.1.6.L93.B0"),
    ("01 22 20000000 900000000000 99 F000FCFDFAFA0000 0F 00", "hvc1.2.4.H153.90"),
    ("01 44 08000000 BD0820000000 78 F000FCFDF8F80000 0F 00", "hvc1.A4.10.L120.BD.8.20"),
    ("01 02 20000000 000000000000 99 F000FCFDFAFA0000 0F 00", "hvc1.2.4.L153"),
  ])
  func hevc(data: String, expected: String) throws {
    let record = try #require(HEVCConfiguration(hex(data)))
    #expect(record.codecString() == expected)
    #expect(record.lengthSize == 4)
    #expect(record.chromaFormat == 1)
  }

  /// The AV1 binding's example av01.0.04M.10.0.112.09.16.09.0: Main, 3.0, 10 bits, PQ.
  @Test func av1() throws {
    let record = try #require(AV1Configuration(hex("81 04 4E 00")))
    #expect(record.shortCodecString() == "av01.0.04M.10")
    #expect(record.codecString() == "av01.0.04M.10")
    let color = ColorParameters(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    #expect(record.codecString(color: color) == "av01.0.04M.10.0.112.09.16.09.0")
    let bt709 = ColorParameters(primaries: 1, transfer: 1, matrix: 1, isFullRange: false)
    let plain = try #require(AV1Configuration(hex("81 00 0C 00")))
    #expect(plain.codecString(color: bt709) == "av01.0.00M.08")
    let high = try #require(AV1Configuration(hex("81 4D E0 00")))
    #expect(high.shortCodecString() == "av01.2.13H.12")
    #expect(AV1Configuration(hex("82 04 4E 00")) == nil)
  }

  /// The VP binding's example vp09.02.10.10.01.09.16.09.01.
  @Test func vp9() throws {
    let record = try #require(VPConfiguration(hex("01000000 02 0A A3 09 10 09 0000")))
    #expect(record.codecString() == "vp09.02.10.10.01.09.16.09.01")
    let plain = try #require(VPConfiguration(hex("01000000 00 1F 82 01 01 01 0000")))
    #expect(plain.codecString() == "vp09.00.31.08")
    #expect(plain.codecString(format: .vp08) == "vp08.00.31.08")
    let matroska = try #require(
      VPConfiguration(matroska: hex("01 01 02 02 01 1F 03 01 0A 04 01 01")))
    #expect(matroska.codecString() == "vp09.02.31.10")
    #expect(VPConfiguration(matroska: [1, 9, 1]) == nil)
  }

  @Test(arguments: [
    // AAC-LC 44.1 kHz stereo; HE-AAC explicit; HE-AAC v2; xHE-AAC (5 escape bits, 42 - 32 = 10).
    ("1210", 2, "mp4a.40.2", 44_100, 2, false), ("2B92 0800", 5, "mp4a.40.5", 22_050, 2, true),
    ("EB8A 0800", 29, "mp4a.40.29", 22_050, 1, true),
    ("F946 2000", 42, "mp4a.40.42", 48_000, 1, false),
  ])
  func aac(
    data: String, type: UInt8, text: String, rate: UInt32, channels: Int, hasReplication: Bool
  ) throws {
    let record = try #require(AudioSpecificConfiguration(hex(data)))
    #expect(record.objectType == type)
    #expect(record.codecString == text)
    #expect(record.channelCount == channels)
    #expect(record.hasBandReplication == hasReplication)
    #expect(record.sampleRate == rate)
  }

  /// AAC-LC 24 kHz with the backward compatible extension: 0x2B7, type 5, SBR at 48 kHz.
  @Test func aacWithHiddenReplication() throws {
    var bits = BitWriter()
    bits.u(5, 2)
    bits.u(4, 6)
    bits.u(4, 2)
    bits.u(3, 0)
    bits.u(11, 0x2B7)
    bits.u(5, 5)
    bits.u(1, 1)
    bits.u(4, 3)
    let record = try #require(AudioSpecificConfiguration(bits.padded))
    #expect(record.sampleRate == 24_000 && record.extensionSampleRate == 48_000)
    #expect(record.hasBandReplication && !record.hasParametricStereo)
    #expect(record.codecString == "mp4a.40.2")
    #expect(record.frameLength == 1024)
  }

  private func descriptor(_ type: UInt8, _ configuration: [UInt8]) -> [UInt8] {
    bytes {
      $0.u32(0)
      // Lengths in the long form that many writers use.
      $0.raw([3, 0x80, 0x80, 0x80, UInt8(23 + configuration.count)])
      $0.u16(1)
      $0.u8(0)
      $0.raw([4, UInt8(15 + configuration.count), type, 0x15, 0, 0, 0])
      $0.u32(192_000)
      $0.u32(128_000)
      $0.raw([5, UInt8(configuration.count)] + configuration)
    }
  }

  @Test(
    arguments: [
      (0x40, "1210", "mp4a", "mp4a.40.2"), (0x6B, "", "mp4a", "mp4a.6B"),
      (0x69, "", "mp4a", "mp4a.69"), (0x20, "000001B009000001", "mp4v", "mp4v.20.9"),
      (0x61, "", "mp4v", "mp4v.61"),
    ] as [(UInt8, String, FourCharacterCode, String)])
  func esds(type: UInt8, configuration: String, format: FourCharacterCode, text: String) throws {
    let data = descriptor(type, hex(configuration))
    let record = try #require(ElementaryStreamDescriptor(data))
    #expect(record.maximumBitRate == 192_000 && record.averageBitRate == 128_000)
    #expect(record.codecString(format: format, in: data) == text)
  }

  @Test func dolbyVision() throws {
    // 0000101 000110 1 0 1: profile 5, level 6.
    let record = try #require(DolbyVisionConfiguration(hex("01 00 0A 35 00")))
    #expect(record.codecString(baseFormat: .dvh1) == "dvh1.05.06")
    #expect(record.codecString(baseFormat: .hev1) == "dvhe.05.06")
  }

  /// ETSI TS 103 190-2, E.13: bitstream version 2, presentation version 1, compatibility 3.
  @Test func ac4() {
    var bits = BitWriter()
    bits.u(3, 1)
    bits.u(7, 2)
    bits.u(1, 1)
    bits.u(4, 0)
    bits.u(9, 1)
    bits.u(1, 0)
    bits.u(2, 0)
    bits.u(32, 0)
    bits.u(32, 0)
    bits.u(5, 0)
    bits.u(8, 1)
    bits.u(8, 20)
    bits.u(5, 1)
    bits.u(3, 3)
    #expect(CodecString.ac4(bits.padded) == "ac-4.02.01.03")
    #expect(CodecString.ac4([1, 2]) == "ac-4")
  }

  @Test(
    arguments: [
      ("s263", "d263", "46464D50 01 0A 00", "s263.0.10"), ("ap4h", "none", "", "ap4h"),
      ("raw ", "none", "", "raw"), ("avc1", "none", "", "avc1"),
    ] as [(FourCharacterCode, FourCharacterCode, String, String)])
  func entries(
    format: FourCharacterCode, child: FourCharacterCode, payload: String, text: String
  ) throws {
    let movie = try MovieHeader.parse(
      SampleMovie.withEntry(handler: "vide") {
        SampleMovie.videoEntry(&$0, format) { entry in
          entry.box(child) { $0.raw(hex(payload)) }
        }
      })
    #expect(movie.tracks[0].sampleDescriptions[0].codecString(in: movie.bytes) == text)
  }

  @Test func dolbyVisionOverAnotherLayer() throws {
    let movie = try MovieHeader.parse(
      SampleMovie.withEntry(handler: "vide") {
        SampleMovie.videoEntry(&$0, "hvc1") { entry in
          entry.box("hvcC") {
            $0.raw(hex("01 02 20000000 B00000000000 7B F000FCFDFAFA0000 0F 00"))
          }
          entry.box("dvvC") { $0.raw(hex("01 00 10 25 40")) }
        }
      })
    let entry = movie.tracks[0].sampleDescriptions[0]
    #expect(entry.codecString(in: movie.bytes) == "hvc1.2.4.L123.B0")
    #expect(entry.supplementalCodecString == "dvh1.08.04")
  }
}
