extension FixedWidthInteger {
  /// The lowest `count` bytes, all by default, the highest of them first.
  package func bigEndianBytes(_ count: Int = Self.bitWidth / 8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * (count - 1 - $0))) }
  }

  /// The lowest `count` bytes, all by default, the lowest of them first.
  package func littleEndianBytes(_ count: Int = Self.bitWidth / 8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
