import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Presets of HTTP Live Streaming: a folder in place of a file.
@Suite struct ExportStreamingTests {
  private func preset(_ name: String, seconds: Int64 = 1) throws -> ExportPreset {
    var preset = try #require(ExportPreset.named(name))
    preset.streaming?.segmentDuration = MediaTime(value: seconds, timescale: 1)
    return preset
  }

  private func judge(_ folder: URL) -> FFmpegJudge {
    FFmpegJudge(folder.appendingPathComponent("master.m3u8"), inputOptions: ["-allowed_extensions", "ALL"])
  }

  /// Whole, and from a sync sample on, pictures are copied; from between two they are encoded, and begin as exactly.
  @Test(arguments: [(0, 300, "copy", "copy"), (100, 220, "copy", "encode"), (110, 230, "encode", "encode")])
  func ranges(_ start: Int64, _ end: Int64, _ pictures: String, _ sounds: String) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("p")
      let plan = try await export(
        source, to: target, try preset("HLS"), from: hundredths(start), to: hundredths(end))
      #expect(plan.fileType == .hls)
      #expect(plan.kept.map(\.action.rawValue) == [pictures, sounds])
      #expect(plan.isCutExact && plan.dropped.isEmpty)
      #expect(contents(folder) == ["p"])
      let wanted = try await FFmpegJudge(source).frameHashes().map(\.hash)[Int(start / 4)..<Int((end + 3) / 4)]
      let made = try await judge(target).frameHashes()
      #expect(made.count == wanted.count)
      if pictures == "copy" { #expect(made.map(\.hash) == Array(wanted)) }
      #expect(made.first?.time == ClipTime(0, 25))
      // Our own reader hears exactly the range; other players may hear the tail of the last packet.
      var policy = ResourcePolicy()
      policy.references = .localOnly
      let playlist = MediaAsset(
        url: target.appendingPathComponent("audio.m3u8"), options: MediaAsset.Options(policy: policy))
      let duration = try await playlist.load(.duration)
      #expect(abs((duration - hundredths(end - start)).seconds) <= 0.022)
    }
  }

  @Test func ladder() async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("p")
      let plan = try await export(
        source, to: target, try preset("HLSLadder"), from: .zero, to: hundredths(200))
      #expect(plan.tracks[0].action == .encode && plan.tracks[0].size == PixelSize(width: 640, height: 360))
      let text = try String(contentsOf: target.appendingPathComponent("master.m3u8"), encoding: .utf8)
      let sizes = text.matches(of: /STREAM-INF:.*RESOLUTION=(\d+x\d+)/).map { String($0.output.1) }
      #expect(sizes.first == "640x360" && sizes.count > 1)
      #expect(plan.tracks[0].reason.contains(sizes[1]))
    }
  }

  @Test func whatAFolderCanNotBe() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("p")
      func code(_ type: FileType? = nil, _ change: (inout ExportSession.Options) -> Void = { _ in }) async throws
        -> MediaError.Code?
      {
        var options = ExportSession.Options()
        change(&options)
        let session = ExportSession(asset: MediaAsset(url: source), preset: try preset("HLS"), options: options)
        do {
          try await session.export(to: target, as: type)
          return nil
        } catch { return (error as? MediaError)?.code }
      }
      let other = try await code(.mp4)
      #expect(other == .operationNotSupported)
      let limited = try await code { $0.fileLengthLimit = 1000 }
      #expect(limited == .operationNotSupported)
      let nobody = try await code { $0.trackIDs = [99] }
      #expect(nobody == .noSourceTrack)
      #expect(contents(folder).isEmpty)
      let types = await ExportSession(asset: MediaAsset(url: source), preset: try preset("HLS")).compatibleFileTypes
      #expect(types == [.hls])
      // Only the chosen track; progress ends at one.
      let session = ExportSession(asset: MediaAsset(url: source), preset: try preset("HLS"))
      session.trackIDs = [2]
      async let heard = session.states(updateInterval: .zero).reduce(into: [Double]()) { list, state in
        if case .exporting(let progress) = state { list.append(progress.fraction) }
      }
      try await session.export(to: target)
      #expect(contents(target).allSatisfy { $0.hasPrefix("audio") || $0 == "master.m3u8" })
      let fractions = await heard
      #expect(fractions == fractions.sorted() && fractions.last == 1)
      let second = try await code()
      #expect(second == .fileAlreadyExists)
    }
  }
}
