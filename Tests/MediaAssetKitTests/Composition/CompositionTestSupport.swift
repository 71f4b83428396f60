import Foundation
import MediaTestSupport

@testable import MediaAssetKit

/// One second of a flat grey, numbered by its luma, with a tone that begins after a quarter of a second.
func greyClip(
  _ number: Int, name: String = "grey.mp4", size: String = "64x48", rate: String = "25", seconds: String = "1",
  soundRate: Int = 48000, layout: String = "mono", video: [String] = ["-c:v", "libx264", "-qp", "0", "-bf", "0"],
  audio: [String] = ["-c:a", "aac"], extra: [String] = []
) async throws -> URL {
  let luma = 40 + number * 15
  return try await madeClip(
    "\(number)-\(name)",
    [
      "-f", "lavfi", "-i", "color=black:s=\(size):r=\(rate):d=\(seconds),format=yuv420p,geq=\(luma):128:128",
      "-f", "lavfi", "-i",
      "aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,0.25)*lt(t,0.5)':s=\(soundRate):d=\(seconds),aformat=channel_layouts=\(layout)",
    ] + video + ["-pix_fmt", "yuv420p"] + audio + extra)
}

/// Sound without loss: a step at a known sample.
func stepClip(_ name: String, rate: Int = 48000, seconds: String = "1", expression: String) async throws -> URL {
  try await madeClip(
    name,
    ["-f", "lavfi", "-i", "aevalsrc='\(expression)':s=\(rate):d=\(seconds)", "-c:a", "pcm_f32le"])
}

/// A copy of a QuickTime file whose first track is shown turned by 90 degrees clockwise, by its matrix.
func turnedClip(_ url: URL, in folder: URL, height: UInt8) throws -> URL {
  var bytes = [UInt8](try Data(contentsOf: url))
  let name = Array("tkhd".utf8)
  guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: name) }) else {
    throw MediaToolError.unexpected("\(url.path) has no track header.")
  }
  // Behind the name: version, times and number, reserved, layer, group, volume.
  let matrix: [UInt8] =
    [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, height, 0, 0, 0, 0, 0, 0]
    + [0x40, 0, 0, 0]
  bytes.replaceSubrange(start + 44..<start + 80, with: matrix)
  let copy = folder.appendingPathComponent("turned-\(UUID().uuidString).mov")
  try Data(bytes).write(to: copy)
  return copy
}

extension Composition {
  /// Clips one after another.
  static func joined(_ clips: [URL]) async throws -> Composition {
    var film = Composition()
    for clip in clips { try await film.append(MediaAsset(url: clip)) }
    return film
  }

  /// All mixed sound, a channel after another.
  func mixed(
    _ mix: AudioMix? = nil, _ settings: AudioOutputSettings = .init(), in range: MediaTimeRange? = nil
  ) async throws -> (samples: [[Float]], start: MediaTime) {
    var samples: [[Float]] = []
    var start = MediaTime.invalid
    for try await buffer in try Reader.AudioMixOutput(
      composition: self, timeRange: range, audioMix: mix, settings: settings)
    {
      if samples.isEmpty { (samples, start) = (Array(repeating: [], count: buffer.channels), buffer.time) }
      for channel in 0..<buffer.channels {
        buffer.withFloats(channel) { span in span.append(to: &samples[channel]) }
      }
    }
    return (samples, start)
  }

  /// All composed pictures.
  func composed(
    _ video: VideoComposition? = nil, in range: MediaTimeRange? = nil, compositor: (any VideoCompositing)? = nil
  ) async throws -> [VideoFrame] {
    var frames: [VideoFrame] = []
    for try await frame in try Reader.VideoCompositionOutput(
      composition: self, timeRange: range, videoComposition: video, compositor: compositor)
    { frames.append(frame) }
    return frames
  }
}

extension PixelBuffer {
  /// A sample of a plane of 8 bits.
  func value(_ plane: Int = 0, _ x: Int, _ y: Int) -> Int {
    withPlane(plane) { bytes, extent in
      Int(bytes.unsafeLoad(fromByteOffset: y * extent.bytesPerRow + x, as: UInt8.self))
    }
  }

  /// A sample of a plane of more than 8 bits.
  func deepValue(_ plane: Int = 0, _ x: Int, _ y: Int) -> Int {
    withPlane(plane) { bytes, extent in
      Int(bytes.unsafeLoadUnaligned(fromByteOffset: y * extent.bytesPerRow + 2 * x, as: UInt16.self))
    }
  }
}

/// Tracks of flat colours or greys over one another, for a second, at 64x48.
struct LayerStack {
  var film = Composition()
  var ids: [Int32] = []
  let range = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))

  /// Greys by the numbers of ``greyClip``.
  init(greys: [Int]) async throws {
    for number in greys { try await add(try await greyClip(number)) }
  }

  /// Colours by their codes of Y, Cb and Cr.
  init(codes: [(Int, Int, Int)]) async throws {
    for (y, u, v) in codes {
      try await add(
        try await madeClip(
          "flat-\(y)-\(u)-\(v).mkv",
          [
            "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=1,format=yuv420p,geq=\(y):\(u):\(v)", "-c:v", "ffv1",
          ]))
    }
  }

  mutating func add(_ url: URL) async throws {
    guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video) else { return }
    let id = film.addMutableTrack(withMediaType: .video)
    try await film[id].insertTimeRange(range, of: track, at: .zero)
    ids.append(id)
  }

  /// Layers, topmost first, all at 25 pictures a second; nil: the tracks as they are, the last on top.
  func video(_ layers: [VideoComposition.LayerInstruction]? = nil) -> VideoComposition {
    VideoComposition(
      renderSize: PixelSize(width: 64, height: 48), frameDuration: MediaTime(value: 1, timescale: 25),
      instructions: [
        .init(timeRange: range, layerInstructions: layers ?? ids.reversed().map { .init(trackID: $0) })
      ])
  }
}
