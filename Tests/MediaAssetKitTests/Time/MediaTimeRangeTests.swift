import MediaAssetKit
import Testing

extension MediaTimeRange {
  /// Whole seconds from start to end.
  init(_ start: Int64, _ end: Int64) {
    self.init(start: MediaTime(start, 1), duration: MediaTime(end - start, 1))
  }
}

struct MediaTimeRangeTests {
  struct Kinds: Sendable {
    var range: MediaTimeRange
    var isValid = true
    var isIndefinite = false
    var isEmpty = false
    var isNumeric = false
    var end: MediaTime = .invalid
  }

  static let allKinds: [Kinds] = [
    Kinds(range: MediaTimeRange(1, 4), isNumeric: true, end: MediaTime(4, 1)),
    Kinds(range: .zero, isEmpty: true, isNumeric: true, end: .zero),
    Kinds(range: MediaTimeRange(5, 5), isEmpty: true, isNumeric: true, end: MediaTime(5, 1)),
    Kinds(range: .invalid, isValid: false),
    Kinds(range: MediaTimeRange(), isValid: false),
    Kinds(range: MediaTimeRange(5, 4), isValid: false),
    Kinds(range: MediaTimeRange(start: .zero, duration: .epoch(1, 1)), isValid: false),
    Kinds(range: MediaTimeRange(start: .invalid, duration: .zero), isValid: false),
    Kinds(range: MediaTimeRange(start: .zero, duration: .invalid), isValid: false),
    Kinds(range: MediaTimeRange(start: .zero, duration: .negativeInfinity), isValid: false),
    Kinds(range: MediaTimeRange(start: .zero, duration: .positiveInfinity), end: .positiveInfinity),
    Kinds(
      range: MediaTimeRange(start: .zero, duration: .indefinite), isIndefinite: true,
      end: .indefinite),
    Kinds(
      range: MediaTimeRange(start: .indefinite, duration: MediaTime(1, 1)), isIndefinite: true,
      end: .indefinite),
    Kinds(
      range: MediaTimeRange(start: .epoch(2, 1), duration: MediaTime(1, 1)), isNumeric: true,
      end: .epoch(2, 2)),
  ]

  @Test(arguments: allKinds) func kinds(_ kinds: Kinds) {
    #expect(kinds.range.isValid == kinds.isValid)
    #expect(kinds.range.isIndefinite == kinds.isIndefinite)
    #expect(kinds.range.isEmpty == kinds.isEmpty)
    #expect(kinds.range.isNumeric == kinds.isNumeric)
    #expect(kinds.range.end == kinds.end)
  }

  @Test func fromStartToEnd() {
    let range = MediaTimeRange(start: MediaTime(1, 2), end: MediaTime(2, 3))
    #expect(range.duration == MediaTime(1, 6))
    #expect(range.end == MediaTime(2, 3))
    #expect(MediaTimeRange(start: MediaTime(5, 1), end: MediaTime(5, 1)).isEmpty)
    #expect(MediaTimeRange(start: MediaTime(5, 1), end: MediaTime(4, 1)) == .invalid)
    #expect(MediaTimeRange(start: .epoch(1, 1), end: .epoch(2, 2)) == .invalid)
    #expect(MediaTimeRange(start: .epoch(1, 1), end: MediaTime(2, 1)) == .invalid)
    #expect(MediaTimeRange(start: MediaTime(1, 1), end: .epoch(1, 2)) == .invalid)
    #expect(MediaTimeRange(start: .invalid, end: .zero) == .invalid)
    #expect(MediaTimeRange(start: .zero, end: .invalid) == .invalid)
    #expect(MediaTimeRange(start: .positiveInfinity, end: .zero) == .invalid)
    #expect(MediaTimeRange(start: .positiveInfinity, end: .positiveInfinity) == .invalid)
    let inEpoch = MediaTimeRange(start: .epoch(1, 1), end: .epoch(1, 4))
    #expect(inEpoch.duration == MediaTime(3, 1))
    #expect(MediaTimeRange(start: .zero, end: .positiveInfinity).duration == .positiveInfinity)
    #expect(MediaTimeRange(start: .zero, end: .indefinite).isIndefinite)
  }

  @Test func equalityIsOfValue() {
    let seconds = MediaTimeRange(1, 3)
    let ticks = MediaTimeRange(start: MediaTime(600, 600), duration: MediaTime(180_000, 90_000))
    #expect(seconds == ticks)
    #expect(seconds.hashValue == ticks.hashValue)
    #expect(seconds != MediaTimeRange(1, 4))
  }

  @Test func description() {
    let range = MediaTimeRange(start: .zero, duration: MediaTime(600, 600))
    #expect(range.description == "{{0/1 = 0.000}, {600/600 = 1.000}}")
    #expect(MediaTimeRange.invalid.description == "{{INVALID}, {INVALID}}")
  }

  static let combinations: [(MediaTimeRange, MediaTimeRange, union: MediaTimeRange, intersection: MediaTimeRange)] = [
    (MediaTimeRange(0, 2), MediaTimeRange(1, 4), MediaTimeRange(0, 4), MediaTimeRange(1, 2)),
    (MediaTimeRange(0, 4), MediaTimeRange(1, 2), MediaTimeRange(0, 4), MediaTimeRange(1, 2)),
    (MediaTimeRange(0, 2), MediaTimeRange(5, 6), MediaTimeRange(0, 6), .zero),
    (MediaTimeRange(1, 2), MediaTimeRange(2, 3), MediaTimeRange(1, 3), .zero),
    (MediaTimeRange(1, 2), .zero, MediaTimeRange(1, 2), .zero),
    (MediaTimeRange(1, 9), MediaTimeRange(5, 5), MediaTimeRange(1, 9), .zero),
    (MediaTimeRange(3, 3), MediaTimeRange(5, 5), MediaTimeRange(3, 3), .zero),
    (MediaTimeRange(1, 2), .invalid, .invalid, .invalid),
    (
      MediaTimeRange(1, 2), MediaTimeRange(start: .epoch(1, 1), duration: MediaTime(1, 1)),
      .invalid, .invalid
    ),
    (
      MediaTimeRange(1, 2), MediaTimeRange(start: .zero, duration: .indefinite), .invalid,
      .invalid
    ),
    (
      MediaTimeRange(1, 2), MediaTimeRange(start: .zero, duration: .positiveInfinity),
      MediaTimeRange(start: .zero, duration: .positiveInfinity), MediaTimeRange(1, 2)
    ),
  ]

  @Test(arguments: combinations.indices) func unionAndIntersection(row: Int) {
    let (left, right, union, intersection) = Self.combinations[row]
    #expect(left.union(right) == union)
    #expect(left.intersection(right) == intersection)
    #expect(right.intersection(left) == intersection)
    if !(left.isEmpty && right.isEmpty) { #expect(right.union(left) == union) }
  }

  @Test func containment() {
    let range = MediaTimeRange(1, 4)
    #expect(range.containsTime(MediaTime(1, 1)))
    #expect(range.containsTime(MediaTime(3_999_999, 1_000_000)))
    #expect(!range.containsTime(MediaTime(4, 1)))
    #expect(!range.containsTime(MediaTime(999_999, 1_000_000)))
    #expect(!range.containsTime(.epoch(1, 2)))
    for time: MediaTime in [.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
      #expect(!range.containsTime(time))
    }
    #expect(!MediaTimeRange.zero.containsTime(.zero))
    #expect(!MediaTimeRange.invalid.containsTime(.zero))
    let infinite = MediaTimeRange(start: .zero, duration: .positiveInfinity)
    #expect(infinite.containsTime(MediaTime(.max, 1)))
    #expect(!infinite.containsTime(.positiveInfinity))

    #expect(range.containsTimeRange(range))
    #expect(range.containsTimeRange(MediaTimeRange(2, 3)))
    #expect(!range.containsTimeRange(MediaTimeRange(2, 5)))
    #expect(!range.containsTimeRange(MediaTimeRange(0, 2)))
    #expect(range.containsTimeRange(MediaTimeRange(1, 1)))
    #expect(!range.containsTimeRange(MediaTimeRange(4, 4)))
    #expect(!MediaTimeRange.zero.containsTimeRange(.zero))
    #expect(!range.containsTimeRange(.invalid))
    #expect(infinite.containsTimeRange(range))
    #expect(infinite.containsTimeRange(infinite))
    #expect(!range.containsTimeRange(infinite))
  }

  @Test(arguments: [UInt64(16), 17]) func identities(seed: UInt64) {
    var samples = TimeSamples(seed: seed)
    for _ in 0..<500 {
      func range() -> MediaTimeRange {
        // Few values, so that ranges touch, overlap and coincide often.
        let start = MediaTime(Int64(samples.next() % 20) - 10, 3)
        let duration = MediaTime(Int64(samples.next() % 12), 4)
        return MediaTimeRange(start: start, duration: duration)
      }
      let (left, right) = (range(), range())
      let union = left.union(right)
      let intersection = left.intersection(right)
      let text = "seed \(seed): \(left), \(right)"
      #expect(left.union(left) == left)
      #expect(left.intersection(left) == (left.isEmpty ? .zero : left))
      #expect(intersection == right.intersection(left))
      #expect(!left.containsTime(left.end), "\(text)")
      #expect(left.isEmpty == !left.containsTime(left.start))
      #expect(MediaTimeRange(start: left.start, end: left.end) == left)
      if !left.isEmpty { #expect(union.containsTimeRange(left), "\(text)") }
      if !intersection.isEmpty {
        #expect(left.containsTimeRange(intersection) && right.containsTimeRange(intersection))
        #expect(union.duration + intersection.duration == left.duration + right.duration)
      }
      if !left.isEmpty, left.containsTimeRange(right), !right.isEmpty {
        #expect(union == left && intersection == right, "\(text)")
      }
      // One expectation for all times: each costs more than what it checks.
      let wrong = (Int64(-45)...80).map { MediaTime($0, 12) }.filter { time in
        let isInLeft = left.containsTime(time)
        let isInRight = right.containsTime(time)
        return intersection.containsTime(time) != (isInLeft && isInRight)
          || ((isInLeft || isInRight) && !union.containsTime(time))
      }
      #expect(wrong.isEmpty, "\(text)")
    }
  }
}
