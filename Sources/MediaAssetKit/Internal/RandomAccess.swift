import ISOMedia
import LibAV

/// What a codec's stored pictures say about where decoding may begin, without decoding them.
struct RandomAccess: Sendable {
  /// What is right when decoding begins at a picture.
  enum Start: Sendable, Hashable {
    /// Everything from it on: nothing stored later leans on anything before.
    case closed
    /// Every picture shown at or after it.
    case clean
    /// Nothing is sure; other pictures from before are needed.
    case none
  }

  private enum Codec: Sendable { case h264, hevc, vp8, vp9, composed, other }

  private let codec: Codec
  private let isIntraOnly: Bool
  /// Bytes of a NAL unit's length; 0 for start codes.
  private let lengthSize: Int

  init(codec name: String, extradata: [UInt8]) {
    isIntraOnly = CodecTraits(codec: name).isIntraOnly
    switch name {
    case "h264":
      codec = .h264
      lengthSize = AVCConfiguration(extradata)?.lengthSize ?? 0
    case "hevc":
      codec = .hevc
      // Start codes would pass as a record of version 0.
      let hasStartCodes = extradata.starts(with: [0, 0, 1]) || extradata.starts(with: [0, 0, 0, 1])
      lengthSize = hasStartCodes ? 0 : HEVCConfiguration(extradata)?.lengthSize ?? 0
    case "vp8":
      codec = .vp8
      lengthSize = 0
    case "vp9":
      codec = .vp9
      lengthSize = 0
    case "gif", "apng", "webp":
      // Pictures that are drawn over the ones before, whatever their packets are marked as.
      codec = .composed
      lengthSize = 0
    default:
      codec = .other
      lengthSize = 0
    }
  }

  /// What is right when decoding begins at a packet that the container calls a key.
  func start(at packet: Packet) -> Start {
    switch codec {
    case .h264: packet.withBytes { avcStart($0) }
    case .hevc: packet.withBytes { hevcStart($0) }
    case .composed: .none
    case .vp8, .vp9: .closed
    case .other: isIntraOnly ? .closed : .clean
    }
  }

  /// Whether decoding can begin anywhere but at the beginning.
  var hasStarts: Bool { codec != .composed }
  /// Whether stored pictures carry a count of their place in the shown order.
  var countsPictures: Bool { codec == .h264 || codec == .hevc }

  /// Whether a packet gives a picture at all: hidden reference pictures of VP8 and VP9 don't.
  func isShown(_ packet: Packet) -> Bool {
    switch codec {
    case .vp8: packet.withBytes { $0.isEmpty || $0[0] & 0x10 != 0 }  // RFC 6386, 9.1: show_frame
    case .vp9: packet.withBytes { Self.isShownVP9($0) }
    default: true
    }
  }

  /// The bits up to show_frame of VP9's uncompressed header (VP9 bitstream specification, 6.2).
  private static func isShownVP9(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count > 1, bytes[bytes.count - 1] & 0xE0 != 0xC0 else { return true }
    let profile = bytes[0] >> 5 & 1 | bytes[0] >> 3 & 2
    let bits = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
    let first = profile == 3 ? 5 : 4
    func bit(_ index: Int) -> Bool { bits >> UInt16(15 - index) & 1 == 1 }
    return bit(first) || bit(first + 2)
  }

  // MARK: - NAL units

  private func avcStart(_ bytes: Span<UInt8>) -> Start {
    var recovery: Start = .none
    eachUnit(bytes) { start, end in
      switch bytes[start] & 0x1F {
      case 5:
        recovery = .closed
        return false
      case 1, 2:
        return false
      case 6:
        if let found = Self.recoveryPoint(bytes, start + 1, end) { recovery = found }
        return true
      default: return true
      }
    }
    return recovery
  }

  private func hevcStart(_ bytes: Span<UInt8>) -> Start {
    var result: Start = .none
    eachUnit(bytes) { start, end in
      let type = bytes[start] >> 1 & 0x3F
      guard type < 32 else { return true }
      // BLA and IDR pictures, CRA pictures (H.265 table 7-1).
      if (16...20).contains(type) { result = .closed } else if type == 21 { result = .clean }
      return false
    }
    return result
  }

  /// Calls `body` with the bounds of each NAL unit until it returns false.
  private func eachUnit(_ bytes: Span<UInt8>, _ body: (Int, Int) -> Bool) {
    var position = 0
    if lengthSize > 0 {
      while position + lengthSize < bytes.count {
        var length = 0
        for index in 0..<lengthSize { length = length << 8 | Int(bytes[position + index]) }
        position += lengthSize
        let end = min(bytes.count, position + length)
        if end > position, !body(position, end) { return }
        position = end
      }
      return
    }
    var start: Int?
    while position + 3 <= bytes.count {
      if bytes[position] == 0, bytes[position + 1] == 0, bytes[position + 2] == 1 {
        if let start, start < position, !body(start, position) { return }
        position += 3
        start = position
        // A slice may be long, and nothing after it matters: it is shown before its end is looked for.
        if position < bytes.count, isSlice(bytes[position]) {
          _ = body(position, bytes.count)
          return
        }
      } else {
        position += 1
      }
    }
    if let start, start < bytes.count { _ = body(start, bytes.count) }
  }

  private func isSlice(_ header: UInt8) -> Bool {
    codec == .h264 ? [1, 2, 5].contains(header & 0x1F) : header >> 1 & 0x3F < 32
  }

  /// Reads SEI messages (H.264 7.3.2.3) up to a recovery point (D.1.8); nil when there is none.
  ///
  /// A recovery that takes more pictures (gradual refresh) is no start: what encoders call exact is not to the bit.
  private static func recoveryPoint(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Start? {
    // Messages before the recovery point are small; longer ones (captions, user data) come behind or are skipped over.
    let limit = min(end, start + 4096)
    var payload: [UInt8] = []
    var zeros = 0
    for index in start..<max(start, limit) {
      let byte = bytes[index]
      if zeros >= 2, byte == 3 {
        zeros = 0
        continue
      }
      zeros = byte == 0 ? zeros + 1 : 0
      payload.append(byte)
    }
    var position = 0
    func number() -> Int? {
      var value = 0
      while position < payload.count {
        let byte = payload[position]
        position += 1
        value += Int(byte)
        if byte != 255 { return value }
      }
      return nil
    }
    while position + 2 < payload.count {
      guard let type = number(), let size = number() else { return nil }
      if type == 6 {
        var reader = BitReader(payload, in: position..<min(payload.count, position + size))
        let count = reader.unsignedGolomb()
        guard !reader.isExhausted else { return nil }
        return count == 0 ? .clean : Start.none
      }
      position += size
    }
    return nil
  }
}
