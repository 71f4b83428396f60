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
  private var mayBeJunk = false
  /// Read into again and again: nobody else sees it.
  private var packet: Packet?
  /// Whether the packet waits for the decoder to take it.
  private var isHeld = false
  /// As the packet, where frames are measured and not given away.
  private var scratch: Frame?
  private var damagedPackets = 0
  private var decodedFrames = 0
  private var firstFailure: AVError?

  init(opener: TrackOpener, timeBase: Rational, settings: AudioOutputSettings) {
    self.timeBase = timeBase
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
      batch.damagedPackets = session.damagedPackets
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
    codec = demuxer?.stream(opener.streamIndex).codecName
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
    do { try demuxer?.seek(stream: opener.streamIndex, to: tick) } catch {
      if error.isInterruption { throw CancellationError() }
      return try restart()
    }
    forget()
    isAtStart = false
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
    isAtEnd = false
    isDrained = false
    isFinished = false
    clock = nil
    firstTick = nil
    isAtStart = true
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

  /// Lets the clock stand at a frame's first sample; false where that is unknown and decoding begins anew.
  private func place(_ frame: Frame) throws -> Bool {
    let stamp = frame.pts ?? frame.bestEffortTime
    guard let clock else {
      // Without a stamp the place after a seek is unknown: everything before it is decoded instead.
      if stamp == nil, !isAtStart {
        try restart()
        return false
      }
      self.clock = SoundClock(
        anchor: anchor(stamp, rate: frame.sampleRate), rate: frame.sampleRate, window: window)
      return true
    }
    var start = clock.time
    if let stamp {
      // Later than that by 10 ms, something is missing: the shortest packet that would be missed lasts longer.
      // Stamps that go back are not followed: sound that was pieced together goes on without a break.
      let late = clock.lateness(of: Double(stamp) * tickSeconds) > 0.01 + tickSeconds
      if late {
        start = timeBase * Rational(stamp)
        try converter.breakOff()
      }
      guard late || clock.rate != frame.sampleRate else { return true }
    } else if clock.rate == frame.sampleRate {
      return true
    }
    self.clock = SoundClock(anchor: start, rate: frame.sampleRate, window: window)
    return true
  }

  /// The stored time of the first frame. Stamps of coarse clocks are within one tick of the truth, so a stream that
  /// begins within a tick of the window begins with it.
  private func anchor(_ stamp: Int64?, rate: Int) -> Rational {
    guard let stamp else { return window.lower }
    let time = timeBase * Rational(stamp)
    let isCoarse = tickSeconds * Double(rate) > 1
    return isCoarse && isAtStart && (time - window.lower).magnitude <= timeBase
      ? window.lower : time
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
      case .needsInput: break
      case .finished: isFinished = true
      }
    } catch {
      try note(error)
      if isDrained { isFinished = true }
    }
    return nil
  }

  /// Sends the next packet. One that the decoder does not take yet is kept until a frame was taken from it.
  private func feed() throws {
    if !isHeld { isAtEnd = try isAtEnd || !readPacket() }
    do { isHeld = try decoder?.send(isAtEnd ? nil : packet) == false } catch {
      isHeld = false
      try note(error)
    }
    isDrained = isAtEnd && !isHeld
  }

  /// Reads the track's next packet; false at the end, and where a file breaks off in the middle.
  private func readPacket() throws -> Bool {
    do {
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
    } catch let error as AVError {
      let underlying = demuxer?.takeReaderFailure()
      if underlying == nil, error.isInvalidData { return false }
      throw MediaError.libav(
        error, operation: "read", subject: opener.subject, underlying: underlying)
    }
  }

  /// Damage is passed over; what has nothing to do with the packet is not.
  private func note(_ error: AVError) throws {
    guard !error.isInterruption, !error.isOutOfMemory else {
      throw MediaError.libav(error, operation: "decode", subject: opener.subject)
    }
    damagedPackets += 1
    if firstFailure == nil { firstFailure = error }
  }
}

extension Rational {
  var magnitude: Rational { self < .zero ? .zero - self : self }
}
