import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Which picture serves a time under every kind of tolerance, against a search through the clip's table of frames.
@Suite struct ToleranceTests {
  /// A presented picture as the clip's table and `ffprobe`'s key flags have it.
  private struct Shown {
    var time: ClipTime
    var end: ClipTime?
    var luma: Double
    var isKey: Bool
  }

  /// Which source frames are key pictures: the clip before editing holds all 100 frames in order.
  private static func table(_ clip: GeneratedClip) async throws -> [Shown] {
    let options = isEdited(clip) ? ["-ignore_editlist", "1"] : []
    let packets = try await FFmpegJudge(clip.url, inputOptions: options).packets().filter {
      $0.presentation != nil || clip.kind == .mjpegAVI
    }
    let sorted = packets.enumerated().sorted {
      ($0.element.presentation ?? Int64($0.offset)) < ($1.element.presentation ?? Int64($1.offset))
    }
    // GIF and APNG draw frames over earlier ones, whatever the packets' flags say: nothing but the start is a start, and
    // the picture on show is given then.
    let hasStarts = ![.gif, .apng].contains(clip.kind)
    let keys = Set(sorted.indices.filter { hasStarts && sorted[$0].element.isKey })
    // Where the table leaves the end open, the last packet says how long it lasts, or nobody does: some moments.
    let lastLength =
      sorted.last?.element.duration.map { sorted[sorted.count - 1].element.timeBase * $0 }
      ?? ClipTime(1, 1)
    return clip.frames.indices.map { number in
      let frame = clip.frames[number]
      let source = clip.kind == .png ? 0 : GeneratedClip.index(luma: frame.luma)
      var end: ClipTime? =
        number + 1 < clip.frames.count
        ? clip.frames[number + 1].time : clip.duration ?? frame.time + lastLength
      // Segments of the edited clip touch each other, so a picture lasts to its successor there too.
      if end.map({ $0 < frame.time }) ?? false { end = nil }
      return Shown(time: frame.time, end: end, luma: frame.luma, isKey: keys.contains(source))
    }
  }

  private static func isEdited(_ clip: GeneratedClip) -> Bool {
    [.hiddenPreRoll, .emptyEdit, .severalEdits, .unalignedEdit].contains(clip.kind)
  }

  private static func seconds(_ time: ClipTime) -> Double { time.seconds }

  private static func distance(_ a: ClipTime, _ b: ClipTime) -> ClipTime { a < b ? b - a : a - b }

  private static func shown(_ table: [Shown], at time: ClipTime) -> Shown? {
    table.last { $0.time <= time && ($0.end.map { time < $0 } ?? true) }
  }

  /// The times that are asked for: on, just before and between frames, and outside.
  private static func times(_ clip: GeneratedClip) -> [ClipTime] {
    var random = SeededGenerator(seed: 17)
    let last = clip.frames.last?.time ?? .zero
    var times = clip.frames.shuffled(using: &random).prefix(12).flatMap {
      [$0.time, $0.time + ClipTime(1, 1000), $0.time - ClipTime(1, 1000)]
    }
    times += [ClipTime(-1, 1), last + ClipTime(10, 1)]
    return times
  }

  @Test(arguments: GeneratedClip.Kind.allCases)
  func infiniteGivesTheNearestKeyPicture(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let table = try await Self.table(clip)
    let generator = ImageGenerator(asset: MediaAsset(url: clip.url))
    for time in Self.times(clip) {
      let expected: Shown?
      if Self.shown(table, at: time) == nil {
        // Outside and in gaps: the neighbour, whatever it is.
        expected = table.min { Self.distance($0.time, time) < Self.distance($1.time, time) }
      } else {
        let keys = table.filter(\.isKey)
        expected =
          keys.min { Self.distance($0.time, time) < Self.distance($1.time, time) }
          ?? Self.shown(table, at: time)
      }
      let wanted = try #require(expected)
      let (image, actual) = try await generator.image(at: MediaTime(time))
      #expect(actual == MediaTime(wanted.time), "\(kind) at \(time)")
      #expect(abs(image.luma - wanted.luma) <= 3, "\(kind) at \(time)")
    }
  }

  private static let windows: [(before: ClipTime?, after: ClipTime?)] = [
    (ClipTime(1, 10), ClipTime(1, 10)), (ClipTime(1, 2), ClipTime(1, 2)),
    (.zero, ClipTime(3, 10)), (ClipTime(3, 10), .zero), (nil, .zero), (.zero, nil),
    (ClipTime(1, 100), ClipTime(1, 100)), (ClipTime(100, 1), ClipTime(100, 1)), (.zero, .zero),
  ]

  @Test(arguments: GeneratedClip.Kind.allCases)
  func neverOutsideOfTheTolerances(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let table = try await Self.table(clip)
    var generator = ImageGenerator(asset: MediaAsset(url: clip.url))
    for window in Self.windows {
      generator.requestedTimeToleranceBefore =
        window.before.map { MediaTime($0) } ?? .positiveInfinity
      generator.requestedTimeToleranceAfter =
        window.after.map { MediaTime($0) } ?? .positiveInfinity
      let times = Self.times(clip)
      var number = 0
      for await element in generator.images(for: times.map { MediaTime($0) }) {
        let time = times[number]
        number += 1
        let allowed = table.filter { shown in
          (window.before.map { time - $0 <= shown.time } ?? true)
            && (window.after.map { shown.time <= time + $0 } ?? true)
        }
        let onShow = Self.shown(table, at: time)
        let note: Comment = "\(kind) at \(time) within \(String(describing: window))"
        do {
          let actual = try element.actualTime
          let found = try #require(table.first { MediaTime($0.time) == actual }, note)
          #expect(try abs(element.image.luma - found.luma) <= 3, note)
          let isPoint = window.before == .zero && window.after == .zero
          if isPoint {
            #expect(found.time == onShow?.time, note)
          } else {
            #expect(allowed.contains { $0.time == found.time } || found.time == onShow?.time, note)
          }
          // A key picture inside is never passed by for a dearer one, where the container lists its samples.
          if !isPoint, onShow != nil, Self.isIndexed(kind), allowed.contains(where: \.isKey) {
            let keys = allowed.filter(\.isKey)
            let nearest = keys.min { Self.distance($0.time, time) < Self.distance($1.time, time) }
            #expect(found.time == nearest?.time, note)
          }
        } catch let error as MediaError {
          #expect(error.code == .noImageAtTime, note)
          let isPoint = window.before == .zero && window.after == .zero
          #expect(onShow == nil && (isPoint || allowed.isEmpty), note)
        }
      }
      #expect(number == times.count)
    }
  }

  private static func isIndexed(_ kind: GeneratedClip.Kind) -> Bool {
    ![.vp9, .mpeg2Transport, .mjpegAVI, .png, .gif, .apng].contains(kind)
  }

  @Test(arguments: [
    MediaTime.invalid, .indefinite, .negativeInfinity, .ms(-1), MediaTime(value: 1, timescale: 0),
  ])
  func wrongTolerancesAreErrors(_ tolerance: MediaTime) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    var generator = ImageGenerator(asset: MediaAsset(url: clip.url))
    generator.requestedTimeToleranceBefore = tolerance
    let before = generator
    #expect(await errorCode { _ = try await before.image(at: .zero) } == .invalidArgument)
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = tolerance
    let after = generator
    #expect(await errorCode { _ = try await after.image(at: .zero) } == .invalidArgument)
    for await element in after.images(for: [.zero, .ms(40)]) {
      #expect(throws: MediaError.self) { try element.image }
    }
  }

  @Test(arguments: [
    MediaTime.invalid, .indefinite, .negativeInfinity, .positiveInfinity,
    MediaTime(seconds: .nan, preferredTimescale: 600),
  ])
  func wrongTimesAreErrors(_ time: MediaTime) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let generator = ImageGenerator(asset: MediaAsset(url: clip.url))
    #expect(await errorCode { _ = try await generator.image(at: time) } == .invalidArgument)
  }

  @Test(arguments: [
    MediaTime(value: .max, timescale: 1), MediaTime(value: .min, timescale: 1),
    MediaTime(value: .max, timescale: .max), MediaTime(value: .min, timescale: .max),
    MediaTime(value: 1, timescale: .max),
  ])
  func extremeTimesAreClampedOrRefused(_ time: MediaTime) async throws {
    for kind in [GeneratedClip.Kind.h264ClosedGroups, .mpeg2Transport, .severalEdits, .vp9] {
      let clip = try await GeneratedClip.make(kind)
      let (_, actual) = try await ImageGenerator(asset: MediaAsset(url: clip.url)).image(at: time)
      #expect(clip.frames.contains { MediaTime($0.time) == actual })
      let exact = ImageGenerator.exact(clip.url)
      let isInside = time >= .zero && time.seconds < 1e6 && kind != .severalEdits
      let code = await errorCode { _ = try await exact.image(at: time) }
      #expect(code == (isInside && time.seconds < 4 ? nil : .noImageAtTime), "\(kind) \(time)")
    }
  }
}
