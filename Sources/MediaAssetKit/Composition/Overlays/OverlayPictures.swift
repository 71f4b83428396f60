import LibAV

/// The pictures of overlays, made once each and kept while they are used.
final class OverlayPictures {
  private struct Made {
    var picture: PixelBuffer
    var colour: ConversionColour
    /// From the picture's pixels to the overlay's box.
    var map: PictureTransform
    var box: PixelSize
  }

  private let assets: CompositionAssets
  private var made: [VideoComposition.Overlay.Content: Made] = [:]

  init(_ assets: CompositionAssets) { self.assets = assets }

  /// What is drawn at a time, the last on top.
  func layers(_ overlays: [VideoComposition.Overlay], at time: MediaTime) async throws -> [PictureCompositor.Layer] {
    var layers: [PictureCompositor.Layer] = []
    for overlay in overlays {
      guard overlay.isShown(at: time) else {
        // Times never fall: what nobody shows any more is let go.
        if made[overlay.content] != nil,
          !overlays.contains(where: { $0.content == overlay.content && !$0.isOver(at: time) })
        {
          made[overlay.content] = nil
        }
        continue
      }
      let opacity = min(1, max(0, overlay.opacity.value(at: time)))
      guard opacity > 0 else { continue }
      let drawn = try await drawn(overlay.content)
      var (map, box) = (drawn.map, drawn.box)
      if case .image = overlay.content, let size = overlay.size, !box.isEmpty {
        map = map.concatenating(
          .scale(x: Double(size.width) / Double(box.width), y: Double(size.height) / Double(box.height)))
        box = size
      }
      layers.append(
        PictureCompositor.Layer(
          picture: drawn.picture, colour: drawn.colour,
          transform: map.concatenating(overlay.transform(at: time, box: box)), crop: nil, opacity: opacity,
          blendMode: overlay.blendMode, isOverlay: true))
    }
    return layers
  }

  private func drawn(_ content: VideoComposition.Overlay.Content) async throws -> Made {
    if let found = made[content] { return found }
    let new: Made
    switch content {
    case .text(let text):
      let renderer = TextRenderer(
        overlay: text, maximumPixels: Int(clamping: assets.options.policy.maximumPixels))
      let drawn = try await WorkerPool.decoding.run { try renderer.draw() }
      new = Made(
        picture: drawn.picture, colour: ConversionColour(stream: ColourDescription(), isStillCodec: true),
        map: .translation(x: Double(-drawn.corner.x), y: Double(-drawn.corner.y)), box: drawn.box)
    case .image(let url):
      let asset = assets.asset(url)
      let track = try await asset.loadDefaultTrack(withMediaType: .video)
      var frames = track?.frames().makeAsyncIterator()
      guard let track, let frame = try await frames?.next() else {
        throw MediaError(
          .noSourceTrack, operation: "compose", subject: asset.subject, reason: "an overlay has no picture")
      }
      let (size, turn) = try await track.load(.naturalSize, .preferredTransform)
      new = Made(
        picture: frame.pixelBuffer, colour: ConversionColour(track.track),
        map: turn.normalized(for: size), box: turn.applied(to: size))
    }
    made[content] = new
    return new
  }
}
