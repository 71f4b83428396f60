import LibAV

extension PictureCanvas {
  /// Draws a picture of the canvas's format, or of that with alpha, by a formula on colours in place of its own.
  func blend(
    _ source: Frame, from origin: (x: Int, y: Int), into rect: PixelRect, opacity: Double, mode: BlendMode,
    coding: PictureCoding
  ) {
    if isDeep {
      blend(source, origin, rect, Float(opacity), mode, coding, UInt16.self)
    } else {
      blend(source, origin, rect, Float(opacity), mode, coding, UInt8.self)
    }
  }

  /// Four pixels at a time, which share their colour differences.
  private func blend<Sample: FixedWidthInteger & UnsignedInteger>(
    _ source: Frame, _ origin: (x: Int, y: Int), _ rect: PixelRect, _ opacity: Float, _ mode: BlendMode,
    _ coding: PictureCoding, _ type: Sample.Type
  ) {
    guard let rect = rect.intersection(PixelRect(x: 0, y: 0, width: width, height: height)), opacity > 0,
      let lumas = PlaneRows<Sample>(frame, 0), let us = PlaneRows<Sample>(frame, 1),
      let vs = PlaneRows<Sample>(frame, 2),
      let sourceLumas = PlaneRows<Sample>(source, 0), let sourceUs = PlaneRows<Sample>(source, 1),
      let sourceVs = PlaneRows<Sample>(source, 2)
    else { return }
    let alphas = source.planeCount > 3 ? PlaneRows<Sample>(source, 3) : nil
    let largest = Float(coding.largest)
    let (dx, dy) = (origin.x - rect.x, origin.y - rect.y)
    let (right, bottom) = (rect.x + rect.width, rect.y + rect.height)
    for y in rect.y >> 1..<(bottom + 1) >> 1 {
      let rows = (lumas.row(2 * y), lumas.row(2 * y + 1))
      let (u, v) = (us.row(y), vs.row(y))
      let above = (sourceLumas.row(2 * y + dy), sourceLumas.row(2 * y + 1 + dy))
      let (su, sv) = (sourceUs.row((2 * y + dy) >> 1), sourceVs.row((2 * y + dy) >> 1))
      let alpha = alphas.map { ($0.row(2 * y + dy), $0.row(2 * y + 1 + dy)) }
      for x in rect.x >> 1..<(right + 1) >> 1 {
        let (left, next) = (2 * x, min(width - 1, 2 * x + 1))
        let (from, to) = (
          max(0, min(source.width - 1, left + dx)), max(0, min(source.width - 1, left + 1 + dx))
        )
        let place = max(0, min(sourceUs.width - 1, (left + dx) >> 1))
        var shares = SIMD4<Float>(repeating: opacity)
        if let alpha {
          shares *=
            SIMD4(Float(alpha.0[from]), Float(alpha.0[to]), Float(alpha.1[from]), Float(alpha.1[to])) / largest
        }
        if left < rect.x { (shares[0], shares[2]) = (0, 0) }
        if left + 1 >= right { (shares[1], shares[3]) = (0, 0) }
        if 2 * y < rect.y { (shares[0], shares[1]) = (0, 0) }
        if 2 * y + 1 >= bottom { (shares[2], shares[3]) = (0, 0) }
        let old = SIMD4(Float(rows.0[left]), Float(rows.0[next]), Float(rows.1[left]), Float(rows.1[next]))
        let new = SIMD4(Float(above.0[from]), Float(above.0[to]), Float(above.1[from]), Float(above.1[to]))
        let (oldU, oldV) = (Float(u[x]), Float(v[x]))
        let below = coding.colours(old, oldU, oldV)
        let own = coding.colours(new, Float(su[place]), Float(sv[place]))
        let mixed = mode.mixed(below, own)
        let made = coding.components(mixed.r, mixed.g, mixed.b)
        let luma = old + (made.y - old) * shares
        func code(_ value: Float) -> Sample { Sample(clamping: Int(min(largest, max(0, value)).rounded())) }
        if shares[0] > 0 { rows.0[left] = code(luma[0]) }
        if shares[1] > 0 { rows.0[next] = code(luma[1]) }
        if shares[2] > 0 { rows.1[left] = code(luma[2]) }
        if shares[3] > 0 { rows.1[next] = code(luma[3]) }
        let count = Float((min(width, left + 2) - left) * (min(height, 2 * y + 2) - 2 * y))
        u[x] = code(oldU + ((made.u - oldU) * shares).sum() / count)
        v[x] = code(oldV + ((made.v - oldV) * shares).sum() / count)
      }
    }
  }
}
