import MediaAssetKit
import Testing

struct MediaTimeConversionTests {
  struct Rounding: Sendable {
    var value: Int64
    var from: Int32
    var to: Int32
    /// In the order of the methods: half away, toward zero, away, QuickTime, up, down.
    var expected: [Int64]
    var isExact = false
  }

  static let roundings: [Rounding] = [
    // Exact, into a larger and a smaller timescale.
    Rounding(value: 1, from: 1, to: 600, expected: [600, 600, 600, 600, 600, 600], isExact: true),
    Rounding(value: -600, from: 600, to: 1, expected: [-1, -1, -1, -1, -1, -1], isExact: true),
    Rounding(value: 0, from: 600, to: 7, expected: [0, 0, 0, 0, 0, 0], isExact: true),
    Rounding(value: 3, from: 7, to: 7, expected: [3, 3, 3, 3, 3, 3], isExact: true),
    // Below one half: 5/4.
    Rounding(value: 5, from: 4, to: 1, expected: [1, 1, 2, 1, 2, 1]),
    Rounding(value: -5, from: 4, to: 1, expected: [-1, -1, -2, -1, -1, -2]),
    // One half: 3/2.
    Rounding(value: 3, from: 2, to: 1, expected: [2, 1, 2, 1, 2, 1]),
    Rounding(value: -3, from: 2, to: 1, expected: [-2, -1, -2, -1, -1, -2]),
    // Above one half: 7/4.
    Rounding(value: 7, from: 4, to: 1, expected: [2, 1, 2, 1, 2, 1]),
    Rounding(value: -7, from: 4, to: 1, expected: [-2, -1, -2, -1, -1, -2]),
    // QuickTime rounds away from zero into a larger timescale: 4/3 and 5/3 of a half.
    Rounding(value: 2, from: 3, to: 4, expected: [3, 2, 3, 3, 3, 2]),
    Rounding(value: -2, from: 3, to: 4, expected: [-3, -2, -3, -3, -2, -3]),
    Rounding(value: 1, from: 3, to: 4, expected: [1, 1, 2, 2, 2, 1]),
    Rounding(value: -1, from: 3, to: 4, expected: [-1, -1, -2, -2, -1, -2]),
    // … and never from a negative time to 0.
    Rounding(value: 1, from: 4, to: 1, expected: [0, 0, 1, 0, 1, 0]),
    Rounding(value: -1, from: 4, to: 1, expected: [0, 0, -1, -1, 0, -1]),
    Rounding(value: 1, from: 2, to: 1, expected: [1, 0, 1, 0, 1, 0]),
    Rounding(value: -1, from: 2, to: 1, expected: [-1, 0, -1, -1, 0, -1]),
  ]

  @Test(arguments: roundings) func everyMethod(_ rounding: Rounding) {
    for (method, value) in zip(MediaTime.RoundingMethod.allCases, rounding.expected) {
      let time = MediaTime(rounding.value, rounding.from)
      let result = time.convertScale(rounding.to, method: method)
      let expected =
        rounding.isExact ? MediaTime(value, rounding.to) : .rounded(value, rounding.to)
      #expect(isIdentical(result, expected), "\(time), \(method): \(result)")
    }
    let time = MediaTime(rounding.value, rounding.from)
    #expect(time.convertScale(rounding.to).value == rounding.expected[0])
  }

  static let conversions: [(MediaTime, Int32, MediaTime)] = [
    (.rounded(1, 1), 600, .rounded(600, 600)),
    (.epoch(5, 1), 600, .epoch(5, 600, 600)),
    (MediaTime(1, 1), 0, .invalid), (MediaTime(1, 1), -600, .invalid),
    (.positiveInfinity, 600, .positiveInfinity), (.negativeInfinity, 600, .negativeInfinity),
    (.indefinite, 600, .indefinite), (.invalid, 600, .invalid),
    (MediaTime(.max, 1), 1, MediaTime(.max, 1)),
    // Halved from 4 to 2 to 1.
    (MediaTime(.max, 1), 4, MediaTime(.max, 1)),
    (MediaTime(.min, 1), .max, MediaTime(.min, 1)),
    (MediaTime(1 << 61, 1), 4, MediaTime(1 << 62, 2)),
    (MediaTime(.max, .max), 1, .rounded(4_294_967_298, 1)),
  ]

  @Test(arguments: conversions) func conversion(
    _ time: MediaTime, _ timescale: Int32, _ expected: MediaTime
  ) {
    let result = time.convertScale(timescale)
    #expect(isIdentical(result, expected), "\(time) to \(timescale) is \(result)")
  }

  @Test(arguments: MediaTime.RoundingMethod.allCases)
  func everyMethodAgreesWithExactFractions(method: MediaTime.RoundingMethod) {
    var samples = TimeSamples(seed: 8)
    for _ in 0..<200 {
      let time = samples.time()
      let timescale = samples.timescale()
      let rule: FloatingPointRoundingRule =
        switch method {
        case .roundHalfAwayFromZero: .toNearestOrAwayFromZero
        case .roundTowardZero: .towardZero
        case .roundAwayFromZero: .awayFromZero
        case .quickTime: timescale < time.timescale ? .towardZero : .awayFromZero
        case .roundTowardPositiveInfinity: .up
        case .roundTowardNegativeInfinity: .down
        }
      var expected = ExactFraction(time).time(timescale: timescale, rule: rule)
      if method == .quickTime, time.value < 0, expected.value == 0 { expected.value = -1 }
      let result = time.convertScale(timescale, method: method)
      #expect(isIdentical(result, expected), "\(time) to \(timescale) is \(result)")
    }
  }

  static let seconds: [(Double, Int32, MediaTime)] = [
    (1, 600, MediaTime(600, 600)), (0.5, 600, MediaTime(300, 600)),
    (-0.5, 600, MediaTime(-300, 600)),
    (0, 600, MediaTime(0, 600)), (-0.0, 600, MediaTime(0, 600)),
    // 60/600 as a Double is 0.1, although 0.1 is not exactly a tenth.
    (0.1, 600, MediaTime(60, 600)), (1.0 / 3, 3, MediaTime(1, 3)), (1.1, 10, MediaTime(11, 10)),
    (1.0 / 3, 600, MediaTime(200, 600)), (1.0 / 3, 1000, .rounded(333, 1000)),
    (0.0015, 1000, .rounded(2, 1000)), (0.5, 1, .rounded(1, 1)), (-0.5, 1, .rounded(-1, 1)),
    (0.25, 1, .rounded(0, 1)), (2.5, 1, .rounded(3, 1)), (-2.5, 1, .rounded(-3, 1)),
    (.leastNonzeroMagnitude, .max, .rounded(0, .max)), (1e-300, .max, .rounded(0, .max)),
    (1, 0, .invalid), (1, -1, .invalid), (.nan, 600, .invalid), (.signalingNaN, 600, .invalid),
    (.infinity, 600, .positiveInfinity), (-.infinity, 600, .negativeInfinity),
    (.infinity, 0, .invalid),
    // 2^60 × 600 overflows, so do 300, …, 9; 2^60 × 4 fits.
    (0x1p60, 600, MediaTime(1 << 62, 4)), (-0x1p60, 600, MediaTime(-(1 << 62), 4)),
    (0x1p62, 600, MediaTime(1 << 62, 1)), (0x1p63, 600, .positiveInfinity),
    (-0x1p63, 600, MediaTime(.min, 1)), (1e300, 600, .positiveInfinity),
    (-1e300, .max, .negativeInfinity), (.greatestFiniteMagnitude, 1, .positiveInfinity),
  ]

  @Test(arguments: seconds) func fromSeconds(
    _ seconds: Double, _ timescale: Int32, _ expected: MediaTime
  ) {
    let time = MediaTime(seconds: seconds, preferredTimescale: timescale)
    #expect(isIdentical(time, expected), "\(seconds) at \(timescale) is \(time)")
  }

  @Test func fromSecondsIsTheNearestValue() {
    var samples = TimeSamples(seed: 9)
    for _ in 0..<400 {
      let shift = Double(Int64(1) << Int64(samples.next() % 60))
      let seconds = Double(Int64(bitPattern: samples.next()) >> Int64(samples.next() % 60)) / shift
      let timescale = samples.timescale()
      let time = MediaTime(seconds: seconds, preferredTimescale: timescale)
      var expected = ExactFraction(seconds).time(timescale: timescale)
      if expected.isNumeric {
        let isSame = Double(expected.value) / Double(expected.timescale) == seconds
        expected.flags = isSame ? .valid : [.valid, .hasBeenRounded]
      }
      #expect(isIdentical(time, expected), "\(seconds) at \(timescale) is \(time)")
    }
  }

  @Test func toSeconds() {
    #expect(MediaTime(1001, 30_000).seconds == 1001.0 / 30_000)
    #expect(MediaTime.epoch(7, -3, 2).seconds == -1.5)
    #expect(MediaTime.positiveInfinity.seconds == .infinity)
    #expect(MediaTime.negativeInfinity.seconds == -.infinity)
    #expect(MediaTime.indefinite.seconds.isNaN)
    #expect(MediaTime.invalid.seconds.isNaN)
    #expect(MediaTime(value: 1, timescale: 0, flags: .valid, epoch: 0).seconds.isNaN)
  }
}
