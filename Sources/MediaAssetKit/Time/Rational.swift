/// An exact fraction of 64-bit integers in lowest terms: a time base, a frame rate, an aspect ratio.
///
/// Arithmetic gives nil instead of wrapping or rounding.
package struct Rational: Hashable, Sendable {
  /// The numerator; carries the sign.
  package let numerator: Int64
  /// The denominator, above 0.
  package let denominator: Int64

  /// 0/1.
  package static let zero = Rational(0)
  /// 1/1.
  package static let one = Rational(1)

  /// A whole number.
  package init(_ integer: Int64) {
    numerator = integer
    denominator = 1
  }

  /// The fraction in lowest terms; nil when the denominator is 0 or the result needs more than
  /// 64 bits (only `Int64.min` over a negative number does).
  package init?(_ numerator: Int64, _ denominator: Int64) {
    self.init(reducing: Int128(numerator), over: Int128(denominator))
  }

  /// The fraction in lowest terms; nil when the denominator is 0 or the result needs more than
  /// 64 bits.
  package init?(reducing numerator: Int128, over denominator: Int128) {
    guard denominator != 0 else { return nil }
    // The usual case, at a fraction of the cost.
    if denominator > 0, let below = Int64(exactly: denominator), let above = Int64(exactly: numerator) {
      let divisor = WideArithmetic.greatestCommonDivisor(above.magnitude, below.magnitude)
      // At most `below`, which is positive and of 64 bits.
      let signed = Int64(divisor)
      self.numerator = above / signed
      self.denominator = below / signed
      return
    }
    let divisor = WideArithmetic.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
    let magnitude = numerator.magnitude / divisor
    guard let denominatorMagnitude = Int64(exactly: denominator.magnitude / divisor) else {
      return nil
    }
    guard magnitude <= UInt128(Int64.min.magnitude) else { return nil }
    let isNegative = (numerator < 0) != (denominator < 0)
    let signed = isNegative ? -Int128(magnitude) : Int128(magnitude)
    guard let signedNumerator = Int64(exactly: signed) else { return nil }
    self.numerator = signedNumerator
    self.denominator = denominatorMagnitude
  }

  /// The nearest floating-point number; for display only.
  package var doubleValue: Double { Double(numerator) / Double(denominator) }

  /// Without its sign.
  var magnitude: Rational { self < .zero ? .zero - self : self }

  /// Denominator over numerator: the time base of a rate. Nil for 0.
  package var reciprocal: Rational? { Rational(denominator, numerator) }
}

// MARK: - Arithmetic

extension Rational {
  /// The product; nil when it needs more than 64 bits.
  package func multiplied(by other: Rational) -> Rational? {
    Rational(
      reducing: Int128(numerator) * Int128(other.numerator),
      over: Int128(denominator) * Int128(other.denominator))
  }

  /// The quotient; nil when the divisor is 0 or it needs more than 64 bits.
  package func divided(by other: Rational) -> Rational? {
    Rational(
      reducing: Int128(numerator) * Int128(other.denominator),
      over: Int128(denominator) * Int128(other.numerator))
  }

  /// The sum; nil when it needs more than 64 bits.
  package func adding(_ other: Rational) -> Rational? {
    // Each product has a magnitude of at most 2^126, so the sum may just reach 2^127.
    let left = Int128(numerator) * Int128(other.denominator)
    let right = Int128(other.numerator) * Int128(denominator)
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard !overflow else { return nil }
    return Rational(reducing: sum, over: Int128(denominator) * Int128(other.denominator))
  }

  /// The difference; nil when it needs more than 64 bits.
  package func subtracting(_ other: Rational) -> Rational? {
    let left = Int128(numerator) * Int128(other.denominator)
    let right = Int128(other.numerator) * Int128(denominator)
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard !overflow else { return nil }
    return Rational(reducing: difference, over: Int128(denominator) * Int128(other.denominator))
  }

  /// The fraction, rounded to a whole number; nil when that needs more than 64 bits.
  package func rounded(_ rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero) -> Int64? {
    WideArithmetic.roundedQuotient(
      Int128(numerator), times: 1, over: Int128(denominator), rounding: rule)?.value
  }
}

extension Rational: Comparable {
  /// Compares by value, exactly.
  package static func < (left: Rational, right: Rational) -> Bool {
    Int128(left.numerator) * Int128(right.denominator)
      < Int128(right.numerator) * Int128(left.denominator)
  }
}

extension Rational: CustomStringConvertible {
  /// `numerator/denominator`.
  package var description: String { "\(numerator)/\(denominator)" }
}

// MARK: - Ticks

extension Rational {
  /// The number of ticks of `target` that `ticks` of `source` last: `ticks × source / target`.
  ///
  /// Computed in 256 bits and rounded once, so it is right for every pair of time bases.
  /// - Returns: nil when the result needs more than 64 bits or `target` is 0.
  package static func rescale(
    _ ticks: Int64, from source: Rational, to target: Rational,
    rounding rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) -> Int64? {
    if source == target { return target.numerator == 0 ? nil : ticks }
    let multiplier = Int128(source.numerator) * Int128(target.denominator)
    let divisor = Int128(source.denominator) * Int128(target.numerator)
    // The usual case, at a fraction of the cost: everything fits 64 bits and comes out even.
    if let divisor = Int64(exactly: divisor), divisor > 0,
      let multiplier = Int64(exactly: multiplier)
    {
      let (product, overflow) = ticks.multipliedReportingOverflow(by: multiplier)
      if !overflow {
        let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
        if remainder == 0 { return quotient }
      }
    }
    return WideArithmetic.roundedQuotient(
      Int128(ticks), times: multiplier, over: divisor, rounding: rule)?.value
  }
}
