import LibAV

/// One pass over a composition's pictures.
final class CompositionRun {
  private let output: Reader.VideoCompositionOutput
  private let video: VideoComposition
  private let sources: [Int32: CompositionPictures]
  private let builtIn: PictureCompositor
  private let overlays: OverlayPictures
  private var converter: VideoConversion?
  private var requestPool: PixelBufferPool?
  private var time: MediaTime
  private var number: Int64?
  private var place = 0

  init(_ output: Reader.VideoCompositionOutput, _ video: VideoComposition) {
    self.output = output
    self.video = video
    var used = Set(video.instructions.flatMap(\.layerInstructions).map(\.trackID))
    if let timing = video.sourceTrackIDForFrameTiming { used.insert(timing) }
    let tracks = output.composition.tracks(withMediaType: .video).filter { used.contains($0.id) }
    sources = Dictionary(
      uniqueKeysWithValues: tracks.map {
        (
          $0.id,
          CompositionPictures(
            $0, range: output.timeRange, assets: output.assets, readsAhead: output.readsAhead)
        )
      })
    builtIn = PictureCompositor(
      size: video.renderSize, colour: video.colour, maximumPixels: output.assets.options.policy.maximumPixels)
    overlays = OverlayPictures(output.assets)
    time = output.timeRange.start
  }

  func next() async throws -> VideoFrame? {
    let end = output.timeRange.end
    guard time < end else { return nil }
    while place < video.instructions.count, video.instructions[place].timeRange.end <= time { place += 1 }
    guard place < video.instructions.count else { return nil }
    let instruction = video.instructions[place]
    var until = min(end, instruction.timeRange.end)
    let timing = video.sourceTrackIDForFrameTiming
    var layers: [(VideoComposition.LayerInstruction, CompositionPictures.Shown)] = []
    for layer in instruction.layerInstructions.reversed() {
      guard let source = sources[layer.trackID] else { continue }
      if let shown = try await source.picture(at: time) { layers.append((layer, shown)) }
      guard timing == nil, let change = source.change(after: time) else { continue }
      until = min(until, change)
    }
    if let timing, let source = sources[timing] {
      _ = try await source.picture(at: time)
      if let change = source.change(after: time) { until = min(until, change) }
    }
    let start = time
    if video.frameDuration.isNumeric, timing == nil {
      until = min(end, step(behind: start))
    }
    time = until
    let picture = try await draw(layers, instruction, at: start)
    return VideoFrame(time: start, duration: until - start, pixelBuffer: try await converted(picture))
  }

  /// The first whole number of frame durations behind a time.
  private func step(behind time: MediaTime) -> MediaTime {
    let duration = video.frameDuration.rational ?? .one
    if number == nil {
      number = (time.rational ?? .zero).divided(by: duration)?.rounded(.down) ?? 0
    }
    number = (number ?? 0) + 1
    return MediaTime(ticks: number ?? 0, timeBase: duration)
  }

  private func draw(
    _ layers: [(layer: VideoComposition.LayerInstruction, shown: CompositionPictures.Shown)],
    _ instruction: VideoComposition.Instruction, at time: MediaTime
  ) async throws -> PixelBuffer {
    var order = PictureCompositor.Order(
      time: time, background: instruction.backgroundColor, filter: video.filter,
      overlays: try await overlays.layers(video.overlays, at: time))
    guard let compositor = output.compositor else {
      order.layers = layers.map { layer, shown in
        PictureCompositor.Layer(
          picture: shown.picture, colour: shown.colour, transform: layer.transform(at: time),
          crop: layer.cropRectangle(at: time), opacity: layer.opacity(at: time), blendMode: layer.blendMode,
          filter: layer.filter, trackID: layer.trackID)
      }
      return try await builtIn.compose(order)
    }
    var frames: [Int32: PixelBuffer] = [:]
    var numbers: [Int32] = []
    for (layer, shown) in layers where frames[layer.trackID] == nil {
      var picture = shown.picture
      if let filter = layer.filter { picture = try await builtIn.filtered(picture, filter, layer.trackID, time) }
      if let format = compositor.requiredPixelFormat, picture.pixelFormat != format {
        picture = try await VideoConversion(VideoOutputSettings(pixelFormat: format), shown.colour).convert(picture)
      }
      frames[layer.trackID] = picture
      numbers.append(layer.trackID)
    }
    let picture = try await compositor.compose(
      VideoCompositionRequest(
        compositionTime: time, renderSize: video.renderSize, instruction: instruction, frames: frames, order: numbers,
        pool: try pool(compositor.requiredPixelFormat ?? .yuv420p)))
    return try await builtIn.finish(picture, order)
  }

  private func pool(_ format: PixelFormat) throws -> PixelBufferPool {
    if let pool = requestPool, pool.pixelFormat == format { return pool }
    let made = try PixelBufferPool(pixelFormat: format, size: video.renderSize)
    requestPool = made
    return made
  }

  private func converted(_ picture: PixelBuffer) async throws -> PixelBuffer {
    guard output.settings != VideoOutputSettings() else { return picture }
    if converter == nil {
      converter = VideoConversion(
        output.settings, ConversionColour(stream: ColourDescription(), isStillCodec: false))
    }
    return try await converter?.convert(picture) ?? picture
  }
}

/// Converts pictures on a thread of its own.
actor VideoConversion {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var converter: PictureConverter

  init(_ settings: VideoOutputSettings, _ colour: ConversionColour) {
    converter = PictureConverter(settings: settings, colour: colour, subject: "a composition")
  }

  func convert(_ picture: PixelBuffer) throws -> PixelBuffer { PixelBuffer(try converter.convert(picture.frame)) }
}
