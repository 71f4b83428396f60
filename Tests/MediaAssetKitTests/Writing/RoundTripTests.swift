import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Every container with every codec: stored samples come back the same, or are refused with a reason.
@Suite struct RoundTripTests {
  struct Codec: Sendable {
    var name: String
    var isSound: Bool
    /// The file that `ffmpeg` makes, and how.
    var source: String
    var arguments: [String]
    /// What holds it.
    var containers: Set<FileType>
  }

  private static let movies: Set<FileType> = [.mov, .mp4, .m4v]
  private static let picture = ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=1", "-pix_fmt", "yuv420p"]
  private static let sound = ["-f", "lavfi", "-i", "sine=440:r=48000:d=1", "-ac", "2"]

  static let codecs: [Codec] = [
    Codec(
      name: "h264", isSound: false, source: "s.mp4", arguments: picture + ["-c:v", "libx264", "-bf", "2", "-g", "10"],
      containers: movies.union([.mobile3GPP, .mobile3GPP2, .mkv, .mpegTS, .avi, .flv])),
    Codec(
      name: "hevc", isSound: false, source: "s.mp4",
      arguments: picture + ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=error:keyint=10"],
      containers: movies.union([.mkv, .mpegTS])),
    Codec(
      name: "vp9", isSound: false, source: "s.webm", arguments: picture + ["-c:v", "libvpx-vp9", "-cpu-used", "8"],
      containers: [.mp4, .m4v, .mkv, .webm, .avi]),
    Codec(
      name: "av1", isSound: false, source: "s.mp4", arguments: picture + ["-c:v", "libaom-av1", "-cpu-used", "8"],
      containers: [.mp4, .m4v, .mkv, .webm, .avi]),
    Codec(
      name: "mjpeg", isSound: false, source: "s.mov", arguments: picture + ["-c:v", "mjpeg", "-strict", "-1"],
      containers: movies.union([.mkv, .avi])),
    Codec(
      name: "prores", isSound: false, source: "s.mov",
      arguments: ["-f", "lavfi", "-i", "testsrc2=s=64x64:r=25:d=1", "-c:v", "prores_ks"],
      containers: [.mov, .mkv, .avi]),
    Codec(
      name: "aac", isSound: true, source: "s.m4a", arguments: sound + ["-c:a", "aac"],
      containers: movies.union([.m4a, .mobile3GPP, .mobile3GPP2, .mkv, .mpegTS, .adts, .avi, .flv])),
    Codec(
      name: "alac", isSound: true, source: "s.m4a", arguments: sound + ["-c:a", "alac"],
      containers: movies.union([.m4a, .mkv, .caf])),
    Codec(
      name: "flac", isSound: true, source: "s.flac", arguments: sound + ["-c:a", "flac"],
      containers: [.mp4, .m4v, .m4a, .mkv, .flac, .ogg, .wav, .caf]),
    Codec(
      name: "opus", isSound: true, source: "s.opus", arguments: sound + ["-c:a", "libopus"],
      containers: [.mp4, .m4v, .m4a, .mkv, .webm, .ogg, .mpegTS]),
    Codec(
      name: "mp3", isSound: true, source: "s.mp3", arguments: sound + ["-c:a", "libmp3lame"],
      containers: movies.union([.m4a, .mkv, .mpegTS, .mp3, .avi, .flv])),
    Codec(
      name: "ac3", isSound: true, source: "s.mp4", arguments: sound + ["-c:a", "ac3"],
      containers: movies.union([.m4a, .mkv, .mpegTS, .ac3, .avi, .wav, .caf])),
    Codec(
      name: "pcm_s16le", isSound: true, source: "s.wav", arguments: sound + ["-c:a", "pcm_s16le"],
      containers: [.mov, .mkv, .wav, .caf, .avi]),
  ]

  static let types: [(type: FileType, name: String)] = [
    (.mov, "o.mov"), (.mp4, "o.mp4"), (.m4v, "o.m4v"), (.m4a, "o.m4a"), (.mkv, "o.mkv"), (.webm, "o.webm"),
    (.mpegTS, "o.ts"), (.ogg, "o.ogg"), (.flac, "o.flac"), (.mp3, "o.mp3"), (.wav, "o.wav"), (.caf, "o.caf"),
    (.aiff, "o.aiff"), (.adts, "o.aac"), (.ac3, "o.ac3"), (.gif, "o.gif"),
  ]

  @Test(arguments: codecs.indices)
  func containers(_ index: Int) async throws {
    let codec = Self.codecs[index]
    let source = try await madeClip(codec.source, codec.arguments)
    let stream: FFmpegJudge.Stream = codec.isSound ? .firstAudio : .firstVideo
    let old = try await FFmpegJudge(source).packets(stream)
    let expected = codec.isSound ? try await FFmpegJudge(source).samples16() : []
    let pictures = codec.isSound ? [] : try await FFmpegJudge(source).frameHashes().map(\.hash)
    var containers = codec.containers
    // ISO/IEC 23003-5, which FFmpeg writes from 6.1 on.
    if codec.name == "pcm_s16le", try await FFmpegVersion.current().isAtLeast(6, 1) {
      containers.formUnion([.mp4, .m4v, .m4a])
    }
    for (type, name) in Self.types {
      try await withScratchFolder { folder in
        let url = folder.appendingPathComponent(name)
        let comment = Comment(rawValue: "\(codec.name) in \(name)")
        do {
          try await remux(source, to: url, type)
        } catch let error as MediaError {
          #expect(!containers.contains(type), comment)
          #expect(
            error.code == .operationNotSupported && error.reason.contains("hold"), "\(codec.name) in \(name): \(error)")
          #expect(contents(folder).isEmpty, comment)
          return
        }
        #expect(containers.contains(type), comment)
        let new = try await FFmpegJudge(url).packets(stream)
        // Matroska lays pictures and sound on milliseconds, transport streams on 90000ths.
        let tick: Int64 = type == .mkv || type == .webm ? 1000 : type == .mpegTS ? 90_000 : 48_000
        if codec.name.hasPrefix("pcm") {
          #expect(try await FFmpegJudge(url).samples16() == expected, comment)
        } else {
          #expect(old.count == new.count, comment)
        }
        if codec.isSound {
          // Heard: the same samples, as far as the container tells where they end.
          let heard = try await FFmpegJudge(url).samples16()
          let common = min(heard.count, expected.count)
          #expect(common >= expected.count - 2 * 1152, comment)
          // FFmpeg cuts what Matroska says comes before the sound of Opus only.
          let isShifted = type == .mkv && ["aac", "mp3"].contains(codec.name)
          if !isShifted, ![.adts, .mpegTS, .ac3].contains(type), codec.name != "ac3" {
            #expect(heard.prefix(common).elementsEqual(expected.prefix(common)) == true, comment)
          }
        } else {
          #expect(try await FFmpegJudge(url).frameHashes().map(\.hash) == pictures, comment)
          #expect(old.map(\.isKey) == new.map(\.isKey), comment)
          func times(_ packets: [JudgedPacket]) -> [Int64] {
            let first = packets.compactMap(\.time).min() ?? .zero
            return packets.compactMap(\.time).map { Int64((($0 - first).seconds * Double(tick)).rounded()) }
          }
          #expect(times(old) == times(new), comment)
        }
      }
    }
  }
}
