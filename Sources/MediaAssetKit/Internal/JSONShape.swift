import FoundationEssentials

/// What a JSON value may be, so that a wrong one is refused by the name of its field and with what is possible there.
indirect enum JSONShape: Sendable {
  case flag
  case text
  /// Text or a number that a time can hold exactly.
  case time
  case number(ClosedRange<Double>)
  case integer(ClosedRange<Int64>)
  /// One of a few texts.
  case word([String])
  case list(JSONShape, count: Int?)
  case object([String: JSONShape], required: Set<String>)

  /// Why a value is none of this shape.
  struct Fault: Error {
    /// Where it lies: `tracks[0].place.x`; empty at the top.
    var path: String
    /// Why, as a sentence that begins with what is there.
    var reason: String

    var text: String { path.isEmpty ? reason : "\(path): \(reason)" }
  }

  /// Reads a document and checks it.
  ///
  /// - Throws: ``Fault`` for the first value that is not of the shape, and for what is no JSON.
  func check(_ data: Data) throws(Fault) {
    let value: JSONTree
    do { value = try JSONDecoder().decode(JSONTree.self, from: data) } catch {
      throw Fault(path: "", reason: error.jsonReason(in: data))
    }
    try check(value, "")
  }

  private func check(_ value: JSONTree, _ path: String) throws(Fault) {
    func refuse(_ expected: String) -> Fault { Fault(path: path, reason: "\(value.shown) is no \(expected)") }
    switch (self, value) {
    case (.flag, .flag), (.text, .text): break
    case (.flag, _): throw refuse("flag: true or false")
    case (.text, _): throw refuse("text")
    case (.time, .text(let text)), (.time, .number(_, let text)):
      do { _ = try Timeline.Time.read(text) } catch { throw Fault(path: path, reason: error.reason) }
    case (.time, _): throw refuse("time: seconds such as \"2.5\" or a fraction such as \"1001/30000\"")
    case (.number(let range), .number(let number, _)) where number.map(range.contains) ?? false: break
    case (.number(let range), _): throw refuse("number from \(range.lowerBound.plain) to \(range.upperBound.plain)")
    case (.integer(let range), .number(let number, _))
    where number.flatMap { Int64(exactly: $0) }.map(range.contains) ?? false: break
    case (.integer(let range), _): throw refuse("whole number from \(range.lowerBound) to \(range.upperBound)")
    case (.word(let words), .text(let text)) where words.contains(text): break
    case (.word(let words), _):
      throw Fault(path: path, reason: "\(value.shown) is none of \(words.joined(separator: ", "))")
    case (.list(let shape, let count), .list(let values)) where count.map { $0 == values.count } ?? true:
      for (index, value) in values.enumerated() { try shape.check(value, "\(path)[\(index)]") }
    case (.list(_, let count), _): throw refuse(count.map { "list of \($0)" } ?? "list")
    case (.object(let fields, let required), .object(let values)):
      try check(values, fields, required, path)
    case (.object, _): throw refuse("object")
    }
  }

  private func check(
    _ values: [String: JSONTree], _ fields: [String: JSONShape], _ required: Set<String>, _ path: String
  ) throws(Fault) {
    func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }
    // In an order, so that the same document is refused in the same words.
    for name in values.keys.sorted() {
      guard let value = values[name] else { continue }
      guard let shape = fields[name] else {
        let known = fields.keys.sorted()
        let near = known.map { ($0, $0.distance(to: name)) }.min { $0.1 < $1.1 }
        let hint = near.flatMap { $0.1 <= 2 ? "; did you mean “\($0.0)”?" : nil } ?? ";"
        throw Fault(
          path: place(name.bounded(to: 60)),
          reason: "there is no such field\(hint) possible are \(known.joined(separator: ", "))")
      }
      // As left out.
      if case .null = value, !required.contains(name) { continue }
      try shape.check(value, place(name))
    }
    if let missing = required.subtracting(values.keys).min() {
      throw Fault(path: place(missing), reason: "the field is missing")
    }
  }
}

/// A JSON value as it is written, whatever a type would make of it.
enum JSONTree: Decodable {
  case null
  case flag(Bool)
  /// A number, nil where it is beyond all that can be held, and its digits without an exponent.
  case number(Double?, String)
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let flag = try? single.decode(Bool.self) {
      self = .flag(flag)
    } else if let text = try? single.decode(String.self) {
      self = .text(text)
    } else if var list = try? decoder.unkeyedContainer() {
      var values: [JSONTree] = []
      while !list.isAtEnd { values.append(try list.decode(JSONTree.self)) }
      self = .list(values)
    } else if let object = try? decoder.container(keyedBy: Key.self) {
      var values: [String: JSONTree] = [:]
      for key in object.allKeys { values[key.stringValue] = try object.decode(JSONTree.self, forKey: key) }
      self = .object(values)
    } else {
      let number = (try? single.decode(Double.self)).flatMap { $0.isFinite ? $0 : nil }
      let digits = (try? single.decode(Decimal.self)).map { "\($0)" } ?? number.map { "\($0)" }
      self = .number(number, digits ?? "a number beyond all bounds")
    }
  }

  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// The value as a message shows it.
  fileprivate var shown: String {
    switch self {
    case .null: "null"
    case .flag(let flag): "\(flag)"
    case .number(_, let text): text.bounded(to: 40)
    case .text(let text): "“\(text.bounded(to: 40))”"
    case .list(let values): "a list of \(values.count)"
    case .object: "an object"
    }
  }
}

extension Error {
  /// Why a decoder refuses a document, in words of ours and with the place.
  func jsonReason(in data: Data) -> String {
    guard let error = self as? DecodingError else { return "\(self)" }
    func at(_ path: [any CodingKey], _ reason: String) -> String {
      let place = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      return place.isEmpty ? reason : "\(place.drop { $0 == "." }): \(reason)"
    }
    switch error {
    case .keyNotFound(let key, let context): return at(context.codingPath + [key], "the field is missing")
    case .typeMismatch(let type, let context): return at(context.codingPath, "it is no \(Self.name(of: type))")
    case .valueNotFound(_, let context): return at(context.codingPath, "it is null")
    case .dataCorrupted(let context):
      guard context.codingPath.isEmpty else {
        let own = context.debugDescription
        return at(context.codingPath, own.hasPrefix("it ") || own.hasPrefix("“") ? own : "its value is out of range")
      }
      return JSONSyntax.fault(in: Array(data)).map { "it is no JSON: \($0)" } ?? "a number in it is beyond all bounds"
    @unknown default: return "it is damaged"
    }
  }

  private static func name(of type: Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any BinaryInteger.Type, is any BinaryFloatingPoint.Type: "number"
    case is any Collection.Type where !(type is any ExpressibleByDictionaryLiteral.Type): "list"
    default: "object"
    }
  }
}

extension Double {
  /// Without a fraction where there is none.
  fileprivate var plain: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}

extension String {
  /// How many letters have to change to come to another text.
  fileprivate func distance(to other: String) -> Int {
    let (own, others) = (Array(lowercased().utf8), Array(other.lowercased().utf8))
    guard abs(own.count - others.count) <= 2 else { return .max }
    var row = Array(0...others.count)
    for (index, byte) in own.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for place in others.indices {
        let changed = corner + (byte == others[place] ? 0 : 1)
        corner = row[place + 1]
        row[place + 1] = Swift.min(changed, row[place] + 1, corner + 1)
      }
    }
    return row[others.count]
  }
}
