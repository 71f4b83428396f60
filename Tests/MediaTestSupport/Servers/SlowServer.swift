package import Foundation
import Synchronization

/// A small HTTP/1.1 server on the loopback interface whose behaviour a test chooses: slow, broken,
/// or just right. It runs on threads of its own and stops when it is released.
package final class SlowServer: Sendable {
  private let listener: Listener
  private let record: Record

  private final class Record: Sendable {
    let requests = Mutex<[ServerRequest]>([])
    let sent = Mutex(0)
  }

  /// Starts to serve on a free port, the same content under every path.
  package init(_ content: ServedContent, _ behaviour: ServerBehaviour = ServerBehaviour()) throws {
    let record = Record()
    self.record = record
    let bytes = try content.load()
    let later = try behaviour.laterContent?.load()
    listener = try Listener { descriptor, number in
      var connection = Connection(descriptor)
      while let head = connection.readHead() {
        guard let request = ServerRequest(head: head, connection: number) else { return }
        let isFirst = record.requests.withLock {
          $0.append(request)
          return $0.count == 1
        }
        let answer = ServerAnswer(
          request: request, content: isFirst ? bytes : later ?? bytes, behaviour: behaviour)
        let goesOn = answer.send(on: connection) { count in record.sent.withLock { $0 += count } }
        let asksToClose = request.header("connection")?.lowercased() == "close"
        guard goesOn, !asksToClose, !behaviour.closesConnections else { return }
      }
    }
  }

  package convenience init(
    _ file: URL, _ behaviour: ServerBehaviour = ServerBehaviour()
  ) throws {
    try self.init(.file(file), behaviour)
  }

  package var port: UInt16 { listener.port }

  /// The address of the content, by number.
  package func url(_ path: String = "media.mp4") -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// All requests so far.
  package var requests: [ServerRequest] { record.requests.withLock { $0 } }

  /// Bytes of bodies that were handed to the system for sending.
  package var bodyBytesSent: Int { record.sent.withLock { $0 } }

  /// Connections that were ever made, and those that are open now.
  package var connectionCount: Int { listener.connectionCount }
  package var openConnectionCount: Int { listener.openConnectionCount }

  /// Closes everything; also done on release.
  package func stop() { listener.stop() }
}

/// A server that accepts every connection and never answers. It reads what it is sent.
package final class SilentServer: Sendable {
  private let listener: Listener

  package init() throws {
    listener = try Listener { descriptor, _ in Connection(descriptor).waitForEnd() }
  }

  package var port: UInt16 { listener.port }
  package func url(_ path: String = "media.mp4") -> String { "http://127.0.0.1:\(port)/\(path)" }
  package var connectionCount: Int { listener.connectionCount }
  package var openConnectionCount: Int { listener.openConnectionCount }
  package func stop() { listener.stop() }
}

/// A server that sends any bytes of the test's choice as soon as someone asks, then closes: for
/// answers that are no HTTP at all.
package final class BrokenServer: Sendable {
  private let listener: Listener

  /// `answer` is sent as it is after the head of a request; an empty one just closes.
  package init(answering answer: [UInt8]) throws {
    listener = try Listener { descriptor, _ in
      var connection = Connection(descriptor)
      guard connection.readHead() != nil else { return }
      _ = connection.write(answer)
    }
  }

  package var port: UInt16 { listener.port }
  package func url(_ path: String = "media.mp4") -> String { "http://127.0.0.1:\(port)/\(path)" }
  package var connectionCount: Int { listener.connectionCount }
  package func stop() { listener.stop() }
}
