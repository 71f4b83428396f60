import CCurl

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The door to the one thread that runs all transfers of the process.
///
/// One libcurl multi handle has all connections and pools them, so that silent servers cost a socket
/// each and never a thread. libcurl is loaded, and the thread started, with the first transfer.
final class HTTPEngine: Sendable {
  static let shared = HTTPEngine()

  enum Command: Sendable {
    case start(HTTPTransfer)
    case resolved(HTTPTransfer, Result<[NetworkAddress], HTTPNameResolver.Failure>)
    case resume(HTTPTransfer)
    case cancel(HTTPTransfer)
  }

  private struct State {
    var commands: [Command] = []
    var isRunning = false
    /// What wakes the thread, once it has something to sleep on.
    var multi: UnsafeMutableRawPointer?
    /// The thread's loop, never let go of: the end of the process is no time to close connections
    /// one by one.
    var loop: UnsafeMutableRawPointer?
    var isHalting = false
  }

  private let monitor = Monitor(State())

  /// Tells the thread to do something, from any thread.
  func post(_ command: Command) {
    let mustStart = monitor.update { state in
      guard !state.isHalting else { return false }
      state.commands.append(command)
      if let multi = state.multi { _ = ccurl_multi_wakeup(multi) }
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard mustStart else { return }
    let code = ccurl_start_thread(
      "media-http", { _ in HTTPEngine.shared.run() }, Unmanaged.passUnretained(self).toOpaque())
    if code != 0 { fail(.readFailed, "no thread could be started for transfers") }
  }

  private func run() {
    if let reason = ccurl_load() {
      fail(
        .libraryMissing, String(cString: reason),
        remedy: "Install libcurl 7.80 or later (package libcurl4)")
      return
    }
    guard let multi = ccurl_multi_init() else {
      fail(.outOfMemory, "libcurl gave no handle")
      return
    }
    // Handlers run in reverse order: this one comes before those that take down the TLS library,
    // which a transfer must not use any longer then.
    atexit { HTTPEngine.shared.halt() }
    let loop = HTTPTransferLoop(multi: multi)
    monitor.update { state in
      state.multi = multi
      state.loop = Unmanaged.passRetained(loop).toOpaque()
    }
    while let commands = takeCommands() { loop.turn(commands) }
    monitor.update { $0.multi = nil }
  }

  /// The commands since the last call; nil when the process is about to end.
  private func takeCommands() -> [Command]? {
    monitor.withLock { state in
      defer { state.commands = [] }
      return state.isHalting ? nil : state.commands
    }
  }

  /// Stops the thread, and waits (for a moment only) until it has.
  private func halt() {
    monitor.update { state in
      state.isHalting = true
      if let multi = state.multi { _ = ccurl_multi_wakeup(multi) }
    }
    _ = try? monitor.wait(until: .now + .seconds(1), interrupted: { false }) { state -> Void? in
      state.multi == nil ? () : nil
    }
  }

  /// Answers all that is asked for; the next transfer tries again.
  private func fail(_ code: MediaError.Code, _ reason: String, remedy: String = "") {
    let commands = monitor.update { state in
      defer { state.commands = [] }
      state.isRunning = false
      return state.commands
    }
    for case .start(let transfer) in commands {
      let error = MediaError(
        code, operation: "open", subject: "\(transfer.request.url)", reason: reason, remedy: remedy)
      transfer.finish(.failed(error, isTransient: false))
    }
  }
}
