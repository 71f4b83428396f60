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
    // All but a little at both ends, cut between key pictures: only the pictures at the edges are encoded.
    "export_edges": { url, _ in
      let duration = try await MediaAsset(url: url).load(.duration)
      let edge = MediaTime(value: 1, timescale: 3)
      return try await run(
        url, .passthrough, range: MediaTimeRange(start: edge, duration: duration - edge - edge), cut: .clean)
    },
    "export_batch": { folder, _ in try await batch(folder) },
    // The clips of a folder one after another, everything copied.
    "concat_copy": { folder, _ in try await concat(folder, .passthrough) },
    // Pictures copied, sound joined on the sample.
    "concat_exact": { folder, _ in try await concat(folder, .automatic) },
  ]

  /// Every file of a folder at once, into the folder that `FLOOR_OUT` names; the sessions share the processors.
  private static func batch(_ folder: URL) async throws -> Int {
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let output = WritingJobs.output
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for file in files {
        group.addTask {
          try await run(folder.appending(path: file), transcode, output: output.appending(path: file))
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func concat(_ folder: URL, _ preset: ExportPreset) async throws -> Int {
    var film = Composition()
    for file in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      try await film.append(MediaAsset(url: folder.appending(path: file)))
    }
    let session = ExportSession(composition: film, preset: preset)
    session.overwritesExisting = true
    session.synchronizesToDisk = false
    let plan = try await session.export(to: WritingJobs.output)
    // What was meant to be copied was.
    guard plan.kept.first?.action == .copy else {
      throw MediaError(
        .operationNotSupported, operation: "measure", subject: folder.path, reason: plan.kept.first?.reason ?? "")
    }
    return plan.kept.count
  }

  /// The settings of the command beside it: x264 at its defaults, sound copied.
  private static var transcode: ExportPreset {
    var preset = ExportPreset.size1280x720
    preset.video = .encode(
      VideoSettings(codec: "h264", constantRateFactor: 23, encoderOptions: ["preset": "veryfast"]))
    preset.audio = .copy
    return preset
  }

  private static func run(
    _ url: URL, _ preset: ExportPreset, range: MediaTimeRange? = nil, cut: ExportSession.Cut? = nil,
    output: URL = WritingJobs.output
  ) async throws -> Int {
    let session = ExportSession(asset: MediaAsset(url: url), preset: preset)
    if let range { session.timeRange = range }
    if let cut { session.cut = cut }
    session.overwritesExisting = true
    session.synchronizesToDisk = false
    return try await session.export(to: output).kept.count
  }
}
