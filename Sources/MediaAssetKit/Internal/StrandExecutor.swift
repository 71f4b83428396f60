/// Runs one actor's jobs one after another on a pool: the home of an actor that owns a C context.
final class StrandExecutor: SerialExecutor {
  private struct State {
    var jobs: [UnownedJob] = []
    var isScheduled = false
  }

  private let pool: WorkerPool
  private let state = Monitor(State())

  init(pool: WorkerPool) { self.pool = pool }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustSchedule = state.withLock { state in
      state.jobs.append(job)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { pool.submit { self.runNext() } }
  }

  /// One job a turn, so that strands share the pool fairly.
  private func runNext() {
    let job = state.withLock { $0.jobs.removeFirst() }
    job.runSynchronously(on: asUnownedSerialExecutor())
    let hasMore = state.withLock { state in
      state.isScheduled = !state.jobs.isEmpty
      return state.isScheduled
    }
    if hasMore { pool.submit { self.runNext() } }
  }
}
