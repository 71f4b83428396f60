/// Decides which picture serves a time: pure arithmetic on one track's timeline and index.
///
/// The rules, in this order:
/// 1. Both tolerances zero: the picture on show, or `noImageAtTime` where none is.
/// 2. Outside of the track and in gaps: the nearer neighbour that the tolerances reach, ties to the earlier.
/// 3. The nearest key picture that the tolerances allow, ties to the earlier.
/// 4. The earliest picture of the same segment that they allow, since it decodes soonest.
/// 5. The picture on show, even when it began before the tolerance.
struct ImageRequestPlanner: Sendable {
  let timeline: TrackTimeline
  /// nil where the container lists no samples: what is found is then checked after decoding.
  let pictures: PresentedPictures?

  init(timeline: TrackTimeline, index: VideoIndex?) {
    self.timeline = timeline
    pictures = index.map { PresentedPictures(timeline: timeline, index: $0) }
  }

  /// - Throws: `noImageAtTime` when no picture is on show and the tolerances do not reach one.
  func plan(_ time: Rational, before: Rational?, after: Rational?, subject: String) throws
    -> ImageRequest
  {
    let window = ImageRequest.Window(around: time, before: before, after: after)
    let request =
      if let pictures {
        indexed(time, window, pictures)
      } else {
        unindexed(time, window)
      }
    guard let request else { throw Self.noImage(at: time, window, subject: subject) }
    return request
  }

  static func noImage(at time: Rational, _ window: ImageRequest.Window, subject: String) -> MediaError {
    // Where any picture would serve, the time is not to blame.
    guard window.earliest != nil || window.latest != nil else {
      return MediaError(
        .noImageAtTime, operation: "decode", subject: subject, reason: "it has no picture")
    }
    return MediaError(
      .noImageAtTime, operation: "decode", subject: subject,
      reason: "no picture is on show at \(time.doubleValue) s",
      remedy: "Ask for a time inside the track, or allow a tolerance")
  }

  // MARK: - With an index

  private func indexed(
    _ time: Rational, _ window: ImageRequest.Window, _ pictures: PresentedPictures
  ) -> ImageRequest? {
    func request(_ position: PresentedPictures.Position) -> ImageRequest {
      let tick = pictures.tick(of: position)
      return ImageRequest(
        time: time, window: window, segment: pictures.runs[position.run].segment,
        goal: pictures.isKey(position) && !window.isPoint ? .key(tick: tick) : .exact(tick: tick))
    }
    guard let shown = pictures.onShow(at: time) else {
      if window.isPoint { return nil }
      return nearer(
        pictures.last(before: time), pictures.first(after: time), to: time, window, pictures
      ).map(request)
    }
    if window.isPoint { return request(shown) }
    let key = nearer(
      pictures.key(atOrBefore: shown), pictures.key(after: shown), to: time, window, pictures)
    if let key { return request(key) }
    if let earliest = window.earliest,
      let first = pictures.first(inRunOf: shown, notBefore: earliest), first.rank < shown.rank
    {
      return request(first)
    }
    return request(shown)
  }

  private func nearer(
    _ earlier: PresentedPictures.Position?, _ later: PresentedPictures.Position?, to time: Rational,
    _ window: ImageRequest.Window, _ pictures: PresentedPictures
  ) -> PresentedPictures.Position? {
    func allowed(_ position: PresentedPictures.Position?) -> (
      PresentedPictures.Position, Rational
    )? {
      guard let position else { return nil }
      let found = pictures.time(of: position)
      return window.contains(found) ? (position, found) : nil
    }
    let (before, after) = (allowed(earlier), allowed(later))
    guard let before, let after else { return before?.0 ?? after?.0 }
    return time - before.1 <= after.1 - time ? before.0 : after.0
  }

  // MARK: - Without an index

  private func unindexed(_ time: Rational, _ window: ImageRequest.Window) -> ImageRequest? {
    func request(_ segment: TrackTimeline.Segment, _ goal: ImageRequest.Goal) -> ImageRequest {
      ImageRequest(time: time, window: window, segment: segment, goal: goal)
    }
    if let number = timeline.segmentIndex(at: time), !timeline.segments[number].isEmpty {
      let segment = timeline.segments[number]
      let tick = timeline.tick(at: time, in: segment) ?? 0
      return request(segment, window.isPoint ? .exact(tick: tick) : .key(tick: tick))
    }
    if window.isPoint { return nil }
    // The first picture behind a segment's start and the last one before its end are its own.
    var best: (distance: Rational, request: ImageRequest)?
    for segment in timeline.segments where !segment.isEmpty {
      let candidate: (distance: Rational, request: ImageRequest)
      if time < segment.start {
        let tick = timeline.tick(at: segment.start, in: segment) ?? 0
        candidate = (segment.start - time, request(segment, .exact(tick: tick)))
      } else if let end = segment.end, time >= end, let tick = lastTick(of: segment) {
        candidate = (
          time - timeline.time(ofTick: tick, in: segment), request(segment, .exact(tick: tick))
        )
      } else {
        continue
      }
      if best.map({ candidate.distance < $0.distance }) ?? true { best = candidate }
    }
    return best?.request
  }

  /// Twice the request's time in ticks, rounded up: decides which of two key pictures is nearer, where no index does.
  func twiceTick(of request: ImageRequest) -> Int64? {
    guard pictures == nil, let source = request.segment.source else { return nil }
    let stored = source + (request.time - request.segment.start) * request.segment.rate
    let half = timeline.timeBase / Rational(2)
    let floor = Rational.floor(stored, in: half)
    return half * Rational(floor) == stored ? floor : floor.addingReportingOverflow(1).partialValue
  }

  /// The last tick before a segment's end.
  private func lastTick(of segment: TrackTimeline.Segment) -> Int64? {
    guard let end = segment.end, let source = segment.source else { return nil }
    return TrackTimeline.lastTick(
      before: source + (end - segment.start) * segment.rate, in: timeline.timeBase)
  }

  /// Whether a picture's own time lies inside of a segment; only where no index tells more.
  func isShown(_ tick: Int64, in segment: TrackTimeline.Segment) -> Bool {
    guard let source = segment.source else { return false }
    let stored = timeline.timeBase * Rational(tick)
    guard stored >= source else { return false }
    guard let duration = segment.duration else { return true }
    return stored < source + duration * segment.rate
  }
}

extension TrackTimeline {
  /// The last tick whose time is before `stored`: intervals are half open.
  static func lastTick(before stored: Rational, in timeBase: Rational) -> Int64 {
    let floor = Rational.floor(stored, in: timeBase)
    return timeBase * Rational(floor) == stored
      ? floor.subtractingReportingOverflow(1).partialValue
      : floor
  }
}
