import MediaAssetKit
import Testing

struct RationalTests {
  static let reductions: [(Int64, Int64, String?)] = [
    (1001, 30_000, "1001/30000"), (2, 4, "1/2"), (-2, 4, "-1/2"), (2, -4, "-1/2"),
    (-2, -4, "1/2"), (0, -7, "0/1"), (5, 0, nil), (0, 0, nil), (.min, -1, nil), (1, .min, nil),
    (.min, .min, "1/1"), (.min, 2, "-4611686018427387904/1"), (.min, 1, "-9223372036854775808/1"),
    (2, .min, "-1/4611686018427387904"), (.max, .max, "1/1"),
  ]

  @Test(arguments: reductions) func lowestTerms(
    _ numerator: Int64, _ denominator: Int64, _ text: String?
  ) {
    #expect(Rational(numerator, denominator)?.description == text)
  }

  private func check(
    _ result: Rational?, _ exact: ExactFraction, _ what: String
  ) {
    let divisor = BigInteger.greatestCommonDivisor(exact.numerator, exact.denominator)
    let top = exact.numerator.flooredDivision(by: divisor).quotient
    let bottom = exact.denominator.flooredDivision(by: divisor).quotient
    let fits =
      top >= BigInteger(Int64.min) && top <= BigInteger(Int64.max)
      && bottom <= BigInteger(Int64.max)
    guard let result else {
      #expect(!fits, "\(what) is \(exact)")
      return
    }
    #expect(BigInteger(result.numerator) == top, "\(what) is \(exact), not \(result)")
    #expect(BigInteger(result.denominator) == bottom, "\(what) is \(exact), not \(result)")
  }

  @Test func arithmeticIsExactOrNil() {
    var samples = TimeSamples(seed: 13)
    for _ in 0..<250 {
      guard let left = Rational(samples.integer(), samples.integer()),
        let right = Rational(samples.integer(), samples.integer())
      else { continue }
      let first = ExactFraction(left.numerator, left.denominator)
      let second = ExactFraction(right.numerator, right.denominator)
      check(left.adding(right), first + second, "\(left) + \(right)")
      check(left.subtracting(right), first - second, "\(left) - \(right)")
      check(left.multiplied(by: right), first * second, "\(left) × \(right)")
      if right == .zero {
        #expect(left.divided(by: right) == nil)
      } else {
        check(left.divided(by: right), first / second, "\(left) / \(right)")
      }
      #expect((left < right) == (first < second))
      #expect((left == right) == (first == second))
      for rule: FloatingPointRoundingRule in [
        .down, .up, .towardZero, .awayFromZero, .toNearestOrEven, .toNearestOrAwayFromZero,
      ] {
        #expect(left.rounded(rule) == first.rounded64(rule))
      }
    }
  }

  @Test func reciprocal() throws {
    let rate = try #require(Rational(30_000, 1001))
    #expect(rate.reciprocal == Rational(1001, 30_000))
    #expect(Rational.zero.reciprocal == nil)
    #expect(Rational(.min).reciprocal == nil)
  }

  struct Rescale: Sendable {
    var ticks: Int64
    var from: (Int64, Int64)
    var to: (Int64, Int64)
    /// down, up, nearest or even, nearest or away from zero
    var expected: [Int64?]
  }

  static let rescales: [Rescale] = [
    Rescale(ticks: 90_000, from: (1, 90_000), to: (1, 600), expected: [600, 600, 600, 600]),
    Rescale(ticks: 1, from: (1, 2), to: (1, 1), expected: [0, 1, 0, 1]),
    Rescale(ticks: 3, from: (1, 2), to: (1, 1), expected: [1, 2, 2, 2]),
    Rescale(ticks: 5, from: (1, 2), to: (1, 1), expected: [2, 3, 2, 3]),
    Rescale(ticks: -5, from: (1, 2), to: (1, 1), expected: [-3, -2, -2, -3]),
    Rescale(ticks: 1, from: (1, 3), to: (1, 1), expected: [0, 1, 0, 0]),
    Rescale(ticks: -1, from: (1, 3), to: (1, 1), expected: [-1, 0, 0, 0]),
    Rescale(ticks: 1, from: (1001, 30_000), to: (1, 90_000), expected: [3003, 3003, 3003, 3003]),
    Rescale(ticks: .max, from: (1, 90_000), to: (1, 90_000), expected: [.max, .max, .max, .max]),
    Rescale(ticks: .min, from: (1, 3), to: (1, 3), expected: [.min, .min, .min, .min]),
    Rescale(ticks: .max, from: (1, 1), to: (1, 2), expected: [nil, nil, nil, nil]),
    Rescale(ticks: .min, from: (-1, 1), to: (1, 1), expected: [nil, nil, nil, nil]),
    Rescale(ticks: 7, from: (0, 1), to: (1, 600), expected: [0, 0, 0, 0]),
    Rescale(ticks: 7, from: (1, 600), to: (0, 1), expected: [nil, nil, nil, nil]),
    Rescale(ticks: 7, from: (0, 1), to: (0, 1), expected: [nil, nil, nil, nil]),
    // 2^63 − 1 ticks of a time base of 2^62 terms: far above 128 bits on the way.
    Rescale(
      ticks: .max, from: (.max, .max - 1), to: (.max, .max - 1),
      expected: [.max, .max, .max, .max]),
    Rescale(
      ticks: 1 << 62, from: (.max - 1, .max), to: (.max, .max - 1),
      // 2^62 × ((2^63 − 2) / (2^63 − 1))² is a hair below 2^62 − 1.
      expected: [(1 << 62) - 2, (1 << 62) - 1, (1 << 62) - 1, (1 << 62) - 1]),
  ]

  @Test(arguments: rescales) func rescale(_ rescale: Rescale) throws {
    let from = try #require(Rational(rescale.from.0, rescale.from.1))
    let to = try #require(Rational(rescale.to.0, rescale.to.1))
    let rules: [FloatingPointRoundingRule] = [
      .down, .up, .toNearestOrEven, .toNearestOrAwayFromZero,
    ]
    for (rule, expected) in zip(rules, rescale.expected) {
      let result = Rational.rescale(rescale.ticks, from: from, to: to, rounding: rule)
      #expect(result == expected, "\(rule)")
    }
    #expect(
      Rational.rescale(rescale.ticks, from: from, to: to) == rescale.expected[3])
  }

  @Test(arguments: [UInt64(14), 15]) func rescaleAgreesWithExactFractions(seed: UInt64) {
    var samples = TimeSamples(seed: seed)
    for _ in 0..<150 {
      guard let from = Rational(samples.integer(), samples.integer()),
        let to = Rational(samples.integer(), samples.integer()), to != .zero
      else { continue }
      let ticks = samples.integer()
      let exact =
        ExactFraction(ticks, 1) * ExactFraction(from.numerator, from.denominator)
        / ExactFraction(to.numerator, to.denominator)
      for rule: FloatingPointRoundingRule in [
        .down, .up, .towardZero, .awayFromZero, .toNearestOrEven, .toNearestOrAwayFromZero,
      ] {
        #expect(
          Rational.rescale(ticks, from: from, to: to, rounding: rule) == exact.rounded64(rule),
          "seed \(seed): \(ticks) from \(from) to \(to), \(rule)")
      }
    }
  }
}
