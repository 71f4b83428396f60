import LibAV

/// Runs a `PictureReader` on a thread of its own: any picture of one track by its time, key pictures, or all in order.
///
/// Opens nothing before the first call. For one caller at a time; a caller that is cancelled interrupts its own call.
actor VideoSession {
  private let executor: StrandExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let opener: TrackOpener
  private let threads: Int
  private let interrupt = Interrupt()
  private var reader: PictureReader?
  private var scalers = ScalerCache()
  private var converter: PictureConverter?

  init(opener: TrackOpener, threads: Int) {
    self.opener = opener
    self.threads = threads
    executor = StrandExecutor(pool: opener.isRemote ? .network : .decoding)
  }

  /// Runs `body` with the picture on show at `time`, on this session's thread; nil when none is.
  nonisolated func withPicture<R: Sendable>(
    onShowAt time: Int64, _ body: @escaping @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      guard let picture = try session.read({ try $0.exactPicture(onShowAt: time) }) else {
        return nil
      }
      return try body(picture, &session.scalers)
    }
  }

  /// Runs `body` with the key picture nearest to `time`, ties to the earlier; behind the end with the last picture.
  ///
  /// `twice` is the double of the time that is meant, rounded up, for times between two ticks.
  nonisolated func withKeyPicture<R: Sendable>(
    near time: Int64, twice: Int64? = nil,
    _ body: @escaping @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      let twice = twice ?? time.multipliedReportingOverflow(by: 2).partialValue
      guard let picture = try session.read({ try $0.keyPicture(near: time, twice: twice) }) else {
        return nil
      }
      return try body(picture, &session.scalers)
    }
  }

  /// Runs `body` with the track's first picture.
  nonisolated func withFirstPicture<R: Sendable>(
    _ body: @escaping @Sendable (DecodedPicture, inout ScalerCache) throws -> R
  ) async throws -> R? {
    try await interruptible { session in
      let first = try session.read { reader in
        try reader.rewind()
        return try reader.next()
      }
      guard let first else { return nil }
      return try body(first, &session.scalers)
    }
  }

  /// The picture on show at `time`, after which `nextPicture` goes on; nil when none is.
  nonisolated func picture(onShowAt time: Int64) async throws -> DecodedPicture? {
    try await interruptible { try $0.read { try $0.exactPicture(onShowAt: time) } }
  }

  /// The next picture in order, from wherever the session stands; nil at the end.
  ///
  /// Of the pictures shown before `target` those that no other one needs may be left out.
  nonisolated func nextPicture(skippingTo target: Int64? = nil) async throws -> DecodedPicture? {
    try await interruptible { try $0.read { try $0.next(skippingTo: target) } }
  }

  /// Goes to the beginning of the track.
  nonisolated func rewind() async throws {
    try await interruptible { try $0.read { try $0.rewind() } }
  }

  /// Goes to where the picture on show at `time` can be decoded from; pictures before it may come first.
  nonisolated func seek(to time: Int64) async throws {
    try await interruptible { try $0.read { try $0.seek(to: time) } }
  }

  /// The last thing that the decoder refused; nil while all went well.
  nonisolated func lastFailure() async throws -> (any Error)? {
    try await interruptible { try $0.read { $0.lastFailure } }
  }

  /// What the decoder refused so far.
  nonisolated func damage() async throws -> SampleDamage {
    try await interruptible { try $0.read { $0.damageCount.joined(with: $0.packets.damage) } }
  }

  /// A picture in the format and size that a reader was asked for; one session serves one such wish.
  nonisolated func convert(
    _ frame: Frame, to settings: VideoOutputSettings, colour: ConversionColour
  ) async throws -> Frame {
    try await interruptible { session in
      var converter =
        session.converter.take()
        ?? PictureConverter(settings: settings, colour: colour, subject: session.opener.subject)
      do {
        let result = try converter.convert(frame)
        session.converter = consume converter
        return result
      } catch {
        session.converter = consume converter
        throw error
      }
    }
  }

  private func read<R>(_ work: (inout PictureReader) throws -> R) throws -> R {
    var open =
      try reader.take() ?? PictureReader(opener: opener, threads: threads, interrupt: interrupt)
    do {
      let result = try work(&open)
      reader = consume open
      return result
    } catch {
      reader = consume open
      throw error
    }
  }

  /// Runs one blocking piece of work; a caller that is cancelled returns at once, and only its own piece is interrupted.
  private nonisolated func interruptible<R: Sendable>(
    _ work: @escaping @Sendable (isolated VideoSession) throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    let result = OneShot<R>()
    let task = Task {
      do { result.decide(.success(try await run(work))) } catch { result.decide(.failure(error)) }
    }
    return try await withTaskCancellationHandler {
      try await result.value()
    } onCancel: {
      task.cancel()
    }
  }

  private func run<R: Sendable>(_ work: (isolated VideoSession) throws -> R) async throws -> R {
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
