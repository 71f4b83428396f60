import LibAV

/// One pass over a composition's pictures.
final class CompositionRun {
  private let output: Reader.VideoCompositionOutput
  private let video: VideoComposition
  let sources: [Int32: CompositionPictures]
  private let samples: [Int32: CompositionSamples]
  private let builtIn: PictureCompositor
  private let overlays: OverlayPictures
  private var converter: VideoConversion?
  private var requestPool: PixelBufferPool?
  /// For compositors that ask for a format: a scaler for every track, as long as its sources are coded alike.
  private var conversions: [Int32: (format: PixelFormat, colour: ConversionColour, conversion: VideoConversion)] = [:]
  private var time: MediaTime
  private var number: Int64?
  private var place = 0

  init(_ output: Reader.VideoCompositionOutput, _ video: VideoComposition) {
    self.output = output
    self.video = video
    var used = Set(video.instructions.flatMap(\.drawnLayers).map(\.trackID))
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
    // The built-in compositor draws pictures only.
    let wanted =
      output.compositor == nil ? [] : Set(video.instructions.flatMap(\.requiredSourceSampleDataTrackIDs))
    samples = Dictionary(
      uniqueKeysWithValues: output.composition.tracks.filter { wanted.contains($0.id) }.map {
        ($0.id, CompositionSamples($0, range: output.timeRange, assets: output.assets))
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
    for layer in instruction.drawnLayers.reversed() {
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
    var order = PictureCompositor.Order(time: time, background: instruction.backgroundColor)
    if instruction.enablePostProcessing {
      order.filter = video.filter
      order.overlays = try await overlays.layers(video.overlays, at: time)
    }
    guard let compositor = output.compositor, instruction.passthroughTrackID == nil else {
      order.layers = layers.map { layer, shown in
        PictureCompositor.Layer(
          picture: shown.picture, colour: shown.colour,
          transform: instruction.passthroughTrackID == nil ? layer.transform(at: time) : filling(shown.picture),
          crop: layer.cropRectangle(at: time), opacity: layer.opacity(at: time), blendMode: layer.blendMode,
          filter: layer.filter, trackID: layer.trackID)
      }
      return try await builtIn.compose(order)
    }
    let request = try await request(layers, instruction, compositor, at: time)
    let picture = try await CompositorCall(compositor: compositor, request: request, number: place + 1).run()
    return try await builtIn.finish(picture, order)
  }

  private func request(
    _ layers: [(layer: VideoComposition.LayerInstruction, shown: CompositionPictures.Shown)],
    _ instruction: VideoComposition.Instruction, _ compositor: any VideoCompositing, at time: MediaTime
  ) async throws -> VideoCompositionRequest {
    var frames: [Int32: PixelBuffer] = [:]
    var numbers: [Int32] = []
    for (layer, shown) in layers where frames[layer.trackID] == nil {
      var picture = shown.picture
      if let filter = layer.filter { picture = try await builtIn.filtered(picture, filter, layer.trackID, time) }
      if let format = compositor.requiredPixelFormat, picture.pixelFormat != format {
        picture = try await conversion(to: format, of: layer.trackID, shown.colour).convert(picture)
      }
      frames[layer.trackID] = picture
      numbers.append(layer.trackID)
    }
    var held: [Int32: SampleBuffer] = [:]
    for id in instruction.requiredSourceSampleDataTrackIDs { held[id] = try await samples[id]?.sample(at: time) }
    return VideoCompositionRequest(
      compositionTime: time, renderSize: video.renderSize, instruction: instruction, frames: frames, order: numbers,
      samples: held, pool: try pool(compositor.renderPixelFormat ?? .yuv420p))
  }

  private func conversion(to format: PixelFormat, of trackID: Int32, _ colour: ConversionColour) -> VideoConversion {
    if let found = conversions[trackID], found.format == format, found.colour == colour { return found.conversion }
    let made = VideoConversion(VideoOutputSettings(pixelFormat: format), colour)
    conversions[trackID] = (format, colour, made)
    return made
  }

  /// The map that brings a picture to the render size, whole.
  private func filling(_ picture: PixelBuffer) -> PictureTransform {
    let (shown, size) = (
      PixelFitting.displaySize(picture.size, picture.sampleAspectRatio ?? .square), video.renderSize
    )
    guard shown != size, !shown.isEmpty else { return .identity }
    return .scale(x: Double(size.width) / Double(shown.width), y: Double(size.height) / Double(shown.height))
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
