import LibAV

/// One coded sample on its way into the file, with its times before the session's start is taken off.
struct QueuedSample: Sendable {
  var packet: Packet
  var presentation: MediaTime
  /// Invalid where the source gives none.
  var decoding: MediaTime
  /// Invalid when unknown.
  var duration: MediaTime
  /// Whether nothing of it is presented, where the source says so: what only others need.
  var isHidden = false
  /// How much of it is not presented at its beginning and its end; at the beginning it may be more than it lasts, where the
  /// encoder's priming does.
  var trim = (start: MediaTime.zero, end: MediaTime.zero)
  /// A segment was asked to begin with it.
  var beginsSegment = false

  /// Where the presentation begins, as far as this sample tells.
  var shownStart: MediaTime {
    if trim.start > .zero { return presentation + trim.start }
    return isHidden && duration.isNumeric ? presentation + duration : presentation
  }

  /// For the order among tracks only.
  var microseconds: Int64 {
    let time = decoding.isNumeric ? decoding : presentation
    return time.ticks(in: Self.microsecond, rounding: .down) ?? 0
  }

  private static let microsecond = Rational(1, 1_000_000) ?? .one
}
