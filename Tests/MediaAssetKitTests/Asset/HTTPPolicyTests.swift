import Foundation
import Testing

@testable import MediaAssetKit

/// Redirects, addresses, certificates.
@Suite struct HTTPPolicyTests {
  static func redirector(to location: @escaping @Sendable (String) -> String?) throws
    -> HTTPTestServer
  {
    let content = testContent(100)
    return try HTTPTestServer { request, connection in
      guard let location = location(request.path) else {
        return connection.sendRange(of: content, for: request)
      }
      return connection.send(status: "302 Found", ["Location": location], body: Array("gone".utf8))
    }
  }

  @Test func redirectOnTheSameHost() async throws {
    let server = try Self.redirector { $0 == "/b/c.mp4" ? nil : "../b/c.mp4" }
    defer { server.stop() }
    let options = HTTPOptions(headers: ["X-Token": "secret"])
    let reader = try await HTTPReader.open(
      server.origin + "/a/x.mp4", options: options, policy: loopbackPolicy)
    #expect(reader.length == 100)
    #expect(server.requests.map(\.path) == ["/a/x.mp4", "/b/c.mp4"])
    #expect(server.requests.allSatisfy { $0.headers["x-token"] == "secret" })
  }

  @Test func secretsStayAtHome() async throws {
    let other = try Self.redirector { _ in nil }
    defer { other.stop() }
    let target = other.origin
    let server = try Self.redirector { _ in target + "/b.mp4" }
    defer { server.stop() }
    let options = HTTPOptions(
      headers: ["X-Token": "secret", "Authorization": "Bearer x"],
      cookies: [.init(name: "a", value: "1", domain: "localhost")])
    let url = "http://user:pw@localhost:\(server.port)/a.mp4"
    var policy = loopbackPolicy
    policy.allowsPrivateAddresses = true
    let reader = try await HTTPReader.open(url, options: options, policy: policy)
    #expect(reader.length == 100)
    let first = try #require(server.requests.first)
    #expect(first.headers["x-token"] == "secret")
    #expect(first.headers["cookie"] == "a=1")
    let second = try #require(other.requests.first)
    #expect(second.headers["x-token"] == nil)
    #expect(second.headers["authorization"] == nil)
    #expect(second.headers["cookie"] == nil)
  }

  /// A server on this machine may not send us to another one here, by address or by name.
  @Test(arguments: ["127.0.0.1", "localhost"])
  func redirectToAnotherServerHere(host: String) async throws {
    let other = try Self.redirector { _ in nil }
    defer { other.stop() }
    let target = "http://\(host):\(other.port)/b.mp4"
    let server = try Self.redirector { _ in target }
    defer { server.stop() }
    let code = await code {
      _ = try await HTTPReader.open(server.origin + "/a.mp4", policy: loopbackPolicy)
    }
    #expect(code == .resourceForbidden)
    #expect(other.connectionCount == 0)
  }

  @Test func loopsEnd() async throws {
    let server = try Self.redirector { _ in "/again" }
    defer { server.stop() }
    let code = await code {
      _ = try await HTTPReader.open(server.origin + "/a", policy: loopbackPolicy)
    }
    #expect(code == .resourceForbidden)
    #expect(server.requests.count == 9)
  }

  @Test(arguments: [
    "file:///etc/passwd", "https://127.0.0.1/x", "ftp://example.com/x", "http://10.0.0.1/x",
    "http://169.254.169.254/latest/meta-data", "http://[::ffff:169.254.169.254]/x",
    "http://0.0.0.0/x", "http://[::]/x", "http://[64:ff9b::a00:1]/x", "http://2130706433/x",
    "http://0x7f.1/x", "//192.168.0.1/x", "http://127.0.0.1:99999/",
  ])
  func forbiddenRedirects(location: String) async throws {
    let server = try Self.redirector { _ in location }
    defer { server.stop() }
    let code = await code {
      _ = try await HTTPReader.open(server.origin + "/a", policy: loopbackPolicy)
    }
    #expect(code == .resourceForbidden)
    #expect(server.requests.count == 1)
  }

  /// By default nothing of this is even connected to.
  @Test(arguments: ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]"])
  func loopbackIsRefused(host: String) async throws {
    let server = try Self.redirector { _ in nil }
    defer { server.stop() }
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    let url = "http://\(host):\(server.port)/a"
    #expect(await code { _ = try await HTTPReader.open(url, policy: policy) } == .resourceForbidden)
    #expect(server.connectionCount == 0)
  }

  @Test func networkIsRefused() async throws {
    let url = "http://example.com/a"
    #expect(await code { _ = try await HTTPReader.open(url) } == .resourceForbidden)
    let asReference = await code {
      _ = try await HTTPReader.open(url, role: .reference(base: "/m/a.m3u8"))
    }
    #expect(asReference == .referenceForbidden)
    let malformed = await code {
      _ = try await HTTPReader.open("http:///a", policy: loopbackPolicy)
    }
    #expect(malformed == .invalidArgument)
  }

  /// A pooled connection that one asset may use is not open to another.
  @Test func pooledConnectionsKeepThePolicy() async throws {
    let server = try Self.redirector { _ in nil }
    defer { server.stop() }
    let url = "http://localhost:\(server.port)/a"
    // Until one is pooled: beside many other transfers idle connections are closed.
    for _ in 0..<100 where server.requests.count == server.connectionCount {
      let reader = try await HTTPReader.open(url, policy: loopbackPolicy)
      let count = try await blocking { try read(reader, at: 0, count: 200).count }
      #expect(count == 100)
    }
    #expect(server.requests.count > server.connectionCount)
    let before = server.requests.count
    var policy = loopbackPolicy
    policy.allowsLoopbackForAsset = false
    let code = await code { _ = try await HTTPReader.open(url, policy: policy) }
    #expect(code == .resourceForbidden)
    #expect(server.requests.count == before)
  }

  @Test func unknownHost() async throws {
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    let url = "http://no-such-host.invalid/a"
    let options = HTTPOptions(proxy: .direct)
    #expect(
      await code { _ = try await HTTPReader.open(url, options: options, policy: policy) }
        == .readFailed)
  }

  @Test func nobodyListens() async throws {
    let server = try HTTPTestServer(nil)
    server.stop()
    let url = server.origin + "/a"
    #expect(
      await code { _ = try await HTTPReader.open(url, policy: loopbackPolicy) } == .readFailed)
  }

  /// Through a proxy, the proxy is connected to, and the target is in the request line.
  @Test func proxy() async throws {
    let server = try Self.redirector { _ in nil }
    defer { server.stop() }
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    let options = HTTPOptions(proxy: .url(server.origin))
    let reader = try await HTTPReader.open(
      "http://media.invalid/a.mp4", options: options, policy: policy)
    #expect(reader.length == 100)
    #expect(server.requests.map(\.path) == ["http://media.invalid/a.mp4"])
  }

  @Test func certificates() async throws {
    let server = try TLSServer()
    defer { server.stop() }
    let url = "https://localhost:\(server.port)/a.bin"
    await #expect {
      _ = try await HTTPReader.open(url, policy: loopbackPolicy)
    } throws: {
      ($0 as? MediaError)?.code == .readFailed && "\($0)".contains("certificate")
    }
    var policy = loopbackPolicy
    policy.additionalCertificateAuthorities = server.certificate
    let reader = try await HTTPReader.open(url, policy: policy)
    #expect(reader.length == 1000)
    let bytes = try await blocking { try read(reader, at: 0, count: 2000) }
    #expect(bytes == testContent(1000))
    // The right authority, the wrong name.
    let wrongName = "https://127.0.0.1:\(server.port)/a.bin"
    await #expect(throws: MediaError.self) {
      _ = try await HTTPReader.open(wrongName, policy: policy)
    }
    policy.additionalCertificateAuthorities = "/no/such/file.pem"
    let missing = policy
    #expect(
      await code { _ = try await HTTPReader.open(url, policy: missing) } == .invalidArgument)
  }
}

/// Python's server with a certificate for `localhost` that signs itself.
private final class TLSServer {
  let port: Int
  let certificate: String
  private let folder: URL
  private let process = Process()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.appending(path: "cert.pem").path
    try Data(testContent(1000)).write(to: folder.appending(path: "a.bin"))
    let openssl = Process()
    openssl.executableURL = URL(filePath: "/usr/bin/env")
    openssl.arguments = [
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
      folder.appending(path: "key.pem").path, "-out", certificate,
    ]
    openssl.standardError = FileHandle.nullDevice
    try openssl.run()
    openssl.waitUntilExit()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.currentDirectoryURL = folder
    process.arguments = [
      "python3", "-u", "-c",
      """
      import http.server, ssl
      server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
      context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
      context.load_cert_chain("cert.pem", "key.pem")
      server.socket = context.wrap_socket(server.socket, server_side=True)
      print(server.server_address[1])
      server.serve_forever()
      """,
    ]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    port = try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines)))
  }

  func stop() {
    // SIGTERM may be blocked, since a child inherits its parent thread's mask.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }
}
