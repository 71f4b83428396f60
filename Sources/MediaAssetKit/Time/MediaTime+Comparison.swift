extension MediaTime: Equatable {
  /// Whether two times have the same value, whatever their timescales: `3/1 == 1800/600`.
  ///
  /// The rounding flag does not count; invalid times are equal to each other.
  public static func == (left: MediaTime, right: MediaTime) -> Bool {
    guard left.kind == right.kind else { return false }
    guard left.isNumeric else { return true }
    return left.epoch == right.epoch && left.crossProduct(right) == right.crossProduct(left)
  }
}

extension MediaTime: Comparable {
  /// The total order: −infinity < finite < indefinite < +infinity < invalid.
  ///
  /// A finite time in a larger epoch is later than every finite time in a smaller one.
  public static func < (left: MediaTime, right: MediaTime) -> Bool {
    guard left.kind == right.kind else { return left.kind.rawValue < right.kind.rawValue }
    guard left.isNumeric else { return false }
    guard left.epoch == right.epoch else { return left.epoch < right.epoch }
    return left.crossProduct(right) < right.crossProduct(left)
  }

  private func crossProduct(_ other: MediaTime) -> Int128 {
    Int128(value) * Int128(other.timescale)
  }

  /// The earlier of two times; the first when they are equal.
  public static func minimum(_ first: MediaTime, _ second: MediaTime) -> MediaTime {
    second < first ? second : first
  }

  /// The later of two times; the first when they are equal.
  public static func maximum(_ first: MediaTime, _ second: MediaTime) -> MediaTime {
    first < second ? second : first
  }
}

extension MediaTime: Hashable {
  /// Hashes the value in lowest terms, so that equal times have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind.rawValue)
    guard isNumeric else { return }
    let divisor = WideArithmetic.greatestCommonDivisor(
      value.magnitude, UInt64(timescale.magnitude))
    hasher.combine(epoch)
    hasher.combine(value < 0)
    hasher.combine(value.magnitude / divisor)
    hasher.combine(UInt64(timescale.magnitude) / divisor)
  }
}
