import LibAV

/// One pass over the presented sound of a track: its segments in order, cut to the sample at both ends.
final class SoundRun {
  private let session: AudioSession
  private let start: Rational?
  private let end: Rational?
  private var segments: [TrackTimeline.Segment]
  private var segment: TrackTimeline.Segment?

  init(track: AssetTrack, range: MediaTimeRange?, settings: AudioOutputSettings) async throws {
    guard track.mediaType == .audio else {
      throw MediaError(.noSourceTrack, operation: "decode", subject: track.subject, reason: "it is no sound track")
    }
    session = AudioSession(
      opener: try await track.opener(), timeBase: track.track.timeline.timeBase, settings: settings)
    start = range?.start.rational
    end = range?.end.rational
    let (start, end) = (start, end)
    segments = track.track.timeline.segments.filter { segment in
      guard !segment.isEmpty else { return false }
      if let start, let segmentEnd = segment.end, segmentEnd <= start { return false }
      if let end, segment.start >= end { return false }
      return true
    }
  }

  /// The next stretch of presented sound; nil at the end.
  func next() async throws -> AudioBuffer? {
    while true {
      if segment == nil {
        guard !segments.isEmpty else { return nil }
        let next = segments.removeFirst()
        segment = next
        try await session.seek(to: window(of: next).lower)
      }
      guard let current = segment else { continue }
      guard let sound = try await session.next() else {
        segment = nil
        continue
      }
      let window = window(of: current)
      if let upper = window.upper, sound.time >= upper {
        segment = nil
        continue
      }
      if let buffer = Self.cut(sound, lower: window.lower, upper: window.upper, segment: current) { return buffer }
    }
  }

  /// The stored times that a segment presents, within the asked range.
  private func window(of segment: TrackTimeline.Segment) -> (lower: Rational, upper: Rational?) {
    let source = segment.source ?? .zero
    let from = max(segment.start, start ?? segment.start)
    var until = segment.end
    if let end { until = min(until ?? end, end) }
    // Stored sound runs at its own speed; a segment's rate maps the asset's time onto it.
    return (source + (from - segment.start) * segment.rate, until.map { source + ($0 - segment.start) * segment.rate })
  }

  /// The samples inside the window; nil when none is. A sample belongs to the window when it starts in it, by the
  /// nearest sample: edit lists state their times in coarser ticks than samples.
  static func cut(
    _ sound: DecodedSound, lower: Rational, upper: Rational?, segment: TrackTimeline.Segment
  ) -> AudioBuffer? {
    let rate = Rational(Int64(sound.buffer.sampleRate))
    func samples(until moment: Rational) -> Int {
      Int(((moment - sound.time) * rate).rounded() ?? (moment < sound.time ? 0 : Int64(sound.buffer.sampleCount)))
    }
    let first = min(sound.buffer.sampleCount, max(0, samples(until: lower)))
    let last = upper.map { min(sound.buffer.sampleCount, max(0, samples(until: $0))) } ?? sound.buffer.sampleCount
    guard last > first else { return nil }
    let stored = sound.time + (Rational(Int64(first), Int64(sound.buffer.sampleRate)) ?? .zero)
    let speed = segment.rate == .zero ? .one : segment.rate
    let time = segment.start + (stored - (segment.source ?? .zero)) / speed
    return sound.buffer.trimmed(first: first, count: last - first, time: MediaTime(max(time, segment.start)))
  }
}
