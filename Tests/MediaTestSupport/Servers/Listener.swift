import Foundation
import Synchronization

/// A TCP listener on a free port of the loopback interface, with threads of its own: one that
/// accepts and one a connection. Stopping it shuts every connection and waits for no one.
final class Listener: Sendable {
  let port: UInt16
  private let descriptor: Int32
  private let state = Mutex(State())

  private struct State {
    var connections: Set<Int32> = []
    var accepted = 0
    var isStopped = false
  }

  /// `serve` runs on the connection's own thread; the connection is closed after it.
  init(serve: @escaping @Sendable (_ connection: Int32, _ number: Int) -> Void) throws {
    #if os(Linux)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let descriptor = socket(AF_INET, stream, 0)
    guard descriptor >= 0 else { throw Listener.failure() }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) != 0 || listen(descriptor, 64) != 0
          || getsockname(descriptor, $0, &length) != 0
      }
    }
    guard !failed else {
      close(descriptor)
      throw Listener.failure()
    }
    self.descriptor = descriptor
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [weak self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard let self, !self.isStopped else {
          if connection >= 0 { close(connection) }
          break
        }
        if connection < 0 {
          // Out of descriptors, perhaps: try again a little later.
          usleep(1000)
          continue
        }
        guard let number = self.add(connection) else {
          close(connection)
          break
        }
        Thread.detachNewThread { [weak self] in
          serve(connection, number)
          self?.remove(connection)
          close(connection)
        }
      }
      close(descriptor)
    }
  }

  deinit { stop() }

  var connectionCount: Int { state.withLock { $0.accepted } }
  var openConnectionCount: Int { state.withLock { $0.connections.count } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func stop() {
    state.withLock { state in
      guard !state.isStopped else { return }
      state.isStopped = true
      // Wakes the threads, which then close what is theirs.
      shutdown(descriptor, Int32(SHUT_RDWR))
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  private func add(_ connection: Int32) -> Int? {
    state.withLock { state in
      guard !state.isStopped else { return nil }
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      state.connections.insert(connection)
      state.accepted += 1
      return state.accepted
    }
  }

  private func remove(_ connection: Int32) {
    _ = state.withLock { $0.connections.remove(connection) }
  }

  private static func failure() -> MediaToolError {
    .couldNotStart("a server on 127.0.0.1", code: errno)
  }
}
