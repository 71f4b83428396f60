import LibAV

/// Decodes the subtitles or captions of one track in the file's order.
actor TextSession {
  /// A decoded cue in stored time, before edits are applied.
  struct StoredCue: Sendable {
    var start: Rational
    /// nil: until the next cue.
    var end: Rational?
    var cue: TextCue
  }

  /// What one packet gave.
  struct Batch: Sendable {
    /// When the packet's text appears; what is on show without an end of its own ends then.
    var start: Rational
    var cues: [StoredCue] = []
    var damage = SampleDamage()
  }

  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let source: TrackSource
  private let coding: TextCoding
  private let timeBase: Rational
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var decoder: SubtitleDecoder?
  private var damage = SampleDamage()
  private var isDrained = false
  /// Times of the last packets, because stateful decoders count in microseconds and milliseconds.
  private var times: [Rational] = []

  /// A cue of more bytes than a novel's chapter is no subtitle.
  private static let maximumBytes = 1 << 20
  private static let maximumEvents = 1000

  init(source: TrackSource, coding: TextCoding, timeBase: Rational) {
    self.source = source
    self.coding = coding
    self.timeBase = timeBase
    executor = StrandExecutor(pool: source.isRemote ? .network : .decoding)
  }

  /// Goes to the first sample.
  func rewind() {
    demuxer = nil
    decoder = nil
    isDrained = false
    times = []
  }

  /// The head of an ASS file with the styles that cues name.
  func header() async throws -> String {
    try await interruptible { session in
      if session.decoder == nil { session.decoder = try session.openDecoder() }
      return TextCoding.string(session.decoder?.header ?? [])
    }
  }

  /// The next packet's text; nil at the end. Packets without text give no cues but end what is on show.
  func next() async throws -> Batch? {
    try await interruptible { session in try session.read() }
  }

  private func read() throws -> Batch? {
    if demuxer == nil { demuxer = try source.openDemuxer(interrupt: interrupt) }
    if decoder == nil { decoder = try openDecoder() }
    while let packet = try demuxer?.readPastDamage(subject: source.subject, &damage) {
      if interrupt.isRaised { throw CancellationError() }
      guard packet.streamIndex == source.streamIndex, let tick = packet.pts ?? packet.dts else { continue }
      guard packet.size <= Self.maximumBytes else {
        damage.note(
          MediaError(
            .limitExceeded, operation: "decode", subject: source.subject,
            reason: "a text sample has \(packet.size) bytes"))
        continue
      }
      let bytes = packet.bytes
      var batch = Batch(start: timeBase * Rational(tick))
      if coding.isStateful { times = times.suffix(4000) + [batch.start] }
      for payload in coding.payloads(bytes) {
        decode(payload, tick: tick, duration: packet.duration, into: &batch)
      }
      batch.damage = damage
      if coding.isStateful, batch.cues.isEmpty { continue }
      return batch
    }
    guard coding.isStateful, !isDrained else { return nil }
    isDrained = true
    var batch = Batch(start: .zero)
    decode([], tick: nil, duration: 0, into: &batch)
    return batch.cues.isEmpty ? nil : batch
  }

  private func openDecoder() throws -> SubtitleDecoder {
    let stream = demuxer?.stream(source.streamIndex)
    do throws(AVError) {
      return try SubtitleDecoder.open(
        codec: coding.codec, extradata: coding.extradata,
        timeBase: stream?.timeBase ?? (1, 1000))
    } catch { throw MediaError.libav(error, operation: "decode", subject: source.subject) }
  }

  private func decode(_ bytes: [UInt8], tick: Int64?, duration: Int64, into batch: inout Batch) {
    let result: SubtitleDecoder.Result
    do {
      guard let found = try decoder?.decode(bytes, pts: tick, duration: duration) else { return }
      result = found
    } catch {
      damage.note(MediaError.libav(error, operation: "decode", subject: source.subject))
      return
    }
    var start = batch.start
    var end = duration > 0 ? start + timeBase * Rational(duration) : nil
    if coding.isStateful, let microseconds = result.startMicroseconds {
      start = snapped(Rational(microseconds, 1_000_000) ?? .zero)
      end = nil
      batch.start = start
    }
    if end == nil, let length = result.endMilliseconds {
      end = snapped(start + (Rational(length, 1000) ?? .zero))
    }
    for event in result.events.prefix(Self.maximumEvents) {
      guard let cue = TextCue(event: coding.event(event), time: .invalid, duration: .invalid) else { continue }
      batch.cues.append(StoredCue(start: start, end: end, cue: cue))
    }
  }

  /// The packet's or tick's exact time that a decoder's rounded one stands for.
  private func snapped(_ time: Rational) -> Rational {
    let slack = Rational(2, 1000) ?? .zero
    let nearest = times.min { ($0 - time).magnitude < ($1 - time).magnitude }
    if let nearest, (nearest - time).magnitude <= slack { return nearest }
    guard let ticks = (time / timeBase).rounded() else { return time }
    let tick = timeBase * Rational(ticks)
    return (tick - time).magnitude <= slack ? tick : time
  }

  private func interruptible<R: Sendable>(_ work: (isolated TextSession) throws -> R) async throws -> R {
    try Task.checkCancellation()
    interrupt.reset()
    let interrupt = interrupt
    return try await withTaskCancellationHandler {
      try work(self)
    } onCancel: {
      interrupt.raise()
    }
  }
}
