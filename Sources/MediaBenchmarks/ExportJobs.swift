import FoundationEssentials
import MediaAssetKit

/// Jobs that export: to the name in `FLOOR_OUT`, without waiting for the disk, as the command beside them.
enum ExportJobs {
  static let all: [String: @Sendable (URL, Int) async throws -> Int] = [
    "export_remux": { url, _ in try await run(url, .passthrough) },
    // The middle third, copied.
    "export_trim": { url, _ in
      let duration = try await MediaAsset(url: url).load(.duration)
      let third = duration.multiplied(by: 1, dividedBy: 3)
      return try await run(url, .passthrough, range: MediaTimeRange(start: third, duration: third))
    },
    "export_720p": { url, _ in try await run(url, transcode) },
    // From the call to the end of a range that holds one picture: what every export costs.
    "export_start": { url, _ in
      let range = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 50))
      return try await run(url, transcode, range: range)
    },
  ]

  /// The settings of the command beside it: x264 at its defaults, sound copied.
  private static var transcode: ExportPreset {
    var preset = ExportPreset.size1280x720
    preset.video = .encode(
      VideoSettings(codec: "h264", constantRateFactor: 23, encoderOptions: ["preset": "veryfast"]))
    preset.audio = .copy
    return preset
  }

  private static func run(_ url: URL, _ preset: ExportPreset, range: MediaTimeRange? = nil) async throws -> Int {
    let output = URL(filePath: ProcessInfo.processInfo.environment["FLOOR_OUT"] ?? "out_bench.mp4")
    let session = ExportSession(asset: MediaAsset(url: url), preset: preset)
    if let range { session.timeRange = range }
    session.overwritesExisting = true
    session.synchronizesToDisk = false
    return try await session.export(to: output).kept.count
  }
}
