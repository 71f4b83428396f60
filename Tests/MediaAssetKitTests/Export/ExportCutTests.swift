import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Copied cuts present exactly the range, wherever it lies.
@Suite struct ExportCutTests {
  private struct Shown: Equatable {
    var time: MediaTime
    var duration: MediaTime
    var hash: String
  }

  private static let coders: [(name: String, options: [String])] = [
    ("h264", ["-c:v", "libx264", "-bf", "3", "-g", "25"]),
    ("open", ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=25:bframes=3"]),
    ("hevc", ["-c:v", "libx265", "-x265-params", "log-level=error:keyint=25:bframes=3", "-tag:v", "hvc1"]),
    ("vp9", ["-c:v", "libvpx-vp9", "-g", "25"]),
    ("av1", ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "25"]),
  ]

  private static func shown(_ url: URL) async throws -> [Shown] {
    let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
    var frames: [Shown] = []
    for try await frame in track.frames() {
      frames.append(Shown(time: frame.time, duration: frame.duration, hash: try frame.pixelBuffer.md5()))
    }
    return frames
  }

  /// Pictures bit for bit, at their times, the first and the last as long as the range leaves them; sound to the sample.
  @Test(arguments: 0..<5)
  func randomRanges(_ coder: Int) async throws {
    let (name, options) = Self.coders[coder]
    let source = try await madeClip(
      "cut-\(name).mp4",
      ["-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=4", "-f", "lavfi", "-i", "sine=440:r=48000:d=4"] + options + [
        "-pix_fmt", "yuv420p", "-c:a", "aac",
      ])
    let all = try await Self.shown(source)
    #expect(all.count == 100)
    var generator = SeededGenerator(seed: UInt64(40 + coder))
    try await withScratchFolder { folder in
      let rounds = ProcessInfo.processInfo.environment["MEDIA_ALL"] == nil ? 6 : 200
      for index in 0..<rounds {
        let first = Int64.random(in: 0..<3900, using: &generator)
        let last = Int64.random(in: first + 30...4000, using: &generator)
        let (start, end) = (MediaTime(value: first, timescale: 1000), MediaTime(value: last, timescale: 1000))
        let target = folder.appendingPathComponent("\(index).mp4")
        try await export(source, to: target, .passthrough, from: start, to: end)
        let wanted = all.filter { $0.time + $0.duration > start && $0.time < end }.map { frame in
          let time = max(frame.time, start)
          return Shown(time: time - start, duration: min(frame.time + frame.duration, end) - time, hash: frame.hash)
        }
        let made = try await Self.shown(target)
        #expect(made.map(\.hash) == wanted.map(\.hash), "\(name) \(first)...\(last)")
        // The tracks' clocks count in 12 800ths.
        for (left, right) in zip(made, wanted) {
          #expect(abs((left.time - right.time).seconds) <= 1 / 12_800)
          #expect(abs((left.duration - right.duration).seconds) <= 2 / 12_800)
        }
        let sound = try await Sound.read16(target)
        #expect(abs(Int64(sound.count) - (last - first) * 48) <= 1)
      }
    }
  }
}
