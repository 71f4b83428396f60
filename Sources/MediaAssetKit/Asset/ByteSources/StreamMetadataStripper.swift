import LibAV

/// The sound of a stream without the blocks of text between its bytes.
///
/// Reads in order only, as the stream comes.
final class StreamMetadataStripper: RandomAccessReader {
  private let source: any RandomAccessReader
  private let metadata: StreamMetadata
  private let interval: Int
  private let monitor: Monitor<State>

  private struct State {
    /// In the stream with its blocks.
    var raw: Int64 = 0
    /// In the sound alone.
    var position: Int64 = 0
    /// Bytes of sound up to the next block.
    var left: Int
  }

  init(_ source: any RandomAccessReader, metadata: StreamMetadata, interval: Int) {
    self.source = source
    self.metadata = metadata
    self.interval = interval
    monitor = Monitor(State(left: interval))
  }

  var length: Int64? { nil }
  var isSeekable: Bool { false }

  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int {
    guard buffer.count > 0 else { return 0 }
    var state = monitor.withLock { $0 }
    guard offset == state.position else {
      throw MediaError(
        .operationNotSupported, operation: "seek", subject: "stream",
        reason: "a stream is read in order, and offset \(offset) has passed")
    }
    if state.left == 0 {
      guard try readBlock(&state, interrupted: interrupted) else { return 0 }
      state.left = interval
    }
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, state.left)])
    let count = try source.read(at: state.raw, into: part, interrupted: interrupted)
    state.raw += Int64(count)
    state.position += Int64(count)
    state.left -= count
    monitor.withLock { $0 = state }
    return count
  }

  /// A byte that counts sixteens of bytes, and those; false where the stream ends before them.
  private func readBlock(_ state: inout State, interrupted: () -> Bool) throws -> Bool {
    guard let count = try bytes(1, &state, interrupted).first else { return false }
    guard count > 0 else { return true }
    let block = try bytes(Int(count) * 16, &state, interrupted)
    guard block.count == Int(count) * 16 else { return false }
    metadata.note(block, at: state.position)
    return true
  }

  private func bytes(_ count: Int, _ state: inout State, _ interrupted: () -> Bool) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try bytes.withUnsafeMutableBytes {
        try source.read(
          at: state.raw, into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]), interrupted: interrupted)
      }
      guard got > 0 else { break }
      done += got
      state.raw += Int64(got)
    }
    return Array(bytes.prefix(done))
  }
}
