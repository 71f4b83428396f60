import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The acceptance cases of writing.
@Suite struct WriterCaseTests {
  private static let ticks: [Int64] = [0, 7, 19, 20, 41, 70]
  private static let lengths: [Int64] = [7, 12, 1, 21, 29, 10]

  /// E9: uneven frame times survive, encoded with and without B-frames, and copied.
  @Test(arguments: ["encoded", "reordered", "copied"])
  func unevenTimes(_ way: String) async throws {
    let source = try await AcceptanceCase.file("E9", "e9.mp4")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let end = MediaTime(value: 80, timescale: 30)
      if way == "copied" {
        try await remux(source, to: url, .mp4, end: end)
      } else {
        try await withWriter(url: url, fileType: .mp4) { writer in
          var settings = VideoSettings(codec: "h264", constantRateFactor: 5)
          settings.maximumBFrames = way == "reordered" ? 3 : 0
          if way == "reordered" { settings.encoderOptions = ["b_strategy": "0"] }
          let input = try writer.add(Writer.Input(video: settings))
          let adaptor = try Writer.PixelBufferAdaptor(input: input)
          try await writer.start()
          try writer.startSession(at: .zero)
          for (index, tick) in Self.ticks.enumerated() {
            try await adaptor.append(
              try greyPicture(luma: UInt8(16 + 2 * index)), at: MediaTime(value: tick, timescale: 30))
          }
          try writer.endSession(at: end)
        }
      }
      let pictures = try await PresentedPicture.read(url)
      #expect(pictures.map(\.time) == Self.ticks.map { MediaTime(value: $0, timescale: 30) })
      // A copied last picture lasts as long as the source says, at most.
      let lengths = way == "copied" ? pictures.dropLast().map(\.duration) : pictures.map(\.duration)
      #expect(lengths == Self.lengths.prefix(lengths.count).map { MediaTime(value: $0, timescale: 30) })
      #expect(pictures.map { Int((($0.luma - 16) / 2).rounded()) } == Array(0..<6))
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.map(\.time) == Self.ticks.map { ClipTime($0, 30) })
      if way != "copied" {
        #expect(try await MediaAsset(url: url).load(.duration) == end)
        let probe = try await FFmpegJudge(url).probe()
        let duration = try #require(probe["format"]?["duration"]?.double)
        #expect(abs(duration - 80.0 / 30) < 0.001)
        // The media that is stored is as long as what is shown of it: some readers go by that.
        let movie = try #require(try await MediaAsset(url: url).header().movie)
        let track = try #require(movie.tracks.first)
        let stored = try movie.sampleTable(of: track, maximumSamples: 100).reduce(0) { $0 + Int64($1.duration) }
        #expect(stored * 30 == 80 * Int64(track.mediaTimescale))
      }
    }
  }

  /// T9: pictures of a file without presentation times are encoded at theirs; copied they can't be.
  @Test func picturesWithoutTimes() async throws {
    let source = try await AcceptanceCase.file("T9", "t9.avi")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let track = try #require(try await MediaAsset(url: source).loadDefaultTrack(withMediaType: .video))
      try await withWriter(url: url, fileType: .mp4) { writer in
        let input = try writer.add(Writer.Input(video: VideoSettings(codec: "h264", constantRateFactor: 5)))
        try await writer.start()
        try writer.startSession(at: .zero)
        for try await frame in track.frames() { try await input.append(frame) }
      }
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.map(\.time) == (0..<100).map { ClipTime(Int64($0), 25) })
      #expect(judged.map { GeneratedClip.index(luma: $0.luma) } == Array(0..<100))
      let copy = folder.appendingPathComponent("copy.mp4")
      await #expect(throws: MediaError.self) { try await remux(source, to: copy, .mp4) }
      #expect(contents(folder) == ["o.mp4"])
    }
  }

  /// T17: two pictures at one time are both kept.
  @Test(arguments: [(FileType.mkv, "o.mkv"), (.mp4, "o.mp4")])
  func doubledTimes(_ type: FileType, _ name: String) async throws {
    let source = try await AcceptanceCase.file("T17", "t17.mkv")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(name)
      try await remux(source, to: url, type)
      let (old, new) = (try await FFmpegJudge(source).packets(), try await FFmpegJudge(url).packets())
      #expect(old.count == new.count)
      #expect(try await FFmpegJudge(url).frameHashes().map(\.hash) == FFmpegJudge(source).frameHashes().map(\.hash))
      for (left, right) in zip(old, new) {
        let off = (right.time ?? .zero) - (left.time ?? .zero)
        #expect(off.seconds.magnitude <= 0.001)
      }
    }
  }

  /// C10: interlaced pictures stay marked so, copied and encoded.
  @Test(arguments: [true, false])
  func interlaced(_ isCopied: Bool) async throws {
    // Copied from a transport stream: the pictures of a programme stream have no times of their own.
    let recipe = [
      "-f", "lavfi", "-i", "color=gray:s=64x48:r=50:d=1,format=yuv420p,geq=lum=16+4*N:cb=128:cr=128", "-vf",
      "tinterlace=interleave_top,setfield=tff", "-c:v", "mpeg2video", "-flags", "+ildct+ilme", "-qscale:v", "1",
    ]
    let source =
      isCopied ? try await madeClip("c10.ts", recipe) : try await AcceptanceCase.file("C10", "c10.mpg")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mkv")
      if isCopied {
        try await remux(source, to: url, .mkv)
      } else {
        let track = try #require(try await MediaAsset(url: source).loadDefaultTrack(withMediaType: .video))
        try await withWriter(url: url, fileType: .mkv) { writer in
          let input = try writer.add(Writer.Input(video: VideoSettings(codec: "mpeg2video", quality: 1)))
          try await writer.start()
          try writer.startSession(at: .zero)
          for try await frame in track.frames() { try await input.append(frame) }
        }
      }
      let stream = try await FFmpegJudge(url).probe()["streams"]?.elements.first
      #expect(stream?["field_order"]?.text == "tt")
      let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
      let first = try await track.frames().first { _ in true }
      let rows = try first?.pixelBuffer.withPackedBytes { bytes in (0..<4).map { Int(bytes[64 * $0 + 20]) } }
      for (row, wanted) in zip(rows ?? [], [16, 20, 16, 20]) { #expect(abs(row - wanted) <= 1) }
      #expect(rows?.count == 4)
    }
  }

  /// G9: odd sides are rounded down for chroma of half the size, and nothing is squeezed.
  @Test(arguments: [nil, PixelSize(width: 33, height: 25)])
  func oddSizes(_ size: PixelSize?) async throws {
    let source = try await AcceptanceCase.file("G9", "g9.webm")
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let track = try #require(try await MediaAsset(url: source).loadDefaultTrack(withMediaType: .video))
      try await withWriter(url: url, fileType: .mp4) { writer in
        let input = try writer.add(Writer.Input(video: VideoSettings(codec: "h264", size: size, constantRateFactor: 5)))
        try await writer.start()
        try writer.startSession(at: .zero)
        for try await frame in track.frames() { try await input.append(frame) }
      }
      let stream = try await FFmpegJudge(url).probe()["streams"]?.elements.first
      #expect(stream?["width"]?.integer == (size == nil ? 64 : 32))
      #expect(stream?["height"]?.integer == (size == nil ? 48 : 24))
      #expect(stream?["pix_fmt"]?.text == "yuv420p")
      let (old, new) = (
        try await FFmpegJudge(source).pixel(60, 44),
        try await FFmpegJudge(url).pixel(size == nil ? 60 : 30, size == nil ? 44 : 22)
      )
      for (left, right) in zip(old, new) { #expect(abs(Int(left) - Int(right)) <= 3) }
    }
  }
}
