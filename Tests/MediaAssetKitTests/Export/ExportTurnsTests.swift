import Testing

@testable import MediaAssetKit

/// So many at a time, in order, and nobody who gave up holds a turn.
@Suite struct ExportTurnsTests {
  @Test func noMoreThanTheLimit() async throws {
    let turns = ExportTurns(limit: 3)
    let running = Monitor((now: 0, most: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let turn = try await turns.take()
          running.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          try await Task.sleep(for: .milliseconds(1))
          running.withLock { $0.now -= 1 }
          withExtendedLifetime(turn) {}
        }
      }
      try await group.waitForAll()
    }
    #expect(running.withLock { $0.most } == 3)
  }

  @Test func whoGivesUpHoldsNothing() async throws {
    let turns = ExportTurns(limit: 1)
    var turn: ExportTurns.Turn? = try await turns.take()
    let waiting = (0..<5).map { _ in Task { try await turns.take() } }
    for task in waiting { task.cancel() }
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    withExtendedLifetime(turn) {}
    turn = nil
    _ = try await turns.take()
  }
}
