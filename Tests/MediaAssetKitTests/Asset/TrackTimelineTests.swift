import Testing

@testable import MediaAssetKit

/// Arithmetic of edit lists: stored ticks on one side, the asset's time on the other.
@Suite("Track timeline") struct TrackTimelineTests {
  private func rational(_ numerator: Int64, _ denominator: Int64) -> Rational {
    Rational(numerator, denominator) ?? .zero
  }

  private var tick: Rational { rational(1, 600) }

  /// Edits of a movie in milliseconds over media in ticks of 1/600 s.
  private func timeline(_ edits: [(UInt64, Int64, Int32)]) -> TrackTimeline {
    TrackTimeline(
      timeBase: tick, movieTimescale: 1000,
      edits: edits.map { (duration: $0.0, mediaTime: $0.1, rate: $0.2) })
  }

  private let normal: Int32 = 0x1_0000

  @Test func withoutEditsStoredTimeIsAssetTime() throws {
    let timeline = TrackTimeline(timeBase: tick)
    let segment = try #require(timeline.segments.first)
    #expect(timeline.segments.count == 1 && timeline.start == .zero && timeline.end == nil)
    #expect(timeline.tick(at: rational(1, 2), in: segment) == 300)
    #expect(timeline.time(ofTick: 450, in: segment) == rational(3, 4))
  }

  @Test func originIsTheAssetsZero() throws {
    let timeline = TrackTimeline(timeBase: rational(1, 90_000), origin: rational(133_200, 90_000))
    let segment = try #require(timeline.segments.first)
    #expect(timeline.time(ofTick: 133_200, in: segment) == .zero)
    #expect(timeline.tick(at: rational(1, 25), in: segment) == 136_800)
    #expect(timeline.closed(atMediaEnd: rational(493_200, 90_000)).end == Rational(4))
  }

  /// A time between two ticks belongs to the earlier one; exactly on a tick it belongs to that.
  @Test(arguments: [(Int64(999), Int64(599)), (1000, 600), (1001, 600), (0, 0)])
  func ticksAreHalfOpen(milliseconds: Int64, expected: Int64) throws {
    let timeline = TrackTimeline(timeBase: tick)
    let segment = try #require(timeline.segments.first)
    #expect(timeline.tick(at: rational(milliseconds, 1000), in: segment) == expected)
  }

  /// 0.5 s of nothing, then media from tick 300 for one second.
  @Test func emptyEditThenMedia() throws {
    let timeline = timeline([(500, -1, normal), (1000, 300, normal)])
    #expect(timeline.start == rational(1, 2) && timeline.end == rational(3, 2))
    #expect(timeline.segmentIndex(at: .zero) == 0)
    #expect(timeline.segmentIndex(at: rational(499, 1000)) == 0)
    #expect(timeline.segmentIndex(at: rational(1, 2)) == 1)
    #expect(timeline.segmentIndex(at: rational(3, 2)) == nil)
    let (empty, shown) = (timeline.segments[0], timeline.segments[1])
    #expect(empty.isEmpty && timeline.tick(at: .zero, in: empty) == nil)
    #expect(timeline.tick(at: rational(1, 2), in: shown) == 300)
    #expect(timeline.time(ofTick: 600, in: shown) == Rational(1))
    // A picture that began before the edit does.
    #expect(timeline.time(ofTick: 270, in: shown) == rational(9, 20))
  }

  /// Twice the speed: two seconds of media in one.
  @Test func rate() throws {
    let timeline = timeline([(1000, 0, 0x2_0000)])
    let segment = timeline.segments[0]
    #expect(timeline.tick(at: rational(1, 2), in: segment) == 600)
    #expect(timeline.time(ofTick: 1200, in: segment) == Rational(1))
  }

  /// Rate 0 dwells on one picture.
  @Test func dwell() throws {
    let timeline = timeline([(1000, 300, 0)])
    let segment = timeline.segments[0]
    #expect(timeline.tick(at: .zero, in: segment) == 300)
    #expect(timeline.tick(at: rational(999, 1000), in: segment) == 300)
  }

  /// As QuickTime, a negative rate (none plays backwards) counts as 1.
  @Test func negativeRate() {
    #expect(timeline([(1000, 0, -0x1_0000)]).segments[0].rate == .one)
  }

  /// The last edit of a fragmented file has no length.
  @Test func openEnd() {
    let timeline = timeline([(500, -1, normal), (0, 300, normal)])
    #expect(timeline.end == nil && timeline.segments.count == 2)
    // Media that ends at 2.5 s is shown from 0.5 s of it on, behind half a second of nothing.
    #expect(timeline.closed(atMediaEnd: rational(5, 2)).end == rational(5, 2))
    // Media that ends before the edit begins shows nothing.
    #expect(timeline.closed(atMediaEnd: rational(1, 4)).end == rational(1, 2))
  }

  @Test func closingLeavesAClosedTimelineAlone() {
    let timeline = timeline([(1000, 0, normal)])
    #expect(timeline.closed(atMediaEnd: Rational(9)) == timeline)
  }

  /// An edit of no length that is not the last shows nothing.
  @Test func zeroLengthEditsAreSkipped() {
    #expect(timeline([(0, 0, normal), (1000, 300, normal)]).segments.count == 1)
  }

  /// Broken muxers write the delay and forget the media.
  @Test func onlyEmptyEdits() {
    let timeline = timeline([(500, -1, normal)])
    #expect(timeline.segments.count == 2 && timeline.start == rational(1, 2) && timeline.end == nil)
    #expect(timeline.segments[1].source == .zero)
  }

  @Test func severalEdits() {
    let timeline = timeline([(200, -1, normal), (600, 1440, normal), (400, 240, normal)])
    #expect(timeline.segments.map(\.start) == [.zero, rational(1, 5), rational(4, 5)])
    #expect(timeline.end == rational(6, 5))
    #expect(timeline.tick(at: rational(4, 5), in: timeline.segments[2]) == 240)
    #expect(timeline.tick(at: rational(79, 100), in: timeline.segments[1]) == 1794)
  }

  /// Milliseconds and 1/44100 s have no common tick of 64 bits in a file of years; nothing traps.
  @Test func hostileNumbers() {
    let timeline = TrackTimeline(
      timeBase: rational(1, 2_147_483_647), movieTimescale: 4_294_967_291,
      edits: [
        (duration: .max, mediaTime: .max, rate: .max), (duration: .max, mediaTime: 1, rate: 1),
        (duration: 1, mediaTime: .min, rate: .min),
      ])
    for segment in timeline.segments {
      _ = timeline.tick(at: rational(.max, 3), in: segment)
      _ = timeline.time(ofTick: .min, in: segment)
    }
    _ = timeline.closed(atMediaEnd: rational(.min + 1, 1)).end
    #expect(timeline.segments.count >= 2)
  }

  @Test(arguments: [
    (Int64(7), Int64(2), Int64(3)), (-7, 2, -4), (6, 2, 3), (0, 5, 0), (-1, 3, -1),
  ])
  func floor(numerator: Int64, denominator: Int64, expected: Int64) {
    #expect(Rational.floor(rational(numerator, denominator), in: .one) == expected)
  }

  @Test func savingDoubles() {
    #expect(Int64(saturating: .nan) == 0)
    #expect(Int64(saturating: .infinity) == .max && Int64(saturating: -.infinity) == .min)
    #expect(Int64(saturating: 1e30) == .max && Int64(saturating: 41.9) == 41)
  }
}
