import ISOMedia

/// Text of ID3 frames: the encoding is a byte before it, NULs end it.
struct ID3Text {
  private var rest: ArraySlice<UInt8>
  private let encoding: UInt8

  /// Reads from behind the encoding byte.
  init(_ payload: ArraySlice<UInt8>, encoding: UInt8) {
    rest = payload
    self.encoding = encoding
  }

  /// Reads the encoding byte first.
  init(_ payload: ArraySlice<UInt8>) {
    self.init(payload.dropFirst(), encoding: payload.first ?? 0)
  }

  /// What is not read yet.
  var remaining: ArraySlice<UInt8> { rest }

  mutating func skip(_ count: Int) { rest = rest.dropFirst(count) }

  /// The text up to its NUL, or to the end.
  mutating func next() -> String { Self.decode(take(), encoding) }

  /// Latin-1 up to a NUL, whatever the encoding byte says: addresses, media types, owners.
  mutating func latin() -> String {
    let text = rest.prefix { $0 != 0 }
    rest = rest.dropFirst(text.count + 1)
    return Self.decode(text, 0)
  }

  /// All texts to the end; one at least.
  mutating func all() -> [String] {
    var texts: [String] = []
    while !rest.isEmpty, texts.count < 1000 { texts.append(next()) }
    // A text may be ended as well as its last list entry.
    while texts.count > 1, texts.last?.isEmpty == true { texts.removeLast() }
    return texts.isEmpty ? [""] : texts
  }

  private mutating func take() -> ArraySlice<UInt8> {
    guard encoding == 1 || encoding == 2 else {
      let text = rest.prefix { $0 != 0 }
      rest = rest.dropFirst(text.count + 1)
      return text
    }
    var index = rest.startIndex
    while index + 1 < rest.endIndex, rest[index] != 0 || rest[index + 1] != 0 { index += 2 }
    let text = rest[..<min(index, rest.endIndex)]
    rest = rest.dropFirst(text.count + 2)
    return text
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, _ encoding: UInt8) -> String {
    switch encoding {
    case 1:
      if bytes.starts(with: [0xFE, 0xFF]) { return StoredText.utf16(bytes.dropFirst(2), isBigEndian: true) }
      // Without a mark: little-endian, as those who leave it out write.
      return StoredText.utf16(
        bytes.starts(with: [0xFF, 0xFE]) ? bytes.dropFirst(2) : bytes, isBigEndian: false)
    case 2: return StoredText.utf16(bytes, isBigEndian: true)
    case 3: return String(decoding: bytes, as: UTF8.self)
    default: return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
  }
}
