/// How R'G'B' from 0 to 1 becomes components of Y'CbCr: a matrix, a range and a depth.
struct PictureCoding: Sendable {
  private let red: Float
  private let green: Float
  private let blue: Float
  private let black: Float
  private let lumaUnit: Float
  private let neutral: Float
  private let chromaUnit: Float
  /// The largest code.
  let largest: Int

  /// - Parameter matrix: FFmpeg's name; BT.601 where it is none of the usual ones.
  init(matrix: String, isFullRange: Bool, depth: Int) {
    (red, green, blue) =
      switch matrix {
      case "bt709": (0.2126, 0.7152, 0.0722)
      case "bt2020nc": (0.2627, 0.6780, 0.0593)
      case "smpte240m": (0.212, 0.701, 0.087)
      default: (0.299, 0.587, 0.114)
      }
    let unit = Float(1 << (depth - 8))
    largest = (1 << depth) - 1
    black = isFullRange ? 0 : 16 * unit
    lumaUnit = isFullRange ? Float(largest) : 219 * unit
    neutral = 128 * unit
    chromaUnit = isFullRange ? Float(largest) : 224 * unit
  }

  /// The codes of a colour.
  func codes(_ color: VideoComposition.Color) -> [Int] {
    let made = components(
      SIMD4(repeating: Float(color.red)), SIMD4(repeating: Float(color.green)), SIMD4(repeating: Float(color.blue)))
    return [made.y[0], made.u[0], made.v[0]].map { Int(min(Float(largest), max(0, $0)).rounded()) }
  }

  /// The components of four pixels, not rounded.
  @inline(__always)
  func components(
    _ r: SIMD4<Float>, _ g: SIMD4<Float>, _ b: SIMD4<Float>
  ) -> (y: SIMD4<Float>, u: SIMD4<Float>, v: SIMD4<Float>) {
    let luma = r * red + g * green + b * blue
    let u = (b - luma) * (chromaUnit / (2 * (1 - blue))) + neutral
    let v = (r - luma) * (chromaUnit / (2 * (1 - red))) + neutral
    return (luma * lumaUnit + black, u, v)
  }

  /// The colours of four pixels that share their colour differences, brought to 0 to 1.
  @inline(__always)
  func colours(
    _ y: SIMD4<Float>, _ u: Float, _ v: Float
  ) -> PixelColours {
    let luma = (y - black) / lumaUnit
    let b = luma + (u - neutral) / chromaUnit * (2 * (1 - blue))
    let r = luma + (v - neutral) / chromaUnit * (2 * (1 - red))
    let g = (luma - b * blue - r * red) / green
    return PixelColours(r: bounded(r), g: bounded(g), b: bounded(b))
  }

  @inline(__always)
  private func bounded(_ value: SIMD4<Float>) -> SIMD4<Float> {
    let low = value.replacing(with: 0, where: value .< 0)
    return low.replacing(with: 1, where: low .> 1)
  }
}
