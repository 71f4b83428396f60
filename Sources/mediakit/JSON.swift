/// A JSON value whose objects keep the order of their keys.
enum JSON: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([(String, JSON)])
}

// MARK: - Making values

extension JSON {
  /// A string, or null.
  static func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
  /// A whole number, or null.
  static func count(_ number: (some BinaryInteger)?) -> JSON {
    number.map { .integer(Int64(clamping: $0)) } ?? .null
  }
}

// MARK: - Writing

extension JSON {
  /// The document, indented by two spaces and with a newline at its end; arrays of plain values take one line.
  var document: String {
    var text = ""
    write(to: &text, indent: 0)
    return text + "\n"
  }

  /// The value in one line.
  var compact: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  private var isPlain: Bool {
    switch self {
    case .array, .object: false
    default: true
    }
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .number(let value): text += Self.decimal(value)
    case .string(let value): Self.write(value, to: &text)
    case .array(let elements):
      let indent = elements.allSatisfy(\.isPlain) ? nil : indent
      Self.list(elements, "[", "]", to: &text, indent: indent) { element, text, indent in
        element.write(to: &text, indent: indent)
      }
    case .object(let members):
      Self.list(members, "{", "}", to: &text, indent: indent) { member, text, indent in
        Self.write(member.0, to: &text)
        text += indent == nil ? ":" : ": "
        member.1.write(to: &text, indent: indent)
      }
    }
  }

  private static func list<Element>(
    _ elements: [Element], _ opening: String, _ closing: String, to text: inout String,
    indent: Int?, _ write: (Element, inout String, Int?) -> Void
  ) {
    text += opening
    for (index, element) in elements.enumerated() {
      if index > 0 { text += "," }
      if let indent {
        text += "\n" + String(repeating: "  ", count: indent + 1)
      } else if index > 0, opening == "[" {
        text += " "
      }
      write(element, &text, indent.map { $0 + 1 })
    }
    if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
    text += closing
  }

  private static func write(_ value: String, to text: inout String) {
    text += "\""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  /// The shortest digits that give the number back, never with an exponent; null for what is no number.
  static func decimal(_ value: Double) -> String {
    guard value.isFinite else { return "null" }
    if let whole = Int64(exactly: value) { return String(whole) }
    let text = value.description
    guard let mark = text.firstIndex(of: "e"), let exponent = Int(text[text.index(after: mark)...])
    else { return text }
    var mantissa = text[..<mark]
    let sign = mantissa.first == "-" ? "-" : ""
    if !sign.isEmpty { mantissa = mantissa.dropFirst() }
    let parts = mantissa.split(separator: ".", maxSplits: 1)
    let whole = String(parts.first ?? "0")
    // "1.0e-05": the zero behind the point is no digit of the number.
    let fraction = parts.count > 1 && parts[1] != "0" ? String(parts[1]) : ""
    let digits = whole + fraction
    let point = whole.count + exponent
    if point <= 0 { return "\(sign)0.\(String(repeating: "0", count: -point))\(digits)" }
    if point >= digits.count {
      return sign + digits + String(repeating: "0", count: point - digits.count)
    }
    return "\(sign)\(digits.prefix(point)).\(digits.dropFirst(point))"
  }
}
