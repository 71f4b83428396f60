/// Four bytes that name a box, a codec, a handler or a brand.
package struct FourCharacterCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }
}

extension FourCharacterCode: ExpressibleByStringLiteral {
  /// A code by its four characters (Latin-1).
  package init(stringLiteral value: String) {
    precondition(value.unicodeScalars.count == 4, "A four-character code has four characters.")
    rawValue = value.unicodeScalars.reduce(0) { $0 << 8 | ($1.value & 0xFF) }
  }
}

extension FourCharacterCode: CustomStringConvertible {
  /// The four bytes as characters (Latin-1, which gives QuickTime's 0xA9 its ©).
  package var description: String {
    var text = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      text.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: rawValue >> shift)))
    }
    return text
  }

  /// Whether all four bytes could be part of a box type: ASCII, or ©.
  package var isPlausible: Bool {
    var value = rawValue
    for _ in 0..<4 {
      let byte = UInt8(truncatingIfNeeded: value)
      guard (0x20..<0x7F).contains(byte) || byte == 0xA9 else { return false }
      value >>= 8
    }
    return true
  }
}
