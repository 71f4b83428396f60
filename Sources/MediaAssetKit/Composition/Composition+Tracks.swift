extension Composition {
  /// Tracks of one asset as they lie in it, under their own numbers.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` without a track, for tracks of two assets, and for an asset without a
  ///   URL; what opening throws.
  init(tracks: [AssetTrack]) async throws {
    self.init()
    for track in tracks {
      guard track.asset === tracks.first?.asset else {
        throw MediaError(
          .invalidArgument, operation: "compose", subject: track.subject, reason: "the tracks belong to two assets")
      }
      let range = try await track.load(.timeRange)
      guard range.isNumeric, range.duration > .zero else { continue }
      let id = addMutableTrack(withMediaType: track.mediaType, preferredTrackID: track.trackID)
      var own = self[id]
      own.take(try await Track(describing: track), isNew: true)
      try own.insertTimeRange(
        range, of: Segment.Source(url: try track.asset.composableURL, trackID: track.trackID),
        at: max(.zero, range.start))
      self[id] = own
    }
  }
}

extension Reader.AudioMixOutput {
  /// The mixed sound of tracks of one asset; times are the asset's. Reads the asset's header.
  ///
  /// - Parameters:
  ///   - audioTracks: Tracks of sound, all of one asset that has a URL.
  ///   - timeRange: The part of its time; nil: all.
  ///   - audioMix: How they are mixed, by their numbers.
  ///   - settings: The kind of PCM.
  /// - Throws: ``MediaError`` with `invalidArgument` for anything else; what opening throws.
  public init(
    audioTracks: [AssetTrack], timeRange: MediaTimeRange? = nil, audioMix: AudioMix? = nil,
    settings: AudioOutputSettings = .init()
  ) async throws {
    try Composition.check(audioTracks, .audio)
    try self.init(
      composition: try await Composition(tracks: audioTracks), timeRange: timeRange, audioMix: audioMix,
      settings: settings, assetOptions: audioTracks.first?.asset.options ?? .init())
  }

  /// How loud all of it is, in LUFS (EBU R 128, integrated); nil where nothing but silence is heard.
  ///
  /// Costs reading and decoding everything once.
  public func integratedLoudness() async throws -> Double? {
    var mix = audioMix ?? AudioMix()
    (mix.targetLoudness, mix.limitsPeaks) = (nil, false)
    let output = try Self(
      composition, timeRange, mix,
      AudioOutputSettings(sampleRate: settings.sampleRate, channels: settings.channels, layout: settings.layout),
      assets: assets)
    var meter: LoudnessMeter?
    for try await buffer in output {
      if meter == nil {
        meter = LoudnessMeter(channels: buffer.channels, layout: buffer.layout, sampleRate: buffer.sampleRate)
      }
      meter?.add(
        (0..<buffer.channels).map { channel in
          buffer.withFloats(channel) { samples in samples.indices.map { samples[$0] } }
        })
    }
    return meter?.integrated
  }
}

extension Reader.VideoCompositionOutput {
  /// The composed pictures of tracks of one asset; times are the asset's. Reads the asset's header.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for other tracks than those of pictures of one asset that has a URL,
  ///   `invalidVideoComposition` for a video composition that does not fit; what opening throws.
  public init(
    videoTracks: [AssetTrack], timeRange: MediaTimeRange? = nil, videoComposition: VideoComposition? = nil,
    settings: VideoOutputSettings = .init(), compositor: (any VideoCompositing)? = nil
  ) async throws {
    try Composition.check(videoTracks, .video)
    try self.init(
      composition: try await Composition(tracks: videoTracks), timeRange: timeRange, videoComposition: videoComposition,
      settings: settings, compositor: compositor, assetOptions: videoTracks.first?.asset.options ?? .init())
  }
}

extension Composition {
  static func check(_ tracks: [AssetTrack], _ mediaType: MediaType) throws {
    guard let first = tracks.first else {
      throw MediaError(.invalidArgument, operation: "read", subject: "an output", reason: "there is no track")
    }
    guard let other = tracks.first(where: { $0.mediaType != mediaType }) else { return }
    throw MediaError(
      .invalidArgument, operation: "read", subject: other.subject,
      reason: "it holds \(other.mediaType), and \(mediaType) was asked of \(first.asset.subject)")
  }
}
