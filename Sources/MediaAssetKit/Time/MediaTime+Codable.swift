extension MediaTime: Codable {
  private enum CodingKeys: String, CodingKey {
    case value, timescale, flags, epoch
  }

  /// Reads `value` and `timescale`, and where they are there `flags` (else valid) and `epoch`
  /// (else 0).
  ///
  /// Throws a `DecodingError` for a numeric time whose timescale is not above 0 and for flags that
  /// contradict each other. Flags without a meaning are dropped.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let value = try container.decode(Int64.self, forKey: .value)
    let timescale = try container.decode(Int32.self, forKey: .timescale)
    let rawFlags = try container.decodeIfPresent(UInt32.self, forKey: .flags)
    let epoch = try container.decodeIfPresent(Int64.self, forKey: .epoch)
    let flags = rawFlags.map(Flags.init(rawValue:)) ?? .valid

    guard flags.contains(.valid) else {
      self = .invalid
      return
    }
    switch flags.intersection(.impliedValueFlagsMask) {
    case .positiveInfinity: self = .positiveInfinity
    case .negativeInfinity: self = .negativeInfinity
    case .indefinite: self = .indefinite
    case []:
      guard timescale > 0 else {
        throw DecodingError.dataCorruptedError(
          forKey: .timescale, in: container,
          debugDescription: "The timescale of a numeric time must be above 0, not \(timescale).")
      }
      self.init(
        value: value, timescale: timescale,
        flags: flags.intersection([.valid, .hasBeenRounded]), epoch: epoch ?? 0)
    default:
      throw DecodingError.dataCorruptedError(
        forKey: .flags, in: container,
        debugDescription: "A time can't be more than one of infinite, negative and indefinite.")
    }
  }

  /// Writes the four fields; times that are not numeric are written as their constants.
  public func encode(to encoder: any Encoder) throws {
    let time: MediaTime =
      switch kind {
      case .numeric: self
      case .positiveInfinity: .positiveInfinity
      case .negativeInfinity: .negativeInfinity
      case .indefinite: .indefinite
      case .invalid: .invalid
      }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(time.value, forKey: .value)
    try container.encode(time.timescale, forKey: .timescale)
    try container.encode(time.flags.rawValue, forKey: .flags)
    try container.encode(time.epoch, forKey: .epoch)
  }
}
