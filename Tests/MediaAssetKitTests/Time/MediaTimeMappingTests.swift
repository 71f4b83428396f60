import MediaAssetKit
import Testing

struct MediaTimeMappingTests {
  static let infinite = MediaTimeRange(start: MediaTime(1, 1), duration: .positiveInfinity)

  static let clamps: [(MediaTime, MediaTimeRange, MediaTime)] = [
    (MediaTime(2, 1), MediaTimeRange(1, 4), MediaTime(2, 1)),
    (MediaTime(0, 1), MediaTimeRange(1, 4), MediaTime(1, 1)),
    (MediaTime(4, 1), MediaTimeRange(1, 4), MediaTime(4, 1)),
    (MediaTime(5, 1), MediaTimeRange(1, 4), MediaTime(4, 1)),
    (.positiveInfinity, MediaTimeRange(1, 4), MediaTime(4, 1)),
    (.negativeInfinity, MediaTimeRange(1, 4), MediaTime(1, 1)),
    (.indefinite, MediaTimeRange(1, 4), MediaTime(4, 1)),
    (.epoch(1, 0), MediaTimeRange(1, 4), MediaTime(4, 1)),
    (MediaTime(5, 1), infinite, MediaTime(5, 1)),
    (.invalid, MediaTimeRange(1, 4), .invalid),
    (MediaTime(1, 1), MediaTimeRange(1, 1), .invalid),
    (MediaTime(1, 1), .invalid, .invalid),
  ]

  @Test(arguments: clamps) func clamp(
    _ time: MediaTime, _ range: MediaTimeRange, _ expected: MediaTime
  ) {
    #expect(time.clamped(to: range) == expected)
  }

  static let third = MediaTimeRange(start: MediaTime(1, 3), duration: MediaTime(2, 5))

  static let folds: [(MediaTime, MediaTimeRange, MediaTime)] = [
    // What CoreMedia gives.
    (MediaTime(0, 1), third, MediaTime(6, 15)),
    (MediaTime(-7, 11), third, MediaTime(93, 165)),
    // 1/2 is inside; 7/3 is five durations after the start, so on it.
    (MediaTime(1, 2), third, MediaTime(15, 30)),
    (MediaTime(7, 3), third, MediaTime(5, 15)),
    (MediaTime(4, 1), MediaTimeRange(1, 4), MediaTime(1, 1)),
    (MediaTime(11, 1), MediaTimeRange(1, 4), MediaTime(2, 1)),
    (MediaTime(-1, 1), MediaTimeRange(1, 4), MediaTime(2, 1)),
    (.rounded(5, 1), MediaTimeRange(1, 4), .rounded(2, 1)),
    (
      .epoch(1, 5), MediaTimeRange(start: .epoch(1, 1), duration: MediaTime(3, 1)), .epoch(1, 2)
    ),
    (.epoch(1, 5), MediaTimeRange(1, 4), .invalid),
    (MediaTime(5, 1), MediaTimeRange(1, 1), .invalid),
    (MediaTime(5, 1), infinite, .invalid), (MediaTime(5, 1), .invalid, .invalid),
    (.positiveInfinity, MediaTimeRange(1, 4), .invalid),
    (.indefinite, MediaTimeRange(1, 4), .invalid),
  ]

  @Test(arguments: folds) func fold(
    _ time: MediaTime, _ range: MediaTimeRange, _ expected: MediaTime
  ) {
    let folded = time.folded(into: range)
    #expect(isIdentical(folded, expected), "\(time) in \(range) is \(folded)")
  }

  @Test(arguments: [UInt64(18), 19]) func foldIsExactOrTheNearest(seed: UInt64) {
    var samples = TimeSamples(seed: seed)
    for _ in 0..<150 {
      let time = samples.next() % 2 == 0 ? samples.ordinaryTime() : samples.time()
      let start = samples.next() % 2 == 0 ? samples.ordinaryTime() : samples.time()
      let range = MediaTimeRange(start: start, duration: samples.duration())
      let duration = ExactFraction(range.duration)
      let periods = ((ExactFraction(time) - ExactFraction(start)) / duration).rounded(.down)
      let exact = ExactFraction(time) - ExactFraction(periods, BigInteger(1)) * duration
      expectNearest(time.folded(into: range), to: exact)
    }
  }

  static let from = MediaTimeRange(start: MediaTime(1, 7), duration: MediaTime(2, 5))
  static let to = MediaTimeRange(start: MediaTime(3, 13), duration: MediaTime(7, 11))

  static let maps: [(MediaTime, MediaTimeRange, MediaTimeRange, MediaTime)] = [
    (MediaTime(2, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(12, 1)),
    (MediaTime(1, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(10, 1)),
    (MediaTime(3, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(14, 1)),
    (MediaTime(0, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(8, 1)),
    // The time's own timescale where it holds the result, then the target's, then lowest terms.
    (MediaTime(1200, 600), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(7200, 600)),
    (
      MediaTime(2, 1), MediaTimeRange(1, 4),
      MediaTimeRange(start: MediaTime(0, 600), duration: MediaTime(1, 1)), MediaTime(200, 600)
    ),
    (MediaTime(2, 1), MediaTimeRange(1, 4), MediaTimeRange(0, 1), MediaTime(1, 3)),
    // (12/7 − 1/7) × (7/11 × 5/2) + 3/13 = 11/7 × 35/22 + 3/13 = 5/2 + 3/13
    (MediaTime(12, 7), from, to, MediaTime(71, 26)),
    (.rounded(2, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), .rounded(12, 1)),
    // An infinite range to an infinite one shifts.
    (
      MediaTime(5, 1), infinite,
      MediaTimeRange(start: MediaTime(10, 1), duration: .positiveInfinity),
      MediaTime(14, 1)
    ),
    (MediaTime(5, 1), infinite, MediaTimeRange(1, 3), .invalid),
    (MediaTime(5, 1), MediaTimeRange(1, 3), infinite, .invalid),
    (.zero, .zero, MediaTimeRange(0, 1), .invalid), (.zero, MediaTimeRange(0, 1), .zero, .invalid),
    (.zero, .invalid, MediaTimeRange(0, 1), .invalid),
    (.epoch(1, 0), MediaTimeRange(0, 1), MediaTimeRange(0, 1), .invalid),
    (.invalid, MediaTimeRange(0, 1), MediaTimeRange(0, 1), .invalid),
    (.positiveInfinity, MediaTimeRange(0, 1), MediaTimeRange(0, 1), .invalid),
    (
      .epoch(1, 1), MediaTimeRange(start: .epoch(1, 0), duration: MediaTime(2, 1)),
      MediaTimeRange(start: .epoch(5, 7), duration: MediaTime(4, 1)), .epoch(5, 9)
    ),
    // Halfway between two values of the largest timescale.
    (MediaTime(1, .max), MediaTimeRange(0, 2), MediaTimeRange(0, 1), .rounded(1, .max)),
    (MediaTime(-1, .max), MediaTimeRange(0, 2), MediaTimeRange(0, 1), .rounded(-1, .max)),
    (MediaTime(.max, 1), MediaTimeRange(0, 1), MediaTimeRange(0, 2), .positiveInfinity),
    (MediaTime(.min, 1), MediaTimeRange(0, 1), MediaTimeRange(0, 2), .negativeInfinity),
  ]

  @Test(arguments: maps.indices) func map(row: Int) {
    let (time, source, target, expected) = Self.maps[row]
    let mapped = time.mapped(from: source, to: target)
    #expect(isIdentical(mapped, expected), "\(time) from \(source) to \(target) is \(mapped)")
    let mapping = MediaTimeMapping(source: source, target: target)
    #expect(isIdentical(mapping.targetTime(ofSource: time), expected))
  }

  static let durations: [(MediaTime, MediaTimeRange, MediaTimeRange, MediaTime)] = [
    (MediaTime(1, 1), MediaTimeRange(1, 3), MediaTimeRange(10, 14), MediaTime(2, 1)),
    // 1/3 × 35/22, which CoreMedia would round to nanoseconds.
    (MediaTime(1, 3), from, to, MediaTime(35, 66)),
    (MediaTime(3, 2), infinite, infinite, MediaTime(3, 2)),
    (.epoch(1, 1), MediaTimeRange(0, 1), MediaTimeRange(0, 1), .invalid),
    (MediaTime(1, 1), .zero, MediaTimeRange(0, 1), .invalid),
    (MediaTime(1, 1), infinite, MediaTimeRange(0, 1), .invalid),
    (.indefinite, MediaTimeRange(0, 1), MediaTimeRange(0, 1), .invalid),
  ]

  @Test(arguments: durations.indices) func mapDuration(row: Int) {
    let (duration, source, target, expected) = Self.durations[row]
    let mapped = duration.mappedDuration(from: source, to: target)
    #expect(isIdentical(mapped, expected), "\(mapped)")
  }

  @Test(arguments: [UInt64(20), 21, 22])
  func mappingIsExactOrRoundedToTheLargestTimescale(seed: UInt64) {
    var samples = TimeSamples(seed: seed)
    for _ in 0..<120 {
      // Every size in one run, the sizes of real media in the next.
      let isOrdinary = seed % 2 == 0
      func time() -> MediaTime { isOrdinary ? samples.ordinaryTime() : samples.time() }
      let source = MediaTimeRange(start: time(), duration: samples.duration())
      let target = MediaTimeRange(start: time(), duration: samples.duration())
      let instant = time()
      let ratio = ExactFraction(target.duration) / ExactFraction(source.duration)
      let text = "seed \(seed): \(instant) from \(source) to \(target)"

      let offset = ExactFraction(instant) - ExactFraction(source.start)
      let exactTime = offset * ratio + ExactFraction(target.start)
      let exactDuration = ExactFraction(instant) * ratio
      for (result, exact) in [
        (instant.mapped(from: source, to: target), exactTime),
        (instant.mappedDuration(from: source, to: target), exactDuration),
      ] {
        if exact.fitsTime {
          #expect(
            result.isNumeric && ExactFraction(result) == exact && !result.hasBeenRounded,
            "\(text) is \(result)")
        } else {
          let expected = exact.time(timescale: .max)
          #expect(isIdentical(result, expected), "\(text) is \(result), not \(expected)")
        }
      }
      #expect(source.start.mapped(from: source, to: target) == target.start, "\(text)")
    }
  }

  @Test func mappings() throws {
    let target = MediaTimeRange(10, 14)
    let empty = MediaTimeMapping(emptyTarget: target)
    #expect(empty.isValid && empty.isEmpty && empty.target == target)
    #expect(empty.rate == 0 && empty.exactRate == .zero)
    #expect(!empty.targetTime(ofSource: .zero).isValid)
    #expect(!MediaTimeMapping.invalid.isValid && !MediaTimeMapping.invalid.isEmpty)
    #expect(MediaTimeMapping.invalid.rate.isNaN)
    #expect(MediaTimeMapping.invalid.exactRate == nil)

    let double = MediaTimeMapping(source: MediaTimeRange(0, 8), target: target)
    #expect(double.isValid && !double.isEmpty)
    #expect(double.rate == 2 && double.exactRate == Rational(2))
    #expect(double.targetTime(ofSource: MediaTime(4, 1)) == MediaTime(12, 1))
    #expect(double.sourceTime(ofTarget: MediaTime(12, 1)) == MediaTime(4, 1))
    #expect(double.description == "{\(double.source), \(double.target)}")

    // A still: no time of the source passes.
    let still = MediaTimeMapping(source: MediaTimeRange(3, 3), target: target)
    #expect(still.rate == 0 && !still.isEmpty)
    #expect(MediaTimeMapping(source: target, target: .zero).rate.isNaN)
    #expect(MediaTimeMapping(source: Self.infinite, target: Self.infinite).rate.isNaN)
  }
}
