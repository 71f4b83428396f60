extension MediaTime {
  /// The nearest time to this one in a range: itself, or the range's start or end.
  ///
  /// The order of times decides, so that infinite and indefinite times give start or end. Invalid
  /// when the time or the range is invalid or the range is empty.
  public func clamped(to range: MediaTimeRange) -> MediaTime {
    guard isValid, range.isValid, !range.isEmpty else { return .invalid }
    if self < range.start { return range.start }
    return self > range.end ? range.end : self
  }

  /// The time in a range that is a whole number of durations away from this one; for loops.
  ///
  /// Exact where a timescale holds the result. Invalid when the time is not numeric, the range is
  /// empty or not numeric, or the two are in different epochs.
  public func folded(into range: MediaTimeRange) -> MediaTime {
    guard isNumeric, range.isNumeric, !range.isEmpty, epoch == range.start.epoch else {
      return .invalid
    }
    let start = range.start
    let duration = range.duration
    // Everything over one denominator of at most 2^93: three 63-bit values times two scales each.
    let scales = (Int128(timescale), Int128(start.timescale), Int128(duration.timescale))
    let denominator = scales.0 * scales.1 * scales.2
    let origin = Int128(start.value) * scales.0 * scales.2
    let offset =
      (Int128(value) * scales.1 - Int128(start.value) * scales.0) * scales.2
    let period = Int128(duration.value) * scales.0 * scales.1
    let remainder = offset % period
    let numerator = origin + (remainder < 0 ? remainder + period : remainder)
    let isRounded = hasBeenRounded || start.hasBeenRounded || duration.hasBeenRounded
    let quotient = WideArithmetic.roundedQuotient(
      numerator, times: Int128(commonTimescale(with: start, duration)), over: denominator,
      rounding: .towardZero)
    if let quotient, quotient.isExact {
      return MediaTime(
        value: quotient.value, timescale: commonTimescale(with: start, duration),
        flags: isRounded ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
    }
    return MediaTime(reducing: numerator, over: denominator, isRounded: isRounded, epoch: epoch)
  }

  /// The time carried from one range to another: start goes to start, end to end, and every other
  /// time in proportion, also outside the ranges.
  ///
  /// Exact where a timescale holds the result; the time's own timescale is kept where that does, or
  /// that of the target's start, else the result is in lowest terms. Between two ranges of infinite
  /// duration the time is shifted by the distance of their starts. Invalid when a range is invalid,
  /// empty or indefinite, when one alone is infinite, or when the time is not numeric or not in the
  /// epoch of the source's start.
  public func mapped(from source: MediaTimeRange, to target: MediaTimeRange) -> MediaTime {
    guard isNumeric, source.start.isNumeric, target.start.isNumeric, epoch == source.start.epoch
    else { return .invalid }
    guard let ratio = Self.durationRatio(from: source, to: target) else { return .invalid }
    let isRounded =
      hasBeenRounded || source.start.hasBeenRounded || target.start.hasBeenRounded
      || ratio.isRounded
    let offset = (
      numerator: Int128(value) * Int128(source.start.timescale)
        - Int128(source.start.value) * Int128(timescale),
      denominator: Int128(timescale) * Int128(source.start.timescale)
    )
    let result = WideFraction(offset, times: ratio.fraction)
      .adding(target.start.value, over: target.start.timescale)
    return MediaTime(
      result, preferring: timescale, target.start.timescale, isRounded: isRounded,
      epoch: target.start.epoch)
  }

  /// The duration multiplied by the ratio of the durations of two ranges.
  ///
  /// Exact where a timescale holds the result; the duration's own timescale is kept where that does.
  /// Between two ranges of infinite duration it stays as it is. Invalid when a range is invalid,
  /// empty or indefinite, when one alone is infinite, or when the duration is not numeric or not in
  /// epoch 0.
  public func mappedDuration(
    from source: MediaTimeRange, to target: MediaTimeRange
  ) -> MediaTime {
    guard isNumeric, epoch == 0, let ratio = Self.durationRatio(from: source, to: target) else {
      return .invalid
    }
    let result = WideFraction((Int128(value), Int128(timescale)), times: ratio.fraction)
    return MediaTime(
      result, preferring: timescale, isRounded: hasBeenRounded || ratio.isRounded, epoch: 0)
  }

  /// Target's duration over source's; nil where a mapping has none.
  private static func durationRatio(
    from source: MediaTimeRange, to target: MediaTimeRange
  ) -> (fraction: (numerator: Int128, denominator: Int128), isRounded: Bool)? {
    guard source.isValid, target.isValid, !source.isEmpty, !target.isEmpty else { return nil }
    switch (source.duration.kind, target.duration.kind) {
    case (.positiveInfinity, .positiveInfinity):
      return ((1, 1), false)
    case (.numeric, .numeric):
      return (
        (
          Int128(target.duration.value) * Int128(source.duration.timescale),
          Int128(target.duration.timescale) * Int128(source.duration.value)
        ),
        source.duration.hasBeenRounded || target.duration.hasBeenRounded
      )
    default:
      return nil
    }
  }

  /// The least common multiple of three timescales where it is one, else the own timescale.
  private func commonTimescale(with first: MediaTime, _ second: MediaTime) -> Int32 {
    var common = UInt64(timescale.magnitude)
    for other in [UInt64(first.timescale.magnitude), UInt64(second.timescale.magnitude)] {
      common = common / WideArithmetic.greatestCommonDivisor(common, other) * other
      guard common <= UInt64(Self.maximumTimescale) else { return timescale }
    }
    return Int32(common)
  }

  /// The time of a fraction, in the first of these timescales that holds it exactly, else in lowest
  /// terms, else rounded to the largest timescale.
  private init(
    _ fraction: WideFraction, preferring timescales: Int32..., isRounded: Bool, epoch: Int64
  ) {
    let flags: Flags = isRounded ? [.valid, .hasBeenRounded] : .valid
    for timescale in timescales {
      guard let quotient = fraction.quotient(timescale: timescale), quotient.isExact else {
        continue
      }
      self.init(value: quotient.value, timescale: timescale, flags: flags, epoch: epoch)
      return
    }
    if let terms = fraction.lowestTerms {
      self.init(value: terms.value, timescale: terms.timescale, flags: flags, epoch: epoch)
      return
    }
    self = .fitting(
      timescale: Self.maximumTimescale, isRounded: isRounded, epoch: epoch,
      isNegative: fraction.isNegative, convert: fraction.quotient(timescale:))
  }
}
