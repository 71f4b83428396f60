/// Red, green and blue of four pixels, with what W3C's "Compositing and Blending" says of colours as a whole (section 13).
struct PixelColours {
  typealias Pixels = SIMD4<Float>

  var r: Pixels
  var g: Pixels
  var b: Pixels

  @inline(__always)
  var luminosity: Pixels { r * 0.3 + g * 0.59 + b * 0.11 }

  @inline(__always)
  var saturation: Pixels { largest - smallest }

  /// The same hue and saturation, as far as there are such colours, at another luminosity.
  @inline(__always)
  func withLuminosity(_ wanted: Pixels) -> PixelColours {
    let step = wanted - luminosity
    return PixelColours(r: r + step, g: g + step, b: b + step).clipped(wanted)
  }

  /// The same hue at another saturation; greys have none whatever is asked.
  @inline(__always)
  func withSaturation(_ wanted: Pixels) -> PixelColours {
    let (low, range) = (smallest, saturation)
    let factor = (wanted / Pixels.larger(range, Pixels(repeating: 1e-6))).replacing(with: 0, where: range .<= 0)
    return PixelColours(r: (r - low) * factor, g: (g - low) * factor, b: (b - low) * factor)
  }

  /// Brings what lies outside of 0 to 1 towards the grey of its luminosity.
  @inline(__always)
  private func clipped(_ light: Pixels) -> PixelColours {
    let (low, high) = (smallest, largest)
    let one = Pixels(repeating: 1)
    let small = Pixels(repeating: 1e-6)
    let up = (light / Pixels.larger(light - low, small)).replacing(with: 1, where: low .>= 0)
    let down = ((one - light) / Pixels.larger(high - light, small)).replacing(with: 1, where: high .<= 1)
    let factor = up * down
    return PixelColours(
      r: light + (r - light) * factor, g: light + (g - light) * factor, b: light + (b - light) * factor)
  }

  @inline(__always)
  private var smallest: Pixels { Pixels.smaller(r, Pixels.smaller(g, b)) }
  @inline(__always)
  private var largest: Pixels { Pixels.larger(r, Pixels.larger(g, b)) }
}

extension SIMD4<Float> {
  /// Pixel by pixel the smaller one.
  @inline(__always)
  static func smaller(_ a: Self, _ b: Self) -> Self { a.replacing(with: b, where: b .< a) }

  /// Pixel by pixel the larger one.
  @inline(__always)
  static func larger(_ a: Self, _ b: Self) -> Self { a.replacing(with: b, where: b .> a) }
}
