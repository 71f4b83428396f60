import CCurl

/// The libcurl side of one transfer: a handle, and the redirects, hop by hop.
///
/// Lives on the transfer thread and owns its handle.
final class HTTPExchange {
  let transfer: HTTPTransfer
  let easy: UnsafeMutableRawPointer
  /// Where this hop goes.
  private(set) var url: HTTPURL

  private var hop = 0
  private var parser = HTTPHeadParser()
  private var head: HTTPResponseHead?
  /// Bytes of a body that nobody wants: of a redirect, of an error page.
  private var discarded = 0
  private var refusal: MediaError?
  private var namedServerIsLoopback = false
  private var peerIsLoopback = false
  private var usesProxy = false
  private var lastProgress = ContinuousClock.now
  private var pausedSince: ContinuousClock.Instant?

  private let callbacks = UnsafeMutablePointer<CCurlCallbacks>.allocate(capacity: 1)
  private let errorBuffer = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var addressList: UnsafeMutablePointer<curl_slist>?

  /// More of an unwanted body is not read for the sake of keeping the connection.
  private static let maximumDiscarded = 64 << 10

  /// What is to be done for the exchange.
  enum Step {
    case resolve(host: String)
    case perform
    case end(HTTPTransfer.Outcome)
  }

  private var request: HTTPRequest { transfer.request }
  var isPaused: Bool { pausedSince != nil }

  init?(_ transfer: HTTPTransfer) {
    guard let easy = ccurl_easy_init() else { return nil }
    self.transfer = transfer
    self.easy = easy
    url = transfer.request.url
    errorBuffer.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    callbacks.initialize(
      to: CCurlCallbacks(
        context: Unmanaged.passUnretained(self).toOpaque(),
        body: { context, bytes, count in
          let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
          return exchange.receiveBody(UnsafeRawBufferPointer(start: bytes, count: count))
        },
        header: { context, bytes, count in
          let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
          return exchange.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: count))
        },
        address: { context, bytes, count in
          let exchange = Unmanaged<HTTPExchange>.fromOpaque(context).takeUnretainedValue()
          return exchange.allows(UnsafeBufferPointer(start: bytes, count: count))
        }))
  }

  deinit {
    ccurl_easy_cleanup(easy)
    if let headerList { ccurl_slist_free_all(headerList) }
    if let addressList { ccurl_slist_free_all(addressList) }
    callbacks.deallocate()
    errorBuffer.deallocate()
  }

  /// The time until the exchange has been silent, or unread, for too long.
  func timeLeft(at now: ContinuousClock.Instant) -> Duration {
    if let pausedSince {
      // A server without ranges could not go on where it stopped.
      guard head?.status == 206 else { return .seconds(60) }
      return HTTPTransferLoop.maximumPause - (now - pausedSince)
    }
    return request.deadline - (now - lastProgress)
  }

  func resume() {
    guard pausedSince != nil else { return }
    pausedSince = nil
    lastProgress = .now
    _ = ccurl_easy_pause(easy, CURLPAUSE_CONT)
  }
}

// MARK: Hops

extension HTTPExchange {
  private var allowsLoopback: Bool { allowsLoopback(for: url) }

  /// A server elsewhere may not send us to this machine, nor one here to another one here.
  private func allowsLoopback(for target: HTTPURL) -> Bool {
    request.allowsLoopback
      && (hop == 0 || namedServerIsLoopback && target.hasSameOrigin(as: request.url))
  }

  /// Checks where the hop goes and looks its host up where it is us who connect to it.
  func beginHop() -> Step {
    if case .denied(let reason) = request.policy.decision(
      forURL: url, allowsLoopback: allowsLoopback)
    {
      return .end(.failed(request.refusal(reason, at: url), isTransient: false))
    }
    let proxy = request.options.proxy.proxy(for: url)
    usesProxy = proxy != nil
    guard usesProxy || url.address != nil else { return .resolve(host: url.host) }
    return configure(proxy: proxy, addresses: [])
  }

  /// Goes on with the addresses of the host.
  func continueHop(with result: Result<[NetworkAddress], HTTPNameResolver.Failure>) -> Step {
    let addresses: [NetworkAddress]
    switch result {
    case .failure(let failure):
      let error = MediaError(
        .readFailed, operation: "open", subject: "\(url)",
        reason: "the host \(url.host) was not found (\(failure.reason))")
      return .end(.failed(error, isTransient: true))
    case .success(let all): addresses = all
    }
    let allowed = addresses.filter {
      request.policy.decision(forAddress: $0, allowsLoopback: allowsLoopback).isAllowed
    }
    if allowed.isEmpty {
      let shown = addresses.first.map { "\($0), a \($0.scope.rawValue) address" } ?? "no address"
      return .end(
        .failed(
          request.refusal("the host \(url.host) leads to \(shown)", at: url), isTransient: false))
    }
    return configure(proxy: nil, addresses: allowed)
  }

  private func configure(proxy: String?, addresses: [NetworkAddress]) -> Step {
    (parser, head, discarded, refusal) = (HTTPHeadParser(), nil, 0, nil)
    peerIsLoopback = url.address?.scope == .loopback
    if hop == 0 { namedServerIsLoopback = peerIsLoopback }
    guard applyOptions(proxy: proxy, addresses: addresses) else {
      let error = MediaError(
        .libraryMissing, operation: "open", subject: "\(url)",
        reason: "this libcurl lacks an option that is needed, or refuses its value",
        remedy: "Install libcurl 7.80 or later (package libcurl4), and check the proxy")
      return .end(.failed(error, isTransient: false))
    }
    return .perform
  }

  /// What follows when libcurl is done with a hop.
  func next(after code: CURLcode) -> Step {
    if let refusal { return .end(.failed(refusal, isTransient: false)) }
    guard let head, code == CURLE_OK || discarded > 0 else {
      return .end(outcome(of: code))
    }
    guard let location = head.redirect else { return .end(.finished) }
    let refused = { [request, url] (reason: String) in
      Step.end(.failed(request.refusal(reason, at: url), isTransient: false))
    }
    hop += 1
    guard hop <= request.policy.maximumRedirects else {
      return refused("it redirects more than \(request.policy.maximumRedirects) times")
    }
    switch url.resolving(location) {
    case .malformed: return refused("it redirects to a malformed URL")
    case .otherScheme(let scheme): return refused("it redirects to the scheme \(scheme)")
    case .url(let target):
      let decision = request.policy.decision(
        forRedirectFrom: url, to: target, allowsLoopback: allowsLoopback(for: target))
      if case .denied(let reason) = decision {
        return refused("the redirect to \(target) is forbidden: \(reason)")
      }
      url = target
      return beginHop()
    }
  }

  /// Sets the handle up for this hop; false when libcurl refuses.
  private func applyOptions(proxy: String?, addresses: [NetworkAddress]) -> Bool {
    ccurl_easy_reset(easy)
    let options = request.options
    let isTrusted = request.trustedOrigin.map { $0.hasSameOrigin(as: url) } ?? false

    var lines = ["Accept-Encoding: identity"]
    if request.asksForStreamMetadata { lines.append("Icy-MetaData: 1") }
    if isTrusted {
      // A header with an empty value is written with a semicolon, or libcurl leaves it out.
      lines += options.headers.map { $1.isEmpty ? "\($0);" : "\($0): \($1)" }
    }
    replace(&headerList, by: lines)
    let port = url.port
    let list = addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }.joined(separator: ",")
    replace(&addressList, by: list.isEmpty ? [] : ["+\(url.host):\(port):\(list)"])

    func set(_ option: CURLoption, _ value: Int) -> Bool {
      ccurl_set_long(easy, option, value) == CURLE_OK
    }
    func set(_ option: CURLoption, _ value: String?) -> Bool {
      ccurl_set_string(easy, option, value) == CURLE_OK
    }
    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) -> Bool {
      ccurl_set_pointer(easy, option, value) == CURLE_OK
    }
    // Spares a blocking wait when libcurl resolves a proxy's name; older ones don't know it.
    _ = set(CURLOPT_QUICK_EXIT, 1)
    let last = request.last.map(String.init) ?? ""
    let timeout = max(1, Int(min(options.connectTimeout, .seconds(3600)) / .milliseconds(1)))
    let credentials = isTrusted ? request.trustedOrigin?.credentials : nil
    return ccurl_set_callbacks(easy, callbacks) == CURLE_OK
      && set(CURLOPT_ERRORBUFFER, errorBuffer)
      && set(CURLOPT_NOSIGNAL, 1)
      && ccurl_set_http_only(easy) == CURLE_OK
      && set(CURLOPT_URL, url.requestText)
      && set(CURLOPT_PATH_AS_IS, 1)
      // Each stream has a connection of its own, so that pausing one holds its bytes back in the
      // network and not in libcurl's memory.
      && set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
      && set(CURLOPT_FOLLOWLOCATION, 0)
      && set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      && set(CURLOPT_RANGE, "\(request.offset)-\(last)")
      && set(CURLOPT_HTTPHEADER, headerList.map { UnsafeMutableRawPointer($0) })
      && set(CURLOPT_RESOLVE, addressList.map { UnsafeMutableRawPointer($0) })
      && set(CURLOPT_USERAGENT, options.userAgent)
      && set(CURLOPT_COOKIE, options.cookieHeader(for: url))
      && set(CURLOPT_HTTPAUTH, 1)  // CURLAUTH_BASIC
      && set(CURLOPT_USERNAME, credentials?.user)
      && set(CURLOPT_PASSWORD, credentials?.password)
      && set(CURLOPT_PROXY, proxy ?? "")
      && set(CURLOPT_NOPROXY, "")
      && set(CURLOPT_CONNECTTIMEOUT_MS, timeout)
      && set(CURLOPT_BUFFERSIZE, 128 << 10)
      && set(CURLOPT_TCP_KEEPALIVE, 1)
      && set(CURLOPT_MAXAGE_CONN, 30)
      && set(CURLOPT_SSL_VERIFYPEER, 1)
      && set(CURLOPT_SSL_VERIFYHOST, 2)
      && set(CURLOPT_SSLVERSION, 6)  // CURL_SSLVERSION_TLSv1_2, and later
      && setAuthorities()
  }

  /// The additional authorities take the place of the system's bundle, whose folder stays in use.
  private func setAuthorities() -> Bool {
    guard let file = request.policy.additionalCertificateAuthorities else { return true }
    _ = ccurl_set_string(easy, CURLOPT_CAPATH, "/etc/ssl/certs")
    return ccurl_set_string(easy, CURLOPT_CAINFO, file) == CURLE_OK
  }

  private func replace(_ list: inout UnsafeMutablePointer<curl_slist>?, by lines: [String]) {
    if let list { ccurl_slist_free_all(list) }
    list = nil
    for line in lines { list = ccurl_slist_append(list, line) ?? list }
  }
}

// MARK: Callbacks

extension HTTPExchange {
  private func receiveHeader(_ line: UnsafeRawBufferPointer) -> Int {
    lastProgress = .now
    // What follows the body (a trailer) is nobody's business.
    guard head == nil else { return line.count }
    switch parser.consume(line) {
    case .more: return line.count
    case .tooLong:
      refusal = MediaError(
        .limitExceeded, operation: "open", subject: "\(url)",
        reason: "the response has more than \(HTTPHeadParser.maximumBytes) bytes of headers")
      return -1
    case .head(let status, let headers):
      let head = HTTPResponseHead(
        url: url, status: status, headers: headers, isFromLoopback: peerIsLoopback)
      self.head = head
      if head.redirect == nil {
        let start = status == 206 ? head.contentRange?.bounds?.lowerBound ?? request.offset : 0
        transfer.receive(head, bodyAt: start)
      }
      return line.count
    }
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    lastProgress = .now
    guard let head, head.redirect == nil, head.status == 200 || head.status == 206 else {
      discarded += bytes.count
      return discarded <= Self.maximumDiscarded ? bytes.count : 0
    }
    switch transfer.append(bytes) {
    case .all: return bytes.count
    case .unwanted: return 0
    case .none:
      pausedSince = lastProgress
      return Int(CURL_WRITEFUNC_PAUSE)
    }
  }

  private func allows(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    // The proxy's own address is the operator's choice.
    if usesProxy { return true }
    guard let address = NetworkAddress(bytes: bytes) else { return false }
    let decision = request.policy.decision(forAddress: address, allowsLoopback: allowsLoopback)
    if case .denied(let reason) = decision {
      refusal = request.refusal(
        "the host \(url.host) leads to a forbidden place: \(reason)", at: url)
      return false
    }
    refusal = nil
    peerIsLoopback = address.scope == .loopback
    if hop == 0 { namedServerIsLoopback = peerIsLoopback }
    return true
  }

  private func outcome(of code: CURLcode) -> HTTPTransfer.Outcome {
    var text = String(cString: errorBuffer)
    if text.isEmpty { text = String(cString: ccurl_easy_strerror(code)) }
    let timesOut = code == CURLE_OPERATION_TIMEDOUT
    var error = MediaError(
      timesOut ? .timedOut : .readFailed, operation: head == nil ? "open" : "read",
      subject: "\(url)", reason: text)
    switch code {
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
      error.reason = "the server's certificate is not trusted: \(text)"
      error.remedy =
        "Name its authority in the policy's additionalCertificateAuthorities if it is a private one"
    case CURLE_SSL_CACERT_BADFILE:
      error.code = .invalidArgument
      error.reason = "the file of certificate authorities can't be read: \(text)"
    case CURLE_SSL_CONNECT_ERROR: error.reason = "TLS failed: \(text)"
    case CURLE_COULDNT_CONNECT: error.reason = "no connection to \(url.origin): \(text)"
    default: break
    }
    let transient = [
      CURLE_COULDNT_CONNECT, CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_RECV_ERROR,
      CURLE_SEND_ERROR, CURLE_OPERATION_TIMEDOUT,
    ]
    return .failed(error, isTransient: transient.contains(code))
  }
}
