import FoundationEssentials
import MediaAssetKit

/// Jobs that write files: to the name in `FLOOR_OUT`, as the floor's.
enum WritingJobs {
  private static var output: URL {
    URL(filePath: ProcessInfo.processInfo.environment["FLOOR_OUT"] ?? "out_bench.mp4")
  }

  private static let types: [String: FileType] = [
    "mp4": .mp4, "mov": .mov, "m4a": .m4a, "mkv": .mkv, "webm": .webm, "ts": .mpegTS, "ogg": .ogg,
  ]

  /// Copies the stored samples of all tracks into a new file, of the type that its name says. The floor does not wait for the disk, nor does this.
  static func remux(_ url: URL, isHeaderFirst: Bool) async throws -> Int {
    let asset = MediaAsset(url: url)
    let tracks = try await asset.load(.tracks)
    var options = Writer.Options()
    options.overwritesExisting = true
    options.synchronizesToDisk = false
    options.shouldOptimizeForNetworkUse = isHeaderFirst
    return try await withWriter(url: output, fileType: types[output.pathExtension] ?? .mp4, options: options) {
      writer in
      for track in tracks { try writer.add(try await .passthrough(of: track)) }
      try await writer.start()
      try writer.startSession(at: .zero)
      let reader = Reader(asset: asset)
      return try await withThrowingTaskGroup(of: Int.self) { group in
        for (input, track) in zip(writer.inputs, tracks) {
          group.addTask {
            var count = 0
            for try await sample in try reader.output(for: track) {
              try await input.append(sample)
              count += 1
            }
            input.finish()
            return count
          }
        }
        return try await group.reduce(0, +)
      }
    }
  }
}
