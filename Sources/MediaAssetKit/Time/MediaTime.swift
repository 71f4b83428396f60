/// A time or a duration as an exact fraction of a second: `value / timescale`.
///
/// Times may also be positive or negative infinity, indefinite (not known, as the duration of a live
/// broadcast) or invalid. Arithmetic is exact; where a result can't be held exactly it is rounded
/// and ``hasBeenRounded`` says so, from there on in everything computed from it.
///
/// Equality is equality of value: `3/1 == 1800/600`. The order is total:
/// −infinity < finite < indefinite < +infinity < invalid.
///
/// ```swift
/// let frame = MediaTime(value: 1001, timescale: 30000)
/// let second = MediaTime(seconds: 1, preferredTimescale: 600)
/// print(frame + second)  // {31001/30000 = 1.033}
/// ```
public struct MediaTime: Sendable {
  /// The numerator, in units of 1/``timescale`` second.
  public var value: Int64
  /// The units per second; above 0 in every numeric time.
  public var timescale: Int32
  /// The kind of the time and whether it was rounded.
  public var flags: Flags
  /// Tells unrelated timelines apart; 0 for durations and for almost every time.
  public var epoch: Int64

  /// The largest timescale: 2,147,483,647.
  public static let maximumTimescale = Int32.max

  /// An invalid time.
  public init() {
    self.init(value: 0, timescale: 0, flags: [], epoch: 0)
  }

  /// A time of `value / timescale` seconds; invalid when the timescale is not above 0.
  public init(value: Int64, timescale: Int32) {
    if timescale > 0 {
      self.init(value: value, timescale: timescale, flags: .valid, epoch: 0)
    } else {
      self.init()
    }
  }

  /// A time with these fields, taken as they are.
  ///
  /// A time that would be numeric but whose timescale is not above 0 counts as invalid.
  public init(value: Int64, timescale: Int32, flags: Flags, epoch: Int64) {
    self.value = value
    self.timescale = timescale
    self.flags = flags
    self.epoch = epoch
  }
}

extension MediaTime {
  /// No time at all; the result of operations that have none.
  public static let invalid = MediaTime()
  /// A time that is not known.
  public static let indefinite = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  /// Later than every finite time.
  public static let positiveInfinity = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  /// Earlier than every finite time.
  public static let negativeInfinity = MediaTime(
    value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  /// 0/1.
  public static let zero = MediaTime(value: 0, timescale: 1)
}

extension MediaTime {
  /// What a time is; the bits are those of CMTime.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt32
    /// Flags of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The time is valid; without it the other flags mean nothing.
    public static let valid = Flags(rawValue: 1)
    /// The value was rounded, or computed from one that was.
    public static let hasBeenRounded = Flags(rawValue: 2)
    /// The time is positive infinity; the other fields are ignored.
    public static let positiveInfinity = Flags(rawValue: 4)
    /// The time is negative infinity; the other fields are ignored.
    public static let negativeInfinity = Flags(rawValue: 8)
    /// The time is not known; the other fields are ignored.
    public static let indefinite = Flags(rawValue: 16)
    /// The flags that stand for a value by themselves.
    public static let impliedValueFlagsMask: Flags = [
      .positiveInfinity, .negativeInfinity, .indefinite,
    ]
  }

  /// The kinds of time in their order.
  enum Kind: Int {
    case negativeInfinity, numeric, indefinite, positiveInfinity, invalid
  }

  var kind: Kind {
    guard flags.contains(.valid) else { return .invalid }
    guard flags.isDisjoint(with: .impliedValueFlagsMask) else {
      if flags.contains(.positiveInfinity) { return .positiveInfinity }
      return flags.contains(.negativeInfinity) ? .negativeInfinity : .indefinite
    }
    // The fields can be set freely; this is what keeps a timescale of 0 out of every division.
    return timescale > 0 ? .numeric : .invalid
  }

  /// Whether the time means anything: numeric, infinite or indefinite.
  public var isValid: Bool { kind != .invalid }
  /// Whether the time is finite and known, so that ``value`` and ``timescale`` count.
  public var isNumeric: Bool { kind == .numeric }
  /// Whether the time is not known.
  public var isIndefinite: Bool { kind == .indefinite }
  /// Whether the time is positive infinity.
  public var isPositiveInfinity: Bool { kind == .positiveInfinity }
  /// Whether the time is negative infinity.
  public var isNegativeInfinity: Bool { kind == .negativeInfinity }
  /// Whether the time is numeric and was rounded, or computed from one that was.
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }
}
