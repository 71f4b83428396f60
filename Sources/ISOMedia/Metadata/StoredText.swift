/// Text as boxes store it: UTF-8, UTF-16 with a byte order mark, or a Macintosh encoding.
package enum StoredText {
  /// Decodes text up to a NUL; what is no UTF-8 is MacRoman where the box's language is a Macintosh one.
  package static func string(_ bytes: ArraySlice<UInt8>, macintosh: Bool) -> String {
    if bytes.starts(with: [0xFE, 0xFF]) || bytes.starts(with: [0xFF, 0xFE]) {
      return utf16(bytes.dropFirst(2), isBigEndian: bytes.first == 0xFE)
    }
    let text = bytes.prefix { $0 != 0 }
    guard macintosh, String(validating: text, as: UTF8.self) == nil else {
      return String(decoding: text, as: UTF8.self)
    }
    var result = ""
    for byte in text {
      result.unicodeScalars.append(byte < 0x80 ? Unicode.Scalar(byte) : roman[Int(byte) - 0x80])
    }
    return result
  }

  /// Decodes UTF-16 up to a NUL; a last odd byte is left out, lone surrogates become U+FFFD.
  package static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> String {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var index = bytes.startIndex
    while index + 1 < bytes.endIndex {
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      let unit = isBigEndian ? first << 8 | second : second << 8 | first
      if unit == 0 { break }
      units.append(unit)
      index += 2
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// MacRoman from 0x80 on.
  private static let roman: [Unicode.Scalar] = Array(
    ("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü†°¢£§•¶ß®©™´¨≠ÆØ∞±≤≥¥µ∂∑∏π∫ªºΩæø¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ–—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ‡·‚„‰"
      + "ÂÊÁËÈÍÎÏÌÓÔ\u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ").unicodeScalars)
}

extension ByteReader {
  /// Reads UTF-8, or UTF-16 behind a byte order mark, up to its NUL or the end.
  mutating func storedString() -> String {
    let rest = bytes[self.rest]
    guard rest.starts(with: [0xFE, 0xFF]) || rest.starts(with: [0xFF, 0xFE]) else { return terminatedString() }
    let isBigEndian = rest.first == 0xFE
    skip(2)
    let start = position
    while remaining >= 2 { if uint16() == 0 { break } }
    if remaining == 1, position == start || bytes[position - 1] != 0 { skip(1) }
    return StoredText.utf16(bytes[start..<position], isBigEndian: isBigEndian)
  }
}
