import LibAV

extension ImageGenerator {
  /// The default video track, opened once for all copies of the generator.
  ///
  /// With `listsKeys` the key pictures are known also where reading their list takes opening the file once more: who
  /// asks for many times plans by them.
  func source(listsKeys: Bool = false) async throws -> ImageSource {
    let listing: LoadCell<ImageSource> = sources.cell("source with keys")
    if case .loaded(let source) = listing.status { return source }
    let cell: LoadCell<ImageSource> = listsKeys ? listing : sources.cell("source")
    if case .loaded(let source) = cell.status { return source }
    let asset = asset
    return try await cell.value {
      guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else {
        throw MediaError(
          .noSourceTrack, operation: "decode", subject: asset.subject,
          reason: "it has no video track",
          remedy: "Cover art is loaded with loadArtwork()")
      }
      return try await ImageSource(track: track, listsKeys: listsKeys)
    }
  }

  /// - Throws: `invalidArgument` for times and tolerances that are no numbers, `noImageAtTime`.
  func plan(_ time: MediaTime, _ source: ImageSource) throws -> ImageRequest {
    guard let moment = time.rational else {
      throw MediaError(
        .invalidArgument, operation: "decode", subject: source.track.subject,
        reason: "the time \(time) is not a number",
        remedy: "Ask for a numeric time")
    }
    return try source.planner.plan(
      moment, before: try tolerance(requestedTimeToleranceBefore, source),
      after: try tolerance(requestedTimeToleranceAfter, source),
      subject: source.track.subject)
  }

  /// nil for infinity.
  private func tolerance(_ time: MediaTime, _ source: ImageSource) throws -> Rational? {
    if time.isPositiveInfinity { return nil }
    guard let value = time.rational, value >= .zero else {
      throw MediaError(
        .invalidArgument, operation: "decode", subject: source.track.subject,
        reason: "the tolerance \(time) is negative or not a number",
        remedy: "Use zero, a positive time or positive infinity")
    }
    return value
  }

  func renderer(_ source: ImageSource) throws -> PictureRenderer {
    guard let geometry = source.track.geometry(), let stream = source.track.track.stream else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: source.track.subject,
        reason: "it has no pictures")
    }
    return PictureRenderer(
      geometry: geometry, colour: stream.colour,
      isStillCodec: PictureRenderer.isStill(codec: stream.codecName), maximumSize: maximumSize,
      apertureMode: apertureMode, appliesTransform: appliesPreferredTrackTransform,
      dynamicRange: dynamicRangePolicy,
      contentPeak: PictureRenderer.peak(stream.contentLight, stream.masteringDisplay))
  }
}
