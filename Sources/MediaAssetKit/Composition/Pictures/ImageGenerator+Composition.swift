import LibAV

extension ImageGenerator {
  /// The composed picture at a time.
  func image(of composition: Composition, at time: MediaTime) async throws -> MediaImage {
    guard time.isNumeric, time >= .zero, time < composition.duration else {
      throw MediaError(
        .noImageAtTime, operation: "draw", subject: "a composition", reason: "nothing is on show at \(time)",
        remedy: "Ask for a time from 0 to \(composition.duration.seconds) s")
    }
    var output = try Reader.VideoCompositionOutput(
      composition: composition, timeRange: MediaTimeRange(start: time, end: composition.duration),
      videoComposition: videoComposition, assetOptions: asset.options)
    output.readsAhead = false
    var iterator = output.makeAsyncIterator()
    guard let frame = try await iterator.next() else {
      throw MediaError(
        .noImageAtTime, operation: "draw", subject: "a composition", reason: "no picture is on show at \(time)")
    }
    let picture = frame.pixelBuffer
    let renderer = PictureRenderer(
      geometry: TrackGeometry(square: picture.size), colour: picture.frame.colour, isStillCodec: false,
      maximumSize: maximumSize, apertureMode: .encodedPixels, appliesTransform: false, dynamicRange: dynamicRangePolicy)
    return try await WorkerPool.decoding.run {
      var scalers = ScalerCache()
      return try renderer.render(picture.frame, &scalers)
    }
  }
}

extension TrackGeometry {
  /// Square pixels, shown as they are.
  init(square size: PixelSize) {
    encodedSize = size
    pixelAspectRatio = .square
    transform = .identity
  }
}
