import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Sound whose description libav 5.1 gets wrong or leaves out.
@Suite("Sound formats") struct SoundFormatTests {
  private func made(_ arguments: [String], name: String) async throws -> AudioFormat {
    let folder = try await FixtureCache.shared.folder(
      named: "sound", ingredients: [name] + arguments
    ) { folder in
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=0.2"]
          + arguments + ["file:" + folder.appendingPathComponent(name).path])
    }
    let asset = MediaAsset(url: folder.appendingPathComponent(name))
    let track = try #require(try await asset.load(.tracks).first)
    return try #require(try await track.load(.formatDescriptions).first?.audio)
  }

  /// The layouts that FFmpeg's own decoders give.
  @Test(arguments: [
    ("a.m4a", ["-c:a", "aac", "-ac", "1"], "mono"),
    ("b.m4a", ["-c:a", "aac", "-ac", "2"], "stereo"),
    ("c.m4a", ["-c:a", "aac", "-ac", "6"], "5.1"), ("d.flac", ["-ac", "6"], "5.1"),
    ("e.opus", ["-c:a", "libopus", "-ac", "6"], "5.1"),
    ("f.mka", ["-c:a", "vorbis", "-strict", "-2", "-ac", "2"], "stereo"),
    ("g.mp4", ["-c:a", "ac3", "-ac", "6"], "5.1(side)"), ("h.mp3", ["-ac", "2"], "stereo"),
  ])
  func layouts(name: String, arguments: [String], layout: String) async throws {
    let audio = try await made(arguments, name: name)
    #expect(audio.layout == layout && audio.sampleRate == 48_000)
  }

  @Test(arguments: [
    ("16.wav", ["-c:a", "pcm_s16le"], 16, "s16"), ("24.wav", ["-c:a", "pcm_s24le"], 24, "s32"),
    ("f.wav", ["-c:a", "pcm_f32le"], 32, "flt"), ("16.flac", ["-sample_fmt", "s16"], 16, "s16"),
    ("24.flac", ["-sample_fmt", "s32", "-bits_per_raw_sample", "24"], 24, "s32"),
    ("16.m4a", ["-c:a", "alac", "-sample_fmt", "s16p"], 16, "s16p"),
    ("24.m4a", ["-c:a", "alac", "-sample_fmt", "s32p", "-bits_per_raw_sample", "24"], 24, "s32p"),
  ])
  func depths(name: String, arguments: [String], depth: Int, format: String) async throws {
    let audio = try await made(arguments, name: name)
    #expect(audio.bitDepth == depth && audio.sampleFormat == format)
  }

  /// libav is shown PCM of ISO/IEC 23003-5 under a name that it knows; the track keeps its own.
  @Test(arguments: [
    ("sample_fpcm_32le.mp4", "fpcm", "pcm_f32le"), ("sample_ipcm_16be.mp4", "ipcm", "pcm_s16be"),
  ])
  func newPCM(file: String, fourCharacters: String, codec: String) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let asset = MediaAsset(url: corpus.url(path: "androidx+media/" + file))
    let track = try #require(try await asset.loadTracks(withMediaType: .audio).first)
    #expect(track.track.stream?.codecName == codec)
    let description = try #require(try await track.load(.formatDescriptions).first)
    #expect(description.codec == codec && description.fourCharacterCode == fourCharacters)
    #expect(try await track.load(.isDecodable))
  }

  /// Listed with all that its boxes say, whether this FFmpeg decodes it or not.
  @Test func extendedHighEfficiency() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let file = "mozilla+mp4parse-rust/sine-3s-xhe-aac-44khz-mono.mp4"
    let asset = MediaAsset(url: corpus.url(path: file))
    let track = try #require(try await asset.load(.tracks).first)
    #expect(try await track.load(.formatDescriptions).first?.codecString == "mp4a.40.42")
    let version = try await FFmpegVersion.current()
    let isNew = version.major > 7 || version.major == 7 && version.minor >= 1
    #expect(try await track.load(.isDecodable) == isNew)
    #expect(try await asset.load(.isPlayable) == isNew)
  }
}
