import LibAV

/// The sizes in which a ladder encodes pictures. Pure arithmetic.
struct HLSLadder: Sendable {
  struct Rung: Sendable, Hashable {
    var size: PixelSize
    /// Bits a second that no second of it should exceed.
    var maximumBitRate: Int
  }

  private static let shortSides = [2160, 1440, 1080, 720, 540, 360, 240]
  /// More take longer to encode than they please.
  private static let most = 5

  /// From the source's own size downwards, never above it.
  ///
  /// - Parameters:
  ///   - source: The picture in square pixels.
  ///   - frameRate: Pictures a second.
  static func rungs(source: PixelSize, frameRate: Double) -> [Rung] {
    let short = min(source.width, source.height)
    // A rung just below the top one is not worth its bits.
    var sides = shortSides.filter { $0 * 100 <= short * 85 }
    if sides.isEmpty, short >= 72 { sides = [short / 2] }
    let sizes =
      [source]
      + sides.prefix(most - 1).map { side in
        PixelSize(
          width: (source.width * side + short / 2) / short, height: (source.height * side + short / 2) / short)
      }
    return sizes.map { size in
      let even = PixelSize(width: max(2, size.width / 2 * 2), height: max(2, size.height / 2 * 2))
      let pixels = Double(even.width * even.height) * min(60, max(10, frameRate))
      // A tenth of a bit for a pixel suits H.264; small pictures need more.
      return Rung(size: even, maximumBitRate: Int(pixels * 0.15) + 150_000)
    }
  }
}
