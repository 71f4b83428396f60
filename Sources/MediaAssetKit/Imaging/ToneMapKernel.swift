// The inner loops of the tone map: one pixel is one vector, tables give the curves.

extension ToneMap {
  /// The picture in BT.709, 8 or 16 bits per component; alpha is kept, not multiplied in.
  ///
  /// Costs about 5 ns a pixel for 8 bits; 16 bits take twice as long.
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
      convertRow(pixels, to: target, bitsPerComponent) { _, _ in 1 }
    case .byLargest(let gains):
      gains.values.withUnsafeBufferPointer { gains in
        convertRow(pixels, to: target, bitsPerComponent) { pixel, _ in
          gains[Int(max(pixel.x, pixel.y, pixel.z))]
        }
      }
    case .hybridLogGamma(let weights, let system, let curve):
      system.values.withUnsafeBufferPointer { system in
        curve.values.withUnsafeBufferPointer { curve in
          convertRow(pixels, to: target, bitsPerComponent) { _, light in
            let luminance = light.x * weights.x + light.y * weights.y + light.z * weights.z
            let factor = system[LightIndex.of(luminance)]
            let largest = factor * max(light.x, light.y, light.z)
            return factor * curve[LightIndex.of(largest)]
          }
        }
      }
    }
  }

  /// `scale` gives what the light of a pixel is multiplied by, from its components and its light.
  @inline(__always)
  private func convertRow(
    _ pixels: UnsafeBufferPointer<SIMD4<UInt16>>, to target: UnsafeMutableRawPointer,
    _ bitsPerComponent: Int, scale: (SIMD4<UInt16>, SIMD3<Float>) -> Float
  ) {
    let red = SIMD4<Float>(SIMD4(matrix.first, 0))
    let green = SIMD4<Float>(SIMD4(matrix.second, 0))
    let blue = SIMD4<Float>(SIMD4(matrix.third, 0))
    let luminance = Self.luminance
    decoding.values.withUnsafeBufferPointer { decoding in
      /// Light in BT.709, 0 to 1.
      @inline(__always)
      func light(_ pixel: SIMD4<UInt16>) -> SIMD4<Float> {
        let light = SIMD3(
          decoding[Int(pixel.x)], decoding[Int(pixel.y)], decoding[Int(pixel.z)])
        let factor = scale(pixel, light)
        let color = (red * light.x + green * light.y + blue * light.z) * factor
        // As unsigned numbers, the bits of everything below 0 and above 1 are above those of 1.
        let bits = unsafeBitCast(color, to: SIMD4<UInt32>.self)
        let isInside = max(bits.x, bits.y, bits.z) <= Float(1).bitPattern
        return isInside ? color : Self.fit(color, luminance: luminance)
      }
      if bitsPerComponent == 16 {
        let target = target.assumingMemoryBound(to: SIMD4<UInt16>.self)
        for x in pixels.indices {
          let color = light(pixels[x])
          target[x] = SIMD4(
            encoding.component16(color.x), encoding.component16(color.y),
            encoding.component16(color.z), pixels[x].w)
        }
        return
      }
      encoding.nearest8.withUnsafeBufferPointer { encoding in
        let target = target.assumingMemoryBound(to: SIMD4<UInt8>.self)
        for x in pixels.indices {
          let pixel = pixels[x]
          let color = light(pixel)
          target[x] = SIMD4(
            encoding[LightIndex.of(color.x)], encoding[LightIndex.of(color.y)],
            encoding[LightIndex.of(color.z)], UInt8(rounding: pixel.w))
        }
      }
    }
  }
}
