import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Encoded pictures: as many, at the same times, looking as before.
@Suite struct PictureWritingTests {
  struct Way: Sendable, CustomStringConvertible {
    var codec: String
    var type: FileType
    var name: String
    var tolerance = 2.0
    var options: [String: String] = [:]
    var fourCharacters: String? = nil
    var description: String { "\(codec) in \(name)" }
  }

  static let ways: [Way] = [
    Way(codec: "h264", type: .mp4, name: "o.mp4", fourCharacters: "avc1"),
    Way(codec: "h264", type: .mov, name: "o.mov", fourCharacters: "avc1"),
    Way(codec: "h264", type: .mkv, name: "o.mkv"),
    Way(codec: "h264", type: .mpegTS, name: "o.ts"),
    Way(codec: "hevc", type: .mp4, name: "o.mp4", options: ["preset": "ultrafast"], fourCharacters: "hvc1"),
    Way(codec: "hevc", type: .mov, name: "o.mov", options: ["preset": "ultrafast"], fourCharacters: "hvc1"),
    Way(codec: "vp9", type: .webm, name: "o.webm", options: ["cpu-used": "8"]),
    Way(codec: "vp8", type: .webm, name: "o.webm", options: ["cpu-used": "8"]),
    Way(codec: "vp9", type: .mp4, name: "o.mp4", options: ["cpu-used": "8"], fourCharacters: "vp09"),
    Way(codec: "av1", type: .mp4, name: "o.mp4", options: ["cpu-used": "8"], fourCharacters: "av01"),
    Way(codec: "prores", type: .mov, name: "o.mov", fourCharacters: "apcn"),
    Way(codec: "mjpeg", type: .mov, name: "o.mov", fourCharacters: "jpeg"),
    Way(codec: "mpeg4", type: .mp4, name: "o.mp4"),
    Way(codec: "mpeg2video", type: .mpegTS, name: "o.ts"),
    Way(codec: "ffv1", type: .mkv, name: "o.mkv", tolerance: 0),
    Way(codec: "gif", type: .gif, name: "o.gif", tolerance: 20),
    Way(codec: "webp", type: .webp, name: "o.webp", tolerance: 4),
  ]

  @Test(arguments: ways)
  func encoded(_ way: Way) async throws {
    let count = 30
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent(way.name)
      var settings = VideoSettings(codec: way.codec, quality: 0.9, encoderOptions: way.options)
      if way.codec == "ffv1" { settings.quality = nil }
      let properties = Writer.Input.Properties()
      try await withWriter(url: url, fileType: way.type) { writer in
        let input = try writer.add(Writer.Input(video: settings, properties: properties))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<count {
          try await input.append(
            SampleBuffer(
              content: .picture(try greyPicture(luma: UInt8(16 + 6 * index))),
              presentationTime: MediaTime(value: Int64(index), timescale: 25),
              duration: MediaTime(value: 1, timescale: 25)))
        }
      }
      // FFmpeg 5.1 does not decode animated WebP.
      if way.type == .webp {
        #expect(try [UInt8](Data(contentsOf: url)).starts(with: Array("RIFF".utf8)))
        return
      }
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.count == count)
      for (index, frame) in judged.enumerated() {
        #expect(abs(frame.luma - Double(16 + 6 * index)) <= way.tolerance)
      }
      let start = judged.first?.time ?? .zero
      #expect(judged.map { $0.time - start } == (0..<count).map { ClipTime(Int64($0), 25) })
      if way.type != .mpegTS { #expect(start == .zero) }
      if let code = way.fourCharacters {
        let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video)
        #expect(track?.track.fourCharacterCode == code)
      }
    }
  }

  /// Other sizes come by stretching, bars or cutting; odd ones are rounded down.
  @Test(arguments: [VideoSettings.ScalingMode.resize, .resizeAspect, .resizeAspectFill])
  func scaled(_ mode: VideoSettings.ScalingMode) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      var settings = VideoSettings(codec: "h264", size: PixelSize(width: 97, height: 49), constantRateFactor: 5)
      settings.scalingMode = mode
      try await withWriter(url: url, fileType: .mp4) { writer in
        let input = try writer.add(Writer.Input(video: settings))
        try await writer.start()
        try writer.startSession(at: .zero)
        try await input.append(
          SampleBuffer(
            content: .picture(try greyPicture(luma: 180)), presentationTime: .zero,
            duration: MediaTime(value: 1, timescale: 1)))
      }
      let stream = try await FFmpegJudge(url).probe()["streams"]?.elements.first
      #expect(stream?["width"]?.integer == 96)
      #expect(stream?["height"]?.integer == 48)
      let (edge, middle) = (try await FFmpegJudge(url).pixel(2, 24), try await FFmpegJudge(url).pixel(48, 24))
      let grey = Int(GeneratedClip.grey(luma: 180).rounded())
      #expect(abs(Int(middle[0]) - grey) <= 3)
      // 64:48 into 96:48 leaves bars of 16 on either side.
      #expect(abs(Int(edge[0]) - (mode == .resizeAspect ? 0 : grey)) <= 3)
    }
  }

  /// Sync samples come at least as often as asked for, in frames and in time.
  @Test func keyFrameIntervals() async throws {
    try await withScratchFolder { folder in
      for (index, change)
        in ([
          { $0.maximumKeyFrameInterval = 10 },
          { $0.maximumKeyFrameIntervalDuration = MediaTime(value: 2, timescale: 5) },
        ] as [(inout VideoSettings) -> Void]).enumerated()
      {
        let url = folder.appendingPathComponent("o\(index).mp4")
        // Changes of scenes would begin groups of their own.
        var settings = VideoSettings(codec: "h264", constantRateFactor: 20, encoderOptions: ["sc_threshold": "0"])
        change(&settings)
        try await withWriter(url: url, fileType: .mp4) { writer in
          let input = try writer.add(Writer.Input(video: settings))
          try await writer.start()
          try writer.startSession(at: .zero)
          for number in 0..<50 {
            try await input.append(
              SampleBuffer(
                content: .picture(try greyPicture(luma: UInt8(16 + number))),
                presentationTime: MediaTime(value: Int64(number), timescale: 25), duration: .invalid))
          }
        }
        let keys = try await FFmpegJudge(url).packets().filter(\.isKey).compactMap(\.time)
        #expect(keys == (0..<5).map { ClipTime(Int64($0) * 2, 5) })
      }
    }
  }

  /// Without reordering pictures are stored as they are shown.
  @Test func reorderingCanBeForbidden() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      for allows in [true, false] {
        let url = folder.appendingPathComponent("o\(allows).mp4")
        var settings = VideoSettings(codec: "h264", constantRateFactor: 20)
        settings.allowsFrameReordering = allows
        let track = try #require(try await MediaAsset(url: source).loadDefaultTrack(withMediaType: .video))
        try await withWriter(url: url, fileType: .mp4) { writer in
          let input = try writer.add(Writer.Input(video: settings))
          try await writer.start()
          try writer.startSession(at: .zero)
          for try await frame in track.frames() { try await input.append(frame) }
        }
        let packets = try await FFmpegJudge(url).packets()
        #expect(packets.count == 75)
        #expect(packets.contains { $0.presentation != $0.decoding } == allows)
      }
    }
  }

  /// RGB becomes Y'CbCr by the matrix that the file then states.
  @Test(arguments: ["bt709", "smpte170m"])
  func colourOfRGB(_ matrix: String) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      var settings = VideoSettings(codec: "h264", constantRateFactor: 1)
      settings.colour = ColourProperties(primaries: "bt709", transfer: "bt709", matrix: matrix, range: .limited)
      let bytes = (0..<64 * 48).flatMap { _ in [200, 40, 90, 255] as [UInt8] }
      try await withWriter(url: url, fileType: .mp4) { writer in
        let input = try writer.add(Writer.Input(video: settings))
        let adaptor = try Writer.PixelBufferAdaptor(input: input)
        try await writer.start()
        try writer.startSession(at: .zero)
        try await adaptor.append(try packedPicture(bytes, width: 64, height: 48, format: "rgba"), at: .zero)
      }
      let stream = try await FFmpegJudge(url).probe()["streams"]?.elements.first
      #expect(stream?["color_space"]?.text == matrix)
      #expect(stream?["color_range"]?.text == "tv")
      let asset = MediaAsset(url: url)
      let pixel = try await ImageGenerator(asset: asset).image(at: .zero).image.pixel(x: 30, y: 20)
      for (got, wanted) in zip([pixel.red, pixel.green, pixel.blue], [200, 40, 90]) {
        #expect(abs(Int(got) - wanted) <= 3)
      }
    }
  }
}
