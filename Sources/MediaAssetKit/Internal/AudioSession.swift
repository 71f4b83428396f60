import LibAV

/// Decodes the sound of one track in order, cut to a window of stored time to the sample.
///
/// Owns a demuxer and a decoder. Sound before the window is decoded where the codec leans on it, and not given.
actor AudioSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let opener: TrackOpener
  private let timeBase: Rational
  private let tickSeconds: Double
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var decoder: Decoder?
  private var converter: SoundConverter
  private var window = SoundWindow(lower: .zero)
  private var clock: SoundClock?
  /// Whether every packet was read, and whether the decoder was told so.
  private var isAtEnd = false
  private var isDrained = false
  private var isFinished = false
  /// Packets before this tick are passed over without decoding.
  private var firstTick: Int64?
  private var isAtStart = true
  private var codec: String?
  private var sampleRate = 0
  /// Samples before those that are meant, as the container states them.
  private var initialPadding = 0
  private var mayBeJunk = false
  /// Read into again and again: nobody else sees it.
  private var packet: Packet?
  /// Whether the packet waits for the decoder to take it.
  private var isHeld = false
  /// Whether the decoder has nothing to give before it gets a packet.
  private var wantsInput = false
  /// As the packet, where frames are measured and not given away.
  private var scratch: Frame?
  private var damage = SampleDamage()
  /// Since the last frame.
  private var failuresInRow = 0
  private var decodedFrames = 0
  /// Frames since the last seek.
  private var framesSinceSeek = 0
  /// Where the track's first stored sample lies, as far as it was looked for.
  private var firstSample: Rational?
  /// Where the whole track's presentation begins.
  private let origin: Rational
  private var firstFailure: AVError?

  init(
    opener: TrackOpener, timeBase: Rational, origin: Rational, settings: AudioOutputSettings
  ) {
    self.timeBase = timeBase
    self.origin = origin
    self.opener = opener
    tickSeconds = timeBase.doubleValue
    converter = SoundConverter(settings: settings, subject: opener.subject)
    executor = StrandExecutor(pool: opener.isRemote ? .network : .decoding)
  }

  /// Goes to the beginning of a window: a little before it, so that what the codec carries over is there.
  func begin(_ window: SoundWindow) async throws {
    try await interruptible { session in
      session.window = window
      if session.demuxer == nil { try session.open() }
      // 80 ms for Opus (RFC 7845, 4.6), ten frames of bit reservoir for MP3; the rest is for coarse indexes.
      let preRoll = Rational(1, 2) ?? .zero
      let goal = window.lower - preRoll
      let start = session.timeBase * Rational(session.opener.startTime)
      guard goal > max(start, .zero) else { return try session.restart() }
      try session.move(to: Rational.floor(goal, in: session.timeBase))
    }
  }

  /// The next stretches of sound, about a quarter of a second; none at the end of the window.
  func next() async throws -> SoundBatch {
    try await interruptible { session in
      var batch = SoundBatch()
      var seconds = 0.0
      while seconds < 0.25 {
        guard let piece = try session.nextPiece() else {
          batch.sounds += try session.converter.finish()
          break
        }
        seconds += Double(piece.range.count) / Double(piece.frame.sampleRate)
        batch.sounds += try session.converter.convert(piece.frame, piece.range, time: piece.time)
      }
      batch.damage = session.damage
      return batch
    }
  }

  /// Hands decoded frames to a meter where they lie, `limit` at most; false at the end of the window.
  func measure(with meter: PeakMeter, limit: Int) async throws -> Bool {
    try await interruptible { session in
      for _ in 0..<limit {
        guard let piece = try session.nextPiece(isGivenAway: false) else { return false }
        try meter.add(piece.frame, piece.range)
      }
      return true
    }
  }

  private func interruptible<R: Sendable>(_ work: (isolated AudioSession) throws -> R) async throws
    -> R
  {
    try Task.checkCancellation()
    interrupt.reset()
    let interrupt = interrupt
    return try await withTaskCancellationHandler {
      try work(self)
    } onCancel: {
      interrupt.raise()
    }
  }

  // MARK: - Places

  private func open() throws {
    demuxer = try opener.openDemuxer(interrupt: interrupt)
    let stream = demuxer?.stream(opener.streamIndex)
    codec = stream?.codecName
    sampleRate = stream?.sampleRate ?? 0
    // In other containers edit lists and packets say it, and of the latter the decoder knows.
    let isStated = codec == "opus" || demuxer?.formatName.contains("matroska") == true
    initialPadding = isStated ? stream?.initialPadding ?? 0 : 0
    mayBeJunk = codec == "mp3" || codec == "mp2"
    do {
      decoder = try demuxer?.openDecoder(
        stream: opener.streamIndex, options: Decoder.Options(threads: 1))
    } catch {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
  }

  /// A seek is a hint; where the container refuses it, decoding begins at the start.
  private func move(to tick: Int64) throws {
    // libav's places in MP3 files come from a table of hundredths: only counting frames is exact.
    if demuxer?.formatName == "mp3" {
      try restart()
      firstTick = tick
      isAtStart = false
      return
    }
    if isCoarse(rate: sampleRate) {
      // The place is found by counting frames, and Vorbis has frames of two lengths.
      guard codec != "vorbis" else { return try countVorbis(to: timeBase * Rational(tick)) }
      if firstSample == nil { try findFirstSample() }
    }
    do { try demuxer?.seek(stream: opener.streamIndex, to: tick) } catch {
      if error.isInterruption { throw CancellationError() }
      return try restart()
    }
    forget()
    isAtStart = false
  }

  /// Whether one tick is longer than a sample.
  private func isCoarse(rate: Int) -> Bool { tickSeconds * Double(rate) > 1 }

  /// Where the first packet's sound lies, its padding included, as decoding from the start would find it.
  private func findFirstSample() throws {
    try restart()
    guard try readPacket(), let packet, let time = packet.pts ?? packet.dts else { return }
    let padding = statedPadding(packet.skippedSamples?.start ?? 0)
    firstSample = snapped(timeBase * Rational(time) + padding, to: origin) - padding
  }

  private func statedPadding(_ skipped: Int) -> Rational {
    Rational(Int64(max(skipped, initialPadding)), Int64(max(1, sampleRate))) ?? .zero
  }

  /// Passes over packets from the start on without decoding them; the clock counts what each one holds, and goes by the
  /// stamps as decoding would.
  private func countVorbis(to goal: Rational) throws {
    try restart()
    guard let extradata = demuxer?.stream(opener.streamIndex).extradata,
      var counter = VorbisCounter.make(extradata: extradata)
    else { return }
    var isFirst = true
    while try readPacket(), let packet {
      if isFirst, packet.skippedSamples != nil { break }
      let count = counter.samples(of: packet)
      if !isFirst {
        let stamp = packet.pts ?? packet.dts
        if clock == nil {
          clock = SoundClock(anchor: anchor(stamp, count, rate: sampleRate), rate: sampleRate, window: window)
        } else if let stamp, isLate(stamp, slack: 0.02) {
          clock = SoundClock(anchor: timeBase * Rational(stamp), rate: sampleRate, window: window)
        }
        _ = clock?.take(count)
      }
      isFirst = false
      // What the decoder is given first gives nothing but the first half of the next one's overlap.
      if let clock, clock.time >= goal {
        isHeld = true
        isAtStart = false
        return
      }
    }
    try restart()
  }

  private func isLate(_ stamp: Int64, slack: Double) -> Bool {
    (clock?.lateness(of: Double(stamp) * tickSeconds) ?? 0) > slack + tickSeconds
  }

  private func restart() throws {
    demuxer = nil
    decoder = nil
    forget()
    try open()
  }

  private func forget() {
    decoder?.flush()
    converter.reset()
    isHeld = false
    wantsInput = false
    isAtEnd = false
    isDrained = false
    isFinished = false
    clock = nil
    firstTick = nil
    isAtStart = true
    framesSinceSeek = 0
    failuresInRow = 0
  }

  // MARK: - Decoding

  /// The presented part of a decoded frame.
  private struct Piece {
    var frame: Frame
    var range: Range<Int>
    var clock: SoundClock
    var first: Int64
    /// Stored time of the first presented sample; exact fractions are slow, so only where it is needed.
    var time: Rational { clock.time(of: first) }
  }

  /// The next frame with samples inside the window; one that is not given away is used again for the next.
  private func nextPiece(isGivenAway: Bool = true) throws -> Piece? {
    if demuxer == nil { try open() }
    while !isFinished {
      if interrupt.isRaised { throw CancellationError() }
      if !isDrained { try feed() }
      guard let frame = try receive(isGivenAway) else { continue }
      guard frame.sampleCount > 0, frame.sampleRate > 0, frame.channelCount > 0 else { continue }
      decodedFrames += 1
      framesSinceSeek += 1
      guard try place(frame), var clock else { continue }
      let start = clock.position
      let range = clock.take(frame.sampleCount)
      self.clock = clock
      if !range.isEmpty {
        return Piece(
          frame: frame, range: range, clock: clock, first: start + Int64(range.lowerBound))
      }
      if clock.isBehind { isFinished = true }
    }
    if let firstFailure, decodedFrames == 0 {
      throw MediaError.libav(firstFailure, operation: "decode", subject: opener.subject)
    }
    return nil
  }

  /// Lets the clock stand at a frame's first sample; false where that is unknown and the frame is passed over.
  private func place(_ frame: Frame) throws -> Bool {
    let stamp = frame.pts ?? frame.bestEffortTime
    let rate = frame.sampleRate
    guard let clock else {
      if !isAtStart {
        // Without a stamp the place after a seek is unknown: everything before it is decoded instead.
        guard stamp != nil else {
          try restart()
          return false
        }
        // The decoder may have cut the first frame after a seek, and frames are to be counted.
        if isCoarse(rate: rate), framesSinceSeek == 1 { return false }
      }
      self.clock = SoundClock(
        anchor: anchor(stamp, frame.sampleCount, rate: rate), rate: rate, window: window)
      return true
    }
    // Exact fractions are slow: they are made only where the clock is set anew.
    var late: Int64?
    if let stamp {
      // Stamps that go back are not followed: sound that was pieced together goes on without a break. Later than that,
      // something is missing; 20 ms is more than what demuxers get wrong, and less where packets are known to be lost.
      let slack = failuresInRow > 0 ? 0.003 : 0.02
      if isLate(stamp, slack: slack) { late = stamp }
      failuresInRow = 0
    }
    if late != nil { try converter.breakOff() }
    guard late != nil || clock.rate != rate else { return true }
    let start = late.map { timeBase * Rational($0) } ?? clock.time
    self.clock = SoundClock(anchor: start, rate: rate, window: window)
    return true
  }

  /// The stored time of the first frame. Stamps of coarse clocks are within one tick of the truth: a stream that begins
  /// within a tick of its presentation begins with it, and the other frames follow it in equal steps.
  private func anchor(_ stamp: Int64?, _ count: Int, rate: Int) -> Rational {
    guard let stamp else { return window.lower }
    let time = timeBase * Rational(stamp)
    guard isCoarse(rate: rate) else { return time }
    // Of Opus the decoder takes the padding off.
    if isAtStart {
      let place = snapped(time, to: origin)
      return place == origin || codec == "opus" ? place : snapped(time, to: origin - statedPadding(0))
    }
    guard let firstSample, let step = Rational(Int64(count), Int64(rate)),
      let frames = ((time - firstSample) / step).rounded()
    else { return time }
    return snapped(time, to: firstSample + step * Rational(frames))
  }

  private func snapped(_ time: Rational, to place: Rational) -> Rational {
    (time - place).magnitude <= timeBase ? place : time
  }

  /// The next frame; nil when there is none yet.
  private func receive(_ isGivenAway: Bool) throws -> Frame? {
    do throws(AVError) {
      var frame = scratch
      if frame == nil || isGivenAway { frame = try Frame.make() }
      guard let frame else { return nil }
      if !isGivenAway { scratch = frame }
      switch try decoder?.receive(into: frame) ?? .finished {
      case .frame: return frame
      case .needsInput: wantsInput = true
      case .finished: isFinished = true
      }
    } catch {
      try note(error)
      // What a decoder still holds may be damaged too, but there is an end to it.
      if isDrained, failuresInRow > 64 { isFinished = true }
    }
    return nil
  }

  /// Sends the next packet. One that the decoder does not take yet is kept until a frame was taken from it.
  private func feed() throws {
    if !isHeld {
      isAtEnd = try isAtEnd || !readPacket()
      // Told of the end, libavcodec forgets a packet that it took and did not look at yet.
      if isAtEnd, !wantsInput { return }
    }
    wantsInput = false
    do { isHeld = try decoder?.send(isAtEnd ? nil : packet) == false } catch {
      isHeld = false
      try note(error)
    }
    isDrained = isAtEnd && !isHeld
  }

  /// Reads the track's next packet; false at the end. What can't be read is passed over.
  private func readPacket() throws -> Bool {
    var failures = 0
    while failures <= Demuxer.damageLimit {
      do {
        if try readOnce() {
          if failures > 0 { damage.note(failures, subject: opener.subject) }
          return true
        }
        guard demuxer?.mayEndEarly == true else { return false }
      } catch let error as AVError {
        let underlying = demuxer?.takeReaderFailure()
        guard underlying == nil, error.isInvalidData else {
          throw MediaError.libav(
            error, operation: "read", subject: opener.subject, underlying: underlying)
        }
      }
      failures += 1
    }
    return false
  }

  private func readOnce() throws -> Bool {
    let packet = try self.packet ?? Packet.make()
    self.packet = packet
    while try demuxer?.read(into: packet) == true {
      if interrupt.isRaised { throw CancellationError() }
      guard packet.streamIndex == opener.streamIndex else { continue }
      if mayBeJunk, PacketScan.isJunk(packet, codec: codec) { continue }
      if let firstTick, let time = packet.pts ?? packet.dts {
        if time < firstTick { continue }
        self.firstTick = nil
      }
      return true
    }
    return false
  }

  /// Damage is passed over; what has nothing to do with the packet is not.
  private func note(_ error: AVError) throws {
    guard !error.isInterruption, !error.isOutOfMemory else {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
    damage.note(MediaError.libav(error, operation: "decode", subject: opener.subject))
    failuresInRow += 1
    if firstFailure == nil { firstFailure = error }
  }
}
