/// How sizes follow from sizes: whole pixels, rounded to nearest, never less than one.
enum PixelFitting {
  /// The widest picture that making pixels square may yield.
  ///
  /// Twice the widest that video codecs store (16 384); an aspect ratio that asks for more is
  /// damaged or hostile and is ignored. The ratio's own numbers say nothing: 1001:1000 is harmless.
  static let maximumDisplayWidth = 32_768

  /// The size of a picture inside of `limit`, its aspect kept; it never grows.
  ///
  /// A side of `limit` that is not positive is unconstrained.
  static func fit(_ size: PixelSize, within limit: PixelSize) -> PixelSize {
    guard !size.isEmpty else { return size }
    let width = limit.width > 0 ? min(limit.width, size.width) : size.width
    let height = limit.height > 0 ? min(limit.height, size.height) : size.height
    // Which side binds: width / size.width against height / size.height.
    let byWidth = width.multipliedFullWidth(by: size.height)
    let byHeight = height.multipliedFullWidth(by: size.width)
    if (byWidth.high, byWidth.low) <= (byHeight.high, byHeight.low) {
      return PixelSize(width: width, height: scale(size.height, by: width, over: size.width))
    }
    return PixelSize(width: scale(size.width, by: height, over: size.height), height: height)
  }

  /// The size with square pixels: the width is scaled, the height stays.
  ///
  /// A ratio that is not positive, leaves no pixel or asks for more than ``maximumDisplayWidth``
  /// is ignored.
  static func displaySize(_ size: PixelSize, _ ratio: PixelAspectRatio) -> PixelSize {
    guard !size.isEmpty, ratio.horizontal > 0, ratio.vertical > 0 else { return size }
    let width = rounded(Int128(size.width) * Int128(ratio.horizontal), over: ratio.vertical)
    guard width > 0, width <= maximumDisplayWidth else { return size }
    return PixelSize(width: Int(width), height: size.height)
  }

  /// `side · numerator / denominator`, rounded to nearest, at least 1; needs numerator ≤ denominator.
  private static func scale(_ side: Int, by numerator: Int, over denominator: Int) -> Int {
    max(1, Int(rounded(Int128(side) * Int128(numerator), over: denominator)))
  }

  private static func rounded(_ numerator: Int128, over denominator: Int) -> Int128 {
    (numerator + Int128(denominator / 2)) / Int128(denominator)
  }
}
