import ISOMedia
import LibAV

extension Writer {
  /// One track of the file that is written: takes its samples in order.
  ///
  /// For one task at a time; different inputs may be fed from different tasks, or in turn from one.
  public final class Input: Sendable {
    /// How samples are encoded.
    public enum Settings: Sendable, Hashable {
      /// Pictures.
      case video(VideoSettings)
      /// Sound.
      case audio(AudioSettings)
    }

    /// What the track is besides its samples. Set before writing starts.
    public struct Properties: Sendable {
      /// The turn that shows the pictures upright.
      public var transform = PictureTransform.identity
      /// ISO 639-2/T (`deu`).
      public var languageCode: String?
      /// BCP 47 (`en-GB`), in QuickTime and MPEG-4 files.
      public var extendedLanguageTag: String?
      /// 0 to 1; nil: 1 for sound, 0 for others.
      public var preferredVolume: Float?
      /// Whether the track takes part in normal play; true by default.
      public var marksOutputTrackAsEnabled = true
      /// Ticks a second of the track's times; 0: the source's, or so that they are exact. Not for sound, which counts samples.
      public var mediaTimeScale: Int32 = 0
      /// Samples come from a camera or the like: nothing waits, ``Input/appendImmediately(_:)`` drops what is too much.
      public var expectsMediaDataInRealTime = false
      /// How many samples will come, as a hint for ``Writer/Options/shouldOptimizeForNetworkUse``.
      public var expectedSampleCount: Int?
      /// Tags by FFmpeg's names, until there are typed ones.
      var metadata: [String: String] = [:]
      var presentedEnd: MediaTime?
      var disposition: StreamInfo.Disposition = []

      /// The default properties.
      public init() {}
    }

    /// The kind of media.
    public let mediaType: MediaType
    /// How samples are encoded; nil: passed on as they are.
    public let settings: Settings?
    /// What stored samples are, where ``settings`` is nil.
    public let sourceFormatHint: FormatDescription?

    private let parameters: CodecParameters?
    private let state: Monitor<State>

    private struct State {
      var properties: Properties
      var core: WriterCore?
      var track = 0
      var sink: Sink?
      var isFinished = false
      var associations: [(kind: String, input: Input)] = []
      var hasAdaptor = false
    }

    /// Where samples go once writing has begun.
    private enum Sink {
      case stored
      case encoded(BoundedChannel<SampleBuffer>)
    }

    private init(
      mediaType: MediaType, settings: Settings?, hint: FormatDescription?, parameters: CodecParameters?,
      properties: Properties
    ) {
      self.mediaType = mediaType
      self.settings = settings
      sourceFormatHint = hint
      self.parameters = parameters
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
      return Input(
        mediaType: container.mediaType, settings: nil, hint: description, parameters: parameters, properties: properties
      )
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

    /// Ties the track to another one, in QuickTime and MPEG-4 files: `kind` is the four characters of the reference
    /// (`chap`, `cdsc`, `folw`, `fall`, `tmcd`, `forc`).
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for other kinds.
    public func addTrackAssociation(with input: Input, kind: String) throws {
      guard kind.utf8.count == 4 else {
        throw MediaError(
          .invalidArgument, operation: "write", subject: "an input", reason: "\(kind) is no kind of association")
      }
      state.withLock { $0.associations.append((kind, input)) }
    }

    // MARK: Checks

    func reasonAgainst(_ container: WritableContainer, subject: String, needsHint: Bool = true) -> MediaError? {
      func refuse(_ code: MediaError.Code, _ reason: String, _ remedy: String = "") -> MediaError {
        MediaError(code, operation: "write", subject: subject, reason: reason, remedy: remedy)
      }
      let properties = properties
      if let code = properties.languageCode, code.utf8.count != 3 || !code.utf8.allSatisfy({ (97...122).contains($0) })
      {
        return refuse(.invalidArgument, "\(code) is no language code of ISO 639-2/T")
      }
      if let tag = properties.extendedLanguageTag,
        tag.isEmpty || !tag.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) || (65...90).contains($0 & 0xDF) })
      {
        return refuse(.invalidArgument, "\(tag) is no language tag of BCP 47")
      }
      if properties.mediaTimeScale < 0 { return refuse(.invalidArgument, "a media time scale can't be negative") }
      if mediaType == .audio, properties.mediaTimeScale > 0 {
        return refuse(.invalidArgument, "sound counts samples; its media time scale can't be set")
      }
      switch settings {
      case .video(let video)?:
        if mediaType != .video {
          return refuse(.invalidArgument, "settings for pictures don't suit media of the kind \(mediaType)")
        }
        guard Formats.isCodec(video.codec) else {
          return refuse(.invalidArgument, "there is no codec named \(video.codec)")
        }
        guard EncoderChoice.encoder(codec: video.codec, named: video.encoder) != nil else {
          return refuse(
            .encoderNotFound, "this FFmpeg has no encoder for \(video.encoder ?? video.codec)",
            "Install an FFmpeg that has one")
        }
        if let encoder = video.encoder, Formats.codec(ofEncoder: encoder) != video.codec {
          return refuse(.invalidArgument, "\(encoder) does not encode \(video.codec)")
        }
        if let size = video.size, !(1...16_384).contains(size.width) || !(1...16_384).contains(size.height) {
          return refuse(.invalidArgument, "a size of \(size) is out of range")
        }
        if video.averageBitRate != nil, video.quality != nil || video.constantRateFactor != nil {
          return refuse(.invalidArgument, "a bit rate and a quality exclude each other")
        }
        if video.quality != nil, video.constantRateFactor != nil {
          return refuse(.invalidArgument, "a quality and a rate factor exclude each other")
        }
        if let rate = video.averageBitRate, rate <= 0 {
          return refuse(.invalidArgument, "a bit rate has to be above 0")
        }
        if let interval = video.maximumKeyFrameInterval, interval < 1 {
          return refuse(.invalidArgument, "an interval between sync samples has to be at least 1")
        }
        if video.cleanAperture != nil, !container.isMovie {
          return refuse(.operationNotSupported, "\(container.type) has no clean aperture")
        }
      case .audio(let audio)?:
        if mediaType != .audio {
          return refuse(.invalidArgument, "settings for sound don't suit media of the kind \(mediaType)")
        }
        guard Formats.isCodec(audio.codec) else {
          return refuse(.invalidArgument, "there is no codec named \(audio.codec)")
        }
        guard EncoderChoice.encoder(codec: audio.codec, named: audio.encoder) != nil else {
          return refuse(
            .encoderNotFound, "this FFmpeg has no encoder for \(audio.encoder ?? audio.codec)",
            "Install an FFmpeg that has one")
        }
        if let encoder = audio.encoder, Formats.codec(ofEncoder: encoder) != audio.codec {
          return refuse(.invalidArgument, "\(encoder) does not encode \(audio.codec)")
        }
        if let rate = audio.sampleRate, !(1...768_000).contains(rate) {
          return refuse(.invalidArgument, "\(rate) samples a second are out of range")
        }
        if let channels = audio.channels, !(1...64).contains(channels) {
          return refuse(.invalidArgument, "\(channels) channels are out of range")
        }
        if audio.bitRate != nil, audio.quality != nil {
          return refuse(.invalidArgument, "a bit rate and a quality exclude each other")
        }
        if let depth = audio.bitDepth, ![16, 24, 32].contains(depth) {
          return refuse(.invalidArgument, "\(depth) bits of a sample are out of range")
        }
      case nil:
        if needsHint, sourceFormatHint == nil {
          return refuse(
            .invalidArgument, "stored samples need to be described",
            "Give a source format hint, or make the input with passthrough(of:)")
        }
        if let hint = sourceFormatHint {
          if hint.mediaType != mediaType {
            return refuse(.invalidArgument, "the source format hint is of the kind \(hint.mediaType), not \(mediaType)")
          }
          if let size = hint.video?.encodedSize, size.width <= 0 || size.height <= 0 {
            return refuse(.invalidArgument, "the source format hint has no size")
          }
        }
      }
      if let reason = container.reasonAgainst(codec: codec, mediaType: mediaType) {
        return refuse(.operationNotSupported, reason, "Use another type of file or another codec")
      }
      return nil
    }

    private var codec: String? {
      switch settings {
      case .video(let settings)?: settings.codec
      case .audio(let settings)?: settings.codec
      case nil: parameters?.codecName ?? sourceFormatHint?.codec
      }
    }

    // MARK: Beginning

    func makeTrack(_ core: WriterCore, track: Int, group: Int?, groups: [InputGroup]) throws -> WriterCore.Track {
      let (properties, associations) = state.withLock { ($0.properties, $0.associations) }
      var plan = StreamPlan()
      plan.timescale = properties.mediaTimeScale > 0 ? properties.mediaTimeScale : nil
      plan.isSparse = ![.video, .audio].contains(mediaType)
      plan.isEncoded = settings != nil
      plan.metadata = properties.metadata
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
      plan.expectedSampleCount = properties.expectedSampleCount
      if case .video(let video)? = settings, let part = video.cleanAperture, let size = video.size {
        plan.cleanAperture = part.cleanApertureNumbers(in: size)
      }
      return WriterCore.Track(
        mediaType: mediaType, parameters: settings == nil ? try storedParameters(core.subject) : nil, plan: plan)
    }

    private func storedParameters(_ subject: String) throws -> CodecParameters {
      if let parameters { return parameters }
      guard let hint = sourceFormatHint, let codec = hint.codec else {
        throw MediaError(
          .invalidArgument, operation: "write", subject: subject, reason: "the source format hint names no codec")
      }
      var facts = CodecParameters.Facts(codec: codec)
      facts.extradata = hint.parameterSets
      if let video = hint.video {
        (facts.width, facts.height) = (video.encodedSize.width, video.encodedSize.height)
        facts.pixelFormat = video.pixelFormat.map { .named($0) }
        facts.sampleAspectRatio = (
          Int32(clamping: video.sampleAspectRatio.horizontal), Int32(clamping: video.sampleAspectRatio.vertical)
        )
        facts.colour = ColourDescription(
          primaries: video.colour.primaries, transfer: video.colour.transfer, matrix: video.colour.matrix,
          isFullRange: video.colour.range.map { $0 == .full })
      }
      if let audio = hint.audio {
        (facts.sampleRate, facts.channels, facts.layout) = (audio.sampleRate, audio.channels, audio.layout)
        facts.bitDepth = audio.bitDepth ?? 0
      }
      let scale =
        properties.mediaTimeScale > 0 ? properties.mediaTimeScale : Int32(clamping: max(90_000, facts.sampleRate))
      do { return try CodecParameters.make(facts, timeBase: (1, scale)) } catch {
        throw MediaError.libav(error, operation: "write", subject: subject)
      }
    }

    func begin(_ core: WriterCore, track: Int) {
      let sink: Sink
      switch settings {
      case .video(let settings)?: sink = .encoded(pump(core, track, settings))
      case .audio(let settings)?: sink = .encoded(pump(core, track, settings))
      case nil: sink = .stored
      }
      let isFinished = state.withLock { state in
        state.sink = sink
        return state.isFinished
      }
      if isFinished { end(sink, core, track) }
    }

    private func pump(_ core: WriterCore, _ track: Int, _ settings: VideoSettings) -> BoundedChannel<SampleBuffer> {
      let scale = properties.mediaTimeScale
      let session = VideoEncodingSession(
        settings: settings, container: core.container, timescale: scale > 0 ? scale : nil,
        subject: "track \(track + 1) of \(core.subject)", interrupt: core.interrupt)
      core.setPreparation(track) { try await session.prepare() }
      return run(core, track) { sample in
        guard let picture = sample.pixelBuffer, let time = Self.shown(sample, core) else { return [] }
        let output = try await session.encode(
          PictureInput(frame: picture.frame, time: time, duration: sample.duration))
        if let parameters = output.parameters { core.setParameters(parameters, track: track) }
        return output.samples
      } last: {
        let output = try await session.finish(end: core.sessionEnd)
        if let parameters = output.parameters { core.setParameters(parameters, track: track) }
        return output.samples
      }
    }

    /// When a picture is shown first; nil for one that is over before the session, where no edit list can hide it.
    private static func shown(_ sample: SampleBuffer, _ core: WriterCore) -> MediaTime? {
      let time = sample.presentationTime
      guard !core.container.isMovie, let start = core.sessionStart, time < start else { return time }
      return sample.duration.isNumeric && time + sample.duration > start ? start : nil
    }

    private func pump(_ core: WriterCore, _ track: Int, _ settings: AudioSettings) -> BoundedChannel<SampleBuffer> {
      let session = SoundEncodingSession(
        settings: settings, container: core.container, subject: "track \(track + 1) of \(core.subject)",
        interrupt: core.interrupt)
      core.setPreparation(track) { try await session.prepare() }
      return run(core, track) { sample in
        guard let sound = sample.audioBuffer else { return [] }
        let output = try await session.encode(
          sound.retimed(sample.presentationTime), start: core.sessionStart ?? .zero, end: core.sessionEnd)
        if let parameters = output.parameters { core.setParameters(parameters, track: track) }
        return output.samples
      } last: {
        let output = try await session.finish()
        if let end = output.end { core.setPresentedEnd(end, track: track) }
        return output.samples
      }
    }

    /// Encodes what comes out of a channel, beside the task that appends.
    private func run(
      _ core: WriterCore, _ track: Int, each: @escaping @Sendable (SampleBuffer) async throws -> [QueuedSample],
      last: @escaping @Sendable () async throws -> [QueuedSample]
    ) -> BoundedChannel<SampleBuffer> {
      let channel = BoundedChannel<SampleBuffer>(capacity: 4)
      let task = Task {
        do {
          while let sample = try await channel.next() {
            for made in try await each(sample) { try await core.enqueue(made, track: track) }
          }
          for made in try await last() { try await core.enqueue(made, track: track) }
          core.finishTrack(track)
        } catch {
          core.fail(error)
          channel.fail(core.failure ?? error)
        }
      }
      core.addPump(task) { channel.fail($0) }
      return channel
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
        guard let queued = sample.queued else { return }
        try await core.enqueue(queued, track: track)
      case .encoded(let channel): try await channel.send(sample)
      }
    }

    /// Appends a sample if there is room for it at once; false, and counted in ``droppedSampleCount``, if there is none.
    public func appendImmediately(_ sample: SampleBuffer) throws -> Bool {
      let (core, track, sink) = try ready(for: sample)
      switch sink {
      case .stored: return try sample.queued.map { try core.enqueueImmediately($0, track: track) } ?? false
      case .encoded(let channel):
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

    /// No more samples come; the other inputs no longer wait for this one. May be called more than once.
    public func finish() {
      let (core, track, sink) = state.withLock { state in
        defer { state.isFinished = true }
        return state.isFinished ? (nil, 0, nil) : (state.core, state.track, state.sink)
      }
      if let core, let sink { end(sink, core, track) }
    }

    private func end(_ sink: Sink, _ core: WriterCore, _ track: Int) {
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
      QueuedSample(packet: $0.packet, presentation: presentationTime, decoding: decodeTime, duration: duration)
    }
  }
}

extension PictureTransform {
  /// Nine numbers as QuickTime stores them: 16.16, the third column 2.30.
  var displayMatrix: [Int32] {
    func fixed(_ value: Double) -> Int32 { Int32(clamping: Int(rounding: value * 65_536) ?? 0) }
    return [fixed(a), fixed(b), 0, fixed(c), fixed(d), 0, fixed(tx), fixed(ty), 1 << 30]
  }
}

extension PixelRect {
  /// The eight numbers of `clap`: the offset is that of the centres.
  func cleanApertureNumbers(in size: PixelSize) -> [UInt32] {
    let x = Int32(clamping: 2 * x + width - size.width)
    let y = Int32(clamping: 2 * y + height - size.height)
    return [
      UInt32(clamping: width), 1, UInt32(clamping: height), 1, UInt32(bitPattern: x), 2, UInt32(bitPattern: y), 2,
    ]
  }
}
