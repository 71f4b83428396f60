/// How a stretch of one timeline (source, as the media) appears on another (target, as the track).
///
/// An edit list is a list of these. Where the durations differ, the source plays at ``rate`` to fit.
public struct MediaTimeMapping: Hashable, Sendable, Codable {
  /// The range on the source timeline; its start is not numeric in an empty mapping.
  public var source: MediaTimeRange
  /// The range on the target timeline.
  public var target: MediaTimeRange

  /// No mapping at all.
  public static let invalid = MediaTimeMapping(source: .invalid, target: .invalid)

  /// A mapping of one range to another.
  public init(source: MediaTimeRange, target: MediaTimeRange) {
    self.source = source
    self.target = target
  }

  /// A mapping that leaves a range of the target without media.
  public init(emptyTarget: MediaTimeRange) {
    self.init(source: .invalid, target: emptyTarget)
  }
}

extension MediaTimeMapping {
  /// Whether the target is a valid range; the source of an empty mapping never is.
  public var isValid: Bool { target.isValid }

  /// Whether the mapping is valid and has no media.
  public var isEmpty: Bool { !source.start.isNumeric && target.isValid }

  /// How fast the source plays: its duration over the target's, 1 for the usual edit.
  ///
  /// 0 for an empty mapping and for a source that stands still; not a number where there is no
  /// ratio: the mapping is invalid, the target is empty, or a duration is infinite or not known.
  public var rate: Double {
    if isEmpty { return 0 }
    guard let exactRate else { return .nan }
    return exactRate.doubleValue
  }

  /// ``rate`` as a fraction; nil where there is none, or where it needs more than 64 bits.
  package var exactRate: Rational? {
    if isEmpty { return .zero }
    guard source.isNumeric, target.isNumeric else { return nil }
    return Rational(
      reducing: Int128(source.duration.value) * Int128(target.duration.timescale),
      over: Int128(source.duration.timescale) * Int128(target.duration.value))
  }

  /// The time on the target timeline of a time on the source's; invalid for an empty mapping.
  public func targetTime(ofSource time: MediaTime) -> MediaTime {
    time.mapped(from: source, to: target)
  }

  /// The time on the source timeline of a time on the target's; invalid for an empty mapping.
  public func sourceTime(ofTarget time: MediaTime) -> MediaTime {
    time.mapped(from: target, to: source)
  }
}

extension MediaTimeMapping: CustomStringConvertible {
  /// `{source, target}`, each as its range's description.
  public var description: String { "{\(source), \(target)}" }
}
