import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Chapters that FFmpeg wrote, and acceptance cases.
@Suite("Chapters of files") struct ChapterFileTests {
  private func chapters(_ url: URL, _ languages: [String] = []) async throws -> [TimedMetadataGroup] {
    try await MediaAsset(url: url).loadChapterMetadataGroups(bestMatchingPreferredLanguages: languages)
  }

  private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: MediaTime(value: start, timescale: 1000), end: MediaTime(value: end, timescale: 1000))
  }

  /// M3: chapters that begin late.
  @Test func lateStart() async throws {
    let found = try await chapters(try await AcceptanceCase.file("M3", "m3.mkv"))
    #expect(found.map(\.title) == ["One", "Two", "Thr=ee ü"])
    #expect(found.map(\.timeRange) == [range(500, 1000), range(1000, 3000), range(3000, 4000)])
  }

  /// The same chapters in other containers.
  @Test(arguments: ["c.mp4", "c.mov", "c.mp3", "c.m4a"]) func containers(name: String) async throws {
    let source = try await AcceptanceCase.make("M3")
    let folder = try await FixtureCache.shared.folder(named: "chapters-\(name)", ingredients: [name]) { folder in
      let sound = ["-f", "lavfi", "-i", "sine=440:r=48000:d=4"]
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error"] + sound + [
          "-i", source.appendingPathComponent("ch.txt").path, "-map", "0", "-map_metadata", "1", "-map_chapters", "1",
          folder.appendingPathComponent(name).path,
        ])
    }
    let url = folder.appendingPathComponent(name)
    let found = try await chapters(url)
    #expect(found.map(\.title) == ["One", "Two", "Thr=ee ü"])
    // FFmpeg's muxer lets a text track begin with its first title, at 0; its own probe says the same of the file.
    let first = name == "c.mp3" ? range(500, 1000) : range(0, 1000)
    #expect(found.map(\.timeRange) == [first, range(1000, 3000), range(3000, 4000)])
    // The title item holds for the group's range.
    for group in found {
      #expect(group.items.first?.time == group.timeRange.start && group.items.first?.commonKey == .title)
    }
    #expect(try await MediaAsset(url: url).load(.tracks).map(\.mediaType) == [.audio])
  }

  /// M5: more chapters than Nero's list holds.
  @Test func many() async throws {
    let url = try await AcceptanceCase.file("M5", "m5.mp4")
    let asset = MediaAsset(url: url)
    let clock = ContinuousClock()
    let start = clock.now
    let found = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
    #expect(clock.now - start < .within(.seconds(1)))
    #expect(found.count == 2000)
    #expect(found.last?.title == "c1999")
    #expect(found.last?.timeRange == range(89_955, 90_000))
  }

  /// Titles in two languages, as two text tracks or two displays of one chapter have them.
  @Test func languages() throws {
    let list = ChapterList(
      language: "en",
      chapters: [
        StoredChapter(start: .zero, titles: [.init(text: "One", language: nil), .init(text: "Eins", language: "de")]),
        StoredChapter(start: .one, titles: [.init(text: "Two", language: nil)]),
      ])
    #expect(list.languages == ["en", "de"])
    #expect(LanguageTag.best(["en", "de"], for: ["ger", "en"]) == 1)
    #expect(LanguageTag.best(["en", "de"], for: ["fr"]) == nil)
    #expect(list.closed(at: Rational(3)).map(\.end) == [.one, Rational(3)])
  }

  @Test func vorbisChapters() async throws {
    let folder = try await FixtureCache.shared.folder(named: "chapters-vorbis", ingredients: ["2"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=3", "-c:a", "libopus", "-metadata",
        "CHAPTER001=00:00:00.000", "-metadata", "CHAPTER001NAME=Anfang", "-metadata", "CHAPTER002=00:00:01.250",
        "-metadata", "CHAPTER002NAME=Ende", folder.appendingPathComponent("c.opus").path,
      ])
    }
    let found = try await chapters(folder.appendingPathComponent("c.opus"))
    #expect(found.map(\.title) == ["Anfang", "Ende"])
    #expect(found.map(\.timeRange) == [range(0, 1250), range(1250, 3000)])
  }
}
