import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Options of a session beside its range: folders, threads, trial estimates, HDR that is brought down.
@Suite struct ExportOptionTests {
  @Test func theFolderForTemporaryFilesIsLookedAtFirst() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let missing = folder.appendingPathComponent("missing")
      let file = folder.appendingPathComponent("file")
      try Data([1]).write(to: file)
      for place in [missing, file, try #require(URL(string: "http://localhost/"))] {
        let target = folder.appendingPathComponent("o.mp4")
        await #expect(throws: MediaError.self) {
          try await export(source, to: target, .passthrough) { $0.directoryForTemporaryFiles = place }
        }
        #expect(contents(folder) == ["file"])
      }
      try await export(source, to: folder.appendingPathComponent("o.mp4"), .passthrough) {
        $0.directoryForTemporaryFiles = folder
      }
      #expect(contents(folder).sorted() == ["file", "o.mp4"])
    }
  }

  /// A trial tells the size within the bounds that it states, and leaves nothing behind.
  @Test(arguments: [(ExportPreset.size640x480, FileType.mp4), (.webM, .webm)])
  func trialsTellTheSize(_ preset: ExportPreset, _ type: FileType) async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let temporary = folder.appendingPathComponent("t")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let session = ExportSession(asset: MediaAsset(url: source), preset: preset)
      session.directoryForTemporaryFiles = temporary
      let estimate = try #require(try await session.trialEstimate(for: type))
      #expect(estimate.isTried)
      #expect(contents(temporary).isEmpty)
      let target = folder.appendingPathComponent("o")
      try await session.export(to: target, as: type)
      let size = Int64(try #require(try target.resourceValues(forKeys: [.fileSizeKey]).fileSize))
      #expect(estimate.bounds.contains(size), "\(estimate), and it has \(size)")
      #expect(estimate.bounds.contains(estimate.length))
    }
  }

  /// What is known needs no trial.
  @Test func copiesNeedNoTrial() async throws {
    let session = ExportSession(asset: MediaAsset(url: try await longClip()), preset: .passthrough)
    let estimate = try #require(try await session.trialEstimate(for: .mp4))
    #expect(!estimate.isTried)
    #expect(estimate.length == (try await session.estimatedOutputFileLength(for: .mp4)))
  }

  /// Alike stretches: the mean, and narrow bounds; unlike ones: wide bounds.
  @Test func spreadMakesBoundsWide() throws {
    func trial(_ bytes: [Int64]) -> ExportTrial {
      ExportTrial(bytes.map { ExportTrial.Stretch(seconds: 1, bytes: $0) }, isWhole: false)
    }
    let minute = MediaTime(value: 60, timescale: 1)
    let even = try #require(trial([1000, 1000, 1000, 1000]).estimate(for: minute))
    #expect(even.length == 60_000 && even.bounds == 45_000...75_000)
    let uneven = try #require(trial([100, 1900, 500, 1500]).estimate(for: minute))
    #expect(uneven.length == 60_000 && uneven.bounds.lowerBound < 20_000)
    #expect(trial([]).estimate(for: minute) == nil)
  }

  /// Exports at the same time share the threads; one that may not spread has one.
  @Test func exportsShareTheThreads() {
    #expect(EncodingShare(isAlone: false).threads == 1)
    let many = (0..<8).map { _ in EncodingShare(isAlone: true) }
    #expect(
      many.last.map { $0.threads <= max(1, MediaConfiguration.current.threadBudget / 8) || $0.threads == 1 } == true)
  }

  /// Devices' H.264 has eight bits: HDR is brought to BT.709, as stills are, and the plan says so.
  @Test func hdrIsBroughtDownWhereItCannotBeHeld() async throws {
    let source = try await madeClip(
      "export-pq.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=1", "-vf",
        "format=yuv420p10le,setparams=color_primaries=bt2020:colorspace=bt2020nc:color_trc=smpte2084:range=tv", "-c:v",
        "libx265",
        "-x265-params", "log-level=error", "-tag:v", "hvc1", "-color_primaries", "bt2020", "-color_trc", "smpte2084",
        "-colorspace", "bt2020nc", "-color_range", "tv",
      ])
    let preset = try #require(ExportPreset.named("AppleM4V720pHD"))
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.m4v")
      let plan = try await export(source, to: target, preset)
      #expect(plan.tracks[0].isToneMapped)
      #expect(plan.tracks[0].notes.contains { $0.contains("BT.709") })
      let stream = try #require(try await FFmpegJudge(target).streams("video").first)
      #expect(stream["pix_fmt"]?.text == "yuv420p")
      #expect(stream["color_transfer"]?.text == "bt709")
      #expect(stream["color_primaries"]?.text == "bt709")
      #expect(stream["color_space"]?.text == "bt709")
      var generator = ImageGenerator(asset: MediaAsset(url: source))
      generator.dynamicRangePolicy = .forceSDR
      let wanted = try await generator.image(at: .zero).image
      let made = try await ImageGenerator(asset: MediaAsset(url: target)).image(at: .zero).image
      #expect(made.size == wanted.size)
      var (sum, count) = (0, 0)
      for y in stride(from: 0, to: wanted.height, by: 7) {
        for x in stride(from: 0, to: wanted.width, by: 7) {
          let (a, b) = (wanted.pixel(x: x, y: y), made.pixel(x: x, y: y))
          sum += abs(Int(a.red) - Int(b.red)) + abs(Int(a.green) - Int(b.green)) + abs(Int(a.blue) - Int(b.blue))
          count += 3
        }
      }
      // Chroma is halved, and the coding is not without loss.
      #expect(sum / max(1, count) < 8, "a mean difference of \(sum / max(1, count))")
    }
    // Ten bits hold it.
    let kept = try await ExportSession(asset: MediaAsset(url: source), preset: .highestQuality).plan(for: .mp4)
    #expect(!kept.tracks[0].isToneMapped)
  }

  /// Two passes keep to the rate where pictures get harder; sound waits for the second.
  @Test func twoPasses() async throws {
    let source = try await madeClip(
      "passes.mkv",
      [
        "-f", "lavfi", "-i", "color=gray:s=160x96:r=25:d=2", "-f", "lavfi", "-i", "testsrc2=s=160x96:r=25:d=2", "-f",
        "lavfi", "-i", "sine=440:r=48000:d=4", "-filter_complex",
        "[1]noise=alls=40:allf=t[n];[0][n]concat,format=yuv420p[v]", "-map", "[v]", "-map", "2:a", "-c:v", "ffv1",
        "-c:a", "flac",
      ])
    var preset = ExportPreset.highestQuality
    preset.video = .encode(VideoSettings(codec: "h264", averageBitRate: 300_000))
    try await withScratchFolder { folder in
      let temporary = folder.appendingPathComponent("t")
      try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: false)
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(asset: MediaAsset(url: source), preset: preset)
      session.canPerformMultiplePassesOverSourceMediaData = true
      session.directoryForTemporaryFiles = temporary
      async let heard = session.states(updateInterval: .zero).reduce(into: [Double]()) { list, state in
        if case .exporting(let progress) = state { list.append(progress.fraction) }
      }
      try await session.export(to: target)
      let fractions = await heard
      #expect(fractions == fractions.sorted() && fractions.last == 1)
      #expect(fractions.contains { $0 > 0.1 && $0 < 0.5 } && fractions.contains { $0 > 0.55 && $0 < 1 })
      #expect(contents(temporary).isEmpty)
      // In one pass the command makes thrice of it what the rate allows; four seconds of it are 150 000 bytes.
      let single = temporary.appendingPathComponent("single.mp4")
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y", "-i", source.path, "-an", "-c:v", "libx264", "-b:v", "300k", single.path])
      func bytes(_ url: URL) async throws -> Int {
        try await FFmpegJudge(url).packets().reduce(0) { $0 + $1.size }
      }
      let (made, judged) = (try await bytes(target), try await bytes(single))
      #expect(judged > 300_000)
      #expect(made < 165_000, "\(made) bytes")
      #expect(try await FFmpegJudge(target).frameHashes().count == 100)
      #expect(try await Sound.read16(target).count == 4 * 48_000)
    }
  }

  /// A range and a limit together: the file begins where the range does, and ends early.
  @Test(arguments: [ExportPreset.passthrough, .size640x480])
  func limitWithinARange(_ preset: ExportPreset) async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let (short, long) = (folder.appendingPathComponent("s.mp4"), folder.appendingPathComponent("l.mp4"))
      try await export(source, to: short, preset, from: hundredths(450), to: hundredths(1850)) {
        $0.fileLengthLimit = preset == .passthrough ? 300_000 : 60_000
      }
      try await export(source, to: long, .passthrough, from: hundredths(450), to: hundredths(1850))
      let duration = try await MediaAsset(url: short).load(.duration)
      #expect(duration < MediaTime(value: 13, timescale: 1) && duration > MediaTime(value: 1, timescale: 10))
      let size = try #require(try await MediaAsset(url: short).load(.fileSize))
      #expect(size < 1_400_000)
      for track in try await MediaAsset(url: short).load(.tracks) {
        #expect(abs((try await track.load(.timeRange).end - duration).seconds) <= 0.045)
      }
      guard preset == .passthrough else { return }
      let (made, wanted) = (
        try await FFmpegJudge(short).frameHashes().map(\.hash), try await FFmpegJudge(long).frameHashes().map(\.hash)
      )
      #expect(made.count > 2 && made.count < wanted.count)
      #expect(made == Array(wanted.prefix(made.count)))
      let estimated = try await session(source) {
        $0.timeRange = MediaTimeRange(start: hundredths(450), end: hundredths(1850))
        $0.fileLengthLimit = 300_000
      }.estimatedMaximumDuration(for: .mp4)
      #expect(estimated < MediaTime(value: 13, timescale: 1))
    }
  }

  private func session(_ source: URL, _ change: (inout ExportSession.Options) -> Void) -> ExportSession {
    var options = ExportSession.Options()
    change(&options)
    return ExportSession(asset: MediaAsset(url: source), preset: .passthrough, options: options)
  }

  /// A filter of items: the asset's own are asked about, the caller's are not.
  @Test(arguments: ["mp4", "mov", "mkv"]) func filtersOfItems(_ type: String) async throws {
    let source = try await madeClip(
      "filter.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=64x48:r=25:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-metadata",
        "title=T", "-metadata", "artist=A", "-metadata", "album=L", "-metadata", "creation_time=2022-11-09T17:36:38Z",
      ])
    try await withScratchFolder { folder in
      func tags(_ name: String, _ change: (inout ExportSession.Options) -> Void) async throws -> JSONValue? {
        let url = folder.appendingPathComponent(name + "." + type)
        try await export(source, to: url, .passthrough, change)
        return try await FFmpegJudge(url).probe()["format"]?["tags"]
      }
      func text(_ tags: JSONValue?, _ key: String) -> String? { (tags?[key] ?? tags?[key.uppercased()])?.text }
      let left = try await tags("a") {
        $0.metadataFilter = .items { $0.commonKey != .artist && $0.commonKey != .creationDate }
      }
      #expect(text(left, "title") == "T" && text(left, "album") == "L")
      #expect(text(left, "artist") == nil && text(left, "creation_time") == nil)
      let own = try await tags("b") {
        $0.metadataFilter = .items { _ in false }
        $0.metadataTags = ["artist": "mine"]
      }
      #expect(text(own, "title") == nil && text(own, "artist") == "mine")
      let shared = try await tags("c") { $0.metadataFilter = .forSharing }
      #expect(text(shared, "title") == "T" && text(shared, "creation_time") == nil)
    }
  }
}
