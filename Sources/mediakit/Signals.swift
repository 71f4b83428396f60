#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// SIGINT and SIGTERM cancel the work, which then leaves nothing half-written behind.
enum Signals {
  private static var handled: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    return signals
  }

  /// Holds the signals back on this thread and on every one that it starts; call it first.
  static func block() {
    // A shell without job control starts background commands with SIGINT ignored, and what is ignored never waits.
    signal(SIGINT, SIG_DFL)
    signal(SIGTERM, SIG_DFL)
    var signals = handled
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// Waits for ever: calls `cancel` at the first signal, ends the process at once at a later one.
  ///
  /// What comes with the first one is the same wish: `timeout` and terminals signal the process and its group, and what
  /// was half-written has to be removed in between.
  /// The main thread does that, since nothing else needs it: an asynchronous `main` would park it where signals are let
  /// through.
  static func wait(_ cancel: () -> Void) -> Never {
    var signals = handled
    var number: Int32 = 0
    _ = sigwait(&signals, &number)
    cancel()
    let first = ContinuousClock.now
    repeat { _ = sigwait(&signals, &number) } while ContinuousClock.now - first < .seconds(1)
    _exit(ExitStatus.cancelled.rawValue)
  }
}
