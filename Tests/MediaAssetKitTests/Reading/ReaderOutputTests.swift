import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Which outputs a reader has, and what it says of those that it has not.
@Suite struct ReaderOutputTests {
  /// Tracks of other assets are refused, also of another instance of the same file.
  @Test func foreignTracks() async throws {
    let url = try await movieClip()
    let (asset, twin) = (MediaAsset(url: url), MediaAsset(url: url))
    let reader = Reader(asset: asset)
    for track in try await twin.load(.tracks) {
      let reason = try #require(reader.reasonAgainst(track, settings: .stored))
      #expect(reason.code == .invalidArgument)
      #expect(reason.reason == "the track belongs to another asset")
      let error = #expect(throws: MediaError.self) { try reader.output(for: track) }
      #expect(error?.reason == reason.reason)
    }
    for track in try await asset.load(.tracks) { #expect(reader.reasonAgainst(track, settings: .stored) == nil) }
  }

  /// Settings of the wrong kind of media, with the reason.
  @Test func wrongKinds() async throws {
    let asset = MediaAsset(url: try await movieClip())
    let reader = Reader(asset: asset)
    let video = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    let audio = try #require(try await asset.loadDefaultTrack(withMediaType: .audio))
    let refused: [(AssetTrack, TrackOutput.Settings, String)] = [
      (video, .audio(AudioOutputSettings()), "sound"), (audio, .video(), "pictures"), (audio, .text, "text"),
      (video, .timecode, "timecode"), (audio, .timecode, "timecode"), (video, .metadata, "timed metadata"),
    ]
    for (track, settings, word) in refused {
      let reason = try #require(reader.reasonAgainst(track, settings: settings))
      #expect(reason.code == .invalidArgument && reason.reason.hasPrefix(word + " ") == true, "\(reason)")
    }
    let bad = Reader(asset: asset, timeRange: MediaTimeRange(start: .invalid, duration: .zero))
    #expect(bad.reasonAgainst(video, settings: .stored)?.reason == "the time range is not valid")
  }

  /// No output gives samples of nothing, where an edit list presents nothing either; every sample is one, and says where
  /// its bytes lie.
  @Test func noMarkers() async throws {
    let url = try await GeneratedClip.make(.emptyEdit).url
    let asset = MediaAsset(url: url)
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    let bytes = [UInt8](try Data(contentsOf: url))
    var count = 0
    for try await sample in try Reader(asset: asset).output(for: track) {
      let stored = try #require(sample.stored)
      let offset = Int(try #require(stored.offset))
      let isSame = stored.withBytes { span in span.indices.allSatisfy { span[$0] == bytes[offset + $0] } }
      #expect(stored.size > 0 && isSame)
      count += 1
    }
    #expect(count == (try await FFmpegJudge(url).packets(.firstVideo).count))
  }
}
