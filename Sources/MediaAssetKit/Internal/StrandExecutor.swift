/// Runs one actor's jobs one after another on a pool: the home of an actor that owns a C context.
///
/// Where reading and writing are all there is to do, the sessions at both ends and the tasks between them share one
/// strand (``shared``): handing over to another thread costs more than copying a sample.
final class StrandExecutor: SerialExecutor, TaskExecutor {
  /// The strand that sessions which are made in this task live on; nil: each has its own.
  @TaskLocal static var shared: StrandExecutor?

  /// Does something on one strand for everybody in it, where `isWanted` says so. What waits for a server has no place there.
  static func sharing(_ isWanted: Bool, _ body: () async throws -> Void) async throws {
    guard isWanted else { return try await body() }
    let strand = StrandExecutor(pool: .writing, carriesTasks: true)
    try await $shared.withValue(strand) { try await withTaskExecutorPreference(strand) { try await body() } }
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var isScheduled = false
  }

  private let pool: WorkerPool
  private let state = Monitor(State())

  private let carriesTasks: Bool

  /// - Parameter carriesTasks: Whether tasks prefer it, besides the actors that live on it.
  init(pool: WorkerPool, carriesTasks: Bool = false) {
    self.pool = pool
    self.carriesTasks = carriesTasks
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let mustSchedule = state.withLock { state in
      state.jobs.append(job)
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if mustSchedule { pool.submit { self.runNext() } }
  }

  /// One job a turn while others wait for a thread, so that strands share the pool fairly.
  private func runNext() {
    while true {
      let job = state.withLock { $0.jobs.removeFirst() }
      if carriesTasks {
        job.runSynchronously(isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      } else {
        job.runSynchronously(on: asUnownedSerialExecutor())
      }
      let hasMore = state.withLock { state in
        state.isScheduled = !state.jobs.isEmpty
        return state.isScheduled
      }
      guard hasMore else { return }
      if pool.isBusy { return pool.submit { self.runNext() } }
    }
  }
}
