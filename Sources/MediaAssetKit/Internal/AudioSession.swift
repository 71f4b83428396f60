import LibAV

/// A stretch of decoded sound and its stored time in seconds, before any edit is applied.
struct DecodedSound: Sendable {
  var buffer: AudioBuffer
  var time: Rational
  var end: Rational { time + (Rational(Int64(buffer.sampleCount), Int64(buffer.sampleRate)) ?? .zero) }
}

/// Decodes the sound of one track in order, converted to what was asked for.
///
/// Owns a demuxer, a decoder and a resampler, which is made anew whenever the sound's kind changes in mid-stream.
actor AudioSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let opener: TrackOpener
  private let timeBase: Rational
  private let settings: AudioOutputSettings
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var decoder: Decoder?
  private var resampler: Resampler?
  private var isDrained = false
  private var isFinished = false
  /// Stored time of the next output sample, counted by samples so that rounded time stamps add up to nothing.
  private var nextTime: Rational?
  private(set) var damagedPackets = 0

  init(opener: TrackOpener, timeBase: Rational, settings: AudioOutputSettings) {
    self.timeBase = timeBase
    self.opener = opener
    self.settings = settings
    executor = StrandExecutor(pool: opener.isRemote ? .network : .decoding)
  }

  /// Goes to a stored time: a little before it, so that what the codec carries over is there.
  func seek(to time: Rational) async throws {
    try await interruptible { session in
      if session.demuxer == nil { try session.open() }
      let preRoll = Rational(1, 2) ?? .zero
      let goal = time - preRoll
      let start = session.timeBase * Rational(session.opener.startTime)
      guard goal > start else { return try session.restart() }
      try session.move(to: Rational.floor(goal, in: session.timeBase))
    }
  }

  /// The next stretch of sound; nil at the end.
  func next() async throws -> DecodedSound? {
    try await interruptible { session in try session.advance() }
  }

  private func interruptible<R: Sendable>(_ work: (isolated AudioSession) throws -> R) async throws -> R {
    try Task.checkCancellation()
    interrupt.reset()
    let interrupt = interrupt
    return try await withTaskCancellationHandler {
      try work(self)
    } onCancel: {
      interrupt.raise()
    }
  }

  // MARK: - Decoding

  private func open() throws {
    demuxer = try opener.openDemuxer(interrupt: interrupt)
    do {
      decoder = try demuxer?.openDecoder(stream: opener.streamIndex, options: Decoder.Options(threads: 1))
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  /// A seek is a hint; where the container refuses it, decoding begins at the start.
  private func move(to tick: Int64) throws {
    do { try demuxer?.seek(stream: opener.streamIndex, to: tick) } catch {
      if error.isInterruption { throw CancellationError() }
      return try restart()
    }
    forget()
  }

  private func restart() throws {
    demuxer = nil
    decoder = nil
    forget()
    try open()
  }

  private func forget() {
    decoder?.flush()
    resampler = nil
    isDrained = false
    isFinished = false
    nextTime = nil
  }

  private func advance() throws -> DecodedSound? {
    if demuxer == nil { try open() }
    while !isFinished {
      if interrupt.isRaised { throw CancellationError() }
      switch try receive() {
      case .frame(let frame):
        if let sound = try convert(frame) { return sound }
      case .needsInput: try feed()
      case .finished:
        isFinished = true
        return try drainResampler()
      }
    }
    return nil
  }

  private func receive() throws -> Decoder.Outcome {
    do { return try decoder?.receive() ?? .finished } catch  where error.isInvalidData && !isDrained {
      damagedPackets += 1
      return .needsInput
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  private func feed() throws {
    var packet = try demuxer?.readUntilDamage(subject: opener.subject)
    while let other = packet, other.streamIndex != opener.streamIndex {
      if interrupt.isRaised { throw CancellationError() }
      packet = try demuxer?.readUntilDamage(subject: opener.subject)
    }
    if packet == nil { isDrained = true }
    do { _ = try decoder?.send(packet) } catch  where error.isInvalidData {
      damagedPackets += 1
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  // MARK: - Converting

  private func convert(_ frame: Frame) throws -> DecodedSound? {
    guard frame.sampleCount > 0, frame.sampleRate > 0, frame.channelCount > 0 else { return nil }
    let stamp = (frame.pts ?? frame.bestEffortTime).map { timeBase * Rational($0) }
    let key = key(for: frame)
    if key.format == key.outputFormat, key.rate == key.outputRate, key.channels == key.outputChannels,
      key.layout == key.outputLayout
    {
      resampler = nil
      let time = time(stamp, rate: key.rate)
      return publish(AudioBuffer.Storage(frame), count: frame.sampleCount, time: time, key: key)
    }
    do {
      if resampler?.key != key { resampler = try Resampler.make(key) }
      let capacity = resampler?.capacity(for: frame.sampleCount) ?? 0
      let storage = storage(capacity: capacity, key: key)
      let count = try resampler?.convert(frame, into: storage.planes, capacity: capacity) ?? 0
      let time = time(stamp, rate: key.outputRate, isResampled: key.rate != key.outputRate)
      return count == 0 ? nil : publish(storage, count: count, time: time, key: key)
    } catch {
      throw MediaError.libav(error, operation: "resample", subject: opener.subject)
    }
  }

  private func drainResampler() throws -> DecodedSound? {
    guard let key = resampler?.key, let time = nextTime, key.rate != key.outputRate else { return nil }
    do {
      let capacity = max(1, resampler?.capacity(for: 0) ?? 0)
      let storage = storage(capacity: capacity, key: key)
      let count = try resampler?.convert(nil, into: storage.planes, capacity: capacity) ?? 0
      return count == 0 ? nil : publish(storage, count: count, time: time, key: key)
    } catch {
      throw MediaError.libav(error, operation: "resample", subject: opener.subject)
    }
  }

  private func key(for frame: Frame) -> Resampler.Key {
    let layout =
      settings.layout
      ?? (settings.channels == nil || settings.channels == frame.channelCount ? frame.channelLayout : nil)
    let channels =
      settings.layout.flatMap { Resampler.channelCount(ofLayout: $0) } ?? settings.channels ?? frame.channelCount
    return Resampler.Key(
      format: frame.sampleFormat, rate: frame.sampleRate, channels: frame.channelCount, layout: frame.channelLayout,
      outputFormat: settings.format.identifier(isPlanar: settings.isPlanar),
      outputRate: settings.sampleRate ?? frame.sampleRate,
      outputChannels: channels, outputLayout: layout)
  }

  private func storage(capacity: Int, key: Resampler.Key) -> AudioBuffer.Storage {
    let perSample = settings.format.bytesPerSample
    return settings.isPlanar
      ? AudioBuffer.Storage(planeCount: key.outputChannels, bytesPerPlane: capacity * perSample)
      : AudioBuffer.Storage(planeCount: 1, bytesPerPlane: capacity * perSample * key.outputChannels)
  }

  /// The stored time of the samples at hand: counted on from the last ones, unless the stream jumps by more than 5 ms.
  private func time(_ stamp: Rational?, rate: Int, isResampled: Bool = false) -> Rational {
    guard let counted = nextTime else { return stamp ?? .zero }
    // What a filter holds back makes its output late against the stamp; only the count is right then.
    guard !isResampled, let stamp, (stamp - counted).magnitude > (Rational(1, 200) ?? .zero) else { return counted }
    return stamp
  }

  private func publish(_ storage: AudioBuffer.Storage, count: Int, time: Rational, key: Resampler.Key) -> DecodedSound {
    nextTime = time + (Rational(Int64(count), Int64(key.outputRate)) ?? .zero)
    let buffer = AudioBuffer(
      storage: storage, offset: 0, sampleCount: count, time: MediaTime(time), sampleRate: key.outputRate,
      channels: key.outputChannels, layout: key.outputLayout, format: settings.format, isPlanar: settings.isPlanar)
    return DecodedSound(buffer: buffer, time: time)
  }
}

extension Rational {
  var magnitude: Rational { self < .zero ? .zero - self : self }
}
