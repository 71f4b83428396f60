import ISOMedia
import LibAV

/// Taking samples.
extension Writer.Input {
  /// Appends a sample; waits while the track runs ahead of the others, or the encoder has enough to do.
  ///
  /// Stored samples for an input without settings, in decode order; decoded pictures or sound for one with settings, in
  /// the order of presentation. A track that gets nothing holds the others up for ``Writer/Options/starvationLimit`` at most.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for a sample of the wrong kind, `operationNotSupported` before the
  ///   session, after the end or after ``finish()``, or what writing failed with. `CancellationError` when the task or
  ///   the writer is cancelled.
  public func append(_ sample: SampleBuffer) async throws {
    try Task.checkCancellation()
    if state.withLock({ $0.properties.expectsMediaDataInRealTime }) {
      _ = try appendImmediately(sample)
      return
    }
    let (core, track, sink) = try ready(for: sample)
    switch sink {
    case .stored:
      guard var queued = sample.queued else { return }
      queued.beginsSegment = core.takeFlush(track, sample.presentationTime)
      try await core.enqueue(queued, track: track)
    case .encoded(let channel):
      _ = core.takeFlush(track, sample.presentationTime)
      try await channel.send(sample)
    }
  }

  /// Appends a sample if there is room for it at once; false, and counted in ``droppedSampleCount``, if there is none.
  public func appendImmediately(_ sample: SampleBuffer) throws -> Bool {
    let (core, track, sink) = try ready(for: sample)
    switch sink {
    case .stored:
      guard var queued = sample.queued else { return false }
      queued.beginsSegment = core.takeFlush(track, sample.presentationTime)
      return try core.enqueueImmediately(queued, track: track)
    case .encoded(let channel):
      _ = core.takeFlush(track, sample.presentationTime)
      let isTaken = try channel.trySend(sample)
      if !isTaken { core.countDrop(track) }
      return isTaken
    }
  }

  /// Appends a picture of a track.
  public func append(_ frame: VideoFrame) async throws {
    try await append(
      SampleBuffer(content: .picture(frame.pixelBuffer), presentationTime: frame.time, duration: frame.duration))
  }

  /// Appends a stretch of sound.
  public func append(_ buffer: AudioBuffer) async throws {
    try await append(SampleBuffer(content: .sound(buffer), presentationTime: buffer.time, duration: buffer.duration))
  }

  /// Appends items of timed metadata: each group holds until the next one begins, or for its own time.
  ///
  /// Groups come in the order of their starts. Where a group ends before the next one begins the file says that there is
  /// nothing; so does a group without items. A group whose duration is no number holds until the next one.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for an input of other media, an item of no kind that the input was
  ///   made for or whose value does not suit its data type, a group that begins no later than the one before; and as
  ///   ``append(_:)-(SampleBuffer)``.
  public func append(_ group: TimedMetadataGroup) async throws {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "append", subject: "timed metadata", reason: reason)
    }
    guard let boxedMetadata else { throw refuse("the input was not made for timed metadata") }
    let range = group.timeRange
    guard range.start.isNumeric else { throw refuse("the group has no start") }
    let last = state.withLock { $0.lastGroup }
    if let last, range.start <= last.start {
      throw refuse("the group at \(range.start) begins no later than the one before, at \(last.start)")
    }
    let bytes: [UInt8]
    do { bytes = try boxedMetadata.sample(of: group) } catch { throw refuse("\(error.key): \(error.reason)") }
    if let end = last?.end, end.isNumeric, end < range.start {
      try await append(
        SampleBuffer(
          bytes: MetadataSampleDescription.emptySample, presentationTime: end, duration: range.start - end))
    }
    let duration = range.duration.isNumeric && range.duration > .zero ? range.duration : .invalid
    try await append(SampleBuffer(bytes: bytes, presentationTime: range.start, duration: duration))
    state.withLock { $0.lastGroup = MediaTimeRange(start: range.start, duration: duration) }
  }

  /// No more samples come; the other inputs no longer wait for this one. May be called more than once.
  public func finish() {
    let (core, track, sink) = state.withLock { state in
      defer { state.isFinished = true }
      return state.isFinished ? (nil, 0, nil) : (state.core, state.track, state.sink)
    }
    if let core, let sink { end(sink, core, track) }
  }

  func end(_ sink: Sink, _ core: WriterCore, _ track: Int) {
    if passState.pass?.gathering != nil {
      // Of a track that was only looked at nothing can be written.
      core.fail(
        core.error(
          .operationNotSupported, "input \(track + 1) was finished in the first of two passes",
          remedy: "Append all pictures in each of the input's passes"))
    }
    switch sink {
    case .stored: core.finishTrack(track)
    case .encoded(let channel): channel.finish()
    }
  }

  private func ready(for sample: SampleBuffer) throws -> (WriterCore, Int, Sink) {
    let (core, track, sink, isFinished) = state.withLock { ($0.core, $0.track, $0.sink, $0.isFinished) }
    func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
      MediaError(
        code, operation: "append", subject: core.map { "track \(track + 1) of \($0.subject)" } ?? "an input",
        reason: reason)
    }
    guard let core else { throw refuse(.operationNotSupported, "the input was not added to a writer") }
    if isFinished, core.status == .writing {
      throw refuse(.operationNotSupported, "the input was finished; nothing can be appended")
    }
    guard let sink else {
      if core.status == .failed, let failure = core.failure { throw failure }
      throw refuse(.operationNotSupported, "the writer has not been started")
    }
    try core.checkAppending(to: track)
    switch (sample.content, settings) {
    case (.stored, nil), (.picture, .video?), (.sound, .audio?): break
    case (.stored, _?): throw refuse(.invalidArgument, "an input that encodes takes decoded samples, not stored ones")
    case (_, nil): throw refuse(.invalidArgument, "an input without settings takes stored samples, not decoded ones")
    default: throw refuse(.invalidArgument, "the sample is not of the kind \(mediaType)")
    }
    guard sample.presentationTime.isNumeric || sample.stored != nil && sample.decodeTime.isNumeric else {
      throw refuse(.invalidArgument, "the sample has no presentation time")
    }
    if let end = core.sessionEnd, sample.presentationTime.isNumeric, sample.presentationTime >= end, settings != nil {
      throw refuse(.operationNotSupported, "the session ends at \(end); nothing can be appended behind it")
    }
    return (core, track, sink)
  }
}

extension SampleBuffer {
  fileprivate var queued: QueuedSample? {
    stored.map {
      QueuedSample(
        packet: $0.packet, presentation: presentationTime, decoding: decodeTime, duration: duration,
        isHidden: isHidden, trim: (trimDurationAtStart, trimDurationAtEnd))
    }
  }
}
