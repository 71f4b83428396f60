import LibAV

/// The presented pictures of a track in order, as an asynchronous sequence; none dropped, none repeated.
///
/// Pictures that edits hide are decoded and not shown. Damaged ones are passed over. Single pass; pictures are decoded
/// as they are asked for, a few ahead on other cores. Cancelling the task ends it within one picture.
public struct VideoFrames: AsyncSequence, Sendable {
  /// One picture.
  public typealias Element = VideoFrame

  let track: AssetTrack
  let range: MediaTimeRange?

  /// Nothing is opened before the first picture is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(track: track, range: range) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let track: AssetTrack
    private let range: MediaTimeRange?
    private var run: Run?

    init(track: AssetTrack, range: MediaTimeRange?) {
      self.track = track
      self.range = range
    }

    /// The next picture; nil after the last.
    public mutating func next() async throws -> VideoFrame? {
      if run == nil { run = try await Run(track: track, range: range) }
      return try await run?.next()
    }
  }
}

extension AssetTrack {
  /// The track's presented pictures in order, within a range of the asset's time or all.
  ///
  /// The first picture of a range is the one on show at its start, cut to the range, as is the last.
  public func frames(in range: MediaTimeRange? = nil) -> VideoFrames {
    VideoFrames(track: self, range: range)
  }
}

/// One pass over a track's segments.
private final class Run {
  private let session: VideoSession
  private let timeline: TrackTimeline
  private let start: Rational?
  private let end: Rational?
  private let nominal: Rational?
  private var segments: [TrackTimeline.Segment]
  private var segment: TrackTimeline.Segment?
  private var held: DecodedPicture?
  private var isEnded = false

  init(track: AssetTrack, range: MediaTimeRange?) async throws {
    guard track.mediaType == .video else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: track.subject, reason: "it is no video track")
    }
    let opener = try await track.opener()
    session = VideoSession(opener: opener, threads: MediaConfiguration.current.threadBudget)
    var timeline = track.track.timeline
    if let index = opener.index {
      timeline = timeline.closed(atMediaEnd: timeline.timeBase * Rational(index.end))
    }
    self.timeline = timeline
    start = range?.start.rational
    end = range?.end.rational
    nominal = track.track.nominalFrameRate?.reciprocal
    let (start, end) = (start, end)
    segments = timeline.segments.filter { segment in
      guard !segment.isEmpty else { return false }
      if let start, let segmentEnd = segment.end, segmentEnd <= start { return false }
      if let end, segment.start >= end { return false }
      return true
    }
  }

  func next() async throws -> VideoFrame? {
    while true {
      if segment == nil, try await !enterNext() { return nil }
      guard let segment, let picture = held else {
        leave()
        continue
      }
      // A picture's end is its successor's time; reading on finds it where packets did not tell.
      held = try await session.nextPicture()
      let successor = held?.time ?? picture.end
      guard let frame = frame(picture, successor: successor, in: segment) else {
        if isBehind(picture, segment) { leave() }
        continue
      }
      return frame
    }
  }

  /// Stands at the first picture of the next segment; false after the last.
  private func enterNext() async throws -> Bool {
    guard !segments.isEmpty else { return false }
    let next = segments.removeFirst()
    segment = next
    let moment = max(next.start, start ?? next.start)
    let tick = timeline.tick(at: moment, in: next) ?? 0
    if let picture = try await session.picture(onShowAt: tick) {
      held = picture
    } else {
      try await session.rewind()
      held = try await session.nextPicture()
    }
    return true
  }

  private func leave() {
    segment = nil
    held = nil
  }

  private func isBehind(_ picture: DecodedPicture, _ segment: TrackTimeline.Segment) -> Bool {
    let time = timeline.time(ofTick: picture.time, in: segment)
    return segment.end.map { time >= $0 } ?? false || end.map { time >= $0 } ?? false
  }

  private func frame(
    _ picture: DecodedPicture, successor: Int64?, in segment: TrackTimeline.Segment
  ) -> VideoFrame? {
    let low = max(segment.start, start ?? segment.start)
    let time = max(low, timeline.time(ofTick: picture.time, in: segment))
    var until: Rational?
    if let successor {
      until = timeline.time(ofTick: successor, in: segment)
    } else if picture.frame.duration > 0 {
      until =
        timeline.time(ofTick: picture.time, in: segment) + timeline.timeBase
        * Rational(picture.frame.duration)
    } else if let nominal {
      until = time + nominal
    }
    for bound in [segment.end, end] { if let bound { until = min(until ?? bound, bound) } }
    // Pictures that share a time are all decoded and all listed; the earlier ones last no time.
    let isShown = until.map { $0 > time } ?? true
    guard isShown || (successor == picture.time && !isBehind(picture, segment)) else { return nil }
    let duration = until.map { $0 > time ? $0 - time : .zero } ?? .zero
    return VideoFrame(
      time: MediaTime(time), duration: MediaTime(duration), pixelBuffer: PixelBuffer(picture.frame))
  }
}
