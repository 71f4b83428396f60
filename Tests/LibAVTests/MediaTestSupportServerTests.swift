import Foundation
import MediaTestSupport
import Testing

@Suite("Servers")
struct ServerTests {
  private let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// Asks with Python, whose client is not of our making.
  private func ask(
    _ url: String, range: String? = nil, method: String = "GET", timeout: Double = 10
  ) async throws -> (status: String, body: [UInt8]) {
    let script = """
      import sys, urllib.request, urllib.error
      request = urllib.request.Request(sys.argv[1], method=sys.argv[2])
      if sys.argv[3]: request.add_header('Range', sys.argv[3])
      try:
        answer = urllib.request.urlopen(request, timeout=float(sys.argv[4]))
        sys.stderr.write(str(answer.status)); sys.stderr.flush()
        sys.stdout.buffer.write(answer.read())
      except urllib.error.HTTPError as error: sys.stderr.write(str(error.code))
      except Exception as error: sys.stderr.write(' ' + type(error).__name__)
      """
    let output = try await MediaTool("python3").check(
      ["-c", script, url, method, range ?? "", String(timeout)], environment: ["no_proxy": "*"],
      waitsForTurn: false)
    return (output.errorText, output.standardOutput)
  }

  @Test func wholeFileAndRanges() async throws {
    let server = try SlowServer(.bytes(bytes))
    let whole = try await ask(server.url())
    #expect(whole.status == "200" && whole.body == bytes)
    let part = try await ask(server.url("other?x=1"), range: "bytes=10-19")
    #expect(part.status == "206" && part.body == Array(bytes[10..<20]))
    let tail = try await ask(server.url(), range: "bytes=-5")
    #expect(tail.body == Array(bytes.suffix(5)))
    #expect(try await ask(server.url(), range: "bytes=100000-").status == "416")
    #expect(try await ask(server.url(), method: "HEAD").status == "200")
    #expect(server.requests.map(\.method) == ["GET", "GET", "GET", "GET", "HEAD"])
    #expect(server.requests[1].range == "bytes=10-19" && server.requests[1].path == "/other?x=1")
    #expect(server.bodyBytesSent == bytes.count + 15)
  }

  @Test func refusals() async throws {
    for status in [403, 404, 500] {
      let server = try SlowServer(.bytes(bytes), ServerBehaviour { $0.status = status })
      #expect(try await ask(server.url()).status == String(status))
    }
    let noHead = try SlowServer(.bytes(bytes), ServerBehaviour { $0.refusesHead = true })
    #expect(try await ask(noHead.url(), method: "HEAD").status == "405")
    let noRanges = try SlowServer(.bytes(bytes), ServerBehaviour { $0.ranges = .ignored })
    let answer = try await ask(noRanges.url(), range: "bytes=10-19")
    #expect(answer.status == "200" && answer.body == bytes)
  }

  @Test func redirects() async throws {
    let once = try SlowServer(.bytes(bytes), ServerBehaviour { $0.redirect = .toSelf })
    #expect(try await ask(once.url()).body == bytes)
    #expect(once.requests.map(\.path) == ["/media.mp4", "/hop1/media.mp4"])
    let endless = try SlowServer(.bytes(bytes), ServerBehaviour { $0.redirect = .loop })
    #expect(try await ask(endless.url()).status == "302")
    #expect(endless.requests.count >= 5)
    let away = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.redirect = .to(once.url("there")) })
    #expect(try await ask(away.url()).body == bytes)
    #expect(once.requests.contains { $0.path == "/there" })
  }

  @Test func lengths() async throws {
    let chunked = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .chunked(777) })
    #expect(try await ask(chunked.url()).body == bytes)
    let open = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .missing })
    #expect(try await ask(open.url()).body == bytes)
    let short = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .off(by: -10) })
    #expect(try await ask(short.url()).body == Array(bytes.dropLast(10)))
    let long = try SlowServer(.bytes(bytes), ServerBehaviour { $0.length = .off(by: 10) })
    #expect(try await ask(long.url(), timeout: 0.3).status.contains("imeout"))
    let cut = try SlowServer(.bytes(bytes), ServerBehaviour { $0.closesAfter = 1000 })
    #expect(try await ask(cut.url()).status == "200 IncompleteRead")
  }

  @Test func slowness() async throws {
    let late = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.delayBeforeHeaders = .milliseconds(300) })
    let start = ContinuousClock.now
    #expect(try await ask(late.url()).body == bytes)
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    let stuck = try SlowServer(.bytes(bytes), ServerBehaviour { $0.silentAfter = 5000 })
    #expect(try await ask(stuck.url(), timeout: 0.3).status.contains("imeout"))
    #expect(stuck.bodyBytesSent == 5000)
    let pausing = try SlowServer(
      .bytes(bytes), ServerBehaviour { $0.delayInBody = (after: 100, .milliseconds(300)) })
    let second = ContinuousClock.now
    #expect(try await ask(pausing.url()).body == bytes)
    #expect(ContinuousClock.now - second >= .milliseconds(300))
  }

  @Test func silence() async throws {
    let server = try SilentServer()
    #expect(try await ask(server.url(), timeout: 0.3).status.contains("imeout"))
    #expect(server.connectionCount == 1)
    let noise = try BrokenServer(answering: Array("not HTTP\r\n\r\n".utf8))
    #expect(try await ask(noise.url()).status.contains("BadStatusLine"))
  }

  @Test func nothingIsLeftOpen() async throws {
    let server = try SilentServer()
    let port = server.port
    server.stop()
    try await Task.sleep(for: .milliseconds(50))
    let answer = try await ask("http://127.0.0.1:\(port)/", timeout: 1).status
    #expect(answer.contains("URLError"))
    #expect(server.openConnectionCount == 0)
  }
}
