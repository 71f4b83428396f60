import Foundation

/// The answer to one request, as the server's behaviour wants it.
struct ServerAnswer {
  var request: ServerRequest
  var content: [UInt8]
  var behaviour: ServerBehaviour

  /// Sends the answer; `false` when the connection must not serve another request.
  func send(on connection: Connection, sent: (Int) -> Void) -> Bool {
    if behaviour.delayBeforeHeaders > .zero, !connection.pause(behaviour.delayBeforeHeaders) {
      return false
    }
    if let target = redirectTarget {
      return connection.write(
        head(behaviour.redirectStatus, [("Location", target), ("Content-Length", "0")]))
    }
    if let status = behaviour.status { return connection.write(refusal(status)) }
    let isHead = request.method == "HEAD"
    if isHead && behaviour.refusesHead { return connection.write(refusal(405)) }
    guard isHead || request.method == "GET" else { return connection.write(refusal(501)) }

    var status = 200
    var body = 0..<content.count
    var headers: [(String, String)] = [("Content-Type", behaviour.contentType)]
    let asked = request.bytes(of: content.count)
    switch behaviour.ranges {
    case .ignored: break
    case .promisedButIgnored: headers.append(("Accept-Ranges", "bytes"))
    case .refused where asked != nil: return connection.write(refusal(416))
    case .supported, .wrong, .refused:
      headers.append(("Accept-Ranges", "bytes"))
      guard let asked else { break }
      guard !asked.isEmpty else { return connection.write(refusal(416)) }
      status = 206
      body = asked
      var stated = asked
      if case .wrong = behaviour.ranges {
        stated = asked.lowerBound + 1..<asked.upperBound + 1
      }
      let last = stated.upperBound - 1
      headers.append(
        ("Content-Range", "bytes \(stated.lowerBound)-\(last)/\(content.count)"))
    }
    var chunk: Int?
    switch behaviour.length {
    case .right: headers.append(("Content-Length", String(body.count)))
    case .off(let difference):
      headers.append(("Content-Length", String(max(0, body.count + difference))))
    case .missing: headers.append(("Connection", "close"))
    case .chunked(let size):
      headers.append(("Transfer-Encoding", "chunked"))
      chunk = max(1, size)
    }
    guard connection.write(head(status, headers + behaviour.headers)) else { return false }
    if isHead { return true }
    guard send(body, in: chunk, on: connection, sent: sent) else { return false }
    switch behaviour.length {
    case .right, .chunked: return true
    // Nobody could say where the next answer starts.
    case .missing: return false
    case .off(let difference):
      // Too much stated: the rest never comes. Too little: the connection is done.
      if difference > 0 { connection.waitForEnd() }
      return false
    }
  }

  /// `false` when the sending ended early, by choice or because nobody listens.
  private func send(
    _ range: Range<Int>, in chunk: Int?, on connection: Connection, sent: (Int) -> Void
  ) -> Bool {
    let stops = [behaviour.silentAfter, behaviour.closesAfter].compactMap { $0 }
    let end = min(range.upperBound, range.lowerBound + (stops.min() ?? range.count))
    var position = range.lowerBound
    var pause = behaviour.delayInBody
    while position < end {
      if let due = pause, position - range.lowerBound >= due.after {
        pause = nil
        guard connection.pause(due.1) else { return false }
      }
      var size = min(chunk ?? 1 << 16, end - position)
      if let due = pause { size = min(size, range.lowerBound + due.after - position) }
      if let rate = behaviour.bytesPerSecond { size = min(size, max(1, rate / 50)) }
      size = max(1, size)
      let piece = content[position..<position + size]
      let isWritten =
        chunk == nil
        ? connection.write(piece)
        : connection.write(Array("\(String(size, radix: 16))\r\n".utf8) + piece + [13, 10])
      guard isWritten else { return false }
      sent(size)
      position += size
      if let rate = behaviour.bytesPerSecond {
        guard connection.pause(.seconds(1) * size / max(1, rate)) else { return false }
      }
    }
    if end < range.upperBound {
      if behaviour.silentAfter == stops.min() { connection.waitForEnd() }
      return false
    }
    return chunk == nil || connection.write(Array("0\r\n\r\n".utf8))
  }

  private var redirectTarget: String? {
    let name = request.path.split(separator: "/").last.map { String($0) } ?? ""
    func hop(_ number: Int) -> String { "/hop\(number)/" + name }
    let number =
      request.path.hasPrefix("/hop")
      ? Int(request.path.dropFirst(4).prefix { $0.isNumber }) ?? 0 : 0
    return switch behaviour.redirect {
    case nil: nil
    case .toSelf: number == 0 ? hop(1) : nil
    case .loop: hop(number + 1)
    case .hops(let count): number < count ? hop(number + 1) : nil
    case .to(let address): address
    }
  }

  private func refusal(_ status: Int) -> [UInt8] {
    let text = "status \(status)\n"
    let body = request.method == "HEAD" ? [] : Array(text.utf8)
    var headers = [("Content-Type", "text/plain"), ("Content-Length", String(text.utf8.count))]
    if status == 416 { headers.append(("Content-Range", "bytes */\(content.count)")) }
    return head(status, headers) + body
  }

  private func head(_ status: Int, _ headers: [(String, String)]) -> [UInt8] {
    let reasons = [
      200: "OK", 206: "Partial Content", 301: "Moved Permanently", 302: "Found",
      307: "Temporary Redirect", 308: "Permanent Redirect", 403: "Forbidden", 404: "Not Found",
      405: "Method Not Allowed", 416: "Range Not Satisfiable", 500: "Internal Server Error",
      501: "Not Implemented", 503: "Service Unavailable",
    ]
    let lines = headers.map { "\($0.0): \($0.1)\r\n" }.joined()
    return Array("HTTP/1.1 \(status) \(reasons[status] ?? "Status")\r\n\(lines)\r\n".utf8)
  }
}
