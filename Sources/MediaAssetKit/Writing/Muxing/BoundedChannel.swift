/// A queue of limited length between the task that appends and the one that encodes.
///
/// For any number of senders and one receiver.
final class BoundedChannel<Element: Sendable>: Sendable {
  private struct State {
    var elements: [Element] = []
    var isFinished = false
    var failure: (any Error)?
    var receiver: CheckedContinuation<Element?, any Error>?
    var senders: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    var nextID = 0
  }

  private let capacity: Int
  private let state = Monitor(State())

  init(capacity: Int) { self.capacity = max(1, capacity) }

  /// Queues an element; returns when there is room for the next one.
  ///
  /// - Throws: What the receiver failed with; `CancellationError` when the task is cancelled while it waits, with the
  ///   element queued all the same.
  func send(_ element: Element) async throws {
    let id: Int? = try hand(element)
    guard let id else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if let failure = state.failure { return .failure(failure) }
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.elements.count < capacity || state.isFinished { return .success(()) }
          state.senders.append((id, continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiting = state.withLock { state in
        state.senders.firstIndex { $0.id == id }.map { state.senders.remove(at: $0).continuation }
      }
      waiting?.resume(throwing: CancellationError())
    }
  }

  /// Queues an element if there is room; false when there is none.
  func trySend(_ element: Element) throws -> Bool {
    let isFull = try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.elements.count >= capacity
    }
    if isFull { return false }
    _ = try hand(element)
    return true
  }

  /// Returns a number to wait under when the queue is full now.
  private func hand(_ element: Element) throws -> Int? {
    let (receiver, id) = try state.withLock { state -> (CheckedContinuation<Element?, any Error>?, Int?) in
      if let failure = state.failure { throw failure }
      if let receiver = state.receiver {
        state.receiver = nil
        return (receiver, nil)
      }
      state.elements.append(element)
      guard state.elements.count >= capacity else { return (nil, nil) }
      state.nextID += 1
      return (nil, state.nextID)
    }
    receiver?.resume(returning: element)
    return id
  }

  /// The next element; nil after the last.
  func next() async throws -> Element? {
    try await withCheckedThrowingContinuation { continuation in
      let (result, senders) = state.withLock {
        state -> (Result<Element?, any Error>?, [CheckedContinuation<Void, any Error>]) in
        if let failure = state.failure { return (.failure(failure), []) }
        if !state.elements.isEmpty {
          let element = state.elements.removeFirst()
          let woken = state.elements.count < capacity ? state.senders.map(\.continuation) : []
          if !woken.isEmpty { state.senders = [] }
          return (.success(element), woken)
        }
        if state.isFinished { return (.success(nil), []) }
        state.receiver = continuation
        return (nil, [])
      }
      for sender in senders { sender.resume() }
      if let result { continuation.resume(with: result) }
    }
  }

  /// Whether the receiver has taken everything and waits for more.
  var isIdle: Bool { state.withLock { $0.elements.isEmpty && $0.receiver != nil } }

  /// No more elements come.
  func finish() {
    let (receiver, senders) = state.withLock { state in
      state.isFinished = true
      defer { (state.receiver, state.senders) = (nil, []) }
      return (state.receiver, state.senders.map(\.continuation))
    }
    receiver?.resume(returning: nil)
    for sender in senders { sender.resume() }
  }

  /// Ends everything: what is queued is dropped, and everybody who waits or comes gets the error.
  func fail(_ error: any Error) {
    let (receiver, senders) = state.withLock { state in
      if state.failure == nil { state.failure = error }
      defer { (state.receiver, state.senders, state.elements) = (nil, [], []) }
      return (state.receiver, state.senders.map(\.continuation))
    }
    receiver?.resume(throwing: error)
    for sender in senders { sender.resume(throwing: error) }
  }
}
