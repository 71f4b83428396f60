import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The acceptance cases of sound.
@Suite struct SoundCaseTests {
  /// A1: the priming is dropped, and so is the padding.
  @Test func primingAndPadding() async throws {
    let url = try await AcceptanceCase.file("A1", "a1.m4a")
    let sound = try await Sound.read16(url)
    #expect(sound.count == 44_100)
    #expect(sound.time == .zero)
    #expect(sound.end == MediaTime(value: 1, timescale: 1))
    #expect(sound.jumps.isEmpty)
    #expect(abs((sound.onset ?? 0) - 22_050) <= 30)
  }

  /// A1 at another rate: what is presented is cut before it is resampled.
  @Test(arguments: [16_000, 48_000, 8000, 96_000])
  func primingResampled(_ rate: Int) async throws {
    let url = try await AcceptanceCase.file("A1", "a1.m4a")
    let sound = try await Sound.read16(url, rate: rate)
    #expect(sound.rate == rate)
    #expect(sound.count == rate)
    #expect(sound.time == .zero)
    #expect(abs((sound.onset ?? 0) - rate / 2) <= 30 * rate / 44_100 + 8)
  }

  /// A3: the centre comes out at 0.2929 of itself, whatever the sample format.
  @Test(arguments: AudioSampleFormat.allCases)
  func downmix(_ format: AudioSampleFormat) async throws {
    let url = try await AcceptanceCase.file("A3", "a3.wav")
    let sound = try await Sound.read(
      url, AudioOutputSettings(channels: 2, format: format, isPlanar: false))
    #expect(sound.channels == 2)
    #expect(sound.layout == "stereo")
    let values =
      switch format {
      case .float32: sound.floats.map { Double($0) }
      case .int16: sound.int16s.map { Double($0) / 32_768 }
      case .int32: sound.int32s.map { Double($0) / 2_147_483_648 }
      }
    #expect(values.count == 96_000)
    for side in 0...1 {
      let peak = stride(from: side, to: values.count, by: 2).map { values[$0] }.max() ?? 0
      #expect(abs(peak - 0.5 * 0.2929) < 0.001)
    }
  }

  /// A5: 5.1, then stereo, as continuous stereo.
  @Test func changeInMidstream() async throws {
    let url = try await AcceptanceCase.file("A5", "a5.ts")
    let sound = try await Sound.read16(url, rate: 48_000, channels: 2)
    #expect(sound.count == 98_304)
    #expect(sound.kinds == [2])
    #expect(sound.jumps.isEmpty)
    let native = try await Sound.read(url)
    #expect(native.kinds == [6, 2])
  }

  /// A5 at another rate: the tail of the first half is not lost.
  @Test func changeInMidstreamResampled() async throws {
    let url = try await AcceptanceCase.file("A5", "a5.ts")
    let sound = try await Sound.read16(url, rate: 16_000, channels: 2)
    #expect(abs(sound.count - 32_768) <= 1)
    #expect(sound.kinds == [2])
  }

  /// E3: a range off the grid of AAC frames.
  @Test func range() async throws {
    let url = try await AcceptanceCase.file("E3", "e3.m4a")
    #expect(try await Sound.read16(url).count == 144_000)
    let sound = try await Sound.read16(url, in: .ms(700, 2200))
    #expect(sound.count == 72_000)
    #expect(sound.time == .ms(700))
    #expect(sound.end == .ms(2200))
    #expect(abs((sound.onset ?? 0) - 14_400) <= 64)
  }
}
