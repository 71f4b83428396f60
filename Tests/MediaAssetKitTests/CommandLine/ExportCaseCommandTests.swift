import Foundation
import MediaTestSupport
import Testing

/// The acceptance cases of exporting, through the command line.
@Suite struct ExportCaseCommandTests {
  /// `mediakit export` of a case's file to `name` in a folder of its own.
  private func export<R>(
    _ file: (String, String), _ name: String, _ options: [String], _ body: (URL) async throws -> R
  ) async throws -> R {
    let source = try await AcceptanceCase.file(file.0, file.1)
    return try await MediaKitCommand.withFolder { folder in
      try await MediaKitCommand.check(["export", source.path, "-o", name] + options, in: folder)
      #expect(try MediaKitCommand.names(in: folder) == [name])
      return try await body(folder.appendingPathComponent(name))
    }
  }

  private func stream(_ url: URL, _ kind: String) async throws -> JSONValue? {
    try await FFmpegJudge(url).probe()["streams"]?.elements.first { $0["codec_type"]?.text == kind }
  }

  private func tags(_ url: URL) async throws -> JSONValue? { try await FFmpegJudge(url).probe()["format"]?["tags"] }

  /// E1: on a picture, and between two: the one on show comes first, for what is left of it.
  @Test(arguments: ["HighestQuality", "Passthrough"]) func cuts(_ preset: String) async throws {
    try await export(("E1", "base.mp4"), "o.mp4", ["--preset", preset, "--from=1.50", "--to=3.50"]) { url in
      let lines = try await MediaKitCommand.check(["frames", url.path]).text.split(separator: "\n").map { line in
        line.split(separator: " ").prefix(2).map(String.init)
      }
      #expect(lines.count == 51)
      #expect(lines.first == ["0/1", "1/50"] && lines.dropFirst().first == ["1/50", "1/25"])
      let duration = try JSONValue(
        parsing: Data(try await MediaKitCommand.check(["info", "--json", url.path]).text.utf8))
      #expect(duration["duration"]?["value"]?.text == "2/1")
    }
    try await export(("E1", "base.mp4"), "o.mp4", ["--preset", preset, "--from=1.52", "--to=3.52"]) { url in
      let frames = try await FFmpegJudge(url).luma()
      #expect(frames.map { Int($0.luma.rounded()) } == (0..<50).map { 92 + 2 * $0 })
      #expect(frames.first?.time == ClipTime(0, 25))
    }
  }

  /// E3: 1.5 s of sound, the tone 14 400 samples in.
  @Test(arguments: [["--preset", "Passthrough"], ["--preset", "AppleM4A"], ["--audio", "codec=aac,bit-rate=96k"]])
  func soundOffTheFrameGrid(_ options: [String]) async throws {
    try await export(("E3", "e3.m4a"), "o.m4a", options + ["--from=0.7", "--to=2.2"]) { url in
      try await MediaKitCommand.withFolder { folder in
        try await MediaKitCommand.check(["audio", url.path, "--format", "s16", "-o", "o.wav"], in: folder)
        let samples = try await FFmpegJudge(folder.appendingPathComponent("o.wav")).samples16()
        #expect(samples.count == 72_000)
        let onset = try #require(samples.firstIndex { abs(Int($0)) > 8000 })
        #expect(abs(onset - 14_400) <= 64)
      }
    }
  }

  /// E5: a full disk is told in one line, and nothing is left on it.
  @Test(.enabled(if: TinyVolume.isAvailable), arguments: ["HighestQuality", "Passthrough"])
  func fullDisk(_ preset: String) async throws {
    let source = try await longClip()
    try await TinyVolume.with(kilobytes: 64) { folder in
      let output = try await MediaKitCommand.run(
        ["export", source.path, "-o", folder.appendingPathComponent("o.mp4").path, "--preset", preset])
      #expect(output.status == 1)
      #expect(output.errorText.split(separator: "\n").count == 1 && output.errorText.contains("space"))
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  /// E7: the input itself, a file that exists, a folder that doesn't.
  @Test func targets() async throws {
    let source = try await AcceptanceCase.file("E7", "keep.mp4")
    try await MediaKitCommand.withFolder { folder in
      let keep = folder.appendingPathComponent("keep.mp4")
      try FileManager.default.copyItem(at: source, to: keep)
      let before = try Data(contentsOf: keep)
      for options in [["keep.mp4"], ["keep.mp4", "--overwrite"], ["./keep.mp4", "--overwrite"], ["none/o.mp4"]] {
        let output = try await MediaKitCommand.run(["export", "keep.mp4", "-o"] + options, in: folder)
        #expect(output.status == 1, "\(options)")
        #expect(output.errorText.split(separator: "\n").count == 1)
      }
      #expect(try Data(contentsOf: keep) == before)
      #expect(try MediaKitCommand.names(in: folder) == ["keep.mp4"])
    }
  }

  /// M1: QuickTime's keys and the creation time stay, unless they are not wanted.
  @Test(arguments: ["mov", "mp4"], ["Passthrough", "HighestQuality"])
  func quickTimeKeys(_ type: String, _ preset: String) async throws {
    try await export(("M1", "m1.mov"), "o." + type, ["--preset", preset]) { url in
      let found = try await tags(url)
      #expect(found?["creation_time"]?.text?.hasPrefix("2022-11-09T17:36:38") == true)
      #expect(found?["com.apple.quicktime.creationdate"]?.text == "2022-11-09T20:36:38+0300")
      #expect(found?["com.apple.quicktime.location.ISO6709"]?.text == "+48.8577+002.2950+035.000/")
      #expect(found?["com.apple.quicktime.make"]?.text == "ExampleCam")
      #expect(found?["encoder"] == nil)
    }
    try await export(("M1", "m1.mov"), "o." + type, ["--preset", preset, "--for-sharing"]) { url in
      let left = try await tags(url)
      #expect(left?["com.apple.quicktime.location.ISO6709"] == nil && left?["creation_time"] == nil)
    }
  }

  /// M3: chapters are cut with the range.
  @Test(arguments: ["mkv", "mp4"], ["Passthrough", "HighestQuality"])
  func chapters(_ type: String, _ preset: String) async throws {
    let options = ["--preset", preset, "--exact-cut", "--from=1.5", "--to=3.5"]
    try await export(("M3", "m3.mkv"), "o." + type, options) { url in
      let chapters = try await FFmpegJudge(url).probe(["-show_chapters"])["chapters"]?.elements ?? []
      #expect(chapters.map { $0["tags"]?["title"]?.text } == ["Two", "Thr=ee ü"])
      #expect(chapters.map { $0["start_time"]?.double } == [0, 1.5])
      #expect(chapters.map { $0["end_time"]?.double } == [1.5, 2])
    }
  }

  /// M5: 2000 chapters stay 2000.
  @Test func manyChapters() async throws {
    try await export(("M5", "m5.mp4"), "o.mp4", ["--preset", "Passthrough"]) { url in
      let text = try await MediaKitCommand.check(["chapters", url.path, "--json"]).text
      let chapters = try JSONValue(parsing: Data(text.utf8)).elements
      #expect(chapters.count == 2000)
      #expect(chapters.last?["title"]?.text == "c1999")
    }
  }

  /// C4: the full range stays, once.
  @Test(arguments: ["Passthrough", "HighestQuality"]) func fullRange(_ preset: String) async throws {
    try await export(("C4", "c4.mp4"), "o.mp4", ["--preset", preset]) { url in
      #expect(try await stream(url, "video")?["color_range"]?.text == "pc")
      for (x, level) in [(10, 28), (48, 130), (80, 232)] {
        let pixel = try await FFmpegJudge(url).pixel(x, 20)
        #expect(pixel.prefix(3).allSatisfy { abs(Int($0) - level) <= 2 })
      }
    }
  }

  /// C6: HDR10 keeps its tags and light levels.
  @Test(arguments: ["Passthrough", "HEVCHighestQuality"]) func hdr(_ preset: String) async throws {
    try await export(("C6", "c6.mp4"), "o.mp4", ["--preset", preset]) { url in
      let found = try await stream(url, "video")
      #expect(found?["pix_fmt"]?.text == "yuv420p10le" && found?["color_transfer"]?.text == "smpte2084")
      #expect(found?["color_space"]?.text == "bt2020nc" && found?["color_primaries"]?.text == "bt2020")
      let text = try await MediaKitCommand.check(["info", "--json", url.path]).text
      let hdr = try JSONValue(parsing: Data(text.utf8))["tracks"]?.elements.first?["video"]?["hdr"]
      #expect(hdr?["maxContentLight"]?.integer == 1000 && hdr?["maxFrameAverageLight"]?.integer == 400)
    }
  }

  /// C10: never interlaced pixels that are called progressive.
  @Test(arguments: [
    ("Passthrough", "mkv", "tt"), ("HighestQuality", "mp4", "tt"), ("640x480", "mkv", "tt"),
    ("WebM", "webm", "progressive"),
  ])
  func interlaced(_ preset: String, _ type: String, _ order: String) async throws {
    try await export(("C10", "c10.mpg"), "o." + type, ["--preset", preset]) { url in
      let found = try await stream(url, "video")?["field_order"]?.text ?? "progressive"
      #expect(found == order || order == "progressive" && found == "unknown")
      let rows = try await FFmpegJudge(url).lumaColumn(20, rows: 4)
      let wanted = order == "tt" ? [16, 20, 16, 20] : [16, 16, 16, 16]
      #expect(zip(rows, wanted).allSatisfy { abs($0 - $1) <= 2 }, "\(rows)")
    }
  }

  /// G9: odd sizes are rounded down, a requested one too.
  @Test(
    arguments: [(["--preset", "HighestQuality"], 64, 48), (["--video", "codec=h264,crf=5,size=33x25"], 32, 24)]
      as [([String], Int, Int)])
  func oddSizes(_ options: [String], _ width: Int, _ height: Int) async throws {
    try await export(("G9", "g9.webm"), "o.mp4", options) { url in
      let found = try await stream(url, "video")
      #expect(found?["width"]?.integer == width && found?["height"]?.integer == height)
    }
  }

  /// T5: pictures that begin half a second after the sound still do.
  @Test(arguments: ["Passthrough", "HighestQuality"]) func lateStart(_ preset: String) async throws {
    try await export(("T5", "t5.mp4"), "o.mp4", ["--preset", preset]) { url in
      let (video, sound) = (try await stream(url, "video"), try await stream(url, "audio"))
      let offset = (video?["start_time"]?.double ?? -1) - (sound?["start_time"]?.double ?? -1)
      #expect(abs(offset - 0.5) <= 0.0005)
    }
  }

  /// T13: sound that outlasts the pictures is all there.
  @Test(arguments: ["Passthrough", "HighestQuality"]) func soundOutlastsPictures(_ preset: String) async throws {
    try await export(("T13", "t13.mp4"), "o.mp4", ["--preset", preset, "--from=0", "--to=3"]) { url in
      #expect(try await FFmpegJudge(url).luma().count == 50)
      try await MediaKitCommand.withFolder { folder in
        try await MediaKitCommand.check(["audio", url.path, "--format", "s16", "-o", "o.wav"], in: folder)
        #expect(try await FFmpegJudge(folder.appendingPathComponent("o.wav")).samples16().count == 3 * 48_000)
      }
    }
  }

  /// A folder for HTTP Live Streaming, by a preset.
  @Test func streaming() async throws {
    let source = try await movieClip()
    try await MediaKitCommand.withFolder { folder in
      let plan = try await MediaKitCommand.check(["export", source.path, "--preset", "HLS", "--plan"], in: folder)
      #expect(plan.text.contains("track 1 vide h264: copy"))
      try await MediaKitCommand.check(["export", source.path, "-o", "out", "--preset", "hls", "--to=2"], in: folder)
      #expect(try MediaKitCommand.names(in: folder) == ["out"])
      let master = folder.appendingPathComponent("out/master.m3u8")
      let judge = FFmpegJudge(master, inputOptions: ["-allowed_extensions", "ALL"])
      #expect(try await judge.frameHashes().count == 50)
      for options in [["-o", "-"], ["-o", "o", "--type", "mp4"], ["-o", "o", "--video", "codec=h264"]] {
        let output = try await MediaKitCommand.run(
          ["export", source.path, "--preset", "HLS"] + options, in: folder)
        #expect(output.status == 2, "\(options)")
      }
      let listed = try await MediaKitCommand.check(["presets", source.path]).text
      #expect(listed.split(separator: "\n").contains { $0.hasPrefix("HLSLadder ") && $0.contains("encode h264 96x64") })
    }
  }
}

extension FFmpegJudge {
  /// Luma down a column of the first picture.
  fileprivate func lumaColumn(_ x: Int, rows: Int) async throws -> [Int] {
    try await MediaKitCommand.withFolder { folder in
      let raw = folder.appendingPathComponent("o.yuv")
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-i", file.path, "-frames:v", "1", "-pix_fmt", "yuv420p", "-f", "rawvideo",
          raw.path,
        ])
      let bytes = [UInt8](try Data(contentsOf: raw))
      return (0..<rows).map { Int(bytes[64 * $0 + x]) }
    }
  }
}
