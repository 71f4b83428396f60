import LibAV

/// Reads the stored samples of one track in the file's order.
actor PacketSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let source: TrackSource
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var damage = SampleDamage()

  /// A sample, and what was passed over so far.
  struct Read: Sendable {
    var packet: Packet?
    var damage: SampleDamage
  }

  init(source: TrackSource) {
    self.source = source
    executor = StrandExecutor(pool: source.isRemote ? .network : .decoding)
  }

  /// The next sample; none at the end.
  func next() async throws -> Read {
    try await interruptible { session in
      if session.demuxer == nil { session.demuxer = try session.source.openDemuxer(interrupt: session.interrupt) }
      while let packet = try session.demuxer?.readPastDamage(subject: session.source.subject, &session.damage) {
        // Bytes behind the last frame of an MPEG audio file are no sample.
        if packet.streamIndex == session.source.streamIndex,
          !PacketScan.isJunk(packet, codec: session.source.codec)
        {
          return Read(packet: packet, damage: session.damage)
        }
        if session.interrupt.isRaised { throw CancellationError() }
      }
      return Read(packet: nil, damage: session.damage)
    }
  }

  /// Goes to a sync sample at or before a stored tick, as far as the container can; false where it can't.
  func seek(to tick: Int64) async throws -> Bool {
    try await interruptible { session in try session.move(to: tick) }
  }

  /// Goes to the first sample.
  func rewind() { demuxer = nil }

  private func move(to tick: Int64) throws -> Bool {
    if demuxer == nil { demuxer = try source.openDemuxer(interrupt: interrupt) }
    do { try demuxer?.seek(stream: source.streamIndex, to: tick) } catch {
      if error.isInterruption { throw CancellationError() }
      demuxer = nil
      return false
    }
    return true
  }

  private func interruptible<R: Sendable>(_ work: (isolated PacketSession) throws -> R) async throws -> R {
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

extension Demuxer {
  /// Damaged packets in a row after which a file is taken to break off here.
  static var damageLimit: Int { 256 }

  /// Whether samples that lie behind the file's end look like the end of the stream, although others may follow.
  var mayEndEarly: Bool { formatName.contains("mov") }

  /// The next packet that is whole; nil at the end. Damaged and missing ones are counted, a source that fails is an
  /// error.
  mutating func readPastDamage(subject: String, _ damage: inout SampleDamage) throws -> Packet? {
    var failures = 0
    while failures <= Self.damageLimit {
      do {
        if let packet = try read() {
          if failures > 0 { damage.note(failures, subject: subject) }
          return packet
        }
        guard mayEndEarly else { return nil }
      } catch {
        let underlying = takeReaderFailure()
        guard underlying == nil, error.isInvalidData else {
          throw MediaError.libav(error, operation: "read", subject: subject, underlying: underlying)
        }
      }
      failures += 1
    }
    return nil
  }
}

extension SampleDamage {
  /// Samples that could not be read, although later ones could.
  mutating func note(_ samples: Int, subject: String) {
    count += samples
    last = MediaError(
      .readFailed, operation: "read", subject: subject, reason: "\(samples) samples are damaged or missing")
  }
}
