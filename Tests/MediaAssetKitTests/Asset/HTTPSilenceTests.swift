import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Servers that say nothing, and those who wait for them.
@Suite(.serialized) struct HTTPSilenceTests {
  static func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return .now - start
  }

  @Test func openingEndsAtTheDeadline() async throws {
    let server = try HTTPTestServer(nil)
    defer { server.stop() }
    let options = HTTPOptions(deadline: .milliseconds(700))
    let time = await Self.elapsed {
      let code = await code {
        _ = try await HTTPReader.open(server.origin, options: options, policy: loopbackPolicy)
      }
      #expect(code == .timedOut)
    }
    #expect(time > .milliseconds(650) && time < .within(.milliseconds(1200)))
  }

  @Test func cancellingAnOpenTakesNoTime() async throws {
    let server = try HTTPTestServer(nil)
    defer { server.stop() }
    let task = Task { _ = try await HTTPReader.open(server.origin, policy: loopbackPolicy) }
    try await Task.sleep(for: .milliseconds(200))
    let time = await Self.elapsed {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    #expect(time < .within(.milliseconds(200)))
  }

  /// Sends the head and 1000 bytes, then nothing.
  static func stallingServer() throws -> HTTPTestServer {
    try HTTPTestServer { request, connection in
      let first = request.range?.first ?? 0
      connection.send(
        status: "206 X",
        ["Content-Length": "\(9000 - first)", "Content-Range": "bytes \(first)-8999/9000"],
        body: testContent(1000))
      sleep(20)
      return false
    }
  }

  @Test func readsEndAtTheDeadline() async throws {
    let server = try Self.stallingServer()
    defer { server.stop() }
    let options = HTTPOptions(deadline: .milliseconds(700))
    let reader = try await HTTPReader.open(server.origin, options: options, policy: loopbackPolicy)
    let time = await Self.elapsed {
      let code = await code { try await blocking { _ = try read(reader, at: 0, count: 2000) } }
      #expect(code == .timedOut)
    }
    #expect(time > .milliseconds(500) && time < .within(.milliseconds(1200)))
  }

  @Test func interruptingAReadTakesNoTime() async throws {
    let server = try Self.stallingServer()
    defer { server.stop() }
    let reader = try await HTTPReader.open(server.origin, policy: loopbackPolicy)
    let isInterrupted = Monitor(false)
    let started = Monitor(ContinuousClock.now)
    onThread {
      usleep(300_000)
      started.withLock { $0 = .now }
      isInterrupted.withLock { $0 = true }
    }
    await #expect(throws: CancellationError.self) {
      try await blocking { () throws -> Void in
        _ = try read(reader, at: 0, count: 2000) { isInterrupted.withLock { $0 } }
      }
    }
    #expect(started.withLock { .now - $0 } < .within(.milliseconds(200)))
    // The stream is as it was, and what has arrived can still be read.
    let bytes = try await blocking { try read(reader.makeReader(), at: 0, count: 1000) }
    #expect(bytes == testContent(1000))
  }

  /// The deadline runs from the last byte: a slow server that keeps sending is not cut off.
  @Test func slowIsNotSilent() async throws {
    let server = try HTTPTestServer { _, connection in
      connection.send(
        Array("HTTP/1.1 206 X\r\nContent-Length: 8\r\nContent-Range: bytes 0-7/8\r\n\r\n".utf8))
      for byte in testContent(8) {
        usleep(200_000)
        connection.send([byte])
      }
      return true
    }
    defer { server.stop() }
    let options = HTTPOptions(deadline: .milliseconds(600))
    let reader = try await HTTPReader.open(server.origin, options: options, policy: loopbackPolicy)
    let got = try await blocking { try read(reader, at: 0, count: 8) }
    #expect(got == testContent(8))
  }

  static var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
  }

  @Test func silentServersCostNoThreads() async throws {
    let silent = try HTTPTestServer(nil)
    defer { silent.stop() }
    let content = testContent(1000)
    let lively = try HTTPTestServer { $1.sendRange(of: content, for: $0) }
    defer { lively.stop() }
    let before = Self.threadCount
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<300 {
        group.addTask {
          _ = try? await HTTPReader.open(silent.origin, policy: loopbackPolicy)
        }
      }
      try? await Task.sleep(for: .milliseconds(500))
      // The transfer thread, the pool's two, and what other tests have meanwhile.
      #expect(Self.threadCount - before < 20)
      // And nobody else is kept waiting.
      let time = await Self.elapsed {
        let reader = try? await HTTPReader.open(lively.origin, policy: loopbackPolicy)
        #expect(reader?.length == 1000)
      }
      #expect(time < .within(.milliseconds(500)))
      group.cancelAll()
    }
  }
}
