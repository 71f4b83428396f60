import Testing

@testable import MediaAssetKit

/// The order of samples and who has to wait, without media.
@Suite struct InterleaverTests {
  private func drained(_ interleaver: inout Interleaver<String>) -> [String] {
    var elements: [String] = []
    while let next = interleaver.next() { elements.append(next.element) }
    return elements
  }

  private func interleaver(_ count: Int, sparse: Set<Int> = [], limits: Interleaver<String>.Limits = .init())
    -> Interleaver<String>
  {
    var interleaver = Interleaver<String>(limits: limits)
    for track in 0..<count { interleaver.addTrack(isSparse: sparse.contains(track)) }
    return interleaver
  }

  @Test func orderIsThatOfTimes() {
    var interleaver = interleaver(2)
    for (index, time) in [0, 40, 80].enumerated() {
      interleaver.append("v\(index)", to: 0, time: Int64(time), bytes: 1)
    }
    for (index, time) in [-20, 1, 22, 43, 100].enumerated() {
      interleaver.append("a\(index)", to: 1, time: Int64(time), bytes: 1)
    }
    // Behind the last picture anything may come before a4.
    #expect(drained(&interleaver) == ["a0", "v0", "a1", "a2", "v1", "a3", "v2"])
    interleaver.finish(0)
    #expect(drained(&interleaver) == ["a4"])
    #expect(interleaver.isEmpty)
  }

  @Test func equalTimesKeepTheOrderOfTracks() {
    var interleaver = interleaver(3)
    for track in [2, 1, 0] { interleaver.append("\(track)", to: track, time: 5, bytes: 1) }
    for track in 0..<3 { interleaver.finish(track) }
    #expect(drained(&interleaver) == ["0", "1", "2"])
  }

  @Test func anEmptyTrackHoldsTheOthersUp() {
    var interleaver = interleaver(2)
    interleaver.append("v", to: 0, time: 0, bytes: 1)
    #expect(interleaver.next() == nil)
    #expect(interleaver.missing == [1])
    interleaver.setStarved(1)
    #expect(interleaver.missing.isEmpty)
    #expect(drained(&interleaver) == ["v"])
    // Once it has a sample again, it counts again.
    interleaver.append("a", to: 1, time: 10, bytes: 1)
    #expect(interleaver.next() == nil)
    #expect(interleaver.missing == [0])
  }

  /// A track goes on until its chunk is as long as asked, and is waited for meanwhile.
  @Test func chunks() {
    var interleaver = Interleaver<String>()
    interleaver.addTrack(isSparse: false, chunk: 100)
    interleaver.addTrack(isSparse: false)
    for (index, time) in [0, 40, 80].enumerated() {
      interleaver.append("v\(index)", to: 0, time: Int64(time), bytes: 1)
    }
    for (index, time) in [0, 30, 60, 90, 120, 150].enumerated() {
      interleaver.append("a\(index)", to: 1, time: Int64(time), bytes: 1)
    }
    #expect(drained(&interleaver) == ["v0", "v1", "v2"])
    #expect(interleaver.missing == [0])
    for (index, time) in [120, 160, 200, 240].enumerated() {
      interleaver.append("v\(index + 3)", to: 0, time: Int64(time), bytes: 1)
    }
    interleaver.finish(0)
    interleaver.finish(1)
    #expect(drained(&interleaver) == ["a0", "a1", "a2", "a3", "v3", "v4", "v5", "a4", "a5", "v6"])
  }

  /// The others wait while a chunk is written, so it can't be longer than half of what they may queue.
  @Test func chunksAreBounded() {
    var interleaver = Interleaver<String>(limits: .init(span: 100, bytes: 1 << 20))
    interleaver.addTrack(isSparse: false, chunk: 1000)
    interleaver.addTrack(isSparse: false)
    for time in [0, 20, 40, 60] { interleaver.append("v\(time)", to: 0, time: Int64(time), bytes: 1) }
    interleaver.append("a10", to: 1, time: 10, bytes: 1)
    interleaver.finish(0)
    interleaver.finish(1)
    #expect(drained(&interleaver) == ["v0", "v20", "v40", "a10", "v60"])
  }

  @Test func muchRoomIsHalfOfWhatMayBeQueued() {
    var interleaver = interleaver(1, limits: .init(span: 100, bytes: 10))
    #expect(interleaver.hasMuchRoom(0))
    interleaver.append("0", to: 0, time: 0, bytes: 1)
    interleaver.append("1", to: 0, time: 50, bytes: 1)
    #expect(interleaver.hasMuchRoom(0))
    interleaver.append("2", to: 0, time: 51, bytes: 1)
    #expect(!interleaver.hasMuchRoom(0) && !interleaver.isAhead(0))
    _ = interleaver.next()
    #expect(interleaver.hasMuchRoom(0))
    interleaver.append("3", to: 0, time: 51, bytes: 4)
    #expect(!interleaver.hasMuchRoom(0))
  }

  @Test func sparseAndFinishedTracksHoldNobodyUp() {
    var interleaver = interleaver(3, sparse: [1])
    interleaver.finish(2)
    interleaver.append("v0", to: 0, time: 0, bytes: 1)
    interleaver.append("v1", to: 0, time: 40, bytes: 1)
    interleaver.append("s", to: 1, time: 20, bytes: 1)
    #expect(drained(&interleaver) == ["v0", "s", "v1"])
  }

  @Test func aTrackIsAheadBySpanOrBytes() {
    var interleaver = interleaver(2, limits: .init(span: 100, bytes: 1000))
    interleaver.append("v0", to: 0, time: 0, bytes: 10)
    interleaver.append("v1", to: 0, time: 100, bytes: 10)
    #expect(!interleaver.isAhead(0))
    interleaver.append("v2", to: 0, time: 101, bytes: 10)
    #expect(interleaver.isAhead(0))
    #expect(!interleaver.isAhead(1))
    interleaver.append("a0", to: 1, time: 50, bytes: 1001)
    #expect(interleaver.isAhead(1))
    #expect(interleaver.next()?.element == "v0")
    #expect(!interleaver.isAhead(0))
  }

  @Test func longQueuesKeepTheirOrder() {
    var interleaver = interleaver(1)
    var expected: [String] = []
    var seen: [String] = []
    for index in 0..<2000 {
      interleaver.append("\(index)", to: 0, time: Int64(index), bytes: 1)
      expected.append("\(index)")
      if index % 3 == 0, let next = interleaver.next() { seen.append(next.element) }
    }
    interleaver.finish(0)
    seen += drained(&interleaver)
    #expect(seen == expected)
  }
}
