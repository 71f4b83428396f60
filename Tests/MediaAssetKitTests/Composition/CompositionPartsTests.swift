import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Clips that are copied between others that are drawn and encoded, in one track.
@Suite struct CompositionPartsTests {
  private func time(_ value: Int64, _ scale: Int32 = 25) -> MediaTime { MediaTime(value: value, timescale: scale) }
  private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
    MediaTimeRange(start: time(start), end: time(end))
  }

  /// One second of a test picture with reordered pictures, a sync sample every ten.
  private func clip(_ codec: [String] = ["-c:v", "libx264", "-bf", "2"], _ name: String = "mp4") async throws -> URL {
    try await madeClip(
      "parts-\(codec.joined(separator: "_")).\(name)",
      ["-f", "lavfi", "-i", "testsrc2=s=128x96:r=25:d=1"] + codec + ["-g", "10", "-pix_fmt", "yuv420p"])
  }

  /// The mean luma of pictures, and what the file shows of them.
  private func lumas(_ url: URL) async throws -> [Double] { try await FFmpegJudge(url).luma().map(\.luma) }

  /// A slow clip between two that are copied: those keep every bit, all stay in their places.
  @Test(arguments: [
    (["-c:v", "libx264", "-bf", "2"], "mp4"), (["-c:v", "libx264", "-bf", "2"], "mkv"),
    (["-c:v", "libx265", "-x265-params", "log-level=error", "-tag:v", "hvc1"], "mp4"),
    (["-c:v", "libvpx-vp9", "-b:v", "1M"], "mkv"), (["-c:v", "mpeg2video", "-q:v", "2", "-bf", "2"], "ts"),
  ])
  func copiedAroundAScaledClip(codec: [String], type: String) async throws {
    let clip = try await clip(codec, codec[1] == "libvpx-vp9" ? "mkv" : codec[1] == "mpeg2video" ? "ts" : "mp4")
    var film = try await Composition.joined([clip, clip, clip])
    let id = film.tracks[0].id
    try film[id].scaleTimeRange(range(25, 50), toDuration: time(50))
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.\(type)")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      let track = try #require(plan.kept.first)
      #expect(track.action == .copy && !plan.isPassthrough)
      #expect(track.parts?.map(\.isCopied) == [true, false, true], "\(track.reason)")
      #expect(track.parts?.map(\.timeRange) == [range(0, 25), range(25, 75), range(75, 100)])
      #expect(track.reason.contains("another speed"))
      let own = try await FFmpegJudge(clip).frameHashes().map(\.hash)
      let made = try await FFmpegJudge(target).frameHashes()
      #expect(made.count == 75)
      #expect(made.prefix(25).map(\.hash) == own)
      #expect(made.suffix(25).map(\.hash) == own)
      let (expected, shown) = (try await lumas(clip), try await FFmpegJudge(target).luma())
      let start = shown.first?.time.seconds ?? 0
      for (number, frame) in shown.dropFirst(25).prefix(25).enumerated() {
        #expect(abs(frame.luma - expected[number]) < 1.5)
        #expect(abs(frame.time.seconds - start - (1 + Double(number) * 2 / 25)) < 0.003)
      }
    }
  }

  /// Cuts between sync samples: only the pictures at the edges are encoded, and every picture is the right one.
  @Test func cutsWithinGroups() async throws {
    let clip = try await clip()
    let source = try #require(try await MediaAsset(url: clip).loadDefaultTrack(withMediaType: .video))
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .video)
    try await film[id].insertTimeRange(range(3, 25), of: source, at: .zero)
    try await film[id].insertTimeRange(range(7, 18), of: source, at: .invalid)
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      let parts = try #require(plan.kept.first?.parts)
      #expect(parts.first?.isCopied == false && parts.contains(where: \.isCopied))
      #expect(parts.first?.timeRange == range(0, 7))
      let expected = try await lumas(clip)
      let shown = try await lumas(target)
      #expect(shown.count == 33)
      for (number, source) in (Array(3..<25) + Array(7..<18)).enumerated() {
        #expect(abs(shown[number] - expected[source]) < 0.5, "picture \(number)")
      }
      #expect(try await MediaAsset(url: target).load(.duration) == time(33))
      // Pictures 10 to 24 of the clip are bit for bit those of the first segment.
      let own = try await FFmpegJudge(clip).frameHashes().map(\.hash)
      let made = try await FFmpegJudge(target).frameHashes().map(\.hash)
      #expect(Array(made[7..<17]) == Array(own[10..<20]))
    }
  }

  /// A gap and a clip of another size are drawn; what is coded as most of the film is stays.
  @Test func gapsAndOtherSizes() async throws {
    let clip = try await clip()
    let other = try await madeClip(
      "parts-other.mp4",
      ["-f", "lavfi", "-i", "color=white:s=64x96:r=25:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p"])
    var film = try await Composition.joined([clip, other, clip])
    try film.insertEmptyTimeRange(range(75, 75))
    let source = try #require(try await MediaAsset(url: clip).loadDefaultTrack(withMediaType: .video))
    try await film[film.tracks[0].id].insertTimeRange(range(0, 25), of: source, at: time(85))
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      #expect(plan.kept.first?.parts?.map(\.isCopied) == [true, false, true, false, true])
      let asset = MediaAsset(url: target)
      #expect(try await asset.load(.duration) == time(110))
      func luma(_ second: Int64, _ x: Int) async throws -> Int {
        var generator = ImageGenerator(asset: asset)
        (generator.requestedTimeToleranceBefore, generator.requestedTimeToleranceAfter) = (.zero, .zero)
        let image = try await generator.image(at: time(second)).image
        return image.withRowBytes(48) { Int($0[4 * x + 1]) }
      }
      // Drawn whole into the first clip's size, with black beside it; black in the gap.
      #expect(try await luma(30, 64) > 245)
      #expect(try await luma(30, 4) < 10)
      #expect(try await luma(80, 64) < 10)
    }
  }

  /// Passthrough encodes nothing unless it is asked to be exact.
  @Test func passthroughEncodesOnlyWhenAsked() async throws {
    let clip = try await clip()
    let source = try #require(try await MediaAsset(url: clip).loadDefaultTrack(withMediaType: .video))
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .video)
    try await film[id].insertTimeRange(range(3, 25), of: source, at: .zero)
    let session = ExportSession(composition: film, preset: .passthrough)
    let refusal = await session.reasonAgainst(.mp4)
    #expect(refusal?.reason.contains("between two sync samples") == true)
    session.cut = .exact
    let plan = try await session.plan(for: .mp4)
    #expect(plan.kept.first?.parts?.map(\.isCopied) == [false, true])
  }

  /// PCM is joined on the sample without being touched: 24 bits stay.
  @Test(arguments: ["pcm_s24le", "pcm_s16le", "pcm_f32le"], ["mov", "wav"])
  func uncompressedSoundIsCopied(codec: String, type: String) async throws {
    let clip = try await madeClip(
      "pcm-\(codec).wav",
      ["-f", "lavfi", "-i", "aevalsrc='0.3*sin(2*PI*441*t)+0.2*sin(2*PI*1234.5*t)':s=48000:d=1", "-c:a", codec])
    let source = Composition.Segment.Source(url: clip, trackID: 1)
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    let cut = MediaTime(value: 12_345, timescale: 48_000)
    try film[id].insertTimeRange(MediaTimeRange(start: cut, end: time(1, 1)), of: source, at: .zero)
    try film[id].insertTimeRange(MediaTimeRange(start: .zero, duration: cut), of: source, at: .invalid)
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.\(type)")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      #expect(plan.kept.map(\.action) == [.copy], "\(plan.tracks.map(\.reason))")
      #expect(plan.isPassthrough)
      // Eight bytes hold every sample of each exactly.
      let own = try await FFmpegJudge(clip).samples("f64le")
      let made = try await FFmpegJudge(target).samples("f64le")
      #expect(made == Array(own[(8 * 12_345)...] + own[..<(8 * 12_345)]))
    }
  }
}
