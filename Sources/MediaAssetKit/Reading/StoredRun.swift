import LibAV

/// One pass over the stored samples of a track, in decode order.
final class StoredRun {
  private let session: PacketSession
  private let timeline: TrackTimeline
  private let isAll: Bool
  private let start: Rational
  private let end: Rational?
  private var hasBegun = false
  /// Sync samples at which everything that follows is presented later than the range's end.
  private var isOver = false

  init(track: AssetTrack, range: MediaTimeRange) async throws {
    session = PacketSession(source: try await track.trackSource())
    timeline = track.track.timeline
    start = range.start.rational ?? .zero
    end = range.end.rational
    isAll = start == .zero && end == nil
  }

  func next() async throws -> SampleBuffer? {
    if !hasBegun {
      hasBegun = true
      if !isAll, let goal = startTick { try await session.seek(to: goal) }
    }
    while !isOver, let packet = try await session.next() {
      let sample = sample(packet)
      if let end, let time = sample.presentationTime.rational, time >= end {
        // Pictures that are shown before this one may still follow it; the next sync sample ends that.
        if sample.isSync { isOver = true }
        if let decode = sample.decodeTime.rational, decode >= end { isOver = true }
        continue
      }
      return sample
    }
    return nil
  }

  private var startTick: Int64? {
    guard let index = timeline.segmentIndex(at: start) else { return nil }
    return timeline.tick(at: start, in: timeline.segments[index])
  }

  private func sample(_ packet: Packet) -> SampleBuffer {
    let segment = segment(of: packet.pts ?? packet.dts)
    func time(_ tick: Int64?) -> MediaTime {
      guard let tick, let segment else { return .invalid }
      return MediaTime(timeline.time(ofTick: tick, in: segment.segment))
    }
    let presentation = time(packet.pts)
    let duration = packet.duration > 0 ? MediaTime(timeline.timeBase * Rational(packet.duration)) : .invalid
    return SampleBuffer(
      content: .stored(StoredSample(packet: packet)), presentationTime: presentation, decodeTime: time(packet.dts),
      duration: duration, isSync: packet.isKey, isDisposable: packet.isDisposable,
      isHidden: segment.map { !isPresented(packet, in: $0) } ?? false)
  }

  /// The first segment that presents a stored tick, else the first one that presents anything: what lies outside keeps
  /// its distance to it.
  private func segment(of tick: Int64?) -> (segment: TrackTimeline.Segment, holds: Bool)? {
    let shown = timeline.segments.filter { !$0.isEmpty }
    if let tick, let holder = shown.first(where: { holds(tick, $0) }) { return (holder, true) }
    return shown.first.map { ($0, false) }
  }

  private func holds(_ tick: Int64, _ segment: TrackTimeline.Segment) -> Bool {
    guard let source = segment.source else { return false }
    let stored = timeline.timeBase * Rational(tick)
    guard stored >= source else { return false }
    return segment.duration.map { stored < source + $0 * segment.rate } ?? true
  }

  /// A sample that begins before a segment and reaches into it is presented in part.
  private func isPresented(_ packet: Packet, in found: (segment: TrackTimeline.Segment, holds: Bool)) -> Bool {
    if found.holds { return true }
    guard let tick = packet.pts ?? packet.dts else { return true }
    let begin = timeline.timeBase * Rational(tick)
    let end = begin + timeline.timeBase * Rational(packet.duration)
    return timeline.segments.contains { segment in
      guard let source = segment.source else { return false }
      let upper = segment.duration.map { source + $0 * segment.rate }
      return end > source && upper.map { begin < $0 } ?? true
    }
  }
}
