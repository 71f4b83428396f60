import Foundation
import MediaTestSupport
import Testing

/// `mediakit hls`.
@Suite struct HLSCommandTests {
  @Test func package() async throws {
    let file = try await movieClip()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(["hls", file.path, "-o", "out", "--segment", "1"], in: folder)
      #expect(output.text.isEmpty && output.errorText.isEmpty)
      #expect(try MediaKitCommand.names(in: folder) == ["out"])
      let place = folder.appendingPathComponent("out")
      #expect(try MediaKitCommand.names(in: place).filter { $0.hasSuffix(".m4s") }.count == 6)
      let again = try await MediaKitCommand.run(["hls", file.path, "-o", "out"], in: folder)
      #expect(again.status == 1)
      #expect(again.errorText.split(separator: "\n").count == 1)
      _ = try await MediaKitCommand.check(["hls", file.path, "-o", "out", "--overwrite"], in: folder)
      #expect(try MediaKitCommand.names(in: place).filter { $0.hasSuffix(".m4s") }.count == 2)
    }
  }

  @Test func wrongUsage() async throws {
    for arguments in [["x.mp4"], ["x.mp4", "-o", "-"], ["x.mp4", "-o", "o", "--segment", "0"], ["-o", "o"]] {
      #expect(try await MediaKitCommand.run(["hls"] + arguments).status == 2, "\(arguments)")
    }
  }

  /// Interrupted: 130, and nothing is left.
  @Test func interrupted() async throws {
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        """
        ffmpeg -nostdin -v error -f lavfi -i testsrc2=s=1280x720:r=25:d=60 -c:v mpeg4 -q:v 20 in.mp4
        "$MEDIAKIT" hls in.mp4 -o out & pid=$!
        sleep 1; kill -INT $pid; wait $pid; echo $?
        """, in: folder)
      #expect(output.text == "130\n")
      #expect(try MediaKitCommand.names(in: folder) == ["in.mp4"])
    }
  }
}
