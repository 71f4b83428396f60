import Foundation
import MediaTestSupport
import Testing

@Suite struct WaveformCommandTests {
  private static let folder = "bbc+audiowaveform/"

  /// audiowaveform's own files, byte for byte where no last bin differs.
  @Test func files() async throws {
    guard let corpus = Corpus.orCount() else { return }
    let file = corpus.url(path: Self.folder + "test_file_stereo.wav").path
    func expected(_ name: String) throws -> Data {
      try Data(contentsOf: corpus.url(path: Self.folder + "expected/" + name))
    }
    try await MediaKitCommand.withFolder { folder in
      for (name, options, truth) in [
        ("a.json", ["--bits=8"], "test_file_stereo_8bit_64spp_wav.json"),
        ("a.dat", ["--bits=8"], "test_file_stereo_8bit_64spp_wav.dat"),
        ("b.dat", [], "test_file_stereo_16bit_64spp_wav.dat"),
        ("c.dat", ["--bits=8", "--split-channels"], "test_file_2channel_8bit_64spp_wav.dat"),
      ] {
        _ = try await MediaKitCommand.check(
          ["waveform", file, "--samples-per-pixel=64", "-o", name] + options, in: folder)
        let own = try Data(contentsOf: folder.appendingPathComponent(name))
        #expect(own == (try expected(truth)), "\(truth)")
      }
      let piped = try await MediaKitCommand.check([
        "waveform", file, "--samples-per-pixel=64", "--bits=8", "-o", "-", "--type=json",
      ])
      #expect(Data(piped.standardOutput) == (try expected("test_file_stereo_8bit_64spp_wav.json")))
    }
  }

  @Test func widthAndPictures() async throws {
    let file = try await AcceptanceCase.file("E3", "e3.m4a")
    try await MediaKitCommand.withFolder { folder in
      _ = try await MediaKitCommand.check(
        ["waveform", file.path, "--width=100", "-o", "a.json"], in: folder)
      let peaks = try PeakFile(contentsOf: folder.appendingPathComponent("a.json"))
      #expect(peaks.samplesPerPixel == 1440)
      #expect(peaks.values.count == 200)
      // Silence for a third, then the tone.
      #expect(peaks.values[0..<66].allSatisfy { abs($0) < 400 })
      #expect(peaks.values[70..<190].allSatisfy { abs($0) > 20_000 })
      for (name, options, size) in [
        ("a.png", [], [1600, 320]), ("b.png", ["--width=300", "--height=80", "--dark"], [300, 80]),
        ("c.png", ["--width=300", "--bars"], [300, 320]),
        ("d.png", ["--samples-per-pixel=1000"], [144 + 2 * 21, 320]),
      ] {
        _ = try await MediaKitCommand.check(
          ["waveform", file.path, "-o", name] + options, in: folder)
        let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
        #expect(bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]))
        #expect([16, 20].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } } == size)
      }
      let again = try await MediaKitCommand.run(
        ["waveform", file.path, "-o", "a.png"], in: folder)
      #expect(again.status == 1)
    }
  }
}
