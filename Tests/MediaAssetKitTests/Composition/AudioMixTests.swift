import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct AudioMixTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func range(_ start: MediaTime, _ end: MediaTime) -> MediaTimeRange { MediaTimeRange(start: start, end: end) }
  private func hundredths(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 100) }

  /// A ramp of samples: sample n is n / 48000.
  private func ramp() async throws -> URL { try await stepClip("ramp.wav", expression: "t") }

  private func film(_ url: URL, copies: Int = 1) async throws -> (Composition, [Int32]) {
    var film = Composition()
    var ids: [Int32] = []
    guard let track = try await MediaAsset(url: url).loadTracks(withMediaType: .audio).first else {
      throw MediaToolError.unexpected("no sound")
    }
    for _ in 0..<copies {
      let id = film.addMutableTrack(withMediaType: .audio)
      try await film[id].insertTimeRange(.init(start: .zero, duration: .positiveInfinity), of: track, at: .zero)
      ids.append(id)
    }
    return (film, ids)
  }

  /// Segments, a gap and an odd cut: every sample is the source's at its place.
  @Test func everySampleIsAtItsPlace() async throws {
    let url = try await ramp()
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    let source = Composition.Segment.Source(url: url, trackID: 1)
    let cut = MediaTime(value: 12_345, timescale: 48_000)
    try film[id].insertTimeRange(range(cut, cut + hundredths(25)), of: source, at: hundredths(10))
    try film[id].insertTimeRange(range(.zero, hundredths(10)), of: source, at: hundredths(50))
    let (samples, start) = try await film.mixed()
    #expect(start == .zero)
    #expect(samples.count == 1 && samples[0].count == 28_800)
    for index in [0, 4_799] { #expect(samples[0][index] == 0) }
    for index in [4_800, 4_801, 10_000, 16_799] {
      #expect(abs(samples[0][index] - Float(12_345 + index - 4_800) / 48_000) < 1e-6)
    }
    #expect(samples[0][16_800] == 0 && samples[0][23_999] == 0)
    #expect(abs(samples[0][24_001] - 1.0 / 48_000) < 1e-7)
    // Read from the middle: the same samples.
    let part = try await film.mixed(in: range(hundredths(20), hundredths(30)))
    #expect(part.start == hundredths(20))
    #expect(part.samples[0] == Array(samples[0][9_600..<14_400]))
  }

  @Test func volumesAreSampleAccurate() async throws {
    let url = try await stepClip("one.wav", expression: "0.5")
    let (film, ids) = try await film(url, copies: 2)
    var first = AudioMix.InputParameters(trackID: ids[0])
    try first.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(hundredths(25), hundredths(75)))
    try first.setVolume(0.25, at: hundredths(90))
    var second = AudioMix.InputParameters(trackID: ids[1])
    try second.setVolume(0, at: .zero)
    let (samples, _) = try await film.mixed(AudioMix(inputParameters: [first, second]))
    func volume(_ index: Int) -> Float { samples[0][index] / 0.5 }
    #expect(volume(0) == 1 && volume(11_999) == 1)
    #expect(volume(12_000) == 0)
    #expect(abs(volume(24_000) - 0.5) < 1e-5)
    #expect(abs(volume(12_001) - 1.0 / 24_000) < 1e-6)
    #expect(volume(36_000) == 1 && volume(43_199) == 1)
    #expect(volume(43_200) == 0.25 && volume(47_999) == 0.25)
    #expect(throws: MediaError.self) {
      try first.setVolumeRamp(fromStartVolume: 0, toEndVolume: 1, timeRange: range(hundredths(70), hundredths(80)))
    }
    #expect(throws: MediaError.self) { try first.setVolume(1, at: hundredths(50)) }
    #expect(throws: MediaError.self) { try first.setVolume(-1, at: .zero) }
    #expect(first.volumeRamp(at: hundredths(50))?.end == 1)
    #expect(first.volumeRamp(at: .zero) == nil)
  }

  /// Tracks are added: twice one half is one, three times is more than full scale in floats, and saturates in integers.
  @Test func sumsAndPeaks() async throws {
    let url = try await stepClip("one.wav", expression: "0.5")
    let (film, _) = try await film(url, copies: 3)
    #expect(try await film.mixed().samples[0].allSatisfy { $0 == 1.5 })
    var integers = Reader.AudioMixOutput.Element?.none
    for try await buffer in try Reader.AudioMixOutput(composition: film, settings: .init(format: .int16)) {
      integers = buffer
    }
    integers?.withInt16s(0) { #expect($0[0] == 32_767) }
    var mix = AudioMix()
    mix.limitsPeaks = true
    let limited = try await film.mixed(mix).samples[0]
    #expect(limited.count == 48_000)
    #expect(limited.allSatisfy { $0 <= 1.0001 && $0 > 0.99 })
  }

  /// 44.1 kHz mono beside 48 kHz 5.1: the mix has the most of both, and the tones begin where they should.
  @Test func mixesRatesAndLayouts() async throws {
    let mono = try await stepClip("mono.wav", rate: 44_100, expression: "0.5*gte(t,0.5)")
    let surround = try await madeClip(
      "surround.wav",
      [
        "-f", "lavfi", "-i", "aevalsrc='0|0|0|0|0|0':s=48000:d=1,aformat=channel_layouts=5.1", "-c:a", "pcm_f32le",
      ])
    var film = Composition()
    for url in [mono, surround] {
      let id = film.addMutableTrack(withMediaType: .audio)
      try film[id].insertTimeRange(range(.zero, s(1)), of: .init(url: url, trackID: 1), at: .zero)
    }
    let (samples, _) = try await film.mixed()
    #expect(samples.count == 6 && samples[0].count == 48_000)
    for channel in 0..<2 {
      let onset = samples[channel].firstIndex { $0 > 0.25 }
      #expect(abs((onset ?? 0) - 24_000) <= 1)
      #expect(abs(samples[channel][40_000] - 0.5) < 0.001)
    }
    #expect(samples[2].allSatisfy { $0 == 0 })
    let stereo = try await film.mixed(nil, AudioOutputSettings(sampleRate: 44_100, channels: 2)).samples
    #expect(stereo.count == 2 && stereo[0].count == 44_100)
    #expect(abs((stereo[1].firstIndex { $0 > 0.25 } ?? 0) - 22_050) <= 1)
  }

  /// Half and double speed: the length is exact; the pitch stays, or follows the speed.
  @Test(arguments: [(1, 2), (2, 1)], [AudioTimePitchAlgorithm.spectral, .varispeed])
  func scales(ratio: (from: Int64, to: Int64), pitch: AudioTimePitchAlgorithm) async throws {
    let url = try await stepClip("sine.wav", seconds: "2", expression: "0.5*sin(2*PI*500*t)")
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    try film[id].insertTimeRange(range(.zero, s(ratio.from)), of: .init(url: url, trackID: 1), at: .zero)
    try film[id].scaleTimeRange(range(.zero, s(ratio.from)), toDuration: s(ratio.to))
    var parameters = AudioMix.InputParameters(trackID: id)
    parameters.audioTimePitchAlgorithm = pitch
    let samples = try await film.mixed(AudioMix(inputParameters: [parameters])).samples[0]
    #expect(samples.count == Int(ratio.to) * 48_000)
    // Upward crossings of zero in the inner part are periods.
    let inner = samples[4_800..<samples.count - 4_800]
    let periods = zip(inner, inner.dropFirst()).count { $0 < 0 && $1 >= 0 }
    let expected = pitch == .spectral ? 500.0 : 500 * Double(ratio.from) / Double(ratio.to)
    let measured = Double(periods) * 48_000 / Double(inner.count)
    #expect(abs(measured - expected) < expected / 100)
    let power = inner.reduce(0.0) { $0 + Double($1 * $1) } / Double(inner.count)
    #expect(abs(power - 0.125) < 0.01)
  }

  /// Ten clips of AAC: each tone begins within one sample of its place.
  @Test func tenTones() async throws {
    var clips: [URL] = []
    for number in 0..<10 { clips.append(try await greyClip(number)) }
    let film = try await Composition.joined(clips)
    #expect(film.duration == s(10))
    let joined = try await film.mixed().samples[0]
    #expect(joined.count == 480_000)
    let single = try await Composition.joined([clips[0]]).mixed().samples[0]
    let own = try #require(single.firstIndex { abs($0) > 0.1 })
    for number in 0..<10 {
      let clip = joined[number * 48_000..<(number + 1) * 48_000]
      let onset = try #require(clip.firstIndex { abs($0) > 0.1 }) - number * 48_000
      #expect(abs(onset - own) <= 1)
      #expect(abs(onset - 12_000) <= 100)
    }
  }

  /// A thousand joints of a length that no clock of 48 kHz divides: the last tone is where arithmetic says.
  @Test func aThousandJoints() async throws {
    let url = try await stepClip("pulse.wav", expression: "0.5*lt(t,0.001)")
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    let length = MediaTime(value: 1001, timescale: 60_000)
    for _ in 0..<1000 {
      try film[id].insertTimeRange(.init(start: .zero, duration: length), of: .init(url: url, trackID: 1), at: .invalid)
    }
    let samples = try await film.mixed().samples[0]
    #expect(samples.count == 800_800)
    for number in [0, 1, 333, 999] {
      let place = Int((Double(number) * 1001 / 60_000 * 48_000).rounded())
      #expect(samples[place] == 0.5)
      if number > 0 { #expect(samples[place - 1] == 0) }
    }
  }
}
