import LibAV

extension PictureCanvas {
  /// Draws a picture through a map, from its pixels to the canvas's: each pixel is looked up between four of the source,
  /// and the edges are covered in part.
  func draw(_ source: Frame, through map: PictureTransform, part: PixelRect, opacity: Double) {
    guard let back = map.inverted else { return }
    if isDeep {
      draw(source, map, back, part, opacity, UInt16.self)
    } else {
      draw(source, map, back, part, opacity, UInt8.self)
    }
  }

  private func draw<Sample: FixedWidthInteger & UnsignedInteger>(
    _ source: Frame, _ map: PictureTransform, _ back: PictureTransform, _ part: PixelRect, _ opacity: Double,
    _ type: Sample.Type
  ) {
    let one = UInt32(1) << UInt32(Sample.bitWidth)
    let box = map.box(of: part)
    guard let shown = box.intersection(PixelRect(x: 0, y: 0, width: width, height: height)) else { return }
    let edges = (
      left: Double(part.x), top: Double(part.y), right: Double(part.x + part.width),
      bottom: Double(part.y + part.height)
    )
    let alpha = source.planeCount > 3 ? PlaneRows<Sample>(source, 3) : nil
    let largest = Double(UInt32(1) << UInt32(source.format.bitDepth ?? 8) - 1)
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      let step = Double(1 << shift)
      guard let target = PlaneRows<Sample>(frame, plane), let from = PlaneRows<Sample>(source, plane) else { continue }
      for y in (shown.y >> shift)..<((shown.y + shown.height + shift) >> shift) {
        let row = target.row(y)
        for x in (shown.x >> shift)..<((shown.x + shown.width + shift) >> shift) {
          let (px, py) = ((Double(x) + 0.5) * step, (Double(y) + 0.5) * step)
          let u = back.a * px + back.c * py + back.tx
          let v = back.b * px + back.d * py + back.ty
          let inside =
            clamp(min(u - edges.left, edges.right - u) / step + 0.5)
            * clamp(min(v - edges.top, edges.bottom - v) / step + 0.5)
          guard inside > 0 else { continue }
          var share = inside * opacity
          if let alpha { share *= alpha.sample(u - 0.5, v - 0.5) / largest }
          let value = from.sample(u / step - 0.5, v / step - 0.5)
          let weight = UInt32((share * Double(one)).rounded())
          row[x] = Self.mixed(row[x], Sample(clamping: Int(value.rounded())), weight, one)
        }
      }
    }
  }

  /// Fills a picture with alpha with what another one becomes through a map, and with how much of each pixel it covers.
  func sample(_ source: Frame, through map: PictureTransform, part: PixelRect) {
    guard let back = map.inverted else { return }
    if isDeep {
      sample(source, back, part, UInt16.self)
    } else {
      sample(source, back, part, UInt8.self)
    }
  }

  private func sample<Sample: FixedWidthInteger & UnsignedInteger>(
    _ source: Frame, _ back: PictureTransform, _ part: PixelRect, _ type: Sample.Type
  ) {
    let (right, bottom) = (Double(part.x + part.width), Double(part.y + part.height))
    let largest = Double((1 << (source.format.bitDepth ?? 8)) - 1)
    for plane in 0..<min(4, frame.planeCount) {
      let step = plane == 1 || plane == 2 ? 2.0 : 1
      guard let target = PlaneRows<Sample>(frame, plane) else { continue }
      let from = PlaneRows<Sample>(source, min(plane, source.planeCount - 1))
      for y in 0..<target.height {
        let row = target.row(y)
        for x in 0..<target.width {
          let (px, py) = ((Double(x) + 0.5) * step, (Double(y) + 0.5) * step)
          let u = back.a * px + back.c * py + back.tx
          let v = back.b * px + back.d * py + back.ty
          var value = plane < source.planeCount ? from?.sample(u / step - 0.5, v / step - 0.5) ?? 0 : largest
          if plane == 3 {
            value *=
              clamp(min(u - Double(part.x), right - u) + 0.5) * clamp(min(v - Double(part.y), bottom - v) + 0.5)
          }
          row[x] = Sample(clamping: Int(value.rounded()))
        }
      }
    }
  }

  private func clamp(_ value: Double) -> Double { min(1, max(0, value)) }
}

extension PictureTransform {
  /// The box in whole pixels around a rectangle's image; empty where it lies beyond every picture.
  func box(of rect: PixelRect) -> PixelRect {
    let (x0, y0) = (Double(rect.x), Double(rect.y))
    let (x1, y1) = (Double(rect.x + rect.width), Double(rect.y + rect.height))
    let corners = [(x0, y0), (x1, y0), (x0, y1), (x1, y1)].map { (a * $0 + c * $1 + tx, b * $0 + d * $1 + ty) }
    let xs = corners.map(\.0).map { min(1e6, max(-1e6, $0)) }
    let ys = corners.map(\.1).map { min(1e6, max(-1e6, $0)) }
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max() else {
      return PixelRect(.zero)
    }
    let (x, y) = (Int(left.rounded(.down)), Int(top.rounded(.down)))
    return PixelRect(x: x, y: y, width: Int(right.rounded(.up)) - x, height: Int(bottom.rounded(.up)) - y)
  }
}
