import ISOMedia
import LibAV

extension Writer {
  /// One track of the file that is written: takes its samples in order.
  ///
  /// For one task at a time; different inputs may be fed from different tasks, or in turn from one.
  ///
  /// Differences from AVAssetWriterInput, on purpose: `append` waits, so there is no readiness to poll or observe; and
  /// all files hold their own media, because samples that lie in other files (`sampleReferenceBaseURL`, reference
  /// samples) would make what is read depend on files that the asset's reference restrictions refuse by default.
  public final class Input: Sendable {
    /// How samples are encoded.
    public enum Settings: Sendable, Hashable {
      /// Pictures.
      case video(VideoSettings)
      /// Sound.
      case audio(AudioSettings)
    }

    /// The kind of media.
    public let mediaType: MediaType
    /// How samples are encoded; nil: passed on as they are.
    public let settings: Settings?
    /// What stored samples are, where ``settings`` is nil.
    public let sourceFormatHint: FormatDescription?

    let parameters: CodecParameters?
    /// What the samples of timed metadata mean.
    let boxedMetadata: MetadataSampleDescription?
    private let state: Monitor<State>

    private struct State {
      var properties: Properties
      var core: WriterCore?
      var track = 0
      var sink: Sink?
      var isFinished = false
      var associations: [(kind: String, input: Input)] = []
      var hasAdaptor = false
      var pass: PassState?
      /// Where the last group of timed metadata begins, and ends, if that is known.
      var lastGroup: MediaTimeRange?
    }

    /// Where samples go once writing has begun.
    enum Sink {
      case stored
      case encoded(BoundedChannel<SampleBuffer>)
    }

    private init(
      mediaType: MediaType, settings: Settings?, hint: FormatDescription?, parameters: CodecParameters?,
      metadata: MetadataSampleDescription? = nil, properties: Properties
    ) {
      self.mediaType = mediaType
      self.settings = settings
      sourceFormatHint = hint
      self.parameters = parameters
      boxedMetadata = metadata ?? MetadataSampleDescription(hint?.metadataKeys ?? [])
      state = Monitor(State(properties: properties))
    }

    /// An input that encodes, or passes stored samples on when `settings` is nil and the hint says what they are.
    public convenience init(
      mediaType: MediaType, settings: Settings?, sourceFormatHint: FormatDescription? = nil,
      properties: Properties = .init()
    ) {
      self.init(
        mediaType: mediaType, settings: settings, hint: sourceFormatHint, parameters: nil, properties: properties)
    }

    /// An input that encodes pictures.
    public convenience init(video settings: VideoSettings, properties: Properties = .init()) {
      self.init(mediaType: .video, settings: .video(settings), properties: properties)
    }

    /// An input that encodes sound.
    public convenience init(audio settings: AudioSettings, properties: Properties = .init()) {
      self.init(mediaType: .audio, settings: .audio(settings), properties: properties)
    }

    /// An input for timed metadata (``append(_:)-(TimedMetadataGroup)``) of these kinds, in QuickTime and MPEG-4 files.
    public convenience init(metadataKeys keys: [TimedMetadataKey], properties: Properties = .init()) {
      var hint = FormatDescription(mediaType: .metadata, fourCharacterCode: "mebx")
      hint.metadataKeys = keys
      self.init(mediaType: .metadata, settings: nil, sourceFormatHint: hint, properties: properties)
    }

    /// An input for the stored samples of a track, described as the track is: coding, side data, turn, language, volume.
    ///
    /// What the source hides at its end stays hidden. Opens the source for its description.
    public static func passthrough(of track: AssetTrack) async throws -> Input {
      let source = try await track.trackSource()
      let isISO = track.track.iso != nil
      let parameters = try await OpeningSession(isRemote: source.isRemote).run { interrupt in
        var demuxer = try source.openDemuxer(interrupt: interrupt)
        do {
          // Headers of other containers leave out what QuickTime's sample descriptions need.
          if !source.needsStreamInfo, !isISO || isIncomplete(demuxer.stream(source.streamIndex)) {
            try demuxer.findStreamInfo(
              probeSize: source.options.probeSize, analyzeMicroseconds: ContainerHeaderReader.analyzedMicroseconds)
          }
          return try CodecParameters.copying(demuxer, stream: source.streamIndex)
        } catch let error as AVError {
          throw MediaError.libav(error, operation: "open", subject: source.subject)
        }
      }
      var properties = Properties()
      let container = track.track
      properties.languageCode = container.language
      properties.extendedLanguageTag = container.extendedLanguage
      properties.marksOutputTrackAsEnabled = container.isEnabled
      properties.expectedSampleCount = container.sampleCount
      properties.disposition = container.stream?.disposition ?? []
      if container.mediaType == .audio {
        properties.preferredVolume = container.iso.map { Float($0.volume) / 256 }
        // Padding behind the sound is hidden by the source's edit list, or told in samples.
        properties.presentedEnd = container.timeline.end.map { MediaTime($0) }
      } else if container.iso?.edits != nil {
        properties.presentedEnd = container.timeline.end.map { MediaTime($0) }
      }
      var description = FormatDescription(
        mediaType: container.mediaType, codec: container.codec, fourCharacterCode: container.fourCharacterCode,
        codecString: container.codecString, parameterSets: parameters.extradata)
      description.codec = description.codec ?? parameters.codecName
      let metadata = track.boxedMetadata
      description.metadataKeys = metadata?.keys.map { TimedMetadataKey($0) } ?? []
      return Input(
        mediaType: container.mediaType, settings: nil, hint: description, parameters: parameters, metadata: metadata,
        properties: properties)
    }

    /// The same input, with other set-up bytes of the codec.
    func replacing(parameterSets bytes: [UInt8]) throws(AVError) -> Input {
      guard let parameters else { return self }
      return Input(
        mediaType: mediaType, settings: settings, hint: sourceFormatHint,
        parameters: try parameters.replacing(extradata: bytes), metadata: boxedMetadata, properties: properties)
    }

    private static func isIncomplete(_ stream: StreamInfo) -> Bool {
      stream.isIncomplete || stream.codecName == "vp9" && stream.format < 0
    }

    /// What the track is besides its samples; setting it has no effect once writing has begun.
    public var properties: Properties {
      get { state.withLock { $0.properties } }
      set { state.withLock { $0.properties = newValue } }
    }

    /// Samples that came too fast in real time and were left out.
    public var droppedSampleCount: Int {
      let (core, track) = state.withLock { ($0.core, $0.track) }
      guard let core, core.tracks.indices.contains(track) else { return 0 }
      return core.tracks[track].dropped
    }

    var isTaken: Bool { state.withLock { $0.core != nil } }

    func claimAdaptor() -> Bool {
      state.withLock { state in
        defer { state.hasAdaptor = true }
        return !state.hasAdaptor && state.sink == nil
      }
    }

    func attach(_ core: WriterCore, track: Int) -> Bool {
      state.withLock { state in
        guard state.core == nil else { return false }
        (state.core, state.track) = (core, track)
        return true
      }
    }

    // MARK: Associations

    /// Whether tracks of these kinds of media can be tied so: `fall` and `folw` begin at sound, `forc` joins subtitles, `chap`
    /// leads to text or pictures, `tmcd` to timecode, `cdsc` begins at metadata.
    public func canAddTrackAssociation(with input: Input, kind: String) -> Bool {
      guard kind.utf8.count == 4, input !== self else { return false }
      switch kind {
      case "fall": return mediaType == .audio && input.mediaType == .audio
      case "folw": return mediaType == .audio && input.mediaType.holdsText
      case "forc": return mediaType.holdsText && input.mediaType.holdsText
      case "chap": return input.mediaType.holdsText || input.mediaType == .video
      case "tmcd": return input.mediaType == .timecode
      case "cdsc": return mediaType == .metadata
      default: return true
      }
    }

    /// Ties the track to another one, in QuickTime and MPEG-4 files: `kind` is the four characters of the reference
    /// (`chap`, `cdsc`, `folw`, `fall`, `tmcd`, `forc`).
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` where ``canAddTrackAssociation(with:kind:)`` says no.
    public func addTrackAssociation(with input: Input, kind: String) throws {
      guard canAddTrackAssociation(with: input, kind: kind) else {
        throw MediaError(
          .invalidArgument, operation: "write", subject: "an input",
          reason: "\(kind) does not tie \(mediaType) to \(input.mediaType)")
      }
      state.withLock { $0.associations.append((kind, input)) }
    }

    // MARK: Beginning

    func makeTrack(_ core: WriterCore, track: Int, group: Int?, groups: [InputGroup]) throws -> WriterCore.Track {
      let (properties, associations) = state.withLock { ($0.properties, $0.associations) }
      var plan = StreamPlan()
      plan.timescale = properties.mediaTimeScale > 0 ? properties.mediaTimeScale : nil
      plan.isSparse = ![.video, .audio].contains(mediaType)
      plan.isEncoded = settings != nil
      plan.metadata = properties.metadata
      plan.metadataItems = properties.metadataItems
      if core.container.isMatroska, let title = properties.metadataItems.first(where: { $0.commonKey == .title }) {
        plan.metadata["title"] = title.stringValue
      }
      if let language = properties.languageCode { plan.metadata["language"] = language }
      plan.displayMatrix = properties.transform.isIdentity ? nil : properties.transform.displayMatrix
      plan.isEnabled = properties.marksOutputTrackAsEnabled
      if let group {
        plan.alternateGroup = Int16(clamping: group + 1)
        let chosen = groups[group].defaultInput ?? groups[group].inputs.first
        plan.isEnabled = chosen === self
      }
      plan.extendedLanguage = properties.extendedLanguageTag
      plan.volume = properties.preferredVolume.map { Int16((min(1, max(0, $0)) * 256).rounded()) }
      plan.associations = associations.compactMap { kind, input in
        input.state.withLock { state in state.core === core ? (kind, state.track) : nil }
      }
      plan.presentedEnd = properties.presentedEnd
      plan.disposition = properties.disposition
      plan.reorderDelay = properties.reorderDelay
      plan.expectedSampleCount = properties.expectedSampleCount
      plan.metadataEntry = boxedMetadata?.entry
      plan.chunkDuration = core.container.isMovie ? properties.preferredMediaChunkDuration : .invalid
      if case .video(let video)? = settings, let part = video.cleanAperture, let size = video.size {
        plan.cleanAperture = part.cleanApertureNumbers(in: size)
      }
      return WriterCore.Track(
        mediaType: mediaType, parameters: settings == nil ? try storedParameters(core.subject) : nil, plan: plan)
    }

    var passState: (core: WriterCore?, track: Int, pass: PassState?) {
      state.withLock { ($0.core, $0.track, $0.pass) }
    }

    func setPass(_ pass: PassState?, sink channel: BoundedChannel<SampleBuffer>?) {
      state.withLock { state in
        state.pass = pass
        if let channel { state.sink = .encoded(channel) }
      }
    }

    func begin(_ core: WriterCore, track: Int) throws {
      let sink: Sink
      var pass = PassState(number: 1)
      switch settings {
      case .video(let settings)? where canPerformMultiplePasses:
        pass = try gather(core, track, settings)
        sink = .encoded(pass.gathering?.channel ?? BoundedChannel(capacity: 1))
      case .video(let settings)?: sink = .encoded(pump(core, track, settings))
      case .audio(let settings)?: sink = .encoded(pump(core, track, settings))
      case nil: sink = .stored
      }
      let isFinished = state.withLock { state in
        state.sink = sink
        state.pass = pass
        return state.isFinished
      }
      if isFinished { end(sink, core, track) }
    }

    // MARK: Samples

    /// Appends a sample; waits while the track runs ahead of the others, or the encoder has enough to do.
    ///
    /// Stored samples for an input without settings, in decode order; decoded pictures or sound for one with settings, in
    /// the order of presentation. A track that gets nothing holds the others up for ``Writer/Options/starvationLimit`` at most.
    ///
    /// - Throws: ``MediaError``: `invalidArgument` for a sample of the wrong kind, `operationNotSupported` before the
    ///   session, after the end or after ``finish()``, or what writing failed with. `CancellationError` when the task or
    ///   the writer is cancelled.
    public func append(_ sample: SampleBuffer) async throws {
      try Task.checkCancellation()
      if state.withLock({ $0.properties.expectsMediaDataInRealTime }) {
        _ = try appendImmediately(sample)
        return
      }
      let (core, track, sink) = try ready(for: sample)
      switch sink {
      case .stored:
        guard var queued = sample.queued else { return }
        queued.beginsSegment = core.takeFlush(track, sample.presentationTime)
        try await core.enqueue(queued, track: track)
      case .encoded(let channel):
        _ = core.takeFlush(track, sample.presentationTime)
        try await channel.send(sample)
      }
    }

    /// Appends a sample if there is room for it at once; false, and counted in ``droppedSampleCount``, if there is none.
    public func appendImmediately(_ sample: SampleBuffer) throws -> Bool {
      let (core, track, sink) = try ready(for: sample)
      switch sink {
      case .stored:
        guard var queued = sample.queued else { return false }
        queued.beginsSegment = core.takeFlush(track, sample.presentationTime)
        return try core.enqueueImmediately(queued, track: track)
      case .encoded(let channel):
        _ = core.takeFlush(track, sample.presentationTime)
        let isTaken = try channel.trySend(sample)
        if !isTaken { core.countDrop(track) }
        return isTaken
      }
    }

    /// Appends a picture of a track.
    public func append(_ frame: VideoFrame) async throws {
      try await append(
        SampleBuffer(content: .picture(frame.pixelBuffer), presentationTime: frame.time, duration: frame.duration))
    }

    /// Appends a stretch of sound.
    public func append(_ buffer: AudioBuffer) async throws {
      try await append(SampleBuffer(content: .sound(buffer), presentationTime: buffer.time, duration: buffer.duration))
    }

    /// Appends items of timed metadata: each group holds until the next one begins, or for its own time.
    ///
    /// Groups come in the order of their starts. Where a group ends before the next one begins the file says that there is
    /// nothing; so does a group without items. A group whose duration is no number holds until the next one.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for an input of other media, an item of no kind that the input was
    ///   made for or whose value does not suit its data type, a group that begins no later than the one before; and as
    ///   ``append(_:)-(SampleBuffer)``.
    public func append(_ group: TimedMetadataGroup) async throws {
      func refuse(_ reason: String) -> MediaError {
        MediaError(.invalidArgument, operation: "append", subject: "timed metadata", reason: reason)
      }
      guard let boxedMetadata else { throw refuse("the input was not made for timed metadata") }
      let range = group.timeRange
      guard range.start.isNumeric else { throw refuse("the group has no start") }
      let last = state.withLock { $0.lastGroup }
      if let last, range.start <= last.start {
        throw refuse("the group at \(range.start) begins no later than the one before, at \(last.start)")
      }
      let bytes: [UInt8]
      do { bytes = try boxedMetadata.sample(of: group) } catch { throw refuse("\(error.key): \(error.reason)") }
      if let end = last?.end, end.isNumeric, end < range.start {
        try await append(
          SampleBuffer(
            bytes: MetadataSampleDescription.emptySample, presentationTime: end, duration: range.start - end))
      }
      let duration = range.duration.isNumeric && range.duration > .zero ? range.duration : .invalid
      try await append(SampleBuffer(bytes: bytes, presentationTime: range.start, duration: duration))
      state.withLock { $0.lastGroup = MediaTimeRange(start: range.start, duration: duration) }
    }

    /// No more samples come; the other inputs no longer wait for this one. May be called more than once.
    public func finish() {
      let (core, track, sink) = state.withLock { state in
        defer { state.isFinished = true }
        return state.isFinished ? (nil, 0, nil) : (state.core, state.track, state.sink)
      }
      if let core, let sink { end(sink, core, track) }
    }

    private func end(_ sink: Sink, _ core: WriterCore, _ track: Int) {
      if passState.pass?.gathering != nil {
        // Of a track that was only looked at nothing can be written.
        core.fail(
          core.error(
            .operationNotSupported, "input \(track + 1) was finished in the first of two passes",
            remedy: "Append all pictures in each of the input's passes"))
      }
      switch sink {
      case .stored: core.finishTrack(track)
      case .encoded(let channel): channel.finish()
      }
    }

    private func ready(for sample: SampleBuffer) throws -> (WriterCore, Int, Sink) {
      let (core, track, sink, isFinished) = state.withLock { ($0.core, $0.track, $0.sink, $0.isFinished) }
      func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
        MediaError(
          code, operation: "append", subject: core.map { "track \(track + 1) of \($0.subject)" } ?? "an input",
          reason: reason)
      }
      guard let core else { throw refuse(.operationNotSupported, "the input was not added to a writer") }
      if isFinished, core.status == .writing {
        throw refuse(.operationNotSupported, "the input was finished; nothing can be appended")
      }
      guard let sink else {
        if core.status == .failed, let failure = core.failure { throw failure }
        throw refuse(.operationNotSupported, "the writer has not been started")
      }
      try core.checkAppending(to: track)
      switch (sample.content, settings) {
      case (.stored, nil), (.picture, .video?), (.sound, .audio?): break
      case (.stored, _?): throw refuse(.invalidArgument, "an input that encodes takes decoded samples, not stored ones")
      case (_, nil): throw refuse(.invalidArgument, "an input without settings takes stored samples, not decoded ones")
      default: throw refuse(.invalidArgument, "the sample is not of the kind \(mediaType)")
      }
      guard sample.presentationTime.isNumeric || sample.stored != nil && sample.decodeTime.isNumeric else {
        throw refuse(.invalidArgument, "the sample has no presentation time")
      }
      if let end = core.sessionEnd, sample.presentationTime.isNumeric, sample.presentationTime >= end, settings != nil {
        throw refuse(.operationNotSupported, "the session ends at \(end); nothing can be appended behind it")
      }
      return (core, track, sink)
    }
  }
}

extension SampleBuffer {
  fileprivate var queued: QueuedSample? {
    stored.map {
      QueuedSample(
        packet: $0.packet, presentation: presentationTime, decoding: decodeTime, duration: duration,
        isHidden: isHidden, trim: (trimDurationAtStart, trimDurationAtEnd))
    }
  }
}
