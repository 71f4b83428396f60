/// Lets so many exports encode pictures at a time; the others wait in the order in which they came.
///
/// Every encoder holds some tens of megabytes whether or not it gets a processor: fifty at once need gigabytes and are no
/// faster than a few.
final class ExportTurns: Sendable {
  /// The process's own: some more than there are threads, so that short exports pass long ones.
  static let shared = ExportTurns(limit: max(4, 2 * MediaConfiguration.current.threadBudget))

  /// One export's turn, given back at the end of its life.
  final class Turn: Sendable {
    private let turns: ExportTurns
    fileprivate init(_ turns: ExportTurns) { self.turns = turns }
    deinit { turns.giveBack() }
  }

  private struct State {
    var free: Int
    var waiting: [(id: Int, continuation: CheckedContinuation<Void, any Error>)] = []
    var next = 0
  }

  private let state: Monitor<State>

  init(limit: Int) { state = Monitor(State(free: limit)) }

  /// Waits for a turn.
  ///
  /// - Throws: `CancellationError` when the task is cancelled meanwhile.
  func take() async throws -> Turn {
    let id = state.withLock { state in
      state.next += 1
      return state.next
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          if state.free > 0 {
            state.free -= 1
            return .success(())
          }
          state.waiting.append((id, continuation))
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiting.firstIndex { $0.id == id }.map { state.waiting.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
    return Turn(self)
  }

  private func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, any Error>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst().continuation }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
