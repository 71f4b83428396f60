extension MediaTime {
  /// How a value is rounded when the new timescale can't hold it exactly; the numbers are CMTime's.
  public enum RoundingMethod: UInt32, Hashable, Sendable, CaseIterable {
    /// To the nearest; halves away from zero. The default.
    case roundHalfAwayFromZero = 1
    /// Towards zero.
    case roundTowardZero = 2
    /// Away from zero.
    case roundAwayFromZero = 3
    /// Towards zero into a smaller timescale, away from zero into a larger one, and never from a
    /// negative time to zero: that gives −1.
    case quickTime = 4
    /// Up.
    case roundTowardPositiveInfinity = 5
    /// Down.
    case roundTowardNegativeInfinity = 6

    /// ``roundHalfAwayFromZero``.
    public static let `default` = RoundingMethod.roundHalfAwayFromZero
  }

  /// The time in another timescale.
  ///
  /// Times that are not numeric stay as they are; a timescale that is not above 0 gives an invalid
  /// time. Where the value overflows, the timescale is halved until it fits, so the result may have
  /// a smaller timescale than asked for.
  public func convertScale(
    _ newTimescale: Int32, method: RoundingMethod = .default
  ) -> MediaTime {
    guard newTimescale > 0 else { return .invalid }
    guard isNumeric else { return self }
    let rule: FloatingPointRoundingRule =
      switch method {
      case .roundHalfAwayFromZero: .toNearestOrAwayFromZero
      case .roundTowardZero: .towardZero
      case .roundAwayFromZero: .awayFromZero
      case .quickTime: newTimescale < timescale ? .towardZero : .awayFromZero
      case .roundTowardPositiveInfinity: .up
      case .roundTowardNegativeInfinity: .down
      }
    var result = MediaTime.fitting(
      Int128(value), over: Int128(timescale), timescale: newTimescale, method: rule,
      isRounded: hasBeenRounded, epoch: epoch)
    if method == .quickTime, value < 0, result.value == 0 { result.value = -1 }
    return result
  }
}

// MARK: - Seconds

extension MediaTime {
  /// A time from seconds, rounded to the nearest value of the timescale (halves away from zero).
  ///
  /// The number counts exactly as it is stored; ``hasBeenRounded`` is set when ``seconds`` of the
  /// result is not the number given. Where the value overflows, the timescale is halved until it
  /// fits, and the result is infinite where it doesn't fit even whole seconds. Not a number, or a
  /// timescale not above 0, gives an invalid time.
  public init(seconds: Double, preferredTimescale: Int32) {
    guard preferredTimescale > 0, !seconds.isNaN else {
      self = .invalid
      return
    }
    guard seconds.isFinite else {
      self = seconds < 0 ? .negativeInfinity : .positiveInfinity
      return
    }
    let (significand, exponent) = Self.binaryParts(of: seconds)
    self = .fitting(
      timescale: preferredTimescale, isRounded: false, epoch: 0, isNegative: seconds < 0
    ) { candidate in
      Self.quotient(
        Int128(significand), exponent: exponent, times: Int128(candidate), over: 1)
    }
    guard isNumeric else { return }
    flags = self.seconds == seconds ? .valid : [.valid, .hasBeenRounded]
  }

  /// The time in seconds, to the precision of a `Double`; for display and for interfaces that take
  /// nothing else. Not a number for invalid and indefinite times; the epoch does not count.
  public var seconds: Double {
    switch kind {
    case .numeric: Double(value) / Double(timescale)
    case .positiveInfinity: .infinity
    case .negativeInfinity: -.infinity
    case .indefinite, .invalid: .nan
    }
  }
}

// MARK: - Fractions

extension MediaTime {
  /// The time in lowest terms as `value/timescale` (`1001/30000`, `0/1` for zero); nil when the time
  /// is not numeric. What the command line prints.
  package var rationalText: String? {
    guard let rational else { return nil }
    return rational.description
  }

  /// The time in seconds as an exact fraction; nil when the time is not numeric.
  package var rational: Rational? {
    isNumeric ? Rational(value, Int64(timescale)) : nil
  }

  /// The time of a fraction of a second; nil when the denominator is 0. In lowest terms, as
  /// ``init(reducing:over:isRounded:epoch:)``.
  package init?(rationalNumerator: Int64, denominator: Int64) {
    guard denominator != 0 else { return nil }
    self.init(reducing: Int128(rationalNumerator), over: Int128(denominator))
  }

  /// The time nearest to a fraction of a second: exact in lowest terms if these fit, else the
  /// fraction with a smaller timescale that comes nearest, and marked as rounded.
  ///
  /// Infinite when even whole seconds need more than 64 bits, or the denominator alone is 0; invalid
  /// when both are.
  package init(
    reducing numerator: Int128, over denominator: Int128, isRounded: Bool = false, epoch: Int64 = 0
  ) {
    let isNegative = (numerator < 0) != (denominator < 0)
    guard denominator != 0 else {
      self = numerator == 0 ? .invalid : isNegative ? .negativeInfinity : .positiveInfinity
      return
    }
    if let exact = MediaTime(
      exactly: numerator, over: denominator, isRounded: isRounded, epoch: epoch)
    {
      self = exact
      return
    }
    // Rounding whole seconds decides what is infinite, as everywhere in this type; what it lets
    // through has a nearest fraction. Negative values reach one further than positive ones.
    let wholeSeconds = WideArithmetic.roundedQuotient(
      numerator, times: 1, over: denominator, rounding: .toNearestOrAwayFromZero)
    let nearest = WideArithmetic.nearestFraction(
      to: numerator.magnitude, over: denominator.magnitude,
      maximumNumerator: isNegative ? Int64.min.magnitude : Int64.max.magnitude,
      maximumDenominator: UInt64(Self.maximumTimescale))
    guard wholeSeconds != nil, let nearest else {
      self = isNegative ? .negativeInfinity : .positiveInfinity
      return
    }
    let magnitude = Int128(nearest.numerator)
    self.init(
      value: Int64(isNegative ? -magnitude : magnitude), timescale: Int32(nearest.denominator),
      flags: [.valid, .hasBeenRounded], epoch: epoch)
  }

  /// The time of a fraction of a second in lowest terms; nil when these don't fit.
  init?(exactly numerator: Int128, over denominator: Int128, isRounded: Bool, epoch: Int64) {
    guard let rational = Rational(reducing: numerator, over: denominator),
      let timescale = Int32(exactly: rational.denominator)
    else { return nil }
    self.init(
      value: rational.numerator, timescale: timescale,
      flags: isRounded ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
  }
}

// MARK: - Ticks

extension MediaTime {
  /// The time of a count of ticks, each `timeBase` seconds long.
  ///
  /// The denominator of the time base becomes the timescale where everything fits (512 ticks of
  /// 1/12800 are 512/12800); else as ``init(reducing:over:isRounded:epoch:)``.
  package init(ticks: Int64, timeBase: Rational, epoch: Int64 = 0) {
    let (value, overflow) = ticks.multipliedReportingOverflow(by: timeBase.numerator)
    if !overflow, let timescale = Int32(exactly: timeBase.denominator) {
      self.init(value: value, timescale: timescale, flags: .valid, epoch: epoch)
    } else {
      self.init(
        reducing: Int128(ticks) * Int128(timeBase.numerator), over: Int128(timeBase.denominator),
        epoch: epoch)
    }
  }

  /// The count of ticks of `timeBase` seconds that the time lasts; nil when the time is not numeric,
  /// the count needs more than 64 bits, or the time base is 0.
  package func ticks(
    in timeBase: Rational, rounding rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero
  ) -> Int64? {
    guard isNumeric else { return nil }
    return WideArithmetic.roundedQuotient(
      Int128(value), times: Int128(timeBase.denominator),
      over: Int128(timescale) * Int128(timeBase.numerator), rounding: rule)?.value
  }
}
