import MediaAssetKit
import Testing

struct MediaTimeTests {
  struct Kinds: Sendable {
    var time: MediaTime
    var isValid = false
    var isNumeric = false
    var isIndefinite = false
    var isPositiveInfinity = false
    var isNegativeInfinity = false
    var hasBeenRounded = false
    var text: String
  }

  static let kinds: [Kinds] = [
    Kinds(time: .invalid, text: "{INVALID}"),
    Kinds(time: MediaTime(), text: "{INVALID}"),
    Kinds(time: MediaTime(1, 0), text: "{INVALID}"),
    Kinds(time: MediaTime(1, -600), text: "{INVALID}"),
    // Fields that would make a time of it, but for the timescale or the valid flag.
    Kinds(time: MediaTime(value: 1, timescale: 0, flags: .valid, epoch: 0), text: "{INVALID}"),
    Kinds(time: MediaTime(value: 1, timescale: .min, flags: .valid, epoch: 0), text: "{INVALID}"),
    Kinds(time: MediaTime(value: 1, timescale: 1, flags: [], epoch: 0), text: "{INVALID}"),
    Kinds(
      time: MediaTime(value: 1, timescale: 1, flags: [.hasBeenRounded, .indefinite], epoch: 0),
      text: "{INVALID}"),
    Kinds(time: .indefinite, isValid: true, isIndefinite: true, text: "{INDEFINITE}"),
    Kinds(time: .positiveInfinity, isValid: true, isPositiveInfinity: true, text: "{+INFINITY}"),
    Kinds(time: .negativeInfinity, isValid: true, isNegativeInfinity: true, text: "{-INFINITY}"),
    // The other fields of an infinite time are ignored, also its rounding flag.
    Kinds(
      time: MediaTime(
        value: 7, timescale: -3, flags: [.valid, .positiveInfinity, .hasBeenRounded], epoch: 9),
      isValid: true, isPositiveInfinity: true, text: "{+INFINITY}"),
    Kinds(time: .zero, isValid: true, isNumeric: true, text: "{0/1 = 0.000}"),
    Kinds(time: MediaTime(600, 600), isValid: true, isNumeric: true, text: "{600/600 = 1.000}"),
    Kinds(
      time: .rounded(1, 3), isValid: true, isNumeric: true, hasBeenRounded: true,
      text: "{1/3 = 0.333, rounded}"),
    Kinds(
      time: .epoch(2, 3), isValid: true, isNumeric: true, text: "{3/1 = 3.000, epoch = 2}"),
    Kinds(
      time: MediaTime(-1001, 30_000), isValid: true, isNumeric: true,
      text: "{-1001/30000 = -0.033}"),
    Kinds(time: MediaTime(-1, 16), isValid: true, isNumeric: true, text: "{-1/16 = -0.063}"),
    Kinds(
      time: MediaTime(19_999, 10_000), isValid: true, isNumeric: true, text: "{19999/10000 = 2.000}"
    ),
    Kinds(
      time: MediaTime(.min, 1), isValid: true, isNumeric: true,
      text: "{-9223372036854775808/1 = -9223372036854775808.000}"),
  ]

  @Test(arguments: kinds) func kindsAndDescription(_ kinds: Kinds) {
    let time = kinds.time
    #expect(time.isValid == kinds.isValid)
    #expect(time.isNumeric == kinds.isNumeric)
    #expect(time.isIndefinite == kinds.isIndefinite)
    #expect(time.isPositiveInfinity == kinds.isPositiveInfinity)
    #expect(time.isNegativeInfinity == kinds.isNegativeInfinity)
    #expect(time.hasBeenRounded == kinds.hasBeenRounded)
    #expect(time.description == kinds.text)
  }

  @Test func flagsHaveTheBitsOfCMTime() {
    #expect(MediaTime.Flags.valid.rawValue == 1)
    #expect(MediaTime.Flags.hasBeenRounded.rawValue == 2)
    #expect(MediaTime.Flags.positiveInfinity.rawValue == 4)
    #expect(MediaTime.Flags.negativeInfinity.rawValue == 8)
    #expect(MediaTime.Flags.indefinite.rawValue == 16)
    #expect(MediaTime.Flags.impliedValueFlagsMask.rawValue == 28)
    #expect(MediaTime.RoundingMethod.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    #expect(MediaTime.RoundingMethod.default == .roundHalfAwayFromZero)
    #expect(MediaTime.maximumTimescale == 0x7fff_ffff)
  }

  /// In order; the times in one row are equal.
  static let order: [[MediaTime]] = [
    [
      .negativeInfinity,
      MediaTime(value: 5, timescale: 1, flags: [.valid, .negativeInfinity], epoch: 3),
    ],
    [.epoch(-1, 1_000_000)],
    [MediaTime(.min, 1)],
    [MediaTime(.min + 1, 1)],
    [MediaTime(-1, 1), MediaTime(-600, 600)],
    [MediaTime(-1, .max)],
    [.zero, MediaTime(0, 600), .rounded(0, 1)],
    [MediaTime(1, .max)],
    [MediaTime(1, .max - 1)],
    [MediaTime(1, 3), .rounded(333, 999)],
    // Apart by less than a Double can tell.
    [MediaTime(.max - 1, .max)],
    [MediaTime(.max, .max)],
    [MediaTime(.max, 3)],
    [MediaTime(.max - 1, 1)],
    [MediaTime(.max, 1)],
    [.epoch(1, -5), .epoch(1, -10, 2)],
    [.epoch(2, -50)],
    [.indefinite],
    [
      .positiveInfinity,
      MediaTime(value: 5, timescale: 1, flags: [.valid, .positiveInfinity], epoch: 3),
    ],
    [.invalid, MediaTime(9, 0), MediaTime(value: 9, timescale: 1, flags: [], epoch: 1)],
  ]

  @Test(arguments: order.indices) func totalOrder(row: Int) {
    for (other, times) in Self.order.enumerated() {
      for left in Self.order[row] {
        for right in times {
          #expect((left == right) == (row == other), "\(left) == \(right)")
          #expect((left < right) == (row < other), "\(left) < \(right)")
          #expect((left > right) == (row > other), "\(left) > \(right)")
          #expect((left <= right) == (row <= other), "\(left) <= \(right)")
          if row == other { #expect(left.hashValue == right.hashValue, "\(left), \(right)") }
        }
      }
    }
  }

  @Test func threeSecondsAreEqualInEveryTimescale() {
    #expect(MediaTime(3, 1) == MediaTime(1800, 600))
    #expect(Set([MediaTime(3, 1), MediaTime(1800, 600), .rounded(270_000, 90_000)]).count == 1)
  }

  @Test func orderAndHashAgreeWithExactFractions() {
    var samples = TimeSamples(seed: 2)
    for _ in 0..<1000 {
      let left = samples.time()
      let multiple = Int64(samples.next() % 1000) + 1
      let (value, overflow) = left.value.multipliedReportingOverflow(by: multiple)
      // Half the time the same value in another timescale, to meet equality at all.
      let right =
        if !overflow, let timescale = Int32(exactly: Int64(left.timescale) * multiple) {
          MediaTime(value, timescale)
        } else {
          samples.time()
        }
      let isEqual = ExactFraction(left) == ExactFraction(right)
      #expect((left == right) == isEqual, "\(left), \(right)")
      #expect((left < right) == (ExactFraction(left) < ExactFraction(right)), "\(left), \(right)")
      if isEqual { #expect(left.hashValue == right.hashValue, "\(left), \(right)") }
    }
  }

  @Test func minimumAndMaximumFollowTheOrder() {
    #expect(MediaTime.minimum(MediaTime(1, 2), MediaTime(1, 3)) == MediaTime(1, 3))
    #expect(MediaTime.maximum(MediaTime(1, 2), MediaTime(1, 3)) == MediaTime(1, 2))
    #expect(MediaTime.maximum(.positiveInfinity, .invalid) == .invalid)
    #expect(MediaTime.minimum(.positiveInfinity, .indefinite) == .indefinite)
    #expect(MediaTime.minimum(.negativeInfinity, .zero) == .negativeInfinity)
    #expect(MediaTime.minimum(MediaTime(1, 1), MediaTime(2, 2)).timescale == 1)
    #expect(MediaTime.maximum(MediaTime(1, 1), MediaTime(2, 2)).timescale == 1)
  }
}
