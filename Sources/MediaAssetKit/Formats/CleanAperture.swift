/// The clean aperture of QuickTime and ISO files: the eight numbers of the `clap` box.
///
/// Offsets are from the centre of the picture to the centre of the aperture, right and down.
struct CleanAperture: Hashable, Sendable {
  var widthNumerator: UInt32
  var widthDenominator: UInt32
  var heightNumerator: UInt32
  var heightDenominator: UInt32
  var horizontalOffsetNumerator: Int32
  var horizontalOffsetDenominator: UInt32
  var verticalOffsetNumerator: Int32
  var verticalOffsetDenominator: UInt32

  /// The aperture in whole pixels of a picture, or the whole picture when the numbers are no use.
  ///
  /// ISO/IEC 14496-12, 12.1.4: the left edge is offset + (picture − aperture) / 2. Edge and length
  /// are rounded to nearest, halves up; what lies outside of the picture is cut off. A zero
  /// denominator, an empty aperture and one that misses the picture are no use.
  func rect(in size: PixelSize) -> PixelRect {
    let whole = PixelRect(size)
    guard
      let horizontal = Self.span(
        of: size.width, (widthNumerator, widthDenominator),
        offset: (horizontalOffsetNumerator, horizontalOffsetDenominator)),
      let vertical = Self.span(
        of: size.height, (heightNumerator, heightDenominator),
        offset: (verticalOffsetNumerator, verticalOffsetDenominator))
    else { return whole }
    let aperture = PixelRect(
      x: horizontal.start, y: vertical.start, width: horizontal.length, height: vertical.length)
    return whole.intersection(aperture) ?? whole
  }

  private static func span(
    of side: Int, _ length: (UInt32, UInt32), offset: (Int32, UInt32)
  ) -> (start: Int, length: Int)? {
    guard let side = Int32(exactly: side), length.0 > 0, length.1 > 0, offset.1 > 0 else {
      return nil
    }
    // 32-bit numbers, so these products of three stay below 2¹⁰⁰.
    let (numerator, denominator) = (Int128(length.0), Int128(length.1))
    let start = rounded(
      2 * denominator * Int128(offset.0)
        + Int128(offset.1) * (Int128(side) * denominator - numerator),
      over: 2 * denominator * Int128(offset.1))
    return (Int(start), max(1, Int(rounded(numerator, over: denominator))))
  }

  /// The nearest whole number, halves up.
  private static func rounded(_ numerator: Int128, over denominator: Int128) -> Int128 {
    let (quotient, rest) = (2 * numerator + denominator)
      .quotientAndRemainder(dividingBy: 2 * denominator)
    return rest < 0 ? quotient - 1 : quotient
  }
}
