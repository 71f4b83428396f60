/// The names of pictures in files of their own: a pattern with one number in it, as in `frame%05d.png`.
struct ImageSequenceName: Sendable, Hashable {
  private let prefix: String
  private let suffix: String
  /// Digits at least.
  private let digits: Int

  /// - Throws: `invalidArgument` unless the name, not the folder, has exactly one `%d` or `%0Nd`; `%%` is a percent sign.
  init(path: String) throws(MediaError) {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var parts = [""]
    var digits = 1
    var rest = path[name...]
    while let character = rest.popFirst() {
      guard character == "%" else {
        parts[parts.count - 1].append(character)
        continue
      }
      if rest.first == "%" {
        rest.removeFirst()
        parts[parts.count - 1].append("%")
        continue
      }
      let width = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(width.count)
      guard rest.popFirst() == "d", width.isEmpty || width.first == "0" && width.count == 2,
        let count = width.isEmpty ? 1 : Int(width), count > 0
      else { throw Self.refusal(path) }
      digits = count
      parts.append("")
    }
    guard parts.count == 2 else { throw Self.refusal(path) }
    (prefix, suffix, self.digits) = (path[..<name] + parts[0], parts[1], digits)
  }

  private static func refusal(_ path: String) -> MediaError {
    MediaError(
      .invalidArgument, operation: "write", subject: path,
      reason: "the name of pictures in files of their own has to have one number in it",
      remedy: "Name them like frame%05d.png; %% is a percent sign")
  }

  /// The name of a picture, counted from 1.
  func path(_ number: Int) -> String {
    let text = String(number)
    return prefix + String(repeating: "0", count: max(0, digits - text.count)) + text + suffix
  }
}
