import LibAV

/// The samples of one track of a composition, as an asynchronous sequence; times are the composition's.
///
/// Segment after segment, each as ``TrackOutput`` gives it and cut to its place; nothing is given for gaps, except of
/// decoded sound, which is silent there. Segments that play backwards can't be read as stored. Pictures of scaled segments
/// last longer or shorter; sound keeps its pitch or not, as ``audioTimePitchAlgorithm`` says. Stored samples are not cut:
/// those that only serve others are marked as hidden, and their decode times are left out where those of two segments may
/// overlap. A segment's source is opened when its turn comes, and let go behind its end. Single pass.
public struct CompositionTrackOutput: AsyncSequence, Sendable {
  /// One sample.
  public typealias Element = SampleBuffer

  /// The track that is read.
  public let track: Composition.Track
  /// What the output gives.
  public let settings: TrackOutput.Settings
  /// The part of the composition's time that is read.
  public let timeRange: MediaTimeRange
  /// What becomes of the pitch where segments play at another speed than their own.
  public var audioTimePitchAlgorithm = AudioTimePitchAlgorithm.spectral
  let assets: CompositionAssets

  init(track: Composition.Track, settings: TrackOutput.Settings, timeRange: MediaTimeRange, assets: CompositionAssets) {
    self.track = track
    self.settings = settings
    self.timeRange = timeRange
    self.assets = assets
  }

  /// Opens nothing before the first sample is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let output: CompositionTrackOutput
    private var segments: ArraySlice<Composition.Segment>
    private var samples: TrackOutput.Iterator?
    private var mapping = MediaTimeMapping(emptyTarget: .invalid)
    private var isReversed = false
    private var pictures: ReversedFrames.Iterator?
    private var conversion: VideoConversion?
    /// Cues of a segment that plays backwards, the next one at the end.
    private var cues: [SampleBuffer] = []
    private var sound: Reader.AudioMixOutput.Iterator?

    init(_ output: CompositionTrackOutput) {
      self.output = output
      segments =
        output.track.segments.filter { segment in
          !segment.isEmpty && segment.timeRange.intersection(output.timeRange).duration > .zero
        }[...]
    }

    /// The next sample; nil after the last.
    ///
    /// - Throws: ``MediaError``: what opening, reading and decoding the sources throws.
    public mutating func next() async throws -> SampleBuffer? {
      try Task.checkCancellation()
      if case .audio(let settings) = output.settings { return try await nextSound(settings) }
      while true {
        if let cue = cues.popLast() { return cue }
        if samples == nil, pictures == nil, try await !enterNext() { return nil }
        guard let sample = try await nextSample() else {
          (samples, pictures) = (nil, nil)
          continue
        }
        if isReversed, sample.cue != nil {
          if let moved = moved(sample) { cues.append(moved) }
          while let next = try await samples?.next() { if let moved = moved(next) { cues.append(moved) } }
          continue
        }
        if let moved = moved(sample) { return moved }
      }
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> SampleBuffer? {
      try await next()
    }

    private mutating func nextSample() async throws -> SampleBuffer? {
      guard let frame = try await pictures?.next() else { return try await samples?.next() }
      let picture = try await conversion?.convert(frame.pixelBuffer) ?? frame.pixelBuffer
      return SampleBuffer(content: .picture(picture), presentationTime: frame.time, duration: frame.duration)
    }

    private mutating func nextSound(_ settings: AudioOutputSettings) async throws -> SampleBuffer? {
      if sound == nil {
        var track = output.track
        (track.isEnabled, track.preferredVolume) = (true, 1)
        var mix = try Reader.AudioMixOutput(
          Composition(track), output.timeRange, nil, settings, assets: output.assets)
        mix.audioTimePitchAlgorithm = output.audioTimePitchAlgorithm
        sound = mix.makeAsyncIterator()
      }
      return try await sound?.next().map {
        SampleBuffer(content: .sound($0), presentationTime: $0.time, duration: $0.duration)
      }
    }

    private mutating func enterNext() async throws -> Bool {
      guard let segment = segments.popFirst() else { return false }
      let part = segment.part(segment.timeRange.intersection(output.timeRange))
      guard let source = part.source else { return true }
      let track = try await output.assets.track(source, output.track.mediaType)
      (mapping, isReversed) = (part.timeMapping, part.isReversed)
      if isReversed {
        switch output.settings {
        case .video(let settings):
          pictures = ReversedFrames(track: track, range: mapping.source).makeAsyncIterator()
          conversion = settings.map { VideoConversion($0, ConversionColour(track.track)) }
          return true
        case .text: break
        default:
          throw MediaError(
            .operationNotSupported, operation: "read", subject: output.track.subject,
            reason: "a segment plays backwards, and stored samples have no such order", remedy: "Decode them")
        }
      }
      var read = try Reader(asset: track.asset, timeRange: mapping.source)
        .output(for: track, settings: output.settings)
      if case .stored = output.settings {
        read.fillsTimes = track.track.needsTimes(in: try await track.asset.header().container)
      }
      samples = read.makeAsyncIterator()
      return true
    }

    /// A sample at its place; nil where nothing of it is shown.
    private func moved(_ sample: SampleBuffer) -> SampleBuffer? {
      func place(_ time: MediaTime) -> MediaTime {
        guard time.isNumeric else { return .invalid }
        return mapping.source.duration == mapping.target.duration
          ? time + (mapping.target.start - mapping.source.start) : mapping.targetTime(ofSource: time)
      }
      var own = MediaTimeRange(start: sample.presentationTime, duration: sample.duration)
      if isReversed, own.isNumeric { own = mapping.source.mirrored(own) }
      let start = place(own.start)
      let end = own.duration.isNumeric ? place(own.end) : .invalid
      if case .stored = output.settings {
        let reorders = sample.decodeTime.isNumeric && sample.decodeTime != sample.presentationTime
        return sample.retimed(
          presentationTime: start, decodeTime: reorders ? .invalid : place(sample.decodeTime),
          duration: end.isNumeric ? end - start : .invalid)
      }
      let shown = (
        start: Swift.max(start, mapping.target.start), end: end.isNumeric ? Swift.min(end, mapping.target.end) : end
      )
      guard !shown.end.isNumeric || shown.end > shown.start else { return nil }
      let duration = shown.end.isNumeric ? shown.end - shown.start : .invalid
      guard let cue = sample.cue else { return sample.retimed(presentationTime: shown.start, duration: duration) }
      var made = SampleBuffer(
        content: .text(cue.retimed(shown.start, duration)), presentationTime: shown.start, duration: duration)
      made.takeFormat(of: sample)
      return made
    }
  }
}

extension Reader {
  /// An output for a track of the composition; disabled ones are read too.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for a track of another composition, settings of another kind of media,
  ///   segments that don't join and a range that is none.
  public func output(
    for track: Composition.Track, settings: TrackOutput.Settings = .stored
  ) throws -> CompositionTrackOutput {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "read", subject: track.subject, reason: reason)
    }
    guard let composition, composition.track(withTrackID: track.id) == track else {
      throw refuse("the track belongs to another composition")
    }
    try track.validateSegments(track.segments)
    let isFitting =
      switch settings {
      case .stored: true
      case .video: track.mediaType == .video
      case .audio: track.mediaType == .audio
      case .text: track.mediaType.holdsText
      case .timecode: track.mediaType == .timecode
      case .metadata: track.mediaType == .metadata
      }
    guard isFitting else { throw refuse("it holds \(track.mediaType), and the settings ask for other media") }
    return CompositionTrackOutput(
      track: track, settings: settings, timeRange: try composition.readRange(timeRange),
      assets: CompositionAssets(options: asset.options))
  }
}

extension Composition {
  /// A composition of one track.
  init(_ track: Track) {
    self.init()
    addMutableTrack(withMediaType: track.mediaType, preferredTrackID: track.id)
    self[track.id] = track
  }
}
