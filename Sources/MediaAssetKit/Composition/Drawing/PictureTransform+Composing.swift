#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension PictureTransform {
  var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy { $0.isFinite && abs($0) < 1e9 } }

  /// Each number between this map's and another's.
  func mixed(with other: PictureTransform, _ share: Double) -> PictureTransform {
    func mix(_ from: Double, _ to: Double) -> Double { from + (to - from) * share }
    return PictureTransform(
      a: mix(a, other.a), b: mix(b, other.b), c: mix(c, other.c), d: mix(d, other.d), tx: mix(tx, other.tx),
      ty: mix(ty, other.ty))
  }

  /// A shift.
  public static func translation(x: Double, y: Double) -> PictureTransform {
    PictureTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// A scaling around the origin.
  public static func scale(x: Double, y: Double) -> PictureTransform {
    PictureTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// A turn around the origin, clockwise; right angles are exact.
  static func rotation(degrees: Double) -> PictureTransform {
    let angle = degrees.truncatingRemainder(dividingBy: 360) * Double.pi / 180
    var (sine, cosine) = (sin(angle), cos(angle))
    if abs(sine) < 1e-9 { sine = 0 }
    if abs(cosine) < 1e-9 { cosine = 0 }
    return PictureTransform(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// The map that shows a picture of `size`, turned by this map, as large as it fits into a box, in its middle.
  func fitted(_ size: PixelSize, into box: PixelSize) -> PictureTransform {
    let upright = normalized(for: size)
    let shown = upright.applied(to: size)
    guard !shown.isEmpty else { return upright }
    let scale = min(Double(box.width) / Double(shown.width), Double(box.height) / Double(shown.height))
    let (width, height) = ((Double(shown.width) * scale).rounded(), (Double(shown.height) * scale).rounded())
    return
      upright
      .concatenating(.scale(x: width / Double(shown.width), y: height / Double(shown.height)))
      .concatenating(
        .translation(
          x: ((Double(box.width) - width) / 2).rounded(.down), y: ((Double(box.height) - height) / 2).rounded(.down)))
  }
}

extension PixelRect {
  func mixed(with other: PixelRect, _ share: Double) -> PixelRect {
    func mix(_ from: Int, _ to: Int) -> Int {
      Int(rounding: Double(from) + (Double(to) - Double(from)) * share) ?? from
    }
    return PixelRect(
      x: mix(x, other.x), y: mix(y, other.y), width: mix(width, other.width), height: mix(height, other.height))
  }
}
