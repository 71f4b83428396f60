import MediaAssetKit

/// What stands before the samples of a WAV file (RIFF; RF64 of EBU Tech 3306 where 32 bits don't hold the length).
struct WAVHeader {
  enum Format {
    case int16, int24, float32

    var bytes: Int {
      switch self {
      case .int16: 2
      case .int24: 3
      case .float32: 4
      }
    }
    var sampleFormat: AudioSampleFormat {
      switch self {
      case .int16: .int16
      case .int24: .int32
      case .float32: .float32
      }
    }
  }

  static let formats: [(String, Format)] = [("s16", .int16), ("s24", .int24), ("f32", .float32)]

  let format: Format
  let sampleRate: Int
  let channels: Int
  let layout: String?

  var bytesPerFrame: Int { format.bytes * channels }

  /// The header for so many bytes of samples, nil for a stream whose length nobody knows yet.
  ///
  /// - Parameter reservesRoom: Leaves room for RF64's lengths, so that the header's size never depends on them.
  func bytes(data: UInt64?, reservesRoom: Bool) -> [UInt8] {
    var chunks: [UInt8] = []
    let describing = description
    // "WAVE", the chunks, the data's own header, the data and its padding.
    let rest = UInt64(4 + describing.count + 8 + (reservesRoom ? 36 : 0))
    let size = data.map { rest + $0 + $0 % 2 } ?? .max
    let isLarge = reservesRoom && data != nil && size > UInt64(UInt32.max)
    chunks += Array((isLarge ? "RF64" : "RIFF").utf8)
    chunks.append(little: isLarge ? UInt64(UInt32.max) : min(size, UInt64(UInt32.max)), 4)
    chunks += Array("WAVE".utf8)
    if reservesRoom {
      chunks += Array((isLarge ? "ds64" : "JUNK").utf8)
      chunks.append(little: 28, 4)
      chunks.append(little: isLarge ? size : 0, 8)
      chunks.append(little: isLarge ? data ?? 0 : 0, 8)
      chunks.append(little: isLarge ? (data ?? 0) / UInt64(max(1, bytesPerFrame)) : 0, 8)
      chunks.append(little: 0, 4)
    }
    chunks += describing
    chunks += Array("data".utf8)
    chunks.append(little: min(data ?? .max, UInt64(UInt32.max)), 4)
    return chunks
  }

  private var description: [UInt8] {
    let isFloat = format == .float32
    // More than two channels need a mask that says which they are.
    let isExtensible = channels > 2
    let code: UInt64 = isFloat ? 3 : 1
    var body: [UInt8] = []
    body.append(little: isExtensible ? 0xFFFE : code, 2)
    body.append(little: UInt64(channels), 2)
    body.append(little: UInt64(sampleRate), 4)
    body.append(little: UInt64(sampleRate * bytesPerFrame), 4)
    body.append(little: UInt64(bytesPerFrame), 2)
    body.append(little: UInt64(8 * format.bytes), 2)
    if isExtensible {
      body.append(little: 22, 2)
      body.append(little: UInt64(8 * format.bytes), 2)
      body.append(little: layout.flatMap { Self.masks[$0] } ?? 0, 4)
      body.append(little: code, 2)
      // The rest of KSDATAFORMAT_SUBTYPE_PCM and _IEEE_FLOAT.
      body += [0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71]
    }
    var chunk = Array("fmt ".utf8)
    chunk.append(little: UInt64(body.count), 4)
    return chunk + body
  }

  /// Speaker masks by FFmpeg's names of the layouts (ksmedia.h).
  private static let masks: [String: UInt64] = [
    "2.1": 0xB, "3.0": 0x7, "3.0(back)": 0x103, "4.0": 0x107, "quad": 0x33, "quad(side)": 0x603,
    "3.1": 0xF, "4.1": 0x10F, "5.0": 0x37, "5.0(side)": 0x607, "5.1": 0x3F, "5.1(side)": 0x60F,
    "6.0": 0x707, "6.1": 0x70F, "7.0": 0x637, "7.1": 0x63F, "7.1(wide)": 0xFF,
    "hexagonal": 0x137, "octagonal": 0x737,
  ]
}

extension [UInt8] {
  /// Adds a number, its least significant byte first.
  mutating func append(little number: UInt64, _ count: Int) {
    for shift in 0..<count { append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(shift)))) }
  }
}
