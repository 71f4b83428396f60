import ISOMedia

/// Big-endian bytes, boxes and bit fields, written as the specification lays them out.
struct BoxWriter {
  private(set) var bytes: [UInt8] = []

  init() {}

  mutating func u8(_ value: UInt8) { bytes.append(value) }
  mutating func u16(_ value: UInt16) { append(UInt64(value), 2) }
  mutating func u24(_ value: UInt32) { append(UInt64(value), 3) }
  mutating func u32(_ value: UInt32) { append(UInt64(value), 4) }
  mutating func u64(_ value: UInt64) { append(value, 8) }
  mutating func i16(_ value: Int16) { u16(UInt16(bitPattern: value)) }
  mutating func i32(_ value: Int32) { u32(UInt32(bitPattern: value)) }
  mutating func i64(_ value: Int64) { u64(UInt64(bitPattern: value)) }
  mutating func code(_ value: FourCharacterCode) { u32(value.rawValue) }
  mutating func text(_ value: String) { bytes += Array(value.utf8) }
  mutating func zeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }
  mutating func raw(_ value: [UInt8]) { bytes += value }

  mutating func box(_ type: FourCharacterCode, _ body: (inout BoxWriter) -> Void) {
    var inner = BoxWriter()
    body(&inner)
    u32(UInt32(inner.bytes.count + 8))
    code(type)
    bytes += inner.bytes
  }

  mutating func fullBox(
    _ type: FourCharacterCode, version: UInt8 = 0, flags: UInt32 = 0,
    _ body: (inout BoxWriter) -> Void
  ) {
    box(type) {
      $0.u8(version)
      $0.u24(flags)
      body(&$0)
    }
  }

  private mutating func append(_ value: UInt64, _ count: Int) {
    for index in (0..<count).reversed() {
      bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(index * 8)))
    }
  }
}

func bytes(_ body: (inout BoxWriter) -> Void) -> [UInt8] {
  var writer = BoxWriter()
  body(&writer)
  return writer.bytes
}

/// Bytes from hexadecimal digits; spaces are skipped.
func hex(_ text: String) -> [UInt8] {
  let digits = text.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// Bits, most significant first, as parameter sets are written.
struct BitWriter {
  private var bits: [Bool] = []

  mutating func u(_ count: Int, _ value: UInt64) {
    for index in (0..<count).reversed() { bits.append(value >> UInt64(index) & 1 == 1) }
  }
  mutating func flag(_ value: Bool) { bits.append(value) }
  mutating func ue(_ value: UInt64) {
    let length = 64 - (value + 1).leadingZeroBitCount
    u(length - 1, 0)
    u(length, value + 1)
  }
  mutating func se(_ value: Int64) {
    ue(UInt64(value > 0 ? 2 * value - 1 : -2 * value))
  }
  /// The bits with a stop bit, padded to bytes.
  var trailed: [UInt8] {
    var copy = self
    copy.flag(true)
    return copy.padded
  }
  var padded: [UInt8] {
    var result: [UInt8] = []
    for (index, bit) in bits.enumerated() {
      if index & 7 == 0 { result.append(0) }
      if bit { result[result.count - 1] |= 0x80 >> UInt8(index & 7) }
    }
    return result
  }
  /// The bytes with emulation prevention, as they stand in a NAL unit.
  var protected: [UInt8] {
    var result: [UInt8] = []
    var zeros = 0
    for byte in trailed {
      if zeros == 2, byte <= 3 {
        result.append(3)
        zeros = 0
      }
      result.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    return result
  }
}
