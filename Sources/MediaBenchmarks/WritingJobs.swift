import FoundationEssentials
import MediaAssetKit

/// Jobs that write files: to the name in `FLOOR_OUT`, as the floor's.
enum WritingJobs {
  static var output: URL {
    URL(filePath: ProcessInfo.processInfo.environment["FLOOR_OUT"] ?? "out_bench.mp4")
  }

  static let types: [String: FileType] = [
    "mp4": .mp4, "mov": .mov, "m4a": .m4a, "mkv": .mkv, "webm": .webm, "ts": .mpegTS, "ogg": .ogg,
  ]

  /// Copies the stored samples of all tracks into a new file, of the type that its name says. The floor does not wait for the disk, nor does this.
  static func remux(_ url: URL, isHeaderFirst: Bool) async throws -> Int {
    var options = Writer.Options()
    options.synchronizesToDisk = false
    options.shouldOptimizeForNetworkUse = isHeaderFirst
    return try await remux(url, options)
  }

  /// Copies in fragments of a second, `pause` milliseconds a sample: something to be killed meanwhile.
  static func record(_ url: URL, pause: Int) async throws -> Int {
    var options = Writer.Options()
    options.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
    return try await remux(url, options, pause: .milliseconds(pause))
  }

  private static func remux(_ url: URL, _ options: Writer.Options, pause: Duration = .zero) async throws -> Int {
    let asset = MediaAsset(url: url)
    let tracks = try await asset.load(.tracks)
    var options = options
    options.overwritesExisting = true
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
              if pause > .zero { try await Task.sleep(for: pause) }
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
