@testable import MediaAssetKit

/// A fraction of big integers and what rounding it must give; the oracle of the time tests.
struct ExactFraction: CustomStringConvertible {
  var numerator: BigInteger
  /// Above 0.
  var denominator: BigInteger

  init(_ numerator: BigInteger, _ denominator: BigInteger) {
    self.numerator = denominator.sign < 0 ? -numerator : numerator
    self.denominator = denominator.magnitude
  }

  init(_ numerator: some BinaryInteger, _ denominator: some BinaryInteger) {
    self.init(BigInteger(numerator), BigInteger(denominator))
  }

  init(_ time: MediaTime) {
    self.init(time.value, time.timescale)
  }

  /// A finite floating-point number, exactly.
  init(_ number: Double) {
    // Every finite number is a whole number of 2^-1074.
    var (scaled, exponent) = (number, 0)
    while scaled != scaled.rounded() || scaled.magnitude > 0x1p60 {
      exponent += scaled.magnitude > 0x1p60 ? 1 : -1
      scaled = scaled.magnitude > 0x1p60 ? scaled / 2 : scaled * 2
    }
    self.init(
      BigInteger(Int64(scaled)) * .power(ofTwo: max(0, exponent)),
      .power(ofTwo: max(0, -exponent)))
  }

  static func + (left: ExactFraction, right: ExactFraction) -> ExactFraction {
    ExactFraction(
      left.numerator * right.denominator + right.numerator * left.denominator,
      left.denominator * right.denominator)
  }

  static prefix func - (value: ExactFraction) -> ExactFraction {
    ExactFraction(-value.numerator, value.denominator)
  }

  static func - (left: ExactFraction, right: ExactFraction) -> ExactFraction { left + -right }

  static func * (left: ExactFraction, right: ExactFraction) -> ExactFraction {
    ExactFraction(left.numerator * right.numerator, left.denominator * right.denominator)
  }

  /// The quotient; the divisor must not be 0.
  static func / (left: ExactFraction, right: ExactFraction) -> ExactFraction {
    ExactFraction(left.numerator * right.denominator, left.denominator * right.numerator)
  }

  static func == (left: ExactFraction, right: ExactFraction) -> Bool {
    left.numerator * right.denominator == right.numerator * left.denominator
  }

  static func < (left: ExactFraction, right: ExactFraction) -> Bool {
    left.numerator * right.denominator < right.numerator * left.denominator
  }

  var sign: Int { numerator.sign }
  var magnitude: ExactFraction { ExactFraction(numerator.magnitude, denominator) }
  var description: String { "\(numerator)/\(denominator)" }

  /// The whole number that a rounding rule gives.
  func rounded(_ rule: FloatingPointRoundingRule) -> BigInteger {
    let (floor, remainder) = numerator.flooredDivision(by: denominator)
    if remainder.isZero { return floor }
    let ceiling = floor + BigInteger(1)
    let (towardZero, awayFromZero) = sign < 0 ? (ceiling, floor) : (floor, ceiling)
    let twice = remainder + remainder
    return switch rule {
    case .down: floor
    case .up: ceiling
    case .towardZero: towardZero
    case .awayFromZero: awayFromZero
    case .toNearestOrEven where twice == denominator: floor.isOdd ? ceiling : floor
    case .toNearestOrAwayFromZero where twice == denominator: awayFromZero
    default: twice < denominator ? floor : ceiling
    }
  }

  /// The whole number as 64 bits, or nil when it doesn't fit.
  func rounded64(_ rule: FloatingPointRoundingRule) -> Int64? {
    rounded(rule).asInt64
  }

  /// In lowest terms, if these fit a time.
  var fitsTime: Bool {
    let divisor = BigInteger.greatestCommonDivisor(numerator, denominator)
    let top = numerator.flooredDivision(by: divisor).quotient
    return top >= BigInteger(Int64.min) && top <= BigInteger(Int64.max)
      && denominator.flooredDivision(by: divisor).quotient <= BigInteger(Int32.max)
  }

  /// The time that CMTime's rules give at a timescale: halved until the value fits, else infinite.
  func time(
    timescale: Int32, rule: FloatingPointRoundingRule = .toNearestOrAwayFromZero,
    isRounded: Bool = false, epoch: Int64 = 0
  ) -> MediaTime {
    var timescale = timescale
    while timescale > 0 {
      let scaled = self * ExactFraction(timescale, 1)
      if let value = scaled.rounded64(rule) {
        let isExact = ExactFraction(value, 1) == scaled
        return MediaTime(
          value: value, timescale: timescale,
          flags: isRounded || !isExact ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
      }
      timescale /= 2
    }
    return sign < 0 ? .negativeInfinity : .positiveInfinity
  }
}
