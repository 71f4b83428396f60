/// Where in the stored media a requested time falls, and which pictures may serve: pure arithmetic on one track's timeline.
struct ImageRequest: Sendable {
  /// What to decode.
  enum Goal: Sendable, Hashable {
    /// The picture on show at a stored tick.
    case exact(tick: Int64)
    /// The key picture nearest to a stored tick; the exact one where that does not fit.
    case key(tick: Int64)
  }

  var time: Rational
  /// The earliest and latest time that the image may have; nil is unbounded.
  var earliest: Rational?
  var latest: Rational?
  var segment: TrackTimeline.Segment
  var goal: Goal

  var isExact: Bool { earliest == time && latest == time }

  func allows(_ actual: Rational) -> Bool {
    if let earliest, actual < earliest { return false }
    if let latest, actual > latest { return false }
    return true
  }
}

/// Plans requests against a timeline, and where an index exists also against the pictures themselves.
struct ImageRequestPlanner: Sendable {
  var timeline: TrackTimeline
  var index: VideoIndex?
  /// Key pictures' ticks where the container lists them without an index.
  var keyTimes: [Int64]

  /// - Throws: `noImageAtTime` when no picture is on show and the tolerance does not reach one.
  func plan(_ time: Rational, before: Rational?, after: Rational?, subject: String) throws
    -> ImageRequest
  {
    let earliest = before.map { time - $0 }
    let latest = after.map { time + $0 }
    if let number = timeline.segmentIndex(at: time), !timeline.segments[number].isEmpty {
      let segment = timeline.segments[number]
      let tick = timeline.tick(at: time, in: segment) ?? 0
      if let index, tick < index.first {
        return try neighbour(of: time, earliest: earliest, latest: latest, subject: subject)
      }
      var request = ImageRequest(
        time: time, earliest: earliest, latest: latest, segment: segment, goal: .exact(tick: tick))
      if !request.isExact { request.goal = cheapest(request, tick: tick) }
      return request
    }
    return try neighbour(of: time, earliest: earliest, latest: latest, subject: subject)
  }

  /// Outside the track and in gaps: the last picture before or the first after, whichever is nearer and allowed.
  private func neighbour(of time: Rational, earliest: Rational?, latest: Rational?, subject: String)
    throws -> ImageRequest
  {
    let shown = timeline.segments.filter { !$0.isEmpty }
    var candidates: [(distance: Rational, request: ImageRequest)] = []
    for segment in shown {
      func add(tick: Int64, at moment: Rational) {
        let request = ImageRequest(
          time: time, earliest: earliest, latest: latest, segment: segment, goal: .exact(tick: tick)
        )
        // Only what the tolerance could reach: without an index the actual time is checked after decoding.
        if index == nil || request.allows(moment) {
          candidates.append((time < moment ? moment - time : time - moment, request))
        }
      }
      let first = firstTick(of: segment)
      if time < segment.start
        || index.map({ $0.first > (timeline.tick(at: time, in: segment) ?? 0) }) ?? false
      {
        add(tick: first, at: max(segment.start, timeline.time(ofTick: first, in: segment)))
      } else if let end = segment.end, time >= end, let tick = lastTick(of: segment) {
        add(tick: tick, at: max(segment.start, timeline.time(ofTick: tick, in: segment)))
      }
    }
    let mayMove = earliest != time || latest != time
    guard mayMove, let best = candidates.min(by: { $0.distance < $1.distance }) else {
      throw MediaError(
        .noImageAtTime, operation: "decode", subject: subject,
        reason: "no picture is on show at \(time.doubleValue) s",
        remedy: "Ask for a time inside the track, or allow a tolerance")
    }
    return best.request
  }

  /// The tick of the first picture on show in a segment.
  private func firstTick(of segment: TrackTimeline.Segment) -> Int64 {
    let start = segment.source.map { Rational.floor($0, in: timeline.timeBase) } ?? 0
    return index.map { max($0.first, start) } ?? start
  }

  /// The tick of the last picture on show in a closed segment.
  private func lastTick(of segment: TrackTimeline.Segment) -> Int64? {
    guard let end = segment.end, let source = segment.source else { return nil }
    let stored = source + (end - segment.start) * segment.rate
    // Half open: the tick at the end itself is not shown.
    let floor = Rational.floor(stored, in: timeline.timeBase)
    let tick = timeline.timeBase * Rational(floor) == stored ? floor - 1 : floor
    guard let index else { return tick }
    return index.rank(onShowAt: tick).map { index.time(rank: $0) }
  }

  /// The cheapest goal that the tolerance allows: a key picture, else the first picture in the window, else the exact one.
  private func cheapest(_ request: ImageRequest, tick: Int64) -> ImageRequest.Goal {
    guard let index else {
      guard !keyTimes.isEmpty else { return .key(tick: tick) }
      return isShownAndAllowed(nearestKeyTime(to: tick), request)
        ? .key(tick: tick) : .exact(tick: tick)
    }
    let nearest = index.time(sync: index.nearestSync(to: tick))
    if isShownAndAllowed(nearest, request) { return .key(tick: tick) }
    // The nearest may be hidden before an edit while another one is shown.
    let others = index.syncPositions.indices.map { index.time(sync: $0) }.filter {
      isShownAndAllowed($0, request)
    }
    if let other = others.min(by: {
      $0.distanceMagnitude(to: tick) < $1.distanceMagnitude(to: tick)
    }) {
      return .key(tick: other)
    }
    if let earliest = request.earliest,
      let low = timeline.tick(at: max(earliest, request.segment.start), in: request.segment)
    {
      let rank = index.rank(onShowAt: low)
      for candidate in [rank, rank.map { $0 + 1 } ?? 0].compactMap(\.self)
      where candidate < index.count {
        let time = index.time(rank: candidate)
        if isShownAndAllowed(time, request) { return .exact(tick: time) }
      }
    }
    return .exact(tick: tick)
  }

  func nearestKeyTime(to tick: Int64) -> Int64 {
    keyTimes.min { $0.distanceMagnitude(to: tick) < $1.distanceMagnitude(to: tick) } ?? tick
  }

  private func isShownAndAllowed(_ tick: Int64, _ request: ImageRequest) -> Bool {
    isShown(tick, in: request.segment)
      && request.allows(timeline.time(ofTick: tick, in: request.segment))
  }

  func isShown(_ tick: Int64, in segment: TrackTimeline.Segment) -> Bool {
    guard let source = segment.source else { return false }
    let stored = timeline.timeBase * Rational(tick)
    guard stored >= source else { return false }
    guard let duration = segment.duration else { return true }
    return stored < source + duration * segment.rate
  }
}
