import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Playlists: closed by default, opened by the policy alone, each reference asked for.
@Suite struct ReferenceTests {
  /// A playlist of two segments in a folder of its own; the second may lie elsewhere.
  private static func playlist(second: String? = nil, in folder: URL) async throws -> URL {
    let clip = try await GeneratedClip.make(.h264ClosedGroups).url
    try await MediaTool("ffmpeg").check(
      [
        "-nostdin", "-v", "error", "-i", clip.path, "-c", "copy", "-f", "hls", "-hls_time", "2", "-hls_list_size", "0",
        "-hls_segment_filename", folder.appending(path: "part%d.ts").path, folder.appending(path: "list.m3u8").path,
      ], deadline: .seconds(30))
    let list = folder.appending(path: "list.m3u8")
    if let second {
      let text = try String(contentsOf: list, encoding: .utf8).replacingOccurrences(of: "part1.ts", with: second)
      try text.write(to: list, atomically: true, encoding: .utf8)
    }
    return list
  }

  static func options(_ references: ReferenceRestrictions) -> MediaAsset.Options {
    var policy = ResourcePolicy()
    policy.references = references
    return MediaAsset.Options(policy: policy)
  }

  @Test func closedByDefault() async throws {
    try await withScratchFolder { folder in
      let list = try await Self.playlist(in: folder)
      let error = await #expect(throws: MediaError.self) { try await MediaAsset(url: list).load(.tracks) }
      #expect(error?.code == .referenceForbidden)
    }
  }

  @Test func openedByThePolicy() async throws {
    try await withScratchFolder { folder in
      let list = try await Self.playlist(in: folder)
      let asset = MediaAsset(url: list, options: Self.options(.localOnly))
      let (duration, tracks) = try await asset.load(.duration, .tracks)
      #expect(abs(duration.seconds - 4) < 0.001)
      #expect(tracks.map(\.mediaType) == [.video])
      var generator = ImageGenerator(asset: asset)
      generator.requestedTimeToleranceBefore = .zero
      generator.requestedTimeToleranceAfter = .zero
      let image = try await generator.image(at: MediaTime(value: 1, timescale: 1)).image
      // Frame 25 of the clip has luma 16 + 2 · 25.
      #expect(abs(Double(image.pixel(x: 20, y: 20).green) - GeneratedClip.grey(luma: 66)) <= 4)
    }
  }

  @Test func aReferenceThatThePolicyForbidsIsNotFollowed() async throws {
    try await withScratchFolder { folder in
      let silent = try SilentServer()
      defer { silent.stop() }
      let list = try await Self.playlist(second: "http://127.0.0.1:\(silent.port)/part1.ts", in: folder)
      let asset = MediaAsset(url: list, options: Self.options(.localOnly))
      // The first segment serves; nobody may connect for the second.
      _ = try? await asset.load(.duration, .tracks)
      _ = try? await ImageGenerator(asset: asset).image(at: MediaTime(value: 3, timescale: 1))
      #expect(silent.connectionCount == 0)
    }
  }
}
