import LibAV

extension Writer {
  /// A writer that hands out segments (``segments``) instead of writing a file.
  ///
  /// ```swift
  /// var options = Writer.Options()
  /// options.preferredOutputSegmentInterval = MediaTime(value: 6, timescale: 1)
  /// let writer = try Writer(contentType: .mp4, profile: .mpeg4AppleHLS, options: options)
  /// ```
  ///
  /// Segments begin at the first sync sample of each interval, counted from ``Options/initialSegmentStartTime``; inputs that
  /// encode make the first picture there a sync sample. Pictures decide where there are any, else the first input. A sync
  /// sample less than a millisecond early counts as in time: clocks of containers are that coarse. Stored pictures are cut
  /// at the sync samples that they have, so segments may be longer than asked.
  ///
  /// Options that say how a file is written (``Options/movieFragmentInterval``, ``Options/shouldOptimizeForNetworkUse``,
  /// ``Options/overwritesExisting``) have no effect.
  ///
  /// Differences from AVAssetWriter, on purpose: several inputs may pass stored samples on, and several of one media type
  /// may encode, because other tracks are cut at the same time as the pictures, sound to the nearest sample behind it;
  /// ``flushSegment()`` works with inputs that encode, which make the next picture a sync sample. The CMAF profile takes one
  /// input, as its specification does.
  ///
  /// - Throws: ``MediaError`` with `operationNotSupported` for a type that is no MPEG-4.
  public convenience init(
    contentType: FileType, profile: FileTypeProfile, options: Options = .init()
  ) throws {
    guard let container = WritableContainer.container(for: contentType), container.muxer == "mp4" else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: "segments",
        reason: "segments of type \(contentType) can't be written", remedy: "Use \(FileType.mp4)")
    }
    self.init(container: container, profile: profile, options: options)
  }

  /// What is written, in order: the header, then media; no element for a writer of a file.
  public var segments: Segments { Segments(writer: self) }

  /// Ends the segment: the next sample of the pictures, or of the first input without any, begins a new one. Only with an
  /// indefinite ``Options/preferredOutputSegmentInterval``.
  ///
  /// Of an input without settings, that sample has to be a sync sample: writing fails otherwise.
  ///
  /// - Throws: ``MediaError`` with `operationNotSupported` for another interval or in the wrong state.
  public func flushSegment() throws {
    guard core.segments != nil, options.preferredOutputSegmentInterval.isIndefinite else {
      throw core.error(
        .operationNotSupported, "only writers of segments with an indefinite interval are told where to cut")
    }
    try core.flushSegment()
  }

  /// Why the options and inputs don't make segments; nil when they do.
  static func reasonAgainst(segmenting options: Options, profile: FileTypeProfile, inputs: [Input]) -> String? {
    let interval = options.preferredOutputSegmentInterval
    guard interval.isIndefinite || interval.isNumeric && interval > .zero else {
      return "the preferred interval of segments is neither positive nor indefinite"
    }
    let start = options.initialSegmentStartTime
    guard start.isNumeric || !start.isValid else { return "the first segment's start is no time" }
    if inputs.contains(where: { $0.mediaType == .metadata }) { return "segments hold no timed metadata" }
    if options.initialMovieFragmentSequenceNumber < 1 { return "the numbers of fragments begin with 1" }
    if profile == .mpeg4CMAFCompliant, inputs.count > 1 {
      return "a CMAF track has one input; write one track each, or use the profile mpeg4AppleHLS"
    }
    return nil
  }
}
