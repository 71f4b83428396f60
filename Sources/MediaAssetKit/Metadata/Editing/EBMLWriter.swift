import ISOMedia

/// Writes EBML elements (RFC 8794).
enum EBMLWriter {
  static func element(_ id: UInt32, _ payload: [UInt8]) -> [UInt8] { name(id) + size(payload.count) + payload }

  static func element(_ id: UInt32, text: String) -> [UInt8] { element(id, Array(text.utf8)) }

  static func element(_ id: UInt32, number: UInt64) -> [UInt8] {
    let bytes = number.bigEndianBytes().drop { $0 == 0 }
    return element(id, bytes.isEmpty ? [0] : Array(bytes))
  }

  /// An element of nothing that takes up so many bytes, two at least.
  static func void(_ count: Int) -> [UInt8] {
    guard count >= 2 else { return [] }
    if count <= 128 { return [0xEC, 0x80 | UInt8(count - 2)] + [UInt8](repeating: 0, count: count - 2) }
    return [0xEC] + size(count - 9, length: 8) + [UInt8](repeating: 0, count: count - 9)
  }

  /// A size in so many bytes.
  static func size(_ count: Int, length: Int) -> [UInt8] {
    (UInt64(count) | 1 << UInt64(7 * length)).bigEndianBytes(length)
  }

  private static func size(_ count: Int) -> [UInt8] {
    // All ones say that the size is not known.
    let length = (1...8).first { count < 1 << (7 * $0) - 1 } ?? 8
    return size(count, length: length)
  }

  private static func name(_ id: UInt32) -> [UInt8] {
    Array(id.bigEndianBytes().drop { $0 == 0 })
  }
}
