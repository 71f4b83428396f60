import Foundation
import MediaTestSupport

@testable import MediaAssetKit

/// A folder of its own for what a test writes; removed afterwards, with all that is in it.
func withScratchFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "writer-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A clip that `ffmpeg` makes of these arguments, once.
func madeClip(_ name: String, _ arguments: [String]) async throws -> URL {
  let version = try await FFmpegVersion.current()
  let folder = try await FixtureCache.shared.folder(named: "writer", ingredients: [version.text, name] + arguments) {
    try await MediaTool("ffmpeg").check(
      ["-nostdin", "-v", "error", "-y"] + arguments + ["-bitexact", "file:" + $0.appendingPathComponent(name).path])
  }
  return folder.appendingPathComponent(name)
}

/// A small clip of pictures with B-frames, and sound.
func movieClip(_ name: String = "movie.mp4") async throws -> URL {
  try await madeClip(
    name,
    [
      "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-c:v", "libx264",
      "-bf", "3", "-g", "25", "-crf", "20", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest",
    ])
}

/// Copies the stored samples of all tracks into a new file, each from a task of its own.
func remux(
  _ source: URL, to target: URL, _ type: FileType, options: Writer.Options = .init(),
  start: MediaTime = .zero, end: MediaTime? = nil, range: MediaTimeRange? = nil
) async throws {
  let asset = MediaAsset(url: source)
  let tracks = try await asset.load(.tracks)
  let reader = Reader(asset: asset, timeRange: range)
  try await withWriter(url: target, fileType: type, options: options) { writer in
    var inputs: [(Writer.Input, AssetTrack)] = []
    for track in tracks { inputs.append((try writer.add(try await .passthrough(of: track)), track)) }
    try await writer.start()
    try writer.startSession(at: start)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (input, track) in inputs {
        group.addTask {
          for try await sample in try reader.output(for: track) { try await input.append(sample) }
          input.finish()
        }
      }
      try await group.waitForAll()
    }
    if let end { try writer.endSession(at: end) }
  }
}

/// What is in a folder, sorted; hidden files too.
func contents(_ folder: URL) -> [String] {
  ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
}
