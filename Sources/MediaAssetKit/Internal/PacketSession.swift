import LibAV

/// Reads the stored samples of one track in the file's order.
actor PacketSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let opener: TrackOpener
  private let interrupt = Interrupt()
  private var demuxer: Demuxer?

  init(opener: TrackOpener) {
    self.opener = opener
    executor = StrandExecutor(pool: opener.isRemote ? .network : .decoding)
  }

  /// The next sample; nil at the end and where the file breaks off.
  func next() async throws -> Packet? {
    try await interruptible { session in
      if session.demuxer == nil { session.demuxer = try session.opener.openDemuxer(interrupt: session.interrupt) }
      while let packet = try session.demuxer?.readUntilDamage(subject: session.opener.subject) {
        if packet.streamIndex == session.opener.streamIndex { return packet }
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
    if demuxer == nil { demuxer = try opener.openDemuxer(interrupt: interrupt) }
    do { try demuxer?.seek(stream: opener.streamIndex, to: tick) } catch {
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
