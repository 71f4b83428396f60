/// A rectangle in whole pixels, with its origin at the top left of the picture and y downwards.
public struct PixelRect: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The first column.
  public var x: Int
  /// The first row.
  public var y: Int
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Makes a rectangle; it may lie outside of any picture, those who use it cut it to theirs.
  public init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The rectangle of a whole picture.
  public init(_ size: PixelSize) {
    self.init(x: 0, y: 0, width: size.width, height: size.height)
  }

  /// Width and height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// The rectangle as `1280x720+0+180`, in the notation of X11 geometry.
  public var description: String {
    "\(width)x\(height)\(x < 0 ? "" : "+")\(x)\(y < 0 ? "" : "+")\(y)"
  }

  /// Whether no pixel lies inside.
  var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The part that both rectangles cover, or `nil` when they share no pixel.
  ///
  /// Safe for every value: ends beyond the range of `Int` count as its end.
  func intersection(_ other: PixelRect) -> PixelRect? {
    guard !isEmpty, !other.isEmpty else { return nil }
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(Self.end(x, width), Self.end(other.x, other.width))
    let bottom = min(Self.end(y, height), Self.end(other.y, other.height))
    guard right > left, bottom > top else { return nil }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  private static func end(_ start: Int, _ length: Int) -> Int {
    let (sum, overflow) = start.addingReportingOverflow(length)
    return overflow ? Int.max : sum
  }
}
