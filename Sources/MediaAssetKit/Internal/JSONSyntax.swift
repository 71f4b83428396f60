/// Finds where a text stops being JSON: decoders only say that it does.
struct JSONSyntax {
  private struct Stop: Error { var reason: String }

  private let bytes: [UInt8]
  private var place = 0

  /// The line, the column and what is wrong there; nil where nothing is.
  static func fault(in bytes: [UInt8]) -> String? {
    var syntax = JSONSyntax(bytes: bytes)
    do throws(Stop) {
      try syntax.value(depth: 0)
      syntax.skipSpace()
      guard syntax.place == bytes.count else { throw Stop(reason: "there is more behind its end") }
      return nil
    } catch {
      let before = bytes[..<min(syntax.place, bytes.count)]
      let line = before.count { $0 == 10 } + 1
      let column = before.count - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0) + 1
      return "line \(line), column \(column): \(error.reason)"
    }
  }

  private init(bytes: [UInt8]) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipSpace() { while let byte = next, [32, 9, 10, 13].contains(byte) { place += 1 } }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func need(_ character: Unicode.Scalar, _ role: String) throws(Stop) {
    guard take(character) else { throw Stop(reason: place < bytes.count ? role : "it ends too early") }
  }

  private mutating func value(depth: Int) throws(Stop) {
    guard depth < 512 else { throw Stop(reason: "it is nested deeper than 512") }
    skipSpace()
    guard let first = next else { throw Stop(reason: bytes.isEmpty ? "it is empty" : "it ends too early") }
    switch first {
    case UInt8(ascii: "{"):
      place += 1
      skipSpace()
      if take("}") { return }
      repeat {
        skipSpace()
        try need("\"", "a name in quotation marks has to stand here")
        try text()
        skipSpace()
        try need(":", "a colon has to stand here")
        try value(depth: depth + 1)
        skipSpace()
      } while take(",")
      try need("}", "a comma or } has to stand here")
    case UInt8(ascii: "["):
      place += 1
      skipSpace()
      if take("]") { return }
      repeat {
        try value(depth: depth + 1)
        skipSpace()
      } while take(",")
      try need("]", "a comma or ] has to stand here")
    case UInt8(ascii: "\""):
      place += 1
      try text()
    default: try word()
    }
  }

  /// Up to the quotation mark that ends a text.
  private mutating func text() throws(Stop) {
    while let byte = next {
      if byte < 32 { throw Stop(reason: "control characters in texts are written as \\u0000") }
      place += 1
      if byte == UInt8(ascii: "\"") { return }
      if byte == UInt8(ascii: "\\") { place += 1 }
    }
    throw Stop(reason: "a text does not end")
  }

  /// A number, true, false or null.
  private mutating func word() throws(Stop) {
    let start = place
    while let byte = next, !"{}[],:\" \t\r\n".utf8.contains(byte) { place += 1 }
    let word = String(decoding: bytes[start..<place], as: UTF8.self)
    let isNumber = Double(word) != nil && word.utf8.allSatisfy { "0123456789+-.eE".utf8.contains($0) }
    guard isNumber || ["true", "false", "null"].contains(word) else {
      place = start
      throw Stop(reason: word.isEmpty ? "a value has to stand here" : "“\(word.bounded(to: 40))” is no value")
    }
  }
}
