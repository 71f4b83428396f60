import Foundation
import MediaTestSupport
import Testing

/// `concat`, `compose` and what they refuse or warn of.
@Suite struct CompositionCommandTests {
  private func compose(_ timeline: String, to name: String, in folder: URL) async throws -> MediaTool.Output {
    try Data(timeline.utf8).write(to: folder.appendingPathComponent("t.json"))
    return try await MediaKitCommand.run(["compose", "t.json", "-o", name], in: folder)
  }

  private func streams(_ url: URL, _ entries: String) async throws -> [String] {
    try await MediaTool("ffprobe").check([
      "-v", "error", "-show_entries", "stream=\(entries)", "-of", "csv=p=0", url.path,
    ]).lines
  }

  /// Nothing for eight hours and more is written right in a format whose samples last 2^31 ticks at most.
  @Test(arguments: ["o.mp4", "o.mov"]) func longGaps(name: String) async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let segments = "{\"file\": \"\(clip.path)\"}, {\"file\": \"\(clip.path)\", \"at\": 100000}"
      let output = try await compose(
        "{\"tracks\": [{\"media\": \"video\", \"segments\": [\(segments)]}]}", to: name, in: folder)
      #expect(output.errorText.isEmpty && output.status == 0)
      let times = try await MediaTool("ffprobe").check([
        "-v", "error", "-show_entries", "packet=pts_time", "-of", "csv=p=0", folder.appendingPathComponent(name).path,
      ]).lines.compactMap { Double($0.prefix { $0 != "," }) }.sorted()
      #expect(times.last == 100_000.96 && times.filter { $0 >= 100_000 }.count == 25)
      #expect(times.filter { $0 < 0.99 }.count == 25)
    }
  }

  @Test func filtersSayWhatIsWrong() async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let output = try await compose(
        "{\"tracks\": [{\"media\": \"video\", \"segments\": [{\"file\": \"\(clip.path)\"}], \"filter\": \"gblur=sigma=1e9\"}]}",
        to: "o.mp4", in: folder)
      #expect(output.status == 1 && output.errorText.contains("gblur=sigma=1e9"))
      #expect(output.errorText.contains("'sigma' out of range [0 - 1024]"))
      #expect(try MediaKitCommand.names(in: folder) == ["t.json"])
    }
  }

  /// Pango writes to standard error when it is given fonts that can't be; it never gets them.
  @Test(arguments: [
    "<span font=\\\"Sans 1000000\\\">x</span>", "<span size=\\\"1000000000\\\">x</span>",
    String(repeating: "<big>", count: 40) + "x" + String(repeating: "</big>", count: 40),
    "<b>x", "a & b", "<span foreground=\\\"zz\\\">x</span>",
  ])
  func markup(text: String) async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let output = try await compose(
        "{\"tracks\": [{\"media\": \"video\", \"segments\": [{\"file\": \"\(clip.path)\"}]}], \"overlays\": [{\"text\": {\"string\": \"\(text)\", \"markup\": true}}]}",
        to: "o.mp4", in: folder)
      #expect(output.status == 1)
      #expect(output.errorText.split(separator: "\n").count == 1 && output.errorText.contains("markup"))
    }
  }

  /// A film without its pictures is not what copying them was meant to give.
  @Test(arguments: [["--preset", "Passthrough"], ["--video", "copy"]]) func clipsThatCannotBeCopied(
    options: [String]
  ) async throws {
    let (one, other) = (
      try await greyClip(3), try await greyClip(4, name: "grey.mp4", video: ["-c:v", "mpeg4"])
    )
    try await MediaKitCommand.withFolder { folder in
      let files = [one.path, other.path]
      let refused = try await MediaKitCommand.run(["concat"] + files + options + ["-o", "o.mp4"], in: folder)
      #expect(refused.status == 1 && refused.errorText.contains("the clips are coded differently"))
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
      // What no encoding would bring along is told, as ever.
      let sound = try await MediaKitCommand.run(["concat"] + files + options + ["-o", "o.m4a"], in: folder)
      #expect(sound.status == 0 || sound.errorText.contains("can't be copied"))
      let wanted = try await MediaKitCommand.run(
        ["concat"] + files + ["--preset", "Passthrough", "--video", "none", "-o", "s.mp4"], in: folder)
      #expect(wanted.status == 0)
      #expect(try await streams(folder.appendingPathComponent("s.mp4"), "codec_type") == ["audio"])
    }
  }

  /// A file that ends before its header says is joined and copied as far as it goes, and that is told.
  @Test(arguments: ["long.mp4", "long.mkv", "long.mp3", "long.wav"]) func truncatedFiles(name: String) async throws {
    let pictures = ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=10", "-c:v", "libx264", "-pix_fmt", "yuv420p"]
    let hasPictures = !["long.mp3", "long.wav"].contains(name)
    let clip = try await madeClip(
      name,
      ["-f", "lavfi", "-i", "sine=440:d=10"] + (hasPictures ? Array(pictures.prefix(4)) : [])
        + (hasPictures ? Array(pictures.dropFirst(4)) + ["-c:a", "aac"] : [])
        + (name == "long.mp4" ? ["-movflags", "+faststart"] : []))
    try await MediaKitCommand.withFolder { folder in
      let bytes = try Data(contentsOf: clip)
      let cut = folder.appendingPathComponent("cut-" + name)
      try bytes.prefix(bytes.count * 2 / 3).write(to: cut)
      let missing = bytes.count - bytes.count * 2 / 3
      for words in [["concat", cut.path, clip.path], ["export", cut.path]] {
        let output = try await MediaKitCommand.run(words + ["-o", "o-\(words[0]).mkv"], in: folder)
        #expect(output.status == 0)
        #expect(output.errorText.contains("is cut off: the last \(missing) bytes"), "\(output.errorText)")
      }
      let whole = try await MediaKitCommand.run(["concat", clip.path, clip.path, "-o", "w.mkv"], in: folder)
      #expect(whole.errorText.isEmpty)
    }
  }

  /// Encoders' own words never reach standard error.
  @Test(arguments: [
    ("profile=foo", "libx264 has no profile “foo”"), ("encoder-preset=foo", "libx264 has no preset “foo”"),
    ("profile=high,pixel-format=yuv420p10le", "high10 does"), ("profile=main,crf=0", "high444 does"),
  ])
  func encoderSettings(settings: String, words: String) async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.run(
        ["export", clip.path, "-o", "o.mp4", "--video", "codec=h264," + settings], in: folder)
      #expect(output.status == 1 && output.errorText.split(separator: "\n").count == 1)
      #expect(output.errorText.contains(words), "\(output.errorText)")
      let fine = try await MediaKitCommand.run(
        ["export", clip.path, "-o", "f.mp4", "--video", "codec=h264,profile=high,encoder-preset=veryfast"], in: folder)
      #expect(fine.status == 0 && fine.errorText.isEmpty)
    }
  }

  /// What is no file keeps its name, however much replacing was asked for.
  @Test(arguments: ["pipe", "folder", "link"]) func onlyFilesAreReplaced(kind: String) async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let other = folder.appendingPathComponent("other")
      switch kind {
      case "pipe": #expect(mkfifo(target.path, 0o600) == 0)
      case "link":
        #expect(mkfifo(other.path, 0o600) == 0 && symlink(other.path, target.path) == 0)
      default: #expect(mkdir(target.path, 0o700) == 0)
      }
      let before = try MediaKitCommand.names(in: folder)
      for words in [
        ["export", clip.path], ["concat", clip.path, clip.path], ["metadata", clip.path, "--set", "title=x"],
      ] {
        let output = try await MediaKitCommand.run(words + ["-o", target.path, "--overwrite"])
        #expect(output.status == 1 && output.errorText.contains("this is"), "\(output.errorText)")
      }
      var status = stat()
      #expect(stat(target.path, &status) == 0 && status.st_mode & S_IFMT == (kind == "folder" ? S_IFDIR : S_IFIFO))
      #expect(try MediaKitCommand.names(in: folder) == before)
    }
  }

  /// Chapters are read as timelines are: by fields that are there, with decimals as they are written.
  @Test(arguments: [
    (#"[{"start": 0, "duration": 1, "titel": "a"}]"#, "[0].titel: there is no such field"),
    (#"[{"start": 0, "duration": 1, "title": 5}]"#, "[0].title is of another kind"),
    (#"[{"duration": 1}]"#, "[0].start is missing"),
    (#"[{"start": "x", "duration": 1}]"#, #"[0].start: "x" is no time"#),
    (#"[{"start": 0.00001, "duration": 1e-2, "title": "a", "hasArtwork": false}]"#, ""),
  ])
  func chapterFiles(text: String, words: String) async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      try Data(text.utf8).write(to: folder.appendingPathComponent("c.json"))
      let output = try await MediaKitCommand.run(
        ["chapters", clip.path, "--from-file", "c.json", "-o", "o.mp4"], in: folder)
      #expect(
        output.status == (words.isEmpty ? 0 : 1) && (words.isEmpty || output.errorText.contains(words)),
        "\(output.errorText)")
    }
  }

  @Test func coversArePictures() async throws {
    let clip = try await greyClip(3)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.run(
        ["metadata", clip.path, "--set", "artwork=@\(clip.path)", "-o", "o.mp4"], in: folder)
      #expect(output.status == 1 && output.errorText.contains("it is no picture"))
    }
  }

  /// `timeout` signals a process and then its group, itself included: both are one wish, and nothing is left.
  @Test func signalsThatComeTwice() async throws {
    let clip = try await movieClip()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        """
        for pause in 0 0.005 0.02 0.05; do
          "$MEDIAKIT" concat \(String(repeating: "'\(clip.path)' ", count: 60)) -o o.mkv \
            --video codec=h264,encoder-preset=placebo,size=1280x720 2> words & it=$!
          until ls -A | grep -q part || ! kill -0 $it 2> gone; do sleep 0.02; done
          kill -TERM $it; sleep $pause; kill -TERM $it 2> gone; wait $it; echo $?
          cat words; ls -A | grep -e part -e o.mkv
        done
        """, in: folder)
      #expect(output.lines == Array(repeating: ["130", "mediakit: cancelled"], count: 4).flatMap(\.self))
    }
  }

  /// What ends early because of its size says so, and so does what is too large with a single sample.
  @Test func limits() async throws {
    let clip = try await movieClip()
    try await MediaKitCommand.withFolder { folder in
      let least = try await MediaKitCommand.run(["export", clip.path, "-o", "a.mp4", "--limit", "10"], in: folder)
      let size = try Data(contentsOf: folder.appendingPathComponent("a.mp4")).count
      #expect(least.errorText.contains("the file has \(size) bytes, more than the limit of 10"))
      let part = try await MediaKitCommand.run(["export", clip.path, "-o", "b.mp4", "--limit", "20000"], in: folder)
      #expect(part.status == 0 && part.errorText.contains("the limit of 20000 bytes ends the file at 00:00:0"))
      let whole = try await MediaKitCommand.run(["export", clip.path, "-o", "c.mp4", "--limit", "10M"], in: folder)
      #expect(whole.errorText.isEmpty)
    }
  }
}
