/// A half-open range of time, `[start, end)`: it contains its start and not its end.
public struct MediaTimeRange: Hashable, Sendable, Codable {
  /// The first time in the range.
  public var start: MediaTime
  /// The length; not negative, and in epoch 0, in every valid range.
  public var duration: MediaTime

  /// The empty range at 0.
  public static let zero = MediaTimeRange(start: .zero, duration: .zero)
  /// No range at all; the result of operations that have none.
  public static let invalid = MediaTimeRange(start: .invalid, duration: .invalid)

  /// An invalid range.
  public init() {
    self = .invalid
  }

  /// A range from its start and length; ``isValid`` tells whether they make one.
  public init(start: MediaTime, duration: MediaTime) {
    self.start = start
    self.duration = duration
  }

  /// A range from its start up to its end; invalid when the end is before the start, either is
  /// invalid, or the two are in different epochs.
  ///
  /// An indefinite end gives an indefinite duration. The duration is marked as rounded in the rare
  /// case that no timescale holds the difference exactly.
  public init(start: MediaTime, end: MediaTime) {
    guard start.isValid, end.isValid,
      !(start.isNumeric && end.isNumeric && start.epoch != end.epoch)
    else {
      self = .invalid
      return
    }
    self.init(start: start, duration: end - start)
    if !isValid { self = .invalid }
  }
}

extension MediaTimeRange {
  /// Whether start and duration are valid and the duration is neither negative nor in an epoch.
  public var isValid: Bool {
    guard start.isValid else { return false }
    return switch duration.kind {
    case .numeric: duration.epoch == 0 && duration.value >= 0
    case .indefinite, .positiveInfinity: true
    case .negativeInfinity, .invalid: false
    }
  }

  /// Whether the range is valid but its start or duration is not known.
  public var isIndefinite: Bool {
    isValid && (start.isIndefinite || duration.isIndefinite)
  }

  /// Whether the range is valid and its duration is 0.
  public var isEmpty: Bool {
    isValid && duration == .zero
  }

  /// Whether the range is valid and both its start and its duration are numeric.
  public var isNumeric: Bool {
    isValid && start.isNumeric && duration.isNumeric
  }

  /// The first time after the range: start plus duration.
  public var end: MediaTime {
    isValid ? start + duration : .invalid
  }
}

// MARK: - Algebra

extension MediaTimeRange {
  /// The smallest range that includes all times that are in either range.
  ///
  /// An empty range adds nothing; the union of two empty ranges is the first. Invalid when either
  /// range is invalid or indefinite, or when they start in different epochs.
  public func union(_ other: MediaTimeRange) -> MediaTimeRange {
    guard canCombine(with: other) else { return .invalid }
    if other.isEmpty { return self }
    if isEmpty { return other }
    return MediaTimeRange(start: .minimum(start, other.start), end: .maximum(end, other.end))
  }

  /// The largest range that both ranges include.
  ///
  /// ``zero`` when they have no time in common. Invalid when either range is invalid or indefinite,
  /// or when they start in different epochs.
  public func intersection(_ other: MediaTimeRange) -> MediaTimeRange {
    guard canCombine(with: other) else { return .invalid }
    let first = MediaTime.maximum(start, other.start)
    let last = MediaTime.minimum(end, other.end)
    return first < last ? MediaTimeRange(start: first, end: last) : .zero
  }

  /// Whether a time is in the range; never for ``end``, nor for a time in another epoch.
  public func containsTime(_ time: MediaTime) -> Bool {
    guard isValid, !isIndefinite, time.isValid, !time.isIndefinite else { return false }
    guard !(time.isNumeric && start.isNumeric && time.epoch != start.epoch) else { return false }
    return start <= time && time < end
  }

  /// Whether all of another range is in this one; an empty range counts as its start.
  ///
  /// False when either range is invalid or indefinite, or when they start in different epochs.
  public func containsTimeRange(_ other: MediaTimeRange) -> Bool {
    guard canCombine(with: other) else { return false }
    if other.isEmpty { return containsTime(other.start) }
    return start <= other.start && other.end <= end
  }

  private func canCombine(with other: MediaTimeRange) -> Bool {
    isValid && other.isValid && !isIndefinite && !other.isIndefinite
      && !(start.isNumeric && other.start.isNumeric && start.epoch != other.start.epoch)
  }
}

extension MediaTimeRange: CustomStringConvertible {
  /// `{start, duration}`: `{{0/1 = 0.000}, {600/600 = 1.000}}`.
  public var description: String { "{\(start), \(duration)}" }
}
