import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Sound against what others have published.
@Suite struct SoundCorpusTests {
  /// FLAC's own MD5 over the samples at the file's width.
  @Test(arguments: [
    "14 - wasted bits", "23 - 8 bit per sample", "38 - 3 channels (3.0)", "41 - 6 channels (5.1)",
    "60 - mono audio",
  ])
  func flac(_ name: String) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: "ietf-wg-cellar+flac-test-files/\(name).flac")
    let info = try FLACStreamInfo(contentsOf: url)
    let sound = try await Sound.read(url, AudioOutputSettings(format: .int32, isPlanar: false))
    #expect(sound.count == info.totalSamples)
    #expect(sound.channels == info.channels)
    #expect(sound.rate == info.sampleRate)
    #expect(sound.time == .zero)
    let width = (info.bitsPerSample + 7) / 8
    var bytes: [UInt8] = []
    bytes.reserveCapacity(sound.int32s.count * width)
    for sample in sound.int32s {
      let value = sample >> Int32(32 - info.bitsPerSample)
      for byte in 0..<width { bytes.append(UInt8(truncatingIfNeeded: value >> Int32(8 * byte))) }
    }
    #expect(MD5.hex(bytes) == info.md5)
  }

  /// torchcodec's samples of a WAV file.
  @Test func wave() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let folder = "meta-pytorch+torchcodec/"
    let truth = try TensorArchive(
      contentsOf: corpus.url(
        path: folder + "expected/sine_mono_s16.wav.stream0.all_frames.pt")
    ).floats
    let sound = try await Sound.read(corpus.url(path: folder + "sine_mono_s16.wav"))
    #expect(sound.floats == truth)
  }

  /// torchcodec's frames of an MP3 file: the channels of a frame one after the other, a member for each frame.
  @Test func mp3() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let folder = "meta-pytorch+torchcodec/"
    let archive = corpus.url(
      path: folder + "expected/nasa_13013.mp4.audio.mp3.stream0.all_frames.pt")
    let script = """
      import sys, zipfile, array
      z = zipfile.ZipFile(sys.argv[1]); n = sum('/data/' in m for m in z.namelist())
      for i in range(n):
          a = array.array('f', z.read(f'archive/data/{i}')); h = len(a) // 2
          b = array.array('f', [x for p in zip(a[:h], a[h:]) for x in p])
          sys.stdout.buffer.write(b.tobytes())
      """
    let bytes = try await MediaTool("python3").check(["-c", script, archive.path]).standardOutput
    let truth = stride(from: 0, to: bytes.count - 3, by: 4).map { at in
      Float(bitPattern: (0..<4).reversed().reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) })
    }
    let sound = try await Sound.read(
      corpus.url(path: folder + "nasa_13013.mp4.audio.mp3"),
      AudioOutputSettings(format: .float32, isPlanar: false))
    #expect(sound.channels == 2)
    #expect(sound.floats.count == truth.count)
    #expect(sound.floats == truth)
  }

  /// FFmpeg's own decoding, where its command presents what the file says.
  @Test(arguments: [
    "bbc+audiowaveform/test_file_stereo.mp3", "bbc+audiowaveform/test_file_stereo.oga",
    "bbc+audiowaveform/test_file_stereo.opus", "bbc+audiowaveform/test_file_stereo.wav",
    "bbc+audiowaveform/test_file_stereo.flac", "androidx+media/bear.opus",
    "androidx+media/bear_vorbis.ogg", "androidx+media/bear-vbr-xing-header.mp3",
    "androidx+media/bear-flac-24bit.mka", "androidx+media/bear_no_num_samples.flac",
    "androidx+media/test-cbr-info-header.mp3", "androidx+media/sample.adts",
    "androidx+media/sample.wav", "androidx+media/sample_ima_adpcm.wav",
    "androidx+media/sample_rf64.wav", "androidx+media/sample_nb.amr",
    "androidx+media/sample_ac3.ts", "androidx+media/sample_with_vorbis_audio.mkv",
    "androidx+media/sample.avi", "androidx+media/sample.flv", "androidx+media/sample.mkv",
    "quodlibet+mutagen/alac.m4a", "quodlibet+mutagen/silence-44-s.flac",
    "Zeugma440+atldotnet/no_info_duration.webm", "Zeugma440+atldotnet/opus.opus",
    "Zeugma440+atldotnet/chapters.ogg", "meta-pytorch+torchcodec/sine_16ch_s16.wav",
    "meta-pytorch+torchcodec/sine_mono_s32_44100.wav", "Vanilagy+mediabunny/vorbis-eos.ogg",
  ])
  func command(_ path: String) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: path)
    let truth = try await FFmpegJudge(url).samples("s16le")
    let sound = try await Sound.read16(url)
    #expect(sound.int16s.count == truth.count / 2)
    #expect(sound.int16s == Sound.int16s(truth))
    // Its third packet ends at 180 ms, its fourth begins at 391.
    #expect(sound.jumps == (path.hasSuffix("no_info_duration.webm") ? [211 * 48] : []))
  }

  /// Lengths that the peers state, in samples.
  @Test(arguments: [
    ("androidx+media/bear-vbr-xing-header.mp3", 133_631),
    ("androidx+media/test-cbr-info-header.mp3", 44_099), ("androidx+media/sample.wav", 44_100),
    ("Vanilagy+mediabunny/sample.flac", 869_400),
  ])
  func length(_ path: String, _ samples: Int) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let sound = try await Sound.read16(corpus.url(path: path))
    #expect(abs(sound.count - samples) <= 1)
    #expect(sound.time == .zero)
  }
}

extension Sound {
  static func int16s(_ bytes: [UInt8]) -> [Int16] {
    stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
  }
}
