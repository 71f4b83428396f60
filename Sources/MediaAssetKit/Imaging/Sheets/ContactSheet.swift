/// Many pictures of a video in one, in the order of their times.
///
/// ```swift
/// let sheet = try await ContactSheet(count: 12, columns: 4).image(of: asset)
/// try await sheet.write(to: URL(filePath: "sheet.png"))
/// ```
public struct ContactSheet: Sendable {
  /// At which times pictures are drawn.
  public var spacing: ImageSpacing
  /// Pictures in a row; nil for the number that brings the grid nearest to 4:3.
  public var columns: Int?
  /// The sheet's width in pixels.
  public var width: Int
  /// The box that no picture exceeds; a side of 0 is free. The sheet becomes narrower where its pictures do.
  public var maximumPictureSize = PixelSize.zero
  /// Pixels between pictures.
  public var gap = 8
  /// Pixels around all pictures.
  public var margin = 8
  /// What shows between the pictures, and in place of one that failed.
  public var background = MediaImage.RGBA(red: 24, green: 24, blue: 24)
  /// Draws exactly the pictures on show; else the cheapest that is nearer to its time than to the next one.
  public var isExact = false

  /// A sheet of `count` pictures, evenly spaced.
  public init(count: Int, columns: Int? = nil, width: Int = 1280) {
    self.init(.count(count), columns: columns, width: width)
  }

  /// A sheet of the pictures at certain times.
  public init(_ spacing: ImageSpacing, columns: Int? = nil, width: Int = 1280) {
    self.spacing = spacing
    self.columns = columns
    self.width = width
  }

  /// The sheet of an asset; pictures that fail leave their place empty.
  ///
  /// - Throws: the first picture's error when every one failed; otherwise as ``draw(_:progress:)``.
  public func image(of asset: MediaAsset) async throws -> MediaImage {
    try await draw(asset).image
  }

  /// The sheet of an asset, and what is on it.
  ///
  /// Each group of pictures is decoded once; memory is the sheet and a few tiles. Pictures are fitted into their tiles
  /// and never enlarged.
  /// - Parameters:
  ///   - asset: where the pictures come from.
  ///   - progress: called with the part that is done, 0 to 1, after each picture.
  /// - Throws: ``MediaError``: as ``ImageSpacing/times(in:)`` and ``ContactSheetLayout``; the first picture's error when
  ///   every one failed; `CancellationError`.
  public func draw(
    _ asset: MediaAsset, progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> (image: MediaImage, tiles: [SheetTile]) {
    let (times, tolerance) = try await spacing.times(in: asset)
    let layout = try layout(pictureCount: times.count, pictureSize: try await asset.pictureSize())
    var generator = ImageGenerator(asset: asset)
    generator.maximumSize = PixelFitting.fit(layout.tileSize, within: maximumPictureSize)
    generator.requestedTimeToleranceBefore = isExact ? .zero : tolerance
    generator.requestedTimeToleranceAfter = generator.requestedTimeToleranceBefore
    var sheet = try MediaImage(
      width: layout.size.width, height: layout.size.height, fill: background)
    var tiles: [SheetTile] = []
    for await result in generator.images(for: times) {
      try Task.checkCancellation()
      let index = tiles.count
      let actualTime = Result<MediaTime, any Error> {
        let picture = try result.image
        let frame = layout.frame(at: index, pictureSize: picture.size)
        try sheet.draw(picture, x: frame.x, y: frame.y)
        return try result.actualTime
      }
      tiles.append(
        SheetTile(
          requestedTime: result.requestedTime, actualTime: actualTime, sheet: 0,
          rect: layout.tile(at: index)))
      progress(Double(tiles.count) / Double(times.count))
    }
    try Task.checkCancellation()
    try tiles.checkAny()
    return (sheet, tiles)
  }

  private func layout(pictureCount: Int, pictureSize: PixelSize) throws -> ContactSheetLayout {
    let layout = try ContactSheetLayout(
      pictureCount: pictureCount, pictureSize: pictureSize, sheetWidth: width, columns: columns,
      spacing: gap, margin: margin)
    let tile = PixelFitting.fit(layout.tileSize, within: maximumPictureSize)
    guard tile.width < layout.tileSize.width else { return layout }
    return try ContactSheetLayout(
      pictureCount: pictureCount, pictureSize: pictureSize,
      sheetWidth: layout.columns * tile.width + (layout.columns - 1) * gap + 2 * margin,
      columns: layout.columns, spacing: gap, margin: margin)
  }
}

extension [SheetTile] {
  /// Throws the first error when no picture could be drawn.
  func checkAny() throws {
    for tile in self { if case .success = tile.actualTime { return } }
    _ = try first?.actualTime.get()
  }
}
