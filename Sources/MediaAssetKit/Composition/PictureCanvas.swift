import LibAV

/// A picture in planes of Y'CbCr 4:2:0 that others are drawn into: 8 bits a sample, or up to 16.
///
/// Opacities are fractions of 256 at 8 bits and of 65536 above, rounded once for each sample: results are within one level
/// of exact arithmetic.
struct PictureCanvas {
  let frame: Frame
  private let isDeep: Bool
  let width: Int
  let height: Int

  init(_ frame: Frame) {
    self.frame = frame
    isDeep = (frame.format.bitDepth ?? 8) > 8
    (width, height) = (frame.width, frame.height)
  }

  /// Fills everything.
  func fill(_ components: [Int]) {
    for plane in 0..<3 {
      frame.withRows(plane) { rows in
        if isDeep {
          rows.withMemoryRebound(to: UInt16.self) { $0.update(repeating: UInt16(clamping: components[plane])) }
        } else {
          rows.withMemoryRebound(to: UInt8.self) { $0.update(repeating: UInt8(clamping: components[plane])) }
        }
      }
    }
  }

  /// Draws the part of a picture of the canvas's format, or of that with alpha, that begins at a source pixel into a
  /// rectangle of the canvas.
  func draw(_ source: Frame, from origin: (x: Int, y: Int), into rect: PixelRect, opacity: Double) {
    if isDeep {
      draw(source, origin, rect, opacity, UInt16.self)
    } else {
      draw(source, origin, rect, opacity, UInt8.self)
    }
  }

  private func draw<Sample: FixedWidthInteger & UnsignedInteger>(
    _ source: Frame, _ origin: (x: Int, y: Int), _ rect: PixelRect, _ opacity: Double, _ type: Sample.Type
  ) {
    let one = UInt32(1) << UInt32(Sample.bitWidth)
    let weight = UInt32((opacity * Double(one)).rounded())
    guard weight > 0 else { return }
    let hasAlpha = source.planeCount > 3
    let (x1, y1) = (rect.x + rect.width, rect.y + rect.height)
    let largest = UInt32(1) << UInt32(source.format.bitDepth ?? 8) - 1
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      let columns = (rect.x >> shift)..<((x1 + shift) >> shift)
      let rows = (rect.y >> shift)..<((y1 + shift) >> shift)
      guard let target = Rows<Sample>(frame, plane), let from = Rows<Sample>(source, plane) else { continue }
      let alpha = hasAlpha ? Rows<Sample>(source, 3) : nil
      let offset = (origin.x - rect.x, origin.y - rect.y)
      for y in rows {
        let sourceRow = from.row(((y << shift) + offset.1) >> shift)
        let targetRow = target.row(y)
        // How many of the two rows that a row of colour covers are inside.
        let share = shift == 0 ? 2 : min(y1, 2 * y + 2) - max(rect.y, 2 * y)
        if let alpha {
          for x in columns {
            let inside = shift == 0 ? 2 : min(x1, 2 * x + 2) - max(rect.x, 2 * x)
            let a = alpha.mean(
              x: max(rect.x, x << shift) + offset.0, y: max(rect.y, y << shift) + offset.1,
              columns: shift == 0 ? 1 : inside,
              rows: shift == 0 ? 1 : share)
            let covered = weight * UInt32(inside * share) / 4
            let w = UInt32((UInt64(covered) * UInt64(a) + UInt64(largest) / 2) / UInt64(largest))
            let place = max(0, min(from.width - 1, ((x << shift) + offset.0) >> shift))
            targetRow[x] = Self.mixed(targetRow[x], sourceRow[place], w, one)
          }
          continue
        }
        let isEven = shift == 0 || rect.x & 1 == 0 && x1 & 1 == 0
        if isEven {
          let w = weight * UInt32(share) / 2
          Self.mix(
            targetRow + columns.lowerBound, sourceRow + ((columns.lowerBound << shift) + offset.0) >> shift,
            columns.count, w, one)
        } else {
          for x in columns {
            let inside = min(x1, 2 * x + 2) - max(rect.x, 2 * x)
            let place = max(0, min(from.width - 1, (2 * x + offset.0) >> 1))
            targetRow[x] = Self.mixed(targetRow[x], sourceRow[place], weight * UInt32(inside * share) / 4, one)
          }
        }
      }
    }
  }

  @inline(__always)
  private static func mixed<Sample: FixedWidthInteger & UnsignedInteger>(
    _ below: Sample, _ above: Sample, _ weight: UInt32, _ one: UInt32
  ) -> Sample {
    let sum = UInt32(truncatingIfNeeded: below) &* (one &- weight) &+ UInt32(truncatingIfNeeded: above) &* weight
    return Sample(truncatingIfNeeded: (sum &+ one >> 1) &>> UInt32(Sample.bitWidth))
  }

  /// One row: copied where nothing shines through, else mixed, in a loop that the compiler turns into vectors.
  private static func mix<Sample: FixedWidthInteger & UnsignedInteger>(
    _ below: UnsafeMutablePointer<Sample>, _ above: UnsafePointer<Sample>, _ count: Int, _ weight: UInt32,
    _ one: UInt32
  ) {
    if weight >= one {
      below.update(from: above, count: count)
      return
    }
    let rest = one &- weight
    let half = one >> 1
    let shift = UInt32(Sample.bitWidth)
    for index in 0..<count {
      let sum = UInt32(truncatingIfNeeded: below[index]) &* rest &+ UInt32(truncatingIfNeeded: above[index]) &* weight
      below[index] = Sample(truncatingIfNeeded: (sum &+ half) &>> shift)
    }
  }

  // MARK: Any map

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
    let alpha = source.planeCount > 3 ? Rows<Sample>(source, 3) : nil
    let largest = Double(UInt32(1) << UInt32(source.format.bitDepth ?? 8) - 1)
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      let step = Double(1 << shift)
      guard let target = Rows<Sample>(frame, plane), let from = Rows<Sample>(source, plane) else { continue }
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

  private func clamp(_ value: Double) -> Double { min(1, max(0, value)) }
}

/// The rows of one plane.
private struct Rows<Sample: FixedWidthInteger> {
  private let base: UnsafeMutableRawPointer
  private let bytesPerRow: Int
  let width: Int
  let height: Int

  init?(_ frame: Frame, _ plane: Int) {
    guard let base = frame.planeAddress(plane) else { return nil }
    let extent = frame.plane(plane)
    self.base = base
    bytesPerRow = extent.bytesPerRow
    (width, height) = (extent.width, extent.height)
  }

  /// A row; the nearest one that there is.
  func row(_ index: Int) -> UnsafeMutablePointer<Sample> {
    (base + min(height - 1, max(0, index)) * bytesPerRow).assumingMemoryBound(to: Sample.self)
  }

  /// The mean of a few samples.
  func mean(x: Int, y: Int, columns: Int, rows: Int) -> UInt32 {
    var sum: UInt32 = 0
    for line in y..<y + rows {
      let row = row(line)
      for column in x..<x + columns { sum += UInt32(row[min(width - 1, max(0, column))]) }
    }
    let count = UInt32(max(1, columns * rows))
    return (sum + count / 2) / count
  }

  /// A value between four samples.
  func sample(_ x: Double, _ y: Double) -> Double {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (fx, fy) = (x - left, y - top)
    let column = min(width - 1, max(0, Int(left)))
    let after = min(width - 1, max(0, Int(left) + 1))
    let (above, below) = (row(Int(top)), row(Int(top) + 1))
    let high = Double(above[column]) * (1 - fx) + Double(above[after]) * fx
    let low = Double(below[column]) * (1 - fx) + Double(below[after]) * fx
    return high * (1 - fy) + low * fy
  }
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
