/// A result that one task waits for and that whoever comes first decides: the work, a deadline or
/// the task's cancellation, none of which has to wait for the others.
final class OneShot<Value: Sendable>: Sendable {
  private enum State {
    case open
    case awaited(CheckedContinuation<Value, any Error>)
    case decided(Result<Value, any Error>)
  }

  private let state = Monitor(State.open)

  /// Decides the result; false when it was decided already.
  @discardableResult
  func decide(_ result: Result<Value, any Error>) -> Bool {
    let (isFirst, continuation) = state.withLock {
      state -> (Bool, CheckedContinuation<Value, any Error>?) in
      switch state {
      case .open:
        state = .decided(result)
        return (true, nil)
      case .awaited(let continuation):
        state = .decided(result)
        return (true, continuation)
      case .decided:
        return (false, nil)
      }
    }
    continuation?.resume(with: result)
    return isFirst
  }

  /// Waits for the result; to be called once. Cancellation decides it.
  func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Value, any Error>? in
          if case .decided(let result) = state { return result }
          state = .awaited(continuation)
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      decide(.failure(CancellationError()))
    }
  }
}
