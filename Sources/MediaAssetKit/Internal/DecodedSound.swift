import LibAV

/// A stretch of presented sound and its stored time in seconds, before edits are applied.
struct DecodedSound: Sendable {
  var buffer: AudioBuffer
  var time: Rational
}

/// What one visit to a session gave.
struct SoundBatch: Sendable {
  /// Empty at the end of the window.
  var sounds: [DecodedSound] = []
  /// Packets so far that could not be decoded.
  var damage = SampleDamage()
}

/// The stored times that are presented, in seconds.
struct SoundWindow: Sendable {
  var lower: Rational
  /// nil: until the stream ends.
  var upper: Rational?
}

/// Where decoded samples lie in stored time, counted by samples: rounded time stamps add up to nothing.
///
/// Whole numbers only, because it is asked for every few hundred samples.
struct SoundClock: Sendable {
  /// Stored time of sample 0.
  private(set) var anchor: Rational
  let rate: Int
  private let anchorSeconds: Double
  /// The first sample that a window presents, and the one behind its last.
  private let lower: Int64
  private let upper: Int64
  /// The next sample.
  private(set) var position: Int64 = 0

  init(anchor: Rational, rate: Int, window: SoundWindow) {
    self.anchor = anchor
    self.rate = rate
    anchorSeconds = anchor.doubleValue
    // A sample belongs to the window when the nearest sample to its start does: edit lists count in coarser ticks.
    func index(of time: Rational) -> Int64 {
      let distance = time - anchor
      return (distance * Rational(Int64(rate))).rounded()
        ?? (distance < .zero ? -Self.farAway : Self.farAway)
    }
    lower = min(max(index(of: window.lower), -Self.farAway), Self.farAway)
    upper = window.upper.map { min(max(index(of: $0), -Self.farAway), Self.farAway) } ?? .max
  }

  private static let farAway: Int64 = 1 << 62

  /// How much later than expected a stream's own stamp is, in seconds; negative where it is earlier.
  func lateness(of seconds: Double) -> Double {
    seconds - anchorSeconds - Double(position) / Double(rate)
  }

  /// Stored time of a sample.
  func time(of sample: Int64) -> Rational {
    anchor + (Rational(sample, Int64(rate)) ?? .zero)
  }

  var time: Rational { time(of: position) }
  /// Whether everything from here on lies behind the window.
  var isBehind: Bool { position >= upper }

  /// Counts a frame's samples and tells which of them are presented.
  mutating func take(_ count: Int) -> Range<Int> {
    let start = position
    position = position.addingReportingOverflow(Int64(count)).partialValue
    let first = min(Int64(count), max(0, lower.subtractingReportingOverflow(start).partialValue))
    let last = min(Int64(count), max(0, upper.subtractingReportingOverflow(start).partialValue))
    return Int(first)..<Int(max(first, last))
  }
}
