import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Parts of a sound are the same samples as those of the whole.
@Suite struct SoundRangeTests {
  /// Ten seconds of a sweep with noise in it, so that no two places are alike.
  static func clip(_ name: String, _ options: [String]) async throws -> URL {
    try await madeFile(
      "sweep-" + name,
      [
        "-f", "lavfi", "-i",
        "aevalsrc='0.4*sin(200*t*t)+0.2*(random(0)-0.5)|0.4*sin(150*t*t+1)':s=48000:d=10",
      ] + options)
  }

  /// Noise that decoders make up goes on where it was, so AAC is made without it.
  static let aac = ["-c:a", "aac", "-b:a", "160k", "-aac_pns", "0"]

  private static let clips: [(String, [String])] = [
    ("a.m4a", aac), ("b.mp3", ["-c:a", "libmp3lame", "-q:a", "4"]),
    ("c.mp3", ["-c:a", "libmp3lame", "-b:a", "128k"]),
    ("d.opus", ["-c:a", "libopus", "-b:a", "96k"]), ("e.ogg", ["-c:a", "libvorbis"]),
    ("f.flac", ["-c:a", "flac"]), ("g.wav", ["-c:a", "pcm_s24le"]),
    ("h.aac", aac), ("i.ts", aac),
    ("j.ts", ["-c:a", "mp2"]), ("k.mka", ["-c:a", "libopus"]), ("l.mka", aac),
    ("m.mka", ["-c:a", "flac"]), ("n.caf", ["-c:a", "alac"]), ("o.avi", ["-c:a", "libmp3lame"]),
    ("p.ac3", ["-c:a", "ac3"]), ("q.mka", ["-c:a", "libvorbis"]),
  ]

  @Test(arguments: clips.map(\.0))
  func middle(_ name: String) async throws {
    let clip = try #require(Self.clips.first { $0.0 == name })
    let url = try await Self.clip(clip.0, clip.1)
    let settings = AudioOutputSettings(format: .float32, isPlanar: false)
    let whole = try await Sound.read(url, settings)
    let first = try #require(whole.time)
    // The decoders of AC-3 and MPEG layer II dither, with noise that goes on where it was.
    let tolerance: Float = name.hasSuffix(".ac3") ? 0.06 : name == "j.ts" ? 2 / 32_768 : 2e-5
    for range in [MediaTimeRange.ms(4321, 5432), .ms(0, 700), .ms(9000, 9500), .ms(1001, 1002)] {
      let part = try await Sound.read(url, in: range, settings)
      let origin = (range.start - first).convertScale(48_000, method: .roundHalfAwayFromZero)
      let start = max(0, Int(origin.value))
      let end = Int((range.end - first).convertScale(48_000).value)
      #expect(abs(part.count - (end - start)) <= 1, "\(range)")
      #expect(part.jumps.isEmpty)
      let expected = whole.floats[(2 * start)..<min(whole.floats.count, 2 * start + part.floats.count)]
      let largest = zip(expected, part.floats).map { abs($0 - $1) }.max() ?? 1
      // Counted to the range without decoding: to the bit.
      if name == "q.mka" { #expect(Array(expected) == part.floats) }
      #expect(largest < tolerance, "\(name) at \(range): \(largest)")
    }
  }

  /// A range behind the end, an empty one, and one that begins before the sound.
  @Test func outside() async throws {
    let url = try await Self.clip("g.wav", ["-c:a", "pcm_s24le"])
    #expect(try await Sound.read16(url, in: .ms(20_000, 30_000)).count == 0)
    #expect(try await Sound.read16(url, in: .ms(1000, 1000)).count == 0)
    let early = try await Sound.read16(url, in: .ms(-1000, 500))
    #expect(early.count == 24_000)
    #expect(early.time == .zero)
    let late = try await Sound.read16(
      url, in: MediaTimeRange(start: .ms(9500), duration: .positiveInfinity))
    #expect(late.count == 24_000)
    #expect(late.time == .ms(9500))
  }

  @Test func cancellation() async throws {
    let url = try await Self.clip("f.flac", ["-c:a", "flac"])
    let task = Task {
      var count = 0
      for try await _ in try await Sound.track(url).audio() {
        count += 1
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return count
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
