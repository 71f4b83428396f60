import CCurl

/// What the transfer thread does; it never leaves that thread.
final class HTTPTransferLoop {
  private let multi: UnsafeMutableRawPointer
  private var exchanges: [ObjectIdentifier: HTTPExchange] = [:]
  private var byHandle: [UnsafeMutableRawPointer: HTTPExchange] = [:]
  private var nextSweep = ContinuousClock.now

  /// Connections above which idle ones are not kept for later requests.
  private static let maximumIdleConnections = 64
  /// Connections in all; what is beyond waits, at most for its deadline.
  private static let maximumConnections = 512
  /// How long a transfer that nobody reads keeps its connection.
  static let maximumPause: Duration = .seconds(15)
  private static let sweepInterval: ClosedRange<Duration> = .milliseconds(20) ... .seconds(1)

  init(multi: UnsafeMutableRawPointer) {
    self.multi = multi
    ccurl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, Self.maximumIdleConnections)
    ccurl_multi_set_long(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, Self.maximumConnections)
  }

  /// Does what is asked for and what the sockets allow, then sleeps until there is more to do.
  func turn(_ commands: [HTTPEngine.Command]) {
    for command in commands { obey(command) }
    _ = ccurl_multi_perform(multi)
    var code = CURLE_OK
    while let handle = ccurl_multi_next_done(multi, &code) {
      guard let exchange = byHandle[handle] else { continue }
      leave(exchange)
      apply(exchange.next(after: code), to: exchange)
    }
    if ContinuousClock.now >= nextSweep { sweep() }
    let pause = exchanges.isEmpty ? .seconds(60) : max(.zero, nextSweep - .now)
    // Rounded up, or the last millisecond before a sweep would be spent in a busy loop.
    _ = ccurl_multi_poll(multi, Int32(pause / .milliseconds(1)) + 1)
  }

  private func obey(_ command: HTTPEngine.Command) {
    switch command {
    case .start(let transfer):
      guard transfer.outcome == nil else { return }
      guard let exchange = HTTPExchange(transfer) else {
        let error = MediaError(
          .outOfMemory, operation: "open", subject: "\(transfer.request.url)",
          reason: "libcurl gave no handle")
        return transfer.finish(.failed(error, isTransient: false))
      }
      exchanges[ObjectIdentifier(transfer)] = exchange
      nextSweep = .now
      apply(exchange.beginHop(), to: exchange)
    case .resolved(let transfer, let result):
      guard let exchange = exchanges[ObjectIdentifier(transfer)] else { return }
      apply(exchange.continueHop(with: result), to: exchange)
    case .resume(let transfer):
      exchanges[ObjectIdentifier(transfer)]?.resume()
      nextSweep = .now
    case .cancel(let transfer):
      guard let exchange = exchanges[ObjectIdentifier(transfer)] else { return }
      end(exchange, .cancelled)
    }
  }

  private func apply(_ step: HTTPExchange.Step, to exchange: HTTPExchange) {
    switch step {
    case .resolve(let host):
      let transfer = exchange.transfer
      HTTPNameResolver.shared.resolve(host) { result in
        HTTPEngine.shared.post(.resolved(transfer, result))
      }
    case .perform:
      byHandle[exchange.easy] = exchange
      if ccurl_multi_add(multi, exchange.easy) != CURLM_OK {
        byHandle[exchange.easy] = nil
        let error = MediaError(
          .readFailed, operation: "open", subject: "\(exchange.url)",
          reason: "libcurl did not take the transfer")
        end(exchange, .failed(error, isTransient: false))
      }
    case .end(let outcome):
      end(exchange, outcome)
    }
  }

  private func end(_ exchange: HTTPExchange, _ outcome: HTTPTransfer.Outcome) {
    leave(exchange)
    exchanges[ObjectIdentifier(exchange.transfer)] = nil
    exchange.transfer.finish(outcome)
  }

  private func leave(_ exchange: HTTPExchange) {
    guard byHandle.removeValue(forKey: exchange.easy) != nil else { return }
    _ = ccurl_multi_remove(multi, exchange.easy)
  }

  /// Ends what has been silent, or unread, for too long.
  private func sweep() {
    let now = ContinuousClock.now
    var wait = Self.sweepInterval.upperBound
    for exchange in exchanges.values {
      let left = exchange.timeLeft(at: now)
      if left > .zero {
        wait = min(wait, left)
      } else {
        end(exchange, exchange.isPaused ? .suspended : .timedOut(now))
      }
    }
    nextSweep = now + max(wait, Self.sweepInterval.lowerBound)
  }
}
