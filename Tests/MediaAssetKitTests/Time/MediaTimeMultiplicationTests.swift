import MediaAssetKit
import Testing

struct MediaTimeMultiplicationTests {
  static let infinity = MediaTime.positiveInfinity

  static let products: [(MediaTime, Int32, MediaTime)] = [
    (MediaTime(1001, 30_000), 30, MediaTime(30_030, 30_000)),
    (MediaTime(1, 600), 0, MediaTime(0, 600)),
    (MediaTime(1, 600), -2, MediaTime(-2, 600)),
    (.rounded(1, 600), 2, .rounded(2, 600)),
    (.epoch(2, 3), 2, .epoch(2, 6)),
    // Halved once, exactly: (2^62) × 2 / 600 is 2^62 / 300.
    (MediaTime(1 << 62, 600), 2, MediaTime(1 << 62, 300)),
    (MediaTime(.max, 3), 3, MediaTime(.max, 1)),
    (MediaTime(.max, 1), 2, infinity),
    (MediaTime(.max, 1), -2, .negativeInfinity),
    (MediaTime(.min, 1), -1, infinity),
    // 2^63 × 2^31 / (2^31 − 1) is just above 2^63.
    (MediaTime(.min, .max), .min, infinity),
    (infinity, 2, infinity), (infinity, -2, .negativeInfinity),
    (.negativeInfinity, -2, infinity), (.indefinite, -2, .indefinite), (.invalid, 2, .invalid),
  ]

  @Test(arguments: products) func byWholeNumber(
    _ time: MediaTime, _ multiplier: Int32, _ expected: MediaTime
  ) {
    let product = time.multiplied(by: multiplier)
    #expect(isIdentical(product, expected), "\(time) × \(multiplier) = \(product)")
    #expect(isIdentical(time * multiplier, expected))
  }

  @Test func byWholeNumberAgreesWithExactFractions() {
    var samples = TimeSamples(seed: 5)
    for _ in 0..<400 {
      let time = samples.time()
      let multiplier = Int32(truncatingIfNeeded: samples.integer())
      let exact = ExactFraction(time) * ExactFraction(multiplier, 1)
      let expected = exact.time(timescale: time.timescale)
      #expect(isIdentical(time * multiplier, expected), "\(time) × \(multiplier)")
    }
  }

  static let ratios: [(MediaTime, Int32, Int32, MediaTime)] = [
    // What CoreMedia gives: the value stays and the timescale is multiplied.
    (MediaTime(43_804, 600), 1, 4, MediaTime(43_804, 2400)),
    (MediaTime(1, 600), 2, 3, MediaTime(2, 1800)),
    (MediaTime(1, 600), 2, 4, MediaTime(1, 1200)),
    (MediaTime(1, 600), -1, 2, MediaTime(-1, 1200)),
    (MediaTime(1, 600), 1, -2, MediaTime(-1, 1200)),
    (MediaTime(1, 600), -1, -2, MediaTime(1, 1200)),
    (MediaTime(1, 600), 0, 5, MediaTime(0, 600)),
    (.rounded(1, 600), 1, 2, .rounded(1, 1200)),
    (.epoch(4, 1), 1, 2, .epoch(4, 1, 2)),
    // Lowest terms where the plain product doesn't fit.
    (MediaTime(1 << 30, 1 << 30), 1, 4, MediaTime(1, 4)),
    (MediaTime(1 << 62, 1 << 30), 6, 9, MediaTime(1 << 33, 3)),
    (MediaTime(1, 1), .min, .min, MediaTime(1, 1)),
    (MediaTime(1, 1), 1, .min, .rounded(-1, .max)),
    // Nothing fits: the nearest fraction.
    (MediaTime(.max, 1), 3, 2, infinity),
    (MediaTime(.min, 1), 3, 2, .negativeInfinity),
    // Halfway between 0 and 1/2147483647.
    (MediaTime(1, .max), 1, 2, .rounded(1, .max)), (MediaTime(-1, .max), 1, 2, .rounded(-1, .max)),
    (MediaTime(3, .max), 1, 2, .rounded(1, 1_431_655_765)),
    // Divisor 0.
    (MediaTime(1, 600), 1, 0, infinity), (MediaTime(1, 600), -1, 0, .negativeInfinity),
    (MediaTime(-1, 600), 1, 0, .negativeInfinity), (MediaTime(-1, 600), -1, 0, infinity),
    (MediaTime(1, 600), 0, 0, .invalid), (.zero, 1, 0, .invalid),
    (infinity, 1, 2, infinity), (infinity, -1, 2, .negativeInfinity),
    (.negativeInfinity, 1, -2, infinity), (infinity, 0, 0, .invalid),
    (.indefinite, 1, 2, .indefinite), (.invalid, 1, 2, .invalid),
  ]

  @Test(arguments: ratios) func byRatio(
    _ time: MediaTime, _ multiplier: Int32, _ divisor: Int32, _ expected: MediaTime
  ) {
    let product = time.multiplied(by: multiplier, dividedBy: divisor)
    #expect(isIdentical(product, expected), "\(time) × \(multiplier) / \(divisor) = \(product)")
  }

  @Test func byRatioIsExactWhereATimeCanHoldIt() {
    var samples = TimeSamples(seed: 6)
    for _ in 0..<400 {
      let time = samples.time()
      let multiplier = Int32(truncatingIfNeeded: samples.integer())
      let divisor = Int32(truncatingIfNeeded: samples.integer())
      guard divisor != 0 else { continue }
      let exact = ExactFraction(time) * ExactFraction(multiplier, 1) / ExactFraction(divisor, 1)
      expectNearest(time.multiplied(by: multiplier, dividedBy: divisor), to: exact)
    }
  }

  static let factors: [(MediaTime, Double, MediaTime)] = [
    // 600, 1200, …, 76800.
    (MediaTime(43_804, 600), 0.25, MediaTime(1_401_728, 76_800)),
    (MediaTime(1, 1), 0.5, MediaTime(32_768, 65_536)),
    (MediaTime(1, 90_000), 2, MediaTime(2, 90_000)),
    (MediaTime(1, 90_000), 0.5, .rounded(1, 90_000)),
    (MediaTime(-1, 90_000), 0.5, .rounded(-1, 90_000)),
    (MediaTime(1, 90_000), 0.25, .rounded(0, 90_000)),
    (MediaTime(1, 1), -1.5, MediaTime(-98_304, 65_536)),
    (MediaTime(1, .max), 1, MediaTime(1, .max)),
    (MediaTime(1, 1), 0, MediaTime(0, 65_536)),
    (.rounded(1, 1), 1, .rounded(65_536, 65_536)),
    (.epoch(2, 1), 1, .epoch(2, 65_536, 65_536)),
    // 0.1 is stored as 0.1000000000000000055…: not quite a tenth.
    (MediaTime(10, 65_536), 0.1, .rounded(1, 65_536)),
    (MediaTime(.max, 1), 1, MediaTime(.max, 1)),
    (MediaTime(1, 1), 0x1p62, MediaTime(1 << 62, 1)),
    (MediaTime(1, 1), 0x1p63, infinity), (MediaTime(-1, 1), 0x1p63, MediaTime(.min, 1)),
    (MediaTime(1, 1), 1e300, infinity), (MediaTime(1, 1), -1e300, .negativeInfinity),
    (MediaTime(.max, .max), .leastNonzeroMagnitude, .rounded(0, .max)),
    (MediaTime(.max, 1), 1e-300, .rounded(0, 65_536)),
    (MediaTime(0, 1), 1e300, MediaTime(0, 65_536)),
    (MediaTime(1, 1), .infinity, infinity), (MediaTime(-1, 1), .infinity, .negativeInfinity),
    (MediaTime(1, 1), -.infinity, .negativeInfinity), (.zero, .infinity, .invalid),
    (MediaTime(1, 1), .nan, .invalid), (infinity, .nan, .invalid),
    (infinity, 2, infinity), (infinity, -2, .negativeInfinity), (.negativeInfinity, -0.5, infinity),
    (.indefinite, 2, .indefinite), (.invalid, 2, .invalid),
  ]

  @Test(arguments: factors) func byFloatingPoint(
    _ time: MediaTime, _ factor: Double, _ expected: MediaTime
  ) {
    let product = time.scaled(by: factor)
    #expect(isIdentical(product, expected), "\(time) × \(factor) = \(product)")
  }

  @Test func byFloatingPointIsRoundedOnceFromTheExactProduct() {
    var samples = TimeSamples(seed: 7)
    for _ in 0..<400 {
      let time = samples.time()
      var factor = Double(bitPattern: samples.next())
      if samples.next() % 4 != 0 {
        // Factors of everyday size.
        factor = Double(Int64(bitPattern: samples.next()) >> 40) / 0x1p12
      }
      guard factor.isFinite, factor.magnitude < 0x1p150, factor.magnitude > 0x1p-150 else {
        continue
      }
      var timescale = time.timescale
      while timescale < 65_536 { timescale *= 2 }
      let exact = ExactFraction(time) * ExactFraction(factor)
      let expected = exact.time(timescale: timescale)
      #expect(isIdentical(time.scaled(by: factor), expected), "\(time) × \(factor)")
    }
  }
}
