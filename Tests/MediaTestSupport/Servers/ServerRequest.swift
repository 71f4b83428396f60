/// A request as it reached a test server.
package struct ServerRequest: Sendable {
  package var method: String
  /// With the query.
  package var path: String
  /// Names in lower case, in the order of arrival.
  package var headers: [(name: String, value: String)]
  /// Which connection it came on, from 1.
  package var connection: Int

  /// The first header of that name, in any case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name == name.lowercased() }?.value
  }

  package var range: String? { header("range") }

  /// Reads a request head without its empty line; `nil` when it is none.
  init?(head: String, connection: Int) {
    var lines = head.split(whereSeparator: \.isNewline)
    guard !lines.isEmpty else { return nil }
    let words = lines.removeFirst().split(separator: " ")
    guard words.count == 3 else { return nil }
    method = String(words[0])
    path = String(words[1])
    headers = lines.compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      return (line[..<colon].lowercased(), String(value))
    }
    self.connection = connection
  }

  /// The bytes that `Range` asks for in content of that size: `bytes=5-`, `bytes=0-9`, `bytes=-4`.
  func bytes(of size: Int) -> Range<Int>? {
    guard let range, range.hasPrefix("bytes="), !range.contains(",") else { return nil }
    let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty {
      guard let count = Int(ends[1]), count > 0 else { return nil }
      return max(0, size - count)..<size
    }
    guard let start = Int(ends[0]), start >= 0 else { return nil }
    let last = Int(ends[1]) ?? size - 1
    return start < size && last >= start ? start..<min(size, last + 1) : start..<start
  }
}
