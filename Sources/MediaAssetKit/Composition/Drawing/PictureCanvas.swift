import LibAV

/// A picture in planes of Y'CbCr 4:2:0 that others are drawn into: 8 bits a sample, or up to 16.
///
/// Opacities are fractions of 256 at 8 bits and of 65536 above, rounded once for each sample: results are within one level
/// of exact arithmetic.
struct PictureCanvas {
  let frame: Frame
  let isDeep: Bool
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
    let offset = (x: origin.x - rect.x, y: origin.y - rect.y)
    for plane in 0..<3 {
      let shift = plane == 0 ? 0 : 1
      let columns = (rect.x >> shift)..<((x1 + shift) >> shift)
      let rows = (rect.y >> shift)..<((y1 + shift) >> shift)
      guard let target = PlaneRows<Sample>(frame, plane), let from = PlaneRows<Sample>(source, plane) else { continue }
      let alpha = hasAlpha ? PlaneRows<Sample>(source, 3) : nil
      // A sample of colour covers two pixels each way, at an odd edge of the canvas one.
      func covered(_ index: Int, _ low: Int, _ high: Int, _ size: Int) -> (pixels: Int, of: Int) {
        shift == 0
          ? (1, 1) : (min(high, 2 * index + 2) - max(low, 2 * index), min(size, 2 * index + 2) - 2 * index)
      }
      let isEven = shift == 0 || rect.x & 1 == 0 && (x1 & 1 == 0 || x1 == width)
      // Whether samples of colour lie over one another, so that whole rows are mixed at once.
      let isAligned =
        isEven && rect.y & 1 == 0 && (y1 & 1 == 0 || y1 == height) && offset.x & 1 == 0 && offset.y & 1 == 0
      for y in rows {
        let sourceRow = from.row(((y << shift) + offset.y) >> shift)
        let targetRow = target.row(y)
        let share = covered(y, rect.y, y1, height)
        let begin = ((columns.lowerBound << shift) + offset.x) >> shift
        if let alpha {
          let fits = shift == 0 || x1 & 1 == 0 && y1 & 1 == 0
          if Sample.self == UInt8.self, shift == 0 || isAligned && fits {
            let first = max(rect.x, columns.lowerBound << shift) + offset.x
            let above = alpha.row((y << shift) + offset.y)
            let below = shift == 0 ? above : alpha.row((y << shift) + offset.y + 1)
            Self.mixBytes(
              targetRow + columns.lowerBound, sourceRow + begin, above + first, below + first, columns.count,
              UInt16(weight), halves: shift == 1)
            continue
          }
          for x in columns {
            let inside = covered(x, rect.x, x1, width)
            let a = alpha.mean(
              x: max(rect.x, x << shift) + offset.x, y: max(rect.y, y << shift) + offset.y, columns: inside.pixels,
              rows: share.pixels)
            let part = weight * UInt32(inside.pixels * share.pixels) / UInt32(inside.of * share.of)
            let w = UInt32((UInt64(part) * UInt64(a) + UInt64(largest) / 2) / UInt64(largest))
            let place = max(0, min(from.width - 1, ((x << shift) + offset.x) >> shift))
            targetRow[x] = Self.mixed(targetRow[x], sourceRow[place], w, one)
          }
        } else if isEven {
          let w = weight * UInt32(share.pixels) / UInt32(share.of)
          Self.mix(targetRow + columns.lowerBound, sourceRow + begin, columns.count, w, one)
        } else {
          for x in columns {
            let inside = covered(x, rect.x, x1, width)
            let place = max(0, min(from.width - 1, (2 * x + offset.x) >> 1))
            let part = weight * UInt32(inside.pixels * share.pixels) / UInt32(inside.of * share.of)
            targetRow[x] = Self.mixed(targetRow[x], sourceRow[place], part, one)
          }
        }
      }
    }
  }

  @inline(__always)
  static func mixed<Sample: FixedWidthInteger & UnsignedInteger>(
    _ below: Sample, _ above: Sample, _ weight: UInt32, _ one: UInt32
  ) -> Sample {
    let sum = UInt32(truncatingIfNeeded: below) &* (one &- weight) &+ UInt32(truncatingIfNeeded: above) &* weight
    return Sample(truncatingIfNeeded: (sum &+ one >> 1) &>> UInt32(Sample.bitWidth))
  }

  /// One row: copied where nothing shines through, else mixed, in loops that the compiler turns into vectors.
  private static func mix<Sample: FixedWidthInteger & UnsignedInteger>(
    _ below: UnsafeMutablePointer<Sample>, _ above: UnsafePointer<Sample>, _ count: Int, _ weight: UInt32,
    _ one: UInt32
  ) {
    if weight >= one {
      below.update(from: above, count: count)
      return
    }
    if Sample.self == UInt8.self {
      let target = UnsafeMutableRawPointer(below).assumingMemoryBound(to: UInt8.self)
      return mixBytes(target, UnsafeRawPointer(above).assumingMemoryBound(to: UInt8.self), count, UInt16(weight))
    }
    let rest = one &- weight
    let half = one >> 1
    let shift = UInt32(Sample.bitWidth)
    for index in 0..<count {
      let sum = UInt32(truncatingIfNeeded: below[index]) &* rest &+ UInt32(truncatingIfNeeded: above[index]) &* weight
      below[index] = Sample(truncatingIfNeeded: (sum &+ half) &>> shift)
    }
  }

  /// Sums of 8 bits by fractions of 256 fit into 16 bits: twice as many at once.
  private static func mixBytes(
    _ below: UnsafeMutablePointer<UInt8>, _ above: UnsafePointer<UInt8>, _ count: Int, _ weight: UInt16
  ) {
    let rest = 256 &- weight
    for index in 0..<count {
      let sum = UInt16(below[index]) &* rest &+ UInt16(above[index]) &* weight &+ 128
      below[index] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
  }

  /// One row by its alpha; of colour by the mean of its four alphas, which lie in two rows.
  private static func mixBytes<Sample>(
    _ target: UnsafeMutablePointer<Sample>, _ source: UnsafePointer<Sample>, _ high: UnsafePointer<Sample>,
    _ low: UnsafePointer<Sample>, _ count: Int, _ weight: UInt16, halves: Bool
  ) {
    let below = UnsafeMutableRawPointer(target).assumingMemoryBound(to: UInt8.self)
    let above = UnsafeRawPointer(source).assumingMemoryBound(to: UInt8.self)
    let high = UnsafeRawPointer(high).assumingMemoryBound(to: UInt8.self)
    let low = UnsafeRawPointer(low).assumingMemoryBound(to: UInt8.self)
    let isWhole = weight >= 256
    @inline(__always) func mix(_ index: Int, _ alpha: UInt16) {
      // From 255 parts to 256.
      let full = alpha &+ alpha &>> 7
      let share = isWhole ? full : (full &* weight &+ 128) &>> 8
      let sum = UInt16(below[index]) &* (256 &- share) &+ UInt16(above[index]) &* share &+ 128
      below[index] = UInt8(truncatingIfNeeded: sum &>> 8)
    }
    if halves {
      for index in 0..<count {
        let sum =
          UInt16(high[2 * index]) &+ UInt16(high[2 * index + 1]) &+ UInt16(low[2 * index])
          &+ UInt16(low[2 * index + 1])
        mix(index, (sum &+ 2) &>> 2)
      }
    } else {
      for index in 0..<count { mix(index, UInt16(high[index])) }
    }
  }
}
