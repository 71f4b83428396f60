import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Stored samples through Reader and Writer: the same bytes at the same times.
@Suite struct PassthroughTests {
  /// Seconds of packets after the first of the stream, and the hashes of their bytes.
  private static func packets(
    _ url: URL, _ stream: FFmpegJudge.Stream
  ) async throws -> (times: [ClipTime], hashes: [String], keys: [Bool]) {
    let packets = try await FFmpegJudge(url).packets(stream)
    return (packets.compactMap(\.time), packets.map(\.hash), packets.map(\.isKey))
  }

  /// MPEG-4 to its own family: everything is the same, packet for packet.
  @Test(arguments: [FileType.mp4, .mov, .m4v, .mobile3GPP2])
  func sameFamily(_ type: FileType) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("out.mp4")
      try await remux(source, to: target, type)
      for stream in [FFmpegJudge.Stream.firstVideo, .firstAudio] {
        let (left, right) = (try await Self.packets(source, stream), try await Self.packets(target, stream))
        #expect(left.hashes == right.hashes)
        #expect(left.times == right.times)
        #expect(left.keys == right.keys)
      }
      #expect(contents(folder) == ["out.mp4"])
      // The length is that of the source, exactly, and the sound ends on the sample.
      let (old, new) = (MediaAsset(url: source), MediaAsset(url: target))
      #expect(try await old.load(.duration) == new.load(.duration))
      let (before, after) = (try await Sound.read16(source), try await Sound.read16(target))
      #expect(before.count == after.count)
      #expect(before.int16s == after.int16s)
      #expect(after.time == .zero)
    }
  }

  /// Into containers of other clocks: the same times after rounding to the container's tick.
  @Test(arguments: [(FileType.mkv, "out.mkv", Int64(1000)), (.mpegTS, "out.ts", 90_000)])
  func otherFamilies(_ type: FileType, _ name: String, _ scale: Int64) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent(name)
      try await remux(source, to: target, type)
      let judge = FFmpegJudge(target)
      let (old, new) = (try await FFmpegJudge(source).packets(), try await judge.packets())
      #expect(old.count == new.count)
      #expect(old.map(\.isKey) == new.map(\.isKey))
      func ticks(_ packets: [JudgedPacket]) -> [Int64] {
        let base = packets.compactMap(\.time).min() ?? ClipTime(0, 1)
        return packets.compactMap(\.time).map { time in
          let distance = time - base
          return (distance.value * scale * 2 + distance.timescale) / (2 * distance.timescale)
        }
      }
      #expect(ticks(old) == ticks(new))
      // The pictures are the same, whatever the framing.
      let (left, right) = (
        try await FFmpegJudge(source).frameHashes().map(\.hash), try await judge.frameHashes().map(\.hash)
      )
      #expect(left == right)
    }
  }
}
