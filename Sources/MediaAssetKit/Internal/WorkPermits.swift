/// How much large work may go on at the same time, in the whole process.
///
/// Whoever begins takes permits first and waits without a thread until there are some, so that a thousand tasks
/// keep no more decoders at work than the processor has cores.
final class WorkPermits: Sendable {
  /// Threads that decode local media: as many as the configuration's thread budget.
  static let processor = WorkPermits(count: MediaConfiguration.current.threadBudget)
  /// For media whose bytes may be slow to come: many, since most of them wait. Apart from the others, so that
  /// silent servers never hold up a local file.
  static let network = WorkPermits(count: 64)
  /// Exports and packages that encode pictures: some more than there are threads, so that short ones pass long ones. Every encoder holds
  /// some tens of megabytes whether or not it gets a processor: fifty at once need gigabytes and are no faster than a few.
  static let encoding = WorkPermits(count: max(4, 2 * MediaConfiguration.current.threadBudget))

  private struct Waiter {
    var id: Int
    var most: Int
    var continuation: CheckedContinuation<Int, any Error>
  }

  private struct State {
    var free: Int
    var waiters: [Waiter] = []
    var nextID = 0
    var cancelledEarly: Set<Int> = []

    /// Hands out what is free: fairly, each at least one, those who came first before the others.
    mutating func grant() -> [(CheckedContinuation<Int, any Error>, Int)] {
      var granted: [(CheckedContinuation<Int, any Error>, Int)] = []
      while free > 0, !waiters.isEmpty {
        let share = max(1, free / waiters.count)
        let waiter = waiters.removeFirst()
        let count = min(share, waiter.most)
        free -= count
        granted.append((waiter.continuation, count))
      }
      return granted
    }
  }

  private let state: Monitor<State>

  init(count: Int) { state = Monitor(State(free: max(1, count))) }

  /// Takes between one and `most` permits: one under load, all of them when nobody else works.
  /// - Throws: `CancellationError`.
  func acquire(upTo most: Int) async throws -> Int {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    defer { state.withLock { _ = $0.cancelledEarly.remove(id) } }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let granted = state.withLock {
          state -> [(CheckedContinuation<Int, any Error>, Int)]? in
          if state.cancelledEarly.contains(id) { return nil }
          state.waiters.append(Waiter(id: id, most: max(1, most), continuation: continuation))
          return state.grant()
        }
        guard let granted else { return continuation.resume(throwing: CancellationError()) }
        for (continuation, count) in granted { continuation.resume(returning: count) }
      }
    } onCancel: {
      let waiter = state.withLock { state -> Waiter? in
        guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
          state.cancelledEarly.insert(id)
          return nil
        }
        return state.waiters.remove(at: place)
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  func release(_ count: Int) {
    let granted = state.withLock { state in
      state.free += count
      return state.grant()
    }
    for (continuation, count) in granted { continuation.resume(returning: count) }
  }
}
