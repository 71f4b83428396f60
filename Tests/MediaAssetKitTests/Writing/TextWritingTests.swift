import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Tracks that are neither pictures nor sound, passed on as stored.
@Suite struct TextWritingTests {
  private static let picture = [
    "-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=3", "-c:v", "libx264", "-pix_fmt", "yuv420p",
  ]

  private static func subtitles(_ name: String, codec: String) async throws -> URL {
    let text = "1\n00:00:00,500 --> 00:00:01,000\nHello\n\n2\n00:00:01,500 --> 00:00:02,000\nWorld\n"
    let encoded = Data(text.utf8).base64EncodedString()
    return try await madeClip(
      name,
      ["-f", "srt", "-i", "data:text/plain;base64," + encoded] + picture.prefix(4) + ["-c:s", codec]
        + picture.dropFirst(4))
  }

  /// Subtitles come seldom and hold nobody up; their times and bytes stay.
  @Test(arguments: [
    ("s.mp4", "mov_text", FileType.mp4, "o.mp4"), ("s.mp4", "mov_text", .mov, "o.mov"), ("s.mkv", "srt", .mkv, "o.mkv"),
  ])
  func subtitles(_ name: String, _ codec: String, _ type: FileType, _ output: String) async throws {
    let source = try await Self.subtitles(name, codec: codec)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(output)
      let begin = ContinuousClock.now
      // Whoever waited for subtitles would wait so long.
      var options = Writer.Options()
      options.starvationLimit = .seconds(60)
      options.interleavingWindow = MediaTime(value: 1, timescale: 2)
      try await remux(source, to: url, type, options: options)
      #expect(ContinuousClock.now - begin < .seconds(30))
      let stream = try #require(
        try await FFmpegJudge(url).probe()["streams"]?.elements.first { $0["codec_type"]?.text == "subtitle" })
      let number = try #require(stream["index"]?.integer)
      let old = try await FFmpegJudge(source).probe()["streams"]?.elements.first {
        $0["codec_type"]?.text == "subtitle"
      }
      let left = try await FFmpegJudge(source).packets(.index(old?["index"]?.integer ?? 0))
      let right = try await FFmpegJudge(url).packets(.index(number))
      #expect(left.map(\.hash) == right.map(\.hash))
      #expect(left.map(\.time) == right.map(\.time))
      #expect(left.map(\.duration) == right.map(\.duration))
    }
  }

  /// Timecode goes into QuickTime files; others refuse it, and say why.
  @Test func timecode() async throws {
    let source = try await madeClip("s.mov", Self.picture + ["-timecode", "01:00:00:00"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      try await remux(source, to: url, .mov)
      #expect(try await MediaAsset(url: url).load(.tracks).map(\.mediaType) == [.video, .timecode])
      let codes = try await FFmpegJudge(url).probe()["streams"]?.elements.map { $0["tags"]?["timecode"]?.text }
      #expect(codes == ["01:00:00:00", "01:00:00:00"])
      for (type, name) in [(FileType.mp4, "o.mp4"), (.mkv, "o.mkv")] {
        do {
          try await remux(source, to: folder.appendingPathComponent(name), type)
          Issue.record("timecode was taken")
        } catch let error as MediaError {
          #expect(error.code == .operationNotSupported)
        }
      }
      #expect(contents(folder) == ["o.mov"])
    }
  }
}
