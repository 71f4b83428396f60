import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Exact cuts without edit lists: pictures at the edges encoded, the others copied.
@Suite struct ExportEdgeTests {
  struct Way: Sendable, CustomTestStringConvertible {
    var name: String
    var coder: [String]
    var sound: [String]
    var source: String
    var target: String
    var cut = ExportSession.Cut.exact
    var testDescription: String { "\(name) \(source) → \(target)" }
  }

  private static let x264 = ["-c:v", "libx264", "-bf", "3", "-g", "25"]
  private static let x265 = [
    "-c:v", "libx265", "-x265-params", "log-level=error:keyint=25:bframes=3:open-gop=1", "-tag:v", "hvc1",
  ]
  private static let aac = ["-c:a", "aac"]
  private static let opus = ["-c:a", "libopus"]
  static let ways = [
    Way(name: "h264", coder: x264, sound: aac, source: "mp4", target: "mkv"),
    Way(name: "h264", coder: x264, sound: aac, source: "mp4", target: "ts"),
    Way(name: "h264", coder: x264, sound: aac, source: "mp4", target: "mp4", cut: .clean),
    Way(name: "h264", coder: x264, sound: aac, source: "ts", target: "mkv"),
    Way(name: "h264", coder: x264, sound: aac, source: "mkv", target: "mkv"),
    Way(name: "hevc", coder: x265, sound: aac, source: "mp4", target: "mkv"),
    Way(name: "hevc", coder: x265, sound: aac, source: "mp4", target: "mp4", cut: .clean),
    Way(name: "hevc", coder: Array(x265.dropLast(2)), sound: aac, source: "ts", target: "ts"),
    Way(name: "vp9", coder: ["-c:v", "libvpx-vp9", "-g", "25"], sound: opus, source: "webm", target: "webm"),
    Way(
      name: "av1", coder: ["-c:v", "libaom-av1", "-cpu-used", "8", "-g", "25"], sound: opus, source: "mkv",
      target: "mkv"),
    Way(
      name: "mpeg2", coder: ["-c:v", "mpeg2video", "-q:v", "3", "-bf", "2", "-g", "15"], sound: ["-c:a", "mp2"],
      source: "ts", target: "mkv"),
  ]

  private struct Shown {
    var time: MediaTime
    var duration: MediaTime
    var hash: String
    var bytes: BytePlane
  }

  private static func shown(_ url: URL) async throws -> [Shown] {
    let track = try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: .video))
    var frames: [Shown] = []
    for try await frame in track.frames() {
      let bytes = try frame.pixelBuffer.withPackedBytes { span in span.indices.map { span[$0] } }
      frames.append(
        Shown(
          time: frame.time, duration: frame.duration, hash: try frame.pixelBuffer.md5(),
          bytes: BytePlane(bytes, width: bytes.count, height: 1)))
    }
    return frames
  }

  @Test(arguments: ways)
  func randomRanges(_ way: Way) async throws {
    let source = try await madeClip(
      "edges-\(way.name).\(way.source)",
      ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=4", "-f", "lavfi", "-i", "sine=440:r=48000:d=4"] + way.coder
        + ["-pix_fmt", "yuv420p"] + way.sound)
    let all = try await Self.shown(source)
    #expect(all.count == 100)
    // All of them: 200 ranges of each codec.
    let peers = Self.ways.filter { $0.name == way.name }.count
    let rounds = ProcessInfo.processInfo.environment["MEDIA_ALL"] == nil ? 4 : (200 + peers - 1) / peers
    var generator = SeededGenerator(seed: UInt64(way.testDescription.utf8.reduce(0) { $0 &* 31 &+ Int($1) } & 0xFFFF))
    var copied = 0
    try await withScratchFolder { folder in
      // Between two packets of sound; a millisecond before a picture ends and one after one begins.
      var ranges: [(Int64, Int64)] = [(1354, 2283), (1319, 2281)]
      for _ in 0..<rounds {
        let first = Int64.random(in: 0..<3000, using: &generator)
        ranges.append((first, Int64.random(in: first + 100...3950, using: &generator)))
      }
      for (index, (first, last)) in ranges.enumerated() {
        let (start, end) = (MediaTime(value: first, timescale: 1000), MediaTime(value: last, timescale: 1000))
        let target = folder.appendingPathComponent("\(index).\(way.target)")
        let plan = try await export(source, to: target, .passthrough, from: start, to: end) { $0.cut = way.cut }
        let range = "\(first)...\(last)"
        #expect(plan.presentedRange == MediaTimeRange(start: start, end: end))
        let pictures = try #require(plan.tracks.first { $0.mediaType == .video })
        #expect(pictures.action == .copy && pictures.isCutExact, "\(range): \(pictures.reason)")
        let edges = try #require(pictures.edges)
        let wanted = all.filter { $0.time + $0.duration > start && $0.time < end }
        let made = try await Self.shown(target)
        try #require(made.count == wanted.count, "\(range)")
        // Transport streams begin where their sound does, a little before the pictures or behind.
        let shift = way.target == "ts" ? made[0].time : .zero
        for (new, old) in zip(made, wanted) {
          let time = max(old.time, start) - start
          // Matroska counts milliseconds.
          #expect(abs((new.time - shift - time).seconds) <= 0.0011, "\(range) at \(time.seconds)")
          if old.time >= edges.copyStart, old.time < edges.copyEnd {
            #expect(new.hash == old.hash, "\(range) at \(time.seconds)")
            copied += 1
          } else {
            let ratio = try #require(new.bytes.peakSignalToNoiseRatio(to: old.bytes))
            #expect(ratio >= 45, "\(range) at \(time.seconds)")
          }
        }
        // Nothing else is in the file, and other players show the same.
        #expect(try await FFmpegJudge(target).packets().count == wanted.count, "\(range)")
        let judged = try await FFmpegJudge(target).frameHashes()
        #expect(judged.map(\.hash) == made.map(\.hash), "\(range)")
        guard !["ts"].contains(way.target), way.name != "mpeg2" else { continue }
        let sound = try await Sound.read16(target)
        // Copied Opus begins and ends where Matroska's milliseconds say: half of one at either end is not known.
        let slack: Int64 = way.sound == Self.opus ? 48 : 1
        #expect(abs(Int64(sound.count) - (last - first) * 48) <= slack, "\(range): \(sound.count) samples")
      }
    }
    #expect(copied > 0)
  }

  /// What can't be joined is encoded as a whole, and the plan says why.
  @Test func whatCannotBeJoinedIsEncoded() async throws {
    let source = try await madeClip(
      "edges-mpeg4.mkv",
      ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=4", "-c:v", "mpeg4", "-g", "25", "-bf", "2"])
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mkv")
      let plan = try await export(source, to: target, .passthrough, from: hundredths(130), to: hundredths(330)) {
        $0.cut = .exact
      }
      #expect(plan.tracks[0].action == .encode)
      #expect(plan.tracks[0].reason.contains("copies of mpeg4 can't follow encoded pictures"))
      #expect(try await Self.shown(target).count == 51)
    }
  }

  /// A range that ends with the asset has no edge there; one that begins at a sync sample none at all.
  @Test func onlyWhatIsCutIsEncoded() async throws {
    let source = try await madeClip(
      "edges-h264.mp4",
      ["-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=4", "-f", "lavfi", "-i", "sine=440:r=48000:d=4"] + Self.x264
        + ["-pix_fmt", "yuv420p"] + Self.aac)
    for (from, isHead) in [(100, false), (130, true)] as [(Int64, Bool)] {
      let session = ExportSession(asset: MediaAsset(url: source), preset: .passthrough)
      session.timeRange = MediaTimeRange(start: hundredths(from), duration: .positiveInfinity)
      session.cut = .exact
      let plan = try await session.plan(for: .mkv)
      #expect(plan.tracks[0].edges?.encodesHead == isHead)
      #expect(plan.tracks[0].edges?.encodesTail == false)
      #expect(plan.isCutExact)
      // An edit list is exact already.
      let movie = try await session.plan(for: .mp4)
      #expect(movie.tracks[0].edges == nil && movie.isCutExact && movie.isPassthrough)
    }
  }
}
