import LibAV

/// One pass over the stored samples of a track, in decode order.
final class StoredRun: SampleRun {
  private let session: PacketSession
  private let timeline: TrackTimeline
  private let shown: [TrackTimeline.Segment]
  private let sampleRate: Int
  private let hasPictures: Bool
  /// Whether the file's own durations and edits say what is presented: what libav makes of them is not taken off again.
  private let isMovie: Bool
  private var isAll = true
  private var start = Rational.zero
  private var end: Rational?
  private var hasBegun = false
  /// Whether nothing that follows is presented within the range.
  private var isOver = false
  /// Read already and not looked at.
  private var packets: ArraySlice<Packet> = []
  /// How many to read at once: more and more, so that whoever wants the first sample waits for no others.
  private var batch = 1
  /// Samples behind the range's end, given only when one that follows them in decode order lies within it.
  private var behind: [SampleBuffer] = []
  private var ready: ArraySlice<SampleBuffer> = []
  private(set) var damage = SampleDamage()

  /// Samples behind the end after which no earlier one follows: more than any codec reorders.
  private static let reorderLimit = 33

  /// - Parameter fillsTimes: Samples whose container does not say when they are presented get such times, where they
  ///   follow from the others'.
  init(track: AssetTrack, range: MediaTimeRange, fillsTimes: Bool = false) async throws {
    var source = try await track.trackSource()
    if fillsTimes {
      source.options.fillsTimes = true
      // The delay of reordering is learnt from pictures.
      source.needsStreamInfo = true
    } else {
      source.readsAsStored(track, isFragmented: try await track.asset.header().containsFragments)
    }
    session = PacketSession(source: source)
    timeline = track.track.timeline
    shown = timeline.segments.filter { !$0.isEmpty }
    sampleRate = track.mediaType == .audio ? track.track.stream?.sampleRate ?? 0 : 0
    hasPictures = track.mediaType == .video
    isMovie = track.track.iso != nil
    setRange(range)
  }

  func begin(_ range: MediaTimeRange) async throws {
    setRange(range)
    if isAll { await session.rewind() }
  }

  private func setRange(_ range: MediaTimeRange) {
    start = range.start.rational ?? .zero
    end = range.end.rational
    isAll = start <= .zero && end == nil
    (hasBegun, isOver) = (false, false)
    (packets, batch) = ([], 1)
    behind = []
    ready = []
  }

  func next() async throws -> SampleBuffer? {
    if !hasBegun {
      hasBegun = true
      if !isAll { try await goToStart() }
    }
    while true {
      if let sample = ready.popFirst() { return sample }
      guard !isOver, let packet = try await readPacket() else { return nil }
      let sample = sample(packet)
      guard let end, let time = sample.presentationTime.rational, time >= end else {
        guard !behind.isEmpty else { return sample }
        ready = behind[...] + [sample]
        behind = []
        continue
      }
      // Pictures that are shown before this one, and lean on it, may still follow it; what comes next tells.
      if behind.count >= Self.reorderLimit { isOver = true }
      if let decode = sample.decodeTime.rational, decode >= end { isOver = true }
      if hasPictures { behind.append(sample.hidden()) } else { isOver = true }
    }
  }

  private func readPacket() async throws -> Packet? {
    if packets.isEmpty {
      let read = try await session.next(upTo: batch)
      damage = read.damage
      packets = read.packets[...]
      batch = min(64, batch * 2)
    }
    return packets.popFirst()
  }

  /// Stands at the sync sample from which the range can be decoded. Seeks are hints: what arrives is looked at.
  private func goToStart() async throws {
    let shown = timeline.segments.first { segment in
      !segment.isEmpty && segment.end.map { $0 > start } ?? true && end.map { segment.start < $0 } ?? true
    }
    guard let shown, let goal = timeline.tick(at: max(start, shown.start), in: shown) else {
      isOver = true
      return
    }
    let second = max(1, Rational.floor(.one, in: timeline.timeBase))
    var distance: Int64 = 0
    while true {
      let (target, overflow) = goal.subtractingReportingOverflow(distance)
      (packets, batch) = ([], 1)
      guard !overflow, distance < 1 << 40, try await session.seek(to: target) else { return await session.rewind() }
      // Before a sync sample nothing can be decoded.
      var packet = try await readPacket()
      while let found = packet, hasPictures, !found.isKey { packet = try await readPacket() }
      guard let packet, let time = packet.pts ?? packet.dts else {
        packets = []
        return await session.rewind()
      }
      if time <= goal {
        packets = [packet] + packets
        return
      }
      distance = distance == 0 ? second : distance * 2
    }
  }

  private func sample(_ packet: Packet) -> SampleBuffer {
    let segment = segment(of: packet.pts ?? packet.dts)
    func time(_ tick: Int64?) -> MediaTime {
      guard let tick, let segment else { return .invalid }
      return MediaTime(timeline.time(ofTick: tick, in: segment.segment))
    }
    let presentation = time(packet.pts)
    let length = timeline.timeBase * Rational(packet.duration)
    let duration = packet.duration > 0 ? MediaTime(length) : .invalid
    var isHidden = segment.map { !isPresented(packet, in: $0) } ?? false
    if !isAll, let begin = presentation.rational, begin < start, begin + length <= start { isHidden = true }
    let sample = SampleBuffer(
      content: .stored(StoredSample(packet: packet)), presentationTime: presentation, decodeTime: time(packet.dts),
      duration: duration, isSync: packet.isKey, isDisposable: packet.isDisposable, isHidden: isHidden)
    guard sampleRate > 0, !isHidden, let segment else { return sample }
    return trimmed(sample, packet, segment.segment)
  }

  /// States how much of a stored stretch of sound is not presented.
  private func trimmed(_ sample: SampleBuffer, _ packet: Packet, _ segment: TrackTimeline.Segment) -> SampleBuffer {
    guard let tick = packet.pts ?? packet.dts, let source = segment.source else { return sample }
    let begin = timeline.timeBase * Rational(tick)
    let end = begin + timeline.timeBase * Rational(packet.duration)
    let skipped = isMovie ? nil : packet.skippedSamples
    func seconds(_ samples: Int?) -> Rational {
      Rational(Int64(samples ?? 0), Int64(sampleRate)) ?? .zero
    }
    let atStart = max(seconds(skipped?.start), source - begin, .zero)
    let limit = segment.duration.map { source + $0 * segment.rate }
    let atEnd = max(seconds(skipped?.end), limit.map { end - $0 } ?? .zero, .zero)
    guard atStart > .zero || atEnd > .zero else { return sample }
    let length = end - begin
    return sample.trimmed(start: MediaTime(min(atStart, length)), end: MediaTime(min(atEnd, length)))
  }

  /// The first segment that presents a stored tick, else the first one that presents anything: what lies outside keeps
  /// its distance to it.
  private func segment(of tick: Int64?) -> (segment: TrackTimeline.Segment, holds: Bool)? {
    if let tick, let holder = shown.first(where: { holds(tick, $0) }) { return (holder, true) }
    return shown.first.map { ($0, false) }
  }

  private func holds(_ tick: Int64, _ segment: TrackTimeline.Segment) -> Bool {
    guard let source = segment.source else { return false }
    let stored = timeline.timeBase * Rational(tick)
    guard stored >= source else { return false }
    return segment.duration.map { stored < source + $0 * segment.rate } ?? true
  }

  /// A sample that begins before a segment and reaches into it is presented in part.
  private func isPresented(_ packet: Packet, in found: (segment: TrackTimeline.Segment, holds: Bool)) -> Bool {
    if found.holds { return true }
    guard let tick = packet.pts ?? packet.dts else { return true }
    let begin = timeline.timeBase * Rational(tick)
    let end = begin + timeline.timeBase * Rational(packet.duration)
    return timeline.segments.contains { segment in
      guard let source = segment.source else { return false }
      let upper = segment.duration.map { source + $0 * segment.rate }
      return end > source && upper.map { begin < $0 } ?? true
    }
  }
}
