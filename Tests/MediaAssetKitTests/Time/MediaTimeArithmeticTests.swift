import MediaAssetKit
import Testing

struct MediaTimeArithmeticTests {
  typealias Case = (MediaTime, MediaTime, MediaTime)
  static let infinity = MediaTime.positiveInfinity

  static let sums: [Case] = [
    // Equal timescales stay, others become the least common multiple.
    (MediaTime(1, 600), MediaTime(2, 600), MediaTime(3, 600)),
    (MediaTime(1, 2), MediaTime(1, 3), MediaTime(5, 6)),
    (MediaTime(1, 600), MediaTime(1, 1000), MediaTime(8, 3000)),
    (MediaTime(1001, 30_000), MediaTime(1, 1), MediaTime(31_001, 30_000)),
    (MediaTime(1, 600), .zero, MediaTime(1, 600)),
    // The least common multiple is too large: the largest timescale, rounded.
    // 1/65536 + 1/65537 is 131073/4295032832, that is 65535.49998 of 1/2147483647.
    (MediaTime(1, 65_536), MediaTime(1, 65_537), .rounded(65_535, .max)),
    // … but not where the sum in lowest terms fits.
    (MediaTime(0, 1_000_000_007), MediaTime(5, 1_000_000_009), MediaTime(5, 1_000_000_009)),
    (MediaTime(1_000_000_007, 1_000_000_007), MediaTime(1, 65_537), MediaTime(65_538, 65_537)),
    // The value overflows: the timescale is halved.
    (MediaTime(.max, 2), MediaTime(1, 2), MediaTime(1 << 62, 1)),
    (MediaTime(.max, 4), MediaTime(.max, 4), MediaTime(.max, 2)),
    (MediaTime(.min, 600), MediaTime(-1, 600), .rounded(.min / 2 - 1, 300)),
    // … 6, 3, 1: five sixths of 2^63 − 1, which ends in .8333.
    (MediaTime(.max, 2), MediaTime(.max, 3), .rounded(7_686_143_364_045_646_506, 1)),
    // … and where whole seconds overflow too, it is infinite.
    (MediaTime(.max, 1), MediaTime(.max, 1), infinity),
    (MediaTime(.max, 1), MediaTime(1, 1), infinity),
    (MediaTime(.min, 1), MediaTime(.min, 1), .negativeInfinity),
    (MediaTime(.max, 1), MediaTime(.min, 1), MediaTime(-1, 1)),
    // Just short of one half above 2^63 − 1.
    (MediaTime(.max, 1), MediaTime(49, 100), .rounded(.max, 1)),
    (MediaTime(.max, 1), MediaTime(1, 2), infinity),
    // Rounding sticks.
    (.rounded(1, 600), MediaTime(1, 600), .rounded(2, 600)),
    (MediaTime(1, 600), .rounded(1, 600), .rounded(2, 600)),
    // Special values.
    (.invalid, MediaTime(1, 1), .invalid),
    (MediaTime(1, 1), .invalid, .invalid),
    (.invalid, infinity, .invalid),
    (.indefinite, .invalid, .invalid),
    (infinity, infinity, infinity),
    (.negativeInfinity, .negativeInfinity, .negativeInfinity),
    (infinity, .negativeInfinity, .invalid),
    (.negativeInfinity, infinity, .invalid),
    (infinity, MediaTime(1, 1), infinity),
    (MediaTime(1, 1), .negativeInfinity, .negativeInfinity),
    (infinity, .indefinite, infinity),
    (.indefinite, .negativeInfinity, .negativeInfinity),
    (.indefinite, MediaTime(1, 1), .indefinite),
    (MediaTime(1, 1), .indefinite, .indefinite),
    (.indefinite, .indefinite, .indefinite),
    // Epochs.
    (.epoch(3, 2), MediaTime(1, 1), .epoch(3, 3)),
    (MediaTime(1, 1), .epoch(3, 2), .epoch(3, 3)),
    (.epoch(3, 2), .epoch(3, 4), MediaTime(6, 1)),
    (.epoch(3, 2), .epoch(4, 4), .invalid),
    (.epoch(3, 2), infinity, infinity),
  ]

  @Test(arguments: sums) func sum(_ pair: Case) {
    let (left, right, expected) = pair
    let sum = left + right
    #expect(isIdentical(sum, expected), "\(left) + \(right) = \(sum), not \(expected)")
    var running = left
    running += right
    #expect(isIdentical(running, expected))
  }

  static let differences: [Case] = [
    (MediaTime(3, 600), MediaTime(1, 600), MediaTime(2, 600)),
    (MediaTime(1, 2), MediaTime(1, 3), MediaTime(1, 6)),
    (MediaTime(0, 1), MediaTime(.min, 2), MediaTime(1 << 62, 1)),
    (MediaTime(-1, 1), MediaTime(.min, 1), MediaTime(.max, 1)),
    (MediaTime(0, 1), MediaTime(.min, 1), infinity),
    (MediaTime(.min, 1), MediaTime(.max, 1), .negativeInfinity),
    (.rounded(3, 600), MediaTime(1, 600), .rounded(2, 600)),
    (infinity, infinity, .invalid),
    (.negativeInfinity, .negativeInfinity, .invalid),
    (infinity, .negativeInfinity, infinity),
    (.negativeInfinity, infinity, .negativeInfinity),
    (MediaTime(1, 1), infinity, .negativeInfinity),
    (MediaTime(1, 1), .negativeInfinity, infinity),
    (infinity, MediaTime(1, 1), infinity),
    (.indefinite, infinity, .negativeInfinity),
    (.indefinite, MediaTime(1, 1), .indefinite),
    (MediaTime(1, 1), .indefinite, .indefinite),
    (.invalid, infinity, .invalid),
    (MediaTime(1, 1), .invalid, .invalid),
    (.epoch(3, 2), MediaTime(1, 1), .epoch(3, 1)),
    (.epoch(3, 2), .epoch(3, 4), MediaTime(-2, 1)),
    (.epoch(3, 2), .epoch(4, 4), .invalid),
  ]

  @Test(arguments: differences) func difference(_ pair: Case) {
    let (left, right, expected) = pair
    let difference = left - right
    #expect(
      isIdentical(difference, expected), "\(left) - \(right) = \(difference), not \(expected)")
    var running = left
    running -= right
    #expect(isIdentical(running, expected))
  }

  @Test(arguments: [UInt64(3), 4]) func sumsAndDifferencesAreExactOrRoundedOnce(seed: UInt64) {
    var samples = TimeSamples(seed: seed)
    for _ in 0..<400 {
      let (left, right) = (samples.time(), samples.time())
      let (first, second) = (Int64(left.timescale), Int64(right.timescale))
      var (larger, smaller) = (first, second)
      while smaller != 0 { (larger, smaller) = (smaller, larger % smaller) }
      let common = Int32(exactly: first / larger * second)
      for (result, exact) in [
        (left + right, ExactFraction(left) + ExactFraction(right)),
        (left - right, ExactFraction(left) - ExactFraction(right)),
      ] {
        if common == nil, exact.fitsTime {
          #expect(ExactFraction(result) == exact && !result.hasBeenRounded, "\(left), \(right)")
        } else {
          let expected = exact.time(timescale: common ?? .max)
          #expect(isIdentical(result, expected), "seed \(seed): \(left), \(right): \(result)")
        }
      }
    }
  }

  static let negations: [(MediaTime, MediaTime)] = [
    (MediaTime(1, 600), MediaTime(-1, 600)), (.zero, .zero), (.rounded(1, 2), .rounded(-1, 2)),
    (MediaTime(.min, 2), MediaTime(1 << 62, 1)), (MediaTime(.min, 1), infinity),
    (MediaTime(.max, 1), MediaTime(-.max, 1)), (infinity, .negativeInfinity),
    (.negativeInfinity, infinity), (.indefinite, .indefinite), (.invalid, .invalid),
    (.epoch(3, 1), .epoch(3, -1)),
  ]

  @Test(arguments: negations) func negation(_ time: MediaTime, _ expected: MediaTime) {
    #expect(isIdentical(-time, expected))
  }

  static let magnitudes: [(MediaTime, MediaTime)] = [
    (MediaTime(-1, 600), MediaTime(1, 600)), (MediaTime(1, 600), MediaTime(1, 600)),
    (MediaTime(.min, 2), MediaTime(1 << 62, 1)), (MediaTime(.min, 1), infinity),
    (.negativeInfinity, infinity), (infinity, infinity), (.indefinite, .indefinite),
    (.invalid, .invalid), (.rounded(-1, 2), .rounded(1, 2)),
  ]

  @Test(arguments: magnitudes) func absoluteValue(_ time: MediaTime, _ expected: MediaTime) {
    #expect(isIdentical(time.absoluteValue, expected))
  }
}
