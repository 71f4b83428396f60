import Testing

@testable import MediaAssetKit

/// Headers of MPEG audio, made by hand from ISO/IEC 11172-3 and the descriptions of the Xing, LAME and VBRI tags.
@Suite("MPEG audio header") struct MPEGAudioHeaderTests {
  /// MPEG-1 layer 3, 128 kb/s, 44 100 Hz, stereo: 417 bytes.
  private static let header: [UInt8] = [0xFF, 0xFB, 0x90, 0x00]

  private static func frame(_ content: [UInt8] = [], at offset: Int = 0) -> [UInt8] {
    var bytes = header + [UInt8](repeating: 0, count: 413)
    bytes.replaceSubrange(4 + offset..<4 + offset + content.count, with: content)
    return bytes
  }

  private static func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }

  private func parse(_ bytes: [UInt8]) -> MPEGAudioHeader? {
    MPEGAudioHeader { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
  }

  @Test(arguments: [
    // Version 1: layer 3, 2, 1; version 2 and 2.5 layer 3. Rates and lengths by the tables of 2.4.2.3.
    ([UInt8(0xFF), 0xFB, 0x90, 0x00], 3, 44_100, 2, 128_000, 417, 1152),
    ([0xFF, 0xFD, 0xA4, 0x00], 2, 48_000, 2, 192_000, 576, 1152),
    ([0xFF, 0xFF, 0xC8, 0xC0], 1, 32_000, 1, 384_000, 576, 384),
    ([0xFF, 0xF3, 0x84, 0xC0], 3, 24_000, 1, 64_000, 192, 576),
    ([0xFF, 0xE3, 0x48, 0xC0], 3, 8_000, 1, 32_000, 288, 576),
  ])
  func frames(
    _ bytes: [UInt8], layer: Int, rate: Int, channels: Int, bits: Int, length: Int, samples: Int
  ) throws {
    let frame = try #require(MPEGAudioHeader.Frame(bytes[...]))
    #expect(frame.layer == layer && frame.sampleRate == rate && frame.channels == channels)
    #expect(frame.bitRate == bits && frame.length == length && frame.samples == samples)
  }

  @Test(arguments: [
    [UInt8(0xFF), 0xFB, 0xF0, 0x00], [0xFF, 0xFB, 0x00, 0x00], [0xFF, 0xFB, 0x9C, 0x00],
    [0xFF, 0xEB, 0x90, 0x00], [0xFF, 0xF9, 0x90, 0x00], [0xFE, 0xFB, 0x90, 0x00],
    [0xFF, 0xFB, 0x90],
  ])
  func noFrames(_ bytes: [UInt8]) { #expect(MPEGAudioHeader.Frame(bytes[...]) == nil) }

  /// 100 frames of 1152 samples, 576 + 529 before the sound, 1105 - 529 behind it.
  @Test func lame() throws {
    var tag = Array("Info".utf8) + Self.big(0xF) + Self.big(100) + Self.big(41_700)
    tag += [UInt8](repeating: 0, count: 100) + Self.big(57)
    tag +=
      Array("LAME3.100".utf8) + [UInt8](repeating: 0, count: 12) + Self.big(576 << 12 | 1105, 3)
    let header = try #require(parse(Self.frame(tag, at: 32) + Self.frame()))
    #expect(header.position == 0 && header.tag?.isConstantRate == true)
    #expect(header.tag?.frameCount == 100 && header.tag?.byteCount == 41_700)
    #expect(header.tag?.gapless == GaplessInfo(delay: 1105, padding: 576))
    #expect(header.presentedSamples == Int64(115_200 - 1105 - 576))
  }

  /// A padding shorter than the decoder's delay trims nothing.
  @Test func shortPadding() throws {
    let tag =
      Array("Xing".utf8) + Self.big(1) + Self.big(3) + Array("Lavc59.37".utf8)
      + [UInt8](repeating: 0, count: 12) + Self.big(576 << 12 | 200, 3)
    let header = try #require(parse(Self.frame(tag, at: 32) + Self.frame()))
    #expect(header.tag?.gapless == GaplessInfo(delay: 1105, padding: 0))
    #expect(header.presentedSamples == Int64(3 * 1152 - 1105))
  }

  /// A tag that counts no frames tells no length.
  @Test func emptyTag() throws {
    let tag = Array("Xing".utf8) + Self.big(1) + Self.big(0)
    let header = try #require(parse(Self.frame(tag, at: 32) + Self.frame()))
    #expect(header.tag != nil && header.presentedSamples == nil)
  }

  @Test func fraunhofer() throws {
    let tag =
      Array("VBRI".utf8) + Self.big(1, 2) + Self.big(1105, 2) + Self.big(75, 2) + Self.big(9000)
      + Self.big(20)
    let header = try #require(parse(Self.frame(tag, at: 32) + Self.frame()))
    #expect(header.tag?.byteCount == 9000 && header.presentedSamples == 20 * 1152)
  }

  /// Behind two ID3 tags and junk that looks like a frame's beginning.
  @Test func behindTagsAndJunk() throws {
    let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 2] + [UInt8](repeating: 0xFF, count: 130)
    let footed = Array("ID3".utf8) + [4, 0, 0x10, 0, 0, 0, 5] + [UInt8](repeating: 0, count: 15)
    let junk: [UInt8] = [0, 0xFF, 0xFB, 0x90, 0x00, 7]
    let header = try #require(parse(tag + footed + junk + Self.frame() + Self.frame()))
    #expect(header.position == 140 + 25 + 6 && header.tag == nil)
  }

  @Test(arguments: [0, 1, 3, 4, 100, 416])
  func cutOff(count: Int) {
    #expect(parse(Array(Self.frame().prefix(count))) == nil)
  }

  @Test func loneFrame() { #expect(parse(Self.frame())?.position == 0) }
}
