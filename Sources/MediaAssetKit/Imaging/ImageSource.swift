import LibAV

/// One video track as a source of images: its timeline, its sessions, and how requests become pictures.
final class ImageSource: Sendable {
  let opener: TrackOpener
  let planner: ImageRequestPlanner
  let track: AssetTrack

  init(track: AssetTrack, listsKeys: Bool) async throws {
    self.track = track
    let opener = listsKeys ? try await track.openerWithKeyTimes() : try await track.opener()
    self.opener = opener
    var timeline = track.track.timeline
    if let index = opener.index {
      timeline = timeline.closed(atMediaEnd: timeline.timeBase * Rational(index.end))
    }
    planner = ImageRequestPlanner(timeline: timeline, index: opener.index)
  }

  deinit { SessionPool.shared.drop(ObjectIdentifier(self)) }

  // MARK: - Sessions

  /// Runs `body` with a session of at most `most` threads, as soon as the processor has room for it.
  ///
  /// A failed or cancelled session is closed: what state its decoder is in does not matter then.
  func withSession<R>(
    upTo most: Int, group: Int, _ body: (VideoSession) async throws -> R
  ) async throws -> R {
    let permits = opener.isRemote ? WorkPermits.network : .processor
    let threads = try await permits.acquire(upTo: most)
    defer { permits.release(threads) }
    let owner = ObjectIdentifier(self)
    let session =
      SessionPool.shared.take(owner, threads: threads, group: group)
      ?? VideoSession(opener: opener, threads: threads)
    do {
      let result = try await body(session)
      SessionPool.shared.give(session, of: owner, threads: threads, group: group)
      return result
    } catch {
      SessionPool.close([session])
      throw error
    }
  }

  // MARK: - Pictures

  /// What `use` makes of the picture that a session decodes for a request, and its time on the asset's timeline.
  ///
  /// `use` runs on the session's thread.
  func picture<R: Sendable>(
    for request: ImageRequest, session: VideoSession,
    _ use: @escaping @Sendable (Frame, inout ScalerCache) throws -> R
  ) async throws -> (R, Rational) {
    // nil for a picture whose time is not wanted.
    @Sendable func serve(
      _ picture: DecodedPicture, _ scalers: inout ScalerCache, where isWanted: (Rational) -> Bool
    ) throws -> (R, Rational)? {
      let time = max(request.segment.start, planner.timeline.time(ofTick: picture.time, in: request.segment))
      return isWanted(time) ? (try use(picture.frame, &scalers), time) : nil
    }
    if request.goal.isKey {
      let found = try await session.withKeyPicture(
        near: request.goal.tick, twice: planner.twiceTick(of: request)
      ) { picture, scalers in
        try serve(picture, &scalers) { time in
          let isShown =
            self.planner.pictures != nil || self.planner.isShown(picture.time, in: request.segment)
          return isShown && request.window.contains(time)
        }
      }
      if let found, let found { return found }
    }
    let found = try await session.withPicture(onShowAt: request.goal.tick) { picture, scalers in
      try serve(picture, &scalers) { time in
        if request.window.isPoint { return !self.isOver(picture, at: request) }
        return request.window.contains(time) || self.holds(picture, request)
      }
    }
    if let found, let found { return found }
    if found == nil, planner.pictures != nil {
      throw MediaError(
        .decodeFailed, operation: "decode", subject: track.subject,
        reason: "the picture at \(request.time.doubleValue) s is damaged or missing",
        remedy: "Ask for another time, or allow a tolerance")
    }
    // Before the first picture of a track without an index: any tolerance that reaches it takes it.
    if !request.window.isPoint {
      let first = try await session.withFirstPicture { picture, scalers in
        try serve(picture, &scalers) { time in request.window.contains(time) }
      }
      if let first, let first { return first }
    }
    throw ImageRequestPlanner.noImage(at: request.time, request.window, subject: track.subject)
  }

  /// Whether a request's time lies behind the end of the last picture, where no index or header told the end before.
  private func isOver(_ picture: DecodedPicture, at request: ImageRequest) -> Bool {
    guard picture.end == nil, request.segment.duration == nil else { return false }
    let duration =
      picture.frame.duration > 0
      ? planner.timeline.timeBase * Rational(picture.frame.duration)
      : track.track.nominalFrameRate?.reciprocal
    guard let duration else { return false }
    return request.time >= planner.timeline.time(ofTick: picture.time, in: request.segment)
      + duration
  }

  /// Whether a picture is on show at the request's time.
  private func holds(_ picture: DecodedPicture, _ request: ImageRequest) -> Bool {
    let (timeline, segment) = (planner.timeline, request.segment)
    guard timeline.time(ofTick: picture.time, in: segment) <= request.time,
      segment.end.map({ request.time < $0 }) ?? true
    else { return false }
    return picture.end.map { request.time < timeline.time(ofTick: $0, in: segment) }
      ?? !isOver(picture, at: request)
  }

  // MARK: - Grouping

  /// Requests that one run of a decoder serves get the same number; ascending in decode order.
  func group(of request: ImageRequest) -> Int {
    guard let index = opener.index else {
      return opener.keyTimes.lastIndex { $0 <= request.goal.tick } ?? 0
    }
    return index.rank(onShowAt: request.goal.tick).map {
      index.syncIndex(forPosition: index.position(rank: $0))
    } ?? 0
  }

  /// Requests with the same identity get the same picture; nil where only decoding tells.
  func identity(of request: ImageRequest) -> ImageIdentity? {
    guard let index = opener.index else { return nil }
    let shown = index.rank(onShowAt: request.goal.tick).map { index.time(rank: $0) }
    let tick = shown ?? request.goal.tick
    return ImageIdentity(
      goal: request.goal.isKey ? .key(tick: tick) : .exact(tick: tick),
      segmentStart: request.segment.start)
  }
}
