import Glibc

@testable import MediaAssetKit

/// A small HTTP/1.1 server on the loopback address, one thread a connection.
final class HTTPTestServer: Sendable {
  struct Request: Sendable {
    var path: String
    var headers: [String: String]
    /// The bounds of a `Range: bytes=a-b` header.
    var range: (first: Int, last: Int?)?
  }

  /// One connection, to answer on.
  struct Connection: Sendable {
    let descriptor: Int32

    /// False when the peer is gone.
    @discardableResult
    func send(_ bytes: some Collection<UInt8>) -> Bool {
      let bytes = Array(bytes)
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(
            descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done,
            Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return false }
        done += count
      }
      return true
    }

    @discardableResult
    func send(status: String, _ headers: [String: String] = [:], body: some Collection<UInt8>)
      -> Bool
    {
      var headers = headers
      headers["Content-Length"] = headers["Content-Length"] ?? "\(body.count)"
      let lines = headers.map { "\($0): \($1)\r\n" }.joined()
      return send(Array("HTTP/1.1 \(status)\r\n\(lines)\r\n".utf8)) && send(body)
    }

    /// Answers as a server with byte ranges does.
    func sendRange(
      of content: [UInt8], for request: Request, headers: [String: String] = [:]
    ) -> Bool {
      guard let range = request.range else {
        return send(status: "200 OK", headers, body: content)
      }
      guard range.first < content.count else {
        return send(
          status: "416 Range Not Satisfiable",
          headers.merging(["Content-Range": "bytes */\(content.count)"]) { $1 }, body: [])
      }
      let last = min(range.last ?? .max, content.count - 1)
      return send(
        status: "206 Partial Content",
        headers.merging(["Content-Range": "bytes \(range.first)-\(last)/\(content.count)"]) { $1 },
        body: content[range.first...last])
    }
  }

  /// Answers one request; false closes the connection.
  typealias Handler = @Sendable (Request, Connection) -> Bool

  let port: Int
  private let listener: Int32
  private let handler: Handler?
  private let state = Monitor((requests: [Request](), connections: Set<Int32>(), accepted: 0))

  /// A server; without a handler connections are made by the kernel and never answered.
  init(_ handler: Handler?) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 1024) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw Failure() }
    port = Int(UInt16(bigEndian: address.sin_port))
    self.handler = handler
    if handler != nil { onThread { self.accept() } }
  }

  struct Failure: Error {}

  var origin: String { "http://127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var connectionCount: Int { state.withLock { $0.accepted } }

  func stop() {
    // The accepting thread closes it: until it has noticed, the number must not be another's.
    shutdown(listener, Int32(SHUT_RDWR))
    if handler == nil { close(listener) }
    state.withLock { for connection in $0.connections { shutdown(connection, Int32(SHUT_RDWR)) } }
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else {
        close(listener)
        return
      }
      state.withLock {
        $0.connections.insert(descriptor)
        $0.accepted += 1
      }
      onThread {
        self.serve(Connection(descriptor: descriptor))
        self.state.withLock { _ = $0.connections.remove(descriptor) }
        close(descriptor)
      }
    }
  }

  private func serve(_ connection: Connection) {
    while let request = Self.receive(connection.descriptor) {
      state.withLock { $0.requests.append(request) }
      guard let handler, handler(request, connection) else { return }
    }
  }

  private static func receive(_ descriptor: Int32) -> Request? {
    var text: [UInt8] = []
    var byte: UInt8 = 0
    while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      text.append(byte)
    }
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\r\n")
    let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
    var request = Request(path: path, headers: [:])
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      guard let name = parts.first else { continue }
      let value = parts.dropFirst().first ?? ""
      request.headers[name.lowercased()] = String(value.drop { $0 == " " })
    }
    if let range = request.headers["range"]?.split(separator: "=").last {
      let bounds = range.split(separator: "-", omittingEmptySubsequences: false)
      if let first = bounds.first.flatMap({ Int($0) }) {
        request.range = (first, bounds.last.flatMap { Int($0) })
      }
    }
    return request
  }
}

/// Runs `body` on a thread of its own.
func onThread(_ body: @escaping @Sendable () -> Void) {
  let box = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, box.toOpaque())
  pthread_detach(thread)
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

/// Runs what blocks on a thread of its own and waits for the result.
func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    onThread { continuation.resume(with: Result { try body() }) }
  }
}

/// Bytes whose values tell their offset (but for multiples of a prime).
func testContent(_ count: Int) -> [UInt8] {
  let block = (0..<min(count, 65_521)).map {
    UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13)
  }
  var content: [UInt8] = []
  content.reserveCapacity(count)
  while content.count < count { content += block.prefix(count - content.count) }
  return content
}
