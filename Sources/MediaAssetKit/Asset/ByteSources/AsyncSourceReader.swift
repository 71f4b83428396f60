import LibAV

/// Reads a user's asynchronous ``ByteSource`` from a thread that blocks.
///
/// This is the one place where a thread of a libav context waits for asynchronous work: each read
/// runs as a task of its own on the cooperative pool, and the thread waits on a condition, with the
/// caller's interrupt and the deadline in view.
package final class AsyncSourceReader: RandomAccessReader {
  package let info: ByteSourceInfo
  private let source: any ByteSource
  private let deadline: Duration
  private let monitor = Monitor(State())

  /// Sources are asked for no less than this, since each question may cost a round trip.
  private static let minimumRequest = 256 << 10

  private struct State {
    /// The bytes of the last request, and where they belong.
    var chunk: [UInt8] = []
    var chunkOffset: Int64 = 0
    var hasEnded = false
    var failure: (any Error)?
    var request: Request?
    var nextRequest: UInt64 = 0
    var isClosed = false
  }

  private struct Request {
    var number: UInt64
    var length: Int
    var task: Task<Void, Never>?
  }

  private init(source: any ByteSource, info: ByteSourceInfo, deadline: Duration) {
    self.source = source
    self.info = info
    self.deadline = deadline
  }

  deinit { close() }

  package var length: Int64? { info.length }
  package var isSeekable: Bool { info.isSeekable }

  /// Opens `source`; cancellable, and fails with `timedOut` after `deadline`.
  package static func open(
    _ source: any ByteSource, deadline: Duration = .seconds(30)
  ) async throws -> AsyncSourceReader {
    let opened = OneShot<ByteSourceInfo>()
    let opening = Task.detached(priority: .userInitiated) {
      let result: Result<ByteSourceInfo, any Error>
      do {
        result = .success(try await source.open())
      } catch {
        result = .failure(
          MediaError(
            .readFailed, operation: "open", subject: "a custom source",
            reason: "the source failed to open", underlying: error))
      }
      // Nobody waits any longer: what was opened too late is closed again.
      if !opened.decide(result), case .success = result { await source.close() }
    }
    let timer = Task.detached {
      try await Task.sleep(for: deadline)
      opened.decide(
        .failure(
          MediaError(
            .timedOut, operation: "open", subject: "a custom source",
            reason: "it did not open within \(deadline)")))
    }
    defer { timer.cancel() }
    let info: ByteSourceInfo
    do {
      info = try await opened.value()
    } catch {
      opening.cancel()
      throw error
    }
    return AsyncSourceReader(source: source, info: info, deadline: deadline)
  }

  /// Cancels what is under way and closes the source; reads fail from now on.
  package func close() {
    let (isFirst, running) = monitor.update { state -> (Bool, Task<Void, Never>?) in
      defer { state.isClosed = true }
      return (!state.isClosed, state.request?.task)
    }
    guard isFirst else { return }
    running?.cancel()
    Task.detached { [source] in
      await running?.value
      await source.close()
    }
  }

  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int {
    guard buffer.count > 0, offset >= 0 else { return 0 }
    if let length, offset >= length { return 0 }
    do {
      while true {
        // Only requests of this call count for its deadline; each byte that arrives starts it anew.
        let step = try monitor.wait(until: .now + deadline, interrupted: interrupted) { state in
          try self.step(&state, offset: offset, buffer: buffer)
        }
        switch step {
        case .copied(let count): return count
        case .progressed: continue
        case nil:
          throw MediaError(
            .timedOut, operation: "read", subject: info.name,
            reason: "no byte arrived for \(deadline) at offset \(offset)")
        }
      }
    } catch {
      // The source may stop working on what nobody waits for any longer.
      monitor.withLock { $0.request?.task?.cancel() }
      throw error
    }
  }

  private enum Step {
    case copied(Int)
    case progressed
  }

  /// One look at the state, under the lock: copies, or asks the source, or (nil) has to wait.
  private func step(
    _ state: inout State, offset: Int64, buffer: UnsafeMutableRawBufferPointer
  ) throws -> Step? {
    guard !state.isClosed else { throw failure("the source has been closed") }
    guard state.request == nil else { return nil }
    if let error = state.failure {
      state.failure = nil
      throw failure("the source failed at offset \(offset)", error)
    }
    let end = state.chunkOffset + Int64(state.chunk.count)
    if offset >= state.chunkOffset && offset < end {
      let start = Int(offset - state.chunkOffset)
      let count = min(buffer.count, state.chunk.count - start)
      state.chunk.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
      }
      return .copied(count)
    }
    if state.hasEnded && offset >= end && (!isSeekable || offset == end) { return .copied(0) }
    guard isSeekable || offset >= end else {
      throw MediaError(
        .operationNotSupported, operation: "read", subject: info.name,
        reason: "the source is not seekable, and offset \(offset) has passed")
    }
    var wanted = max(buffer.count, Self.minimumRequest)
    let position = isSeekable ? offset : end
    if let length { wanted = Int(min(Int64(wanted), max(length - position, 1))) }
    ask(&state, at: position, length: wanted)
    return .progressed
  }

  private func ask(_ state: inout State, at position: Int64, length: Int) {
    let number = state.nextRequest
    state.nextRequest += 1
    state.chunk = []
    state.chunkOffset = position
    state.hasEnded = false
    state.request = Request(number: number, length: length)
    let (source, monitor) = (source, monitor)
    // The task holds the monitor, not the reader: an abandoned reader closes its source.
    state.request?.task = Task.detached(priority: .userInitiated) {
      let result: Result<[UInt8], any Error>
      do {
        result = .success(try await source.read(at: position, length: length))
      } catch {
        result = .failure(error)
      }
      let wasCancelled = Task.isCancelled
      monitor.update { state in
        guard state.request?.number == number else { return }
        state.request = nil
        switch result {
        case .success(let bytes) where bytes.count > length:
          state.failure = TooManyBytes(asked: length, got: bytes.count)
        case .success(let bytes):
          state.chunk = bytes
          state.hasEnded = bytes.isEmpty
        case .failure(let error):
          // After an interrupted read the failure is the interrupt's; the next read asks again.
          if !wasCancelled { state.failure = error }
        }
      }
    }
  }

  private func failure(_ reason: String, _ underlying: (any Error)? = nil) -> MediaError {
    MediaError(
      .readFailed, operation: "read", subject: info.name, reason: reason, underlying: underlying)
  }

  private struct TooManyBytes: Error, CustomStringConvertible {
    var asked: Int
    var got: Int
    var description: String { "it returned \(got) bytes, asked for \(asked)" }
  }
}
