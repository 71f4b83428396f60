#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

extension HTTPOptions.Proxy {
  /// The proxy for a request, or nil to connect directly.
  func proxy(for url: HTTPURL) -> String? {
    switch self {
    case .direct: nil
    case .url(let proxy): proxy
    case .environment:
      Self.environmentProxy(for: url) { name in
        getenv(name).map { String(cString: $0) }
      }
    }
  }

  /// What the environment says, by libcurl's rules: lower-case names win, and `HTTP_PROXY` does not
  /// count, because a CGI program gets it from a client's `Proxy:` header.
  static func environmentProxy(
    for url: HTTPURL, variable: (String) -> String?
  ) -> String? {
    if url.host == "localhost" || url.host.hasSuffix(".localhost")
      || url.address?.scope == .loopback
    {
      return nil
    }
    if isExcluded(url.host, by: variable("no_proxy") ?? variable("NO_PROXY") ?? "") { return nil }
    let names =
      switch url.scheme {
      case .http: ["http_proxy", "all_proxy", "ALL_PROXY"]
      case .https: ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      }
    return names.lazy.compactMap(variable).first { !$0.isEmpty }
  }

  private static func isExcluded(_ host: String, by list: String) -> Bool {
    list.split { $0 == "," || $0 == " " }.contains { entry in
      if entry == "*" { return true }
      var name = entry.lowercased()
      if name.hasPrefix(".") { name.removeFirst() }
      if name.hasPrefix("["), name.hasSuffix("]") { name = String(name.dropFirst().dropLast()) }
      return host == name || host.hasSuffix("." + name)
    }
  }
}
