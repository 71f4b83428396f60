/// Status and headers of a response.
struct HTTPResponseHead: Sendable {
  /// Where it came from, after redirects.
  var url: HTTPURL
  var status: Int
  /// By name in lower case; values of repeated headers are joined by a comma.
  var headers: [String: String]
  /// Whether the connection's peer was this machine.
  var isFromLoopback = false

  func value(_ name: String) -> String? { headers[name] }

  /// Where the response redirects to.
  var redirect: String? {
    [301, 302, 303, 307, 308].contains(status) ? value("location") : nil
  }

  var contentLength: Int64? { value("content-length").flatMap(Self.number) }

  /// The range that a partial response has.
  struct ContentRange: Equatable {
    /// The offsets of the first and the last byte; nil in `*/total`, when nothing was in range.
    var bounds: ClosedRange<Int64>?
    /// The length of the whole, nil for `*`.
    var total: Int64?
  }

  /// The `Content-Range`; nil when there is none or it makes no sense.
  var contentRange: ContentRange? {
    guard let value = value("content-range")?.lowercased(), value.hasPrefix("bytes") else {
      return nil
    }
    let parts = value.dropFirst(5).drop { $0 == " " || $0 == "=" }
      .split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*" else { return nil }
    if parts[0] == "*" { return ContentRange(bounds: nil, total: total) }
    let bounds = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard bounds.count == 2, let first = Self.number(bounds[0]), let last = Self.number(bounds[1]),
      first <= last, last < total ?? .max
    else { return nil }
    return ContentRange(bounds: first...last, total: total)
  }

  /// Whether the bytes are those of the resource and not packed in some way.
  var isPlain: Bool {
    let coding = value("content-encoding")?.lowercased() ?? "identity"
    let type = value("content-type")?.lowercased() ?? ""
    return (coding == "identity" || coding.isEmpty) && !type.hasPrefix("multipart/byteranges")
  }

  /// What tells one version of the resource from another.
  struct Validator: Hashable, Sendable {
    var entityTag: String?
    var lastModified: String?

    /// Whether the two may be the same version; what one of them lacks is not compared.
    func agrees(with other: Validator) -> Bool {
      if let own = entityTag, let its = other.entityTag { return own == its }
      if let own = lastModified, let its = other.lastModified { return own == its }
      return true
    }
  }

  var validator: Validator {
    var tag = value("etag")
    // Servers weaken a tag when they compress; the version is the same.
    if let text = tag, text.hasPrefix("W/") { tag = String(text.dropFirst(2)) }
    return Validator(entityTag: tag, lastModified: value("last-modified"))
  }

  private static func number(_ text: some StringProtocol) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
    return Int64(text)
  }
}

/// Builds heads from header lines as libcurl hands them over.
struct HTTPHeadParser {
  private var status: Int?
  private var headers: [String: String] = [:]
  private var bytes = 0

  /// The most that the headers of all responses to one request may take.
  static let maximumBytes = 256 << 10

  enum Step {
    case more
    case head(status: Int, headers: [String: String])
    case tooLong
  }

  /// Takes one line, with its line end.
  mutating func consume(_ line: UnsafeRawBufferPointer) -> Step {
    bytes += line.count
    guard bytes <= Self.maximumBytes else { return .tooLong }
    let text = String(decoding: line, as: UTF8.self).trimmed
    if text.isEmpty {
      guard let status, status >= 200 else {
        (status, headers) = (nil, [:])  // 1xx; the real one is still to come
        return .more
      }
      defer { (self.status, self.headers) = (nil, [:]) }
      return .head(status: status, headers: headers)
    }
    if text.hasPrefix("HTTP/"), status == nil {
      let code = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      (status, headers) = (code, [:])
      return .more
    }
    guard status != nil, let colon = text.firstIndex(of: ":") else { return .more }
    let name = text[..<colon].lowercased()
    let value = String(text[text.index(after: colon)...]).trimmed
    headers[name] = headers[name].map { $0 + ", " + value } ?? value
    return .more
  }
}

extension String {
  /// Without white space at either end.
  fileprivate var trimmed: String {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = utf8.firstIndex(where: { !isSpace($0) }),
      let last = utf8.lastIndex(where: { !isSpace($0) })
    else { return "" }
    return String(self[first...last])
  }
}
