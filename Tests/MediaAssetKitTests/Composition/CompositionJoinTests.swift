import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Joints of sound in the written file, as another decoder hears them. What is written is without loss, so that every sample
/// can be asked for.
@Suite struct CompositionJoinTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }
  private func range(_ start: MediaTime, _ end: MediaTime) -> MediaTimeRange { MediaTimeRange(start: start, end: end) }

  /// The sound of a composition's file, channel by channel.
  private func written(
    _ film: Composition, channels: Int = 1, _ change: (inout ExportSession.Options) -> Void = { _ in }
  ) async throws -> [[Int16]] {
    try await withScratchFolder { folder in
      var preset = ExportPreset.automatic
      preset.audio = .encode(AudioSettings(codec: "flac"))
      var options = ExportSession.Options()
      change(&options)
      let target = folder.appendingPathComponent("o.mkv")
      try await ExportSession(composition: film, preset: preset, options: options).export(to: target)
      let samples = try await FFmpegJudge(target).samples16()
      return (0..<channels).map { channel in
        stride(from: channel, to: samples.count, by: channels).map { samples[$0] }
      }
    }
  }

  private func onset(_ samples: some Collection<Int16>, above level: Int) -> Int? {
    samples.enumerated().first { abs(Int($0.element)) > level }?.offset
  }

  /// Ten clips of AAC: each tone begins where the clip's own does, to the sample.
  @Test func tenClips() async throws {
    var clips: [URL] = []
    for number in 0..<10 { clips.append(try await greyClip(number)) }
    let own = try #require(onset(try await FFmpegJudge(clips[0]).samples16(), above: 3000))
    let film = try await Composition.joined(clips)
    let samples = try await written(film)[0]
    #expect(samples.count == 480_000)
    for number in 0..<10 {
      let clip = samples[number * 48_000..<(number + 1) * 48_000]
      #expect(abs(try #require(onset(clip, above: 3000)) - own) <= 1, "clip \(number)")
    }
  }

  /// A thousand joints of a length that 48 kHz does not divide; copied, and mixed.
  @Test(arguments: [true, false]) func aThousandJoints(isCopied: Bool) async throws {
    let url = try await stepClip("pulse.wav", expression: "0.5*lt(t,0.001)")
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    let length = MediaTime(value: 1001, timescale: 60_000)
    for _ in 0..<1000 {
      try film[id].insertTimeRange(.init(start: .zero, duration: length), of: .init(url: url, trackID: 1), at: .invalid)
    }
    var samples: [Int16] = []
    if isCopied {
      samples = try await withScratchFolder { folder in
        let target = folder.appendingPathComponent("o.wav")
        let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
        #expect(plan.isPassthrough)
        return try await FFmpegJudge(target).samples16()
      }
    } else {
      samples = try await written(film)[0]
    }
    #expect(samples.count == 800_800)
    for number in [0, 1, 2, 333, 777, 999] {
      let place = Int((Double(number) * 1001 / 60_000 * 48_000).rounded())
      #expect(samples[place] == 16_384, "joint \(number)")
      if number > 0 { #expect(samples[place - 1] == 0, "joint \(number)") }
    }
  }

  /// A gap is silence, where two tracks overlap they are added: on the sample.
  @Test func gapsAndOverlaps() async throws {
    let url = try await stepClip("quarter.wav", expression: "0.25")
    let source = Composition.Segment.Source(url: url, trackID: 1)
    var film = Composition()
    let (first, second) = (film.addMutableTrack(withMediaType: .audio), film.addMutableTrack(withMediaType: .audio))
    try film[first].insertTimeRange(range(.zero, ms(500)), of: source, at: .zero)
    try film[first].insertTimeRange(range(.zero, ms(500)), of: source, at: ms(1000))
    try film[second].insertTimeRange(range(.zero, ms(400)), of: source, at: ms(1300))
    let samples = try await written(film)[0]
    #expect(samples.count == 81_600)
    let levels: [(Range<Int>, Int16)] = [
      (0..<24_000, 8192), (24_000..<48_000, 0), (48_000..<62_400, 8192), (62_400..<72_000, 16_384),
      (72_000..<81_600, 8192),
    ]
    for (range, level) in levels { #expect(samples[range].allSatisfy { $0 == level }, "\(range)") }
  }

  /// Half and double speed with the pitch kept: the length to the sample, the tone's frequency, its loudness.
  @Test(arguments: [(1, 2), (2, 1)]) func speeds(ratio: (from: Int64, to: Int64)) async throws {
    let url = try await stepClip("sine.wav", seconds: "2", expression: "0.5*sin(2*PI*500*t)")
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    try film[id].insertTimeRange(range(.zero, s(ratio.from)), of: .init(url: url, trackID: 1), at: .zero)
    try film[id].scaleTimeRange(range(.zero, s(ratio.from)), toDuration: s(ratio.to))
    for pitch in [AudioTimePitchAlgorithm.spectral, .timeDomain, .varispeed] {
      let samples = try await written(film) { $0.audioTimePitchAlgorithm = pitch }[0]
      #expect(samples.count == Int(ratio.to) * 48_000)
      let inner = samples[4_800..<samples.count - 4_800]
      let periods = zip(inner, inner.dropFirst()).count { $0 < 0 && $1 >= 0 }
      let measured = Double(periods) * 48_000 / Double(inner.count)
      let expected = pitch == .varispeed ? 500 * Double(ratio.from) / Double(ratio.to) : 500
      #expect(abs(measured - expected) < expected / 100, "\(pitch)")
      let power = inner.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(inner.count) / 1_073_741_824
      #expect(abs(power - 0.125) < 0.01, "\(pitch)")
    }
  }

  /// Speeds from 1/32 to 32 are heard, others are refused with the reason.
  @Test func limitsOfSpeed() async throws {
    let url = try await stepClip("flat.wav", seconds: "2", expression: "0.25")
    func film(_ length: MediaTime) throws -> Composition {
      var film = Composition()
      let id = film.addMutableTrack(withMediaType: .audio)
      try film[id].insertTimeRange(range(.zero, ms(64)), of: .init(url: url, trackID: 1), at: .zero)
      try film[id].scaleTimeRange(range(.zero, ms(64)), toDuration: length)
      return film
    }
    for length in [ms(2), ms(2048)] {
      #expect(try await film(length).mixed().samples[0].count == Int(length.value) * 48)
    }
    for length in [MediaTime(value: 1, timescale: 1000), ms(2049)] {
      let error = await #expect(throws: MediaError.self) { _ = try await film(length).mixed() }
      #expect(error?.reason.contains("times its speed") == true)
    }
  }

  /// 44.1 kHz mono, 48 kHz 5.1, 32 kHz stereo one after another: each step where arithmetic has it, in the mix's six channels.
  @Test func ratesAndLayouts() async throws {
    let step = "0.5*gte(t,0.25)"
    let clips = [
      try await stepClip("join-mono.wav", rate: 44_100, expression: step),
      try await stepClip("join-surround.wav", expression: "\(step)|0|0|0|0|\(step):c=5.1"),
      try await stepClip("join-stereo.wav", rate: 32_000, expression: "\(step)|0:c=stereo"),
    ]
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    for url in clips {
      try film[id].insertTimeRange(range(.zero, s(1)), of: .init(url: url, trackID: 1), at: .invalid)
    }
    let channels = try await written(film, channels: 6)
    #expect(channels[0].count == 144_000)
    for number in 0..<3 {
      let clip = channels[0][number * 48_000..<(number + 1) * 48_000]
      #expect(abs(try #require(onset(clip, above: 8192)) - 12_000) <= 1, "clip \(number)")
      #expect(abs(Int(channels[0][number * 48_000 + 40_000]) - 16_384) < 40)
    }
    // One channel is heard on both sides, others where they are.
    #expect(abs(Int(channels[1][40_000]) - 16_384) < 40)
    #expect(channels[2].allSatisfy { abs(Int($0)) < 3 })
    #expect(abs(Int(channels[5][88_000]) - 16_384) < 40 && abs(Int(channels[5][136_000])) < 3)
  }

  /// The mix's output of tracks of one asset, and what is no such thing.
  @Test func outputsRefuse() async throws {
    let (first, second) = (MediaAsset(url: try await greyClip(1)), MediaAsset(url: try await greyClip(2)))
    let sound = try #require(try await first.loadDefaultTrack(withMediaType: .audio))
    let pictures = try #require(try await first.loadDefaultTrack(withMediaType: .video))
    let other = try #require(try await second.loadDefaultTrack(withMediaType: .audio))
    for tracks in [[], [pictures], [sound, other]] {
      await #expect(throws: MediaError.self) { _ = try await Reader.AudioMixOutput(audioTracks: tracks) }
    }
    for tracks in [[], [sound], [pictures, sound]] {
      await #expect(throws: MediaError.self) { _ = try await Reader.VideoCompositionOutput(videoTracks: tracks) }
    }
    await #expect(throws: MediaError.self) {
      _ = try await Reader.AudioMixOutput(audioTracks: [sound], settings: AudioOutputSettings(sampleRate: -1))
    }
    // Buffers are cut at both ends of the range, and keep the asset's time.
    var (count, start) = (0, MediaTime?.none)
    let output = try await Reader.AudioMixOutput(audioTracks: [sound], timeRange: range(ms(333), ms(700)))
    for try await buffer in output {
      start = start ?? buffer.time
      count += buffer.sampleCount
    }
    #expect(start == ms(333) && count == 17_616)
  }
}
