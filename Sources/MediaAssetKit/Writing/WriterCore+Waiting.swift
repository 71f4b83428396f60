import LibAV

/// Waiting for room: `append` returns when its track does not run ahead of the others, or they have had nothing for long.
extension WriterCore {
  struct Waiter {
    var id: Int
    var track: Int
    var since: ContinuousClock.Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  func waitForRoom(_ track: Int) async throws {
    let id = state.withLock { state in
      state.nextWaiter += 1
      return state.nextWaiter
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result: Result<Void, any Error>? = state.withLock { state in
          if Task.isCancelled { return .failure(CancellationError()) }
          guard state.status == .writing else { return .failure(wrongState(state, "append")) }
          guard state.interleaver.isAhead(track) else { return .success(()) }
          state.waiters.append(Waiter(id: id, track: track, since: .now, continuation: continuation))
          // One for all who wait: making one costs more than most waits.
          if state.watch == nil { state.watch = Task { await self.watch() } }
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      let waiter = state.withLock { state in
        state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
      }
      waiter?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Hands out what is queued and can be written, and wakes those who waited for room.
  func drain(_ write: ([(track: Int, sample: QueuedSample)]) throws -> Void) throws {
    while let batch = takeBatch() {
      try write(batch)
      wakeWaiters(isDrained: false)
    }
    wakeWaiters(isDrained: true)
  }

  /// Wakes those whose tracks no longer run ahead; while the muxer still has work, only those who then can go on for long.
  func wakeWaiters(isDrained: Bool) {
    let woken = state.withLock { state -> [Waiter] in
      guard !state.waiters.isEmpty else { return [] }
      let interleaver = state.interleaver
      let woken = state.waiters.filter {
        isDrained ? !interleaver.isAhead($0.track) : interleaver.hasMuchRoom($0.track)
      }
      state.waiters.removeAll { waiter in woken.contains { $0.id == waiter.id } }
      return woken
    }
    for waiter in woken { waiter.continuation.resume() }
  }

  /// Lets those who have waited too long for other tracks go on without these; ends when nobody waits.
  private func watch() async {
    let limit = options.starvationLimit
    while true {
      let oldest = state.withLock { state -> ContinuousClock.Instant? in
        let oldest = state.waiters.map(\.since).min()
        if oldest == nil { state.watch = nil }
        return oldest
      }
      guard let oldest else { return }
      if oldest + limit > .now {
        do { try await Task.sleep(until: oldest + limit, clock: .continuous) } catch { return }
        continue
      }
      await releaseStarved(after: limit)
      // Who still waits is given as much time again.
      state.withLock { state in
        for index in state.waiters.indices where state.waiters[index].since <= oldest {
          state.waiters[index].since = .now
        }
      }
    }
  }

  /// After a time without a sample of some track, the others go on without it.
  private func releaseStarved(after limit: Duration) async {
    let (missing, undescribed) = state.withLock { state in
      if state.isDelivering { return ([Int](), [(Int, @Sendable () async throws -> CodecParameters)]()) }
      let missing = state.interleaver.missing.filter { state.tracks[$0].isBusy?() != true }
      return (
        missing,
        missing.filter { state.tracks[$0].parameters == nil }.compactMap { index in
          state.tracks[index].prepare.map { (index, $0) }
        }
      )
    }
    for (track, prepare) in undescribed {
      do {
        let parameters = try await prepare()
        state.withLock { $0.tracks[track].parameters = parameters }
      } catch {
        fail(
          self.error(
            .operationNotSupported,
            "input \(track + 1) has had no sample for \(limit), and its settings alone don't describe it",
            remedy: "Append to all inputs in turn, or finish the ones that have no samples"))
        return
      }
    }
    state.withLock { state in for track in missing { state.interleaver.setStarved(track) } }
    kick()
  }
}
