/// The version of the `ffmpeg` command, which decides how some options are spelled.
package struct FFmpegVersion: Sendable {
  /// The first line that it prints.
  package var text: String
  /// 5 of 5.1.9; builds from the development branch count as newest.
  package var major: Int
  package var minor: Int

  package static func current() async throws -> FFmpegVersion { try await known.value }

  private static let known = Task {
    let text = try await MediaTool("ffmpeg").check(["-version"]).lines.first ?? ""
    let words = text.split(separator: " ")
    let version = words.count > 2 ? words[2].drop { !$0.isNumber } : ""
    let numbers = version.split(whereSeparator: { !$0.isNumber }).prefix(2).map { Int($0) ?? 0 }
    let released = version.contains(".")
    return FFmpegVersion(
      text: text, major: released ? numbers.first ?? 99 : 99,
      minor: released && numbers.count > 1 ? numbers[1] : 0)
  }

  package func isAtLeast(_ major: Int, _ minor: Int) -> Bool {
    (self.major, self.minor) >= (major, minor)
  }

  /// Keeps every frame at its own time.
  var passthroughOptions: [String] {
    isAtLeast(5, 1) ? ["-fps_mode", "passthrough"] : ["-vsync", "passthrough"]
  }

  /// Writes the times in the units of the input, not in frames.
  var inputTimeBaseOptions: [String] {
    ["-enc_time_base", isAtLeast(6, 1) ? "demux" : "-1"]
  }
}
