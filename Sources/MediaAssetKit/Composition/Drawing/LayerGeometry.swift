import LibAV

extension PictureCompositor.Layer {
  /// The map from stored pixels, and the part of them that is drawn.
  var geometry: (map: PictureTransform, part: PixelRect) {
    let frame = picture.frame
    let stored = picture.size
    let shown = PixelFitting.displaySize(stored, picture.sampleAspectRatio ?? .square)
    let whole = PixelRect(stored)
    guard shown != stored, !shown.isEmpty else {
      return (transform, crop.map { $0.intersection(whole) ?? PixelRect(.zero) } ?? whole)
    }
    let (x, y) = (Double(shown.width) / Double(frame.width), Double(shown.height) / Double(frame.height))
    let map = PictureTransform.scale(x: x, y: y).concatenating(transform)
    guard let crop = crop?.intersection(PixelRect(shown)) else {
      return (map, crop == nil ? whole : PixelRect(.zero))
    }
    let left = Int((Double(crop.x) / x).rounded())
    let top = Int((Double(crop.y) / y).rounded())
    let part = PixelRect(
      x: left, y: top, width: Int((Double(crop.x + crop.width) / x).rounded()) - left,
      height: Int((Double(crop.y + crop.height) / y).rounded()) - top)
    return (map, part.intersection(whole) ?? PixelRect(.zero))
  }
}

extension PictureTransform {
  /// Whether rectangles stay rectangles.
  var isRightAngled: Bool {
    let largest = max(abs(a), abs(b), abs(c), abs(d))
    guard largest.isFinite, largest > 0 else { return false }
    let small = largest / 65_536
    return abs(b) <= small && abs(c) <= small && abs(a) > small && abs(d) > small
      || abs(a) <= small && abs(d) <= small && abs(b) > small && abs(c) > small
  }

  /// The rectangle that a part of the source fills, where the map turns by right angles: to the nearest pixel.
  func rectangle(of part: PixelRect) -> PixelRect {
    let (x0, y0) = (Double(part.x), Double(part.y))
    let (x1, y1) = (Double(part.x + part.width), Double(part.y + part.height))
    let xs = [a * x0 + c * y0 + tx, a * x1 + c * y1 + tx].map { min(1e6, max(-1e6, $0)) }
    let ys = [b * x0 + d * y0 + ty, b * x1 + d * y1 + ty].map { min(1e6, max(-1e6, $0)) }
    let (left, top) = (Int(min(xs[0], xs[1]).rounded()), Int(min(ys[0], ys[1]).rounded()))
    return PixelRect(
      x: left, y: top, width: Int(max(xs[0], xs[1]).rounded()) - left, height: Int(max(ys[0], ys[1]).rounded()) - top)
  }
}
