/// Where a track's stored time lies on the asset's timeline: its edit list, or one shift for containers without one.
///
/// Pure arithmetic on exact fractions of seconds. A segment's source time is stored time in seconds (ticks times the
/// time base); an open segment has no end because the container does not say where the media ends.
struct TrackTimeline: Sendable, Hashable {
  struct Segment: Sendable, Hashable {
    /// Start on the asset's timeline.
    var start: Rational
    /// nil: until the media ends.
    var duration: Rational?
    /// Stored time shown at the start; nil: an empty edit.
    var source: Rational?
    /// Stored seconds for each second of the asset; 0 dwells on one picture.
    var rate: Rational

    var end: Rational? { duration.map { start + $0 } }
    var isEmpty: Bool { source == nil }
  }

  /// Seconds of one tick.
  let timeBase: Rational
  let segments: [Segment]

  /// One segment that starts at the stored time `origin`, with the asset's zero there.
  init(timeBase: Rational, origin: Rational = .zero) {
    self.timeBase = timeBase
    segments = [Segment(start: .zero, duration: nil, source: origin, rate: .one)]
  }

  /// An edit list: durations in the movie's ticks, media times in the track's.
  ///
  /// A last entry of duration 0 lasts until the media ends (fragmented files). An edit list of empty entries
  /// only, as broken muxers write, is followed by the whole media.
  init(
    timeBase: Rational, movieTimescale: Int64,
    edits: [(duration: UInt64, mediaTime: Int64, rate: Int32)]
  ) {
    self.timeBase = timeBase
    let movieTick = Rational(1, max(1, movieTimescale)) ?? .one
    var segments: [Segment] = []
    var start = Rational.zero
    for (index, edit) in edits.enumerated() {
      let ticks = Int64(clamping: edit.duration)
      let isOpen = ticks == 0 && index == edits.count - 1 && edit.mediaTime >= 0
      if ticks == 0 && !isOpen { continue }
      let duration = isOpen ? nil : movieTick * Rational(ticks)
      let rate =
        edit.rate <= 0
        ? (edit.rate == 0 ? .zero : .one) : Rational(Int64(edit.rate), 65_536) ?? .one
      segments.append(
        Segment(
          start: start, duration: duration,
          source: edit.mediaTime < 0 ? nil : timeBase * Rational(edit.mediaTime), rate: rate))
      if let duration { start = start + duration }
    }
    if !segments.contains(where: { !$0.isEmpty }) {
      segments.append(Segment(start: start, duration: nil, source: .zero, rate: .one))
    }
    self.segments = segments
  }

  init(timeBase: Rational, segments: [Segment]) {
    self.timeBase = timeBase
    self.segments = segments
  }

  /// The first moment that is not empty.
  var start: Rational { segments.first { !$0.isEmpty }?.start ?? .zero }
  /// The end; nil while a segment is open.
  var end: Rational? { segments.last?.end ?? (segments.isEmpty ? .zero : nil) }

  /// The timeline with its open segment closed where the media ends, in stored seconds.
  func closed(atMediaEnd mediaEnd: Rational) -> TrackTimeline {
    guard var last = segments.last, last.duration == nil, let source = last.source else {
      return self
    }
    let length = mediaEnd - source
    last.duration = length < .zero ? .zero : length
    return TrackTimeline(timeBase: timeBase, segments: segments.dropLast() + [last])
  }

  /// The segment that holds an asset time; segments are half open.
  func segmentIndex(at time: Rational) -> Int? {
    segments.firstIndex { segment in
      segment.start <= time && segment.end.map { time < $0 } ?? true
    }
  }

  /// The stored tick on show at an asset time within a segment: the last tick at or before it.
  func tick(at time: Rational, in segment: Segment) -> Int64? {
    guard let source = segment.source else { return nil }
    let stored = source + (time - segment.start) * segment.rate
    return Rational.floor(stored, in: timeBase)
  }

  /// The asset time of a stored tick within a segment; before its start for pictures that began earlier.
  func time(ofTick tick: Int64, in segment: Segment) -> Rational {
    time(ofStored: timeBase * Rational(tick), in: segment)
  }

  /// The asset time of a stored moment in seconds within a segment.
  func time(ofStored moment: Rational, in segment: Segment) -> Rational {
    guard let source = segment.source, segment.rate != .zero else { return segment.start }
    return segment.start + (moment - source) / segment.rate
  }
}

/// Fractions that never fail: where 64 bits do not hold the exact result (times with incommensurable scales of hostile
/// files), the nearest nanosecond stands in.
extension Rational {

  static func + (left: Rational, right: Rational) -> Rational {
    left.adding(right) ?? approximating(left.doubleValue + right.doubleValue)
  }
  static func - (left: Rational, right: Rational) -> Rational {
    left.subtracting(right) ?? approximating(left.doubleValue - right.doubleValue)
  }
  static func * (left: Rational, right: Rational) -> Rational {
    left.multiplied(by: right) ?? approximating(left.doubleValue * right.doubleValue)
  }
  static func / (left: Rational, right: Rational) -> Rational {
    left.divided(by: right)
      ?? approximating(right == .zero ? 0 : left.doubleValue / right.doubleValue)
  }

  /// The whole number of `unit`s at or below `value`, saturating.
  static func floor(_ value: Rational, in unit: Rational) -> Int64 {
    value.divided(by: unit).flatMap { $0.rounded(.down) }
      ?? Int64(saturating: (value.doubleValue / unit.doubleValue).rounded(.down))
  }

  private static func approximating(_ value: Double) -> Rational {
    Rational(Int64(saturating: (value * 1e9).rounded()), 1_000_000_000) ?? .zero
  }
}

extension Int64 {
  /// The nearest Int64; 0 for NaN.
  init(saturating value: Double) {
    self = Int64(exactly: value.rounded(.towardZero)) ?? (value.isNaN ? 0 : value < 0 ? .min : .max)
  }
}
