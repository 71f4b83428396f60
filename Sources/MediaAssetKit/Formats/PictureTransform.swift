/// A 2×3 affine map of the picture's plane in pixels, y downwards, laid out as `CGAffineTransform`.
///
/// A point (x, y) goes to (a·x + c·y + tx, b·x + d·y + ty). A track's `preferredTransform` is such a
/// map from its natural size to the upright picture. The whole matrix is carried, not an angle,
/// because mirrored and skewed pictures have none. Foundation on Linux has a type of its own called `AffineTransform`, hence
/// the name.
public struct PictureTransform: Hashable, Sendable, Codable {
  /// What x adds to x.
  public var a: Double
  /// What x adds to y.
  public var b: Double
  /// What y adds to x.
  public var c: Double
  /// What y adds to y.
  public var d: Double
  /// The shift in x, in pixels.
  public var tx: Double
  /// The shift in y, in pixels.
  public var ty: Double

  /// Makes a map from its six numbers.
  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  /// The map that leaves every point where it is.
  public static let identity = PictureTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  /// Whether the map leaves every point exactly where it is.
  public var isIdentity: Bool { self == .identity }

  /// This map followed by another one.
  public func concatenating(_ next: PictureTransform) -> PictureTransform {
    PictureTransform(
      a: a * next.a + b * next.c,
      b: a * next.b + b * next.d,
      c: c * next.a + d * next.c,
      d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx,
      ty: tx * next.b + ty * next.d + next.ty)
  }

  /// The map back, or `nil` when this one squeezes the plane into a line or holds no numbers.
  public var inverted: PictureTransform? {
    let determinant = a * d - b * c
    guard determinant.isFinite, determinant != 0 else { return nil }
    return PictureTransform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }

  /// The size of the box around a turned picture, rounded to whole pixels.
  ///
  /// The shift plays no part; a map that holds no numbers leaves the size as it is.
  public func applied(to size: PixelSize) -> PixelSize {
    let box = bounds(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    guard let width = Int(rounding: box.maxX - box.minX),
      let height = Int(rounding: box.maxY - box.minY)
    else { return size }
    return PixelSize(width: width, height: height)
  }

  /// The box around a turned rectangle, its edges rounded to whole pixels.
  ///
  /// A map that holds no numbers leaves the rectangle as it is.
  public func applied(to rect: PixelRect) -> PixelRect {
    let box = bounds(
      x: Double(rect.x), y: Double(rect.y), width: Double(rect.width), height: Double(rect.height))
    guard let left = Int(rounding: box.minX), let right = Int(rounding: box.maxX),
      let top = Int(rounding: box.minY), let bottom = Int(rounding: box.maxY)
    else { return rect }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The same turn with the shift that puts a picture of this size at the origin.
  ///
  /// Files often carry a wrong shift (zero beside a quarter turn); the right one follows from
  /// a, b, c, d and the size: the box around the turned picture begins at (0, 0).
  public func normalized(for size: PixelSize) -> PictureTransform {
    var result = self
    let box = bounds(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    // Subtracting from zero keeps a shift of nothing at 0 instead of −0.
    result.tx = 0 - (box.minX - tx)
    result.ty = 0 - (box.minY - ty)
    return result
  }

  private func bounds(
    x: Double, y: Double, width: Double, height: Double
  ) -> (minX: Double, minY: Double, maxX: Double, maxY: Double) {
    let corners = [(x, y), (x + width, y), (x, y + height), (x + width, y + height)]
    let mapped = corners.map { (x: a * $0.0 + c * $0.1 + tx, y: b * $0.0 + d * $0.1 + ty) }
    return mapped.dropFirst().reduce((mapped[0].x, mapped[0].y, mapped[0].x, mapped[0].y)) {
      (min($0.0, $1.x), min($0.1, $1.y), max($0.2, $1.x), max($0.3, $1.y))
    }
  }
}

extension Int {
  /// The nearest whole number, or `nil` for what no picture can reach (not a number, beyond 2⁵⁰).
  init?(rounding value: Double) {
    guard value.magnitude < 0x1p50 else { return nil }
    self.init(value.rounded())
  }
}
