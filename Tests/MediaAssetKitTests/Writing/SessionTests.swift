import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Where a session begins and ends, in files with edit lists.
@Suite struct SessionTests {
  /// Appends grey pictures 0…99 at 25 a second and asks what is presented.
  private func write(
    _ url: URL, _ type: FileType = .mp4, start: MediaTime, end: MediaTime?, first: Int = 0
  ) async throws {
    try await withWriter(url: url, fileType: type) { writer in
      var settings = VideoSettings(codec: "h264", constantRateFactor: 5)
      settings.maximumBFrames = 2
      let input = try writer.add(Writer.Input(video: settings))
      try await writer.start()
      try writer.startSession(at: start)
      for index in first..<100 {
        try await input.append(
          SampleBuffer(
            content: .picture(try greyPicture(luma: UInt8(16 + 2 * index))),
            presentationTime: MediaTime(value: Int64(index), timescale: 25),
            duration: MediaTime(value: 1, timescale: 25)))
      }
      if let end { try writer.endSession(at: end) }
    }
  }

  private func expect(_ url: URL, _ range: Range<Int>, at offset: MediaTime, duration: MediaTime) async throws {
    let pictures = try await PresentedPicture.read(url)
    #expect(pictures.map { Int((($0.luma - 16) / 2).rounded()) } == Array(range))
    let expected = range.indices.map { offset + MediaTime(value: Int64($0 - range.lowerBound), timescale: 25) }
    #expect(pictures.map(\.time) == expected)
    #expect(try await MediaAsset(url: url).load(.duration) == duration)
    // The other reader sees the same pictures.
    let judged = try await FFmpegJudge(url).luma()
    #expect(judged.map { GeneratedClip.index(luma: $0.luma) } == Array(range))
    #expect(judged.first?.time == ClipTime(offset.value, Int64(offset.timescale)))
  }

  @Test(arguments: [FileType.mp4, .mov])
  func whole(_ type: FileType) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await write(url, type, start: .zero, end: nil)
      try await expect(url, 0..<100, at: .zero, duration: MediaTime(value: 4, timescale: 1))
    }
  }

  /// Samples before the start are written and hidden; those behind the end too.
  @Test func beginsAndEndsInside() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await write(url, start: MediaTime(value: 37, timescale: 25), end: MediaTime(value: 77, timescale: 25))
      try await expect(url, 37..<77, at: .zero, duration: MediaTime(value: 40, timescale: 25))
      // They are there for all that.
      let packets = try await FFmpegJudge(url, inputOptions: ["-ignore_editlist", "1"]).packets()
      #expect(packets.count == 100)
    }
  }

  /// The first sample comes later than the start: nothing is shown before it.
  @Test func beginsBeforeTheFirstSample() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await write(url, start: .zero, end: nil, first: 25)
      try await expect(
        url, 25..<100, at: MediaTime(value: 1, timescale: 1), duration: MediaTime(value: 4, timescale: 1))
    }
  }

  /// The end cuts a picture: it is shown for less time.
  @Test func endsWithinAPicture() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await write(url, start: .zero, end: MediaTime(value: 81, timescale: 50))
      let pictures = try await PresentedPicture.read(url)
      #expect(pictures.count == 41)
      #expect(pictures.last?.duration == MediaTime(value: 1, timescale: 50))
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 81, timescale: 50))
    }
  }

  /// Stored samples with edits of all kinds: presented as before.
  @Test(arguments: [
    GeneratedClip.Kind.hiddenPreRoll, .emptyEdit, .unalignedEdit, .variableRate, .h264OpenGroups, .hevc,
  ])
  func passthroughOfEdits(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await remux(clip.url, to: url, .mp4)
      let (before, after) = (try await PresentedPicture.read(clip.url), try await PresentedPicture.read(url))
      #expect(before == after)
      #expect(try await MediaAsset(url: clip.url).load(.duration) == MediaAsset(url: url).load(.duration))
    }
  }

  /// Pictures before the start that later ones need: no container without edit lists can hide them.
  @Test(arguments: [(FileType.mkv, "o.mkv"), (.mpegTS, "o.ts")])
  func refusedWithoutEditLists(_ type: FileType, _ name: String) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      await #expect(throws: MediaError.self) {
        try await remux(clip.url, to: url, type, start: MediaTime(value: 37, timescale: 25))
      }
      #expect(contents(folder).isEmpty)
      // At a sync sample it can be done.
      try await remux(clip.url, to: url, type, start: MediaTime(value: 1, timescale: 1))
      #expect(try await FFmpegJudge(url).luma().first.map { GeneratedClip.index(luma: $0.luma) } == 25)
    }
  }
}
