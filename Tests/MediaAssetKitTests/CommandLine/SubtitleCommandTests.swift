import Foundation
import MediaTestSupport
import Testing

@Suite struct SubtitleCommandTests {
  private static let text =
    "1\n00:00:00,500 --> 00:00:01,250\nOne <i>line</i>\n\n2\n00:00:02,000 --> 00:00:03,000\nTwo\n\n"

  @Test func files() async throws {
    try await MediaKitCommand.withFolder { folder in
      try Data(Self.text.utf8).write(to: folder.appendingPathComponent("in.srt"))
      for name in ["out.srt", "out.vtt", "out.ass", "OUT.SRT"] {
        let output = try await MediaKitCommand.check(["subtitles", "in.srt", "-o", name], in: folder)
        #expect(output.text.isEmpty)
      }
      func read(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name)), as: UTF8.self)
      }
      #expect(try read("out.srt") == Self.text && read("OUT.SRT") == Self.text)
      #expect(
        try read("out.vtt")
          == "WEBVTT\n\n00:00:00.500 --> 00:00:01.250\nOne <i>line</i>\n\n00:00:02.000 --> 00:00:03.000\nTwo\n\n")
      #expect(
        try read("out.ass").hasSuffix(
          "Dialogue: 0,0:00:00.50,0:00:01.25,Default,,0,0,0,,One {\\i1}line{\\i0}\n"
            + "Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,Two\n"))
      let printed = try await MediaKitCommand.check(
        ["subtitles", "in.srt", "--from=0.75", "--to=2.5", "-o", "-"], in: folder)
      #expect(
        printed.text
          == "1\n00:00:00,750 --> 00:00:01,250\nOne <i>line</i>\n\n2\n00:00:02,000 --> 00:00:02,500\nTwo\n\n")
      let other = try await MediaKitCommand.check(["subtitles", "in.srt", "--type=vtt", "-o", "-"], in: folder)
      #expect(other.text.hasPrefix("WEBVTT\n"))
    }
  }

  @Test func refusals() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      try Data(Self.text.utf8).write(to: folder.appendingPathComponent("in.srt"))
      try Data("old".utf8).write(to: folder.appendingPathComponent("old.srt"))
      for (arguments, status) in [
        (["in.srt", "-o", "old.srt"], Int32(1)), (["in.srt", "-o", "none/a.srt"], 1),
        (["in.srt", "--track=9", "-o", "a.srt"], 1),
        ([clip.url.path, "-o", "a.srt"], 1), (["in.srt", "--from=100", "-o", "a.srt"], 1), (["in.srt"], 2),
        (["in.srt", "-o", "a.txt"], 2), (["in.srt", "--type=doc", "-o", "-"], 2),
      ] {
        let output = try await MediaKitCommand.run(["subtitles"] + arguments, in: folder)
        #expect(output.status == status, "\(arguments)")
        #expect(try MediaKitCommand.names(in: folder) == ["in.srt", "old.srt"])
      }
      _ = try await MediaKitCommand.check(["subtitles", "in.srt", "--overwrite", "-o", "old.srt"], in: folder)
    }
  }

  /// The pixels of a clip in another format, as FFmpeg rearranges them.
  @Test func framesInAnotherFormat() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let output = try await MediaKitCommand.check(["frames", clip.url.path, "--format", "nv12"])
    let judged = try await MediaTool("ffmpeg").check(
      ["-v", "error", "-i", clip.url.path, "-pix_fmt", "nv12", "-fps_mode", "passthrough", "-f", "framemd5", "-"])
    let wanted = judged.lines.filter { !$0.hasPrefix("#") }.compactMap { $0.split(separator: ",").last }
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect(output.lines.map { String($0.split(separator: " ").last ?? "") } == wanted)
    #expect(try await MediaKitCommand.run(["frames", clip.url.path, "--format", "nonsense"]).status == 1)
    let small = try await MediaKitCommand.check(["frames", clip.url.path, "--format", "bgra", "--size", "16x16"])
    #expect(small.lines.count == 100)
  }
}
