import ISOMedia
import LibAV

/// Owns the muxer of a writer of segments: takes queued samples in order, decides which segment each belongs into, and
/// hands out each segment when it is complete.
///
/// A track's last sample is held back until the next one is known, so that its duration reaches just there and decode times
/// go on from segment to segment without a gap.
actor SegmentingSession: SampleSink {
  private let executor = StrandExecutor(pool: .writing)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private typealias Sample = DecodeTimeMaker.Sample

  private typealias Stream = SegmentedTrack

  /// Where the next segment begins.
  private struct Boundary {
    var cell: Int64
    /// In the output's time.
    var time: MediaTime
  }

  private let profile: Writer.FileTypeProfile
  private let container: WritableContainer
  private let options: Writer.Options
  private let interrupt: Interrupt
  private let subject = "segments"
  private let buffer = SegmentBuffer()
  private var muxer: Muxer?
  private var streams: [Stream?] = []
  private var reference = 0
  private var start = MediaTime.zero
  private var end: MediaTime?
  private var cell: Int64?
  private var boundary: Boundary?
  private var hasHeader = false
  private var hasInitialization = false
  private var ready: [Writer.Segment] = []
  /// The first sample of each track, until the header is handed out.
  private var firsts: [Int: QueuedSample] = [:]
  private weak var core: WriterCore?
  private var isBusy = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  init(
    profile: Writer.FileTypeProfile, container: WritableContainer, options: Writer.Options, interrupt: Interrupt
  ) {
    self.profile = profile
    self.container = container
    self.options = options
    self.interrupt = interrupt
  }

  func open() throws {}

  // MARK: Turns

  /// Handing out a segment may wait, and samples must not overtake each other meanwhile.
  private func enter() async {
    if isBusy { await withCheckedContinuation { queue.append($0) } } else { isBusy = true }
  }

  private func leave() { if queue.isEmpty { isBusy = false } else { queue.removeFirst().resume() } }

  func drain(_ core: WriterCore) async {
    await enter()
    defer { leave() }
    do { try await writeQueued(core) } catch { core.fail(failure(error)) }
  }

  func finish(_ core: WriterCore) async throws {
    await enter()
    defer { leave() }
    do {
      try await writeQueued(core)
      if !hasHeader { try writeHeader(core) }
      end = core.sessionEnd
      let tracks = core.tracks
      for index in streams.indices {
        streams[index]?.plan.presentedEnd = tracks[index].plan.presentedEnd
        for sample in streams[index]?.times.finish() ?? [] { try place(sample, index, core) }
      }
      if boundary != nil { try closeSegment() }
      try closeSegment()
      muxer = nil
      try await deliver(core)
      if interrupt.isRaised { throw CancellationError() }
    } catch {
      throw failure(error)
    }
  }

  private func writeQueued(_ core: WriterCore) async throws {
    while let batch = core.takeBatch() {
      if !hasHeader { try writeHeader(core) }
      if end == nil { end = core.sessionEnd }
      if !hasInitialization { for (track, sample) in batch where firsts[track] == nil { firsts[track] = sample } }
      for (track, sample) in batch {
        if interrupt.isRaised { throw CancellationError() }
        try write(sample, track, core)
      }
      try await deliver(core)
      core.wakeWaiters(isDrained: false)
    }
    core.wakeWaiters(isDrained: true)
  }

  private func deliver(_ core: WriterCore) async throws {
    guard !ready.isEmpty, let channel = core.segments else { return }
    core.setDelivering(true)
    defer { core.setDelivering(false) }
    while !ready.isEmpty { try await channel.send(ready.removeFirst()) }
  }

  // MARK: Header

  private func writeHeader(_ core: WriterCore) throws {
    self.core = core
    start = core.sessionStart ?? .zero
    reference = core.referenceTrack
    var muxer = try Muxer.make(format: container.muxer, output: buffer, interrupt: interrupt)
    muxer.setMetadata(options.metadata)
    let tracks = core.tracks
    streams = []
    for track in tracks {
      guard let parameters = track.parameters else {
        streams.append(nil)
        continue
      }
      let number = try muxer.addStream(parameters, track.streamOptions(parameters, in: container, isFragmented: true))
      streams.append(
        Stream(
          number: number, plan: track.plan, mediaType: track.mediaType,
          times: DecodeTimeMaker(reorders: track.mediaType == .video && !track.plan.isEncoded)))
    }
    guard streams.contains(where: { $0 != nil }) else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: subject, reason: "no input has any samples",
        remedy: "Append at least one sample")
    }
    if streams[reference] == nil { reference = streams.firstIndex { $0 != nil } ?? 0 }
    var values = container.options.merging(options.muxerOptions) { $1 }
    // Edit lists and decode times are this library's own: tracks that begin late need no empty edit, which browsers ignore.
    values["use_editlist"] = "0"
    values["movflags"] = "frag_custom+delay_moov+default_base_moof"
    values["fragment_index"] = String(max(1, options.initialMovieFragmentSequenceNumber))
    if let scale = WriterCore.Track.commonVideoTimescale(tracks) { values["video_track_timescale"] = String(scale) }
    try muxer.writeHeader(options: values)
    for index in streams.indices {
      guard let number = streams[index]?.number else { continue }
      let base = muxer.timeBase(stream: number)
      streams[index]?.tick = Rational(Int64(base.numerator), Int64(base.denominator)) ?? .one
    }
    self.muxer = consume muxer
    hasHeader = true
  }

  // MARK: Samples

  private func write(_ sample: QueuedSample, _ track: Int, _ core: WriterCore) throws {
    guard let tick = streams[track]?.tick else { return }
    func ticks(_ time: MediaTime) -> Int64? { (start == .zero ? time : time - start).ticks(in: tick) }
    guard let presentation = ticks(sample.presentation) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: subject,
        reason: "a sample of input \(track + 1) has no presentation time",
        remedy: "Decode and encode it: the container of the source gives no times")
    }
    if sample.beginsSegment, !sample.packet.isKey { throw notSync(sample.presentation) }
    let duration = sample.duration.isNumeric ? max(0, sample.duration.ticks(in: tick) ?? 0) : 0
    var queued = Sample(
      packet: sample.packet, presentation: presentation, decoding: ticks(sample.decoding), duration: duration,
      time: sample.presentation)
    // A source that says how much of its last sample is meant says where the sound ends.
    queued.duration = max(0, duration - (sample.trim.end.ticks(in: tick) ?? 0))
    queued.shownStart = sample.isHidden ? nil : ticks(sample.shownStart)
    let made = streams[track]?.times.add(queued)
    for sample in made ?? [] { try place(sample, track, core) }
  }

  private func notSync(_ time: MediaTime) -> MediaError {
    MediaError(
      .segmentStartedWithNonSyncSample, operation: "write", subject: subject,
      reason: "the sample at \(time) would begin a segment, and decoding can't begin with it",
      remedy: "Begin with a sync sample, or let the input encode")
  }

  /// Decides which segment a sample belongs into.
  private func place(_ sample: Sample, _ track: Int, _ core: WriterCore) throws {
    guard let stream = streams[track] else { return }
    var sample = sample
    var decoding = sample.decoding ?? sample.presentation
    if let last = stream.lastDecoding, decoding <= last { decoding = last + 1 }
    sample.decoding = decoding
    sample.presentation = max(sample.presentation, decoding)
    let limit = limit(stream)
    if let limit, (stream.mediaType == .video && !sample.packet.isDisposable ? decoding : sample.presentation) >= limit
    {
      return
    }
    streams[track]?.lastDecoding = decoding
    if stream.lead == nil { streams[track]?.lead = max(0, -decoding) }
    // Samples come in the order of their decode times: all that comes before the boundary is here now.
    let isAlone = !streams.indices.contains { $0 != reference && streams[$0] != nil }
    if let boundary, MediaTime(ticks: decoding, timeBase: stream.tick) >= boundary.time { try closeSegment() }
    if track == reference {
      try placeReference(sample, isAlone: isAlone, core)
    } else if let boundary, MediaTime(ticks: sample.presentation, timeBase: stream.tick) >= boundary.time {
      streams[track]?.next.append(sample)
    } else {
      try hold(sample, track)
    }
  }

  private func placeReference(_ sample: Sample, isAlone: Bool, _ core: WriterCore) throws {
    guard let tick = streams[reference]?.tick else { return }
    // The source's own time, as the encoder asked with.
    let place = sample.packet.isKey ? core.segmentCell(of: sample.time) ?? 0 : nil
    guard let current = cell else {
      guard let place else { throw notSync(sample.time) }
      cell = place
      return try hold(sample, reference)
    }
    if let place, place > boundary?.cell ?? current {
      if boundary != nil { try closeSegment() }
      boundary = Boundary(cell: place, time: MediaTime(ticks: sample.presentation, timeBase: tick))
    }
    if boundary == nil { return try hold(sample, reference) }
    streams[reference]?.next.append(sample)
    if isAlone { try closeSegment() }
  }

  /// Where a track's presentation ends, in its ticks.
  private func limit(_ stream: Stream) -> Int64? {
    [end, stream.plan.presentedEnd].compactMap { time in time.flatMap { ($0 - start).ticks(in: stream.tick) } }.min()
  }

  /// Writes the sample before this one.
  private func hold(_ sample: Sample, _ track: Int) throws {
    try release(track, until: sample.decoding)
    streams[track]?.held = sample
  }

  private func release(_ track: Int, until next: Int64?) throws {
    guard let sample = streams[track]?.held, let stream = streams[track] else { return }
    streams[track]?.held = nil
    let decoding = sample.decoding ?? sample.presentation
    var own = sample.duration > 0 ? sample.duration : max(0, stream.content.lastDelta)
    if let limit = limit(stream), stream.mediaType == .audio || sample.presentation < limit {
      own = max(0, min(own, limit - sample.presentation))
    }
    let duration = next.map { $0 - decoding } ?? own
    streams[track]?.content.add(sample, end: sample.presentation + own, delta: duration)
    try muxer?.write(
      sample.packet, stream: stream.number,
      times: .init(presentation: sample.presentation, decoding: decoding, duration: duration))
  }

  // MARK: Segments

  /// Completes the segment, and begins the next one with what belongs into it.
  private func closeSegment() throws {
    let boundary = boundary
    self.boundary = nil
    for index in streams.indices { try release(index, until: streams[index]?.next.first?.decoding) }
    if streams.contains(where: { ($0?.content.count ?? 0) > 0 }) { try flush(boundary?.time) }
    if let boundary { cell = boundary.cell }
    for index in streams.indices {
      let waiting = streams[index]?.next ?? []
      streams[index]?.next = []
      streams[index]?.content.reset()
      for sample in waiting { try hold(sample, index) }
    }
  }

  private func flush(_ boundary: MediaTime?) throws {
    // The first call writes the header alone.
    if !hasInitialization { try muxer?.flush() }
    try muxer?.flush()
    let bytes = buffer.take()
    var (header, moof, rest) = ([UInt8](), [UInt8](), [UInt8]())
    for box in BoxSequence(bytes) {
      switch box.type {
      case "moov": header += bytes[box.range]
      case "moof": moof += bytes[box.range]
      case "mdat": rest += bytes[box.range]
      default: break
      }
    }
    if !hasInitialization {
      hasInitialization = true
      defer { firsts = [:] }
      ready.append(.init(kind: .initialization, data: try initialization(header), report: nil))
    }
    var times: [UInt32: UInt64] = [:]
    for case let stream? in streams {
      guard let first = stream.content.firstDecoding else { continue }
      times[UInt32(stream.number + 1)] = UInt64(max(0, first + (stream.lead ?? 0)))
    }
    try SegmentWriting.setDecodeTimes(times, in: &moof)
    let media = head(size: moof.count + rest.count, boundary)
    let report = SegmentReportMaker(
      tracks: streams.map { stream in
        stream.map { .init(id: UInt32($0.number + 1), mediaType: $0.mediaType, tick: $0.tick, content: $0.content) }
      }, reference: reference, boundary: boundary
    ).report(moof: moof, offset: media.count)
    ready.append(.init(kind: .separable, data: media + moof + rest, report: report))
  }

  private func initialization(_ header: [UInt8]) throws -> [UInt8] {
    var edit = MovieEdit()
    // Sound counts samples, and its edits are the ones with a length.
    let sound = streams.compactMap(\.self).first { $0.mediaType == .audio }
    let timescale = (sound ?? streams.compactMap(\.self).first)?.tick.denominator ?? 1000
    edit.timescale = UInt32(clamping: timescale)
    edit.keepsDurations = true
    for (index, stream) in streams.enumerated() {
      guard let stream else { continue }
      var track = TrackEdit()
      track.edits = stream.edits(timescale: timescale, first: firstSample(of: index))
      track.isEnabled = stream.plan.isEnabled
      track.alternateGroup = stream.plan.alternateGroup ?? 0
      track.extendedLanguage = stream.plan.extendedLanguage
      track.language = stream.plan.metadata["language"]
      track.volume = stream.plan.volume
      track.cleanAperture = stream.plan.cleanAperture
      edit.tracks[UInt32(stream.number + 1)] = track
    }
    let tagging = try MovieTagging(
      movie: options.metadataItems, tracks: core?.tracks ?? [], numbers: streams.map { $0?.number },
      container: container,
      path: subject)
    var rewriter = MovieRewriter(try tagging?.applied(to: header, path: subject) ?? header, edit: edit)
    let brands: [FourCharacterCode] =
      profile == .mpeg4CMAFCompliant ? ["iso6", "mp41", "cmfc"] : ["iso6", "mp41", "hlsf"]
    return SegmentWriting.brands("ftyp", major: brands.last ?? "iso6", compatible: brands)
      + (try rewriter.rewritten())
  }

  /// When a track begins of which nothing was written yet; the other tracks have waited for its first sample.
  private func firstSample(of track: Int) -> (presentation: Int64, shown: Int64)? {
    guard let tick = streams[track]?.tick, let sample = firsts[track] ?? core?.firstSample(of: track),
      let presentation = (sample.presentation - start).ticks(in: tick),
      let shown = (sample.shownStart - start).ticks(in: tick)
    else { return nil }
    return (presentation, shown)
  }

  /// What comes before `moof`.
  private func head(size: Int, _ boundary: MediaTime?) -> [UInt8] {
    guard profile == .mpeg4CMAFCompliant, let stream = streams[reference] else {
      return SegmentWriting.brands("styp", major: "msdh", compatible: ["msdh", "msix"])
    }
    let first = stream.content.firstPresentation
    let last = boundary?.ticks(in: stream.tick) ?? stream.content.end
    return SegmentWriting.brands("styp", major: "cmfs", compatible: ["cmfs", "cmff", "msdh", "msix"])
      + SegmentWriting.index(
        trackID: UInt32(stream.number + 1), timescale: UInt32(clamping: stream.tick.denominator),
        start: UInt64(max(0, first + (stream.lead ?? 0))), duration: UInt32(clamping: last - first),
        size: UInt32(clamping: size))
  }

  func abort() {
    muxer = nil
    ready = []
    streams = []
  }

  private func failure(_ error: any Error) -> any Error {
    if let error = error as? AVError {
      if error.isInterruption || interrupt.isRaised { return CancellationError() }
      return MediaError.libav(error, operation: "write", subject: subject)
    }
    if let error = error as? ISOMediaError {
      return MediaError(
        .writeFailed, operation: "write", subject: subject, reason: "a segment can't be completed: \(error)")
    }
    return error
  }
}
