/// The shape of a pixel: its width to its height.
///
/// 1:1 is a square; 64:45 is PAL video shown at 16:9. Values that are not positive say nothing and
/// count as square.
public struct PixelAspectRatio: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The horizontal part.
  public var horizontal: Int
  /// The vertical part.
  public var vertical: Int

  /// Makes a ratio; it is kept as given, not reduced.
  public init(horizontal: Int, vertical: Int) {
    self.horizontal = horizontal
    self.vertical = vertical
  }

  /// 1:1.
  public static let square = PixelAspectRatio(horizontal: 1, vertical: 1)

  /// The ratio as `64/45`.
  public var description: String { "\(horizontal)/\(vertical)" }
}
