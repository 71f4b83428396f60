/// Builds boxes whose sizes are filled in when they end.
struct BoxBuilder: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ slice: ArraySlice<UInt8>) { bytes.append(contentsOf: slice) }

  mutating func append<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(shift)))
    }
  }

  /// A time of version 1 (64 bits) or 0 (32 bits) of its box.
  mutating func number(_ number: UInt64, isLong: Bool) {
    if isLong { append(number) } else { append(UInt32(clamping: number)) }
  }

  mutating func box<Failure: Error>(
    _ type: FourCharacterCode, _ body: (inout BoxBuilder) throws(Failure) -> Void
  ) throws(Failure) {
    let start = bytes.count
    append(UInt32(0))
    append(type.rawValue)
    try body(&self)
    let size = UInt32(clamping: bytes.count - start)
    for index in 0..<4 { bytes[start + index] = UInt8(truncatingIfNeeded: size >> UInt32(24 - 8 * index)) }
  }

  mutating func fullBox(
    _ type: FourCharacterCode, version: UInt8, flags: UInt32, _ body: (inout BoxBuilder, _ isLong: Bool) -> Void
  ) {
    box(type) { builder in
      builder.append(UInt32(version) << 24 | flags & 0xFF_FFFF)
      body(&builder, version == 1)
    }
  }
}
