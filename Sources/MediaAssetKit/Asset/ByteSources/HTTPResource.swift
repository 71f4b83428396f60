/// What the first response told about a resource, and whether later ones agree.
struct HTTPResource: Sendable {
  /// The request as it was made; later ones differ in range and in URL.
  let request: HTTPRequest
  /// Where the redirects ended.
  let url: HTTPURL
  var length: Int64?
  var isSeekable: Bool
  let contentType: String?
  /// What a radio station's server says; nil for every other one.
  let streamMetadata: StreamMetadata?
  let isFromLoopback: Bool
  private let validator: HTTPResponseHead.Validator
  /// Whether the server says it has ranges although it did not send one.
  let claimsRanges: Bool

  /// Takes the head of the response to `bytes=0-`; throws what is wrong with it.
  init(_ head: HTTPResponseHead, request: HTTPRequest) throws {
    self.request = request
    url = head.url
    contentType = head.value("content-type").map { String($0.prefix { $0 != ";" }) }
    streamMetadata = StreamMetadata(head.headers)
    validator = head.validator
    isFromLoopback = head.isFromLoopback
    let range = head.contentRange
    claimsRanges =
      head.status == 200 && head.contentLength ?? 0 > 1
      && head.value("accept-ranges")?.lowercased() == "bytes"
    switch head.status {
    case 200:
      length = head.contentLength
      isSeekable = false
    case 206:
      guard let bounds = range?.bounds, bounds.lowerBound == 0 else {
        throw Self.misconfigured(head, "it sent another range than asked for, or did not say which")
      }
      length = range?.total
      isSeekable = true
    case 416 where range?.total == 0:  // an empty file has no byte 0
      length = 0
      isSeekable = true
    default: throw Self.error(for: head)
    }
    guard head.isPlain else {
      throw Self.misconfigured(head, "it sent the bytes packed or in several parts")
    }
  }

  /// Checks the head of a later response to a request for the bytes from `offset` on.
  func check(_ head: HTTPResponseHead, offset: Int64) throws {
    guard head.status == 200 || head.status == 206 else { throw Self.error(for: head) }
    guard head.isPlain else {
      throw Self.misconfigured(head, "it sent the bytes packed or in several parts")
    }
    let total = head.status == 206 ? head.contentRange?.total : head.contentLength
    let sameLength = length == nil || total == nil || length == total
    guard validator.agrees(with: head.validator), sameLength else {
      throw MediaError(
        .readFailed, operation: "read", subject: "\(head.url)",
        reason: "the resource has changed on the server while it was read", remedy: "Open it again")
    }
    if head.status == 206 {
      guard head.contentRange?.bounds?.lowerBound == offset else {
        throw Self.misconfigured(head, "it sent another range than asked for, or did not say which")
      }
    } else if isSeekable && offset > 0 {
      throw Self.misconfigured(head, "it sent the whole resource where a range was asked for")
    }
  }

  static func misconfigured(_ head: HTTPResponseHead, _ reason: String) -> MediaError {
    MediaError(
      .serverIncorrectlyConfigured, operation: "read", subject: "\(head.url)",
      reason: "the server does not serve byte ranges correctly: \(reason)",
      remedy: "Download the file and open the copy")
  }

  static func error(for head: HTTPResponseHead) -> MediaError {
    let code: MediaError.Code =
      switch head.status {
      case 404, 410: .fileNotFound
      case 401, 403, 407, 451: .accessDenied
      default: .readFailed
      }
    return MediaError(
      code, operation: "open", subject: "\(head.url)",
      reason: "the server answered with status \(head.status)")
  }
}
