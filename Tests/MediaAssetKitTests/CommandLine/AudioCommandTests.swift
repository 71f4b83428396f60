import Foundation
import MediaTestSupport
import Testing

@Suite struct AudioCommandTests {
  private func tone() async throws -> URL { try await AcceptanceCase.file("E3", "e3.m4a") }

  private func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    (0..<count).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
  }

  @Test(arguments: [("s16", 2, 1), ("s24", 3, 1), ("f32", 4, 3)])
  func formats(_ name: String, _ width: Int, _ code: Int) async throws {
    let file = try await tone()
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        [
          "audio", file.path, "--format", name, "--from=0.7", "--to=2.2", "--channels=2", "-o",
          "a.wav",
        ], in: folder)
      #expect(output.text.isEmpty)
      #expect(try MediaKitCommand.names(in: folder) == ["a.wav"])
      let url = folder.appendingPathComponent("a.wav")
      let bytes = [UInt8](try Data(contentsOf: url))
      #expect(bytes.count == 44 + 72_000 * 2 * width)
      #expect(number(bytes, 4, 4) == bytes.count - 8)
      #expect(number(bytes, 20, 2) == code)
      #expect(number(bytes, 22, 2) == 2)
      #expect(number(bytes, 24, 4) == 48_000)
      #expect(number(bytes, 34, 2) == 8 * width)
      #expect(number(bytes, 40, 4) == bytes.count - 44)
      let samples = try await FFmpegJudge(url).samples16()
      let onset = stride(from: 0, to: samples.count, by: 2).first { abs(Int(samples[$0])) > 5000 }
      #expect(abs((onset ?? 0) / 2 - 14_400) <= 64)
    }
  }

  /// More channels than two carry their layout; the samples are those that FFmpeg decodes.
  @Test func surround() async throws {
    let file = try await AcceptanceCase.file("A3", "a3.wav")
    try await MediaKitCommand.withFolder { folder in
      _ = try await MediaKitCommand.check(["audio", file.path, "-o", "a.wav"], in: folder)
      let url = folder.appendingPathComponent("a.wav")
      let report = try await FFmpegJudge(url).probe()
      #expect(report["streams"]?.elements.first?["channel_layout"]?.text == "5.1")
      let (own, truth) = (
        try await FFmpegJudge(url).samples16(), try await FFmpegJudge(file).samples16()
      )
      #expect(own == truth)
      _ = try await MediaKitCommand.check(
        ["audio", file.path, "--channels=stereo", "--rate=16000", "-o", "b.wav"], in: folder)
      let mixed = try await FFmpegJudge(folder.appendingPathComponent("b.wav")).samples16()
      #expect(mixed.count == 32_000)
      #expect(abs(Double(mixed.max() ?? 0) / 32_768 - 0.1464) < 0.002)
    }
  }

  /// A change in mid-stream: what it begins with holds.
  @Test func changeInMidstream() async throws {
    let file = try await AcceptanceCase.file("A5", "a5.ts")
    try await MediaKitCommand.withFolder { folder in
      _ = try await MediaKitCommand.check(
        ["audio", file.path, "--channels=2", "-o", "a.wav"], in: folder)
      let samples = try await FFmpegJudge(folder.appendingPathComponent("a.wav")).samples16()
      #expect(samples.count == 2 * 98_304)
      _ = try await MediaKitCommand.check(["audio", file.path, "-o", "b.wav"], in: folder)
      let six = try await FFmpegJudge(folder.appendingPathComponent("b.wav")).samples16()
      #expect(six.count == 6 * 98_304)
    }
  }

  @Test func standardOutput() async throws {
    let file = try await tone()
    let output = try await MediaKitCommand.check(["audio", file.path, "-o", "-"])
    #expect(output.standardOutput.count == 44 + 144_000 * 2)
    #expect(output.standardOutput.starts(with: Array("RIFF".utf8)))
    #expect(number(output.standardOutput, 4, 4) == 0xFFFF_FFFF)
    #expect(number(output.standardOutput, 40, 4) == 0xFFFF_FFFF)
  }

  @Test func refusals() async throws {
    let file = try await tone()
    let silent = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let old = folder.appendingPathComponent("a.wav")
      try Data("old".utf8).write(to: old)
      for arguments in [
        [file.path, "-o", "a.wav"], [file.path, "--mix", "-o", "b.wav"],
        [silent.url.path, "-o", "b.wav"], [file.path, "--track=9", "-o", "b.wav"],
        [file.path, "--channels=nonsense", "-o", "b.wav"], [file.path, "-o", "none/b.wav"],
        [file.path, "--from=100", "-o", "b.wav"],
      ] {
        let output = try await MediaKitCommand.run(["audio"] + arguments, in: folder)
        #expect(output.status == 1, "\(arguments)")
        #expect(output.errorText.split(separator: "\n").count == 1)
        #expect(try MediaKitCommand.names(in: folder) == ["a.wav"])
      }
      #expect(try Data(contentsOf: old) == Data("old".utf8))
      _ = try await MediaKitCommand.check(
        ["audio", file.path, "--overwrite", "-o", "a.wav"], in: folder)
      #expect(try Data(contentsOf: old).count == 44 + 288_000)
    }
  }
}
