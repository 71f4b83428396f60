/// The first frame of an MPEG audio stream and what an encoder wrote into it: how many frames follow, and how many
/// samples at either end are not part of the sound.
struct MPEGAudioHeader: Sendable, Hashable {
  var frame: Frame
  /// Where the first frame (the one with the tag, if there is one) begins in the file.
  var position: Int64
  var tag: Tag?

  /// The four bytes that begin every frame (ISO/IEC 11172-3, 2.4.1.3, and 13818-3).
  struct Frame: Sendable, Hashable {
    /// 1, 2 or 3.
    var layer: Int
    /// MPEG-1; else MPEG-2 or 2.5, whose frames are half as long in layer 3.
    var isVersion1: Bool
    var sampleRate: Int
    var channels: Int
    /// Bits a second.
    var bitRate: Int
    /// Bytes with the four of the header.
    var length: Int
    var samples: Int
  }

  /// `Xing`, `Info` (its name where the bit rate is constant) or `VBRI`.
  struct Tag: Sendable, Hashable {
    var isConstantRate: Bool
    var frameCount: Int?
    var byteCount: Int?
    /// Samples before and after the sound, the decoder's own delay included.
    var gapless: GaplessInfo?
  }

  /// What a decoder adds at the start and drops at the end: 528 samples of its filters, and one.
  static let decoderDelay = 529

  /// Samples that are presented; nil where no tag counts the frames.
  var presentedSamples: Int64? {
    guard let count = tag?.frameCount else { return nil }
    let stored = Int64(count) * Int64(frame.samples)
    return max(0, stored - Int64((tag?.gapless?.delay ?? 0) + (tag?.gapless?.padding ?? 0)))
  }
}

/// Samples of a stored sound that are not presented.
struct GaplessInfo: Sendable, Hashable {
  var delay: Int
  var padding: Int
}

extension MPEGAudioHeader.Frame {
  /// nil for bytes that begin no frame; frames of free format are not read.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 4 else { return nil }
    let start = bytes.startIndex
    let word = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[start + $1]) }
    guard word >> 21 == 0x7FF else { return nil }
    let (version, layerBits) = (word >> 19 & 3, word >> 17 & 3)
    let (rateIndex, sampleIndex) = (Int(word >> 12 & 15), Int(word >> 10 & 3))
    guard version != 1, layerBits != 0, sampleIndex != 3, rateIndex != 0, rateIndex != 15 else {
      return nil
    }
    layer = 4 - Int(layerBits)
    isVersion1 = version == 3
    sampleRate = [44_100, 48_000, 32_000][sampleIndex] >> (version == 3 ? 0 : version == 2 ? 1 : 2)
    channels = word >> 6 & 3 == 3 ? 1 : 2
    let table = isVersion1 ? Self.rates1[layer - 1] : layer == 1 ? Self.rates2[0] : Self.rates2[1]
    bitRate = table[rateIndex - 1] * 1000
    samples = layer == 1 ? 384 : layer == 3 && !isVersion1 ? 576 : 1152
    let padding = Int(word >> 9 & 1)
    length =
      layer == 1
      ? (12 * bitRate / sampleRate + padding) * 4 : samples / 8 * bitRate / sampleRate + padding
    guard length > 4 else { return nil }
  }

  /// FFmpeg's name of the codec.
  var codecName: String { ["mp1", "mp2", "mp3"][layer - 1] }

  /// Whether both can be frames of one stream.
  func isConsistent(with other: Self) -> Bool {
    layer == other.layer && isVersion1 == other.isVersion1 && sampleRate == other.sampleRate
  }

  private static let rates1 = [
    [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
    [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  ]
  private static let rates2 = [
    [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
    [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
}

extension MPEGAudioHeader {
  /// How far behind the ID3 tags a first frame is looked for; junk is rarely longer than a sector.
  private static let searchLimit = 65_536

  /// Finds the first frame behind ID3v2 tags and junk; nil without one.
  ///
  /// - Parameter read: Bytes at an offset, fewer only where the file ends.
  init?(read: (_ offset: Int64, _ count: Int) throws -> [UInt8]) rethrows {
    var start: Int64 = 0
    // A few tags in a row happen (an editor's before the encoder's); a chain of them is hostile.
    for _ in 0..<8 {
      let head = try read(start, 10)
      guard let size = Self.tagSize(head) else { break }
      start += size
    }
    let bytes = try read(start, Self.searchLimit + 8192)
    guard let (index, frame) = Self.firstFrame(in: bytes) else { return nil }
    self.frame = frame
    position = start + Int64(index)
    tag = Self.tag(in: bytes[index...], of: frame)
  }

  /// The size of an ID3v2 tag with its header and footer (ID3 2.4.0, 3.1).
  private static func tagSize(_ head: [UInt8]) -> Int64? {
    guard head.count == 10, head.starts(with: [0x49, 0x44, 0x33]),
      head[6...].allSatisfy({ $0 < 128 })
    else { return nil }
    let size = head[6...].reduce(Int64(0)) { $0 << 7 | Int64($1) }
    return size + (head[5] & 0x10 != 0 ? 20 : 10)
  }

  /// The first frame that another one follows, or that ends the file.
  private static func firstFrame(in bytes: [UInt8]) -> (Int, Frame)? {
    for index in 0..<min(bytes.count, searchLimit) where bytes[index] == 0xFF {
      guard let frame = Frame(bytes[index...]) else { continue }
      let next = index + frame.length
      if next + 4 > bytes.count {
        if next <= bytes.count, index == 0 { return (index, frame) }
        continue
      }
      if let following = Frame(bytes[next...]), frame.isConsistent(with: following) {
        return (index, frame)
      }
    }
    return nil
  }

  private static func tag(in bytes: ArraySlice<UInt8>, of frame: Frame) -> Tag? {
    guard frame.layer == 3 else { return nil }
    let body = bytes.prefix(max(frame.length, 192))
    let side = frame.isVersion1 ? frame.channels == 1 ? 17 : 32 : frame.channels == 1 ? 9 : 17
    return xing(body.dropFirst(4 + side)) ?? vbri(body.dropFirst(36))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reduce(0) { $0 << 8 | Int($1) }
  }

  private static func xing(_ bytes: ArraySlice<UInt8>) -> Tag? {
    let isConstant = bytes.starts(with: Array("Info".utf8))
    guard isConstant || bytes.starts(with: Array("Xing".utf8)), bytes.count >= 8 else { return nil }
    var rest = bytes.dropFirst(4)
    func take(_ count: Int) -> Int? {
      guard rest.count >= count else { return nil }
      defer { rest = rest.dropFirst(count) }
      return number(rest.prefix(count))
    }
    let flags = take(4) ?? 0
    var tag = Tag(isConstantRate: isConstant)
    if flags & 1 != 0 { tag.frameCount = take(4).flatMap { $0 > 0 ? $0 : nil } }
    if flags & 2 != 0 { tag.byteCount = take(4).flatMap { $0 > 0 ? $0 : nil } }
    if flags & 4 != 0 { rest = rest.dropFirst(100) }
    if flags & 8 != 0 { rest = rest.dropFirst(4) }
    // LAME's extension: nine bytes of version, twelve of other things, then twelve bits each of delay and padding.
    let writers = ["LAME", "Lavf", "Lavc"].map { Array($0.utf8) }
    guard rest.count >= 24, writers.contains(where: { rest.starts(with: $0) }) else { return tag }
    let fields = number(rest.dropFirst(21).prefix(3))
    tag.gapless = GaplessInfo(
      delay: (fields >> 12) + decoderDelay, padding: max(0, (fields & 0xFFF) - decoderDelay))
    return tag
  }

  /// Fraunhofer's: version, delay, quality (16 bits each), bytes and frames (32 bits each).
  private static func vbri(_ bytes: ArraySlice<UInt8>) -> Tag? {
    guard bytes.starts(with: Array("VBRI".utf8)), bytes.count >= 18 else { return nil }
    let byteCount = number(bytes.dropFirst(10).prefix(4))
    let frameCount = number(bytes.dropFirst(14).prefix(4))
    return Tag(
      isConstantRate: false, frameCount: frameCount > 0 ? frameCount : nil,
      byteCount: byteCount > 0 ? byteCount : nil)
  }
}
