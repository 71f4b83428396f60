public import FoundationEssentials

/// Sprite sheets and their WebVTT index, for the pictures that players show above the time line.
///
/// ```swift
/// try await Storyboard(every: MediaTime(value: 10, timescale: 1)).write(for: asset, to: folder)
/// // folder: sprite-0001.jpg, sprite-0002.jpg, …, storyboard.vtt
/// ```
public struct Storyboard: Sendable {
  /// At which times pictures are drawn; given times must ascend.
  public var spacing: ImageSpacing
  /// The width of one picture in pixels; its height follows from the video's aspect.
  public var tileWidth: Int
  /// The box that no picture exceeds; a side of 0 is free.
  public var maximumPictureSize = PixelSize.zero
  /// Pictures in a row of a sheet.
  public var columns = 5
  /// Rows of a full sheet.
  public var rows = 5
  /// The sheets' format.
  public var format = MediaImage.FileFormat.jpeg
  /// The quality of lossy formats, 0 to 1.
  public var quality = 0.85
  /// Draws exactly the pictures on show; else the cheapest that is nearer to its time than to the next one.
  public var isExact = false

  /// The name of the index beside the sheets.
  public static let indexName = "storyboard.vtt"

  /// A storyboard with a picture for each `interval`.
  public init(every interval: MediaTime, tileWidth: Int = 160) {
    self.init(.every(interval), tileWidth: tileWidth)
  }

  /// A storyboard of the pictures at certain times.
  public init(_ spacing: ImageSpacing, tileWidth: Int = 160) {
    self.spacing = spacing
    self.tileWidth = tileWidth
  }

  /// The file name of a sheet, counted from 0.
  public func sheetName(at sheet: Int) -> String {
    StoryboardIndex.sheetName(
      at: sheet, fileExtension: format == .jpeg ? "jpg" : format.rawValue)
  }

  /// Writes the sheets and, when all are there, the index into a folder, which is made when missing.
  ///
  /// Each group of pictures is decoded once; memory is one sheet and a few tiles. What was written is taken away when
  /// the rest fails.
  /// - Parameters:
  ///   - asset: where the pictures come from.
  ///   - directory: the folder, made when missing.
  ///   - overwrite: replaces existing files of these names.
  ///   - progress: called with the part that is done, 0 to 1, after each picture.
  /// - Returns: the pictures, also those that failed and whose places are black.
  /// - Throws: ``MediaError``: as ``ImageSpacing/times(in:)``, ``StoryboardIndex`` and
  ///   ``MediaImage/write(to:quality:overwrite:)``; the first picture's error when every one failed;
  ///   `CancellationError`.
  @discardableResult
  public func write(
    for asset: MediaAsset, to directory: URL, overwrite: Bool = false,
    progress: @Sendable (Double) -> Void = { _ in }
  ) async throws -> [SheetTile] {
    let (times, tolerance) = try await spacing.times(in: asset)
    let index = try await index(of: asset, times: times)
    var generator = ImageGenerator(asset: asset)
    generator.maximumSize = index.tileSize
    generator.requestedTimeToleranceBefore = isExact ? .zero : tolerance
    generator.requestedTimeToleranceAfter = generator.requestedTimeToleranceBefore

    let folder = StoryboardFolder(directory)
    do {
      try await folder.make()
      let tiles = try await draw(generator, times, index, progress) { image, sheet in
        try await folder.write(
          image, sheetName(at: sheet), quality: quality, overwrite: overwrite)
      }
      try tiles.checkAny()
      let names = (0..<index.sheetCount).map { sheetName(at: $0) }
      try await folder.write(
        index.webVTT(sheetNames: names), Self.indexName, overwrite: overwrite)
      return tiles
    } catch {
      await folder.undo()
      throw error
    }
  }

  /// Draws sheet after sheet and hands each one on when it is full.
  private func draw(
    _ generator: ImageGenerator, _ times: [MediaTime], _ index: StoryboardIndex,
    _ progress: @Sendable (Double) -> Void, finish: (MediaImage, Int) async throws -> Void
  ) async throws -> [SheetTile] {
    var sheet: MediaImage?
    var tiles: [SheetTile] = []
    for await result in generator.images(for: times) {
      try Task.checkCancellation()
      let place = index.place(at: tiles.count)
      let size = index.sheetSize(at: place.sheet)
      var current = try sheet ?? MediaImage(width: size.width, height: size.height, fill: .black)
      sheet = nil
      let actualTime = Result<MediaTime, any Error> {
        let picture = try result.image
        try current.draw(
          picture, x: place.rect.x + (place.rect.width - picture.width) / 2,
          y: place.rect.y + (place.rect.height - picture.height) / 2)
        return try result.actualTime
      }
      tiles.append(
        SheetTile(
          requestedTime: result.requestedTime, actualTime: actualTime, sheet: place.sheet,
          rect: place.rect))
      if tiles.count % index.picturesPerSheet == 0 || tiles.count == times.count {
        try await finish(current, place.sheet)
      } else {
        sheet = current
      }
      progress(Double(tiles.count) / Double(times.count))
    }
    try Task.checkCancellation()
    return tiles
  }

  /// The index: each picture is shown from the beginning of its part of the video to the next one.
  private func index(of asset: MediaAsset, times: [MediaTime]) async throws -> StoryboardIndex {
    let duration = try await asset.load(.duration)
    var starts = times
    if case .count(let count) = spacing, let first = times.first {
      // The pictures are from the middles of the parts.
      let half = times.count > 1 ? (times[1] - first).multiplied(by: 1, dividedBy: 2) : first
      starts = times.map { $0 - half }
      precondition(starts.count == count, "One picture for each part.")
    }
    var milliseconds = starts.map { max(0, $0.convertScale(1000).value) }
    if !milliseconds.isEmpty { milliseconds[0] = 0 }
    let end = duration.isNumeric ? duration.convertScale(1000).value : 0
    let size = try await asset.pictureSize()
    let width = max(1, tileWidth)
    let (scaled, overflow) = width.multipliedReportingOverflow(by: size.height)
    let height = overflow ? Int.max : max(1, (scaled + size.width / 2) / max(1, size.width))
    return try StoryboardIndex(
      starts: milliseconds, end: max(end, milliseconds.last ?? 0),
      tileSize: PixelFitting.fit(
        PixelSize(width: width, height: height), within: maximumPictureSize),
      columns: columns, rows: rows)
  }
}
