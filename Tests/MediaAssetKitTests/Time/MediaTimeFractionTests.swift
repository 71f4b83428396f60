@testable import MediaAssetKit
import Testing

struct MediaTimeFractionTests {
  static let texts: [(MediaTime, String?)] = [
    (.zero, "0/1"), (MediaTime(0, 600), "0/1"), (MediaTime(1001, 30_000), "1001/30000"),
    (MediaTime(600, 600), "1/1"), (MediaTime(-90, 60), "-3/2"),
    (MediaTime(.min, 2), "-4611686018427387904/1"),
    (MediaTime(.max, .max), "9223372036854775807/2147483647"),
    (.rounded(2, 4), "1/2"), (.invalid, nil), (.indefinite, nil), (.positiveInfinity, nil),
    (.negativeInfinity, nil), (MediaTime(value: 1, timescale: 0, flags: .valid, epoch: 0), nil),
  ]

  @Test(arguments: texts) func rationalText(_ time: MediaTime, _ text: String?) {
    #expect(time.rationalText == text)
  }

  static let fractions: [(Int64, Int64, MediaTime?)] = [
    (1001, 30_000, MediaTime(1001, 30_000)), (2002, 60_000, MediaTime(1001, 30_000)),
    (0, 5, MediaTime(0, 1)), (0, -5, MediaTime(0, 1)), (1, -2, MediaTime(-1, 2)),
    (-3, -6, MediaTime(1, 2)), (1, 0, nil), (0, 0, nil),
    (.max, 1, MediaTime(.max, 1)), (.min, 1, MediaTime(.min, 1)),
    (.min, -1, .positiveInfinity), (.min, .min, MediaTime(1, 1)),
    (.max, .max, MediaTime(1, 1)), (.min, 2, MediaTime(.min / 2, 1)),
    (1, .max, .rounded(0, 1)), (1, .min, .rounded(0, 1)),
    (1, Int64(Int32.max), MediaTime(1, .max)), (1, Int64(Int32.max) + 1, .rounded(1, .max)),
    // One and 2^−63: nearer to 1 than to the next, 1 + 1/2147483646.
    (.max, .max - 1, .rounded(1, 1)), (-.max, .max - 1, .rounded(-1, 1)),
  ]

  @Test(arguments: fractions) func fromFraction(
    _ numerator: Int64, _ denominator: Int64, _ expected: MediaTime?
  ) throws {
    let time = MediaTime(rationalNumerator: numerator, denominator: denominator)
    guard let expected else {
      #expect(time == nil)
      return
    }
    let result = try #require(time)
    #expect(isIdentical(result, expected), "\(numerator)/\(denominator) is \(result)")
  }

  @Test func wideFractions() {
    let two126 = Int128(1) << 126
    #expect(isIdentical(MediaTime(reducing: two126, over: two126), MediaTime(1, 1)))
    #expect(isIdentical(MediaTime(reducing: .min, over: .min), MediaTime(1, 1)))
    #expect(isIdentical(MediaTime(reducing: .max, over: 1), .positiveInfinity))
    #expect(isIdentical(MediaTime(reducing: .min, over: 1), .negativeInfinity))
    #expect(isIdentical(MediaTime(reducing: 1, over: .min), .rounded(0, 1)))
    #expect(isIdentical(MediaTime(reducing: 1, over: 0), .positiveInfinity))
    #expect(isIdentical(MediaTime(reducing: -1, over: 0), .negativeInfinity))
    #expect(isIdentical(MediaTime(reducing: 0, over: 0), .invalid))
    // Between −2^63 and −2^63 − 1/2: the nearest is −2^63, whose magnitude a positive time lacks.
    let edge = Int128(1) << 63 * 100 + 49
    #expect(isIdentical(MediaTime(reducing: -edge, over: 100), .rounded(.min, 1)))
    #expect(isIdentical(MediaTime(reducing: edge, over: 100), .positiveInfinity))
    #expect(isIdentical(MediaTime(reducing: edge - 50, over: 100), .positiveInfinity))
    #expect(isIdentical(MediaTime(reducing: edge - 100, over: 100), .rounded(.max, 1)))
    // Just inside it.
    #expect(isIdentical(MediaTime(reducing: 51 - edge, over: 100), .rounded(.min, 1)))
    let time = MediaTime(reducing: 2, over: 4, isRounded: true, epoch: 6)
    #expect(time.timescale == 2 && time.hasBeenRounded && time.epoch == 6)
  }

  @Test func fractionsAreExactOrTheNearest() throws {
    var samples = TimeSamples(seed: 10)
    for _ in 0..<300 {
      let (numerator, denominator) = (samples.integer(), samples.integer())
      guard denominator != 0 else { continue }
      let time = try #require(MediaTime(rationalNumerator: numerator, denominator: denominator))
      expectNearest(time, to: ExactFraction(numerator, denominator))
    }
  }

  @Test func nearestFractionAgreesWithTryingThemAll() throws {
    var samples = TimeSamples(seed: 11)
    for _ in 0..<300 {
      let numerator = Int(samples.next() % 2000)
      let denominator = Int(samples.next() % 2000) + 1
      let (topLimit, bottomLimit) = (Int(samples.next() % 60) + 1, Int(samples.next() % 60) + 1)
      guard numerator / denominator <= topLimit else { continue }
      let found = try #require(
        WideArithmetic.nearestFraction(
          to: UInt128(numerator), over: UInt128(denominator), maximumNumerator: UInt64(topLimit),
          maximumDenominator: UInt64(bottomLimit)))
      let (top, bottom) = (Int(found.numerator), Int(found.denominator))
      #expect(top <= topLimit && bottom <= bottomLimit && bottom >= 1)
      // |a/b − n/d| as a fraction over b × d; all of it fits an Int.
      func error(_ top: Int, _ bottom: Int) -> (Int, Int) {
        (abs(top * denominator - numerator * bottom), bottom)
      }
      let (best, scale) = error(top, bottom)
      var nearer: [String] = []
      for otherBottom in 1...bottomLimit {
        for otherTop in 0...topLimit {
          let (other, otherScale) = error(otherTop, otherBottom)
          if other * scale < best * otherScale { nearer.append("\(otherTop)/\(otherBottom)") }
        }
      }
      #expect(nearer.isEmpty, "\(numerator)/\(denominator), not \(top)/\(bottom)")
    }
  }

  static let ticks: [(Int64, Int64, Int64, MediaTime)] = [
    (512, 1, 12_800, MediaTime(512, 12_800)),
    (3, 1001, 30_000, MediaTime(3003, 30_000)),
    (0, 1, 90_000, MediaTime(0, 90_000)),
    (.min, 1, 1, MediaTime(.min, 1)),
    (4, 1, 1 << 40, .rounded(0, 1)),
    (1 << 40, 1, 1 << 40, MediaTime(1, 1)),
    // 3 × 2^62 / 2^30 s: the value overflows, the lowest terms fit.
    (1 << 62, 3, 1 << 30, MediaTime(3 << 32, 1)),
    (.max, .max, 1, .positiveInfinity), (.min, .max, 1, .negativeInfinity),
  ]

  @Test(arguments: ticks) func fromTicks(
    _ count: Int64, _ numerator: Int64, _ denominator: Int64, _ expected: MediaTime
  ) throws {
    let base = try #require(Rational(numerator, denominator))
    let time = MediaTime(ticks: count, timeBase: base)
    #expect(isIdentical(time, expected), "\(time)")
  }

  @Test func ticksAgreeWithExactFractions() throws {
    var samples = TimeSamples(seed: 12)
    for _ in 0..<300 {
      let time = samples.time()
      guard let base = Rational(samples.integer(), samples.integer()) else { continue }
      guard base.numerator != 0 else {
        #expect(time.ticks(in: base) == nil)
        continue
      }
      let exact = ExactFraction(time) / ExactFraction(base.numerator, base.denominator)
      for rule: FloatingPointRoundingRule in [.down, .up, .toNearestOrAwayFromZero] {
        #expect(time.ticks(in: base, rounding: rule) == exact.rounded64(rule), "\(time), \(base)")
      }
      #expect(MediaTime.indefinite.ticks(in: base) == nil)
    }
  }
}
