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
        "-f", "lavfi", "-i", "testsrc2=s=320x180:r=25:d=1", "-vf", "format=yuv420p10le", "-c:v", "libx265",
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
}
