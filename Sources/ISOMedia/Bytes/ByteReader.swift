/// Reads big-endian fields from a range of bytes, one after another, and never past its end.
///
/// A read that does not fit returns zero and sets ``isExhausted``, which stays set: a parser reads
/// all fields of a box in a row and looks once, at the end, whether they were really there.
/// Invariant: `0 <= position <= end <= bytes.count`.
package struct ByteReader: Sendable {
  package let bytes: [UInt8]
  package private(set) var position: Int
  package let end: Int
  /// Whether a read reached past the end.
  package private(set) var isExhausted = false

  /// Reads `range` of `bytes`, cut to the bytes that exist; all of them without a range.
  package init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    self.bytes = bytes
    let range = (range ?? 0..<bytes.count).clamped(to: 0..<bytes.count)
    position = range.lowerBound
    end = range.upperBound
  }

  package var remaining: Int { end - position }
  /// The bytes not read yet.
  package var rest: Range<Int> { position..<end }

  @inline(__always)
  private mutating func take(_ count: Int) -> Int? {
    guard count >= 0, end - position >= count else {
      isExhausted = true
      position = end
      return nil
    }
    defer { position += count }
    return position
  }

  package mutating func skip(_ count: Int) { _ = take(count) }

  @inline(__always)
  package mutating func uint8() -> UInt8 {
    guard let at = take(1) else { return 0 }
    return bytes[at]
  }

  @inline(__always)
  package mutating func uint16() -> UInt16 {
    guard let at = take(2) else { return 0 }
    return bytes.bigEndianUInt16(at: at)
  }

  package mutating func uint24() -> UInt32 {
    guard let at = take(3) else { return 0 }
    return UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
  }

  @inline(__always)
  package mutating func uint32() -> UInt32 {
    guard let at = take(4) else { return 0 }
    return bytes.bigEndianUInt32(at: at)
  }

  @inline(__always)
  package mutating func uint64() -> UInt64 {
    guard let at = take(8) else { return 0 }
    return bytes.bigEndianUInt64(at: at)
  }

  package mutating func int16() -> Int16 { Int16(bitPattern: uint16()) }
  package mutating func int32() -> Int32 { Int32(bitPattern: uint32()) }
  package mutating func int64() -> Int64 { Int64(bitPattern: uint64()) }
  package mutating func code() -> FourCharacterCode { FourCharacterCode(rawValue: uint32()) }

  /// Reads a full box's version and flags.
  package mutating func versionAndFlags() -> (version: UInt8, flags: UInt32) {
    let word = uint32()
    return (UInt8(word >> 24), word & 0xFF_FFFF)
  }

  /// Takes the next `count` bytes as a range; empty when they are not all there.
  package mutating func range(_ count: Int) -> Range<Int> {
    guard let at = take(count) else { return position..<position }
    return at..<at + count
  }

  /// Reads UTF-8 up to a NUL or the end; damaged sequences become U+FFFD.
  package mutating func terminatedString() -> String {
    let stop = bytes[position..<end].firstIndex(of: 0) ?? end
    defer { position = min(stop + 1, end) }
    return String(decoding: bytes[position..<stop], as: UTF8.self)
  }

  /// Reads a length byte and that many bytes of text.
  package mutating func pascalString() -> String {
    let count = Int(uint8())
    return String(decoding: bytes[range(min(count, remaining))], as: UTF8.self)
  }
}

extension [UInt8] {
  /// The big-endian number at an offset; traps when it does not fit, like any subscript.
  @inline(__always)
  func bigEndianUInt16(at offset: Int) -> UInt16 {
    UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
  }

  @inline(__always)
  func bigEndianUInt32(at offset: Int) -> UInt32 {
    // Only the type is unchecked by this name; the bounds are checked, and any bits are a UInt32.
    UInt32(bigEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  @inline(__always)
  func bigEndianUInt64(at offset: Int) -> UInt64 {
    // As above.
    UInt64(bigEndian: span.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
