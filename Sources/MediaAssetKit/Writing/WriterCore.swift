import LibAV

/// What the parts of a writer share: its state, and the samples that wait to be written.
///
/// Appending takes a lock and returns; the muxer's own strand takes samples out in batches.
final class WriterCore: Sendable {
  struct Track: Sendable {
    var mediaType: MediaType
    /// Known from the source, or once the encoder is open.
    var parameters: CodecParameters?
    /// Opens the encoder without a sample, where a track has to be described before it has any.
    var prepare: (@Sendable () async throws -> CodecParameters)?
    /// Whether its encoder has work in hand, so that samples are on their way.
    var isBusy: (@Sendable () -> Bool)?
    var plan: StreamPlan
    var isFinished = false
    var hasSamples = false
    /// Samples that came too fast in real time.
    var dropped = 0
  }

  struct State {
    var status = Writer.Status.unknown
    var failure: (any Error)?
    var start: MediaTime?
    var end: MediaTime?
    var tracks: [Track] = []
    var interleaver: Interleaver<QueuedSample>
    var isDraining = false
    /// Samples and bytes that came since the muxer last looked.
    var pending = 0
    var pendingBytes = 0
    /// Bytes of all samples that came.
    var bytes: Int64 = 0
    var waiters: [Waiter] = []
    var nextWaiter = 0
    /// Watches over those who wait, while there are any.
    var watch: Task<Void, Never>?
    var pumps: [Task<Void, Never>] = []
    var stops: [@Sendable (any Error) -> Void] = []
    /// Where segments are cut, where that is not by a fixed interval.
    var cuts: [MediaTime] = []
    /// The next sample of the track that decides begins a segment.
    var isFlushing = false
    /// The consumer of segments is slow: tracks that have nothing now are not to blame.
    var isDelivering = false
  }

  let state: Monitor<State>
  let subject: String
  let interrupt = Interrupt()
  let container: WritableContainer
  let options: Writer.Options
  /// What segments are for, of a writer of segments.
  let profile: Writer.FileTypeProfile?
  /// Where segments go.
  let segments: BoundedChannel<Writer.Segment>?
  private let muxing: any SampleSink

  init(
    path: String, container: WritableContainer, options: Writer.Options, profile: Writer.FileTypeProfile? = nil
  ) {
    subject = path
    self.profile = profile
    segments = profile == nil ? nil : BoundedChannel(capacity: 2)
    self.container = container
    self.options = options
    state = Monitor(
      State(interleaver: Interleaver(limits: .init(span: options.interleavingWindowMicroseconds, bytes: 32 << 20))))
    if let profile {
      muxing = SegmentingSession(profile: profile, container: container, options: options, interrupt: interrupt)
    } else if container.isPictures {
      muxing = ImageSequenceSession(path: path, container: container, options: options, interrupt: interrupt)
    } else {
      muxing = MuxingSession(path: path, container: container, options: options, interrupt: interrupt)
    }
  }

  func error(_ code: MediaError.Code, _ reason: String, remedy: String = "") -> MediaError {
    MediaError(code, operation: "write", subject: subject, reason: reason, remedy: remedy)
  }

  // MARK: State

  var status: Writer.Status { state.withLock { $0.status } }
  var failure: (any Error)? { state.withLock { $0.failure } }
  var sessionStart: MediaTime? { state.withLock { $0.start } }
  var sessionEnd: MediaTime? { state.withLock { $0.end } }
  var tracks: [Track] { state.withLock { $0.tracks } }
  /// Bytes of the samples so far, written or queued.
  var writtenBytes: Int64 { state.withLock { $0.bytes } }

  func start(_ tracks: [Track]) async throws {
    try state.withLock { state in
      guard state.status == .unknown else { throw wrongState(state, "start") }
      state.status = .writing
      state.tracks = tracks
      for track in tracks {
        let chunk = track.plan.chunkDuration.ticks(in: Rational(1, 1_000_000) ?? .one) ?? 0
        state.interleaver.addTrack(isSparse: track.plan.isSparse, chunk: chunk)
      }
    }
    do { try await muxing.open() } catch {
      fail(error)
      throw error
    }
  }

  func startSession(at time: MediaTime) throws {
    try state.withLock { state in
      guard state.status == .writing else { throw wrongState(state, "start a session") }
      guard state.start == nil else { throw error(.operationNotSupported, "the session was started before") }
      guard time.isNumeric else { throw error(.invalidArgument, "the session's start is no time") }
      state.start = time
    }
  }

  func endSession(at time: MediaTime) throws {
    try state.withLock { state in
      guard state.status == .writing, let start = state.start else { throw wrongState(state, "end a session") }
      guard state.end == nil else { throw error(.operationNotSupported, "the session was ended before") }
      guard time.isNumeric, time > start else {
        throw error(.invalidArgument, "the session's end is not later than its start")
      }
      state.end = time
    }
  }

  /// Brings the session's end forward: what was appended behind it is cut off.
  func shortenSession(to time: MediaTime) {
    state.withLock { state in
      guard state.status == .writing, let start = state.start, time.isNumeric, time > start else { return }
      state.end = state.end.map { min($0, time) } ?? time
    }
  }

  func wrongState(_ state: State, _ action: String) -> any Error {
    switch state.status {
    case .failed: return state.failure ?? error(.writeFailed, "writing failed before")
    case .cancelled: return CancellationError()
    case .completed: return error(.operationNotSupported, "the writer is finished; it can't \(action)")
    case .unknown: return error(.operationNotSupported, "the writer has not been started; it can't \(action)")
    case .writing: return error(.operationNotSupported, "there is no session; the writer can't \(action)")
    }
  }

  /// Throws unless samples of a track are welcome now.
  func checkAppending(to track: Int) throws {
    try state.withLock { state in
      guard state.status == .writing, state.start != nil else { throw wrongState(state, "append") }
      guard !state.tracks[track].isFinished else {
        throw error(.operationNotSupported, "the input was finished; nothing can be appended")
      }
    }
  }

  func addPump(_ pump: Task<Void, Never>, stop: @escaping @Sendable (any Error) -> Void) {
    state.withLock { state in
      state.pumps.append(pump)
      state.stops.append(stop)
    }
  }

  // MARK: Samples

  /// Queues a coded sample, and waits while its track runs ahead of the others.
  func enqueue(_ sample: QueuedSample, track: Int) async throws {
    let (isAhead, mustDrain) = try push(sample, track)
    if mustDrain { await drainNow() }
    if isAhead { try await waitForRoom(track) }
  }

  /// Queues a coded sample unless its track runs ahead; false, and counted, when it does.
  func enqueueImmediately(_ sample: QueuedSample, track: Int) throws -> Bool {
    let isAhead = state.withLock { $0.interleaver.isAhead(track) }
    if isAhead {
      countDrop(track)
      return false
    }
    if try push(sample, track).mustDrain { drainSoon() }
    return true
  }

  func countDrop(_ track: Int) { state.withLock { $0.tracks[track].dropped += 1 } }

  /// Files that grow under their own name are for others to read meanwhile.
  private var wantsPromptness: Bool { options.movieFragmentInterval.isNumeric }

  private func push(_ sample: QueuedSample, _ track: Int) throws -> (isAhead: Bool, mustDrain: Bool) {
    try state.withLock { state in
      guard state.status == .writing else { throw wrongState(state, "append") }
      state.tracks[track].hasSamples = true
      state.interleaver.append(
        sample, to: track, time: sample.microseconds, bytes: sample.packet.size)
      let isAhead = state.interleaver.isAhead(track)
      state.pending += 1
      state.pendingBytes += sample.packet.size
      state.bytes += Int64(sample.packet.size)
      // A visit of the muxer costs as much as many samples: it comes for some at once.
      let isDue =
        isAhead || wantsPromptness || profile != nil && sample.packet.isKey && state.tracks[track].mediaType == .video
        || state.pending >= 32 || state.pendingBytes >= 1 << 20
      let mustDrain = isDue && !state.isDraining
      if mustDrain { state.isDraining = true }
      return (isAhead, mustDrain)
    }
  }

  func setBusy(_ track: Int, _ isBusy: @escaping @Sendable () -> Bool) {
    state.withLock { $0.tracks[track].isBusy = isBusy }
  }

  /// How to describe a track that has no sample yet.
  func setPreparation(_ track: Int, _ prepare: @escaping @Sendable () async throws -> CodecParameters) {
    state.withLock { $0.tracks[track].prepare = prepare }
  }

  func setParameters(_ parameters: CodecParameters, track: Int) {
    state.withLock { $0.tracks[track].parameters = parameters }
    kick()
  }

  func finishTrack(_ track: Int) {
    state.withLock { state in
      guard state.tracks.indices.contains(track) else { return }
      state.tracks[track].isFinished = true
      state.interleaver.finish(track)
    }
    kick()
  }

  /// Has the muxer look again.
  func kick() {
    let mustDrain = state.withLock { state in
      guard state.status == .writing, !state.isDraining else { return false }
      state.isDraining = true
      return true
    }
    if mustDrain { drainSoon() }
  }

  /// On a strand that is shared with the muxer the samples are written at once; else the muxer's writes them meanwhile.
  private func drainNow() async {
    if StrandExecutor.shared == nil { drainSoon() } else { await muxing.drain(self) }
  }

  private func drainSoon() { Task { await muxing.drain(self) } }

  /// What is to be written now; nil when something is missing. For the muxing session.
  func takeBatch() -> [(track: Int, sample: QueuedSample)]? {
    state.withLock { state in
      guard state.status == .writing, canDescribe(state) else {
        state.isDraining = false
        return nil
      }
      (state.pending, state.pendingBytes) = (0, 0)
      var batch: [(track: Int, sample: QueuedSample)] = []
      while batch.count < 64, let next = state.interleaver.next() { batch.append((next.track, next.element)) }
      if batch.isEmpty {
        state.isDraining = false
        return nil
      }
      return batch
    }
  }

  func firstSample(of track: Int) -> QueuedSample? { state.withLock { $0.interleaver.first(of: track) } }

  /// Where the sound that was put into an encoder ends.
  func setPresentedEnd(_ time: MediaTime, track: Int) {
    state.withLock { $0.tracks[track].plan.presentedEnd = time }
  }

  private func canDescribe(_ state: State) -> Bool {
    state.tracks.allSatisfy { $0.parameters != nil || $0.isFinished }
  }

  // MARK: Ending

  /// Completes the file.
  func finish() async throws {
    let pumps = state.withLock { $0.pumps }
    for pump in pumps { await pump.value }
    do {
      try state.withLock { state in
        guard state.status == .writing else { throw wrongState(state, "finish") }
      }
    } catch {
      // What failed has removed its file, or is about to.
      if status != .completed { await muxing.abort() }
      throw error
    }
    for track in tracks.indices { finishTrack(track) }
    do {
      try await muxing.finish(self)
      state.withLock { state in
        state.status = .completed
        state.watch?.cancel()
        state.watch = nil
      }
      segments?.finish()
    } catch {
      await abort(error is CancellationError ? .cancelled : .failed, error)
      // What failed first, not what followed from it.
      throw failure ?? error
    }
  }

  /// Ends with an error: everybody who waits gets it, and what was written is removed.
  func fail(_ error: any Error) {
    stop(error is CancellationError ? .cancelled : .failed, error)
    Task { await muxing.abort() }
  }

  func cancel() async { await abort(.cancelled, CancellationError()) }

  func cancelWithoutWaiting() {
    guard status == .writing else { return }
    fail(CancellationError())
  }

  private func abort(_ status: Writer.Status, _ error: any Error) async {
    stop(status, error)
    await muxing.abort()
  }

  private func stop(_ status: Writer.Status, _ error: any Error) {
    let (waiters, pumps, stops) = state.withLock {
      state -> ([Waiter], [Task<Void, Never>], [@Sendable (any Error) -> Void]) in
      guard state.status == .writing || state.status == .unknown else { return ([], [], []) }
      state.status = status
      state.failure = error
      state.interleaver.removeAll()
      state.watch?.cancel()
      defer { (state.waiters, state.pumps, state.stops, state.watch) = ([], [], [], nil) }
      return (state.waiters, state.pumps, state.stops)
    }
    interrupt.raise()
    for waiter in waiters { waiter.continuation.resume(throwing: error) }
    for stop in stops { stop(error) }
    segments?.fail(error)
    for pump in pumps { pump.cancel() }
  }
}
