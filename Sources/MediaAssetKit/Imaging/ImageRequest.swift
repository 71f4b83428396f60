/// One time that an image is wanted for: how far the image may be from it, and what to decode.
struct ImageRequest: Sendable {
  /// What to decode.
  enum Goal: Sendable, Hashable {
    /// The picture on show at a stored tick.
    case exact(tick: Int64)
    /// The key picture nearest to a stored tick; the exact one where that does not fit.
    case key(tick: Int64)

    var tick: Int64 {
      switch self {
      case .exact(let tick), .key(let tick): tick
      }
    }

    var isKey: Bool { if case .key = self { true } else { false } }
  }

  var time: Rational
  var window: Window
  /// The part of the timeline that shows the picture.
  var segment: TrackTimeline.Segment
  var goal: Goal

  /// The times that an image may have; nil is unbounded.
  struct Window: Sendable, Hashable {
    var earliest: Rational?
    var latest: Rational?

    init(around time: Rational, before: Rational?, after: Rational?) {
      earliest = before.map { time - $0 }
      latest = after.map { time + $0 }
    }

    func contains(_ time: Rational) -> Bool {
      if let earliest, time < earliest { return false }
      if let latest, time > latest { return false }
      return true
    }

    /// Whether nothing but the picture on show will do.
    var isPoint: Bool { earliest != nil && earliest == latest }
  }
}

/// What makes two requests ask for one picture.
struct ImageIdentity: Hashable, Sendable {
  var goal: ImageRequest.Goal
  var segmentStart: Rational
}
