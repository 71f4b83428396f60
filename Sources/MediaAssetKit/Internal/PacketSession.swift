import LibAV

/// Reads the stored samples of one track in the file's order.
actor PacketSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let source: TrackSource
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?
  private var damage = SampleDamage()
  /// What the next visit will be told.
  private var failure: (any Error)?

  /// Samples in order, none at the end, and what was passed over so far.
  struct Read: Sendable {
    var packets: [Packet] = []
    var damage = SampleDamage()
  }

  /// Bytes after which no further sample is read ahead. On a strand that is shared with who takes them a visit costs
  /// little, and memory that was just freed is filled again.
  private let batchBytes = StrandExecutor.shared == nil ? 1 << 20 : 1 << 17

  init(source: TrackSource) {
    self.source = source
    executor = StrandExecutor.shared ?? StrandExecutor(pool: source.isRemote ? .network : .decoding)
  }

  /// The next samples, up to a number; none at the end.
  ///
  /// A visit to this session costs as much as reading many small samples. What a server sends is not waited for beyond
  /// the first.
  func next(upTo count: Int) async throws -> Read {
    try await interruptible { session in
      if session.demuxer == nil { session.demuxer = try session.source.openDemuxer(interrupt: session.interrupt) }
      let count = session.source.isRemote ? 1 : count
      var (read, bytes) = (Read(), 0)
      if let failure = session.failure.take() { throw failure }
      do {
        while read.packets.count < count, bytes < session.batchBytes, let packet = try session.nextPacket() {
          bytes += packet.size
          read.packets.append(packet)
        }
      } catch {
        // What came before it is given first.
        guard !read.packets.isEmpty, !(error is CancellationError) else { throw error }
        session.failure = error
      }
      read.damage = session.damage
      return read
    }
  }

  private func nextPacket() throws -> Packet? {
    while let packet = try demuxer?.readPastDamage(subject: source.subject, &damage) {
      // Bytes behind the last frame of an MPEG audio file are no sample.
      if packet.streamIndex == source.streamIndex, !PacketScan.isJunk(packet, codec: source.codec) { return packet }
      if interrupt.isRaised { throw CancellationError() }
    }
    return nil
  }

  /// Goes to a sync sample at or before a stored tick, as far as the container can; false where it can't.
  func seek(to tick: Int64) async throws -> Bool {
    try await interruptible { session in try session.move(to: tick) }
  }

  /// Goes to the first sample.
  func rewind() {
    demuxer = nil
    failure = nil
  }

  private func move(to tick: Int64) throws -> Bool {
    failure = nil
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
