import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite struct ReversedTests {
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }

  /// Two seconds whose pictures tell their number, in groups of ten with B-frames.
  private func counted(_ options: [String] = ["-g", "10", "-bf", "2"]) async throws -> URL {
    try await madeClip(
      "counted\(options.joined()).mp4",
      [
        "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=2,format=yuv420p,geq='40+3*N':128:128", "-c:v", "libx264",
        "-qp",
        "0",
      ] + options)
  }

  private func number(_ frame: VideoFrame) -> Int { (frame.pixelBuffer.value(0, 30, 20) - 40) / 3 }

  @Test(arguments: [["-g", "10", "-bf", "2"], ["-g", "250"]]) func picturesComeBackwards(_ options: [String])
    async throws
  {
    var film = try await Composition.joined([try await counted(options)])
    try film.reverseTimeRange(MediaTimeRange(start: .zero, duration: film.duration))
    let frames = try await film.composed()
    #expect(frames.map(number) == Array((0..<50).reversed()))
    #expect(frames.enumerated().allSatisfy { $1.time == ms(Int64($0) * 40) && $1.duration == ms(40) })
  }

  /// Small pieces, whose edges lie anywhere in groups and pictures.
  @Test(arguments: [1, 10_000, 40_000]) func memoryIsBounded(bytes: Int) async throws {
    let asset = MediaAsset(url: try await counted())
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    let range = MediaTimeRange(start: ms(90), end: ms(1910))
    var numbers: [Int] = []
    var end = range.end
    for try await frame in ReversedFrames(track: track, range: range, maximumBytes: bytes) {
      #expect(frame.time + frame.duration == end)
      end = frame.time
      numbers.append(number(frame))
    }
    #expect(numbers == Array((2...47).reversed()) && end == range.start)
  }

  /// Only a part, and twice is as before.
  @Test func partsAreTurned() async throws {
    let whole = try await Composition.joined([try await counted()])
    var film = whole
    try film.reverseTimeRange(MediaTimeRange(start: ms(400), end: ms(800)))
    #expect(film.duration == whole.duration)
    let frames = try await film.composed()
    #expect(frames.map(number) == Array(0..<10) + (10..<20).reversed() + Array(20..<50))
    #expect(film.tracks[0].segments[1].rate == -1)
    #expect(try JSONDecoder().decode(Composition.self, from: JSONEncoder().encode(film)) == film)
    // A cut within the turned part keeps the right half: what is left of it are its first pictures, backwards.
    var cut = film
    try cut.removeTimeRange(MediaTimeRange(start: ms(600), end: ms(2000)))
    #expect(try await cut.composed().map(number) == Array(0..<10) + (15..<20).reversed())
    try film.reverseTimeRange(MediaTimeRange(start: ms(400), end: ms(800)))
    #expect(try await film.composed().map(number) == Array(0..<50))
  }

  /// Backwards at half the speed.
  @Test func scaled() async throws {
    var film = try await Composition.joined([try await counted()])
    try film.reverseTimeRange(MediaTimeRange(start: .zero, duration: ms(2000)))
    try film.scaleTimeRange(MediaTimeRange(start: .zero, duration: ms(2000)), toDuration: ms(4000))
    let frames = try await film.composed()
    #expect(frames.map(number) == Array((0..<50).reversed()) && frames[10].time == ms(800))
  }

  @Test func soundComesBackwards() async throws {
    let url = try await stepClip("ramp.wav", seconds: "2.5", expression: "t/4")
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .audio)
    try film[id].insertTimeRange(
      MediaTimeRange(start: ms(100), end: ms(2300)), of: .init(url: url, trackID: 1), at: .zero)
    let forward = try await film.mixed().samples[0]
    try film.reverseTimeRange(MediaTimeRange(start: .zero, duration: film.duration))
    let backward = try await film.mixed().samples[0]
    #expect(backward.count == 105_600 && backward == forward.reversed())
  }

  /// What is backwards is never copied.
  @Test func isEncoded() async throws {
    var film = try await Composition.joined([try await counted()])
    try film.reverseTimeRange(MediaTimeRange(start: .zero, duration: film.duration))
    try await MediaKitCommand.withFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      #expect(plan.kept.map(\.action) == [.encode])
      let frames = try await Composition.joined([target]).composed()
      #expect(frames.count == 50)
      #expect(abs(frames[0].pixelBuffer.value(0, 30, 20) - (40 + 3 * 49)) <= 2)
      #expect(abs(frames[49].pixelBuffer.value(0, 30, 20) - 40) <= 2)
    }
  }
}
