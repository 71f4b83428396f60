import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct WaveformTests {
  private static let folder = "bbc+audiowaveform/"

  private func measure(
    _ path: String, splits: Bool = false
  ) async throws -> (waveform: Waveform, url: URL)? {
    guard let corpus = Corpus.orCount() else { return nil }
    let url = corpus.url(path: Self.folder + path)
    let track = try await Sound.track(url)
    return (try await track.waveform(samplesPerPixel: 64, splitsChannels: splits), url)
  }

  private func values(_ waveform: Waveform, bits: Int) -> [Int] {
    waveform.peaks.flatMap { [Int($0.minimum), Int($0.maximum)] }.map { bits == 8 ? $0 / 256 : $0 }
  }

  /// All values but those of the last, partial bin.
  @Test(arguments: [
    ("test_file_stereo.wav", false, "test_file_stereo_8bit_64spp_wav.json"),
    ("test_file_stereo.wav", false, "test_file_stereo_8bit_64spp_wav.dat"),
    ("test_file_stereo.wav", false, "test_file_stereo_16bit_64spp_wav.dat"),
    ("test_file_stereo.wav", true, "test_file_2channel_8bit_64spp_wav.dat"),
    ("test_file_stereo.flac", false, "test_file_stereo_8bit_64spp_flac.json"),
    ("test_file_stereo.oga", false, "test_file_stereo_8bit_64spp_oga.json"),
    ("test_file_mono_float32.wav", false, "test_file_mono_float32_8bit_64spp.dat"),
  ])
  func exact(_ file: String, _ splits: Bool, _ expected: String) async throws {
    guard let (waveform, url) = try await measure(file, splits: splits) else { return }
    let truth = try PeakFile(
      contentsOf: url.deletingLastPathComponent().appendingPathComponent("expected/" + expected))
    #expect(waveform.sampleRate == truth.sampleRate)
    #expect(waveform.samplesPerPixel == truth.samplesPerPixel)
    #expect(waveform.channels == truth.channels)
    let own = values(waveform, bits: truth.bits)
    #expect(own.count == truth.values.count)
    let whole = own.count - 2 * truth.channels
    #expect(own[..<whole] == truth.values[..<whole])
  }

  /// libmad rounds otherwise than FFmpeg, so a value on the border between two eighths-bit steps may fall on either side;
  /// and it plays on into the padding.
  @Test func mp3() async throws {
    guard let (waveform, url) = try await measure("test_file_stereo.mp3") else { return }
    let truth = try PeakFile(
      contentsOf: url.deletingLastPathComponent()
        .appendingPathComponent("expected/test_file_stereo_8bit_64spp_mp3.json"))
    let pairs = Array(zip(values(waveform, bits: 8).dropLast(2), truth.values))
    #expect(pairs.count == 2 * (112_941 / 64))
    #expect(pairs.allSatisfy { abs($0 - $1) <= 1 })
    #expect(pairs.filter { $0 != $1 }.count <= 10)
  }

  /// A file of known samples: a ramp on the left, its negative on the right.
  @Test(arguments: ["pcm_s16le", "pcm_f32le", "pcm_s32le", "flac"])
  func arithmetic(_ codec: String) async throws {
    let url = try await madeFile(
      "ramp-\(codec)" + (codec == "flac" ? ".flac" : ".wav"),
      [
        "-f", "lavfi", "-i", "aevalsrc='n/32768|-n/65536':s=8000:d=1", "-c:a", codec,
      ])
    let track = try await Sound.track(url)
    let split = try await track.waveform(samplesPerPixel: 1000, splitsChannels: true)
    #expect(split.length == 8)
    #expect(split.channels == 2)
    let slack = codec == "pcm_s16le" || codec == "flac" ? 0 : 1
    for bin in 0..<8 {
      let (low, high) = (bin * 1000, bin * 1000 + 999)
      #expect(abs(Int(split[bin, 0].minimum) - low) <= slack)
      #expect(abs(Int(split[bin, 0].maximum) - high) <= slack)
      let mean = (low...high).reduce(0.0) { $0 + Double($1 * $1) } / 1000
      #expect(abs(Double(split[bin, 0].rms) - mean.squareRoot() / 32_768) < 0.0001)
    }
    let mixed = try await track.waveform(samplesPerPixel: 1000)
    #expect(mixed.channels == 1)
    // (n - n/2)/2, toward zero.
    #expect(abs(Int(mixed[7].maximum) - 7999 / 4) <= 1)
    #expect(mixed.sampleCount == 8000)
    let coarse = try split.resampled(toSamplesPerPixel: 4000)
    let direct = try await track.waveform(samplesPerPixel: 4000, splitsChannels: true)
    #expect(coarse.peaks.map(\.minimum) == direct.peaks.map(\.minimum))
    #expect(coarse.peaks.map(\.maximum) == direct.peaks.map(\.maximum))
    #expect(zip(coarse.peaks, direct.peaks).allSatisfy { abs($0.rms - $1.rms) < 1e-5 })
    let odd = try split.resampled(toSamplesPerPixel: 1500)
    #expect(odd.length == 6)
    #expect(odd[0].maximum == split[1].maximum)
    #expect(odd[1].minimum == split[2].minimum)
    #expect(throws: MediaError.self) { try split.resampled(toSamplesPerPixel: 999) }
  }

  /// The SIMD path over a decoder's planes gives what the samples themselves give.
  @Test func floats() async throws {
    let url = try await SoundRangeTests.clip("a.m4a", SoundRangeTests.aac)
    let sound = try await Sound.read(url, AudioOutputSettings(isPlanar: false))
    for splits in [false, true] {
      let waveform = try await Sound.track(url).waveform(
        samplesPerPixel: 441, splitsChannels: splits)
      #expect(waveform.sampleCount == 480_000)
      #expect(waveform.length == 480_000 / 441 + 1)
      for bin in [0, 1, 500, 1087, 1088] {
        let samples = (bin * 441)..<min(480_000, bin * 441 + 441)
        for channel in 0..<waveform.channels {
          let whole = samples.map { index -> Int in
            func value(_ channel: Int) -> Int {
              Int((sound.floats[2 * index + channel] * 32_767).rounded(.toNearestOrEven))
            }
            return splits ? value(channel) : (value(0) + value(1)) / 2
          }
          #expect(Int(waveform[bin, channel].minimum) == whole.min())
          #expect(Int(waveform[bin, channel].maximum) == whole.max())
        }
      }
    }
  }

  /// Decoded floats beyond full scale are clipped before channels are mixed, as sound of 16 bits is.
  @Test func beyondFullScale() async throws {
    let url = try await madeFile(
      "loud.ogg",
      [
        "-f", "lavfi", "-i", "aevalsrc='1.5*sin(700*t)|-0.5*sin(700*t)':s=48000:d=1", "-c:a",
        "libvorbis", "-q:a", "8",
      ])
    let sound = try await Sound.read(url, AudioOutputSettings(isPlanar: false))
    #expect(sound.floats.contains { $0 > 1.2 })
    let waveform = try await Sound.track(url).waveform(samplesPerPixel: 1000)
    for bin in 0..<waveform.length {
      let mixed = (bin * 1000..<min(sound.count, bin * 1000 + 1000)).map { index -> Int in
        func value(_ channel: Int) -> Int {
          let scaled = (sound.floats[2 * index + channel] * 32_767).rounded(.toNearestOrEven)
          return Int(max(-32_768, min(32_767, scaled)))
        }
        return (value(0) + value(1)) / 2
      }
      #expect(Int(waveform[bin].minimum) == mixed.min())
      #expect(Int(waveform[bin].maximum) == mixed.max())
    }
  }

  @Test func ranges() async throws {
    let url = try await AcceptanceCase.file("E3", "e3.m4a")
    let waveform = try await Sound.track(url).waveform(samplesPerPixel: 480, in: .ms(700, 2200))
    #expect(waveform.sampleCount == 72_000)
    let onset = (0..<waveform.length).first { waveform[$0].maximum > 8000 }
    #expect(onset == 30 || onset == 29)
    let none = await errorCode {
      _ = try await Sound.track(url).waveform(in: .ms(10_000, 11_000))
    }
    #expect(none == .noSourceTrack)
  }

  @Test func pictures() throws {
    let peaks = (0..<200).map { bin in
      let value = Int16(bin < 100 ? 0 : 32_767)
      return Waveform.Peak(minimum: -value, maximum: value, rms: bin < 100 ? 0 : 0.7)
    }
    let waveform = try Waveform(
      sampleRate: 100, samplesPerPixel: 1, channels: 1, sampleCount: 200, peaks: peaks)
    for appearance in WaveformStyle.Appearance.allCases {
      var style = WaveformStyle(width: 220, height: 120, appearance: appearance)
      style.padding = 10
      let image = try waveform.image(style: style)
      #expect(image.size == PixelSize(width: 220, height: 120))
      for corner in [(0, 0), (219, 119), (5, 60), (60, 20)] {
        #expect(image.pixel(x: corner.0, y: corner.1) == style.background)
      }
      #expect(image.pixel(x: 160, y: 12) == style.foreground)
      #expect(image.pixel(x: 160, y: 60) == style.accent)
      #expect(image.pixel(x: 160, y: 5) == style.background)
      style.shape = .bars
      let bars = try waveform.image(style: style)
      #expect(bars.pixel(x: 60, y: 20) == style.background)
      let row = (110..<210).map { bars.pixel(x: $0, y: 40) }
      #expect(row.contains(style.accent) && row.contains(style.background))
      style.width = 20
      #expect(throws: MediaError.self) { try waveform.image(style: style) }
      (style.width, style.height, style.padding) = (1_000_000, 300, 0)
      let tooLarge = #expect(throws: MediaError.self) { try waveform.image(style: style) }
      #expect(tooLarge?.code == .limitExceeded)
    }
    let split = try Waveform(
      sampleRate: 100, samplesPerPixel: 1, channels: 2, sampleCount: 100, peaks: peaks)
    let lanes = try split.image(style: WaveformStyle(width: 100, height: 200, appearance: .dark))
    #expect(lanes.size == PixelSize(width: 100, height: 200))
  }

  @Test func files() throws {
    let waveform = try Waveform(
      sampleRate: 44_100, samplesPerPixel: 2, channels: 2, sampleCount: 3,
      peaks: [(-513, 511), (-255, 256), (0, 1), (-32_768, 32_767)].map {
        Waveform.Peak(minimum: $0.0, maximum: $0.1, rms: 0)
      })
    #expect(
      waveform.json(bits: .eight) == """
        {"version":2,"channels":2,"sample_rate":44100,"samples_per_pixel":2,"bits":8,"length":2,\
        "data":[-2,1,0,1,0,0,-128,127]}

        """)
    #expect(
      waveform.dat(bits: .eight) == [
        2, 0, 0, 0, 1, 0, 0, 0, 0x44, 0xAC, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0xFE, 1, 0,
        1, 0, 0, 0x80, 0x7F,
      ])
    #expect(waveform.dat().count == 24 + 16)
    #expect(throws: MediaError.self) {
      try Waveform(sampleRate: 1, samplesPerPixel: 2, channels: 2, sampleCount: 5, peaks: [])
    }
  }
}
