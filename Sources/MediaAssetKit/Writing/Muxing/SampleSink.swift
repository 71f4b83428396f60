import LibAV

/// Takes a writer's queued samples in order: into a file, or into segments.
protocol SampleSink: Actor {
  /// Makes what forbids writing known before the first sample.
  func open() throws
  /// Writes what is queued and can be written.
  func drain(_ core: WriterCore) async
  /// Writes what is left, and completes the output.
  func finish(_ core: WriterCore) async throws
  /// Removes what was written.
  func abort()
}

extension WriterCore.Track {
  /// What a muxer is told of the track.
  func streamOptions(
    _ parameters: CodecParameters, in container: WritableContainer, leading: Int? = nil, isFragmented: Bool = false
  ) -> Muxer.StreamOptions {
    var base = parameters.timeBase
    if let timescale = plan.timescale { base = (1, timescale) }
    if base.numerator <= 0 || base.denominator <= 0 { base = (1, 90_000) }
    var options = Muxer.StreamOptions(timeBase: base)
    options.metadata = plan.metadata
    options.disposition = plan.disposition
    if plan.isEnabled { options.disposition.insert(.isDefault) } else { options.disposition.remove(.isDefault) }
    options.displayMatrix = plan.displayMatrix
    if let rate = plan.averageFrameRate {
      options.averageFrameRate = (Int32(clamping: rate.numerator), Int32(clamping: rate.denominator))
    }
    options.initialPadding = leading
    // The source's word counts for its own container: here what its samples' times say.
    if leading == nil, !plan.isEncoded, container.isMatroska, parameters.codecName != "opus" {
      options.initialPadding = 0
    }
    options.mayBeADTS = isFragmented && parameters.codecName == "aac" && !plan.isEncoded
    if container.isMovie {
      options.keepsCodecTag = true
      // Players of Apple's take HEVC by this name only; the parameter sets are in the header.
      if parameters.codecName == "hevc", !parameters.extradata.isEmpty { options.codecTag = "hvc1" }
      if plan.metadataEntry != nil { options.codecTag = "gpmd" }
    }
    return options
  }

  /// The ticks a second of all tracks of pictures, where they are the same: one option of libav's serves all. Without it
  /// libav multiplies small timescales, which is exact too.
  static func commonVideoTimescale(_ tracks: [WriterCore.Track]) -> Int32? {
    let scales = tracks.compactMap { track -> Int32? in
      guard track.mediaType == .video, let parameters = track.parameters else { return nil }
      return track.plan.timescale ?? (parameters.timeBase.numerator == 1 ? parameters.timeBase.denominator : nil)
    }
    guard let scale = scales.first, scales.allSatisfy({ $0 == scale }) else { return nil }
    return scale
  }
}
