/// An http or https URL, taken apart once and strictly, so that what the policy decided on is what
/// is connected to: libcurl only sees the text that is put together again from these parts.
///
/// Hosts that parsers read differently (`127.1`, `0x7f000001`, `%31`, back slashes) are refused.
struct HTTPURL: Hashable, Sendable {
  enum Scheme: String, Sendable {
    case http, https
    var defaultPort: Int { self == .http ? 80 : 443 }
  }

  struct Credentials: Hashable, Sendable {
    var user: String
    var password: String
  }

  let scheme: Scheme
  /// In lower case, without brackets or a final dot; an address in its standard text.
  let host: String
  let port: Int
  /// The address, when the host is one.
  let address: NetworkAddress?
  /// From the URL's user part, percent-decoded.
  let credentials: Credentials?
  /// Starts with a slash, without dot segments; only characters that a request line may hold.
  let path: String
  /// Without the question mark.
  let query: String?

  private init(
    scheme: Scheme, authority: Authority, path: String, query: String?
  ) {
    self.scheme = scheme
    host = authority.host
    port = authority.port ?? scheme.defaultPort
    address = authority.address
    credentials = authority.credentials
    self.path = path
    self.query = query
  }

  /// Takes an absolute URL apart; nil when it is not a well-formed http or https URL.
  init?(_ text: String) {
    guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")),
      let scheme = Scheme(rawValue: text[..<colon].lowercased())
    else { return nil }
    let rest = text[text.index(after: colon)...]
    guard rest.hasPrefix("//") else { return nil }
    self.init(scheme: scheme, hierarchy: rest.dropFirst(2))
  }

  /// What follows `scheme://`.
  private init?(scheme: Scheme, hierarchy: Substring) {
    let end = hierarchy.firstIndex { "/?#".contains($0) } ?? hierarchy.endIndex
    guard let authority = Authority(hierarchy[..<end]) else { return nil }
    let (path, query) = Self.split(hierarchy[end...])
    self.init(
      scheme: scheme, authority: authority, path: Self.normalized(path),
      query: query.map(Self.encoded))
  }

  /// Resolves a reference (RFC 3986, 5.2) as a `Location` header has it.
  ///
  /// Credentials in a reference are dropped; those of the base stay behind as well.
  func resolving(_ reference: String) -> ResolvedReference {
    let text = String(reference.drop { $0 == " " || $0 == "\t" })
    if let scheme = Self.scheme(of: text) {
      guard scheme == "http" || scheme == "https" else { return .otherScheme(scheme) }
      return HTTPURL(text).map { .url($0.withoutCredentials) } ?? .malformed
    }
    if text.hasPrefix("//") {
      let url = HTTPURL(scheme: scheme, hierarchy: text.dropFirst(2))
      return url.map { .url($0.withoutCredentials) } ?? .malformed
    }
    let (path, query) = Self.split(text[...])
    let joined: String
    var newQuery = query.map(Self.encoded)
    if path.isEmpty {
      joined = self.path
      if query == nil { newQuery = self.query }
    } else if path.hasPrefix("/") {
      joined = Self.normalized(path)
    } else {
      let folder = self.path[...(self.path.lastIndex(of: "/") ?? self.path.startIndex)]
      joined = Self.normalized(folder + path)
    }
    let authority = Authority(host: host, port: port, address: address, credentials: nil)
    return .url(HTTPURL(scheme: scheme, authority: authority, path: joined, query: newQuery))
  }

  enum ResolvedReference: Equatable {
    case url(HTTPURL)
    case otherScheme(String)
    case malformed
  }

  /// The scheme in front of a reference, in lower case; nil for a relative one.
  static func scheme(of text: some StringProtocol) -> String? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon]
    guard let first = scheme.utf8.first, first.isLetter,
      scheme.utf8.allSatisfy({ $0.isLetter || $0.isDigit || "+-.,".utf8.contains($0) })
    else { return nil }
    return scheme.lowercased()
  }

  /// Whether scheme, host and port are the same.
  func hasSameOrigin(as other: HTTPURL) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  private var withoutCredentials: HTTPURL {
    HTTPURL(
      scheme: scheme,
      authority: Authority(host: host, port: port, address: address, credentials: nil), path: path,
      query: query)
  }

  /// The text for a request, without credentials.
  var requestText: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// `scheme://host[:port]`.
  var origin: String {
    let port = port == scheme.defaultPort ? "" : ":\(port)"
    return "\(scheme.rawValue)://\(hostText)\(port)"
  }

  /// The host as it stands in a URL: an IPv6 address in brackets.
  var hostText: String { address?.isIPv6 == true ? "[\(host)]" : host }
}

extension HTTPURL: CustomStringConvertible {
  /// The text for messages: neither credentials nor the query, which is where signed URLs carry
  /// their secrets.
  var description: String { origin + path + (query == nil ? "" : "?…") }
}

extension HTTPURL {
  /// Path and query of what follows the authority; the fragment is not the server's business.
  private static func split(_ text: Substring) -> (path: Substring, query: Substring?) {
    let text = text.prefix { $0 != "#" }
    guard let mark = text.firstIndex(of: "?") else { return (text, nil) }
    return (text[..<mark], text[text.index(after: mark)...])
  }

  /// Percent-encodes what a request line can't hold; what is encoded already stays as it is.
  private static func encoded(_ text: some StringProtocol) -> String {
    var result = ""
    for byte in text.utf8 {
      let isPlain = byte > 0x20 && byte < 0x7F && !"\"<>\\^`{|}".utf8.contains(byte)
      if isPlain {
        result.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return result
  }

  /// Encodes a path and removes its dot segments.
  private static func normalized(_ path: some StringProtocol) -> String {
    var segments: [Substring] = []
    let encoded = encoded(path)
    let parts = encoded.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      switch part.lowercased() {
      case ".", "%2e":
        if isLast { segments.append("") }
      case "..", ".%2e", "%2e.", "%2e%2e":
        _ = segments.popLast()
        if isLast { segments.append("") }
      default: segments.append(part)
      }
    }
    return "/" + segments.joined(separator: "/")
  }

  /// Host, port and credentials.
  private struct Authority {
    var host: String
    var port: Int?
    var address: NetworkAddress?
    var credentials: Credentials?

    init(host: String, port: Int?, address: NetworkAddress?, credentials: Credentials?) {
      self.host = host
      self.port = port
      self.address = address
      self.credentials = credentials
    }

    init?(_ text: Substring) {
      var rest = text
      if let at = rest.lastIndex(of: "@") {
        let parts = rest[..<at].split(
          separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let user = parts.first.flatMap(Self.decoded),
          let password = parts.count > 1 ? Self.decoded(parts[1]) : ""
        else { return nil }
        credentials = Credentials(user: user, password: password)
        rest = rest[rest.index(after: at)...]
      }
      if rest.hasPrefix("[") {
        guard let end = rest.firstIndex(of: "]"),
          let address = NetworkAddress(rest[rest.index(after: rest.startIndex)..<end]),
          address.isIPv6
        else { return nil }
        self.address = address
        host = address.description
        rest = rest[rest.index(after: end)...]
      } else {
        let name = rest.prefix { $0 != ":" }
        guard let host = Self.host(name) else { return nil }
        self.host = host
        address = NetworkAddress(host)
        rest = rest[name.endIndex...]
      }
      guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
      let digits = rest.dropFirst()
      if !digits.isEmpty {
        guard digits.utf8.allSatisfy(\.isDigit), let port = Int(digits), (1...65535).contains(port)
        else { return nil }
        self.port = port
      }
    }

    /// A host name or an IPv4 address in dotted decimals, in lower case.
    private static func host(_ text: Substring) -> String? {
      let name = text.hasSuffix(".") ? text.dropLast() : text
      let isPlain = name.utf8.allSatisfy {
        $0.isLetter || $0.isDigit || "-_.".utf8.contains($0)
      }
      guard isPlain, !name.isEmpty, name.utf8.count <= 253, !name.hasPrefix(".") else { return nil }
      let labels = name.split(separator: ".", omittingEmptySubsequences: false)
      guard !labels.contains(where: \.isEmpty), let last = labels.last else { return nil }
      // Resolvers take a last label that is a number for an address in one of its old notations.
      let looksNumeric =
        last.utf8.allSatisfy(\.isDigit) || last.hasPrefix("0x") || last.hasPrefix("0X")
      if looksNumeric { return NetworkAddress(name)?.description }
      return name.lowercased()
    }

    private static func decoded(_ text: Substring) -> String? {
      var bytes: [UInt8] = []
      var rest = text.utf8[...]
      while let byte = rest.popFirst() {
        if byte == UInt8(ascii: "%") {
          guard let high = rest.popFirst()?.hexDigit, let low = rest.popFirst()?.hexDigit
          else { return nil }
          bytes.append(high << 4 | low)
        } else {
          // Parsers disagree about where a user part with anything else ends.
          guard byte.isLetter || byte.isDigit || "-._~!$&'()*+,;=:".utf8.contains(byte) else {
            return nil
          }
          bytes.append(byte)
        }
      }
      // A header can't carry these, and C strings end at the first.
      guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return nil }
      return String(validating: bytes, as: UTF8.self)
    }
  }
}

extension UInt8 {
  var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }
  var isLetter: Bool {
    let lower = self | 0x20
    return lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "z")
  }
  fileprivate var hexDigit: UInt8? {
    if isDigit { return self - UInt8(ascii: "0") }
    let lower = self | 0x20
    guard lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f") else { return nil }
    return lower - UInt8(ascii: "a") + 10
  }
}
