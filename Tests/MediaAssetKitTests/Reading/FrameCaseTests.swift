import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The acceptance cases about times: which picture is on show when, on the asset's timeline.
@Suite struct FrameCaseTests {
  private struct Shown: Equatable {
    var luma: Int
    var time: ClipTime
  }

  private static func frames(_ name: String, _ file: String) async throws -> [Shown] {
    let track = try await RandomAccessTests.track(try await AcceptanceCase.file(name, file))
    var shown: [Shown] = []
    for try await frame in track.frames() { shown.append(try Self.shown(frame)) }
    return shown
  }

  private static func shown(_ frame: VideoFrame) throws -> Shown {
    let time = try #require(frame.time.rational)
    let (width, height) = (frame.pixelBuffer.width, frame.pixelBuffer.height)
    let luma = try frame.pixelBuffer.withPackedBytes { Int($0[width * (height / 2) + width / 2]) }
    return Shown(luma: luma, time: ClipTime(time.numerator, time.denominator))
  }

  /// Luma and time of the exact image at each of `times`, asked for in random order.
  private static func images(_ name: String, _ file: String, at times: [ClipTime]) async throws
    -> [ClipTime: Shown]
  {
    var generator = ImageGenerator(asset: MediaAsset(url: try await AcceptanceCase.file(name, file)))
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    var random = SeededGenerator(seed: Corpus.seed)
    var found: [ClipTime: Shown] = [:]
    for time in times.shuffled(using: &random) {
      let (image, actual) = try await generator.image(
        at: MediaTime(value: time.value, timescale: Int32(time.timescale)))
      let grey = Double(image.pixel(x: image.width / 2, y: image.height / 2).green)
      let exact = try #require(actual.rational)
      found[time] = Shown(
        luma: Int((grey * 219 / 255 + 16).rounded()),
        time: ClipTime(exact.numerator, exact.denominator))
    }
    return found
  }

  /// Every time gives its frame: luma 16 + 2k within 2, and exactly the frame's own time.
  private static func expectFrames(
    _ name: String, _ file: String, times: [ClipTime], start: Int = 0
  ) async throws {
    let frames = try await frames(name, file)
    #expect(frames.map(\.time) == times)
    for (number, frame) in frames.enumerated() {
      #expect(abs(frame.luma - 16 - 2 * (number + start)) <= 2, "\(file), frame \(number)")
    }
    let images = try await images(name, file, at: times)
    for (number, time) in times.enumerated() {
      let image = try #require(images[time])
      #expect(abs(image.luma - 16 - 2 * (number + start)) <= 2, "\(file) at \(time)")
      #expect(image.time == time)
    }
  }

  private static func everyFrame(_ count: Int, from start: ClipTime = .zero) -> [ClipTime] {
    (0..<count).map { start + ClipTime(Int64($0), 25) }
  }

  /// T1: uneven times are looked up, not computed from a rate.
  @Test func unevenTimes() async throws {
    let times = Self.everyFrame(11) + [3, 4, 5, 6].map { ClipTime($0, 5) }
    try await Self.expectFrames("T1", "t1.mp4", times: times)
    let between = try await Self.images(
      "T1", "t1.mp4", at: [ClipTime(7, 10), ClipTime(119, 100), ClipTime(39, 100)])
    #expect(between[ClipTime(7, 10)]?.time == ClipTime(3, 5))
    #expect(between[ClipTime(119, 100)]?.time == ClipTime(1, 1))
    #expect(between[ClipTime(39, 100)]?.time == ClipTime(9, 25))
  }

  /// T3: without an edit list the first picture is at 0.08, and none is lost.
  @Test func firstPictureBehindZero() async throws {
    try await Self.expectFrames("T3", "t3.mp4", times: Self.everyFrame(100, from: ClipTime(2, 25)))
  }

  /// T5: half a second of nothing, then the picture.
  @Test func emptyEdit() async throws {
    let frames = try await Self.frames("T5", "t5.mp4")
    #expect(frames.first == Shown(luma: 16, time: ClipTime(1, 2)))
    for (number, frame) in frames.dropLast().enumerated() {
      #expect(frame.time == ClipTime(1, 2) + ClipTime(Int64(number), 25))
    }
    await #expect(throws: MediaError.self) {
      _ = try await Self.images("T5", "t5.mp4", at: [.zero])
    }
  }

  /// T7: leading pictures of open groups are neither lost nor grey.
  @Test func openGroupsInATransportStream() async throws {
    try await Self.expectFrames("T7", "t7.ts", times: Self.everyFrame(100))
  }

  /// T9: packets without times, and the last pictures come out of the drained decoder only.
  @Test func bPicturesInAVI() async throws {
    try await Self.expectFrames("T9", "t9.avi", times: Self.everyFrame(100))
  }

  /// T11: a clock that starts at 1.48 s.
  @Test func clockThatStartsAnywhere() async throws {
    try await Self.expectFrames("T11", "t11.ts", times: Self.everyFrame(100))
  }

  /// T13: nothing is on show behind the last picture.
  @Test func behindTheLastPicture() async throws {
    try await Self.expectFrames("T13", "t13.mp4", times: Self.everyFrame(50))
    await #expect(throws: MediaError.self) {
      _ = try await Self.images("T13", "t13.mp4", at: [ClipTime(29, 10)])
    }
  }

  /// T15: 29.97 frames a second; one tick earlier is the frame before.
  @Test func exactRationals() async throws {
    let times = (0..<90).map { ClipTime(Int64($0) * 1001, 30000) }
    try await Self.expectFrames("T15", "t15.mp4", times: times)
    let earlier = (1..<90).map { ClipTime(Int64($0) * 1001 - 1, 30000) }
    let images = try await Self.images("T15", "t15.mp4", at: earlier)
    for (number, time) in earlier.enumerated() { #expect(images[time]?.time == times[number]) }
  }

  /// T17: two pictures on one time are both read, and the last is on show.
  @Test func twoPicturesOnOneTime() async throws {
    let frames = try await Self.frames("T17", "t17.mkv")
    #expect(frames.count == 100)
    for (number, frame) in frames.enumerated() { #expect(abs(frame.luma - 16 - 2 * number) <= 2) }
    #expect(frames[9].time == ClipTime(9, 25) && frames[10].time == ClipTime(9, 25))
    let images = try await Self.images("T17", "t17.mkv", at: [ClipTime(9, 25), ClipTime(11, 25)])
    #expect(abs((images[ClipTime(9, 25)]?.luma ?? 0) - 36) <= 1)
    #expect(abs((images[ClipTime(11, 25)]?.luma ?? 0) - 38) <= 1)
  }

  /// D1: no index at all.
  @Test func withoutAnIndex() async throws {
    try await Self.expectFrames("D1", "d1.webm", times: Self.everyFrame(75))
  }

  /// R3: the group with the damaged key picture may lack pictures, the others are right, and none stands in for another.
  @Test(arguments: [1, 4]) func damagedKeyPicture(_ threads: Int) async throws {
    let track = try await RandomAccessTests.track(try await AcceptanceCase.file("R3", "r3.mp4"))
    let opener = try await track.opener()
    let run = try await FrameRun(track: track, range: nil, threads: threads)
    var numbers: Set<Int> = []
    while let frame = try await run.nextFrame() {
      let shown = try Self.shown(frame)
      let number = Int((shown.time * 25).value)
      #expect((shown.time * 25).timescale == 1)
      numbers.insert(number)
      if number < 25 || number >= 50 { #expect(abs(shown.luma - 16 - 2 * number) <= 2) }
    }
    for number in Array(0..<25) + Array(50..<100) { #expect(numbers.contains(number)) }
    let session = VideoSession(opener: opener, threads: threads)
    var random = SeededGenerator(seed: Corpus.seed)
    for number in (0..<100).shuffled(using: &random) {
      let tick = Int64(number) * opener.secondTicks / 25
      do {
        let picture = try #require(try await session.picture(onShowAt: tick))
        #expect(picture.time == tick)
      } catch {
        #expect((25..<50).contains(number), "\(number): \(error)")
      }
    }
    let image = try await Self.images("R3", "r3.mp4", at: [ClipTime(3, 1)])
    #expect(abs((image[ClipTime(3, 1)]?.luma ?? 0) - 166) <= 2)
  }
}
