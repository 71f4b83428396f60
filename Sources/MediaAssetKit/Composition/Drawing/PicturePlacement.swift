import CPixman
import LibAV

/// Draws pictures of 8 bits through any map by pixman: plane after plane, with how much of each pixel is covered as alpha.
enum PicturePlacement {
  /// What a source becomes in a rectangle of the canvas, which begins at even pixels.
  ///
  /// - Parameters:
  ///   - source: A picture of 4:2:0 of 8 bits, with alpha or without.
  ///   - map: From its pixels to the canvas's.
  ///   - part: The part of it that is drawn.
  ///   - canvas: The size of the canvas.
  ///   - makeFrame: Makes a picture with alpha that is as large as the canvas; its top left is filled.
  /// - Returns: nil where nothing is seen, where there is no pixman, and for numbers that are too large for it.
  static func placed(
    _ source: Frame, through map: PictureTransform, part: PixelRect, canvas: PixelSize,
    makeFrame: () throws(AVError) -> Frame
  ) throws(AVError) -> (frame: Frame, rect: PixelRect)? {
    guard let back = map.inverted, let shown = map.box(of: part).intersection(PixelRect(canvas)), cpixman_load() else {
      return nil
    }
    let (x, y) = (shown.x & ~1, shown.y & ~1)
    let right = min(canvas.width, (shown.x + shown.width + 1) & ~1)
    let bottom = min(canvas.height, (shown.y + shown.height + 1) & ~1)
    let rect = PixelRect(x: x, y: y, width: right - x, height: bottom - y)
    let target = try makeFrame()
    let local = PictureTransform.translation(x: Double(x), y: Double(y)).concatenating(back)
    for plane in 0..<source.planeCount {
      let share = plane == 1 || plane == 2 ? 0.5 : 1
      guard transform(source, target, plane, rect.size, local, share) else { return nil }
    }
    cover(target, rect.size, local, part, hasAlpha: source.planeCount > 3)
    return (target, rect)
  }

  private static func transform(
    _ source: Frame, _ target: Frame, _ plane: Int, _ size: PixelSize, _ map: PictureTransform, _ share: Double
  ) -> Bool {
    guard let from = source.planeAddress(plane), let to = target.planeAddress(plane) else { return false }
    let (extent, rows) = (source.plane(plane), target.plane(plane))
    let numbers = [map.a, map.c, map.tx * share, map.b, map.d, map.ty * share]
    func length(_ pixels: Int) -> Int32 { Int32(share < 1 ? (pixels + 1) / 2 : pixels) }
    return cpixman_transform(
      from.assumingMemoryBound(to: UInt8.self), Int32(clamping: extent.width), Int32(clamping: extent.height),
      Int32(clamping: extent.bytesPerRow), to.assumingMemoryBound(to: UInt8.self), length(size.width),
      length(size.height), Int32(clamping: rows.bytesPerRow), numbers)
  }

  /// Writes how much of each pixel a part of the source covers: as sampling between four of a mask of it would give.
  private static func cover(
    _ target: Frame, _ size: PixelSize, _ map: PictureTransform, _ part: PixelRect, hasAlpha: Bool
  ) {
    guard let base = target.planeAddress(3) else { return }
    let stride = target.plane(3).bytesPerRow
    let (left, top) = (Double(part.x), Double(part.y))
    let (right, bottom) = (left + Double(part.width), top + Double(part.height))
    for line in 0..<size.height {
      let row = (base + line * stride).assumingMemoryBound(to: UInt8.self)
      let y = Double(line) + 0.5
      let (u0, v0) = (map.c * y + map.tx, map.d * y + map.ty)
      // How far inside a pixel lies, of the four edges: begin and step along the row.
      let edges = [(u0 - left, map.a), (right - u0, -map.a), (v0 - top, map.b), (bottom - v0, -map.b)]
      let touched = Self.columns(edges, atLeast: -0.5, size.width)
      let whole = Self.columns(edges, atLeast: 0.5, size.width).clamped(to: touched)
      (row).update(repeating: 0, count: touched.lowerBound)
      (row + touched.upperBound).update(repeating: 0, count: size.width - touched.upperBound)
      for x in [touched.lowerBound..<whole.lowerBound, whole.upperBound..<touched.upperBound].joined() {
        let distances = edges.map { min(1, max(0, $0.0 + $0.1 * (Double(x) + 0.5) + 0.5)) }
        let covered = min(distances[0], distances[1]) * min(distances[2], distances[3])
        row[x] = UInt8((covered * (hasAlpha ? Double(row[x]) : 255)).rounded())
      }
      if !hasAlpha, !whole.isEmpty { (row + whole.lowerBound).update(repeating: 255, count: whole.count) }
    }
  }

  /// The columns of a row whose middles are at least as far inside of all edges.
  private static func columns(_ edges: [(start: Double, step: Double)], atLeast limit: Double, _ width: Int) -> Range<
    Int
  > {
    var (low, high) = (0.0, Double(width))
    for edge in edges {
      let rest = limit - edge.start
      if abs(edge.step) < 1e-12 {
        if rest > 0 { high = low }
      } else if edge.step > 0 {
        low = max(low, (rest / edge.step - 0.5).rounded(.up))
      } else {
        high = min(high, (rest / edge.step - 0.5).rounded(.down) + 1)
      }
    }
    let first = Int(min(low, Double(width)))
    return first..<max(first, Int(max(0, high)))
  }
}
