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
    let state: Monitor<State>

    struct State {
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
  }
}
