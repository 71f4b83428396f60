// Placing one picture on another (Porter and Duff's "source over").

extension MediaImage {
  /// Draws another picture with its top left pixel at column `x` and row `y`.
  ///
  /// An opaque picture replaces what is below; one with alpha is laid over it, in the stored,
  /// non-linear components, as web browsers and Core Graphics do. What lies outside is cut off, the
  /// other depth is converted. Colours are not: both pictures should have one colour space. The
  /// alpha mode of this picture stays; an opaque one stays opaque.
  ///
  /// - Throws: ``MediaError`` with `outOfMemory`.
  public mutating func draw(_ picture: MediaImage, x: Int, y: Int) throws {
    let frame = PixelRect(x: x, y: y, width: picture.width, height: picture.height)
    guard let part = PixelRect(size).intersection(frame) else { return }
    let source = try picture.converted(toBitsPerComponent: bitsPerComponent)
    try makeUnique()
    defer { withExtendedLifetime(storage) {} }
    for row in part.y..<(part.y + part.height) {
      let target = UnsafeMutableRawBufferPointer(
        start: storage.base + row * bytesPerRow + part.x * bytesPerPixel,
        count: part.width * bytesPerPixel)
      source.withRowBytes(row - y) { bytes in
        let start = (part.x - x) * bytesPerPixel
        let pixels = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + target.count)])
        if source.alphaMode == .opaque {
          target.copyMemory(from: pixels)
        } else if bitsPerComponent == 8 {
          Self.blend(
            pixels.assumingMemoryBound(to: UInt8.self), source.alphaMode,
            over: target.assumingMemoryBound(to: UInt8.self), alphaMode)
        } else {
          Self.blend(
            pixels.assumingMemoryBound(to: UInt16.self), source.alphaMode,
            over: target.assumingMemoryBound(to: UInt16.self), alphaMode)
        }
      }
    }
  }

  /// Lays one row over another, rounding once, at the end.
  private static func blend<Component: FixedWidthInteger & UnsignedInteger>(
    _ source: UnsafeBufferPointer<Component>, _ sourceMode: AlphaMode,
    over target: UnsafeMutableBufferPointer<Component>, _ targetMode: AlphaMode
  ) {
    let full = UInt64(Component.max)
    for pixel in stride(from: 0, to: source.count, by: 4) {
      let alpha = UInt64(source[pixel + 3])
      let below = targetMode == .opaque ? full : UInt64(target[pixel + 3])
      // Coverage in units of 1/full².
      let covered = alpha * full + below * (full - alpha)
      for index in pixel..<(pixel + 3) {
        let over = UInt64(source[index]) * (sourceMode == .straight ? alpha : full)
        let under = UInt64(target[index]) * (targetMode == .straight ? below : full)
        // Colour times coverage in units of 1/full³.
        let sum = over * full + under * (full - alpha)
        let divisor = targetMode == .straight ? covered : full * full
        let value = divisor == 0 ? 0 : (sum + divisor / 2) / divisor
        target[index] = Component(min(value, full))
      }
      target[pixel + 3] =
        targetMode == .opaque ? .max : Component((covered + full / 2) / full)
    }
  }

  /// The picture with alpha not multiplied in; others than premultiplied ones are returned as is.
  func straightened() throws -> MediaImage {
    guard alphaMode == .premultiplied else { return self }
    var result = self
    try result.makeUnique()
    result.alphaMode = .straight
    for y in 0..<height {
      let row = result.storage.base + y * bytesPerRow
      if bitsPerComponent == 8 {
        Self.straighten(row.assumingMemoryBound(to: UInt8.self), pixels: width)
      } else {
        Self.straighten(row.assumingMemoryBound(to: UInt16.self), pixels: width)
      }
    }
    return result
  }

  private static func straighten<Component: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafeMutablePointer<Component>, pixels: Int
  ) {
    let full = UInt64(Component.max)
    for pixel in 0..<pixels {
      let alpha = UInt64(row[4 * pixel + 3])
      for index in (4 * pixel)..<(4 * pixel + 3) {
        let value = alpha == 0 ? 0 : (UInt64(row[index]) * full + alpha / 2) / alpha
        row[index] = Component(min(value, full))
      }
    }
  }
}
