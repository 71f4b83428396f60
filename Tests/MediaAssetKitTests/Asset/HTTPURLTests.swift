import Testing

@testable import MediaAssetKit

@Suite struct HTTPURLTests {
  @Test(arguments: [
    ("http://example.com", "http://example.com/"),
    ("HTTP://EXAMPLE.com.:80/A?b=c#d", "http://example.com/A?b=c"),
    ("https://example.com:443/a b/ü.mp4", "https://example.com/a%20b/%C3%BC.mp4"),
    ("https://example.com:8443/a%20b", "https://example.com:8443/a%20b"),
    ("http://[::1]:8000/", "http://[::1]:8000/"),
    ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:127.0.0.1]/"),
    ("http://127.0.0.1/", "http://127.0.0.1/"),
    ("http://example.com?q", "http://example.com/?q"),
    ("http://example.com/a/../../b/./c", "http://example.com/b/c"),
    ("http://example.com/a/%2e%2E/b", "http://example.com/b"),
    ("http://user:p%40ss@example.com/", "http://example.com/"),
  ])
  func wellFormed(text: String, request: String) throws {
    #expect(try #require(HTTPURL(text)).requestText == request)
  }

  /// Whatever two parsers could read differently is not read at all.
  @Test(arguments: [
    "", "example.com", "http:", "http:/example.com", "http://", "http:///a", "ftp://example.com/",
    "http://exa mple.com/", "http://ex%61mple.com/", "http://example.com\\@evil.com/",
    "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
    "http://127.0.0.1.5/", "http://1.2.3.4.5/", "http://example.com:0/",
    "http://example.com:65536/",
    "http://example.com:8a/", "http://[::1", "http://[::1]x/", "http://[fe80::1%25eth0]/",
    "http://[127.0.0.1]/", "http://exämple.com/", "http://a@b@example.com/",
    "http://a b@example.com/", "http://.example.com/", "http://a..b/",
    "http://u%0d%0a@example.com/", "http://u%zz@example.com/", "file:///a",
  ])
  func malformed(text: String) { #expect(HTTPURL(text) == nil) }

  @Test func credentials() throws {
    let url = try #require(HTTPURL("https://us%3Aer:p%40s:s@example.com/"))
    #expect(url.credentials == HTTPURL.Credentials(user: "us:er", password: "p@s:s"))
  }

  /// Messages and logs must not carry secrets.
  @Test func description() throws {
    let url = try #require(HTTPURL("https://user:pw@example.com/a.mp4?X-Signature=secret"))
    #expect("\(url)" == "https://example.com/a.mp4?…")
  }

  /// RFC 3986, 5.4, as far as http goes.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
    ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
    ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q"), ("", "http://a/b/c/d;p?q"),
    (".", "http://a/b/c/"), ("..", "http://a/b/"), ("../..", "http://a/"),
    ("../../../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/../x", "http://a/b/c/g?y/../x"),
    ("https://h/x", "https://h/x"),
  ])
  func resolving(reference: String, result: String) throws {
    let base = try #require(HTTPURL("http://a/b/c/d;p?q"))
    #expect(base.resolving(reference) == .url(try #require(HTTPURL(result))))
  }

  @Test(arguments: ["file:///etc/passwd", "gopher://x/", "javascript:1"])
  func otherSchemes(reference: String) throws {
    guard case .otherScheme = try #require(HTTPURL("http://a/")).resolving(reference) else {
      Issue.record("resolved")
      return
    }
  }
}

@Suite struct HTTPOptionsTests {
  @Test(arguments: [
    ("example.com", "/", false, "http://example.com/a", true),
    ("example.com", "/", false, "http://www.example.com/a", false),
    (".example.com", "/", false, "http://www.example.com/a", true),
    (".example.com", "/", false, "http://example.com/a", true),
    (".example.com", "/", false, "http://badexample.com/a", false),
    ("example.com", "/a", false, "http://example.com/a/b", true),
    ("example.com", "/a", false, "http://example.com/ab", false),
    ("example.com", "/a", false, "http://example.com/a", true),
    ("example.com", "/", true, "http://example.com/", false),
    ("example.com", "/", true, "https://example.com/", true),
    (".0.0.1", "/", false, "http://127.0.0.1/", false),
  ])
  func cookies(
    domain: String, path: String, isSecure: Bool, url: String, isSent: Bool
  ) throws {
    let cookie = HTTPOptions.Cookie(
      name: "n", value: "v", domain: domain, path: path, isSecure: isSecure)
    let header = HTTPOptions(cookies: [cookie]).cookieHeader(for: try #require(HTTPURL(url)))
    #expect(header == (isSent ? "n=v" : nil))
  }

  @Test(arguments: [
    HTTPOptions(headers: ["X-A": "b\r\nX-C: d"]), HTTPOptions(headers: ["X A": "b"]),
    HTTPOptions(headers: ["X:": "b"]), HTTPOptions(headers: ["": "b"]),
    HTTPOptions(headers: ["rAnge": "bytes=1-2"]), HTTPOptions(userAgent: "a\nb"),
    HTTPOptions(cookies: [.init(name: "a", value: "b; c=d", domain: "example.com")]),
    HTTPOptions(cookies: [.init(name: "a\r", value: "b", domain: "example.com")]),
  ])
  func injection(options: HTTPOptions) {
    #expect(throws: MediaError.self) { try options.validate(subject: "x") }
  }

  @Test(
    arguments: [
      ("http://example.com/", ["http_proxy": "p:1"], "p:1"),
      ("http://example.com/", ["HTTP_PROXY": "p:1"], nil),
      ("https://example.com/", ["HTTPS_PROXY": "p:1"], "p:1"),
      ("https://example.com/", ["http_proxy": "p:1", "ALL_PROXY": "q:1"], "q:1"),
      ("http://example.com/", ["http_proxy": "p:1", "no_proxy": "x, .example.com"], nil),
      ("http://a.example.com/", ["http_proxy": "p:1", "NO_PROXY": "example.com"], nil),
      ("http://badexample.com/", ["http_proxy": "p:1", "NO_PROXY": "example.com"], "p:1"),
      ("http://example.com/", ["http_proxy": "p:1", "no_proxy": "*"], nil),
      ("http://127.0.0.1:8000/", ["http_proxy": "p:1"], nil),
      ("http://localhost/", ["http_proxy": "p:1"], nil),
      ("http://[::1]/", ["http_proxy": "p:1"], nil),
      ("http://example.com/", ["http_proxy": ""], nil),
    ] as [(String, [String: String], String?)])
  func proxies(url: String, environment: [String: String], proxy: String?) throws {
    let url = try #require(HTTPURL(url))
    #expect(HTTPOptions.Proxy.environmentProxy(for: url) { environment[$0] } == proxy)
  }
}

@Suite struct HTTPResponseHeadTests {
  static func head(_ status: Int, _ headers: [String: String]) throws -> HTTPResponseHead {
    HTTPResponseHead(url: try #require(HTTPURL("http://a/")), status: status, headers: headers)
  }

  @Test(
    arguments: [
      ("bytes 0-9/10", 0, 9, 10), ("Bytes 5-5/*", 5, 5, nil), ("bytes */10", nil, nil, 10),
    ] as [(String, Int64?, Int64?, Int64?)])
  func contentRange(text: String, first: Int64?, last: Int64?, total: Int64?) throws {
    let range = try #require(try Self.head(206, ["content-range": text]).contentRange)
    #expect(range.bounds?.lowerBound == first)
    #expect(range.bounds?.upperBound == last)
    #expect(range.total == total)
  }

  @Test(arguments: [
    "", "bytes", "bytes 0-9", "bytes 9-0/10", "bytes 0-10/10", "bytes a-b/c", "items 0-9/10",
    "bytes -5/10", "bytes 0-99999999999999999999/*", "bytes 0-9/-1", "bytes 0-9/10/11",
  ])
  func malformedRange(text: String) throws {
    #expect(try Self.head(206, ["content-range": text]).contentRange == nil)
  }

  @Test(
    arguments: [
      ([:], ["etag": "\"a\""], true), (["etag": "\"a\""], ["etag": "\"a\""], true),
      (["etag": "\"a\""], ["etag": "W/\"a\""], true), (["etag": "\"a\""], ["etag": "\"b\""], false),
      (["last-modified": "x"], ["last-modified": "y"], false),
      (["etag": "\"a\"", "last-modified": "x"], ["etag": "\"a\"", "last-modified": "y"], true),
    ] as [([String: String], [String: String], Bool)])
  func validators(first: [String: String], second: [String: String], agree: Bool) throws {
    let validator = try Self.head(206, first).validator
    #expect(validator.agrees(with: try Self.head(206, second).validator) == agree)
  }

  @Test func parser() {
    var parser = HTTPHeadParser()
    let lines = [
      "HTTP/1.1 100 Continue", "X: y", "", "HTTP/1.1 206 Partial Content", "ETag:  \"a:b\" ",
      "X-A: 1", "x-a: 2", "broken", "",
    ]
    var result: (Int, [String: String])?
    for line in lines {
      let bytes = Array("\(line)\r\n".utf8)
      if case .head(let status, let headers) = bytes.withUnsafeBytes({ parser.consume($0) }) {
        result = (status, headers)
      }
    }
    #expect(result?.0 == 206)
    #expect(result?.1 == ["etag": "\"a:b\"", "x-a": "1, 2"])
  }

  @Test func endlessHeaders() {
    var parser = HTTPHeadParser()
    let line = [UInt8](repeating: UInt8(ascii: "a"), count: 1000)
    var isTooLong = false
    for _ in 0..<1000 {
      if case .tooLong = line.withUnsafeBytes({ parser.consume($0) }) { isTooLong = true }
    }
    #expect(isTooLong)
  }
}

@Suite struct HTTPWindowTests {
  @Test func wrapsAround() {
    let content = testContent(4_000_000)
    var window = HTTPWindow()
    window.restart(at: 0)
    var buffer = [UInt8](repeating: 0, count: 50_000)
    var read = 0
    while window.end < 3_900_000 {
      let next = Int(window.end)
      let isTaken = content[next..<next + 30_011].withUnsafeBytes { window.append($0) }
      if isTaken { continue }
      while window.count > 100_000 {
        let count = buffer.withUnsafeMutableBytes { window.take(into: $0) }
        #expect(count == 50_000)
        #expect(buffer == Array(content[read..<read + count]))
        read += count + 7
        window.drop(before: Int64(read))
        #expect(window.start == read)
      }
    }
  }

  @Test func full() {
    var window = HTTPWindow()
    let bytes = [UInt8](repeating: 1, count: HTTPWindow.capacity)
    let (first, second) = bytes.withUnsafeBytes { (window.append($0), window.append($0)) }
    #expect(first && !second)
    window.drop(before: 5_000_000_000)
    #expect(window.free == HTTPWindow.capacity)
  }
}
