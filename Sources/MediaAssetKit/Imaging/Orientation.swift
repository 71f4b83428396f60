/// One of the eight ways in which a picture can be turned by right angles and mirrored.
///
/// Names and raw values are those of `CGImagePropertyOrientation` and of EXIF: what the stored
/// picture needs in order to be shown upright.
public enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  /// Shown as stored.
  case up = 1
  /// Mirrored left to right.
  case upMirrored = 2
  /// Turned by 180°.
  case down = 3
  /// Mirrored top to bottom.
  case downMirrored = 4
  /// Mirrored at the main diagonal.
  case leftMirrored = 5
  /// Turned by 90° clockwise.
  case right = 6
  /// Mirrored at the other diagonal.
  case rightMirrored = 7
  /// Turned by 270° clockwise.
  case left = 8

  /// Degrees clockwise that show the stored picture upright, or `nil` when it is also mirrored.
  public var clockwiseRotation: Int? {
    switch self {
    case .up: 0
    case .right: 90
    case .down: 180
    case .left: 270
    case .upMirrored, .downMirrored, .leftMirrored, .rightMirrored: nil
    }
  }

  /// Whether width and height change places.
  public var swapsDimensions: Bool {
    switch self {
    case .leftMirrored, .right, .rightMirrored, .left: true
    case .up, .upMirrored, .down, .downMirrored: false
    }
  }

  /// The map that turns a picture of this size upright, with its shift.
  public func transform(for size: PixelSize) -> PictureTransform {
    let (a, b, c, d): (Double, Double, Double, Double) =
      switch self {
      case .up: (1, 0, 0, 1)
      case .upMirrored: (-1, 0, 0, 1)
      case .down: (-1, 0, 0, -1)
      case .downMirrored: (1, 0, 0, -1)
      case .leftMirrored: (0, 1, 1, 0)
      case .right: (0, 1, -1, 0)
      case .rightMirrored: (0, -1, -1, 0)
      case .left: (0, -1, 1, 0)
      }
    return PictureTransform(a: a, b: b, c: c, d: d, tx: 0, ty: 0).normalized(for: size)
  }

  /// The size of the picture after the turn.
  func applied(to size: PixelSize) -> PixelSize { swapsDimensions ? size.transposed : size }
}

extension PictureTransform {
  /// The right-angled turn that the map makes, or `nil` for every other map.
  ///
  /// The shift and positive scale factors play no part: what counts is which way is up. Entries
  /// below a thousandth of the largest count as zero (a 16.16 file entry is good to 1/65536).
  /// Skewed pictures and other angles have no orientation; the image generator honours right
  /// angles only and leaves such pictures as stored.
  public var orientation: Orientation? {
    let largest = max(abs(a), abs(b), abs(c), abs(d))
    guard largest.isFinite, largest > 0 else { return nil }
    let signs = [a, b, c, d].map { abs($0) < largest / 1000 ? 0 : ($0 > 0 ? 1 : -1) }
    return switch (signs[0], signs[1], signs[2], signs[3]) {
    case (1, 0, 0, 1): .up
    case (-1, 0, 0, 1): .upMirrored
    case (-1, 0, 0, -1): .down
    case (1, 0, 0, -1): .downMirrored
    case (0, 1, 1, 0): .leftMirrored
    case (0, 1, -1, 0): .right
    case (0, -1, -1, 0): .rightMirrored
    case (0, -1, 1, 0): .left
    default: nil
    }
  }
}
