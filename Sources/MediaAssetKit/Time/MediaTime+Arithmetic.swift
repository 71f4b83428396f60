extension MediaTime {
  /// The sum of two times.
  ///
  /// Times of the same timescale keep it; otherwise the result has the least common multiple. Where
  /// that is above ``maximumTimescale`` the sum is kept exact in its lowest terms if these fit, and
  /// is rounded to ``maximumTimescale`` otherwise. Where the value overflows, the timescale is
  /// halved until it fits; where it doesn't fit even whole seconds, the result is infinite.
  ///
  /// Invalid with anything is invalid, as are infinities of opposite sign; an infinity with anything
  /// else stays; indefinite with a finite time is indefinite. A time in epoch 0 counts as a duration
  /// and can be added to any time; two times in the same other epoch give a duration (epoch 0), two
  /// in different ones are invalid.
  public static func + (left: MediaTime, right: MediaTime) -> MediaTime {
    sum(left, right, rightKind: right.kind, rightSign: 1)
  }

  /// The difference of two times; the rules are those of the sum.
  public static func - (left: MediaTime, right: MediaTime) -> MediaTime {
    let kind: Kind =
      switch right.kind {
      case .positiveInfinity: .negativeInfinity
      case .negativeInfinity: .positiveInfinity
      case let other: other
      }
    return sum(left, right, rightKind: kind, rightSign: -1)
  }

  /// Adds a time.
  public static func += (left: inout MediaTime, right: MediaTime) {
    left = left + right
  }

  /// Subtracts a time.
  public static func -= (left: inout MediaTime, right: MediaTime) {
    left = left - right
  }

  private static func sum(
    _ left: MediaTime, _ right: MediaTime, rightKind: Kind, rightSign: Int128
  ) -> MediaTime {
    switch (left.kind, rightKind) {
    case (.numeric, .numeric): break
    case (.invalid, _), (_, .invalid): return .invalid
    case (.positiveInfinity, .negativeInfinity), (.negativeInfinity, .positiveInfinity):
      return .invalid
    case (.positiveInfinity, _), (_, .positiveInfinity): return .positiveInfinity
    case (.negativeInfinity, _), (_, .negativeInfinity): return .negativeInfinity
    case (.indefinite, _), (_, .indefinite): return .indefinite
    }
    guard left.epoch == 0 || right.epoch == 0 || left.epoch == right.epoch else { return .invalid }
    let epoch = left.epoch == right.epoch ? 0 : left.epoch | right.epoch
    let isRounded = left.hasBeenRounded || right.hasBeenRounded

    // At most 2^95 over 2^62: the product with a timescale still fits 128 bits.
    let numerator =
      Int128(left.value) * Int128(right.timescale)
      + rightSign * Int128(right.value) * Int128(left.timescale)
    let denominator = Int128(left.timescale) * Int128(right.timescale)
    let divisor = WideArithmetic.greatestCommonDivisor(
      UInt64(left.timescale.magnitude), UInt64(right.timescale.magnitude))
    let common = denominator / Int128(divisor)
    guard let timescale = Int32(exactly: common) else {
      if let exact = MediaTime(
        exactly: numerator, over: denominator, isRounded: isRounded, epoch: epoch)
      {
        return exact
      }
      return fitting(
        numerator, over: denominator, timescale: maximumTimescale, isRounded: isRounded,
        epoch: epoch)
    }
    return fitting(
      numerator, over: denominator, timescale: timescale, isRounded: isRounded, epoch: epoch)
  }

  /// The time with the opposite sign; indefinite and invalid times stay.
  public static prefix func - (time: MediaTime) -> MediaTime {
    time.multiplied(by: -1)
  }

  /// The time without its sign; indefinite and invalid times stay.
  public var absoluteValue: MediaTime {
    switch kind {
    case .numeric: value < 0 ? -self : self
    case .negativeInfinity: .positiveInfinity
    case .positiveInfinity, .indefinite, .invalid: self
    }
  }
}

// MARK: - Multiplication

extension MediaTime {
  /// The product with a whole number, in the same timescale.
  ///
  /// Where the value overflows, the timescale is halved until it fits, and the result is infinite
  /// where it doesn't fit even whole seconds. An infinite time stays infinite, with the sign of the
  /// product.
  public func multiplied(by multiplier: Int32) -> MediaTime {
    guard isNumeric else { return specialProduct(isNegative: multiplier < 0) }
    return .fitting(
      Int128(value) * Int128(multiplier), over: Int128(timescale), timescale: timescale,
      isRounded: hasBeenRounded, epoch: epoch)
  }

  /// The product with a whole number; as ``multiplied(by:)``.
  public static func * (time: MediaTime, multiplier: Int32) -> MediaTime {
    time.multiplied(by: multiplier)
  }

  /// The product with a fraction, `time × multiplier / divisor`, exact wherever it can be held.
  ///
  /// Value and timescale are multiplied as they are where they fit (`6/600` by 1/4 is `6/2400`), else
  /// in lowest terms; where these don't fit either, the result is the nearest time there is, and is
  /// infinite where whole seconds overflow. A divisor of 0 gives an infinity with the sign of the
  /// product, and an invalid time when the time or the multiplier is 0 too.
  public func multiplied(by multiplier: Int32, dividedBy divisor: Int32) -> MediaTime {
    let isNegative = (multiplier < 0) != (divisor < 0)
    guard isNumeric else {
      guard multiplier != 0 || divisor != 0 else { return isIndefinite ? self : .invalid }
      return specialProduct(isNegative: isNegative)
    }
    let common = Int128(
      max(
        1,
        WideArithmetic.greatestCommonDivisor(
          UInt64(multiplier.magnitude), UInt64(divisor.magnitude))))
    let sign: Int128 = divisor < 0 ? -1 : 1
    let numerator = Int128(value) * Int128(multiplier) / common * sign
    let denominator = Int128(timescale) * Int128(divisor) / common * sign
    if denominator > 0, let timescale = Int32(exactly: denominator),
      let value = Int64(exactly: numerator)
    {
      let flags: Flags = hasBeenRounded ? [.valid, .hasBeenRounded] : .valid
      return MediaTime(value: value, timescale: timescale, flags: flags, epoch: epoch)
    }
    return MediaTime(
      reducing: numerator, over: denominator, isRounded: hasBeenRounded, epoch: epoch)
  }

  /// The product with a floating-point number.
  ///
  /// The timescale is doubled until it is at least 65,536 and the value rounded to it; where that
  /// overflows the timescale is halved until the value fits. The number counts exactly as it is
  /// stored; a factor that is a fraction is better given to ``multiplied(by:dividedBy:)``.
  /// Not a number gives an invalid time, and so does an infinite factor of zero.
  public func scaled(by factor: Double) -> MediaTime {
    guard !factor.isNaN else { return .invalid }
    guard isNumeric else { return specialProduct(isNegative: factor < 0) }
    guard factor.isFinite else {
      if value == 0 { return .invalid }
      return (value < 0) != (factor < 0) ? .negativeInfinity : .positiveInfinity
    }
    var finer = timescale
    while finer < 65_536 { finer *= 2 }
    let (significand, exponent) = Self.binaryParts(of: factor)
    let numerator = Int128(value) * Int128(significand)
    return .fitting(
      timescale: finer, isRounded: hasBeenRounded, epoch: epoch, isNegative: numerator < 0
    ) { candidate in
      Self.quotient(
        numerator, exponent: exponent, times: Int128(candidate), over: Int128(timescale))
    }
  }

  /// The product of a time that is not numeric with something of that sign.
  private func specialProduct(isNegative: Bool) -> MediaTime {
    switch kind {
    case .positiveInfinity: isNegative ? .negativeInfinity : .positiveInfinity
    case .negativeInfinity: isNegative ? .positiveInfinity : .negativeInfinity
    case .indefinite: .indefinite
    case .invalid, .numeric: .invalid
    }
  }
}

// MARK: - Fitting results

extension MediaTime {
  /// `numerator / denominator` at a timescale, halved until the value fits; infinite where not even
  /// whole seconds do.
  static func fitting(
    _ numerator: Int128, over denominator: Int128, timescale: Int32,
    method: FloatingPointRoundingRule = .toNearestOrAwayFromZero, isRounded: Bool, epoch: Int64
  ) -> MediaTime {
    fitting(timescale: timescale, isRounded: isRounded, epoch: epoch, isNegative: numerator < 0) {
      WideArithmetic.roundedQuotient(
        numerator, times: Int128($0), over: denominator, rounding: method)
    }
  }

  /// The value that `convert` gives for a timescale, halved until there is one; infinite where there
  /// is none for whole seconds.
  static func fitting(
    timescale: Int32, isRounded: Bool, epoch: Int64, isNegative: Bool,
    convert: (Int32) -> WideArithmetic.Quotient?
  ) -> MediaTime {
    var timescale = timescale
    while timescale > 0 {
      if let quotient = convert(timescale) {
        return MediaTime(
          value: quotient.value, timescale: timescale,
          flags: isRounded || !quotient.isExact ? [.valid, .hasBeenRounded] : .valid,
          epoch: epoch)
      }
      timescale /= 2
    }
    return isNegative ? .negativeInfinity : .positiveInfinity
  }

  /// A finite number as `significand × 2^exponent`.
  static func binaryParts(of number: Double) -> (significand: Int64, exponent: Int) {
    guard number != 0 else { return (0, 0) }
    // The significand is in 1..<2 with 52 bits behind the point, also for subnormal numbers.
    let magnitude = Int64(number.significand * 0x1p52)
    return (number < 0 ? -magnitude : magnitude, Int(number.exponent) - 52)
  }

  /// `value × 2^exponent × multiplier / divisor`, rounded half away from zero; nil when it doesn't
  /// fit. Asks for a multiplier and a divisor from 1 to `Int32.max`, and for a value below 2^117
  /// where the multiplier is a power of two times the divisor, else below 2^95.
  static func quotient(
    _ value: Int128, exponent: Int, times multiplier: Int128, over divisor: Int128
  ) -> WideArithmetic.Quotient? {
    guard value != 0 else { return WideArithmetic.Quotient(value: 0, isExact: true) }
    let common = Int128(
      WideArithmetic.greatestCommonDivisor(multiplier.magnitude, divisor.magnitude))
    let shift = (multiplier / common).trailingZeroBitCount
    let (odd, divisor) = ((multiplier / common) >> Int128(shift), divisor / common)
    let exponent = exponent + shift
    if exponent >= 0 {
      // From 2^95 on even 1 over the largest timescale is above 64 bits.
      guard exponent < 95 else { return nil }
      return WideArithmetic.roundedQuotient(
        value, times: odd << Int128(exponent), over: divisor, rounding: .toNearestOrAwayFromZero)
    }
    // A longer shift changes nothing: the quotient is already below one half.
    let room = divisor.leadingZeroBitCount - 2
    return WideArithmetic.roundedQuotient(
      value, times: odd, over: divisor << Int128(min(-exponent, room)),
      rounding: .toNearestOrAwayFromZero)
  }
}
