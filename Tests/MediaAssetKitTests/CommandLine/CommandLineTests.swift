import Foundation
import MediaTestSupport
import Testing

/// How command lines are read and how the process ends.
@Suite struct CommandLineTests {
  @Test(arguments: [
    [], ["frobnicate"], ["help", "frobnicate"], ["info"], ["info", ""], ["info", "a", "b"],
    ["info", "--nonsense", "a"],
    ["info", "--json=1", "a"], ["info", "-x.mp4"], ["info", "--timeout", "a"],
    ["info", "--timeout=0", "a"], ["info", "--timeout", "-1", "a"],
    ["info", "--header", "nocolon", "a"],
    ["info", "--allow-references", "some", "a"], ["info", "--max-pixels=0", "a"],
    ["info", "--max-pixels=99999999999999999999", "a"],
    ["image", "a", "-o", "x.png"], ["image", "a", "--at", "1"],
    ["image", "a", "--at", "1", "-o", "x.bmp"],
    ["image", "a", "--at", "-1", "-o", "x.png"], ["image", "a", "--at=nan", "-o", "x.png"],
    ["image", "a", "--at=inf", "-o", "x.png"], ["image", "a", "--at=1e3", "-o", "x.png"],
    ["image", "a", "--at=1/0", "-o", "x.png"], ["image", "a", "--at=", "-o", "x.png"],
    ["image", "a", "--at=1:60:00", "-o", "x.png"], ["image", "a", "--at=0x10", "-o", "x.png"],
    ["image", "a", "--at=+1", "-o", "x.png"], ["image", "a", "--at=1/4294967296", "-o", "x.png"],
    ["image", "a", "--at=99999999999999999999", "-o", "x.png"],
    ["image", "a", "--at=9223372036854775807.9", "-o", "x.png"],
    ["image", "a", "--at=1", "--exact", "--tolerance=1", "-o", "x.png"],
    ["image", "a", "--at=1", "--tolerance=-1", "-o", "x.png"],
    ["image", "a", "--at=1", "--artwork", "-o", "x.png"], ["image", "a", "--at=1", "-o", "-"],
    ["image", "a", "--at=1", "--max=12", "-o", "x.png"],
    ["image", "a", "--at=1", "--max=x", "-o", "x.png"],
    ["image", "a", "--at=1", "--max=-1x2", "-o", "x.png"],
    ["image", "a", "--at=1", "--aperture=full", "-o", "x.png"],
    ["image", "a", "--at=1", "--quality=2", "-o", "x.jpg"],
    ["images", "a", "-o", "d"], ["images", "a", "--count=3"],
    ["images", "a", "--count=0", "-o", "d"],
    ["images", "a", "--count=3", "--every=1", "-o", "d"],
    ["images", "a", "--times=1,,2", "-o", "d"],
    ["images", "a", "--every=0", "-o", "d"],
    ["images", "a", "--count=3", "-o", "d", "--sheet=s.png"],
    ["images", "a", "--count=3", "--sheet=s.txt"],
    ["images", "a", "--count=3", "--sheet=s.png", "--type=jpg"],
    ["images", "a", "--count=3", "--sheet=s.png", "--as-stored"],
    ["images", "a", "--count=3", "--storyboard=d", "--hdr"],
    ["images", "a", "--count=3", "-o", "d", "--columns=2"],
    ["frames", "a", "--from=2", "--to=1"], ["frames", "a", "--track=x"], ["list"],
    ["list", "a", "--progress=bar"],
    ["audio", "a"], ["audio", "a", "-o", "x.mp3"], ["audio", "a", "-o", "x.wav", "--format=s8"],
    ["audio", "a", "-o", "x.wav", "--rate=0"], ["audio", "a", "-o", "x.wav", "--channels="],
    ["audio", "a", "-o", "x.wav", "--channels=0"],
    ["audio", "a", "-o", "x.wav", "--from=2", "--to=1"],
    ["audio", "a", "-o", "x.wav", "--track=1", "--mix"],
    ["waveform", "a"], ["waveform", "a", "-o", "x.gif"], ["waveform", "a", "-o", "-"],
    ["waveform", "a", "-o", "x.json", "--bits=12"],
    ["waveform", "a", "-o", "x.json", "--samples-per-pixel=0"],
    ["waveform", "a", "-o", "x.json", "--samples-per-pixel=9", "--width=9"],
    ["waveform", "a", "-o", "x.json", "--type=dat"],
  ])
  func wrongUsage(_ arguments: [String]) async throws {
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.run(arguments, in: folder)
      #expect(output.status == 2)
      #expect(output.standardOutput.isEmpty)
      let lines = output.errorText.split(separator: "\n")
      #expect(lines.first?.hasPrefix("mediakit: ") == true)
      #expect(lines.dropFirst().first?.hasPrefix("usage: mediakit ") == true)
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  @Test func helpAndVersion() async throws {
    let version = try await MediaKitCommand.check(["--version"])
    #expect(version.text.hasPrefix("mediakit 0."))
    #expect(version.lines.count == 1)
    for arguments in [["--help"], ["-h"], ["help"], ["help", "image"], ["image", "--help"]] {
      let help = try await MediaKitCommand.check(arguments)
      #expect(help.text.hasPrefix("usage: mediakit "))
      #expect(help.standardError.isEmpty)
    }
    let verbs = try await MediaKitCommand.check(["--help"]).text
    for verb in ["info", "image", "images", "frames", "list"] {
      #expect(verbs.contains("  \(verb) "))
    }
  }

  @Test(arguments: [
    ["info", "none.mp4"], ["image", "none.mp4", "--at=1", "-o", "x.png"],
    ["images", "none.mp4", "--count=2", "-o", "d"],
    ["images", "none.mp4", "--times=1", "--sheet=s.png"],
    ["frames", "none.mp4"], ["list", "none"], ["info", "."], ["info", "ftp://host/x.mp4"],
    ["info", "http://127.0.0.1:9/x.mp4"], ["info", "empty.mp4"], ["list", "empty.mp4"],
    ["info", "a\nb\u{1B}[2J"],
  ])
  func failureSaysOneLine(_ arguments: [String]) async throws {
    try await MediaKitCommand.withFolder { folder in
      try Data().write(to: folder.appendingPathComponent("empty.mp4"))
      let output = try await MediaKitCommand.run(arguments, in: folder)
      #expect(output.status == 1)
      #expect(output.standardOutput.isEmpty)
      #expect(output.errorText.hasPrefix("mediakit: "))
      #expect(output.errorText.filter(\.isNewline).count == 1)
      #expect(!output.errorText.contains("\u{1B}"))
      #expect(try MediaKitCommand.names(in: folder) == ["empty.mp4"])
    }
  }

  /// A name is a path whatever it looks like, and a URL only with `scheme://`.
  @Test func names() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("~"), withIntermediateDirectories: true)
      let names = [
        "-x.mp4", "http:x.mp4", "pipe:0", "concat:a|b", "a:b.mp4", "%20.mp4", "a b#c?d.mp4",
        "~/y.mp4",
        "\u{E9}.mp4", "file:z.mp4", "0001%03d.mp4",
      ]
      for name in names {
        try FileManager.default.copyItem(
          at: clip.url, to: folder.appendingPathComponent(name, isDirectory: false))
        let output = try await MediaKitCommand.run(["info", "--json", "--", name], in: folder)
        #expect(output.status == 0, "\(name): \(output.errorText)")
        let json = try JSONValue(parsing: Data(output.standardOutput))
        #expect(json["url"]?.text == name)
        #expect(json["duration"]?["value"]?.text == "4/1")
      }
      let path = folder.appendingPathComponent("a b#c?d.mp4")
      let output = try await MediaKitCommand.run(["info", path.absoluteString], in: folder)
      #expect(output.status == 0)
      // The same name as text, and as percent-encoded bytes.
      #expect(path.absoluteString.hasPrefix("file:///") && path.absoluteString.contains("%20"))
    }
  }

  /// A name that is no UTF-8 can be opened, too.
  @Test func nameOfBytes() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        "cp '\(clip.url.path)' $'b\\xff.mp4' && \"$MEDIAKIT\" info $'b\\xff.mp4'", in: folder)
      #expect(output.status == 0, "\(output.errorText)")
      #expect(output.text.contains("00:00:04.000"))
    }
  }

  @Test func standardInput() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let file = try await MediaKitCommand.run(["info", "-", "--json"], standardInput: clip.url)
    #expect(file.status == 0, "\(file.errorText)")
    let pipe = try await MediaKitCommand.script(
      "cat '\(clip.url.path)' | \"$MEDIAKIT\" info - --json",
      in: clip.url.deletingLastPathComponent())
    #expect(pipe.status == 0, "\(pipe.errorText)")
    #expect(file.text == pipe.text)
    #expect(file.text.contains("\"url\": \"-\""))
  }

  /// The signal ends the wait for a pipe that stays silent, and nothing is left behind. It is sent when the process has
  /// come to block signals, however slowly it starts; the first thread ends early, so any thread tells.
  @Test(arguments: ["INT", "TERM"])
  func signals(_ name: String) async throws {
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.script(
        """
        mkfifo silent && exec 3<>silent
        "$MEDIAKIT" image - --at 0 -o out.png <&3 2>err & pid=$!
        until grep -Eqs 'SigBlk:[[:space:]]*0*[1-9a-f]' /proc/$pid/task/*/status || ! kill -0 $pid; do sleep 0.05; done
        sleep 0.3; kill -\(name) $pid; wait $pid; echo $?; cat err; rm -f err silent
        """, in: folder)
      #expect(output.lines == ["130", "mediakit: cancelled"])
      #expect(try MediaKitCommand.names(in: folder).isEmpty)
    }
  }

  @Test func brokenOutputs() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    for redirection in [">/dev/full", ">&-", "| true"] {
      let output = try await MediaKitCommand.script(
        "set -o pipefail; for i in 1 2 3 4 5 6 7 8; do a=\"$a '\(clip.url.path)'\"; done;"
          + " \"$MEDIAKIT\" frames '\(clip.url.path)' \(redirection)",
        in: clip.url.deletingLastPathComponent())
      // A pipe may take it all before its reader is gone.
      #expect(output.status == 1 || redirection == "| true" && output.status == 0, "\(redirection)")
      if output.status == 1 {
        #expect(output.errorText.hasPrefix("mediakit: write standard output: "))
      }
    }
  }

  @Test func network() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let server = try SlowServer(clip.url)
    defer { server.stop() }
    let refused = try await MediaKitCommand.run(["info", server.url()])
    #expect(refused.status == 1)
    let allowed = try await MediaKitCommand.run([
      "info", "--allow-network", "--header", "X-Test: 1", "--timeout=20", server.url(),
    ])
    #expect(allowed.status == 0, "\(allowed.errorText)")
    #expect(allowed.text.contains("00:00:04.000"))
  }
}
