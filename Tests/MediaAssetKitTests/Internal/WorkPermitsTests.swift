import Testing

@testable import MediaAssetKit

/// So many at a time, and nobody who gave up holds a permit.
@Suite struct WorkPermitsTests {
  @Test func noMoreThanTheLimit() async throws {
    let permits = WorkPermits(count: 3)
    let running = Monitor((now: 0, most: 0))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let taken = try await permits.acquire(upTo: 1)
          defer { permits.release(taken) }
          running.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
          }
          try await Task.sleep(for: .milliseconds(1))
          running.withLock { $0.now -= 1 }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.withLock { $0.most } == 3)
  }

  @Test func whoGivesUpHoldsNothing() async throws {
    let permits = WorkPermits(count: 1)
    let taken = try await permits.acquire(upTo: 1)
    let waiting = (0..<5).map { _ in Task { try await permits.acquire(upTo: 1) } }
    for task in waiting { task.cancel() }
    for task in waiting { await #expect(throws: CancellationError.self) { try await task.value } }
    permits.release(taken)
    #expect(try await permits.acquire(upTo: 1) == 1)
  }
}
