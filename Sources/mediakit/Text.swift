import MediaAssetKit

extension String {
  /// The text in quotation marks, safe to show on a terminal; of a long one, its beginning and its end.
  var quoted: String { "\"\(bounded(to: 200).printable)\"" }

  /// The text without control characters: names from files must not steer a terminal or break a line.
  var printable: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    var text = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if scalar.isControl {
        let digits = String(scalar.value, radix: 16)
        text.append(contentsOf: "\\u{\(digits)}".unicodeScalars)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// The text with spaces behind it, at least one.
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, width - count))
  }
}

extension Unicode.Scalar {
  fileprivate var isControl: Bool {
    value < 0x20 || (0x7F...0x9F).contains(value) || value == 0x2028 || value == 0x2029
      // Marks that turn the direction of text around.
      || (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }
}
