import Testing

@testable import MediaAssetKit

@Suite struct DecodeOrderTimesTests {
  private typealias Times = DecodeOrderTimes<Int>

  /// Feeds pictures with the decode times 0, 10, 20, … and takes all times.
  private static func times(
    _ places: [Times.Place], delay: Int = 0, offset: Int64 = 0, stated: [Int: Int64] = [:],
    ticks: [Int64]? = nil
  ) -> [Int64] {
    var times = Times(delay: delay, offset: offset)
    var taken: [(element: Int, time: Int64)] = []
    for (number, place) in places.enumerated() {
      times.append(
        number, tick: ticks?[number] ?? Int64(number) * 10, duration: 10, time: stated[number],
        place: place)
      while let next = times.popFirst() { taken.append(next) }
    }
    times.finish()
    while let next = times.popFirst() { taken.append(next) }
    #expect(taken.map(\.element) == Array(places.indices))
    return taken.map(\.time)
  }

  private static func counted(_ counts: [Int64], resets: Set<Int> = []) -> [Times.Place] {
    counts.enumerated().map { .counted($1, isReset: resets.contains($0)) }
  }

  @Test func withoutBPicturesEachKeepsItsPlace() {
    #expect(Self.times([.anchor, .anchor, .anchor]) == [0, 10, 20])
  }

  /// I P B B P B B is shown as I B B P B B P.
  @Test func bPicturesComeBeforeTheAnchorStoredBefore() {
    let places: [Times.Place] = [
      .anchor, .anchor, .bidirectional, .bidirectional, .anchor, .bidirectional, .bidirectional,
    ]
    #expect(Self.times(places) == [0, 30, 10, 20, 60, 40, 50])
  }

  /// From an I picture with two leading B pictures on, they take its place and the next one.
  @Test func leadingPicturesOfAnOpenGroup() {
    #expect(
      Self.times([.anchor, .bidirectional, .bidirectional, .anchor, .anchor])
        == [20, 0, 10, 30, 40])
  }

  /// A pyramid: stored 0 4 2 1 3 8 6 5 7, twice, each from an instantaneous refresh on.
  @Test func countsSortWithinTheirSequence() {
    let counts: [Int64] = [0, 8, 4, 2, 6, 16, 12, 10, 14]
    let shown: [Int64] = [0, 40, 20, 10, 30, 80, 60, 50, 70]
    #expect(Self.times(Self.counted(counts, resets: [0])) == shown)
    #expect(
      Self.times(Self.counted(counts + counts, resets: [0, 9])) == shown + shown.map { $0 + 90 })
  }

  /// The first pictures must not wait for the end of the stream.
  @Test func aSequenceIsReadyWhenTheNextBegins() {
    var times = Times(delay: 0, offset: 0)
    for (number, count) in [0, 4, 2].enumerated() {
      times.append(
        number, tick: Int64(number), duration: 1, place: .counted(Int64(count), isReset: number == 0))
    }
    #expect(times.popFirst() == nil)
    times.append(3, tick: 3, duration: 1, place: .counted(0, isReset: true))
    #expect(times.popFirst()?.time == 0)
    #expect(times.popFirst()?.time == 2)
    #expect(times.popFirst()?.time == 1)
    #expect(times.popFirst() == nil)
  }

  /// A decoder shows the first picture when the packet after the delay comes; a stream without a clock begins at its own
  /// first tick all the same.
  @Test func delayAndOffset() {
    let places: [Times.Place] = [.anchor, .anchor, .bidirectional, .anchor]
    #expect(Self.times(places, delay: 1) == [10, 30, 20, 40])
    #expect(Self.times(places, delay: 1, offset: 10) == [0, 20, 10, 30])
  }

  /// Numbers left out (dropped pictures of AVI) stay gaps in the shown order.
  @Test func gapsInTheNumbers() {
    let ticks: [Int64] = [0, 3, 4, 7]
    #expect(
      Self.times([.anchor, .anchor, .anchor, .anchor], ticks: ticks) == [0, 3, 4, 7])
    #expect(
      Self.times([.anchor, .anchor, .bidirectional, .anchor], ticks: ticks) == [0, 4, 3, 7])
  }

  /// Stated times stay, and the others are the decode times of what brings them out.
  @Test func statedTimesStay() {
    let places: [Times.Place] = [.anchor, .anchor, .bidirectional, .bidirectional, .anchor]
    #expect(
      Self.times(places, delay: 1, stated: [0: 10, 2: 20, 3: 30]) == [10, 40, 20, 30, 50])
  }

  @Test func longStreamsKeepTheirPlaces() {
    let places = (0..<1000).map { $0 % 3 == 1 || $0 == 0 ? Times.Place.anchor : .bidirectional }
    let times = Self.times(places)
    #expect(times.sorted() == (0..<1000).map { Int64($0) * 10 })
    #expect(times[997] == 9990 && times[998] == 9970 && times[999] == 9980)
    // Every second picture is shown before the one stored before it.
    let counts = (0..<1000).map { (number: Int) -> Int64 in
      number == 0 ? 0 : number % 2 == 1 ? Int64(number) + 1 : Int64(number) - 1
    }
    #expect(Self.times(Self.counted(counts)).sorted() == (0..<1000).map { Int64($0) * 10 })
  }

  @Test func extremeTicksDoNotTrap() {
    let ticks: [Int64] = [.min, .max, 0, .max]
    _ = Self.times(
      [.anchor, .anchor, .bidirectional, .anchor], delay: 16, offset: .max, ticks: ticks)
  }
}
