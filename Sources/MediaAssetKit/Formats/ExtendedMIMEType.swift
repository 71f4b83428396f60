/// A MIME type with its `codecs` parameter, taken apart as RFC 2045 (5.1) and RFC 6381 (3) say.
struct ExtendedMIMEType: Equatable {
  /// Type and subtype in lower case: `video/mp4`.
  let essence: String
  /// The elements of `codecs`; nil where the parameter is missing.
  let codecs: [String]?

  /// Nil when the text is malformed.
  init?(_ text: String) {
    var scanner = Scanner(rest: Substring(text).utf8)
    guard scanner.skipBlanks(), let type = scanner.token(), scanner.skipBlanks(), scanner.take("/"),
      scanner.skipBlanks(), let subtype = scanner.token(), scanner.skipBlanks()
    else { return nil }
    essence = "\(type)/\(subtype)".lowercased()
    var list: String?
    while !scanner.rest.isEmpty {
      guard scanner.take(";"), scanner.skipBlanks() else { return nil }
      // A semicolon at the end is an error that many make.
      if scanner.rest.isEmpty { break }
      guard let name = scanner.token(), scanner.skipBlanks(), scanner.take("="),
        scanner.skipBlanks(), let value = scanner.token() ?? scanner.quoted(), scanner.skipBlanks()
      else { return nil }
      switch name.lowercased() {
      case "codecs" where list == nil: list = value
      case "codecs*" where list == nil:
        guard let decoded = Self.decoded(value) else { return nil }
        list = decoded
      case "codecs", "codecs*": return nil
      default: break
      }
    }
    guard let list else {
      codecs = nil
      return
    }
    let elements = list.split(separator: ",", omittingEmptySubsequences: false).map { element in
      String(
        element.drop { $0 == " " || $0 == "\t" }.reversed().drop { $0 == " " || $0 == "\t" }
          .reversed())
    }
    guard !elements.contains("") else { return nil }
    codecs = elements
  }

  /// RFC 2231, 4: charset, language and percent-encoded bytes, apart by apostrophes.
  private static func decoded(_ value: String) -> String? {
    let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2].utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(code)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Walks over the text by its bytes.
  private struct Scanner {
    var rest: Substring.UTF8View

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest.removeFirst()
      return true
    }

    /// Skips spaces and comments; false for a comment without an end.
    mutating func skipBlanks() -> Bool {
      while let byte = rest.first {
        switch byte {
        case 0x20, 0x09, 0x0D, 0x0A: rest.removeFirst()
        case UInt8(ascii: "("):
          guard skipComment() else { return false }
        default: return true
        }
      }
      return true
    }

    private mutating func skipComment() -> Bool {
      var depth = 0
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "("): depth += 1
        case UInt8(ascii: ")"):
          depth -= 1
          if depth == 0 { return true }
        case UInt8(ascii: "\\"):
          guard rest.popFirst() != nil else { return false }
        default: break
        }
      }
      return false
    }

    /// A token: printable ASCII without the special characters.
    mutating func token() -> String? {
      let token = rest.prefix { $0 > 0x20 && $0 < 0x7F && !"()<>@,;:\\\"/[]?=".utf8.contains($0) }
      guard !token.isEmpty else { return nil }
      rest.removeFirst(token.count)
      return String(Substring(token))
    }

    mutating func quoted() -> String? {
      guard take("\"") else { return nil }
      var bytes: [UInt8] = []
      while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return String(validating: bytes, as: UTF8.self)
        case UInt8(ascii: "\\"):
          guard let next = rest.popFirst() else { return nil }
          bytes.append(next)
        default: bytes.append(byte)
        }
      }
      return nil
    }
  }
}
