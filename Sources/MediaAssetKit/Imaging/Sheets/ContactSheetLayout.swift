/// Where the pictures of a contact sheet go: a grid of equal tiles, row by row.
public struct ContactSheetLayout: Hashable, Sendable {
  /// How many pictures the sheet holds.
  public let pictureCount: Int
  /// Tiles in a row.
  public let columns: Int
  /// Rows of tiles; the last one may be shorter.
  public let rows: Int
  /// The size of each tile.
  public let tileSize: PixelSize
  /// Pixels between tiles.
  public let spacing: Int
  /// The size of the sheet.
  public let size: PixelSize

  private let origin: PixelRect

  /// Lays out a sheet.
  ///
  /// Tiles have the aspect of `pictureSize` and share the width evenly; pixels that don't divide go
  /// to the outer margins. Pictures never determine the sheet's width, so tiles may be larger than
  /// the pictures.
  ///
  /// - Parameters:
  ///   - pictureCount: at least 1.
  ///   - pictureSize: the size or just the aspect of the pictures.
  ///   - sheetWidth: pixels.
  ///   - columns: tiles in a row, or `nil` for ``columns(for:pictureSize:)``.
  ///   - spacing: pixels between tiles.
  ///   - margin: pixels around all tiles.
  /// - Throws: ``MediaError`` with `invalidArgument` when a number is not positive (spacing and
  ///   margin: negative) or no pixel is left for a tile, `limitExceeded` when the sheet is higher
  ///   than FFmpeg's pictures can be.
  public init(
    pictureCount: Int, pictureSize: PixelSize, sheetWidth: Int, columns: Int? = nil,
    spacing: Int = 8, margin: Int = 8
  ) throws {
    func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
      MediaError(
        code, operation: "draw", subject: "contact sheet of \(pictureCount) pictures",
        reason: reason)
    }
    let columns = columns ?? Self.columns(for: pictureCount, pictureSize: pictureSize)
    let numbers = [pictureCount, pictureSize.width, pictureSize.height, sheetWidth, columns]
    guard numbers.allSatisfy({ $0 > 0 && $0 <= Int32.max }),
      (0...Int(Int32.max)).contains(spacing), (0...Int(Int32.max)).contains(margin)
    else { throw refuse(.invalidArgument, "counts and sizes must be positive") }
    let available = sheetWidth - 2 * margin - (columns - 1) * spacing
    let tileWidth = available / columns
    guard available > 0, tileWidth > 0 else {
      throw refuse(.invalidArgument, "a width of \(sheetWidth) has no room for \(columns) columns")
    }
    let tileHeight = max(
      1, (tileWidth * pictureSize.height + pictureSize.width / 2) / pictureSize.width)
    let rows = (pictureCount + columns - 1) / columns
    let (tiles, overflow) = rows.multipliedReportingOverflow(by: tileHeight)
    guard !overflow, tiles <= Int32.max,
      tiles + (rows - 1) * spacing + 2 * margin <= Int32.max
    else { throw refuse(.limitExceeded, "the sheet would be too high") }
    self.pictureCount = pictureCount
    self.columns = columns
    self.rows = rows
    self.spacing = spacing
    tileSize = PixelSize(width: tileWidth, height: tileHeight)
    size = PixelSize(width: sheetWidth, height: tiles + (rows - 1) * spacing + 2 * margin)
    origin = PixelRect(
      x: margin + (available - columns * tileWidth) / 2, y: margin, width: tileWidth,
      height: tileHeight)
  }

  /// The tile of a picture, counted from 0.
  public func tile(at index: Int) -> PixelRect {
    precondition(index >= 0 && index < pictureCount, "The sheet has no picture of this index.")
    return PixelRect(
      x: origin.x + index % columns * (tileSize.width + spacing),
      y: origin.y + index / columns * (tileSize.height + spacing),
      width: tileSize.width, height: tileSize.height)
  }

  /// Where a picture of this size lies in its tile: fitted, never enlarged, in the middle.
  public func frame(at index: Int, pictureSize: PixelSize) -> PixelRect {
    let tile = tile(at: index)
    let fitted = PixelFitting.fit(pictureSize, within: tile.size)
    return PixelRect(
      x: tile.x + (tile.width - fitted.width) / 2, y: tile.y + (tile.height - fitted.height) / 2,
      width: fitted.width, height: fitted.height)
  }

  /// The number of columns that brings the grid nearest to 4:3, the fewest when several do.
  ///
  /// Twelve pictures of 16:9 give three columns and four rows.
  public static func columns(for pictureCount: Int, pictureSize: PixelSize) -> Int {
    guard pictureCount > 1, !pictureSize.isEmpty else { return 1 }
    let aspect = Double(pictureSize.width) / Double(pictureSize.height)
    func distance(_ columns: Int) -> Double {
      let rows = (pictureCount + columns - 1) / columns
      let ratio = Double(columns) * aspect / Double(rows) * 3 / 4
      return max(ratio, 1 / ratio)
    }
    // Beyond a thousand columns no tile has a pixel.
    return (1...min(pictureCount, 1000)).min { distance($0) < distance($1) } ?? 1
  }
}
