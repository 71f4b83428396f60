/// One edit of a track: a range of stored time shown at a range of the asset's time.
public struct AssetTrackSegment: Sendable, Hashable {
  /// From stored presentation time (source) to the asset's timeline (target); the source is invalid for an empty edit.
  public let timeMapping: MediaTimeMapping

  /// A segment of a mapping.
  public init(timeMapping: MediaTimeMapping) { self.timeMapping = timeMapping }

  /// Whether nothing is shown.
  public var isEmpty: Bool { timeMapping.isEmpty }

  /// `end`: the track's end on the asset's timeline, which closes an open segment.
  init(_ segment: TrackTimeline.Segment, end: Rational?) {
    let duration = segment.duration ?? end.map { $0 < segment.start ? .zero : $0 - segment.start }
    let target = MediaTimeRange(
      start: MediaTime(segment.start), duration: duration.map { MediaTime($0) } ?? .positiveInfinity
    )
    guard let source = segment.source else {
      timeMapping = MediaTimeMapping(emptyTarget: target)
      return
    }
    let sourceDuration = duration.map { MediaTime($0 * segment.rate) } ?? .positiveInfinity
    timeMapping = MediaTimeMapping(
      source: MediaTimeRange(start: MediaTime(source), duration: sourceDuration), target: target)
  }
}
