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
    /// Whether decoders work ahead; for whoever wants one picture they don't.
    var readsAhead = true

    /// An output. Reads nothing by itself.
    ///
    /// - Parameters:
    ///   - composition: The composition.
    ///   - timeRange: The part of its time; nil: all that has pictures.
    ///   - videoComposition: How the tracks are drawn.
    ///   - settings: What pictures come out as.
    ///   - compositor: Draws in place of the built-in compositor.
    ///   - assetOptions: How the sources are opened.
    /// - Throws: ``MediaError``: `invalidArgument` for segments that don't join and a range that is none,
    ///   `invalidVideoComposition` for a video composition that does not fit, with all its defects.
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
      /// - Throws: ``MediaError``: what opening and decoding the sources throws; `videoCompositorFailed` where a custom
      ///   compositor fails.
      public mutating func next() async throws -> VideoFrame? {
        try Task.checkCancellation()
        if work == nil {
          var video = output.videoComposition
          if video == nil {
            video = try await VideoComposition(
              propertiesOf: output.composition, assetOptions: output.assets.options)
          }
          work = CompositionRun(output, video ?? VideoComposition(renderSize: .zero))
        }
        return try await work?.next()
      }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> VideoFrame? {
        try await next()
      }
    }
  }
}
