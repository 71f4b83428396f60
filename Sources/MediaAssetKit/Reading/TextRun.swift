import LibAV

/// One pass over the presented cues of a text track, cut to its segments and to the range asked for.
///
/// Reads from the track's first sample whatever the range: a cue that began long ago may still be on show.
final class TextRun: SampleRun {
  private let session: TextSession?
  /// Captions that come with pictures.
  private let captions: CaptionRun?
  private let timeline: TrackTimeline
  private var start: Rational?
  private var end: Rational?
  private var segments: [TrackTimeline.Segment] = []
  private var segment: TrackTimeline.Segment?
  /// Cues without an end of their own, and those that can be given.
  private var open: [TextSession.StoredCue] = []
  private var ready: ArraySlice<TextCue> = []
  private var isAtEnd = false
  private(set) var damage = SampleDamage()

  /// How many cues may be open at once.
  private static let maximumOpen = 1000

  init(track: AssetTrack, range: MediaTimeRange) async throws {
    timeline = track.track.timeline
    if track.mediaType == .video {
      captions = try await CaptionRun(track: track, range: range)
      session = nil
    } else {
      captions = nil
      session = TextSession(
        source: try await track.trackSource(), coding: try TextCoding(track), timeBase: timeline.timeBase)
    }
    setRange(range)
  }

  func begin(_ range: MediaTimeRange) async throws {
    setRange(range)
    try await captions?.begin(range)
  }

  /// The head of an ASS file with the styles that cues name; empty where there is none.
  func header() async throws -> String { try await session?.header() ?? "" }

  private func setRange(_ range: MediaTimeRange) {
    start = range.start.rational
    end = range.end.rational
    segments = timeline.segments.filter { segment in
      guard !segment.isEmpty, segment.rate != .zero else { return false }
      if let start, let segmentEnd = segment.end, segmentEnd <= start { return false }
      if let end, segment.start >= end { return false }
      return true
    }
    segment = nil
    open = []
    ready = []
  }

  func next() async throws -> SampleBuffer? {
    try await nextCue().map {
      SampleBuffer(content: .text($0), presentationTime: $0.time, duration: $0.duration)
    }
  }

  /// The next cue; nil at the range's end.
  func nextCue() async throws -> TextCue? {
    if let captions {
      defer { damage = captions.damage }
      return try await captions.next()
    }
    while true {
      if let cue = ready.popFirst() { return cue }
      if segment == nil {
        guard !segments.isEmpty else { return nil }
        segment = segments.removeFirst()
        isAtEnd = false
        await session?.rewind()
      }
      guard !isAtEnd, let batch = try await session?.next() else {
        // What is still on show stays to the end of its segment.
        let rest = open
        open = []
        ready = rest.compactMap { present($0, until: nil) }[...]
        if ready.isEmpty { segment = nil } else { isAtEnd = true }
        continue
      }
      damage = batch.damage
      take(batch)
    }
  }

  private func take(_ batch: TextSession.Batch) {
    let ended = open
    open = batch.cues.filter { $0.end == nil }.suffix(Self.maximumOpen)
    let closed = ended.compactMap { present($0, until: batch.start) }
    ready = (closed + batch.cues.filter { $0.end != nil }.compactMap { present($0, until: nil) })[...]
    if let segment, let limit = bounds(segment).high, closed.isEmpty, ready.isEmpty,
      timeline.time(ofStored: batch.start, in: segment) >= limit
    {
      isAtEnd = true
    }
  }

  private func bounds(_ segment: TrackTimeline.Segment) -> (low: Rational, high: Rational?) {
    let low = max(segment.start, start ?? segment.start)
    return (low, [segment.end, end].compactMap(\.self).min())
  }

  /// The part of a cue that the segment and the range show; nil for none and for empty text.
  private func present(_ stored: TextSession.StoredCue, until next: Rational?) -> TextCue? {
    guard let segment, !stored.cue.isEmpty else { return nil }
    let (low, high) = bounds(segment)
    let begin = max(low, timeline.time(ofStored: stored.start, in: segment))
    var until = (stored.end ?? next).map { timeline.time(ofStored: $0, in: segment) }
    if let high { until = min(until ?? high, high) }
    // A last cue without any end is on show for the usual reading time.
    let finish = until ?? begin + Rational(4)
    guard finish > begin else { return nil }
    return stored.cue.retimed(MediaTime(begin), MediaTime(finish - begin))
  }
}

/// CEA-608 captions that a video track carries with its pictures; decodes the pictures.
final class CaptionRun {
  private let frames: FrameRun
  private let session: CaptionSession
  private var ready: ArraySlice<TextCue> = []
  private var isFinished = false
  var damage: SampleDamage { frames.damage }

  init(track: AssetTrack, range: MediaTimeRange) async throws {
    frames = try await FrameRun(track: track, range: range)
    session = CaptionSession(subject: track.subject)
  }

  func begin(_ range: MediaTimeRange) async throws {
    frames.begin(range)
    await session.restart()
    ready = []
    isFinished = false
  }

  func next() async throws -> TextCue? {
    while true {
      if let cue = ready.popFirst() { return cue }
      guard !isFinished else { return nil }
      guard let frame = try await frames.nextFrame() else {
        isFinished = true
        ready = try await session.finish()[...]
        continue
      }
      let bytes = frame.pixelBuffer.frame.captionBytes
      guard !bytes.isEmpty, let time = frame.time.rational else { continue }
      ready = try await session.decode(bytes, at: time)[...]
    }
  }
}

/// Decodes the caption bytes of pictures in order of presentation.
actor CaptionSession {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let subject: String
  private var decoder: SubtitleDecoder?
  /// Times of the pictures since the last cue, because the decoder's are in microseconds.
  private var times: [Rational] = []

  init(subject: String) { self.subject = subject }

  func restart() {
    decoder = nil
    times = []
  }

  func decode(_ bytes: [UInt8], at time: Rational) throws -> [TextCue] {
    times.append(time)
    // Cues are on show for minutes at most.
    if times.count > 40_000 { times.removeFirst(20_000) }
    let microseconds = (time * Rational(1_000_000)).rounded() ?? 0
    return try run(bytes, microseconds)
  }

  func finish() throws -> [TextCue] { decoder == nil ? [] : try run([], nil) }

  private func run(_ bytes: [UInt8], _ microseconds: Int64?) throws -> [TextCue] {
    do {
      if decoder == nil {
        decoder = try SubtitleDecoder.open(codec: "eia_608", extradata: [], timeBase: (1, 1_000_000))
      }
      guard let result = try decoder?.decode(bytes, pts: microseconds, duration: 0),
        let from = result.startMicroseconds
      else { return [] }
      let start = nearest(from)
      let end = result.endMilliseconds.map { nearest(from + $0 * 1000) } ?? times.last ?? start
      return result.events.compactMap { event in
        let cue = TextCue(
          event: TextCoding.string(event), time: MediaTime(start), duration: MediaTime(max(.zero, end - start)))
        return cue.flatMap { $0.isEmpty || $0.duration <= .zero ? nil : $0 }
      }
    } catch { throw MediaError.libav(error, operation: "decode", subject: subject) }
  }

  /// The picture's exact time that the decoder's stands for.
  private func nearest(_ microseconds: Int64) -> Rational {
    let time = Rational(microseconds, 1_000_000) ?? .zero
    let nearest = times.min { ($0 - time).magnitude < ($1 - time).magnitude }
    guard let nearest, (nearest - time).magnitude <= Rational(2, 1000) ?? .zero else { return time }
    return nearest
  }
}
