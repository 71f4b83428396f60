/// An integer of any size, by the methods learnt at school: what exact time arithmetic is checked
/// against. Shares no code with what it checks.
struct BigInteger: Hashable, Comparable, CustomStringConvertible {
  /// Digits to base 2^32, the lowest first, without leading zeros; empty for 0.
  private var digits: [UInt32]
  private var isNegative: Bool

  private init(digits: [UInt32], isNegative: Bool) {
    var digits = digits
    while digits.last == 0 { digits.removeLast() }
    self.digits = digits
    self.isNegative = isNegative && !digits.isEmpty
  }

  init(_ value: some BinaryInteger) {
    var digits: [UInt32] = []
    var rest = value.magnitude
    while rest != 0 {
      digits.append(UInt32(truncatingIfNeeded: rest))
      rest >>= 32
    }
    self.init(digits: digits, isNegative: value < 0)
  }

  static func power(ofTwo exponent: Int) -> BigInteger {
    var digits = [UInt32](repeating: 0, count: exponent / 32 + 1)
    digits[exponent / 32] = 1 << UInt32(exponent % 32)
    return BigInteger(digits: digits, isNegative: false)
  }

  var isZero: Bool { digits.isEmpty }
  var sign: Int { isZero ? 0 : isNegative ? -1 : 1 }
  var magnitude: BigInteger { BigInteger(digits: digits, isNegative: false) }
  var isOdd: Bool { (digits.first ?? 0) & 1 == 1 }
  /// The value as a machine integer, where it fits.
  var asInt64: Int64? {
    guard digits.count <= 2 else { return nil }
    let magnitude = digits.reversed().reduce(UInt64(0)) { $0 << 32 | UInt64($1) }
    if isNegative, magnitude == UInt64(1) << 63 { return .min }
    guard let value = Int64(exactly: magnitude) else { return nil }
    return isNegative ? -value : value
  }
  private var bitWidth: Int {
    guard let last = digits.last else { return 0 }
    return digits.count * 32 - last.leadingZeroBitCount
  }

  static prefix func - (value: BigInteger) -> BigInteger {
    BigInteger(digits: value.digits, isNegative: !value.isNegative)
  }

  static func + (left: BigInteger, right: BigInteger) -> BigInteger {
    guard left.isNegative == right.isNegative else {
      let isLeftSmaller = isLess(left.digits, right.digits)
      return isLeftSmaller
        ? BigInteger(
          digits: difference(right.digits, left.digits), isNegative: right.isNegative)
        : BigInteger(digits: difference(left.digits, right.digits), isNegative: left.isNegative)
    }
    var digits: [UInt32] = []
    var carry: UInt64 = 0
    for index in 0..<max(left.digits.count, right.digits.count) {
      carry += UInt64(index < left.digits.count ? left.digits[index] : 0)
      carry += UInt64(index < right.digits.count ? right.digits[index] : 0)
      digits.append(UInt32(truncatingIfNeeded: carry))
      carry >>= 32
    }
    digits.append(UInt32(carry))
    return BigInteger(digits: digits, isNegative: left.isNegative)
  }

  static func - (left: BigInteger, right: BigInteger) -> BigInteger { left + -right }

  static func * (left: BigInteger, right: BigInteger) -> BigInteger {
    var digits = [UInt32](repeating: 0, count: left.digits.count + right.digits.count)
    for (offset, factor) in left.digits.enumerated() {
      var carry: UInt64 = 0
      for (index, digit) in right.digits.enumerated() {
        carry += UInt64(factor) * UInt64(digit) + UInt64(digits[offset + index])
        digits[offset + index] = UInt32(truncatingIfNeeded: carry)
        carry >>= 32
      }
      digits[offset + right.digits.count] = UInt32(carry)
    }
    return BigInteger(digits: digits, isNegative: left.isNegative != right.isNegative)
  }

  /// Quotient rounded down, and the remainder, which has the divisor's sign: bit by bit.
  func flooredDivision(by divisor: BigInteger) -> (quotient: BigInteger, remainder: BigInteger) {
    let step = divisor.magnitude
    let width = max(0, bitWidth - divisor.bitWidth)
    var part = (step * .power(ofTwo: width)).digits
    var rest = digits
    var bits = [UInt32](repeating: 0, count: width / 32 + 1)
    for shift in stride(from: width, through: 0, by: -1) {
      if !Self.isLess(rest, part) {
        rest = Self.difference(rest, part)
        while rest.last == 0 { rest.removeLast() }
        bits[shift / 32] |= 1 << UInt32(shift % 32)
      }
      Self.halve(&part)
    }
    var quotient = BigInteger(digits: bits, isNegative: isNegative != divisor.isNegative)
    var remainder = BigInteger(digits: rest, isNegative: false)
    if isNegative != divisor.isNegative, !remainder.isZero {
      quotient = quotient - BigInteger(1)
      remainder = step - remainder
    }
    return (quotient, divisor.isNegative ? -remainder : remainder)
  }

  static func greatestCommonDivisor(_ first: BigInteger, _ second: BigInteger) -> BigInteger {
    var (larger, smaller) = (first.magnitude, second.magnitude)
    while !smaller.isZero {
      (larger, smaller) = (smaller, larger.flooredDivision(by: smaller).remainder)
    }
    return larger
  }

  static func < (left: BigInteger, right: BigInteger) -> Bool {
    guard left.isNegative == right.isNegative else { return left.isNegative }
    return left.isNegative
      ? isLess(right.digits, left.digits) : isLess(left.digits, right.digits)
  }

  var description: String {
    var hexadecimal = digits.reversed().map { digit in
      let text = String(digit, radix: 16)
      return String(repeating: "0", count: 8 - text.count) + text
    }.joined()
    while hexadecimal.hasPrefix("0") { hexadecimal.removeFirst() }
    return (isNegative ? "-" : "") + "0x" + (hexadecimal.isEmpty ? "0" : hexadecimal)
  }

  private static func isLess(_ left: [UInt32], _ right: [UInt32]) -> Bool {
    guard left.count == right.count else { return left.count < right.count }
    for index in left.indices.reversed() where left[index] != right[index] {
      return left[index] < right[index]
    }
    return false
  }

  private static func halve(_ digits: inout [UInt32]) {
    var carry: UInt32 = 0
    for index in digits.indices.reversed() {
      let digit = digits[index]
      digits[index] = digit >> 1 | carry << 31
      carry = digit & 1
    }
    while digits.last == 0 { digits.removeLast() }
  }

  private static func difference(_ larger: [UInt32], _ smaller: [UInt32]) -> [UInt32] {
    var digits = larger
    var borrow: Int64 = 0
    for index in larger.indices {
      let digit =
        Int64(larger[index]) - (index < smaller.count ? Int64(smaller[index]) : 0) - borrow
      digits[index] = UInt32(truncatingIfNeeded: digit)
      borrow = digit < 0 ? 1 : 0
    }
    return digits
  }
}
