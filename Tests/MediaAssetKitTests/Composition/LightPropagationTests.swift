import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What pictures of high dynamic range say of their light goes along with what is composed of them, by ffprobe.
@Suite struct LightPropagationTests {
  private static let display = [
    "red_x": "34000/50000", "red_y": "16000/50000", "green_x": "13250/50000", "green_y": "34500/50000",
    "blue_x": "7500/50000", "blue_y": "3000/50000", "white_point_x": "15635/50000", "white_point_y": "16450/50000",
    "min_luminance": "1/10000", "max_luminance": "10000000/10000",
  ]

  private func clip(_ name: String = "light", size: String = "64x48", extra: String = "") async throws -> URL {
    try await madeClip(
      "\(name)-\(size).mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=1,format=yuv420p10", "-c:v", "libx265", "-x265-params",
        "log-level=none:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:"
          + "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=1000,400\(extra)",
        "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-tag:v", "hvc1",
      ])
  }

  /// A fade for half of the time, the layer as it is for the other half.
  private func fading(_ film: Composition) async throws -> VideoComposition {
    var video = try await VideoComposition(propertiesOf: film)
    let half = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 2))
    try video.instructions[0].layerInstructions[0].setOpacityRamp(
      fromStartOpacity: 0, toEndOpacity: 1, timeRange: half)
    return video
  }

  private func probed(_ url: URL, _ what: String) async throws -> [[String: Any]] {
    let output = try await MediaTool("ffprobe").check(["-v", "error", "-of", "json", what, url.path])
    let object = try JSONSerialization.jsonObject(with: Data(output.standardOutput)) as? [String: Any]
    return (object?.values.first { $0 is [[String: Any]] } as? [[String: Any]]) ?? []
  }

  private func checkSideData(_ entry: [String: Any]) throws {
    let data = try #require(entry["side_data_list"] as? [[String: Any]])
    func found(_ word: String) throws -> [String: Any] {
      try #require(data.first { ($0["side_data_type"] as? String)?.contains(word) == true })
    }
    let (display, light) = (try found("Mastering"), try found("Content light"))
    for (key, value) in Self.display {
      // Containers keep the same numbers over other denominators.
      let parts = try #require((display[key] as? String)?.split(separator: "/").compactMap { Double($0) })
      let right = value.split(separator: "/").compactMap { Double($0) }
      #expect(parts.count == 2 && abs(parts[0] / parts[1] - right[0] / right[1]) < 1e-4 * right[0] / right[1])
    }
    #expect(light["max_content"] as? Int == 1000 && light["max_average"] as? Int == 400)
  }

  /// All composed pictures say what the source's say, whether something was drawn or not.
  @Test func composedPicturesSayTheSame() async throws {
    let film = try await Composition.joined([try await clip()])
    let frames = try await film.composed(try await fading(film))
    #expect(frames.count == 25)
    for frame in frames {
      let display = frame.pixelBuffer.frame.masteringDisplay
      #expect(display?.primaries == [0.68, 0.32, 0.265, 0.69, 0.15, 0.06] && display?.maximumLuminance == 1000)
      #expect(frame.pixelBuffer.frame.contentLight?.maximumContent == 1000)
      #expect(frame.pixelBuffer.frame.contentLight?.maximumFrameAverage == 400)
    }
  }

  /// Pictures that were scaled, and those of a custom compositor.
  @Test func drawnAndCustom() async throws {
    let film = try await Composition.joined([try await clip(size: "128x96")])
    var video = try await VideoComposition(propertiesOf: film)
    video.renderSize = PixelSize(width: 64, height: 48)
    video.instructions[0].passthroughTrackID = film.tracks(withMediaType: .video)[0].id
    #expect(try await film.composed(video)[3].pixelBuffer.frame.contentLight?.maximumContent == 1000)
    video.instructions[0].passthroughTrackID = nil
    let custom = try await film.composed(
      video,
      compositor: VideoCompositionHandler { request in
        var picture = try PixelBufferPool(pixelFormat: "yuv420p10le", size: request.renderSize).makeBuffer()
        picture.colour = ColourProperties(primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc")
        return picture.publish()
      })
    #expect(custom[3].pixelBuffer.frame.masteringDisplay?.maximumLuminance == 1000)
    // What is made standard says nothing of the light that it had.
    video.colour = ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709")
    let standard = try await film.composed(video)[3].pixelBuffer
    #expect(standard.colour.transfer == "bt709" && !standard.frame.hasLight)
  }

  /// HDR10+ of each picture, as SMPTE ST 2094-40 has it in a message of ITU-T T.35.
  @Test func lightOfEachPictureGoesAlong() async throws {
    let raw = try await madeClip(
      "raw.hevc", ["-i", try await clip("plain", extra: ":bframes=0").path, "-c", "copy", "-f", "hevc"])
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("plus-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (own, url) = (folder.appendingPathComponent("own.hevc"), folder.appendingPathComponent("own.mp4"))
    try Data(Self.withMessages([UInt8](try Data(contentsOf: raw)))).write(to: own)
    try await MediaTool("ffmpeg").check(
      ["-nostdin", "-v", "error", "-r", "25", "-i", own.path, "-c", "copy", "-tag:v", "hvc1", url.path])
    let judged = try await probed(url, "-show_frames")
    #expect(judged.count == 25)
    for frame in judged { #expect("\(frame["side_data_list"] ?? "")".contains("2094-40")) }
    let film = try await Composition.joined([url])
    for frame in try await film.composed(try await fading(film)) {
      #expect(frame.pixelBuffer.frame.hasOwnLight && frame.pixelBuffer.frame.contentLight?.maximumContent == 1000)
    }
  }

  /// A message before every picture's first slice.
  private static func withMessages(_ stream: [UInt8]) -> [UInt8] {
    var bits: [UInt8] = []
    func put(_ value: Int, _ count: Int) { for bit in (0..<count).reversed() { bits.append(UInt8(value >> bit & 1)) } }
    // Version, one window, the display's peak; of the window three maxima, mean, no percentiles, bright pixels.
    for (value, count) in [
      (1, 8), (1, 2), (400, 27), (0, 1), (90_000, 17), (80_001, 17), (70_003, 17), (30_001, 17), (0, 4), (511, 10),
      (0, 1), (0, 1), (0, 1),
    ] { put(value, count) }
    while bits.count % 8 != 0 { bits.append(0) }
    let body = stride(from: 0, to: bits.count, by: 8).map { bits[$0..<$0 + 8].reduce(0) { $0 << 1 | $1 } }
    let payload: [UInt8] = [0xB5, 0x00, 0x3C, 0x00, 0x01, 0x04] + body
    var message: [UInt8] = [0, 0, 0, 1, 0x4E, 0x01]
    var zeros = 0
    for byte in [4, UInt8(payload.count)] + payload + [0x80] {
      if zeros == 2, byte <= 3 {
        message.append(3)
        zeros = 0
      }
      message.append(byte)
      zeros = byte == 0 ? zeros + 1 : 0
    }
    var made: [UInt8] = []
    var index = 0
    while index < stream.count {
      if index + 5 < stream.count, stream[index] == 0, stream[index + 1] == 0, stream[index + 2] == 1 {
        let type = stream[index + 3] >> 1 & 63
        if type < 32, stream[index + 5] & 0x80 != 0 {
          // A longer start code's first zero lies before.
          if made.last == 0 { made.removeLast() }
          made += message + [0, 0, 0, 1]
          index += 3
          continue
        }
      }
      made.append(stream[index])
      index += 1
    }
    return made
  }

  @Test(arguments: [FileType.mp4, .mkv]) func filesSayTheSame(_ type: FileType) async throws {
    let film = try await Composition.joined([try await clip()])
    var options = ExportSession.Options()
    options.videoComposition = try await fading(film)
    let preset = try #require(ExportPreset.named("HEVCHighestQuality"))
    let session = ExportSession(composition: film, preset: preset, options: options)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(
      "light-\(UUID().uuidString).\(type == .mp4 ? "mp4" : "mkv")")
    defer { try? FileManager.default.removeItem(at: url) }
    try await session.export(to: url, as: type)
    let stream = try #require(try await probed(url, "-show_streams").first)
    #expect(stream["color_transfer"] as? String == "smpte2084" && stream["pix_fmt"] as? String == "yuv420p10le")
    try checkSideData(stream)
    let frames = try await probed(url, "-show_frames")
    #expect(frames.count == 25)
    for frame in frames { try checkSideData(frame) }
  }

  /// What the container alone says goes along too.
  @Test func lightOfContainersGoesAlong() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("boxes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let film = try await Composition.joined([try await clip()])
    let preset = try #require(ExportPreset.named("HEVCHighestQuality"))
    // A codec that has no place for it.
    let bare = folder.appendingPathComponent("bare.mkv")
    let frames = try await film.composed(try await fading(film))
    try await withWriter(url: bare, fileType: .mkv, options: .init()) { writer in
      let input = try writer.add(Writer.Input(video: VideoSettings(codec: "ffv1")))
      try await writer.start()
      try writer.startSession(at: .zero)
      for frame in frames { try await input.append(frame) }
    }
    try checkSideData(try #require(try await probed(bare, "-show_streams").first))
    let second = try await Composition.joined([bare])
    for frame in try await second.composed(try await fading(second)) {
      let display = try #require(frame.pixelBuffer.frame.masteringDisplay)
      #expect(zip(display.primaries, [0.68, 0.32, 0.265, 0.69, 0.15, 0.06]).allSatisfy { abs($0 - $1) < 3e-5 })
      #expect(display.maximumLuminance == 1000 && frame.pixelBuffer.frame.contentLight?.maximumContent == 1000)
    }
    let target = folder.appendingPathComponent("target.mp4")
    var options = ExportSession.Options()
    options.videoComposition = try await fading(second)
    try await ExportSession(composition: second, preset: preset, options: options).export(to: target, as: .mp4)
    try checkSideData(try #require(try await probed(target, "-show_streams").first))
  }

  /// A standard picture of a source of high dynamic range is tagged as what it is.
  @Test func standardFilesAreTagged() async throws {
    let film = try await Composition.joined([try await clip()])
    var options = ExportSession.Options()
    var video = try await fading(film)
    video.colour = ColourProperties(primaries: "bt709", transfer: "bt709", matrix: "bt709", range: .limited)
    options.videoComposition = video
    let session = ExportSession(
      composition: film, preset: try #require(ExportPreset.named("HEVCHighestQuality")), options: options)
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("standard-\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: url) }
    try await session.export(to: url, as: .mp4)
    let stream = try #require(try await probed(url, "-show_streams").first)
    #expect(stream["color_transfer"] as? String == "bt709" && stream["side_data_list"] == nil)
  }
}
