/// An exact fraction with 256-bit integers, as large as what mapping a time through two ranges gives.
struct WideFraction {
  let isNegative: Bool
  /// Below 2^222, so that the product with a timescale fits.
  let numerator: UInt256
  /// Above 0.
  let denominator: UInt256

  /// `value × factor` of two fractions.
  ///
  /// Numerators up to 2^95 and 2^94 and denominators up to 2^62 and 2^94.
  init(
    _ value: (numerator: Int128, denominator: Int128),
    times factor: (numerator: Int128, denominator: Int128)
  ) {
    isNegative = (value.numerator < 0) != (factor.numerator < 0)
    numerator = UInt256(value.numerator.magnitude, times: factor.numerator.magnitude)
    denominator = UInt256(value.denominator.magnitude, times: factor.denominator.magnitude)
  }

  private init(isNegative: Bool, numerator: UInt256, denominator: UInt256) {
    self.isNegative = isNegative
    self.numerator = numerator
    self.denominator = denominator
  }

  /// The sum with `value / timescale`; for a product that nothing was added to.
  func adding(_ value: Int64, over timescale: Int32) -> WideFraction {
    let left = numerator.multiplied(by: UInt128(timescale.magnitude))
    let right = denominator.multiplied(by: UInt128(value.magnitude))
    let isSum = isNegative == (value < 0)
    let isLeftSmaller = left < right
    return WideFraction(
      isNegative: isLeftSmaller ? value < 0 : isNegative,
      numerator: isSum ? left + right : isLeftSmaller ? right - left : left - right,
      denominator: denominator.multiplied(by: UInt128(timescale.magnitude)))
  }

  /// The value at a timescale, rounded half away from zero; nil when it needs more than 64 bits.
  func quotient(timescale: Int32) -> WideArithmetic.Quotient? {
    let (quotient, remainder) = numerator.multiplied(by: UInt128(timescale.magnitude))
      .quotientAndRemainder(dividingBy: denominator)
    guard quotient.high == 0, quotient.low <= UInt128(Int64.min.magnitude) else { return nil }
    let isAway = !(remainder < denominator - remainder)
    let magnitude = Int128(quotient.low) + (isAway ? 1 : 0)
    guard let value = Int64(exactly: isNegative ? -magnitude : magnitude) else { return nil }
    return WideArithmetic.Quotient(value: value, isExact: remainder == UInt256(low: 0))
  }

  /// The fraction in lowest terms as value and timescale; nil when these don't fit.
  var lowestTerms: (value: Int64, timescale: Int32)? {
    let divisor = UInt256.greatestCommonDivisor(numerator, denominator)
    let value = numerator.quotientAndRemainder(dividingBy: divisor).0
    let timescale = denominator.quotientAndRemainder(dividingBy: divisor).0
    guard value.high == 0, value.low <= UInt128(Int64.min.magnitude), timescale.high == 0,
      let timescale = Int32(exactly: timescale.low),
      let value = Int64(exactly: isNegative ? -Int128(value.low) : Int128(value.low))
    else { return nil }
    return (value, timescale)
  }
}
