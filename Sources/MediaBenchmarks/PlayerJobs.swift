import FoundationEssentials
import MediaAssetKit

/// Writes the files that `scripts/players` plays, into the folder in `FLOOR_OUT`.
enum PlayerJobs {
  static func write(_ source: URL) async throws -> Int {
    let folder = URL(filePath: ProcessInfo.processInfo.environment["FLOOR_OUT"] ?? ".")
    var first = Writer.Options()
    first.shouldOptimizeForNetworkUse = true
    var fragments = Writer.Options()
    fragments.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
    let small = PixelSize(width: 320, height: 180)
    let h264 = VideoSettings(codec: "h264", size: small, quality: 0.6)
    let files: [(String, FileType, Writer.Options, VideoSettings?, String)] = [
      ("passed.mp4", .mp4, first, nil, ""), ("encoded.mp4", .mp4, .init(), h264, "aac"),
      ("encoded.webm", .webm, .init(), VideoSettings(codec: "vp9", size: small, quality: 0.5), "opus"),
      ("fragmented.mp4", .mp4, fragments, h264, "aac"), ("fragmented-passed.mp4", .mp4, fragments, nil, ""),
    ]
    for (name, type, options, video, audio) in files {
      let url = folder.appending(path: name)
      try await withWriter(url: url, fileType: type, options: options) { writer in
        try await fill(writer, from: MediaAsset(url: source), video, audio)
      }
    }
    // Segments one after another are a file too.
    var options = Writer.Options()
    options.preferredOutputSegmentInterval = MediaTime(value: 2, timescale: 1)
    let writer = try Writer(contentType: .mp4, profile: .mpeg4AppleHLS, options: options)
    async let bytes = joined(writer)
    try await fill(writer, from: MediaAsset(url: source), h264, "aac")
    try await writer.finishWriting()
    try Data(try await bytes).write(to: folder.appending(path: "fragmented-segments.mp4"))
    return files.count + 1
  }

  private static func joined(_ writer: Writer) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await segment in writer.segments { bytes += segment.data }
    return bytes
  }

  private static func fill(
    _ writer: Writer, from asset: MediaAsset, _ video: VideoSettings?, _ audio: String
  ) async throws {
    var pairs: [(Writer.Input, TrackOutput)] = []
    let reader = Reader(asset: asset)
    for track in try await asset.load(.tracks) {
      if let video, track.mediaType == .video {
        pairs.append((try writer.add(.init(video: video)), try reader.output(for: track, settings: .video())))
      } else if video != nil {
        let input = try writer.add(Writer.Input(audio: AudioSettings(codec: audio)))
        pairs.append((input, try reader.output(for: track, settings: .audio(AudioOutputSettings()))))
      } else {
        pairs.append((try writer.add(try await .passthrough(of: track)), try reader.output(for: track)))
      }
    }
    try await writer.start()
    try writer.startSession(at: .zero)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (input, output) in pairs {
        group.addTask {
          for try await sample in output { try await input.append(sample) }
          input.finish()
        }
      }
      try await group.waitForAll()
    }
  }
}
