/// What to ask for, and under which rules.
struct HTTPRequest: Sendable {
  var url: HTTPURL
  /// The offset of the first byte wanted.
  var offset: Int64 = 0
  /// The offset of the last byte wanted; nil for all from `offset` on.
  var last: Int64?
  var options: HTTPOptions
  var policy: ResourcePolicy
  var purpose: ResourcePolicy.Purpose
  /// Whether the named server may be this machine.
  var allowsLoopback: Bool
  /// The only origin that gets the custom headers and credentials.
  var trustedOrigin: HTTPURL?
  /// Whether a radio station's server shall put titles between the bytes of sound.
  var asksForStreamMetadata = false

  var deadline: Duration { options.deadline ?? policy.deadline }

  /// The error for what the policy forbids.
  func refusal(_ reason: String, at url: HTTPURL) -> MediaError {
    MediaError(
      purpose == .asset ? .resourceForbidden : .referenceForbidden, operation: "open",
      subject: "\(url)", reason: reason,
      remedy: "If you trust it, allow it in the asset's resource policy")
  }
}

/// One request and its response, from the reader's side; the transfer thread fills it.
///
/// The transfer runs ahead of its reader by at most one window, then it is paused.
final class HTTPTransfer: Sendable {
  let request: HTTPRequest
  private let monitor = Monitor(State())
  private let opened = OneShot<HTTPResponseHead>()

  private struct State: ~Copyable {
    var head: HTTPResponseHead?
    var window = HTTPWindow()
    var isPaused = false
    var outcome: Outcome?
  }

  /// How a transfer ended.
  enum Outcome: Sendable {
    /// All that the server meant to send has arrived.
    case finished
    /// Nobody read for so long that the connection was given up.
    case suspended
    case cancelled
    /// The server was silent up to this moment.
    case timedOut(ContinuousClock.Instant)
    /// `isTransient` when another try may well succeed.
    case failed(MediaError, isTransient: Bool)
  }

  enum ReadResult {
    case bytes(Int)
    case ended(Outcome)
  }

  init(_ request: HTTPRequest) { self.request = request }

  /// Hands the request to the transfer thread.
  func start() { HTTPEngine.shared.post(.start(self)) }

  /// Ends the transfer; whoever waits for it learns at once.
  func cancel() {
    finish(.cancelled)
    HTTPEngine.shared.post(.cancel(self))
  }
}

// MARK: The reader's side

extension HTTPTransfer {
  /// Waits for the head without blocking a thread; cancelling the task cancels the transfer.
  func head() async throws -> HTTPResponseHead {
    do {
      return try await opened.value()
    } catch {
      cancel()
      throw error
    }
  }

  /// Waits for the head on the calling thread; nil when the transfer ended before.
  func waitForHead(interrupted: () -> Bool) throws -> HTTPResponseHead? {
    let result = try monitor.wait(interrupted: interrupted) { state -> HTTPResponseHead?? in
      if let head = state.head { return .some(head) }
      return state.outcome == nil ? nil : .some(nil)
    }
    return result ?? nil
  }

  /// The outcome, once there is one.
  var outcome: Outcome? { monitor.withLock { $0.outcome } }

  /// The offset after the last byte that has arrived.
  var end: Int64 { monitor.withLock { $0.window.end } }

  /// Whether reading on gets to `offset` without skipping more than `skip` bytes that are still to
  /// come; gives the offset of the first byte at hand.
  func start(reaching offset: Int64, skip: Int64) -> Int64? {
    monitor.withLock { state in
      guard state.head != nil, offset >= state.window.start else { return nil }
      let limit = state.outcome == nil ? state.window.end + skip : state.window.end
      return offset <= limit ? state.window.start : nil
    }
  }

  /// Moves bytes from `offset` on into `buffer`, reading over those in front of it.
  ///
  /// Blocks until there is at least one, or the transfer has ended.
  func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> ReadResult {
    let result = try monitor.wait(interrupted: interrupted) { state -> ReadResult? in
      state.window.drop(before: offset)
      let count = state.window.start == offset ? state.window.take(into: buffer) : 0
      if state.isPaused && state.window.free >= HTTPWindow.capacity / 2 {
        state.isPaused = false
        HTTPEngine.shared.post(.resume(self))
      }
      if count > 0 { return .bytes(count) }
      return state.outcome.map(ReadResult.ended)
    }
    return result ?? .ended(.cancelled)
  }
}

// MARK: The transfer thread's side

extension HTTPTransfer {
  enum Appended {
    case all
    /// No room: the same bytes are to come again after a resume.
    case none
    /// Nobody wants them any longer.
    case unwanted
  }

  /// The response has begun; its body starts at `offset`.
  func receive(_ head: HTTPResponseHead, bodyAt offset: Int64) {
    monitor.update { state in
      state.head = head
      state.window.restart(at: offset)
    }
    opened.decide(.success(head))
  }

  func append(_ bytes: UnsafeRawBufferPointer) -> Appended {
    monitor.update { state -> Appended in
      guard state.outcome == nil else { return .unwanted }
      if state.window.append(bytes) { return .all }
      state.isPaused = true
      return .none
    }
  }

  /// Ends the transfer; the first outcome stays.
  func finish(_ outcome: Outcome) {
    monitor.update { state in
      if state.outcome == nil { state.outcome = outcome }
    }
    opened.decide(.failure(error(for: outcome, operation: "open")))
  }

  /// The error of an outcome that leaves a reader without bytes.
  func error(for outcome: Outcome, operation: String) -> any Error {
    switch outcome {
    case .cancelled: CancellationError()
    case .failed(let error, _): error
    case .timedOut:
      MediaError(
        .timedOut, operation: operation, subject: "\(request.url)",
        reason: "nothing arrived for \(request.deadline)",
        remedy: "Try again, or allow a longer deadline")
    case .finished, .suspended:
      MediaError(
        .readFailed, operation: operation, subject: "\(request.url)",
        reason: "the server closed the connection")
    }
  }
}
