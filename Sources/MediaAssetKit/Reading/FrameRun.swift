import ISOMedia
import LibAV

/// One pass over a track's segments.
final class FrameRun: SampleRun {
  private let session: VideoSession
  private let threads: DecoderThreads?
  private let track: AssetTrack
  private let settings: VideoOutputSettings?
  private let timeline: TrackTimeline
  /// Without an edit list nothing is hidden: pictures before the track's nominal start are presented as well.
  private let hasEdits: Bool
  private var start: Rational?
  private var end: Rational?
  private let nominal: Rational?
  private var segments: [TrackTimeline.Segment]
  private var segment: TrackTimeline.Segment?
  /// The stored tick that is on show when the segment, or the range within it, begins.
  private var goal: Int64?
  private var held: DecodedPicture?
  private var isAnythingDecoded = false
  private(set) var damage = SampleDamage()

  init(
    track: AssetTrack, range: MediaTimeRange?, settings: VideoOutputSettings? = nil, threads: Int? = nil
  ) async throws {
    guard track.mediaType == .video else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: track.subject, reason: "it is no video track")
    }
    try settings?.check(subject: track.subject, maximumPixels: track.asset.options.policy.maximumPixels)
    self.track = track
    self.settings = settings == VideoOutputSettings() ? nil : settings
    let opener = try await track.opener()
    let shared = threads == nil ? DecoderThreads() : nil
    self.threads = shared
    session = VideoSession(opener: opener, threads: threads ?? shared?.count ?? 1)
    var timeline = track.track.timeline
    if let index = opener.index {
      timeline = timeline.closed(atMediaEnd: timeline.timeBase * Rational(index.end))
    }
    self.timeline = timeline
    hasEdits = track.track.iso?.edits != nil
    nominal = track.track.nominalFrameRate?.reciprocal
    segments = []
    setRange(range)
  }

  func begin(_ range: MediaTimeRange) {
    leave()
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
    guard let frame = try await nextFrame() else { return nil }
    return SampleBuffer(
      content: .picture(frame.pixelBuffer), presentationTime: frame.time, duration: frame.duration,
      isSync: frame.pixelBuffer.isSync)
  }

  /// The next presented picture; nil at the range's end.
  func nextFrame() async throws -> VideoFrame? {
    while true {
      if segment == nil, try await !enterNext() {
        damage = try await session.damage()
        // Damaged pictures are passed over, but not all of a track without a word.
        if !isAnythingDecoded, let failure = try await session.lastFailure() { throw failure }
        return nil
      }
      guard let segment, let picture = held, !isBehind(picture, segment) else {
        leave()
        continue
      }
      if segment.rate == .zero {
        leave()
        if let frame = try await dwell(segment) { return try await converted(frame) }
        continue
      }
      // A picture's end is its successor's time; reading on finds it where packets did not tell.
      held = try await session.nextPicture(skippingTo: goal)
      if let frame = frame(picture, successor: held?.time ?? picture.end, in: segment) {
        return try await converted(frame)
      }
    }
  }

  private func converted(_ frame: VideoFrame) async throws -> VideoFrame {
    guard let settings else { return frame }
    let converted = try await session.convert(frame.pixelBuffer.frame, to: settings, colour: colour)
    return VideoFrame(time: frame.time, duration: frame.duration, pixelBuffer: PixelBuffer(converted))
  }

  private var colour: ConversionColour { ConversionColour(track.track) }

  /// Stands at or before the first picture of the next segment; false after the last.
  private func enterNext() async throws -> Bool {
    guard !segments.isEmpty else { return false }
    let next = segments.removeFirst()
    segment = next
    goal =
      start != nil || hasEdits
      ? timeline.tick(at: max(next.start, start ?? next.start), in: next) : nil
    if let goal {
      try await session.seek(to: goal)
    } else {
      try await session.rewind()
    }
    held = try await session.nextPicture(skippingTo: goal)
    if held != nil { isAnythingDecoded = true }
    return true
  }

  private func leave() {
    segment = nil
    held = nil
  }

  /// One picture for all of a segment that stands still.
  private func dwell(_ segment: TrackTimeline.Segment) async throws -> VideoFrame? {
    let (low, high) = bounds(segment)
    guard let goal, let picture = try await session.picture(onShowAt: goal) else { return nil }
    return VideoFrame(
      time: MediaTime(low ?? segment.start),
      duration: MediaTime(high.map { $0 - (low ?? segment.start) } ?? .zero),
      pixelBuffer: PixelBuffer(picture.frame))
  }

  /// What limits the pictures of a segment; nil where nothing does.
  private func bounds(_ segment: TrackTimeline.Segment) -> (low: Rational?, high: Rational?) {
    let low = start.map { max(segment.start, $0) } ?? (hasEdits ? segment.start : nil)
    let high = hasEdits ? segment.end.map { min($0, end ?? $0) } ?? end : end
    return (low, high)
  }

  private func isBehind(_ picture: DecodedPicture, _ segment: TrackTimeline.Segment) -> Bool {
    guard let high = bounds(segment).high else { return false }
    return segment.rate != .zero && timeline.time(ofTick: picture.time, in: segment) >= high
  }

  /// The picture as presented; nil when it is over before the segment begins.
  private func frame(
    _ picture: DecodedPicture, successor: Int64?, in segment: TrackTimeline.Segment
  ) -> VideoFrame? {
    let (low, high) = bounds(segment)
    let begin = timeline.time(ofTick: picture.time, in: segment)
    let duration =
      picture.frame.duration > 0 ? timeline.timeBase * Rational(picture.frame.duration) : nominal
    let stated =
      successor.map { timeline.time(ofTick: $0, in: segment) } ?? duration.map { begin + $0 }
    if let low, begin < low, stated.map({ $0 <= low }) ?? false { return nil }
    let time = low.map { max($0, begin) } ?? begin
    // Pictures that share a time are all decoded and all listed; the earlier ones last no time.
    let until = [stated, high].compactMap(\.self).min() ?? time
    return VideoFrame(
      time: MediaTime(time), duration: MediaTime(until > time ? until - time : .zero),
      pixelBuffer: PixelBuffer(picture.frame))
  }
}
