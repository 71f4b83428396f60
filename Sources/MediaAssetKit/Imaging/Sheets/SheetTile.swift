/// One picture of a contact sheet or a storyboard: what was asked for, what was drawn, and where.
public struct SheetTile: Sendable {
  /// The time that was asked for.
  public var requestedTime: MediaTime
  /// The time of the picture that was drawn, or why there is none; its place is left empty then.
  public var actualTime: Result<MediaTime, any Error>
  /// The number of the sheet, counted from 0.
  public var sheet: Int
  /// The tile's place on the sheet.
  public var rect: PixelRect

  /// A tile of given parts.
  public init(
    requestedTime: MediaTime, actualTime: Result<MediaTime, any Error>, sheet: Int, rect: PixelRect
  ) {
    self.requestedTime = requestedTime
    self.actualTime = actualTime
    self.sheet = sheet
    self.rect = rect
  }
}

extension MediaAsset {
  /// The upright size of the default video's pictures: the aspect of every tile.
  func pictureSize() async throws -> PixelSize {
    guard let track = try await loadDefaultTrack(withMediaType: .video) else { return .zero }
    let (size, transform) = try await track.load(.naturalSize, .preferredTransform)
    let shown = transform.applied(to: size)
    // Half a pixel is still a pixel, and no tile has an aspect beyond that of a line.
    return PixelSize(width: max(1, shown.width), height: max(1, shown.height))
  }
}
