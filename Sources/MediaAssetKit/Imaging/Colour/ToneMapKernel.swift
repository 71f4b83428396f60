// The inner loops of the tone map: one pixel is one vector, tables give the curves.

extension ToneMap {
  /// The picture in BT.709, 8 or 16 bits per component; alpha is kept, not multiplied in.
  ///
  /// Costs about 5 ns a pixel for 8 bits; HLG and 16 bits take half as long again,
  /// saturated colours outside of BT.709 twice as long.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for another depth, `outOfMemory`.
  func convert(_ image: MediaImage, toBitsPerComponent bits: Int = 8) throws -> MediaImage {
    let image = try image.straightened()
    return try MediaImage(
      width: image.width, height: image.height, bitsPerComponent: bits,
      alphaMode: image.alphaMode, colorSpace: target
    ) { rows, bytesPerRow in
      guard let start = rows.baseAddress else { return }
      // Rows of 8 bits are widened one at a time.
      var widened = [SIMD4<UInt16>](
        repeating: .zero, count: image.bitsPerComponent == 8 ? image.width : 0)
      for y in 0..<image.height {
        image.withRowBytes(y) { bytes in
          if image.bitsPerComponent == 8 {
            let pixels = bytes.assumingMemoryBound(to: SIMD4<UInt8>.self)
            for x in pixels.indices {
              widened[x] = SIMD4<UInt16>(truncatingIfNeeded: pixels[x]) &* 257
            }
            widened.withUnsafeBufferPointer {
              convertRow($0, to: start + y * bytesPerRow, bitsPerComponent: bits)
            }
          } else {
            convertRow(
              bytes.assumingMemoryBound(to: SIMD4<UInt16>.self), to: start + y * bytesPerRow,
              bitsPerComponent: bits)
          }
        }
      }
    }
  }

  /// Converts one row; `target` has room for as many pixels of 4 × `bitsPerComponent`.
  func convertRow(
    _ pixels: UnsafeBufferPointer<SIMD4<UInt16>>, to target: UnsafeMutableRawPointer,
    bitsPerComponent: Int
  ) {
    switch exposure {
    case .none:
      convertRow(pixels, to: target, bitsPerComponent) { _ in 1 }
    case .byLargest(let gains):
      gains.values.withUnsafeBufferPointer { gains in
        convertRow(pixels, to: target, bitsPerComponent) { x in
          gains[Int(Self.largest(pixels[x]))]
        }
      }
    case .hybridLogGamma(let luminance, let system, let curve):
      withUnsafeTemporaryAllocation(of: Float.self, capacity: pixels.count) { factors in
        hybridLogGammaFactors(pixels, luminance, system, curve, to: factors)
        convertRow(pixels, to: target, bitsPerComponent) { x in factors[x] }
      }
    }
  }

  /// Light ascends with components, so the largest component has the most light.
  @inline(__always)
  private static func largest(_ pixel: SIMD4<UInt16>) -> UInt16 { max(pixel.x, pixel.y, pixel.z) }

  /// What each pixel's light is multiplied by.
  ///
  /// Loops of their own, because one pixel's way through three tables is long: in short loops the
  /// processor works on many pixels at once.
  private func hybridLogGammaFactors(
    _ pixels: UnsafeBufferPointer<SIMD4<UInt16>>, _ weights: SIMD3<Float>, _ system: LightTable,
    _ curve: LightTable, to factors: UnsafeMutableBufferPointer<Float>
  ) {
    decoding.values.withUnsafeBufferPointer { decoding in
      for x in pixels.indices {
        let pixel = pixels[x]
        factors[x] =
          decoding[Int(pixel.x)] * weights.x + decoding[Int(pixel.y)] * weights.y
          + decoding[Int(pixel.z)] * weights.z
      }
      system.lines.withUnsafeBufferPointer { system in
        for x in pixels.indices { factors[x] = LightTable.value(factors[x], system) }
      }
      curve.lines.withUnsafeBufferPointer { curve in
        for x in pixels.indices {
          let largest = decoding[Int(Self.largest(pixels[x]))] * factors[x]
          factors[x] *= LightTable.value(largest, curve)
        }
      }
    }
  }

  /// `scale` gives what the light of the pixel in a column is multiplied by.
  @inline(__always)
  private func convertRow(
    _ pixels: UnsafeBufferPointer<SIMD4<UInt16>>, to target: UnsafeMutableRawPointer,
    _ bitsPerComponent: Int, scale: (Int) -> Float
  ) {
    let red = SIMD4<Float>(SIMD4(matrix.first, 0))
    let green = SIMD4<Float>(SIMD4(matrix.second, 0))
    let blue = SIMD4<Float>(SIMD4(matrix.third, 0))
    let luminance = Self.luminance
    decoding.values.withUnsafeBufferPointer { decoding in
      /// Light in BT.709, 0 to 1.
      @inline(__always)
      func light(_ x: Int) -> SIMD4<Float> {
        let pixel = pixels[x]
        let color =
          (red * decoding[Int(pixel.x)] + green * decoding[Int(pixel.y)]
            + blue * decoding[Int(pixel.z)]) * scale(x)
        // As unsigned numbers, the bits of everything below 0 and above 1 are above those of 1.
        let bits = unsafeBitCast(color, to: SIMD4<UInt32>.self)
        let isInside = max(bits.x, bits.y, bits.z) <= Float(1).bitPattern
        return isInside ? color : Self.fit(color, luminance: luminance)
      }
      if bitsPerComponent == 16 {
        let target = target.assumingMemoryBound(to: SIMD4<UInt16>.self)
        encoding.components.lines.withUnsafeBufferPointer { lines in
          for x in pixels.indices {
            let color = light(x)
            target[x] = SIMD4(
              EncodingTable.component16(color.x, lines), EncodingTable.component16(color.y, lines),
              EncodingTable.component16(color.z, lines), pixels[x].w)
          }
        }
        return
      }
      encoding.nearest8.withUnsafeBufferPointer { encoding in
        let target = target.assumingMemoryBound(to: SIMD4<UInt8>.self)
        for x in pixels.indices {
          let color = light(x)
          target[x] = SIMD4(
            encoding[EncodingTable.step8(color.x)], encoding[EncodingTable.step8(color.y)],
            encoding[EncodingTable.step8(color.z)], UInt8(rounding: pixels[x].w))
        }
      }
    }
  }
}
