import LibAV

/// Reads the stored samples of one track in the file's order.
actor PacketSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let source: TrackSource
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?

  init(source: TrackSource) {
    self.source = source
    executor = StrandExecutor(pool: source.isRemote ? .network : .decoding)
  }

  /// The next sample; nil at the end and where the file breaks off.
  func next() async throws -> Packet? {
    try await interruptible { session in
      if session.demuxer == nil { session.demuxer = try session.source.openDemuxer(interrupt: session.interrupt) }
      while let packet = try session.demuxer?.readUntilDamage(subject: session.source.subject) {
        if packet.streamIndex == session.source.streamIndex { return packet }
        if session.interrupt.isRaised { throw CancellationError() }
      }
      return nil
    }
  }

  /// Goes to a sync sample at or before a stored tick, as far as the container can.
  func seek(to tick: Int64) async throws {
    try await interruptible { session in try session.move(to: tick) }
  }

  private func move(to tick: Int64) throws {
    if demuxer == nil { demuxer = try source.openDemuxer(interrupt: interrupt) }
    do { try demuxer?.seek(stream: source.streamIndex, to: tick) } catch {
      if error.isInterruption { throw CancellationError() }
      // What can't seek is read from its start.
      demuxer = nil
    }
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
