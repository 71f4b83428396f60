import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Pictures in files of their own.
@Suite struct ImageSequenceTests {
  private static func seconds(_ index: Int) -> MediaTime { MediaTime(value: Int64(index), timescale: 25) }

  /// Every pixel of its own.
  private static func bytes(_ index: Int) -> [UInt8] { (0..<8 * 6 * 3).map { UInt8(($0 * 5 + index * 31) & 0xFF) } }

  private static func sample(_ index: Int, isFlat: Bool = false) throws -> SampleBuffer {
    let bytes = isFlat ? [UInt8](repeating: UInt8(40 * index + 20), count: 8 * 6 * 3) : bytes(index)
    return SampleBuffer(
      try packedPicture(bytes, width: 8, height: 6, format: "rgb24"), presentationTime: seconds(index),
      duration: seconds(1))
  }

  private func write(
    _ pattern: String, in folder: URL, _ type: FileType = .png, count: Int = 3, options: Writer.Options = .init(),
    start: MediaTime = .zero, isFlat: Bool = false
  ) async throws {
    try await withWriter(url: folder.appendingPathComponent(pattern), fileType: type, options: options) { writer in
      let codec = type == .png ? "png" : "mjpeg"
      let input = try writer.add(Writer.Input(video: VideoSettings(codec: codec, quality: type == .png ? nil : 1)))
      try await writer.start()
      try writer.startSession(at: start)
      for index in 0..<count { try await input.append(try Self.sample(index, isFlat: isFlat)) }
    }
  }

  private func decoded(_ url: URL) async throws -> [UInt8] {
    Array(
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-i", "file:" + url.path, "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
      ).standardOutput)
  }

  /// PNG keeps every bit; one file for each picture, and none besides.
  @Test(arguments: [("frame%05d.png", "frame00001.png"), ("%d 100%%.png", "1 100%.png"), ("a%02db", "a01b")])
  func png(_ pattern: String, _ first: String) async throws {
    try await withScratchFolder { folder in
      try await write(pattern, in: folder)
      let names = (1...3).map { first.replacingOccurrences(of: "1", with: "\($0)", range: first.firstRange(of: "1")) }
      #expect(contents(folder) == names)
      for (index, name) in names.enumerated() {
        #expect(try await decoded(folder.appendingPathComponent(name)) == Self.bytes(index))
      }
    }
  }

  @Test func jpeg() async throws {
    try await withScratchFolder { folder in
      try await write("%03d.jpg", in: folder, .jpeg, isFlat: true)
      #expect(contents(folder) == ["001.jpg", "002.jpg", "003.jpg"])
      for (index, name) in contents(folder).enumerated() {
        let url = folder.appendingPathComponent(name)
        #expect(try [UInt8](Data(contentsOf: url)).starts(with: [0xFF, 0xD8, 0xFF]))
        #expect(try await decoded(url).allSatisfy { abs(Int($0) - (40 * index + 20)) <= 3 })
      }
    }
  }

  /// What comes before the session is no picture; the one that is on show at its start is.
  @Test func session() async throws {
    try await withScratchFolder { folder in
      try await write("%d.png", in: folder, count: 5, start: MediaTime(value: 5, timescale: 50))
      #expect(contents(folder) == ["1.png", "2.png", "3.png"])
      #expect(try await decoded(folder.appendingPathComponent("1.png")) == Self.bytes(2))
    }
  }

  /// Nothing is replaced unless asked, and a failure leaves nothing of what it wrote.
  @Test func existing() async throws {
    try await withScratchFolder { folder in
      let third = folder.appendingPathComponent("3.png")
      try Data("mine".utf8).write(to: third)
      var error = await #expect(throws: MediaError.self) { try await write("%d.png", in: folder) }
      #expect(error?.code == .fileAlreadyExists)
      #expect(contents(folder) == ["3.png"])
      #expect(try Data(contentsOf: third) == Data("mine".utf8))
      var options = Writer.Options()
      options.overwritesExisting = true
      try await write("%d.png", in: folder, options: options)
      #expect(try await decoded(third) == Self.bytes(2))
      error = await #expect(throws: MediaError.self) { try await write("%d.png", in: folder) }
      #expect(error?.code == .fileAlreadyExists)
      #expect(contents(folder).count == 3)
    }
  }

  @Test func refusals() async throws {
    try await withScratchFolder { folder in
      for pattern in ["frame.png", "%d%d.png", "%5d.png", "%s.png", "%00d.png", "%.png", "%03d/a.png"] {
        let error = await #expect(throws: MediaError.self) { try await write(pattern, in: folder) }
        #expect(error?.code == .invalidArgument, "\(pattern)")
      }
      let error = await #expect(throws: MediaError.self) { try await write("none/%d.png", in: folder) }
      #expect(error?.code == .fileNotFound)
      await #expect(throws: MediaError.self) { try await write("%d.png", in: folder, count: 0) }
      let writer = try Writer(url: folder.appendingPathComponent("%d.png"), fileType: .png)
      #expect(writer.reasonAgainst(Writer.Input(video: VideoSettings(codec: "h264")))?.code == .operationNotSupported)
      #expect(writer.reasonAgainst(Writer.Input(audio: AudioSettings(codec: "aac")))?.code == .operationNotSupported)
      var properties = Writer.Input.Properties()
      properties.transform = PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 8, ty: 0)
      #expect(
        writer.reasonAgainst(Writer.Input(video: VideoSettings(codec: "png"), properties: properties))?.description
          .contains("turn") == true)
      #expect(contents(folder).isEmpty)
    }
  }

  /// Stored pictures are passed on byte by byte; JPEG that leans on tables of its film is not.
  @Test func passedOn() async throws {
    let source = try await madeClip(
      "pictures.mov", ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=0.2", "-c:v", "mjpeg", "-pix_fmt", "yuvj420p"])
    try await withScratchFolder { folder in
      try await remux(source, to: folder.appendingPathComponent("%d.jpg"), .jpeg)
      let packets = try await FFmpegJudge(source).packets(.firstVideo)
      #expect(contents(folder).count == packets.count && packets.count == 5)
      let whole = [UInt8](try Data(contentsOf: folder.appendingPathComponent("1.jpg")))
      #expect(MD5.hex(whole) == packets[0].hash)
      #expect(ImageSequenceSession.isWhole(jpeg: whole))
      #expect(!ImageSequenceSession.isWhole(jpeg: [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 1, 2, 0xFF, 0xDA, 0, 2]))
      #expect(!ImageSequenceSession.isWhole(jpeg: []))
    }
  }

  @Test func cancellation() async throws {
    try await withScratchFolder { folder in
      let writer = try Writer(url: folder.appendingPathComponent("%d.png"), fileType: .png)
      let input = try writer.add(Writer.Input(video: VideoSettings(codec: "png")))
      try await writer.start()
      try writer.startSession(at: .zero)
      for index in 0..<200 { try await input.append(try Self.sample(index)) }
      await writer.cancel()
      #expect(contents(folder).isEmpty)
    }
  }
}
