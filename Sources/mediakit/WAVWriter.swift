import MediaAssetKit

/// Writes interleaved sound as WAV, to a file that appears when it is complete, or to standard output.
struct WAVWriter {
  private let header: WAVHeader
  private var file: OutputFile?
  private let reservesRoom: Bool
  private var written: UInt64 = 0
  private var pending: [UInt8] = []

  /// `expected`: how long the sound should be; where that is near 4 GiB or unknown, room is left for a longer header.
  init(
    _ header: WAVHeader, path: String?, overwrites: Bool, expected: MediaTime
  ) throws {
    self.header = header
    let seconds = expected.isNumeric ? expected.seconds : .infinity
    let isShort = seconds * Double(header.sampleRate * header.bytesPerFrame) < 3e9
    reservesRoom = path != nil && !isShort
    file = try path.map { try OutputFile($0, overwrites: overwrites) }
    try write(header.bytes(data: path == nil ? nil : 0, reservesRoom: reservesRoom))
  }

  /// Adds sound of the header's kind.
  mutating func append(_ buffer: AudioBuffer) throws {
    guard buffer.channels == header.channels, buffer.sampleRate == header.sampleRate else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: "WAV",
        reason: "the sound changes to \(buffer.channels) channels at \(buffer.sampleRate) Hz")
    }
    buffer.withPlane(0) { span in
      span.withUnsafeBytes { bytes in
        guard header.format == .int24 else {
          // WAV is little-endian, and so is every machine that this runs on.
          pending += bytes
          return
        }
        for start in stride(from: 0, to: bytes.count, by: 4) {
          pending += bytes[(start + 1)..<(start + 4)]
        }
      }
    }
    try flush(above: 1 << 18)
  }

  /// Adds silence.
  mutating func append(silenceOf samples: Int) throws {
    var rest = samples * header.bytesPerFrame
    while rest > 0 {
      let count = min(rest, 1 << 18)
      pending += [UInt8](repeating: 0, count: count)
      rest -= count
      try flush(above: 1 << 18)
    }
  }

  /// Completes the file and gives it its name.
  mutating func finish() throws {
    try flush(above: 0)
    guard var file else { return }
    if !reservesRoom, written > UInt64(UInt32.max) - 128 {
      throw MediaError(
        .writeFailed, operation: "write", subject: file.path,
        reason: "the sound is longer than its track says, and than this WAV can hold")
    }
    if !written.isMultiple(of: 2) { try file.write([0]) }
    try file.overwrite(header.bytes(data: written, reservesRoom: reservesRoom))
    try file.finish()
    self.file = nil
  }

  /// Leaves nothing behind.
  mutating func discard() {
    file?.discard()
    file = nil
  }

  private mutating func flush(above limit: Int) throws {
    guard pending.count > limit else { return }
    try write(pending)
    written += UInt64(pending.count)
    pending.removeAll(keepingCapacity: true)
  }

  private mutating func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    if file != nil { try file?.write(bytes) } else { try StandardOutput.write(bytes: bytes) }
  }
}
