import LibAV

/// One pass over the presented sound of a track: its segments in order, cut to the sample at both ends.
final class SoundRun: SampleRun {
  let session: AudioSession
  private let timeline: TrackTimeline
  private var start: Rational?
  private var end: Rational?
  private var segments: [TrackTimeline.Segment]
  private var segment: TrackTimeline.Segment?
  private var batch: ArraySlice<DecodedSound> = []
  /// Whether the next batch is decoded while this one is used: tracks that are mixed decode side by side. To wait for each
  /// is a tenth cheaper where nothing else is to be done.
  private let decodesAhead: Bool
  private var ahead: Task<SoundBatch, any Error>?
  private(set) var damage = SampleDamage()

  init(track: AssetTrack, range: MediaTimeRange?, settings: AudioOutputSettings, decodesAhead: Bool = false)
    async throws
  {
    guard track.mediaType == .audio else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: track.subject, reason: "it is no sound track")
    }
    try settings.check(subject: track.subject)
    if let range, !range.isValid {
      throw MediaError(
        .invalidArgument, operation: "decode", subject: track.subject, reason: "the range is invalid")
    }
    self.decodesAhead = decodesAhead
    timeline = try await Self.timeline(track)
    session = AudioSession(
      opener: try await track.opener(), timeBase: timeline.timeBase,
      origin: timeline.segments.first { !$0.isEmpty }?.source ?? .zero, settings: settings)
    segments = []
    setRange(range)
  }

  /// The track's timeline, closed where its fragments say that the sound ends: the last sample is cut there, as it is in
  /// files that list their samples.
  private static func timeline(_ track: AssetTrack) async throws -> TrackTimeline {
    let timeline = track.track.timeline
    guard timeline.end == nil, try await track.asset.header().containsFragments,
      let end = try await track.asset.fragmentEnd(of: track.track), var last = timeline.segments.last, end > last.start
    else { return timeline }
    last.duration = end - last.start
    return TrackTimeline(timeBase: timeline.timeBase, segments: timeline.segments.dropLast() + [last])
  }

  deinit { ahead?.cancel() }

  func begin(_ range: MediaTimeRange) {
    // What is under way ends at once: the session begins nothing else before it has.
    ahead?.cancel()
    ahead = nil
    segment = nil
    batch = []
    setRange(range)
  }

  private func setRange(_ range: MediaTimeRange?) {
    start = range?.start.rational
    end = range?.end.rational
    segments = timeline.segments.filter { segment in
      guard !segment.isEmpty else { return false }
      if let start, let segmentEnd = segment.end, segmentEnd <= start { return false }
      if let end, segment.start >= end { return false }
      return true
    }
  }

  func next() async throws -> SampleBuffer? {
    try await nextSound().map {
      SampleBuffer(content: .sound($0), presentationTime: $0.time, duration: $0.duration)
    }
  }

  /// The next stretch of presented sound; nil at the end.
  func nextSound() async throws -> AudioBuffer? {
    while true {
      if let segment, let sound = batch.popFirst() {
        return sound.buffer.retimed(MediaTime(time(of: sound, in: segment)))
      }
      if segment == nil, try await !enterNext() { return nil }
      let next = try await nextBatch()
      damage = next.damage
      batch = next.sounds[...]
      if batch.isEmpty {
        segment = nil
      } else if decodesAhead {
        ahead = Task { [session] in try await session.next() }
      }
    }
  }

  private func nextBatch() async throws -> SoundBatch {
    guard let ahead else { return try await session.next() }
    self.ahead = nil
    return try await withTaskCancellationHandler {
      let batch = try await ahead.value
      try Task.checkCancellation()
      return batch
    } onCancel: {
      ahead.cancel()
    }
  }

  /// Hands all presented sound to a meter, where the decoder left it.
  ///
  /// - Parameter progress: Told now and then how many samples were read.
  func measure(with meter: PeakMeter, progress: (Int64) -> Void) async throws {
    while try await enterNext() {
      // Some tens of milliseconds of work a visit: every one may run on another thread, with other memory at hand.
      while try await session.measure(with: meter, limit: 4000) { progress(meter.sampleCount) }
    }
    progress(meter.sampleCount)
  }

  /// Goes to the next segment; false after the last.
  private func enterNext() async throws -> Bool {
    guard !segments.isEmpty else { return false }
    let next = segments.removeFirst()
    segment = next
    try await session.begin(window(of: next))
    return true
  }

  /// The stored times that a segment presents, within the asked range.
  private func window(of segment: TrackTimeline.Segment) -> SoundWindow {
    let source = segment.source ?? .zero
    let from = max(segment.start, start ?? segment.start)
    var until = segment.end
    if let end { until = min(until ?? end, end) }
    // Stored sound runs at its own speed; a segment's rate maps the asset's time onto it.
    return SoundWindow(
      lower: source + (from - segment.start) * segment.rate,
      upper: until.map { source + ($0 - segment.start) * segment.rate })
  }

  private func time(of sound: DecodedSound, in segment: TrackTimeline.Segment) -> Rational {
    let speed = segment.rate == .zero ? .one : segment.rate
    return max(segment.start, segment.start + (sound.time - (segment.source ?? .zero)) / speed)
  }
}
