import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Sources that say one thing twice, or too little.
@Suite struct ExportSourceTests {
  private static let pictures = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=1"]

  /// What the pictures say of their own shape counts for nothing where the container says another.
  @Test(arguments: [("HighestQuality", "mp4"), ("640x480", "mp4"), ("WebM", "webm"), ("HighestQuality", "mkv")])
  func theContainersShapeHolds(_ name: String, _ type: String) async throws {
    let coded = try await madeClip(
      "shape-coded.mp4", Self.pictures + ["-vf", "setsar=1", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
    let source = try await madeClip(
      "shape.mp4", ["-i", coded.path, "-c", "copy", "-bsf:v", "h264_metadata=sample_aspect_ratio=4/3"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)))
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      #expect(try await track.load(.naturalSize) == PixelSize(width: 96, height: 64))
      let ratio = try await FFmpegJudge(url).streams("video").first?["sample_aspect_ratio"]?.text
      #expect(ratio == "1:1" || ratio == nil)
    }
  }

  /// Narrow pixels that are turned into the picture lie on their side there.
  @Test func turnedPixels() async throws {
    let upright = try await madeClip(
      "pixels-upright.mp4", Self.pictures + ["-vf", "setsar=4/3", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
    // From version 6 on ffmpeg has an option for it in place of a tag.
    let hasOption = try await FFmpegVersion.current().isAtLeast(6, 0)
    let turn = hasOption ? ["-display_rotation:v:0", "270"] : []
    let source = try await madeClip(
      "pixels.mp4", turn + ["-i", upright.path, "-c", "copy"] + (hasOption ? [] : ["-metadata:s:v", "rotate=90"]))
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.webm")
      try await export(source, to: url, .webM)
      let stream = try #require(try await FFmpegJudge(url).streams("video").first)
      #expect(stream["width"]?.integer == 64 && stream["height"]?.integer == 96)
      #expect(stream["sample_aspect_ratio"]?.text == "3:4")
    }
  }

  /// A track's name can be its turn: drawn into the pictures, it is not said again.
  @Test(arguments: [("WebM", "webm", 0), ("HighestQuality", "mp4", 90), ("Passthrough", "mp4", 90)])
  func turnsByName(_ name: String, _ type: String, _ degrees: Int) async throws {
    let source = try await madeClip(
      "turn-name.mkv",
      Self.pictures + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-metadata:s:v", "title=htc_video_rotA-090"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)))
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      let shown = try await track.load(.naturalSize)
      let transform = try await track.load(.preferredTransform)
      #expect(shown == (degrees == 0 ? PixelSize(width: 64, height: 96) : PixelSize(width: 96, height: 64)))
      #expect((transform.orientation == .up) == (degrees == 0))
    }
  }

  /// Packets of MPEG audio are long at low rates, and so is what comes before the sound.
  @Test(arguments: [8000, 16_000, 44_100]) func primingOfLowRates(_ rate: Int) async throws {
    let source = try await madeClip(
      "priming-\(rate).mp3",
      ["-f", "lavfi", "-i", "sine=440:r=\(rate):d=3", "-ac", "1", "-c:a", "libmp3lame", "-b:a", "48k"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp3")
      let plan = try await export(source, to: url, .passthrough)
      #expect(plan.isPassthrough)
      let (old, new) = (try await Sound.read16(source), try await Sound.read16(url))
      #expect(old.count == 3 * rate)
      #expect(new.int16s == old.int16s)
      let (wanted, judged) = (try await FFmpegJudge(source).samples16(), try await FFmpegJudge(url).samples16())
      #expect(judged == wanted)
    }
  }

  /// Opus has one order of channels for each number of them (RFC 7845); what lies at the side there is called back.
  @Test(arguments: [("5.1(side)", 6, "5.1"), ("quad(side)", 4, "quad"), ("3.0", 3, "3.0"), ("2.1", 3, "3.0")])
  func channelsOfOpus(_ layout: String, _ count: Int, _ wanted: String) async throws {
    let source = try await madeClip(
      "opus-\(count)-\(layout.count)\(layout.prefix(1)).mkv",
      [
        "-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-af",
        "pan=\(layout)|\((0..<count).map { "c\($0)=c0" }.joined(separator: "|"))", "-c:a", "pcm_s16le",
      ])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.webm")
      let plan = try await export(source, to: url, .webM)
      #expect(plan.tracks[0].action == .encode)
      let stream = try #require(try await FFmpegJudge(url).streams("audio").first)
      #expect(stream["channels"]?.integer == count)
      #expect(stream["channel_layout"]?.text == wanted)
    }
  }

  /// More channels than it has an order for become two.
  @Test func tooManyChannelsForOpus() async throws {
    let source = try await madeClip(
      "opus-16.wav", ["-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-af", "aformat=channel_layouts=hexadecagonal"])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.webm")
      try await export(source, to: url, .webM)
      #expect(try await FFmpegJudge(url).streams("audio").first?["channels"]?.integer == 2)
    }
  }

  /// Ogg's tags are those of its stream, and go on as those of the file.
  @Test(arguments: [("Passthrough", "ogg"), ("WebM", "webm"), ("AppleM4A", "m4a"), ("MP3", "mp3"), ("FLAC", "flac")])
  func tagsOfOgg(_ name: String, _ type: String) async throws {
    let source = try await madeClip(
      "tags.ogg",
      [
        "-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-c:a", "libopus", "-metadata", "Title=T ü", "-metadata",
        "ARTIST=A", "-metadata", "album=L", "-metadata", "CHAPTER001URL=http://localhost/",
      ])
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o." + type)
      try await export(source, to: url, try #require(.named(name)))
      let probe = try await FFmpegJudge(url).probe()
      let tags = [probe["format"]?["tags"], probe["streams"]?.elements.first?["tags"]]
      for (key, value) in [("title", "T ü"), ("artist", "A"), ("album", "L")] {
        let found = tags.compactMap { $0?[key] ?? $0?[key.uppercased()] ?? $0?[key.capitalized] }.first?.text
        #expect(found == value, "\(key)")
      }
      #expect(tags.allSatisfy { $0?["CHAPTER001URL"] == nil })
    }
  }

  /// A header without a sample makes no file, copied or encoded.
  @Test(arguments: [ExportPreset.passthrough, .highestQuality])
  func nothingToRead(_ preset: ExportPreset) async throws {
    let whole = try await madeClip(
      "nothing-whole.mp4",
      Self.pictures + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-movflags", "frag_keyframe+empty_moov"])
    try await withScratchFolder { folder in
      let bytes = [UInt8](try Data(contentsOf: whole))
      let moof = try #require(bytes.firstRange(of: Array("moof".utf8)))
      let source = folder.appendingPathComponent("header.mp4")
      try Data(bytes[..<(moof.lowerBound - 4)]).write(to: source)
      await #expect(throws: MediaError.self) {
        try await export(source, to: folder.appendingPathComponent("o.mp4"), preset)
      }
      #expect(contents(folder) == ["header.mp4"])
    }
  }
}
