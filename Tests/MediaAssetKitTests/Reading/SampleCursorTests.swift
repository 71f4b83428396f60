import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Cursors over stored samples, against what ffprobe lists.
@Suite struct SampleCursorTests {
  private static func track(_ name: String) async throws -> (AssetTrack, URL) {
    let url = try await #require(CodedClip.all.first { $0.name == name }).make()
    return (try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video)), url)
  }

  /// In decode order: the bytes' place and number, sync, and the order in which times follow each other.
  @Test(arguments: [
    "h264", "h264-open", "h264-negative-offsets", "h264-matroska", "vp9",
    "hevc-open", "h264-interlaced",
  ])
  func samplesAreThoseOfTheFile(_ name: String) async throws {
    let (track, url) = try await Self.track(name)
    let packets = try await FFmpegJudge(url).packets()
    var cursor = try #require(try await track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let firstTime = try #require(packets.compactMap(\.presentation).min())
    let first = packets.first { $0.presentation == firstTime }
    let scale = try #require(first?.timeBase)
    for (number, packet) in packets.enumerated() {
      #expect(cursor.size == packet.size && cursor.isSync == packet.isKey, "sample \(number)")
      if let position = packet.position {
        #expect(cursor.storageRange == .init(offset: position, length: packet.size))
      }
      // All of these clips are shown from 0 on.
      let time = try #require(packet.presentation) - firstTime
      #expect(cursor.presentationTime == MediaTime(value: time * scale.value, timescale: Int32(scale.timescale)))
      #expect(cursor.stepInDecodeOrder(byCount: 1) == (number + 1 < packets.count ? 1 : 0))
    }
    #expect(cursor == (try await track.makeSampleCursorAtLastSampleInDecodeOrder()))
  }

  /// The same samples as reading them gives.
  @Test(arguments: [
    "h264", "h264-open-ts", "h264-negative-offsets", "h264-avi", "mpeg2-ps", "h264-uneven", "h264-fragments",
    "h264-no-edit-list", "h264-flv", "vp8-no-cues",
  ])
  func samplesAreThoseThatAreRead(_ name: String) async throws {
    let (track, _) = try await Self.track(name)
    var cursor = try #require(try await track.makeSampleCursorAtFirstSampleInDecodeOrder())
    for try await sample in try Reader(asset: track.asset).output(for: track) {
      #expect(
        (cursor.presentationTime, cursor.decodeTime) == (sample.presentationTime, sample.decodeTime)
          || !sample.presentationTime.isNumeric)
      #expect(cursor.size == sample.stored?.size && cursor.storageRange?.offset == sample.stored?.offset)
      #expect(cursor.isSync == sample.isSync && cursor.isDisposable == sample.isDisposable)
      cursor.stepInDecodeOrder(byCount: 1)
    }
  }

  /// Frame k is shown at k/25 s.
  @Test(arguments: ["h264", "h264-open", "h264-open-matroska", "h264-open-ts"])
  func stepsInPresentationOrder(_ name: String) async throws {
    let (track, _) = try await Self.track(name)
    var cursor = try #require(try await track.makeSampleCursor(presentationTime: .zero))
    for k in 0..<100 {
      #expect(cursor.presentationTime == .ms(Int64(40 * k)))
      #expect(
        try await track.makeSampleCursor(presentationTime: .ms(Int64(40 * k + 39)))?.presentationTime
          == .ms(Int64(40 * k)))
      #expect(cursor.stepInPresentationOrder(byCount: 1) == (k < 99 ? 1 : 0))
    }
    #expect(cursor.stepInPresentationOrder(byCount: -30) == -30 && cursor.presentationTime == .ms(2760))
    #expect(cursor.stepInPresentationOrder(byCount: .min) == -69 && cursor.presentationTime == .zero)
    #expect(cursor.stepInPresentationOrder(byCount: .max) == 99)
    for time in [MediaTime.negativeInfinity, .ms(-500)] {
      #expect(try await track.makeSampleCursor(presentationTime: time)?.presentationTime == .zero)
    }
    for time in [MediaTime.positiveInfinity, .ms(500_000)] {
      #expect(try await track.makeSampleCursor(presentationTime: time)?.presentationTime == .ms(3960))
    }
    await #expect(throws: MediaError.self) { try await track.makeSampleCursor(presentationTime: .invalid) }
  }

  @Test func stepsByTime() async throws {
    let (track, _) = try await Self.track("h264-open")
    var cursor = try #require(try await track.makeSampleCursor(presentationTime: .ms(1000)))
    var step = cursor.step(byPresentationTime: .ms(100))
    #expect(step == .init(moved: .ms(80), wasPinned: false) && cursor.presentationTime == .ms(1080))
    step = cursor.step(byPresentationTime: .ms(-1000))
    #expect(step == .init(moved: .ms(-1000), wasPinned: false) && cursor.presentationTime == .ms(80))
    step = cursor.step(byPresentationTime: .ms(-1000))
    #expect(step == .init(moved: .ms(-80), wasPinned: true) && cursor.presentationTime == .zero)
    step = cursor.step(byPresentationTime: .positiveInfinity)
    #expect(step == .init(moved: .ms(3960), wasPinned: true))
    step = cursor.step(byPresentationTime: .invalid)
    #expect(step == .init(moved: .zero, wasPinned: true) && cursor.presentationTime == .ms(3960))
    var decoding = try #require(try await track.makeSampleCursorAtFirstSampleInDecodeOrder())
    let start = decoding.decodeTime
    #expect(decoding.step(byDecodeTime: .ms(410)) == .init(moved: .ms(400), wasPinned: false))
    #expect(decoding.decodeTime - start == .ms(400))
    #expect(decoding.step(byDecodeTime: .negativeInfinity) == .init(moved: .ms(-400), wasPinned: true))
  }

  /// Open groups of twelve, stored as I B B B P …: a B picture behind the I leans on the group before.
  @Test func whatDecodingNeeds() async throws {
    let (track, _) = try await Self.track("h264-open")
    var cursor = try #require(try await track.makeSampleCursorAtFirstSampleInDecodeOrder())
    var syncs: [(place: Int, time: MediaTime)] = []
    for place in 0..<100 {
      let needed = cursor.samplesRequiredForDecoderRefresh
      if cursor.isSync {
        syncs.append((place, cursor.presentationTime))
        #expect(needed == 0)
      } else {
        let sync = try #require(syncs.last { $0.time <= cursor.presentationTime })
        #expect(needed == place - sync.place)
      }
      cursor.stepInDecodeOrder(byCount: 1)
    }
    let (early, late) = (
      try #require(try await track.makeSampleCursor(presentationTime: .ms(0))),
      try #require(try await track.makeSampleCursor(presentationTime: .ms(2000)))
    )
    #expect(early < late && early != late)
    #expect(!late.maySamplesWithEarlierDecodeTimesHavePresentationTimes(laterThan: late) || late > early)
  }

  /// Sound and edits: a hidden pre-roll lies before zero, as read samples have it.
  @Test(arguments: [GeneratedClip.Kind.hiddenPreRoll, .emptyEdit, .unalignedEdit])
  func edits(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let track = try #require(try await MediaAsset(url: clip.url).loadDefaultTrack(withMediaType: .video))
    for frame in clip.frames.dropLast() {
      let time = MediaTime(value: frame.time.value, timescale: Int32(frame.time.timescale))
      let cursor = try #require(try await track.makeSampleCursor(presentationTime: time))
      #expect(cursor.presentationTime <= time && cursor.presentationTime + cursor.duration > time)
    }
  }
}

/// What a movie says of its samples is believed, whatever the samples look like.
@Suite struct ListedSampleFactTests {
  /// Of all key pictures the movie lists only the first and the third; every picture lasts as long as the movie says, the
  /// last one too.
  @Test func syncSamplesAndDurations() async throws {
    let url = try await #require(CodedClip.all.first { $0.name == "h264" }).make()
    var bytes = try [UInt8](Data(contentsOf: url))
    let place = try #require(bytes.firstRange(of: Array("stss".utf8))?.upperBound)
    let count = Int(bytes[place + 7])
    try #require(count >= 3)
    // The third entry takes the second one's place, and the list ends there.
    bytes.replaceSubrange(place + 12..<place + 16, with: bytes[place + 16..<place + 20])
    bytes[place + 7] = 2
    let listed = [0, 8].map { start in
      bytes[place + 8 + start / 2..<place + 12 + start / 2].reduce(0) { $0 << 8 | Int($1) } - 1
    }
    let asset = MediaAsset(data: Data(bytes))
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    var (keys, durations): ([Int], Set<MediaTime>) = ([], [])
    var number = 0
    for try await sample in try Reader(asset: asset).output(for: track) {
      if sample.isSync { keys.append(number) }
      durations.insert(sample.duration)
      number += 1
    }
    #expect(number == 100 && keys == listed && durations == [MediaTime(value: 1, timescale: 25)])
  }
}
