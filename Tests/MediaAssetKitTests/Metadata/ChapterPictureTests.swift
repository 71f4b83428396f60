import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Pictures of chapters, written as AVFoundation and players of podcasts read them: a track of pictures beside the titles.
@Suite("Chapter pictures") struct ChapterPictureTests {
  private static func picture(_ name: String, size: String) async throws -> Data {
    let folder = try await FixtureCache.shared.folder(named: "picture-\(size)-\(name)", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=\(size)", "-frames:v", "1",
        folder.appendingPathComponent(name).path,
      ])
    }
    return try Data(contentsOf: folder.appendingPathComponent(name))
  }

  private static func group(_ start: MediaTime, _ end: MediaTime, _ title: String, _ picture: Data?)
    -> TimedMetadataGroup
  {
    var items = [MetadataItem(keySpace: .common, key: "title", value: .string(title), extendedLanguageTag: "en")]
    if let picture { items.append(MetadataItem(keySpace: .common, key: "artwork", value: .data(picture))) }
    return TimedMetadataGroup(items: items, timeRange: MediaTimeRange(start: start, end: end))
  }

  private static func thirds(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 3) }

  /// The media as stored, without what belongs to chapters.
  private static func sound(_ url: URL) async throws -> String {
    try await MediaTool("ffmpeg").check([
      "-nostdin", "-v", "error", "-i", url.path, "-map", "0:a", "-c", "copy", "-f", "md5", "-",
    ]).text
  }

  @Test(arguments: ["a.m4a", "a.m4b", "a.mp4", "fast.mp4", "a.mov"]) func written(name: String) async throws {
    let small = try await Self.picture("a.jpg", size: "64x48")
    let large = try await Self.picture("b.jpg", size: "300x300")
    let png = try await Self.picture("c.png", size: "32x32")
    // Times that the movie's milliseconds don't hold, a chapter without a picture, the same picture twice.
    let groups = [
      Self.group(Self.thirds(1), Self.thirds(4), "One", small), Self.group(Self.thirds(4), Self.thirds(8), "Two", nil),
      Self.group(Self.thirds(8), Self.thirds(9), "Three", large),
      Self.group(Self.thirds(9), Self.thirds(12), "Four", large),
      Self.group(Self.thirds(12), Self.thirds(15), "Five", png),
    ]
    try await withScratchFolder { folder in
      let source = folder.appendingPathComponent("source-" + name)
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=48000:d=6", "-c:a", "aac"]
          + (name == "fast.mp4" ? ["-movflags", "+faststart"] : []) + ["-f", name.hasSuffix("m4b") ? "ipod" : "mp4"]
          + (name.hasSuffix("mov") ? ["-f", "mov"] : []) + [source.path])
      let result = folder.appendingPathComponent(name)
      var editor = MetadataEditor(MediaAsset(url: source))
      try editor.setChapters(groups)
      #expect(try await editor.write(to: result).losses.isEmpty)
      #expect(try await Self.sound(result) == Self.sound(source))

      let asset = MediaAsset(url: result)
      let found = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
      #expect(found.map(\.title) == groups.map(\.title))
      #expect(found.map(\.timeRange) == groups.map(\.timeRange))
      #expect(found.map(\.artwork) == [small, nil, large, large, png])
      // They are neither tracks nor cover art.
      #expect(try await asset.load(.tracks).map(\.mediaType) == [.audio])
      #expect(try await asset.load(.commonMetadata).filtered(by: .commonIdentifierArtwork).isEmpty)
      #expect(try await asset.loadArtwork().isEmpty)

      // An independent judge takes them for thumbnails of chapters.
      let probed = try await MediaTool("ffprobe").check([
        "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name:stream_disposition=timed_thumbnails",
        "-of", "csv=p=0", result.path,
      ])
      // It names the coding of the last of them.
      #expect(probed.lines == ["png,1"])
      // And, asked to ignore that and the edits, which say when they are on show, reads them as they are stored.
      let packets = try await MediaTool("ffprobe").check([
        "-v", "error", "-ignore_chapters", "1", "-ignore_editlist", "1", "-select_streams", "v", "-show_entries",
        "packet=size,pts_time", "-of", "csv=p=0", result.path,
      ]).lines.map { $0.split(separator: ",").map { Double($0) ?? -1 } }
      #expect(packets.map { $0.last ?? 0 } == [Double(small.count), Double(large.count), Double(png.count)])
      for (packet, time) in zip(packets, [0, 1, 7.0 / 3]) { #expect(abs((packet.first ?? -1) - time) < 0.002) }

      // Other chapters take them away.
      let bare = folder.appendingPathComponent("bare-" + name)
      var second = MetadataEditor(MediaAsset(url: result))
      try second.setChapters([Self.group(.zero, Self.thirds(3), "Alone", nil)])
      try await second.write(to: bare)
      let alone = try await MediaAsset(url: bare).loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
      #expect(alone.map(\.title) == ["Alone"] && alone.map(\.artwork) == [nil])
      let none = try await MediaTool("ffprobe").check([
        "-v", "error", "-select_streams", "v", "-show_entries", "stream=codec_name", "-of", "csv=p=0", bare.path,
      ])
      #expect(none.lines.isEmpty)
    }
  }

  /// What is neither JPEG nor PNG is told as a loss; the titles are written.
  @Test func otherPictures() async throws {
    try await withScratchFolder { folder in
      let source = folder.appendingPathComponent("a.m4a")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=2", "-c:a", "aac", source.path,
      ])
      var editor = MetadataEditor(MediaAsset(url: source))
      try editor.setChapters([Self.group(.zero, Self.thirds(3), "One", Data("GIF89a".utf8))])
      let result = folder.appendingPathComponent("b.m4a")
      let losses = try await editor.write(to: result).losses
      #expect(losses.map(\.subject) == ["chapters"])
      let found = try await MediaAsset(url: result).loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
      #expect(found.map(\.title) == ["One"] && found.map(\.artwork) == [nil])
    }
  }
}
