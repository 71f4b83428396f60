import LibAV

/// The rows of one plane.
struct PlaneRows<Sample: FixedWidthInteger> {
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
