import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Sample formats, rates, layouts, gaps and damage.
@Suite struct SoundConversionTests {
  /// Half of full scale in every format that a file can have.
  @Test(arguments: [
    "pcm_u8", "pcm_s16le", "pcm_s24le", "pcm_s32le", "pcm_f32le", "pcm_f64le", "pcm_alaw",
  ])
  func storedFormats(_ codec: String) async throws {
    let url = try await madeFile(
      "half-\(codec).wav",
      ["-f", "lavfi", "-i", "aevalsrc='0.5|-0.25':s=32000:d=0.25", "-c:a", codec])
    for isPlanar in [true, false] {
      for format in AudioSampleFormat.allCases {
        let sound = try await Sound.read(
          url, AudioOutputSettings(format: format, isPlanar: isPlanar))
        #expect(sound.count == 8000)
        let values =
          switch format {
          case .float32: sound.floats.map { Double($0) }
          case .int16: sound.int16s.map { Double($0) / 32_768 }
          case .int32: sound.int32s.map { Double($0) / 2_147_483_648 }
          }
        // A-law has steps of a thirty-second there.
        let step = codec == "pcm_alaw" ? 0.016 : codec == "pcm_u8" ? 0.008 : 0.0001
        #expect(abs((values.first ?? 0) - 0.5) <= step)
        #expect(abs(values[1] + 0.25) <= step)
      }
    }
  }

  /// An impulse stays where it is, in seconds.
  @Test(arguments: [16_000, 48_000, 22_050, 96_000])
  func impulse(_ rate: Int) async throws {
    let url = try await madeFile(
      "impulse.wav",
      [
        "-f", "lavfi", "-i", "aevalsrc='if(eq(n,22050),0.9,0)':s=44100:d=1.5", "-c:a", "pcm_s16le",
      ])
    let sound = try await Sound.read(url, AudioOutputSettings(sampleRate: rate))
    #expect(abs(sound.count - rate * 3 / 2) <= 1)
    #expect(sound.jumps.isEmpty)
    let peak = sound.floats.indices.max { sound.floats[$0] < sound.floats[$1] }
    #expect(peak.map { abs($0 - rate / 2) <= 1 } == true)
  }

  @Test func resampledLikeTheCommand() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let url = corpus.url(path: "bbc+audiowaveform/test_file_stereo.flac")
    let truth = try await FFmpegJudge(url).samples16(rate: 44_100, channels: 1)
    let sound = try await Sound.read16(url, rate: 44_100, channels: 1)
    #expect(abs(sound.count - truth.count) <= 1)
    let largest = zip(sound.int16s, truth).map { abs(Int($0) - Int($1)) }.max()
    #expect(largest.map { $0 <= 1 } == true)
  }

  /// Layouts: mono to stereo, unknown ones as they are, and a refusal where nothing is known.
  @Test func layouts() async throws {
    let mono = try await madeFile(
      "mono.wav", ["-f", "lavfi", "-i", "aevalsrc=0.5:s=8000:d=0.1", "-c:a", "pcm_s16le"])
    let stereo = try await Sound.read(mono, AudioOutputSettings(layout: "stereo", isPlanar: false))
    #expect(stereo.channels == 2)
    #expect(stereo.floats.count == 1600)
    #expect(stereo.floats[800] == stereo.floats[801])
    let many = try await madeFile(
      "sixteen.wav",
      [
        "-f", "lavfi", "-i",
        "aevalsrc='" + (0..<16).map { "\(Double($0) / 32)" }.joined(separator: "|")
          + "':s=8000:d=0.1",
        "-c:a", "pcm_s16le",
      ])
    let all = try await Sound.read(many, AudioOutputSettings(isPlanar: false))
    #expect(all.channels == 16)
    #expect(abs(all.floats[15] - 15 / 32) < 0.001)
    for settings in [
      AudioOutputSettings(layout: "nonsense"), AudioOutputSettings(channels: 0),
      AudioOutputSettings(sampleRate: 0), AudioOutputSettings(channels: 3, layout: "stereo"),
    ] {
      #expect(await errorCode { _ = try await Sound.read(mono, settings) } == .invalidArgument)
    }
  }

  /// Damage is passed over and counted, and what follows stays at its time.
  @Test func damage() async throws {
    let url = try await SoundRangeTests.clip("a.m4a", SoundRangeTests.aac)
    let packets = try await FFmpegJudge(url).packets(.firstAudio)
    let bad = packets[200..<203]
    try await withTemporaryFolder { folder in
      var bytes = [UInt8](try Data(contentsOf: url))
      for packet in bad {
        let position = Int(try #require(packet.position))
        for index in position..<(position + packet.size) { bytes[index] = 0xFF }
      }
      let copy = folder.appendingPathComponent("damaged.m4a")
      try Data(bytes).write(to: copy)
      let whole = try await Sound.read(url, AudioOutputSettings(isPlanar: false))
      let sound = try await Sound.read(copy, AudioOutputSettings(isPlanar: false))
      #expect(sound.damagedPackets == 3)
      #expect(sound.end == whole.end)
      #expect(sound.jumps.reduce(0, +) == Int64(whole.count - sound.count))
      #expect(whole.count - sound.count <= 5 * 1024)
      #expect(sound.floats.suffix(48_000) == whole.floats.suffix(48_000))
    }
  }

  /// Two edits of one sound, silence between them.
  @Test func edits() async throws {
    let url = try await SoundRangeTests.clip(
      "r.m4a", SoundRangeTests.aac + ["-use_editlist", "0", "-movie_timescale", "1000"])
    let settings = AudioOutputSettings(isPlanar: false)
    let whole = try await Sound.read(url, settings)
    try await withTemporaryFolder { folder in
      let edits = [
        EditListPatch.Edit(duration: 500, mediaTime: 48_000 * 3 + 7),
        EditListPatch.Edit(duration: 250, mediaTime: -1),
        EditListPatch.Edit(duration: 1000, mediaTime: 48_001),
      ]
      let copy = folder.appendingPathComponent("edits.m4a")
      try Data(EditListPatch.apply(edits, to: [UInt8](try Data(contentsOf: url)))).write(to: copy)
      let sound = try await Sound.read(copy, settings)
      #expect(sound.count == 72_000)
      #expect(sound.time == .zero)
      #expect(sound.jumps == [12_000])
      #expect(sound.end == .ms(1750))
      let first = whole.floats[(2 * (144_007))..<(2 * (144_007 + 24_000))]
      let second = whole.floats[(2 * 48_001)..<(2 * (48_001 + 48_000))]
      let largest = zip(first + second, sound.floats).map { abs($0 - $1) }.max() ?? 1
      #expect(largest < 2e-5)
    }
  }

  @Test func noSound() async throws {
    let clip = try await GeneratedClip.make(.h264ClosedGroups)
    let tracks = try await MediaAsset(url: clip.url).load(.tracks)
    let track = try #require(tracks.first)
    let code = await errorCode { for try await _ in track.audio() {} }
    #expect(code == .noSourceTrack)
  }
}
