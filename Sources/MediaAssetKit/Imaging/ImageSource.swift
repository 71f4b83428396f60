import LibAV
import Synchronization

/// One video track as a source of images: its timeline, its sessions, and how requests become pictures.
final class ImageSource: Sendable {
  let opener: TrackOpener
  let planner: ImageRequestPlanner
  let track: AssetTrack
  private let idle = Mutex<[Int: [VideoSession]]>([:])

  init(track: AssetTrack) async throws {
    self.track = track
    opener = try await track.opener()
    var timeline = track.track.timeline
    if let index = opener.index {
      timeline = timeline.closed(atMediaEnd: timeline.timeBase * Rational(index.end))
    }
    planner = ImageRequestPlanner(
      timeline: timeline, index: opener.index, keyTimes: opener.keyTimes)
  }

  /// One picture, decoded by a session of `threads` threads and rendered on its thread.
  func image(for request: ImageRequest, renderer: PictureRenderer, session: VideoSession)
    async throws -> (MediaImage, Rational)
  {
    let timeline = planner.timeline
    @Sendable func actual(_ picture: DecodedPicture) -> Rational {
      max(request.segment.start, timeline.time(ofTick: picture.time, in: request.segment))
    }
    if case .key(let tick) = request.goal {
      let found = try await session.withKeyPicture(near: tick) {
        picture, scalers -> (MediaImage, Rational)? in
        guard self.planner.isShown(picture.time, in: request.segment),
          request.allows(actual(picture))
        else { return nil }
        return (try renderer.render(picture.frame, &scalers), actual(picture))
      }
      if let found, let found { return found }
    }
    let tick =
      switch request.goal {
      case .exact(let tick), .key(let tick): tick
      }
    let found = try await session.withPicture(onShowAt: tick) {
      picture, scalers -> (MediaImage, Rational)? in
      if request.isExact, self.isOver(picture, at: request) { return nil }
      guard
        request.isExact || request.allows(actual(picture))
          || self.holds(request.time, picture, in: request.segment)
      else { return nil }
      return (try renderer.render(picture.frame, &scalers), actual(picture))
    }
    if let found, let found { return found }
    // Before the first picture of a track without an index: any tolerance that reaches it takes it.
    if !request.isExact {
      let first = try await session.withFirstPicture {
        picture, scalers -> (MediaImage, Rational)? in
        guard request.allows(actual(picture)) else { return nil }
        return (try renderer.render(picture.frame, &scalers), actual(picture))
      }
      if let first, let first { return first }
    }
    throw MediaError(
      .noImageAtTime, operation: "decode", subject: track.subject,
      reason: "no picture is on show at \(request.time.doubleValue) s",
      remedy: "Ask for a time inside the track, or allow a tolerance")
  }

  /// Whether a request's time lies behind the end of the last picture, where no index or header told the end before.
  private func isOver(_ picture: DecodedPicture, at request: ImageRequest) -> Bool {
    guard picture.end == nil, request.segment.duration == nil else { return false }
    let nominal = track.track.nominalFrameRate?.reciprocal
    let base = planner.timeline.timeBase
    guard
      let duration = picture.frame.duration > 0 ? base * Rational(picture.frame.duration) : nominal
    else { return false }
    return request.time >= planner.timeline.time(ofTick: picture.time, in: request.segment)
      + duration
  }

  private func holds(_ time: Rational, _ picture: DecodedPicture, in segment: TrackTimeline.Segment)
    -> Bool
  {
    guard planner.timeline.time(ofTick: picture.time, in: segment) <= time else { return false }
    return picture.end.map { time < planner.timeline.time(ofTick: $0, in: segment) } ?? true
  }

  // MARK: - Sessions

  /// A session of so many threads, an idle one where there is one.
  func withSession<R>(threads: Int, _ body: (VideoSession) async throws -> R) async throws -> R {
    let session =
      idle.withLock { $0[threads]?.popLast() } ?? VideoSession(opener: opener, threads: threads)
    // A failed or cancelled session is dropped: what state its decoder is in does not matter then.
    let result = try await body(session)
    idle.withLock { idle in
      if idle[threads, default: []].count < MediaConfiguration.current.threadBudget {
        idle[threads, default: []].append(session)
      }
    }
    return result
  }

  // MARK: - Grouping

  /// Requests that one run of a decoder serves get the same number; ascending in decode order.
  func group(of request: ImageRequest) -> Int {
    if let index = opener.index {
      switch request.goal {
      case .exact(let tick):
        return index.rank(onShowAt: tick).map {
          index.syncIndex(forPosition: index.position(rank: $0))
        } ?? 0
      case .key(let tick): return index.nearestSync(to: tick)
      }
    }
    guard !planner.keyTimes.isEmpty else { return 0 }
    switch request.goal {
    case .exact(let tick): return planner.keyTimes.lastIndex { $0 <= tick } ?? 0
    case .key(let tick):
      let key = planner.nearestKeyTime(to: tick)
      return planner.keyTimes.firstIndex(of: key) ?? 0
    }
  }

  /// Requests with the same identity get the same picture.
  func identity(of request: ImageRequest) -> ImageIdentity {
    if let index = opener.index {
      switch request.goal {
      case .exact(let tick):
        return ImageIdentity(
          isKey: false, number: Int64(index.rank(onShowAt: tick) ?? -1),
          segment: request.segment.start)
      case .key(let tick):
        return ImageIdentity(
          isKey: true, number: Int64(index.nearestSync(to: tick)), segment: request.segment.start)
      }
    }
    switch request.goal {
    case .exact(let tick):
      return ImageIdentity(isKey: false, number: tick, segment: request.segment.start)
    case .key(let tick):
      return ImageIdentity(
        isKey: true, number: planner.keyTimes.isEmpty ? tick : planner.nearestKeyTime(to: tick),
        segment: request.segment.start)
    }
  }
}

/// What makes two requests ask for one picture.
struct ImageIdentity: Hashable, Sendable {
  var isKey: Bool
  var number: Int64
  var segment: Rational
}
