import FoundationEssentials
import MediaAssetKit

/// Two layers of one clip, the upper one half opaque and half a second ahead; and a layer that is turned.
enum LayerJobs {
  static let all: [String: @Sendable (URL, Int) async throws -> Int] = [
    "layers": { url, _ in
      let (film, video) = try await two(url)
      return try await count(film, video)
    },
    "layers_x264": { url, _ in
      let (film, video) = try await two(url)
      var preset = ExportPreset.highestQuality
      preset.video = .encode(
        VideoSettings(codec: "h264", constantRateFactor: 23, encoderOptions: ["preset": "veryfast"]))
      let session = ExportSession(composition: film, preset: preset)
      session.videoComposition = video
      session.overwritesExisting = true
      session.synchronizesToDisk = false
      return try await session.export(to: WritingJobs.output).kept.count
    },
    "layer_turned": { url, _ in try await single(url, .init(a: 0.98, b: 0.17, c: -0.17, d: 0.98, tx: 90, ty: -150)) },
    // What decoding and a layer that nothing happens to cost.
    "layer_plain": { url, _ in try await single(url, .identity) },
  ]

  private static func film(_ url: URL, _ starts: [MediaTime]) async throws -> (Composition, VideoComposition) {
    let duration = MediaTime(value: 8, timescale: 1)
    let asset = MediaAsset(url: url)
    guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else {
      throw MediaError(.noSourceTrack, operation: "compose", subject: url.path, reason: "it has no pictures")
    }
    var film = Composition()
    for start in starts {
      let id = film.addMutableTrack(withMediaType: .video)
      try await film[id].insertTimeRange(MediaTimeRange(start: start, duration: duration), of: track, at: .zero)
    }
    return (film, try await VideoComposition(propertiesOf: film))
  }

  private static func two(_ url: URL) async throws -> (Composition, VideoComposition) {
    let made = try await film(url, [.zero, MediaTime(value: 1, timescale: 2)])
    var video = made.1
    try video.instructions[0].layerInstructions[0].setOpacity(0.5, at: .zero)
    return (made.0, video)
  }

  private static func single(_ url: URL, _ map: PictureTransform) async throws -> Int {
    var (film, video) = try await film(url, [.zero])
    try video.instructions[0].layerInstructions[0].setTransform(map, at: .zero)
    return try await count(film, video)
  }

  private static func count(_ film: Composition, _ video: VideoComposition) async throws -> Int {
    var frames = 0
    for try await _ in try Reader.VideoCompositionOutput(composition: film, videoComposition: video) { frames += 1 }
    return frames
  }
}
