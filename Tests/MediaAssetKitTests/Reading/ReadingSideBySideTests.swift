import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Outputs of one asset drained side by side; cancelled; over damage.
@Suite struct ReadingSideBySideTests {
  private static func asset() async throws -> MediaAsset {
    let folder = try await FixtureCache.shared.folder(named: "interleaved", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check(
        [
          "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=25:d=8,format=yuv420p", "-f",
          "lavfi",
          "-i", "sine=440:r=48000:d=8", "-c:v", "libx264", "-g", "25", "-bf", "2", "-c:a", "aac",
          folder.appendingPathComponent("clip.mp4").path,
        ])
    }
    return MediaAsset(url: folder.appendingPathComponent("clip.mp4"))
  }

  private static func output(_ asset: MediaAsset, _ type: MediaType, _ settings: TrackOutput.Settings) async throws
    -> TrackOutput
  {
    try Reader(asset: asset).output(
      for: try #require(try await asset.loadDefaultTrack(withMediaType: type)), settings: settings)
  }

  /// One output hurries, one dawdles, one alternates, and one waits for the others to be done.
  @Test func outputsDoNotWaitForEachOther() async throws {
    let asset = try await Self.asset()
    let fast = try await Self.output(asset, .audio, .audio(AudioOutputSettings()))
    let slow = try await Self.output(asset, .video, .video(VideoOutputSettings(pixelFormat: .bgra)))
    let stored = try await Self.output(asset, .video, .stored)
    async let sound = Task {
      var count = 0
      for try await sample in fast { count += sample.audioBuffer?.sampleCount ?? 0 }
      return count
    }.value
    async let pictures = Task {
      var count = 0
      for try await _ in slow {
        count += 1
        if count % 20 == 0 { try await Task.sleep(for: .milliseconds(2)) }
      }
      return count
    }.value
    async let packets = Task {
      var (one, other) = (stored.makeAsyncIterator(), fast.makeAsyncIterator())
      var count = 0
      while try await one.next() != nil {
        count += 1
        _ = try await other.next()
      }
      return count
    }.value
    #expect(try await sound == 8 * 48_000)
    #expect(try await pictures == 200)
    #expect(try await packets == 200)
    var late = 0
    for try await _ in slow { late += 1 }
    #expect(late == 200)
  }

  @Test(arguments: [0, 1, 2, 3])
  func cancellationIsPrompt(_ kind: Int) async throws {
    let asset = try await Self.asset()
    let settings: [(MediaType, TrackOutput.Settings)] = [
      (.video, .stored), (.video, .video()), (.video, .video(VideoOutputSettings(pixelFormat: .bgra))),
      (.audio, .audio(AudioOutputSettings())),
    ]
    let output = try await Self.output(asset, settings[kind].0, settings[kind].1)
    let clock = ContinuousClock()
    let task = Task {
      var count = 0
      while true {
        for try await _ in output { count += 1 }
        try Task.checkCancellation()
      }
    }
    try await Task.sleep(for: .milliseconds(60))
    let start = clock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now - start < .within(.milliseconds(200)))
  }

  /// Damaged pictures are passed over and counted; the rest comes.
  @Test func damageIsCounted() async throws {
    let url = try await #require(CodedClip.all.first { $0.name == "h264" }).make()
    var bytes = Array(try Data(contentsOf: url))
    // Three samples of one group become nonsense; each group has twelve.
    for packet in try await FFmpegJudge(url).packets()[30..<33] {
      let position = Int(try #require(packet.position))
      for index in position + 4..<position + packet.size { bytes[index] = 0xFF }
    }
    let asset = MediaAsset(data: Data(bytes))
    let output = try await Self.output(asset, .video, .video())
    var iterator = output.makeAsyncIterator()
    var times: [MediaTime] = []
    while let sample = try await iterator.next() { times.append(sample.presentationTime) }
    #expect(times.count >= 88 && times.last == .ms(3960))
    #expect(iterator.skippedSampleCount >= 1 && iterator.lastSkippedError?.code == .decodeFailed)
    let whole = try await Self.output(MediaAsset(url: url), .video, .video())
    var clean = whole.makeAsyncIterator()
    while try await clean.next() != nil {}
    #expect(clean.skippedSampleCount == 0 && clean.lastSkippedError == nil)
  }

  /// Chunks that lie behind the end of the file: their samples are missing, what follows them is read.
  @Test(arguments: [0, 1])
  func missingSamplesAreCounted(_ kind: Int) async throws {
    let (type, settings): (MediaType, TrackOutput.Settings) =
      kind == 0 ? (.video, .video()) : (.audio, .audio(AudioOutputSettings()))
    let url = try #require(try await Self.asset().url)
    var bytes = Array(try Data(contentsOf: url))
    // The chunk offsets of the pictures come first, then those of the sound.
    let tables = bytes.indices.filter { bytes[$0...].starts(with: Array("stco".utf8)) }
    let table = try #require(tables.count == 2 ? tables[kind] : nil)
    let count = bytes[table + 8..<table + 12].reduce(0) { $0 << 8 | Int($1) }
    let entry = table + 12 + 4 * (count / 2)
    bytes.replaceSubrange(entry..<entry + 4, with: [0x7F, 0xFF, 0xFF, 0x00])
    for stored in [true, false] {
      let output = try await Self.output(MediaAsset(data: Data(bytes)), type, stored ? .stored : settings)
      var iterator = output.makeAsyncIterator()
      var last: SampleBuffer?
      while let sample = try await iterator.next() { last = sample }
      let sample = try #require(last)
      #expect(iterator.skippedSampleCount >= 1 && iterator.lastSkippedError != nil)
      #expect(sample.presentationTime + sample.duration >= .ms(7900))
    }
  }
}
