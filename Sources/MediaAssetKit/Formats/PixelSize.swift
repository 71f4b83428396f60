/// A width and a height in whole pixels.
///
/// Where a size limits another (`maximumSize`), a zero side is unconstrained.
public struct PixelSize: Hashable, Sendable, Codable, CustomStringConvertible {
  /// Pixels in a row.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Makes a size; no value is refused here, those who allocate check it.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// No pixels; as a limit: unconstrained.
  public static let zero = PixelSize(width: 0, height: 0)

  /// The size as `1920x1080`.
  public var description: String { "\(width)x\(height)" }

  /// Whether no pixel fits.
  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The size of the picture after a quarter turn.
  var transposed: PixelSize { PixelSize(width: height, height: width) }
}
