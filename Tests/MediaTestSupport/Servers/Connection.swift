import Foundation

/// One connection of a test server: blocking reads and writes on its own thread.
struct Connection {
  let descriptor: Int32
  private var pending: [UInt8] = []

  #if os(Linux)
    private static let peek = Int32(MSG_PEEK)
    private static let quiet = Int32(MSG_NOSIGNAL)
  #else
    private static let peek = MSG_PEEK
    private static let quiet: Int32 = 0
  #endif

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    #if !os(Linux)
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// The next request head, `nil` at the end of the connection.
  mutating func readHead() -> String? {
    let end: [UInt8] = [13, 10, 13, 10]
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      if let at = pending.indices.first(where: { pending[$0...].starts(with: end) }) {
        let head = String(decoding: pending[..<at], as: UTF8.self)
        pending.removeFirst(at + end.count)
        return head
      }
      let count = recv(descriptor, &chunk, chunk.count, 0)
      guard count > 0, pending.count < 1 << 16 else { return nil }
      pending += chunk[..<count]
    }
  }

  /// Writes all bytes; `false` when the other side has gone.
  func write(_ bytes: some Collection<UInt8>) -> Bool {
    let all = Array(bytes)
    return all.withUnsafeBytes { buffer in
      var sent = 0
      while sent < buffer.count {
        let count = send(
          descriptor, buffer.baseAddress.map { $0 + sent }, buffer.count - sent, Connection.quiet)
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Waits until the other side goes away, or the server shuts the connection.
  func waitForEnd() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while recv(descriptor, &chunk, chunk.count, 0) > 0 {}
  }

  /// Waits; `false` when the other side went away meanwhile.
  func pause(_ duration: Duration) -> Bool {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {
      var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&polled, 1, 0) >= 0 else { return false }
      if polled.revents != 0 {
        var byte: UInt8 = 0
        if recv(descriptor, &byte, 1, Connection.peek) == 0 { return false }
      }
      usleep(2000)
    }
    return true
  }
}
