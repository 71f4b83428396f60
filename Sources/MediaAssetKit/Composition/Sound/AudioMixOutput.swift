import LibAV

extension Reader {
  /// The sound of a composition's tracks mixed into one, as an asynchronous sequence of PCM.
  ///
  /// Each segment begins and ends on the sample nearest to its time, whatever was before; where no track has sound there
  /// is silence. Segments of other rates and layouts are resampled and mixed to the output's; a single channel is heard as
  /// loud as it is on both sides. Ends with the last track of sound. Single pass; decodes as asked for, one segment of
  /// each track at a time. Cancelling the task ends it within one block's work.
  public struct AudioMixOutput: AsyncSequence, Sendable {
    /// A stretch of sound; its time is the composition's.
    public typealias Element = AudioBuffer

    /// The composition.
    public let composition: Composition
    /// The part of its time that is read.
    public let timeRange: MediaTimeRange
    /// How the tracks are mixed; nil: added at their own volumes.
    public let audioMix: AudioMix?
    /// What becomes of the pitch where segments play at another speed than their own; the mix may say other for a track.
    public var audioTimePitchAlgorithm = AudioTimePitchAlgorithm.spectral
    /// The kind of PCM. What is nil is the most that any source has: samples a second, channels.
    public let settings: AudioOutputSettings
    let assets: CompositionAssets

    /// An output. Reads nothing by itself.
    ///
    /// - Parameters:
    ///   - composition: The composition.
    ///   - timeRange: The part of its time; nil: all.
    ///   - audioMix: How the tracks are mixed.
    ///   - settings: The kind of PCM.
    ///   - assetOptions: How the sources are opened.
    /// - Throws: ``MediaError`` with `invalidArgument` for segments that don't join, a range that is none, impossible settings.
    public init(
      composition: Composition, timeRange: MediaTimeRange? = nil, audioMix: AudioMix? = nil,
      settings: AudioOutputSettings = .init(), assetOptions: MediaAsset.Options = .init()
    ) throws {
      try self.init(
        composition, timeRange, audioMix, settings, assets: CompositionAssets(options: assetOptions))
    }

    init(
      _ composition: Composition, _ timeRange: MediaTimeRange?, _ audioMix: AudioMix?, _ settings: AudioOutputSettings,
      assets: CompositionAssets
    ) throws {
      try composition.validate()
      try settings.check(subject: "a composition")
      self.timeRange = try composition.readRange(timeRange)
      self.composition = composition
      self.audioMix = audioMix
      self.settings = settings
      self.assets = assets
    }

    /// Opens nothing before the first buffer is asked for.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      private static let blockLength = 4096

      private let output: AudioMixOutput
      private var mixer: SoundMixer?
      private var limiter: PeakLimiter?
      private var gain: Float = 1
      /// The next sample that is mixed, the next one that is given, the one behind the last.
      private var position: Int64 = 0
      private var given: Int64 = 0
      private var end: Int64 = 0

      init(_ output: AudioMixOutput) { self.output = output }

      /// The next stretch; nil at the end.
      ///
      /// - Throws: ``MediaError``: what opening and decoding the sources throws.
      public mutating func next() async throws -> AudioBuffer? {
        try Task.checkCancellation()
        if mixer == nil { try await begin() }
        while let mixer, position < end {
          let count = Int(Swift.min(Int64(Self.blockLength), end - position))
          var samples = try await mixer.mix(from: position, count: count)
          position += Int64(count)
          if gain != 1 {
            for channel in samples.indices { for index in samples[channel].indices { samples[channel][index] *= gain } }
          }
          if let limited = limiter?.limit(samples, isLast: position >= end) { samples = limited }
          guard let made = samples.first?.count, made > 0 else { continue }
          defer { given += Int64(made) }
          return try output.buffer(samples, at: given, mixer.format)
        }
        return nil
      }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> AudioBuffer? {
        try await next()
      }

      private mutating func begin() async throws {
        let format = try await output.composition.mixFormat(output.settings, output.assets)
        if let target = output.audioMix?.targetLoudness, target.isFinite,
          let measured = try await output.integratedLoudness()
        {
          gain = LoudnessMeter.gain(from: measured, to: target)
        }
        mixer = SoundMixer(
          output.composition, output.audioMix, format: format, pitch: output.audioTimePitchAlgorithm,
          assets: output.assets)
        if output.audioMix?.limitsPeaks == true {
          limiter = PeakLimiter(channels: format.channels, sampleRate: format.sampleRate)
        }
        let last = output.composition.shownTracks(.audio).map(\.timeRange.end).max() ?? .zero
        position = format.sample(at: output.timeRange.start)
        given = position
        end = format.sample(at: Swift.min(last, output.timeRange.end))
      }
    }

    fileprivate func buffer(_ samples: [[Float]], at first: Int64, _ format: MixFormat) throws -> AudioBuffer {
      let count = samples.first?.count ?? 0
      let time = MediaTime(value: first, timescale: Int32(clamping: format.sampleRate))
      return try AudioBuffer(
        time: time, sampleCount: count, sampleRate: format.sampleRate, channels: format.channels,
        layout: format.layout, format: settings.format, isPlanar: settings.isPlanar
      ) { plane, bytes in
        bytes.withUnsafeMutableBytes { target in
          guard settings.isPlanar else {
            for (offset, samples) in samples.enumerated() {
              settings.format.store(samples, in: target, from: offset, step: format.channels)
            }
            return
          }
          settings.format.store(samples[plane], in: target, from: 0, step: 1)
        }
      }
    }
  }
}

extension AudioSampleFormat {
  /// Stores samples, each `step` places behind the one before; integers saturate.
  func store(_ samples: [Float], in target: UnsafeMutableRawBufferPointer, from first: Int, step: Int) {
    func store<Sample>(_ made: (Float) -> Sample) {
      target.withMemoryRebound(to: Sample.self) { target in
        guard let last = samples.indices.last else { return }
        precondition(first + last * step < target.count, "the samples don't fit into the buffer")
        for index in samples.indices { target[first + index * step] = made(samples[index]) }
      }
    }
    switch self {
    case .float32 where step == 1 && first == 0: samples.withUnsafeBytes { target.copyMemory(from: $0) }
    case .float32: store { $0 }
    case .int16: store { Int16(clamping: Int((min(2, max(-2, $0)) * 32_768).rounded())) }
    case .int32: store { Int32(clamping: Int64((Double(min(2, max(-2, $0))) * 2_147_483_648).rounded())) }
    }
  }
}

extension Composition {
  /// What sound is mixed in, where the settings leave it open: the most that a source has.
  func mixFormat(_ settings: AudioOutputSettings, _ assets: CompositionAssets) async throws -> MixFormat {
    var most = MixFormat(sampleRate: 0, channels: 0)
    if settings.sampleRate == nil || settings.channels == nil && settings.layout == nil {
      var seen: Set<Segment.Source> = []
      for source in shownTracks(.audio).flatMap(\.sources) where seen.insert(source).inserted {
        try Task.checkCancellation()
        guard let format = try await assets.track(source, .audio).load(.formatDescriptions).first?.audio else {
          continue
        }
        most.sampleRate = max(most.sampleRate, format.sampleRate)
        if format.channels > most.channels { (most.channels, most.layout) = (format.channels, format.layout) }
      }
    }
    var format = MixFormat(
      sampleRate: settings.sampleRate ?? (most.sampleRate > 0 ? most.sampleRate : 48_000), channels: most.channels,
      layout: most.layout)
    if let layout = settings.layout {
      (format.layout, format.channels) = (layout, Resampler.channelCount(ofLayout: layout) ?? 2)
    } else if let channels = settings.channels {
      format.layout = channels == format.channels ? format.layout : nil
      format.channels = channels
    }
    if format.channels == 0 { format.channels = 2 }
    return format
  }

  /// The part of the composition's time that is read.
  func readRange(_ asked: MediaTimeRange?) throws -> MediaTimeRange {
    guard let asked else { return MediaTimeRange(start: .zero, duration: duration) }
    guard asked.start.isNumeric, asked.duration.isNumeric || asked.duration.isPositiveInfinity,
      asked.duration >= .zero
    else {
      throw MediaError(
        .invalidArgument, operation: "read", subject: "a composition", reason: "\(asked) is no range of time")
    }
    let start = max(.zero, asked.start)
    return MediaTimeRange(start: start, end: max(start, min(asked.end, duration)))
  }
}
