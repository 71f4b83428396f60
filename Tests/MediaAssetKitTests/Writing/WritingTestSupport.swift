import Foundation
import LibAV
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

/// A presented picture: when, how long, and the mean of its luma.
struct PresentedPicture: Equatable {
  var time: MediaTime
  var duration: MediaTime
  var luma: Double

  /// As the library reads it. Pixel formats of 8 bits and planes.
  static func read(_ url: URL) async throws -> [PresentedPicture] {
    guard let track = try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video) else { return [] }
    var pictures: [PresentedPicture] = []
    for try await frame in track.frames() {
      pictures.append(
        PresentedPicture(time: frame.time, duration: frame.duration, luma: try luma(of: frame.pixelBuffer)))
    }
    return pictures
  }

  static func luma(of picture: PixelBuffer) throws -> Double {
    let count = picture.width * picture.height
    return try picture.withPackedBytes { bytes in
      var sum = 0
      for index in 0..<count { sum += Int(bytes[index]) }
      return Double(sum) / Double(count)
    }
  }
}

/// A picture from bytes without padding, as `rawvideo` has them.
func packedPicture(_ bytes: [UInt8], width: Int, height: Int, format: String) throws -> PixelBuffer {
  PixelBuffer(
    try bytes.withUnsafeBytes {
      try Frame.picture(packed: $0, width: width, height: height, format: .named(format), colour: .init())
    })
}

/// Pictures of flat grey, 64 × 48.
func greyPicture(luma: UInt8, width: Int = 64, height: Int = 48) throws -> PixelBuffer {
  let bytes =
    [UInt8](repeating: luma, count: width * height)
    + [UInt8](repeating: 128, count: (width + 1) / 2 * ((height + 1) / 2) * 2)
  return try packedPicture(bytes, width: width, height: height, format: "yuv420p")
}

/// A tone whose samples all differ from their neighbours, from sample `first` on: `count` frames of sound.
func tone(_ count: Int, from first: Int = 0, rate: Int = 48_000, channels: Int = 2) throws -> AudioBuffer {
  var samples: [Int16] = []
  for index in first..<first + count {
    for channel in 0..<channels {
      let phase = Double(index) * 2 * Double.pi * Double(440 * (channel + 1)) / Double(rate)
      samples.append(Int16((12_000 * sin(phase)).rounded()))
    }
  }
  let storage = AudioBuffer.Storage(planeCount: 1, bytesPerPlane: samples.count * 2)
  samples.withUnsafeBytes { bytes in
    if let base = bytes.baseAddress { storage.planes[0].copyMemory(from: base, byteCount: bytes.count) }
  }
  return AudioBuffer(
    storage: storage, offset: 0, sampleCount: count, time: MediaTime(value: Int64(first), timescale: Int32(rate)),
    sampleRate: rate, channels: channels, layout: channels == 2 ? "stereo" : "mono", format: .int16, isPlanar: false)
}

/// Signal to noise in decibels of `actual` against `expected`.
func signalToNoise(_ expected: [Int16], _ actual: [Int16]) -> Double {
  var (signal, noise) = (0.0, 0.0)
  for (left, right) in zip(expected, actual) {
    signal += Double(left) * Double(left)
    noise += (Double(left) - Double(right)) * (Double(left) - Double(right))
  }
  return noise == 0 ? .infinity : 10 * log10(signal / noise)
}
