import Testing

@testable import MediaAssetKit

@Suite struct VideoIndexTests {
  /// Two open groups: I0 P3 b1 b2 | I6 b4 b5 P9 b7 b8, ten ticks a picture.
  private static func openGroups() throws -> VideoIndex {
    let times: [Int64] = [0, 30, 10, 20, 60, 40, 50, 90, 70, 80]
    let isSync = times.map { $0 == 0 || $0 == 60 }
    let seekTimes: [Int64] = [-10, 0, 10, 20, 30, 40, 50, 60, 70, 80]
    return try #require(
      VideoIndex(times: times, isSync: isSync, seekTimes: seekTimes, lastDuration: 10))
  }

  @Test(arguments: [(0, 0), (9, 0), (10, 2), (35, 1), (40, 5), (59, 6), (60, 4), (95, 7), (5000, 7)])
  func pictureOnShow(_ time: Int64, _ position: Int) throws {
    let index = try Self.openGroups()
    #expect(index.rank(onShowAt: time).map { index.position(rank: $0) } == position)
  }

  @Test func endsAndSuccessors() throws {
    let index = try Self.openGroups()
    #expect(index.rank(onShowAt: -1) == nil)
    #expect(index.first == 0 && index.last == 90 && index.end == 100)
    #expect(index.successor(of: 30) == 40)
    #expect(index.successor(of: 90) == nil)
    #expect(index.successor(of: -5) == 0)
  }

  /// Leading pictures of the second group lean on the first one.
  @Test func leadingPicturesBeginAGroupEarlier() throws {
    let index = try Self.openGroups()
    for position in 0..<4 { #expect(index.syncIndex(forPosition: position) == 0) }
    #expect(index.syncIndex(forPosition: 4) == 1)
    #expect(index.syncIndex(forPosition: 5) == 0)
    #expect(index.syncIndex(forPosition: 6) == 0)
    for position in 7..<10 { #expect(index.syncIndex(forPosition: position) == 1) }
    #expect(index.seekTime(sync: 1) == 30)
  }

  @Test(arguments: [(Int64.min, 0), (0, 0), (29, 0), (30, 0), (31, 1), (60, 1), (Int64.max, 1)])
  func nearestSyncWithTiesToTheEarlier(_ time: Int64, _ sync: Int) throws {
    #expect(try Self.openGroups().nearestSync(to: time) == sync)
  }

  @Test func nearestSyncOfDisorderedSamples() throws {
    let index = try #require(
      VideoIndex(
        times: [50, 0, 100], isSync: [true, true, true], seekTimes: [0, 1, 2], lastDuration: 1))
    #expect(index.nearestSync(to: 10) == 1)
    #expect(index.nearestSync(to: 60) == 0)
    #expect(index.nearestSync(to: 99) == 2)
  }

  @Test func theFirstSampleBeginsADecoderWhateverIsSaidOfIt() throws {
    let index = try #require(
      VideoIndex(times: [0, 1], isSync: [false, false], seekTimes: [0, 1], lastDuration: 1))
    #expect(index.syncPositions == [0])
  }

  @Test func ofPicturesThatShareATimeTheLastIsOnShow() throws {
    let index = try #require(
      VideoIndex(
        times: [0, 10, 10, 20], isSync: [true, false, false, false], seekTimes: [0, 1, 2, 3],
        lastDuration: 0))
    #expect(index.rank(onShowAt: 10).map { index.position(rank: $0) } == 2)
    #expect(index.end == 21)
  }

  /// Stored 0 8 4 2 1: three pictures are stored before the one shown first after 0.
  @Test func reorderDelay() throws {
    let index = try #require(
      VideoIndex(
        times: [0, 8, 4, 2, 1, 16], isSync: [true, false, false, false, false, false],
        seekTimes: [0, 1, 2, 3, 4, 5], lastDuration: 1))
    #expect(index.reorderDelay == 3)
    #expect(try Self.openGroups().reorderDelay == 1)
  }

  @Test func nothingOfNothing() {
    #expect(VideoIndex(times: [], isSync: [], seekTimes: [], lastDuration: 0) == nil)
    #expect(VideoIndex(times: [0], isSync: [], seekTimes: [0], lastDuration: 0) == nil)
  }

  @Test func extremeTimesDoNotTrap() throws {
    let index = try #require(
      VideoIndex(
        times: [.min, .max], isSync: [true, true], seekTimes: [0, 0], lastDuration: .max))
    #expect(index.end == .max)
    #expect(index.nearestSync(to: 0) == 1)
  }
}
