/// How an http or https asset is asked for.
public struct HTTPOptions: Sendable, Hashable {
  /// Additional request headers; names without a colon, compared without regard to case.
  ///
  /// They are sent to the origin (scheme, host, port) of the asset's URL only, never to another one
  /// that it redirects to. `Range`, `Host`, `Cookie` and the headers of the connection itself are
  /// the library's own and can't be set.
  public var headers: [String: String]
  /// Cookies; each goes only to the hosts and paths that it belongs to.
  public var cookies: [Cookie]
  /// The `User-Agent`.
  public var userAgent: String
  /// The proxy; the environment's by default.
  public var proxy: Proxy
  /// How long connecting (with TLS) may take.
  public var connectTimeout: Duration
  /// How long to wait for the next byte; nil takes the policy's ``ResourcePolicy/deadline``.
  public var deadline: Duration?

  /// Options; the defaults serve public servers.
  public init(
    headers: [String: String] = [:], cookies: [Cookie] = [], userAgent: String = "MediaAssetKit",
    proxy: Proxy = .environment, connectTimeout: Duration = .seconds(10), deadline: Duration? = nil
  ) {
    self.headers = headers
    self.cookies = cookies
    self.userAgent = userAgent
    self.proxy = proxy
    self.connectTimeout = connectTimeout
    self.deadline = deadline
  }

  /// A cookie to send, with the places it belongs to (RFC 6265, 5.4).
  public struct Cookie: Sendable, Hashable {
    /// The name.
    public var name: String
    /// The value, sent as it is.
    public var value: String
    /// The host; with a dot in front, the hosts below it too.
    public var domain: String
    /// The path prefix.
    public var path: String
    /// Whether it goes over https only.
    public var isSecure: Bool

    /// A cookie for `domain`.
    public init(
      name: String, value: String, domain: String, path: String = "/", isSecure: Bool = false
    ) {
      self.name = name
      self.value = value
      self.domain = domain
      self.path = path
      self.isSecure = isSecure
    }
  }

  /// Which proxy requests go through.
  ///
  /// A proxy resolves names itself: the policy still checks schemes, host names and literal
  /// addresses, but which address a name leads to is then the proxy's to restrict.
  public enum Proxy: Sendable, Hashable {
    /// `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`, as libcurl reads them; hosts of this
    /// machine (`localhost`, loopback addresses) are always reached directly.
    case environment
    /// No proxy, whatever the environment says.
    case direct
    /// A proxy by URL: `http://`, `https://`, `socks5h://` …
    case url(String)
  }
}

extension HTTPOptions {
  /// Refuses what would change the request's shape.
  func validate(subject: String) throws {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "open", subject: subject, reason: reason)
    }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(\.isHeaderToken) else {
        throw refuse("\"\(name)\" is not a header name")
      }
      guard value.utf8.allSatisfy(\.isHeaderText) else {
        throw refuse("the value of the header \(name) has control characters")
      }
      guard !Self.ownHeaders.contains(name.lowercased()) else {
        throw refuse("the header \(name) is the library's own")
      }
    }
    guard userAgent.utf8.allSatisfy(\.isHeaderText) else {
      throw refuse("the user agent has control characters")
    }
    for cookie in cookies {
      guard !cookie.name.isEmpty, cookie.name.utf8.allSatisfy(\.isHeaderToken),
        cookie.value.utf8.allSatisfy({ $0.isHeaderText && $0 != UInt8(ascii: ";") })
      else { throw refuse("the cookie \"\(cookie.name)\" can't be sent as a header") }
    }
  }

  private static let ownHeaders: Set<String> = [
    "accept-encoding", "connection", "content-length", "cookie", "expect", "host", "if-range",
    "keep-alive", "proxy-authorization", "proxy-connection", "range", "te", "trailer",
    "transfer-encoding", "upgrade", "user-agent",
  ]

  /// The `Cookie` header's value for a request; nil when no cookie belongs there.
  func cookieHeader(for url: HTTPURL) -> String? {
    let pairs = cookies.filter { $0.matches(url) }.map { "\($0.name)=\($0.value)" }
    return pairs.isEmpty ? nil : pairs.joined(separator: "; ")
  }
}

extension HTTPOptions.Cookie {
  func matches(_ url: HTTPURL) -> Bool {
    if isSecure && url.scheme != .https { return false }
    let domain = domain.lowercased()
    let isBelow = domain.hasPrefix(".") && url.address == nil && url.host.hasSuffix(domain)
    guard isBelow || url.host == (domain.hasPrefix(".") ? String(domain.dropFirst()) : domain)
    else { return false }
    guard url.path.hasPrefix(path) else { return false }
    return path.hasSuffix("/") || url.path.utf8.count == path.utf8.count
      || url.path.dropFirst(path.count).hasPrefix("/")
  }
}

extension UInt8 {
  /// A `tchar` of RFC 9110.
  fileprivate var isHeaderToken: Bool {
    isDigit || isLetter || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
  fileprivate var isHeaderText: Bool { self >= 0x20 && self != 0x7F || self == 0x09 }
}
