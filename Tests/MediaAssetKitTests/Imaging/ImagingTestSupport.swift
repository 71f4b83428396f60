import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

extension MediaTime {
  init(_ time: ClipTime) { self.init(value: time.value, timescale: Int32(time.timescale)) }

  /// Whole milliseconds.
  static func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
}

extension ImageGenerator {
  /// A generator of exactly the picture on show.
  static func exact(_ asset: MediaAsset) -> ImageGenerator {
    var generator = ImageGenerator(asset: asset)
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    return generator
  }

  static func exact(_ url: URL) -> ImageGenerator { exact(MediaAsset(url: url)) }
}

extension MediaImage {
  /// The limited-range luma that the grey in the middle stands for.
  var luma: Double {
    16 + Double(pixel(x: width / 2, y: height / 2).green) * 219 / 255
  }

  func isNear(_ x: Int, _ y: Int, _ color: (Int, Int, Int), by tolerance: Int = 3) -> Bool {
    let pixel = pixel(x: x, y: y)
    return abs(Int(pixel.red) - color.0) <= tolerance
      && abs(Int(pixel.green) - color.1) <= tolerance
      && abs(Int(pixel.blue) - color.2) <= tolerance
  }
}

/// The code of the error that a piece of work throws; nil when it throws none or another kind.
func errorCode(_ work: () async throws -> Void) async -> MediaError.Code? {
  do {
    try await work()
    return nil
  } catch {
    return (error as? MediaError)?.code
  }
}

/// A folder that is removed when the test ends.
func withTemporaryFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "imaging-\(UUID().uuidString)", isDirectory: true)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  return try await body(folder)
}

/// A clip made by `ffmpeg` with these arguments, once for all runs.
func madeFile(_ name: String, _ arguments: [String]) async throws -> URL {
  let version = try await FFmpegVersion.current()
  let folder = try await FixtureCache.shared.folder(
    named: "imaging-\(name)", ingredients: [version.text, name] + arguments
  ) { folder in
    try await MediaTool("ffmpeg").check(
      ["-nostdin", "-v", "error", "-y"] + arguments
        + ["file:" + folder.appendingPathComponent(name).path])
  }
  return folder.appendingPathComponent(name)
}
