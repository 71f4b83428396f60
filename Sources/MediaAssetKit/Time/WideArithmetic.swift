/// The integer arithmetic below `Rational` and `MediaTime`: products of up to 256 bits, divided and
/// rounded once.
package enum WideArithmetic {
  /// An integer that a division gave, and whether the division came out even.
  package struct Quotient: Hashable, Sendable {
    package var value: Int64
    package var isExact: Bool
  }

  /// `value × multiplier / divisor`, rounded once from the exact quotient.
  ///
  /// The product is formed in 256 bits, so nothing overflows on the way.
  /// - Returns: nil when the divisor is 0 or the rounded quotient does not fit 64 bits.
  package static func roundedQuotient(
    _ value: Int128, times multiplier: Int128, over divisor: Int128,
    rounding rule: FloatingPointRoundingRule
  ) -> Quotient? {
    guard divisor != 0 else { return nil }
    let isNegative = ((value < 0) != (multiplier < 0)) != (divisor < 0)
    let product = value.magnitude.multipliedFullWidth(by: multiplier.magnitude)
    let (quotient, remainder): (UInt128, UInt128)
    if product.high == 0 {
      (quotient, remainder) = product.low.quotientAndRemainder(dividingBy: divisor.magnitude)
    } else {
      guard product.high < divisor.magnitude else { return nil }
      (quotient, remainder) = divisor.magnitude.dividingFullWidth(product)
    }
    // Also keeps the increment below from wrapping.
    guard quotient <= UInt128(Int64.min.magnitude) else { return nil }
    let isAway =
      remainder != 0
      && roundsAway(
        quotientIsOdd: quotient & 1 == 1, remainder: remainder, divisor: divisor.magnitude,
        isNegative: isNegative, rule: rule)
    let magnitude = Int128(quotient) + (isAway ? 1 : 0)
    guard let result = Int64(exactly: isNegative ? -magnitude : magnitude) else { return nil }
    return Quotient(value: result, isExact: remainder == 0)
  }

  /// Whether a quotient with this remainder (not 0) goes to the next integer away from zero.
  private static func roundsAway(
    quotientIsOdd: Bool, remainder: UInt128, divisor: UInt128, isNegative: Bool,
    rule: FloatingPointRoundingRule
  ) -> Bool {
    // Twice the remainder may not fit; the other side of the comparison always does.
    let rest = divisor - remainder
    return switch rule {
    case .toNearestOrAwayFromZero: remainder >= rest
    case .toNearestOrEven: remainder > rest || (remainder == rest && quotientIsOdd)
    case .up: !isNegative
    case .down: isNegative
    case .towardZero: false
    case .awayFromZero: true
    @unknown default: remainder >= rest
    }
  }

  /// The greatest common divisor; that of 0 and x is x.
  package static func greatestCommonDivisor(_ first: UInt128, _ second: UInt128) -> UInt128 {
    var (larger, smaller) = (first, second)
    while smaller != 0 {
      // Division in 64 bits is many times faster, and almost every pair gets there in a step or two.
      if let larger = UInt64(exactly: larger), let smaller = UInt64(exactly: smaller) {
        return UInt128(greatestCommonDivisor(larger, smaller))
      }
      (larger, smaller) = (smaller, larger % smaller)
    }
    return larger
  }

  /// The greatest common divisor; that of 0 and x is x.
  package static func greatestCommonDivisor(_ first: UInt64, _ second: UInt64) -> UInt64 {
    var (larger, smaller) = (first, second)
    while smaller != 0 {
      (larger, smaller) = (smaller, larger % smaller)
    }
    return larger
  }

  /// The fraction nearest to `numerator / denominator` among those within both limits, the larger of
  /// two, in lowest terms; nil when the denominator is 0 or even the whole part is above the limit.
  ///
  /// Walks the continued fraction. The last fraction within the limits and the best intermediate
  /// one after it lie on either side of the value, and everything between them has a larger
  /// numerator and denominator than the two together, so one of these two is the nearest.
  package static func nearestFraction(
    to numerator: UInt128, over denominator: UInt128, maximumNumerator: UInt64,
    maximumDenominator: UInt64
  ) -> (numerator: UInt64, denominator: UInt64)? {
    guard denominator != 0, maximumDenominator != 0 else { return nil }
    var (rest, divisor) = (numerator, denominator)
    var previous: (numerator: UInt128, denominator: UInt128) = (0, 1)
    var current: (numerator: UInt128, denominator: UInt128) = (1, 0)
    while divisor != 0 {
      let (term, remainder) = rest.quotientAndRemainder(dividingBy: divisor)
      let limit = min(
        current.numerator == 0
          ? .max : (UInt128(maximumNumerator) - previous.numerator) / current.numerator,
        current.denominator == 0
          ? .max : (UInt128(maximumDenominator) - previous.denominator) / current.denominator)
      let step = min(term, limit)
      let next = (
        numerator: step * current.numerator + previous.numerator,
        denominator: step * current.denominator + previous.denominator
      )
      if step < term {
        guard current.denominator != 0 else { return nil }
        // Nearer exactly when rest/divisor × current < 2 × step × current + previous.
        let left = rest.multipliedFullWidth(by: current.denominator)
        let right = divisor.multipliedFullWidth(
          by: 2 * step * current.denominator + previous.denominator)
        let isTie = left == right
        let isLarger =
          next.numerator * current.denominator > current.numerator * next.denominator
        if isTie ? isLarger : (left.high, left.low) < (right.high, right.low) { current = next }
        break
      }
      (previous, current) = (current, next)
      (rest, divisor) = (divisor, remainder)
    }
    return (UInt64(current.numerator), UInt64(current.denominator))
  }
}
