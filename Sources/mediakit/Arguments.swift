/// The command line is wrong: one line, then the usage, and exit code 2.
struct UsageError: Error {
  let reason: String
  init(_ reason: String) { self.reason = reason }
}

/// An option of a verb.
struct Option: Sendable {
  let name: String
  /// A second name of one letter.
  let short: String?
  /// What its value is called in the help; nil for an option without one.
  let value: String?
  let help: String

  /// An option; one without `value` is there or not.
  init(_ name: String, short: String? = nil, value: String? = nil, _ help: String) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
  }

  var title: String {
    ([short, name].compactMap(\.self).joined(separator: ", ")) + (value.map { " \($0)" } ?? "")
  }
}

/// The words of a command line, sorted into options and operands.
///
/// `--name value`, `--name=value`, `-o value`, `-ovalue`; `--` ends the options. A value that starts
/// with a minus sign is written with `=`, so that a forgotten value never swallows the next option;
/// `-` alone is a value and an operand. Where an option is given twice the last one counts.
struct Arguments: Sendable {
  private(set) var operands: [String] = []
  private var given: [String: [String]] = [:]

  init(_ words: [String], options: [Option]) throws {
    var words = words[...]
    while let word = words.popFirst() {
      if word == "--" {
        operands += words
        return
      }
      guard word.hasPrefix("-"), word != "-" else {
        operands.append(word)
        continue
      }
      var (name, value) = Self.split(word)
      guard let option = options.first(where: { $0.name == name || $0.short == name }) else {
        throw UsageError("\(name.quoted) is no option here")
      }
      name = option.name
      guard option.value != nil else {
        guard value == nil else { throw UsageError("\(name) takes no value") }
        given[name, default: []].append("")
        continue
      }
      if value == nil, let next = words.first, next == "-" || !next.hasPrefix("-") {
        value = next
        words.removeFirst()
      }
      guard let value else {
        let hint = words.first.map { "; for one that starts with \"-\" write \(name)=\($0)" } ?? ""
        throw UsageError("\(name) needs a value\(hint)")
      }
      given[name, default: []].append(value)
    }
  }

  private static func split(_ word: String) -> (name: String, value: String?) {
    guard word.hasPrefix("--") else {
      let value = word.dropFirst(2)
      return (String(word.prefix(2)), value.isEmpty ? nil : String(value))
    }
    guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }
}

extension Arguments {
  /// Whether an option is given.
  func has(_ name: String) -> Bool { given[name] != nil }
  /// All values of an option that may be repeated.
  func values(_ name: String) -> [String] { given[name] ?? [] }
  /// The value of an option.
  func value(_ name: String) -> String? { given[name]?.last }

  /// The only operand.
  func operand(_ name: String) throws -> String {
    guard let operand = operands.first else { throw UsageError("\(name) is missing") }
    guard operands.count == 1 else {
      throw UsageError("\(operands[1].quoted) is one \(name) too many")
    }
    guard !operand.isEmpty else { throw UsageError("\(name) is empty") }
    return operand
  }

  /// The value of an option, as `parse` reads it.
  func value<Value>(
    _ name: String, _ kind: String, _ parse: (String) -> Value?
  ) throws -> Value? {
    guard let text = value(name) else { return nil }
    guard let value = parse(text) else { throw UsageError("\(name): \(text.quoted) is no \(kind)") }
    return value
  }

  /// A whole number within bounds.
  func integer<Number: FixedWidthInteger>(
    _ name: String, in bounds: ClosedRange<Number>
  ) throws -> Number? {
    try value(name, "whole number from \(bounds.lowerBound) to \(bounds.upperBound)") {
      text in
      guard text.utf8.allSatisfy({ (48...57).contains($0) }), let number = Number(text) else {
        return nil
      }
      return bounds.contains(number) ? number : nil
    }
  }

  /// One of some words.
  func word<Value>(_ name: String, of words: [(String, Value)]) throws -> Value? {
    try value(name, words.map(\.0).joined(separator: "|")) { text in
      words.first { $0.0 == text }?.1
    }
  }

  /// Refuses options that would do nothing beside another one.
  func refuse(_ names: [String], with other: String) throws {
    if let name = names.first(where: has) { throw UsageError("\(name) means nothing with \(other)") }
  }

  /// Refuses options that contradict each other, and asks for one of them where one is needed.
  @discardableResult
  func one(of names: String..., isNeeded: Bool = false) throws -> String? {
    let found = names.filter(has)
    guard found.count <= 1 else {
      throw UsageError("\(found[0]) and \(found[1]) exclude each other")
    }
    guard !found.isEmpty || !isNeeded else {
      throw UsageError("\(names.joined(separator: " or ")) is missing")
    }
    return found.first
  }
}
