/// `clap`: the part of the picture to show, as stored.
package struct CleanAperture: Hashable, Sendable {
  /// An exact number; the denominator is never zero or negative.
  package struct Rational: Hashable, Sendable {
    package var numerator: Int64
    package var denominator: Int64

    package init(numerator: Int64, denominator: Int64) {
      self.numerator = numerator
      self.denominator = denominator
    }
  }

  package var width, height: Rational
  /// Of the aperture's centre from the picture's, in pixels.
  package var horizontalOffset, verticalOffset: Rational

  /// Nil when a denominator is zero or a size not positive.
  package init?(_ reader: inout ByteReader) {
    func next() -> Rational? {
      // The specification has unsigned sizes and signed offsets; signed reads both.
      let value = (Int64(reader.int32()), Int64(reader.int32()))
      guard value.1 != 0 else { return nil }
      return value.1 < 0
        ? Rational(numerator: -value.0, denominator: -value.1)
        : Rational(numerator: value.0, denominator: value.1)
    }
    guard let width = next(), let height = next(), let horizontal = next(), let vertical = next(),
      !reader.isExhausted, width.numerator > 0, height.numerator > 0
    else { return nil }
    self.width = width
    self.height = height
    horizontalOffset = horizontal
    verticalOffset = vertical
  }

  /// Where the aperture's left and top edges lie in a picture of a size: exact.
  ///
  /// left = offset + (picture - aperture) / 2 (ISO/IEC 14496-12, 12.1.4); nil on overflow.
  package func origin(width pictureWidth: Int, height pictureHeight: Int) -> (
    x: Rational, y: Rational
  )? {
    guard let x = Self.edge(horizontalOffset, width, pictureWidth),
      let y = Self.edge(verticalOffset, height, pictureHeight)
    else { return nil }
    return (x, y)
  }

  private static func edge(_ offset: Rational, _ size: Rational, _ picture: Int) -> Rational? {
    // Numerators and denominators are below 2^31 and a picture's side below 2^16 in `stsd`.
    guard (0...0xFFFF).contains(picture) else { return nil }
    let (common, overflow1) = offset.denominator.multipliedReportingOverflow(by: size.denominator)
    let (denominator, overflow2) = common.multipliedReportingOverflow(by: 2)
    let (doubled, overflow3) = (2 * offset.numerator).multipliedReportingOverflow(
      by: size.denominator)
    let (space, overflow4) = (Int64(picture) * size.denominator - size.numerator)
      .multipliedReportingOverflow(by: offset.denominator)
    let (numerator, overflow5) = doubled.addingReportingOverflow(space)
    guard !overflow1, !overflow2, !overflow3, !overflow4, !overflow5 else { return nil }
    return Rational(numerator: numerator, denominator: denominator).reduced
  }
}

extension CleanAperture.Rational {
  /// The same number in lowest terms.
  package var reduced: Self {
    var (a, b) = (numerator.magnitude, denominator.magnitude)
    while b != 0 { (a, b) = (b, a % b) }
    guard a > 1, let divisor = Int64(exactly: a) else { return self }
    return Self(numerator: numerator / divisor, denominator: denominator / divisor)
  }
}
