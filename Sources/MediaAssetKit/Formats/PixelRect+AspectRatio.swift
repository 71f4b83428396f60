extension PixelRect {
  /// The largest rectangle of a shape inside another one, in its middle; what AVFoundation's `AVMakeRect` gives.
  ///
  /// Sides and origin are rounded to whole pixels. A shape or a rectangle without an inside gives an empty one in the middle.
  ///
  /// - Parameters:
  ///   - aspectRatio: Width and height of the shape, in any unit.
  ///   - bounds: Where it shall lie.
  public init(aspectRatio: PixelSize, insideRect bounds: PixelRect) {
    var size = PixelSize.zero
    if aspectRatio.width > 0, aspectRatio.height > 0, bounds.width > 0, bounds.height > 0 {
      let (width, height) = (Int128(aspectRatio.width), Int128(aspectRatio.height))
      let isWider = width * Int128(bounds.height) > height * Int128(bounds.width)
      if isWider {
        let rows = (2 * Int128(bounds.width) * height + width) / (2 * width)
        size = PixelSize(width: bounds.width, height: min(bounds.height, Int(clamping: rows)))
      } else {
        let columns = (2 * Int128(bounds.height) * width + height) / (2 * height)
        size = PixelSize(width: min(bounds.width, Int(clamping: columns)), height: bounds.height)
      }
    }
    func middle(_ start: Int, _ outer: Int, _ inner: Int) -> Int {
      Int(clamping: Int128(start) + (Int128(outer) - Int128(inner)) / 2)
    }
    self.init(
      x: middle(bounds.x, bounds.width, size.width), y: middle(bounds.y, bounds.height, size.height),
      width: size.width, height: size.height)
  }
}
