import LibAV

extension Reader {
  /// The pictures of a composition, as an asynchronous sequence in the order of its time.
  ///
  /// Pictures come in planes of Y'CbCr 4:2:0 of 8 bits, or of 10 where the first source has more than 8; a single layer
  /// that fills the output as it is passes without a copy, in its source's tags. With a frame duration the k-th picture
  /// shows the time k durations behind zero; without one there is a picture for every change of a source. Each segment's
  /// decoder is opened when its turn comes and let go behind its end: as many live as there are layers. Single pass.
  /// Cancelling the task ends it within one picture's work.
  public struct VideoCompositionOutput: AsyncSequence, Sendable {
    /// A picture; its time is the composition's.
    public typealias Element = VideoFrame

    /// The composition.
    public let composition: Composition
    /// The part of its time that is read.
    public let timeRange: MediaTimeRange
    /// How the tracks are drawn; nil: each as large as it is, turned by its transform, the first at the bottom.
    public let videoComposition: VideoComposition?
    /// What pictures come out as.
    public let settings: VideoOutputSettings
    let compositor: (any VideoCompositing)?
    let assets: CompositionAssets
    private let assetOptions: MediaAsset.Options

    /// An output. Reads nothing by itself.
    ///
    /// - Parameters:
    ///   - composition: The composition.
    ///   - timeRange: The part of its time; nil: all that has pictures.
    ///   - videoComposition: How the tracks are drawn.
    ///   - settings: What pictures come out as.
    ///   - compositor: Draws in place of the built-in compositor.
    ///   - assetOptions: How the sources are opened.
    /// - Throws: ``MediaError`` with `invalidArgument` for segments that don't join, a range that is none, and a video
    ///   composition that does not fit: all its defects.
    public init(
      composition: Composition, timeRange: MediaTimeRange? = nil, videoComposition: VideoComposition? = nil,
      settings: VideoOutputSettings = .init(), compositor: (any VideoCompositing)? = nil,
      assetOptions: MediaAsset.Options = .init()
    ) throws {
      try composition.validate()
      try settings.check(subject: "a composition", maximumPixels: assetOptions.policy.maximumPixels)
      let last = composition.shownTracks(.video).map(\.timeRange.end).max() ?? .zero
      var range = try composition.readRange(timeRange)
      range = MediaTimeRange(start: range.start, end: Swift.max(range.start, Swift.min(range.end, last)))
      try videoComposition?.validate(for: composition, timeRange: range)
      self.timeRange = range
      self.composition = composition
      self.videoComposition = videoComposition
      self.settings = settings
      self.compositor = compositor
      self.assetOptions = assetOptions
      assets = CompositionAssets(options: assetOptions)
    }

    /// Opens nothing before the first picture is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let output: VideoCompositionOutput
      private var work: CompositionRun?

      init(_ output: VideoCompositionOutput) { self.output = output }

      /// The next picture; nil at the end.
      ///
      /// - Throws: ``MediaError``: what opening and decoding the sources throws, and what a custom compositor does.
      public mutating func next() async throws -> VideoFrame? {
        try Task.checkCancellation()
        if work == nil {
          var video = output.videoComposition
          if video == nil {
            video = try await VideoComposition(
              propertiesOf: output.composition, assetOptions: output.assetOptions)
          }
          work = CompositionRun(output, video ?? VideoComposition(renderSize: .zero))
        }
        return try await work?.next()
      }
    }
  }
}

/// One pass over a composition's pictures.
private final class CompositionRun {
  private let output: Reader.VideoCompositionOutput
  private let video: VideoComposition
  private let sources: [Int32: CompositionPictures]
  private let builtIn: PictureCompositor
  private var converter: VideoConversion?
  private var time: MediaTime
  private var number: Int64?
  private var place = 0

  init(_ output: Reader.VideoCompositionOutput, _ video: VideoComposition) {
    self.output = output
    self.video = video
    let used = Set(video.instructions.flatMap(\.layerInstructions).map(\.trackID))
    let tracks = output.composition.tracks(withMediaType: .video).filter { used.contains($0.id) }
    sources = Dictionary(
      uniqueKeysWithValues: tracks.map {
        ($0.id, CompositionPictures($0, range: output.timeRange, assets: output.assets))
      })
    builtIn = PictureCompositor(size: video.renderSize, colour: video.colour)
    time = output.timeRange.start
  }

  func next() async throws -> VideoFrame? {
    let end = output.timeRange.end
    guard time < end else { return nil }
    while place < video.instructions.count, video.instructions[place].timeRange.end <= time { place += 1 }
    guard place < video.instructions.count else { return nil }
    let instruction = video.instructions[place]
    var until = min(end, instruction.timeRange.end)
    var layers: [(VideoComposition.LayerInstruction, CompositionPictures.Shown)] = []
    for layer in instruction.layerInstructions.reversed() {
      guard let source = sources[layer.trackID] else { continue }
      if let shown = try await source.picture(at: time) { layers.append((layer, shown)) }
      if let change = source.change(after: time) { until = min(until, change) }
    }
    let start = time
    if video.frameDuration.isNumeric {
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
    guard let compositor = output.compositor else {
      return try await builtIn.compose(
        layers.map { layer, shown in
          PictureCompositor.Layer(
            picture: shown.picture, colour: shown.colour, transform: layer.transform(at: time),
            crop: layer.cropRectangle(at: time), opacity: layer.opacity(at: time))
        }, background: instruction.backgroundColor)
    }
    var frames: [Int32: PixelBuffer] = [:]
    var order: [Int32] = []
    for (layer, shown) in layers where frames[layer.trackID] == nil {
      var picture = shown.picture
      if let format = compositor.requiredPixelFormat, picture.pixelFormat != format {
        picture = try await VideoConversion(VideoOutputSettings(pixelFormat: format), shown.colour).convert(picture)
      }
      frames[layer.trackID] = picture
      order.append(layer.trackID)
    }
    return try await compositor.compose(
      VideoCompositionRequest(
        compositionTime: time, renderSize: video.renderSize, instruction: instruction, frames: frames, order: order))
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
