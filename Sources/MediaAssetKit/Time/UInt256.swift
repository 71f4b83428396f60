/// An unsigned integer of 256 bits, for the product of several times; only what that needs.
struct UInt256: Equatable {
  var high: UInt128
  var low: UInt128

  init(high: UInt128 = 0, low: UInt128) {
    self.high = high
    self.low = low
  }

  /// The product of two 128-bit integers, which always fits.
  init(_ left: UInt128, times right: UInt128) {
    let product = left.multipliedFullWidth(by: right)
    self.init(high: product.high, low: product.low)
  }

  /// The product; the caller knows that it fits.
  func multiplied(by factor: UInt128) -> UInt256 {
    let product = low.multipliedFullWidth(by: factor)
    return UInt256(high: high * factor + product.high, low: product.low)
  }

  /// The sum; the caller knows that it fits.
  static func + (left: UInt256, right: UInt256) -> UInt256 {
    let (low, carry) = left.low.addingReportingOverflow(right.low)
    return UInt256(high: left.high + right.high + (carry ? 1 : 0), low: low)
  }

  /// The difference; the caller knows that it is not negative.
  static func - (left: UInt256, right: UInt256) -> UInt256 {
    let (low, borrow) = left.low.subtractingReportingOverflow(right.low)
    return UInt256(high: left.high - right.high - (borrow ? 1 : 0), low: low)
  }

  static func < (left: UInt256, right: UInt256) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }

  /// Quotient and remainder; the divisor is not 0, and the dividend is below 2^255.
  func quotientAndRemainder(dividingBy divisor: UInt256) -> (UInt256, UInt256) {
    if divisor.high == 0 {
      let (high, rest) = self.high.quotientAndRemainder(dividingBy: divisor.low)
      let (low, remainder) = divisor.low.dividingFullWidth((rest, self.low))
      return (UInt256(high: high, low: low), UInt256(low: remainder))
    }
    // The quotient is below 2^128; one bit of it at a time.
    let distance = divisor.high.leadingZeroBitCount - self.high.leadingZeroBitCount
    guard distance >= 0 else { return (UInt256(low: 0), self) }
    var quotient: UInt128 = 0
    var rest = self
    var part = divisor.multiplied(by: 1 << UInt128(distance))
    for _ in 0...distance {
      quotient <<= 1
      if !(rest < part) {
        rest = rest - part
        quotient |= 1
      }
      part = UInt256(high: part.high >> 1, low: part.low >> 1 | part.high << 127)
    }
    return (UInt256(low: quotient), rest)
  }

  /// The greatest common divisor; that of 0 and x is x.
  static func greatestCommonDivisor(_ first: UInt256, _ second: UInt256) -> UInt256 {
    var (larger, smaller) = (first, second)
    while smaller != UInt256(low: 0) {
      if larger.high == 0, smaller.high == 0 {
        return UInt256(low: WideArithmetic.greatestCommonDivisor(larger.low, smaller.low))
      }
      (larger, smaller) = (smaller, larger.quotientAndRemainder(dividingBy: smaller).1)
    }
    return larger
  }
}
