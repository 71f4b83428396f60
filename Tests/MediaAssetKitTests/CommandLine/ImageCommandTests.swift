import Foundation
import MediaTestSupport
import Testing

@Suite struct ImageCommandTests {
  /// Width and height in the IHDR chunk of a PNG file.
  private func size(ofPNG file: URL) throws -> [Int] {
    let bytes = [UInt8](try Data(contentsOf: file))
    try #require(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) && bytes.count > 24)
    return [16, 20].map { start in
      bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
    }
  }

  @Test(arguments: [
    ("1.5", "3/2", "37/25"), ("00:00:01.500", "3/2", "37/25"), ("3/2", "3/2", "37/25"),
    ("0", "0/1", "0/1"), ("3.99", "399/100", "99/25"), ("0:01", "1/1", "1/1"),
  ])
  func exact(_ time: String, _ requested: String, _ actual: String) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["image", clip.url.path, "--at", time, "--exact", "-o", "out.png"], in: folder)
      #expect(output.text == "\(requested) \(actual) 64x48\n")
      #expect(try MediaKitCommand.names(in: folder) == ["out.png"])
      #expect(try size(ofPNG: folder.appendingPathComponent("out.png")) == [64, 48])
    }
  }

  /// Without a tolerance there is no error for the time alone, with one there is.
  @Test(arguments: ["-1", "4", "1000000"])
  func outside(_ time: String) async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let any = try await MediaKitCommand.run(
        ["image", clip.url.path, "--at=\(time)", "-o", "a.png"], in: folder)
      #expect(any.status == 0, "\(any.errorText)")
      #expect(any.text.hasPrefix("\(time)/1 \(time == "-1" ? "0/1" : "99/25") "))
      let exact = try await MediaKitCommand.run(
        ["image", clip.url.path, "--at=\(time)", "--exact", "-o", "b.png"], in: folder)
      #expect(exact.status == 1)
      #expect(try MediaKitCommand.names(in: folder) == ["a.png"])
    }
  }

  @Test func existingFilesAndOverwriting() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let file = folder.appendingPathComponent("a.png")
      try Data("old".utf8).write(to: file)
      let arguments = ["image", clip.url.path, "--at=1", "-o", "a.png"]
      #expect(try await MediaKitCommand.run(arguments, in: folder).status == 1)
      #expect(try Data(contentsOf: file) == Data("old".utf8))
      #expect(try await MediaKitCommand.run(arguments + ["--overwrite"], in: folder).status == 0)
      #expect(try size(ofPNG: file) == [64, 48])
      #expect(try MediaKitCommand.names(in: folder) == ["a.png"])
    }
  }

  @Test func standardOutputAndSize() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let output = try await MediaKitCommand.check([
      "image", clip.url.path, "--at=1", "--max=32x0", "-o", "-", "--type=jpg",
    ])
    #expect(output.standardOutput.starts(with: [0xFF, 0xD8, 0xFF]))
    #expect(output.errorText == "1/1 1/1 32x24\n")
  }

  /// Four pictures of 4:3 in two columns; each fits into 20x20 as 20x15, with 8 pixels around and between.
  @Test func sheetOfSmallPictures() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let arguments = [
        "images", clip.url.path, "--count=4", "--sheet=s.png", "--max=20x20", "--columns=2",
      ]
      _ = try await MediaKitCommand.check(arguments, in: folder)
      let sheet = folder.appendingPathComponent("s.png")
      #expect(try size(ofPNG: sheet) == [2 * 20 + 3 * 8, 2 * 15 + 3 * 8])
    }
  }

  /// The cover of 32x32 in a box of 8x8.
  @Test func artworkInABox() async throws {
    let song = try await AcceptanceCase.file("S1", "s1.mp3")
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        ["image", song.path, "--artwork", "--max=8x8", "-o", "a.png"], in: folder)
      #expect(output.text == "- - 8x8\n")
      #expect(try size(ofPNG: folder.appendingPathComponent("a.png")) == [8, 8])
    }
  }

  /// One line for people, not the description of an error from below.
  @Test func folderThatCannotBeMade() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      try Data().write(to: folder.appendingPathComponent("file"))
      for option in ["-o", "--storyboard"] {
        let output = try await MediaKitCommand.run(
          ["images", clip.url.path, "--count=2", option, "file/sub"], in: folder)
        #expect(output.status == 1)
        #expect(output.errorText.hasSuffix("can't be made: Not a directory. Name another folder\n"))
      }
      #expect(try MediaKitCommand.names(in: folder) == ["file"])
    }
  }

  @Test func manyFiles() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.run(
        [
          "images", clip.url.path, "--times", "2,0.5,9,-1/2,00:00:03.96", "--exact", "-o",
          "made/here",
        ],
        in: folder)
      #expect(output.status == 1)
      let lines = output.lines
      #expect(lines.count == 5)
      #expect(lines[0] == "2/1 2/1 made/here/0001.png")
      #expect(lines[1] == "1/2 12/25 made/here/0002.png")
      #expect(lines[2].hasPrefix("9/1 error: "))
      #expect(lines[3].hasPrefix("-1/2 error: "))
      #expect(lines[4] == "99/25 99/25 made/here/0005.png")
      let made = folder.appendingPathComponent("made/here")
      #expect(try MediaKitCommand.names(in: made) == ["0001.png", "0002.png", "0005.png"])
    }
  }

  @Test func spacing() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let every = try await MediaKitCommand.check(
        ["images", clip.url.path, "--every=1", "--exact", "-o", "e", "--type=webp"], in: folder)
      #expect(every.lines == (0..<4).map { "\($0)/1 \($0)/1 e/000\($0 + 1).webp" })
      let count = try await MediaKitCommand.check(
        ["images", clip.url.path, "--count=2", "--exact", "-o", "c"], in: folder)
      #expect(count.lines == ["1/1 1/1 c/0001.png", "3/1 3/1 c/0002.png"])
      // Pictures 0.2 s apart in groups of 1 s: each has its own.
      let near = try await MediaKitCommand.check(
        ["images", clip.url.path, "--count=20", "-o", "n"], in: folder)
      #expect(Set(near.lines.map { $0.split(separator: " ")[1] }).count == 20)
    }
  }

  @Test func sheet() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        [
          "images", clip.url.path, "--count=4", "--exact", "--columns=2", "--width=152",
          "--sheet=s.png",
        ],
        in: folder)
      #expect(
        output.lines == ["1/2 12/25", "3/2 37/25", "5/2 62/25", "7/2 87/25"].map { $0 + " s.png" })
      // Two columns of 64x48 with 8 pixels around and between.
      #expect(try size(ofPNG: folder.appendingPathComponent("s.png")) == [152, 120])
    }
  }

  @Test func storyboard() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      let output = try await MediaKitCommand.check(
        [
          "images", clip.url.path, "--every=1", "--exact", "--width=32", "--columns=3",
          "--storyboard=sb",
        ],
        in: folder)
      #expect(output.lines == (0..<4).map { "\($0)/1 \($0)/1 sb/sprite-0001.jpg" })
      let made = folder.appendingPathComponent("sb")
      #expect(try MediaKitCommand.names(in: made) == ["sprite-0001.jpg", "storyboard.vtt"])
      let index = try String(
        contentsOf: made.appendingPathComponent("storyboard.vtt"), encoding: .utf8)
      #expect(
        index == """
          WEBVTT

          00:00:00.000 --> 00:00:01.000
          sprite-0001.jpg#xywh=0,0,32,24

          00:00:01.000 --> 00:00:02.000
          sprite-0001.jpg#xywh=32,0,32,24

          00:00:02.000 --> 00:00:03.000
          sprite-0001.jpg#xywh=64,0,32,24

          00:00:03.000 --> 00:00:04.000
          sprite-0001.jpg#xywh=0,24,32,24

          """)
    }
  }

  /// A storyboard that can't be finished leaves nothing behind.
  @Test func storyboardThatFails() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    try await MediaKitCommand.withFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("sb"), withIntermediateDirectories: true)
      let index = folder.appendingPathComponent("sb/storyboard.vtt")
      try Data("old".utf8).write(to: index)
      let output = try await MediaKitCommand.run(
        ["images", clip.url.path, "--every=1", "--storyboard=sb"], in: folder)
      #expect(output.status == 1)
      #expect(
        try MediaKitCommand.names(in: folder.appendingPathComponent("sb")) == ["storyboard.vtt"])
      #expect(try Data(contentsOf: index) == Data("old".utf8))
    }
  }

  /// The pixels and times of every frame are those that ffmpeg decodes.
  @Test(arguments: [GeneratedClip.Kind.h264ClosedGroups, .vp9, .mpeg2Transport, .proRes, .mjpegAVI])
  func frames(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let output = try await MediaKitCommand.check(["frames", clip.url.path])
    let columns = output.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(columns.allSatisfy { $0.count == 3 })
    #expect(columns.map { $0[0] } == clip.frames.map { "\($0.time)" })
    let judged = try await FFmpegJudge(clip.url).frameHashes()
    #expect(columns.map { $0[2] } == judged.map(\.hash))
  }

  @Test func framesInARange() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let output = try await MediaKitCommand.check([
      "frames", clip.url.path, "--from=1.02", "--to=1.1",
    ])
    let times = output.lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    // Frame 25 is on show from 1.00 to 1.04, frame 27 from 1.08 on.
    #expect(times == ["51/50 1/50", "26/25 1/25", "27/25 1/50"])
  }
}
