import LibAV
import Glibc
import Testing

@testable import MediaAssetKit

/// Reads `count` bytes, or up to the end, on the calling thread.
func read(
  _ reader: any RandomAccessReader, at offset: Int64, count: Int,
  interrupted: () -> Bool = { false }
) throws -> [UInt8] {
  var result = [UInt8](repeating: 0, count: count)
  var done = 0
  while done < count {
    let got = try result.withUnsafeMutableBytes {
      try reader.read(
        at: offset + Int64(done), into: UnsafeMutableRawBufferPointer(rebasing: $0[done...]),
        interrupted: interrupted)
    }
    if got == 0 { break }
    done += got
  }
  return Array(result[..<done])
}

/// What a reader of local servers needs.
var loopbackPolicy: ResourcePolicy {
  var policy = ResourcePolicy()
  policy.allowsNetwork = true
  policy.allowsLoopbackForAsset = true
  policy.deadline = .seconds(5)
  return policy
}

func code(of body: () async throws -> Void) async -> MediaError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? MediaError)?.code
  }
}

@Suite struct HTTPReaderTests {
  static let content = testContent(5_000_000)

  static func rangeServer() throws -> HTTPTestServer {
    try HTTPTestServer { $1.sendRange(of: content, for: $0, headers: ["ETag": "\"1\""]) }
  }

  static func open(_ server: HTTPTestServer, _ path: String = "/a.mp4") async throws -> HTTPReader {
    try await HTTPReader.open(server.origin + path, policy: loopbackPolicy)
  }

  @Test func sequentialReadIsOneRequest() async throws {
    let server = try Self.rangeServer()
    defer { server.stop() }
    let reader = try await Self.open(server)
    #expect(reader.length == 5_000_000)
    #expect(reader.isSeekable)
    #expect(reader.info.name == "a.mp4")
    let bytes = try await blocking { try read(reader, at: 0, count: 6_000_000) }
    #expect(bytes == Self.content)
    #expect(server.requests.count == 1)
    #expect(server.requests.first?.headers["range"] == "bytes=0-")
  }

  /// Front, end, and back to the front: the first stream is still there.
  @Test func headerAtTheEndIsTwoRequests() async throws {
    let server = try Self.rangeServer()
    defer { server.stop() }
    let reader = try await Self.open(server)
    try await blocking { () throws -> Void in
      #expect(try read(reader, at: 0, count: 100) == Array(Self.content[..<100]))
      #expect(try read(reader, at: 4_900_000, count: 200_000) == Array(Self.content[4_900_000...]))
      #expect(try read(reader, at: 100, count: 100) == Array(Self.content[100..<200]))
      // A short skip is read over.
      #expect(try read(reader, at: 300_000, count: 10) == Array(Self.content[300_000..<300_010]))
    }
    #expect(server.requests.compactMap(\.range?.first) == [0, 4_900_000])
  }

  @Test func pausesWhenNobodyReads() async throws {
    let sent = Monitor(0)
    let server = try HTTPTestServer { _, connection in
      _ = connection.send(
        Array(
          "HTTP/1.1 206 X\r\nContent-Length: 200000000\r\nContent-Range: bytes 0-199999999/200000000\r\n\r\n"
            .utf8))
      let chunk = [UInt8](repeating: 7, count: 100_000)
      for _ in 0..<2000 {
        guard connection.send(chunk) else { return false }
        sent.withLock { $0 += chunk.count }
      }
      return true
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    try await Task.sleep(for: .milliseconds(500))
    // The window, and what the two sockets hold: far from all of it.
    #expect(sent.withLock { $0 } < 20_000_000)
    // And it goes on when asked.
    let count = try await blocking { try read(reader, at: 0, count: 50_000_000).count }
    #expect(count == 50_000_000)
  }

  @Test func randomReads() async throws {
    let server = try Self.rangeServer()
    defer { server.stop() }
    let reader = try await Self.open(server)
    try await blocking { () throws -> Void in
      var generator = SplitMix(state: 42)
      for _ in 0..<100 {
        let offset = Int.random(in: 0..<5_000_000, using: &generator)
        let count = min(Int.random(in: 1...100_000, using: &generator), 5_000_000 - offset)
        let bytes = try read(reader, at: Int64(offset), count: count)
        #expect(bytes == Array(Self.content[offset..<offset + count]), "\(offset) \(count)")
      }
    }
  }

  @Test func concurrentReaders() async throws {
    let server = try Self.rangeServer()
    defer { server.stop() }
    let first = try await Self.open(server)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for index in 0..<8 {
        // Half of them share one reader.
        let reader = index % 2 == 0 ? first : first.makeReader()
        group.addTask {
          try await blocking { () throws -> Bool in
            var generator = SplitMix(state: UInt64(index))
            return try (0..<10).allSatisfy { _ in
              let offset = Int.random(in: 0..<4_900_000, using: &generator)
              let bytes = try read(reader, at: Int64(offset), count: 50_000)
              return bytes == Array(Self.content[offset..<offset + 50_000])
            }
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func emptyFile() async throws {
    let server = try HTTPTestServer { $1.sendRange(of: [], for: $0) }
    defer { server.stop() }
    let reader = try await Self.open(server)
    #expect(reader.length == 0)
    let got = try await blocking { try read(reader, at: 0, count: 10) }
    #expect(got == [])
  }

  @Test(arguments: [true, false])
  func serverWithoutRanges(hasLength: Bool) async throws {
    let content = testContent(3_000_000)
    let server = try HTTPTestServer { _, connection in
      if hasLength { return connection.send(status: "200 OK", body: content) }
      connection.send(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + content)
      return false
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    #expect(!reader.isSeekable)
    #expect(reader.length == (hasLength ? 3_000_000 : nil))
    let file = try SpooledFile(reader, name: "a", maximumBytes: 3_000_000, folder: "/tmp")
    try await blocking { () throws -> Void in
      #expect(try read(file, at: 2_999_990, count: 20) == Array(content[2_999_990...]))
      #expect(try read(file, at: 5, count: 500_000) == Array(content[5..<500_005]))
      #expect(try file.spoolAll { false } == 3_000_000)
    }
    #expect(file.length == 3_000_000)
    #expect(server.requests.count == 1)
    let backwards = await code { try await blocking { _ = try read(reader, at: 0, count: 1) } }
    #expect(backwards == .operationNotSupported)
  }

  /// RFC 9110 lets a server answer `bytes=0-` with the whole.
  @Test func rangesAreFoundOutByAnotherRequest() async throws {
    let content = testContent(2_000_000)
    let server = try HTTPTestServer { request, connection in
      if request.range?.first == 0 {
        return connection.send(status: "200 OK", ["Accept-Ranges": "bytes"], body: content)
      }
      return connection.sendRange(of: content, for: request)
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    #expect(reader.isSeekable)
    let bytes = try await blocking { try read(reader, at: 1_999_990, count: 20) }
    #expect(bytes == Array(content[1_999_990...]))
  }

  @Test(arguments: [
    (404, MediaError.Code.fileNotFound), (410, .fileNotFound), (401, .accessDenied),
    (403, .accessDenied), (500, .readFailed), (503, .readFailed), (304, .readFailed),
  ])
  func statuses(status: Int, expected: MediaError.Code) async throws {
    let server = try HTTPTestServer { _, connection in
      connection.send(status: "\(status) X", body: [UInt8](repeating: 0, count: 200_000))
    }
    defer { server.stop() }
    #expect(await code { _ = try await Self.open(server) } == expected)
  }

  @Test(arguments: [
    ["Content-Range": "bytes 5-9/10"], ["Content-Range": "nonsense"], [:],
    ["Content-Range": "bytes 0-9/10", "Content-Encoding": "gzip"],
    ["Content-Range": "bytes 0-9/10", "Content-Type": "multipart/byteranges; boundary=x"],
  ])
  func misconfigured(headers: [String: String]) async throws {
    let server = try HTTPTestServer { _, connection in
      connection.send(status: "206 X", headers, body: [UInt8](repeating: 0, count: 10))
    }
    defer { server.stop() }
    #expect(await code { _ = try await Self.open(server) } == .serverIncorrectlyConfigured)
  }

  @Test func wholeWhereARangeWasAskedFor() async throws {
    let server = try HTTPTestServer { request, connection in
      if request.range?.first == 0 { return connection.sendRange(of: Self.content, for: request) }
      return connection.send(status: "200 OK", body: Self.content)
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    let code = await code { try await blocking { _ = try read(reader, at: 4_000_000, count: 1) } }
    #expect(code == .serverIncorrectlyConfigured)
  }

  @Test(arguments: [["ETag": "\"2\""], ["Last-Modified": "Tue, 02 Jan 2024 00:00:00 GMT"]])
  func changedResource(headers: [String: String]) async throws {
    let server = try HTTPTestServer { request, connection in
      let old = headers["ETag"] == nil ? ["Last-Modified": "Mon, 01 Jan 2024"] : ["ETag": "\"1\""]
      return connection.sendRange(
        of: Self.content, for: request, headers: request.range?.first == 0 ? old : headers)
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    await #expect {
      try await blocking { _ = try read(reader, at: 4_000_000, count: 1) }
    } throws: {
      ($0 as? MediaError)?.code == .readFailed && "\($0)".contains("changed")
    }
  }

  /// Every connection breaks after 1.5 MB; the reader goes on from the last byte.
  @Test func droppedConnections() async throws {
    let server = try HTTPTestServer { request, connection in
      let first = request.range?.first ?? 0
      let end = min(first + 1_500_000, Self.content.count)
      let last = Self.content.count - 1
      connection.send(
        status: "206 X",
        [
          "Content-Length": "\(Self.content.count - first)",
          "Content-Range": "bytes \(first)-\(last)/\(Self.content.count)",
        ], body: Self.content[first..<end])
      return false
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    let bytes = try await blocking { try read(reader, at: 0, count: 5_000_000) }
    #expect(bytes == Self.content)
    #expect(server.requests.compactMap(\.range?.first) == [0, 1_500_000, 3_000_000, 4_500_000])
  }

  /// A server that never gets further is given up, with how far it got.
  @Test func truncatedForEver() async throws {
    let server = try HTTPTestServer { request, connection in
      let first = request.range?.first ?? 0
      connection.send(
        status: "206 X",
        ["Content-Length": "\(1000 - first)", "Content-Range": "bytes \(first)-999/1000"],
        body: [UInt8](repeating: 1, count: max(0, 600 - first)))
      return false
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    let got = Monitor(0)
    await #expect {
      try await blocking { () throws -> Void in
        while true {
          let offset = got.withLock { $0 }
          let count = try read(reader, at: Int64(offset), count: 100).count
          got.withLock { $0 += count }
        }
      }
    } throws: {
      ($0 as? MediaError)?.code == .readFailed && "\($0)".contains("byte 600 of 1000")
    }
    #expect(got.withLock { $0 } == 600)
    #expect(server.requests.count == 3)
  }

  /// Servers may give a long range in parts.
  @Test func clampedRanges() async throws {
    let server = try HTTPTestServer { request, connection in
      var request = request
      let first = request.range?.first ?? 0
      request.range = (first, first + 99_999)
      return connection.sendRange(of: Self.content, for: request)
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    let bytes = try await blocking { try read(reader, at: 0, count: 5_000_000) }
    #expect(bytes == Self.content)
  }

  /// A store redirects to a signed URL that runs out; the named URL gives another.
  @Test func signedRedirectRunsOut() async throws {
    let signature = Monitor(1)
    let server = try HTTPTestServer { request, connection in
      let current = "/signed?\(signature.withLock { $0 })"
      if request.path == "/a.mp4" {
        return connection.send(status: "307 X", ["Location": current], body: [])
      }
      guard request.path == current else { return connection.send(status: "403 X", body: []) }
      return connection.sendRange(of: Self.content, for: request)
    }
    defer { server.stop() }
    let reader = try await Self.open(server)
    signature.withLock { $0 = 2 }
    try await blocking { () throws -> Void in
      for offset in [4_000_000, 3_000_000, 2_000_000] {
        let bytes = try read(reader, at: Int64(offset), count: 10)
        #expect(bytes == Array(Self.content[offset..<offset + 10]))
      }
    }
    let paths = server.requests.map(\.path)
    let expected = ["/a.mp4", "/signed?1", "/signed?1", "/a.mp4", "/signed?2", "/signed?2"]
    #expect(paths == expected + ["/signed?2"])
  }

  @Test func headersCookiesUserAgent() async throws {
    let server = try Self.rangeServer()
    defer { server.stop() }
    let options = HTTPOptions(
      headers: ["X-Token": "secret", "X-Empty": ""],
      cookies: [
        .init(name: "a", value: "1", domain: "127.0.0.1"),
        .init(name: "b", value: "2", domain: "example.com"),
      ], userAgent: "Test/1")
    let url = "http://user:p%40ss@127.0.0.1:\(server.port)/a%20b.mp4?q=1"
    _ = try await HTTPReader.open(url, options: options, policy: loopbackPolicy)
    let request = try #require(server.requests.first)
    #expect(request.path == "/a%20b.mp4?q=1")
    #expect(request.headers["x-token"] == "secret")
    #expect(request.headers["x-empty"]?.isEmpty == true)
    #expect(request.headers["cookie"] == "a=1")
    #expect(request.headers["user-agent"] == "Test/1")
    #expect(request.headers["accept-encoding"] == "identity")
    #expect(request.headers["authorization"] == "Basic dXNlcjpwQHNz")
  }
}

/// A seeded generator, so that a failure can be repeated.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
