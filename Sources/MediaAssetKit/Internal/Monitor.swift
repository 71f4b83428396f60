#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A value behind a lock that threads of their own (never those of the cooperative pool) can wait on.
///
/// `Synchronization.Mutex` has no condition to wait for (and the thread sanitizer does not see it on
/// Linux), and Foundation's `NSCondition` lives in the half of Foundation that the library leaves out.
// Sendable because `value` is only touched while `mutex` is held.
package final class Monitor<Value: ~Copyable>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  /// How long a wait goes on before it looks at the caller's interrupt again.
  package static var interruptInterval: Duration { .milliseconds(20) }

  package init(_ value: consuming sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    #if canImport(Darwin)
      pthread_cond_init(condition, nil)
    #else
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    #endif
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` under the lock, then wakes all who wait.
  package func update<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Runs `body` under the lock; nobody who waits is woken.
  package func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }

  /// Waits until `body` gives something, asking anew whenever the value was updated.
  ///
  /// Blocks the calling thread. Returns nil when `deadline` passes first; throws
  /// `CancellationError` within 20 ms after `interrupted` turns true.
  package func wait<R>(
    until deadline: ContinuousClock.Instant? = nil, interrupted: () -> Bool,
    _ body: (inout Value) throws -> R?
  ) throws -> R? {
    while true {
      if interrupted() { throw CancellationError() }
      var slice = Self.interruptInterval
      if let deadline { slice = min(slice, deadline - .now) }
      let result = try withLock { value -> R? in
        if let result = try body(&value) { return result }
        if slice > .zero { sleep(slice) }
        return try body(&value)
      }
      if let result { return result }
      if let deadline, deadline <= .now { return nil }
    }
  }

  /// Gives up the lock for at most `duration`, or until an update.
  private func sleep(_ duration: Duration) {
    let nanoseconds = Int(duration / .nanoseconds(1))
    #if canImport(Darwin)
      var relative = timespec(tv_sec: 0, tv_nsec: nanoseconds)
      pthread_cond_timedwait_relative_np(condition, mutex, &relative)
    #else
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &end)
      end.tv_nsec += nanoseconds
      end.tv_sec += end.tv_nsec / 1_000_000_000
      end.tv_nsec %= 1_000_000_000
      pthread_cond_timedwait(condition, mutex, &end)
    #endif
  }
}
