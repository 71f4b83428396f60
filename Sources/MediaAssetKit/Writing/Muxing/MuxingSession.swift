import ISOMedia
import LibAV

/// Owns the muxer and its file: takes queued samples in order, and completes the file at the end.
actor MuxingSession: SampleSink {
  private let executor = StrandExecutor.shared ?? StrandExecutor(pool: .writing)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  let path: String
  let container: WritableContainer
  let options: Writer.Options
  let interrupt: Interrupt
  var output: OutputFile?
  var muxer: Muxer?
  var hasHeader = false
  var streams: [Stream?] = []
  /// The streams' numbers in the file, by input.
  var numbers: [Int?] = []
  var start = MediaTime.zero
  private var end: MediaTime?
  var fragmentStart: Int64?
  var hasFragments = false
  /// How many edits the head of a fragmented file has room for, by stream.
  var headEdits: [Int: Int] = [:]
  weak var core: WriterCore?
  /// How much sound comes before what is meant, in nanoseconds by the track's number, where Matroska has to be told.
  var delays: [UInt64: UInt64] = [:]
  /// The stream at whose sync samples fragments end.
  var referenceStream = 0

  /// A track in the file.
  struct Stream {
    var number: Int
    var tally: TrackTally
    var plan: StreamPlan
    var mediaType: MediaType
    var times: DecodeTimeMaker
    var sampleRate: Int
    var isStrict: Bool
    /// How much later than it is meant the container stamps a sample: Matroska's CodecDelay.
    var codecDelay = MediaTime.zero
    /// How long every frame of sound is once decoded, whatever the last one says; invalid: as each says.
    var frameLength = MediaTime.invalid
    /// Whether what is too much of the last frame can be told. Of AC-3 in Matroska FFmpeg would take it off the frame before.
    var tellsExcess = true
    /// Of stored sound: how long its packets last, and how long before the start one may begin that is kept; in samples.
    var packetLength: Int64 = 0
    var leadLimit: Int64 = 0
    /// Pictures before the start were left out, so that the next one has to be a sync sample.
    var hasDropped = false
    var lastDecoding: Int64?
    /// The picture that came last; how long it lasts, the next one or the session's end tells.
    var held: DecodeTimeMaker.Sample?

    var delayTicks: Int64 { codecDelay.ticks(in: tally.tick) ?? 0 }
  }

  init(path: String, container: WritableContainer, options: Writer.Options, interrupt: Interrupt) {
    self.path = path
    self.container = container
    self.options = options
    self.interrupt = interrupt
  }

  /// Makes the file, so that what forbids writing is known before the first sample.
  func open() throws {
    guard output == nil else { return }
    output = try OutputFile(
      path: path, overwrites: options.overwritesExisting, growsInPlace: isFragmented,
      synchronizes: options.synchronizesToDisk)
  }

  var isFragmented: Bool { container.isMovie && options.movieFragmentInterval.isNumeric }

  // MARK: Samples

  /// Writes what is queued and can be written.
  func drain(_ core: WriterCore) {
    do {
      try core.drain { try write($0, core) }
    } catch {
      core.fail(failure(error))
    }
  }

  private func write(_ batch: [(track: Int, sample: QueuedSample)], _ core: WriterCore) throws {
    if !hasHeader { try writeHeader(core, batch) }
    if let time = core.sessionEnd { end = time }
    if !container.isMovie {
      // Where encoded sound ends is known before its last frames come.
      for (index, track) in core.tracks.enumerated() where track.plan.isEncoded && track.mediaType == .audio {
        streams[index]?.plan.presentedEnd = track.plan.presentedEnd
      }
    }
    for (track, sample) in batch {
      if interrupt.isRaised { throw CancellationError() }
      try write(sample, track: track)
    }
  }

  private func write(_ sample: QueuedSample, track: Int) throws {
    // Taken out while it changes: a second owner would make its arrays copies.
    guard var stream = streams[track].take() else { return }
    defer { streams[track] = stream }
    let tick = stream.tally.tick
    let (delay, delayTicks) = (stream.codecDelay, stream.delayTicks)
    func ticks(_ time: MediaTime) -> Int64? {
      let time = start == .zero ? time : time - start
      guard delay > .zero else { return time.ticks(in: tick) }
      // Rounded as it is stamped, once.
      return (time + delay).ticks(in: tick).map { $0 - delayTicks }
    }
    guard let presentation = ticks(sample.presentation) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: path,
        reason: "a sample of input \(track + 1) has no presentation time",
        remedy: "Decode and encode it: the container of the source gives no times")
    }
    // None at all stands for unknown.
    let least: Int64 = sample.duration > .zero ? 1 : 0
    let duration = sample.duration.isNumeric ? max(least, sample.duration.ticks(in: tick) ?? 0) : 0
    var end = sample.duration.isNumeric ? sample.presentation + sample.duration : .invalid
    if stream.frameLength.isValid, sample.duration.isNumeric {
      stream.frameLength = max(stream.frameLength, sample.duration)
      end = sample.presentation + stream.frameLength
    }
    for made in stream.times.add(
      .init(
        packet: sample.packet, presentation: presentation, decoding: ticks(sample.decoding), duration: duration,
        end: end))
    {
      try pass(made, &stream)
    }
  }

  /// Writes a sample; of pictures in movies the one before it, since players go by how long the last one is said to last.
  private func pass(_ sample: DecodeTimeMaker.Sample, _ stream: inout Stream) throws {
    guard container.isMovie, stream.mediaType == .video || stream.plan.metadataEntry != nil else {
      return try write(sample, &stream)
    }
    if let held = stream.held { try write(held, &stream) }
    stream.held = sample
  }

  /// Writes what is still held back.
  private func finish(_ stream: inout Stream) throws {
    for sample in stream.times.finish() { try pass(sample, &stream) }
    guard var last = stream.held else { return }
    stream.held = nil
    if stream.plan.metadataEntry != nil, last.duration == 0 {
      // What holds from then on holds as long as there is anything else.
      let ends = streams.compactMap { other in
        other.flatMap { Rational.rescale($0.tally.end, from: $0.tally.tick, to: stream.tally.tick) }
      }
      last.duration = max(1, (limit(stream) ?? ends.max() ?? 0) - last.presentation)
    }
    if let limit = limit(stream), limit > last.presentation {
      if last.duration == 0 { last.duration = limit - last.presentation }
      // Encoded pictures go on until the session ends, and the media is to be as long as what is shown of it: with
      // pictures out of order the last one stored may have to last longer than it is shown.
      let decoding = last.decoding ?? last.presentation
      let first = stream.tally.firstDecoding ?? decoding
      let start = stream.tally.count > 0 ? stream.tally.firstPresentation : last.presentation
      let missing = limit - max(0, start) - (decoding + last.duration - first)
      if stream.plan.isEncoded, missing > 0 { last.duration += missing }
    }
    try write(last, &stream)
  }

  private func write(_ sample: DecodeTimeMaker.Sample, _ stream: inout Stream) throws {
    var times = Muxer.Times(
      presentation: sample.presentation, decoding: sample.decoding ?? sample.presentation, duration: sample.duration)
    if times.duration == 0 { times.duration = max(0, stream.tally.lastDelta) }
    let limit = self.limit(stream)
    var discarded = 0
    if !container.isMovie {
      // A picture behind the end may be what earlier ones lean on: it goes only when nothing before the end follows it.
      let place = stream.mediaType == .video && !sample.packet.isDisposable ? times.decoding : times.presentation
      if let limit, place > limit || place == limit && !stream.plan.isEncoded { return }
      if isLeftOut(sample, times, stream) {
        stream.hasDropped = true
        return
      }
      if stream.hasDropped, stream.mediaType == .video, !sample.packet.isKey {
        throw MediaError(
          .operationNotSupported, operation: "write", subject: path,
          reason: "\(container.type) can't hide the pictures before the session's start, and later ones lean on them",
          remedy: "Start the session at a sync sample, or write a container with edit lists")
      }
      stream.hasDropped = false
      if let limit, stream.mediaType == .audio, stream.sampleRate > 0, stream.tellsExcess,
        let cut = excess(of: sample, stream), cut > 0
      {
        discarded = Int(cut)
        times.duration = max(0, min(times.duration, limit - times.presentation))
      }
    }
    // Decode times have to rise: what does not is moved by as little as can be.
    if stream.isStrict, let last = stream.lastDecoding, times.decoding <= last {
      times.decoding = last + 1
    }
    if times.presentation < times.decoding { times.presentation = times.decoding }
    stream.lastDecoding = times.decoding
    if container.isMovie { try checkLength(times, stream) }
    if isFragmented { try cutFragment(sample.packet, times, stream) }
    var stamped = times
    stamped.presentation += stream.delayTicks
    stamped.decoding += stream.delayTicks
    try muxer?.write(sample.packet, stream: stream.number, times: stamped, discardedSamples: discarded)
    stream.tally.add(times)
  }

  /// Movies count how long a sample lasts, and how far the next one is, in 31 bits.
  private func checkLength(_ times: Muxer.Times, _ stream: Stream) throws {
    let last = stream.tally.lastDecoding ?? times.decoding
    guard times.duration > Int64(Int32.max) || times.decoding - last > Int64(Int32.max) else { return }
    func seconds(_ ticks: Int64) -> Double { (Rational(ticks) * stream.tally.tick).doubleValue }
    throw MediaError(
      .limitExceeded, operation: "write", subject: path,
      reason:
        "at \(seconds(max(last, 0))) s nothing changes for \(seconds(max(times.duration, times.decoding - last))) s,"
        + " and \(container.type) tells \(seconds(Int64(Int32.max))) s at most with the clock of this track",
      remedy: "Write Matroska, or samples that last less long")
  }

  /// Samples of sound behind the end of the presentation: counted by themselves, the container's ticks are too coarse.
  private func excess(of sample: DecodeTimeMaker.Sample, _ stream: Stream) -> Int64? {
    let ends = [end, stream.plan.presentedEnd].compactMap(\.self)
    guard let last = ends.min(), sample.end.isNumeric else { return nil }
    return (sample.end - last).ticks(in: Rational(1, Int64(stream.sampleRate)) ?? .one)
  }

  /// Where a track's presentation ends, in its ticks.
  func limit(_ stream: Stream) -> Int64? {
    let ends = [end, stream.plan.presentedEnd].compactMap { time in
      time.flatMap { ($0 - start).ticks(in: stream.tally.tick) }
    }
    return ends.min()
  }

  /// Where each track's presentation ends, from the session's start, by the track's number.
  private var presentedDurations: [UInt64: MediaTime] {
    var ends: [UInt64: MediaTime] = [:]
    for case let stream? in streams where stream.tally.count > 0 {
      let written = MediaTime(Rational(stream.tally.end) * stream.tally.tick)
      let limits = [end, stream.plan.presentedEnd].compactMap { $0.map { $0 - start } }.filter(\.isNumeric)
      let limit = stream.tellsExcess ? limits.min() : nil
      ends[UInt64(stream.number + 1)] = limit.map { min(written, $0) } ?? written
    }
    return ends
  }

  /// Whether a sample before the start is left out, where the container has no edit list to hide it.
  private func isLeftOut(_ sample: DecodeTimeMaker.Sample, _ times: Muxer.Times, _ stream: Stream) -> Bool {
    guard times.presentation < 0, times.presentation + times.duration <= 0 else { return false }
    guard stream.mediaType == .audio else { return stream.mediaType == .video }
    if stream.packetLength > 0, sample.end.isNumeric,
      let before = (start - sample.end).ticks(in: Rational(1, Int64(stream.sampleRate)) ?? .one)
    {
      return before + stream.packetLength > stream.leadLimit
    }
    return Rational(times.presentation) * stream.tally.tick < Rational(-1, 20) ?? .zero
  }

  // MARK: End

  /// Writes what is left, completes the file and gives it its name.
  func finish(_ core: WriterCore) throws {
    do {
      while let batch = core.takeBatch() { try write(batch, core) }
      if !hasHeader { try writeHeader(core, []) }
      end = core.sessionEnd
      let tracks = core.tracks
      // Timed metadata may last as long as the others.
      let order = streams.indices.filter { tracks[$0].mediaType != .metadata }
      for index in order + streams.indices.filter({ tracks[$0].mediaType == .metadata }) {
        guard var stream = streams[index] else { continue }
        stream.plan.presentedEnd = tracks[index].plan.presentedEnd
        try finish(&stream)
        streams[index] = stream
      }
      if isFragmented { try endFragment() }
      try muxer?.writeTrailer()
      muxer = nil
      guard let output else { return }
      if container.isMovie { try completeMovie(output) }
      if container.isMatroska {
        try MatroskaCompletion(output: output, path: path).run(delays, durations: presentedDurations)
      }
      if interrupt.isRaised { throw CancellationError() }
      try output.publish()
      self.output = nil
    } catch {
      throw failure(error)
    }
  }

  /// Removes what was written.
  func abort() {
    muxer = nil
    output?.abandon()
    output = nil
  }

  /// What the output threw says more than libav's number.
  private func failure(_ error: any Error) -> any Error {
    if let cause = muxer?.outputFailure ?? output?.failure { return cause }
    if let error = error as? AVError {
      if error.isInterruption || interrupt.isRaised { return CancellationError() }
      return MediaError.libav(error, operation: "write", subject: path)
    }
    if let error = error as? ISOMediaError {
      return MediaError(
        .writeFailed, operation: "write", subject: path, reason: "the movie header can't be completed: \(error)")
    }
    return error
  }
}
