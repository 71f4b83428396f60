/// Reads bit fields, most significant bit first, and never past the end.
///
/// Like ``ByteReader``, a read that does not fit returns zero and sets ``isExhausted``.
package struct BitReader: Sendable {
  private let bytes: [UInt8]
  package private(set) var position: Int
  private let end: Int
  package private(set) var isExhausted = false

  /// Reads `range` of `bytes`, cut to the bytes that exist; all of them without a range.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    position = range.lowerBound * 8
    end = range.upperBound * 8
  }

  package var remaining: Int { end - position }

  /// Reads up to 32 bits.
  package mutating func bits(_ count: Int) -> UInt32 {
    guard count > 0, count <= 32 else { return 0 }
    guard remaining >= count else {
      isExhausted = true
      position = end
      return 0
    }
    var value: UInt64 = 0
    let first = position >> 3
    let last = (position + count - 1) >> 3
    for index in first...last { value = value << 8 | UInt64(bytes[index]) }
    value >>= UInt64((last + 1) * 8 - position - count)
    position += count
    return UInt32(truncatingIfNeeded: value & (1 << UInt64(count) - 1))
  }

  package mutating func flag() -> Bool { bits(1) == 1 }

  package mutating func skip(_ count: Int) {
    guard count >= 0, remaining >= count else {
      isExhausted = true
      position = end
      return
    }
    position += count
  }

  package mutating func alignToByte() { position = min((position + 7) & ~7, end) }

  /// Reads an unsigned exp-Golomb code (H.264 9.1); more than 32 leading zeros end the data.
  package mutating func unsignedGolomb() -> UInt32 {
    var zeros = 0
    var isMarked = false
    while remaining > 0 {
      isMarked = flag()
      if isMarked { break }
      zeros += 1
    }
    guard isMarked, zeros <= 32, remaining >= zeros else {
      isExhausted = true
      position = end
      return 0
    }
    guard zeros > 0 else { return 0 }
    if zeros == 32 {
      // Only 2^32 - 1 fits; anything longer is damage.
      isExhausted = isExhausted || bits(32) != 0
      return .max
    }
    return (1 << UInt32(zeros)) - 1 + bits(zeros)
  }

  /// Reads a signed exp-Golomb code (H.264 9.1.1).
  package mutating func signedGolomb() -> Int32 {
    let code = Int64(unsignedGolomb())
    return Int32(truncatingIfNeeded: code & 1 == 1 ? (code + 1) / 2 : -(code / 2))
  }
}
