#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A bounded set of own threads for calls that block or compute: never the cooperative pool, never more threads than the limit.
///
/// DESIGN speaks of one dispatch queue per context with a permit before it. Strands over three fixed pools give
/// the same order and the same bound with less machinery, and no queue of ours can exhaust libdispatch's threads.
// @unchecked: the condition and the job list are only touched under the lock.
final class WorkerPool: @unchecked Sendable {
  /// Opening files and reading headers: short jobs that must not wait behind decoding.
  static let opening = WorkerPool(limit: 8)
  /// Decoding and converting: as many threads as the configuration allows.
  static let decoding = WorkerPool(limit: MediaConfiguration.current.threadBudget)
  /// Calls that may wait for a server or for a custom source.
  static let network = WorkerPool(limit: 64)
  /// Asynchronous work that a blocked thread of the other pools waits for. Nothing here blocks: neither those threads, all
  /// of which may wait, nor a client's own that keep the cooperative pool busy can hold it up.
  static let awaited = WorkerPool(limit: 2)
  /// Calls that may wait for a disk.
  static let writing = WorkerPool(limit: 16)

  private let limit: Int
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var jobs: [() -> Void] = []
  private var head = 0
  private var threads = 0
  private var idle = 0

  private init(limit: Int) {
    self.limit = max(1, limit)
    lock.initialize(to: pthread_mutex_t())
    condition.initialize(to: pthread_cond_t())
    pthread_mutex_init(lock, nil)
    pthread_cond_init(condition, nil)
  }

  func submit(_ job: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(lock)
    jobs.append(job)
    let needsThread = idle < jobs.count - head && threads < limit
    if needsThread { threads += 1 }
    let wakes = idle > 0
    pthread_mutex_unlock(lock)
    // After the lock: the thread that wakes would wait for it.
    if wakes { pthread_cond_signal(condition) }
    if needsThread { startThread() }
  }

  /// Whether jobs wait for a thread.
  var isBusy: Bool {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return head < jobs.count
  }

  /// Runs one piece of blocking work on a thread of the pool.
  func run<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      submit { continuation.resume(with: Result { try work() }) }
    }
  }

  private func startThread() {
    let opaque = Unmanaged.passUnretained(self).toOpaque()
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let result = pthread_create(&thread, nil, workerEntry, opaque)
    guard result == 0 else {
      // Out of threads: the ones that run take the job later; with none at all, run it here.
      pthread_mutex_lock(lock)
      threads -= 1
      let stranded = threads == 0
      pthread_mutex_unlock(lock)
      if stranded { runPending() }
      return
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  private func runPending() {
    while true {
      pthread_mutex_lock(lock)
      let job = takeJob()
      pthread_mutex_unlock(lock)
      guard let job else { return }
      job()
    }
  }

  private func takeJob() -> (() -> Void)? {
    guard head < jobs.count else { return nil }
    let job = jobs[head]
    head += 1
    if head > 64 && head * 2 > jobs.count || head == jobs.count {
      jobs.removeFirst(head)
      head = 0
    }
    return job
  }

  /// One thread's life: the pools live as long as the process, so threads wait and never end.
  fileprivate func work() {
    pthread_mutex_lock(lock)
    while true {
      if let job = takeJob() {
        pthread_mutex_unlock(lock)
        job()
        pthread_mutex_lock(lock)
      } else {
        idle += 1
        pthread_cond_wait(condition, lock)
        idle -= 1
      }
    }
  }
}

#if canImport(Darwin)
  private func workerEntry(_ opaque: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    Unmanaged<WorkerPool>.fromOpaque(opaque).takeUnretainedValue().work()
    return nil
  }
#else
  private func workerEntry(_ opaque: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let opaque else { return nil }
    Unmanaged<WorkerPool>.fromOpaque(opaque).takeUnretainedValue().work()
    return nil
  }
#endif
