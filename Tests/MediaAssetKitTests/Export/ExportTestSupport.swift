import Foundation
import MediaTestSupport

@testable import MediaAssetKit

/// Exports to a file of a folder and returns what was done.
@discardableResult
func export(
  _ source: URL, to target: URL, _ preset: ExportPreset, from: MediaTime? = nil, to end: MediaTime? = nil,
  _ change: (inout ExportSession.Options) -> Void = { _ in }
) async throws -> ExportPlan {
  var options = ExportSession.Options()
  if let end {
    options.timeRange = MediaTimeRange(start: from ?? .zero, end: end)
  } else if let from {
    options.timeRange = MediaTimeRange(start: from, duration: .positiveInfinity)
  }
  change(&options)
  return try await ExportSession(asset: MediaAsset(url: source), preset: preset, options: options).export(to: target)
}

/// Twenty seconds of pictures and sound.
func longClip() async throws -> URL {
  try await madeClip(
    "export-long.mp4",
    [
      "-f", "lavfi", "-i", "testsrc2=s=640x360:r=25:d=20", "-f", "lavfi", "-i", "sine=440:r=48000:d=20", "-c:v",
      "libx264", "-preset", "ultrafast", "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest",
    ])
}

/// Seconds as a fraction of a hundredth.
func hundredths(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 100) }

/// Numbers of the flat pictures of `base.mp4`: luma 16 + 2k.
func pictureNumbers(_ frames: [LumaFrame]) -> [Int] { frames.map { Int((($0.luma - 16) / 2).rounded()) } }

/// The first sample louder than a quarter of the scale.
func onset(_ samples: [Int16], channels: Int = 1) -> Int? {
  stride(from: 0, to: samples.count, by: channels).first { abs(Int(samples[$0])) > 8000 }.map { $0 / channels }
}

extension FFmpegJudge {
  /// The streams of a kind as ffprobe describes them.
  func streams(_ kind: String) async throws -> [JSONValue] {
    try await probe()["streams"]?.elements.filter { $0["codec_type"]?.text == kind } ?? []
  }
}
