/// How a test server treats those who ask: well by default, badly where a switch says so.
package struct ServerBehaviour: Sendable {
  package enum Ranges: Sendable {
    /// 206 with what was asked for.
    case supported
    /// 200 with everything, whatever was asked for.
    case ignored
    /// `Accept-Ranges: bytes` and 200 with everything nevertheless.
    case promisedButIgnored
    /// 206 with a Content-Range that does not fit what was asked for.
    case wrong
    /// 416 for every range.
    case refused
  }

  package enum Length: Sendable {
    case right
    /// States so many bytes more (or fewer) than are sent.
    case off(by: Int)
    /// No Content-Length: the end of the connection is the end.
    case missing
    /// `Transfer-Encoding: chunked` in pieces of so many bytes.
    case chunked(Int)
  }

  package enum Redirect: Sendable {
    /// To another path of this server, which serves.
    case toSelf
    /// From path to path without end.
    case loop
    /// So many hops on this server, then it serves.
    case hops(Int)
    /// To any address: another host, another scheme, no address at all.
    case to(String)
  }

  package var ranges = Ranges.supported
  package var length = Length.right
  package var refusesHead = false
  /// A status other than 200 and 206 for everything: 403, 404, 500, …
  package var status: Int?
  package var redirect: Redirect?
  package var redirectStatus = 302
  /// Before the first byte of the answer.
  package var delayBeforeHeaders: Duration = .zero
  /// Waits once, after so many bytes of the body.
  package var delayInBody: (after: Int, Duration)?
  /// Sends so many bytes of the body of every answer, then nothing, with the connection open.
  package var silentAfter: Int?
  /// Sends so many bytes of the body of every answer, then closes the connection.
  package var closesAfter: Int?
  /// Bytes a second; `nil` for as fast as possible.
  package var bytesPerSecond: Int?
  package var contentType = "video/mp4"
  /// More headers, such as `ETag`.
  package var headers: [(name: String, value: String)] = []
  /// Serves other bytes from the second request on: the file changed meanwhile.
  package var laterContent: ServedContent?
  /// Lets a connection serve one request only.
  package var closesConnections = false

  package init() {}

  /// The default with changes: `ServerBehaviour { $0.ranges = .ignored }`.
  package init(_ change: (inout ServerBehaviour) -> Void) { change(&self) }
}
