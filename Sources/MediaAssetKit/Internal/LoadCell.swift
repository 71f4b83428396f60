/// A value that is loaded at most once at a time, whoever asks: concurrent callers share one task.
///
/// A cancelled caller leaves at once; the work is cancelled when the last caller has left. A value stays;
/// a failure is remembered for `status` and the next caller tries again.
final class LoadCell<Value: Sendable>: Sendable {
  enum Status: Sendable { case idle, loading, loaded(Value), failed(any Error) }

  private struct State {
    var status = Status.idle
    var task: Task<Void, Never>?
    var generation = 0
    var waiters: [Int: CheckedContinuation<Value, any Error>] = [:]
    var nextWaiter = 0
    var cancelledEarly: Set<Int> = []

    /// After a cancellation: as `status(of:)` tells it, failed by cancellation.
    mutating func abandon() {
      guard task != nil else { return }
      task = nil
      generation += 1
      waiters = [:]
      status = .failed(CancellationError())
    }
  }

  private let state = Monitor(State())

  var status: Status { state.withLock { $0.status } }

  /// The value, loaded by `work` when nobody loads it already.
  func value(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
    if case .loaded(let value) = state.withLock({ $0.status }) { return value }
    try Task.checkCancellation()
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    // A cancellation that comes after the answer leaves its mark; nobody else would remove it.
    defer { state.withLock { _ = $0.cancelledEarly.remove(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        join(id, continuation, work)
      }
    } onCancel: {
      leave(id)
    }
  }

  /// Takes a value that was there without any work, unless somebody loads it or it is loaded.
  func settle(_ value: Value) {
    state.withLock { state in
      switch state.status {
      case .idle, .failed: state.status = .loaded(value)
      case .loading, .loaded: break
      }
    }
  }

  /// Ends a running load; all its callers get `CancellationError`.
  func cancel() {
    let (task, waiters) = state.withLock { state in
      defer { state.abandon() }
      return (state.task, Array(state.waiters.values))
    }
    task?.cancel()
    for waiter in waiters { waiter.resume(throwing: CancellationError()) }
  }

  private func join(
    _ id: Int, _ continuation: CheckedContinuation<Value, any Error>,
    _ work: @escaping @Sendable () async throws -> Value
  ) {
    let immediate: Result<Value, any Error>? = state.withLock { state in
      if state.cancelledEarly.remove(id) != nil { return .failure(CancellationError()) }
      if case .loaded(let value) = state.status { return .success(value) }
      state.waiters[id] = continuation
      if state.task == nil {
        state.status = .loading
        state.generation += 1
        let generation = state.generation
        state.task = Task.detached { [self] in
          let result: Result<Value, any Error>
          do { result = .success(try await work()) } catch { result = .failure(error) }
          finish(generation, result)
        }
      }
      return nil
    }
    if let immediate { continuation.resume(with: immediate) }
  }

  private func leave(_ id: Int) {
    let (continuation, task) = state.withLock {
      state -> (CheckedContinuation<Value, any Error>?, Task<Void, Never>?) in
      guard let continuation = state.waiters.removeValue(forKey: id) else {
        state.cancelledEarly.insert(id)
        return (nil, nil)
      }
      guard state.waiters.isEmpty else { return (continuation, nil) }
      let task = state.task
      state.abandon()
      return (continuation, task)
    }
    task?.cancel()
    continuation?.resume(throwing: CancellationError())
  }

  private func finish(_ generation: Int, _ result: Result<Value, any Error>) {
    let waiters = state.withLock { state -> [CheckedContinuation<Value, any Error>] in
      guard state.generation == generation, state.task != nil else { return [] }
      state.task = nil
      switch result {
      case .success(let value): state.status = .loaded(value)
      case .failure(let error): state.status = .failed(error)
      }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    for waiter in waiters { waiter.resume(with: result) }
  }
}
