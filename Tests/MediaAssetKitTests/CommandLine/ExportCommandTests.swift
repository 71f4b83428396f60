import Foundation
import MediaTestSupport
import Testing

@Suite struct ExportCommandTests {
  private func base() async throws -> URL { try await AcceptanceCase.file("E1", "base.mp4") }

  @Test func trims() async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["export", file.path, "-o", "o.mp4", "--preset", "highestquality", "--from=1.52", "--to=3.52"], in: folder)
      #expect(output.text.isEmpty)
      #expect(output.errorText.isEmpty)
      #expect(try MediaKitCommand.names(in: folder) == ["o.mp4"])
      let frames = try await FFmpegJudge(folder.appendingPathComponent("o.mp4")).luma()
      #expect(frames.map { Int((($0.luma - 16) / 2).rounded()) } == Array(38..<88))
    }
  }

  /// Encoders keep their own reports to themselves; x265 too, except where the system has no /sys: it complains of that
  /// past its own log level.
  @Test(arguments: ["AV1", "WebM"]) func encodersAreQuiet(preset: String) async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["export", file.path, "-o", "o.mkv", "--preset", preset, "--to=0.5"], in: folder)
      #expect(output.errorText.isEmpty && output.text.isEmpty)
    }
  }

  @Test func plans() async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["export", file.path, "-o", "o.webm", "--plan", "--json"], in: folder)
      let plan = try JSONValue(parsing: Data(output.text.utf8))
      let track = plan["tracks"]?.elements.first
      #expect(track?["action"]?.text == "encode")
      #expect(track?["codec"]?.text == "vp9")
      #expect(track?["reason"]?.text?.isEmpty == false)
      #expect(plan["fileType"]?.text == "org.webmproject.webm")
      let text = try await MediaKitCommand.check(["export", file.path, "-o", "o.mkv", "--plan"], in: folder).text
      #expect(text.contains("track 1 vide h264: copy"))
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  /// What is dropped or not exact is told, on standard error.
  @Test func warnings() async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["export", file.path, "-o", "o.mkv", "--from=1.52", "--to=3.52"], in: folder)
      #expect(output.errorText.contains("warning: the file begins at 00:00:01.000"))
      let tracks = try await AcceptanceCase.file("T5", "t5.mp4")
      let passed = try await MediaKitCommand.check(
        ["export", tracks.path, "-o", "o.wav", "--preset", "WAV"], in: folder)
      #expect(passed.errorText.isEmpty)
      let dropped = try await MediaKitCommand.run(
        ["export", tracks.path, "-o", "o.webm", "--preset", "Passthrough"], in: folder)
      #expect(dropped.status == 1)
      #expect(dropped.errorText.contains("does not hold h264"))
    }
  }

  @Test func settings() async throws {
    let file = try await AcceptanceCase.file("T13", "t13.mp4")
    try await MediaKitCommand.withFolder { folder in
      _ = try await MediaKitCommand.check(
        [
          "export", file.path, "-o", "o.mp4", "--video",
          "codec=h264,crf=30,encoder-preset=ultrafast,profile=baseline,gop=10,b-frames=0,size=32x24,fps=12.5",
          "--audio", "codec=aac,bit-rate=64k,rate=44100,channels=1", "--metadata", "title=A = B",
        ], in: folder)
      let judge = FFmpegJudge(folder.appendingPathComponent("o.mp4"))
      let streams = try await judge.probe()
      let (video, audio) = (streams["streams"]?.elements[0], streams["streams"]?.elements[1])
      #expect(video?["width"]?.integer == 32)
      #expect(video?["profile"]?.text == "Constrained Baseline")
      #expect(video?["avg_frame_rate"]?.text == "25/2")
      #expect(audio?["sample_rate"]?.text == "44100")
      #expect(audio?["channels"]?.integer == 1)
      #expect(streams["format"]?["tags"]?["title"]?.text == "A = B")
      let keys = try await judge.packets().enumerated().filter(\.element.isKey).map(\.offset)
      #expect(keys == [0, 10, 20])
      _ = try await MediaKitCommand.check(
        ["export", file.path, "-o", "v.mp4", "--audio", "none", "--video", "copy"], in: folder)
      let copied = try await FFmpegJudge(folder.appendingPathComponent("v.mp4")).probe()["streams"]?.elements
      #expect(copied?.count == 1)
    }
  }

  /// To standard output: fragmented, so that it can be read as it comes.
  @Test func standardOutput() async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        "\"$MEDIAKIT\" export '\(file.path)' -o - --type mp4 > o.mp4", in: folder)
      #expect(output.status == 0)
      #expect(output.errorText.isEmpty)
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("o.mp4")))
      #expect(bytes.firstRange(of: Array("moof".utf8)) != nil)
      #expect(try await FFmpegJudge(folder.appendingPathComponent("o.mp4")).frameHashes().count == 100)
      // And from standard input.
      let piped = try await MediaKitCommand.script(
        "cat '\(file.path)' | \"$MEDIAKIT\" export - -o p.mkv", in: folder)
      #expect(piped.status == 0)
      #expect(try await FFmpegJudge(folder.appendingPathComponent("p.mkv")).frameHashes().count == 100)
    }
  }

  @Test(arguments: [
    (["-o", "o.mp4", "--preset", "Nonesuch"], 2), (["-o", "o.xyz"], 2), ([], 2), (["-o", "-"], 2),
    (["-o", "o.mp4", "--video", "codec"], 2), (["-o", "o.mp4", "--video", "colour=red"], 2),
    (["-o", "o.mp4", "--video", "crf=900"], 2), (["-o", "o.mp4", "--audio", "channels=0"], 2),
    (["-o", "o.mp4", "--limit", "some"], 2), (["-o", "o.mp4", "--metadata", "title"], 2),
    (["-o", "o.mp4", "--from=2", "--to=1"], 2), (["-o", "o.mp4", "--from=nan"], 2),
    (["-o", "o.mp4", "--from=9"], 1), (["-o", "o.mp4", "--video", "codec=nonesuch"], 1), (["-o", "no/o.mp4"], 1),
  ])
  func refusals(_ options: [String], _ status: Int) async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.run(["export", file.path] + options, in: folder)
      #expect(Int(output.status) == status)
      #expect(!output.errorText.isEmpty)
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  @Test func existingFiles() async throws {
    let file = try await base()
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try Data("old".utf8).write(to: target)
      #expect(try await MediaKitCommand.run(["export", file.path, "-o", "o.mp4"], in: folder).status == 1)
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(
        try await MediaKitCommand.run(["export", file.path, "-o", "o.mp4", "--overwrite"], in: folder).status == 0)
      #expect(try await FFmpegJudge(target).frameHashes().count == 100)
    }
  }

  /// SIGINT ends it with 130, and leaves nothing.
  @Test func interrupted() async throws {
    let file = try await madeLongClip()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        """
        "$MEDIAKIT" export '\(file.path)' -o o.webm --preset WebM & child=$!
        sleep 0.7; kill -INT $child; wait $child; echo "status $?"
        """, in: folder)
      #expect(output.text.contains("status 130"))
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  @Test func progressLines() async throws {
    let file = try await madeLongClip()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["export", file.path, "-o", "o.webm", "--preset", "WebM", "--to=3", "--progress", "json"], in: folder)
      let lines = output.errorText.split(separator: "\n").compactMap { try? JSONValue(parsing: Data($0.utf8)) }
      let fractions = lines.compactMap { $0["fraction"]?.double }
      #expect(fractions.count == output.errorText.split(separator: "\n").count)
      #expect(fractions == fractions.sorted())
      #expect(fractions.allSatisfy { (0...1).contains($0) })
      if let last = fractions.last { #expect(last == 1) }
    }
  }

  private func madeLongClip() async throws -> URL {
    try await madeClip(
      "export-command.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=12", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt",
        "yuv420p",
      ])
  }

  @Test func presetLists() async throws {
    let all = try await MediaKitCommand.check(["presets"]).text
    for name in ["1280x720", "Passthrough", "WebM", "AppleM4A", "GIF"] {
      #expect(all.split(separator: "\n").contains { $0.hasPrefix(name + " ") })
    }
    let sound = try await AcceptanceCase.file("E3", "e3.m4a")
    let output = try await MediaKitCommand.check(["presets", sound.path, "--json"])
    let presets = try JSONValue(parsing: Data(output.text.utf8)).elements
    let gif = presets.first { $0["name"]?.text == "GIF" }
    #expect(gif?["reason"]?.text?.isEmpty == false)
    #expect(presets.contains { $0["name"]?.text == "MP3" && $0["reason"]?.text == nil })
    #expect(try await MediaKitCommand.run(["presets", "/nonexistent.mp4"]).status == 1)
  }
}
