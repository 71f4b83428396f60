import Foundation
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Time ranges of an output, one after another, as values and with the same decoder.
@Suite struct ReadingRangeTests {
  private static let ranges: [MediaTimeRange] = [.ms(200, 520), .ms(520, 521), .ms(1990, 2110), .ms(3900, 9000)]

  private static func track(_ url: URL, _ type: MediaType = .video) async throws -> AssetTrack {
    try #require(try await MediaAsset(url: url).loadDefaultTrack(withMediaType: type))
  }

  private static func lumas(_ samples: [SampleBuffer]) -> [(MediaTime, MediaTime, Int)] {
    samples.map { sample in
      let luma = sample.pixelBuffer?.withPlane(0) { span, plane in
        Int(span.unsafeLoad(fromByteOffset: plane.bytesPerRow * 20 + 20, as: UInt8.self))
      }
      return (sample.presentationTime, sample.duration, luma ?? -1)
    }
  }

  private static func all(_ output: TrackOutput) async throws -> [SampleBuffer] {
    var list: [SampleBuffer] = []
    for try await sample in output { list.append(sample) }
    return list
  }

  /// Frame k of the clips is on show from k/25 s on with luma 16 + 2k.
  @Test(arguments: [
    GeneratedClip.Kind.h264ClosedGroups, .h264OpenGroups, .hevc, .vp9, .mpeg2Transport, .mjpegAVI,
  ])
  func picturesOfRanges(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let track = try await Self.track(clip.url)
    let output = try Reader(asset: track.asset).output(for: track, settings: .video())
    let found = Self.lumas(try await Self.all(output.reading(timeRanges: Self.ranges)))
    var wanted: [(MediaTime, MediaTime, Int)] = []
    for range in Self.ranges {
      let end = min(range.end, MediaTime.ms(4000))
      for k in 0..<100 {
        let (from, until) = (max(.ms(Int64(40 * k)), range.start), min(.ms(Int64(40 * k + 40)), end))
        if from < until { wanted.append((from, until - from, 16 + 2 * k)) }
      }
    }
    #expect(found.map(\.0) == wanted.map(\.0))
    #expect(found.map(\.1) == wanted.map(\.1))
    // MJPEG is stored in full range.
    let isFull = kind == .mjpegAVI
    for (own, truth) in zip(found, wanted) {
      let luma = isFull ? Int(GeneratedClip.grey(luma: Double(truth.2)).rounded()) : truth.2
      #expect(abs(own.2 - luma) <= 2)
    }
  }

  @Test func resettingReadsElsewhereWithTheSameDecoder() async throws {
    let clip = try await GeneratedClip.make(.h264OpenGroups)
    let track = try await Self.track(clip.url)
    var iterator = try Reader(asset: track.asset).output(for: track, settings: .video()).makeAsyncIterator()
    for _ in 0..<7 { _ = try await iterator.next() }
    for round in 0..<3 {
      // Back, and forward again; also before the end was reached.
      for start in [Int64(3000), 400, 1720] {
        try iterator.reset(forReadingTimeRanges: [.ms(start, start + 120)])
        let count = round == 2 ? 1 : 3
        for k in 0..<count {
          let sample = try #require(try await iterator.next())
          #expect(sample.presentationTime == .ms(start + Int64(40 * k)))
          #expect(abs((Self.lumas([sample])[0].2 - 16) / 2 - Int(start / 40) - k) <= 0)
        }
        if round < 2 { #expect(try await iterator.next() == nil) }
      }
    }
    try iterator.reset(forReadingTimeRanges: [])
    #expect(try await iterator.next() == nil)
  }

  @Test func soundOfRangesIsTheWholeCutUp() async throws {
    let url = try await AcceptanceCase.file("E3", "e3.m4a")
    let track = try await Self.track(url, .audio)
    let output = try Reader(asset: track.asset).output(
      for: track, settings: .audio(AudioOutputSettings(format: .int16, isPlanar: false)))
    func samples(_ list: [SampleBuffer]) -> [Int16] {
      list.flatMap { sample in
        sample.audioBuffer?.withInt16s(0) { span in (0..<span.count).map { span[$0] } } ?? []
      }
    }
    let whole = samples(try await Self.all(output))
    let ranges: [MediaTimeRange] = [.ms(100, 350), .ms(350, 400), .ms(1500, 1625)]
    let channels = Int(try await track.load(.formatDescriptions).first?.audio?.channels ?? 1)
    let parts = samples(try await Self.all(output.reading(timeRanges: ranges)))
    let wanted = ranges.flatMap { range in
      whole[Int(range.start.seconds * 48_000) * channels..<Int(range.end.seconds * 48_000) * channels]
    }
    #expect(parts == wanted)
  }

  @Test func wrongRangesAreRefused() async throws {
    let track = try await Self.track(GeneratedClip.make(.h264ClosedGroups).url)
    let output = try Reader(asset: track.asset).output(for: track)
    let wrong: [[MediaTimeRange]] = [
      [.ms(0, 100), .ms(50, 200)], [.ms(500, 600), .ms(0, 100)],
      [MediaTimeRange(start: .invalid, duration: .ms(10))],
      [MediaTimeRange(start: .zero, duration: .indefinite)],
      [MediaTimeRange(start: .zero, duration: .positiveInfinity), .ms(0, 100)],
      [MediaTimeRange(start: .negativeInfinity, duration: .ms(10))],
    ]
    for ranges in wrong {
      #expect { try output.reading(timeRanges: ranges) } throws: { ($0 as? MediaError)?.code == .invalidArgument }
    }
    #expect(try await Self.all(output.reading(timeRanges: [.ms(100, 100), .ms(5000, 6000)])).isEmpty)
  }

  /// Stored samples of a range begin with a sync sample, hold everything that the range shows, and mark the rest.
  @Test(arguments: ["h264", "h264-matroska", "h264-ts", "h264-flv", "h264-open", "hevc-open", "vp9", "h264-fragments"])
  func storedSamplesOfARange(_ name: String) async throws {
    let url = try await #require(CodedClip.all.first { $0.name == name }).make()
    let track = try await Self.track(url)
    let output = try Reader(asset: track.asset).output(for: track)
    let whole = try await Self.all(output)
    for range in [MediaTimeRange.ms(1000, 1400), .ms(500, 540), .ms(2210, 2211), .ms(0, 200), .ms(3800, 5000)] {
      let part = try await Self.all(output.reading(timeRanges: [range]))
      let first = try #require(part.first)
      #expect(first.isSync)
      let shown = whole.filter { $0.presentationTime < range.end && $0.presentationTime + .ms(40) > range.start }
      let times = part.map(\.presentationTime)
      for sample in shown { #expect(times.contains(sample.presentationTime), "\(name) \(range)") }
      for sample in part {
        let isShown = sample.presentationTime < range.end && sample.presentationTime + .ms(40) > range.start
        #expect(sample.isHidden == !isShown, "\(name) \(sample.presentationTime)")
      }
      // A run of the whole list: nothing that decoding needs is left out.
      let order = whole.map(\.presentationTime)
      let begin = try #require(order.firstIndex(of: first.presentationTime))
      #expect(Array(order[begin..<begin + times.count]) == times)
    }
  }

  /// A change in mid-stream is told with the first sample that has it.
  @Test func formatsAreTold() async throws {
    let track = try await Self.track(AcceptanceCase.file("A5", "a5.ts"), .audio)
    let output = try Reader(asset: track.asset).output(for: track, settings: .audio(AudioOutputSettings()))
    let samples = try await Self.all(output)
    let starts = samples.filter(\.startsNewFormat)
    #expect(starts.map { $0.formatDescription?.audio?.channels } == [6, 2])
    #expect(samples.allSatisfy { $0.formatDescription?.audio?.channels == $0.audioBuffer?.channels })
  }

  @Test func sizesThatChangeAreTold() async throws {
    let folder = try await FixtureCache.shared.folder(named: "two-sizes", ingredients: ["2"]) { folder in
      for size in ["64x48", "96x72"] {
        try await MediaTool("ffmpeg").check(
          [
            "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=0.4,format=yuv420p",
            "-c:v",
            "mpeg2video", "-f", "mpegts", folder.appendingPathComponent(size + ".ts").path,
          ])
      }
      let joined =
        try Data(contentsOf: folder.appendingPathComponent("64x48.ts"))
        + Data(contentsOf: folder.appendingPathComponent("96x72.ts"))
      try joined.write(to: folder.appendingPathComponent("both.ts"))
    }
    let track = try await Self.track(folder.appendingPathComponent("both.ts"))
    let reader = Reader(asset: track.asset)
    let stored = try await Self.all(reader.output(for: track, settings: .video()))
    #expect(stored.filter(\.startsNewFormat).map { $0.formatDescription?.video?.encodedSize.width } == [64, 96])
    // One size for all where it is asked for.
    let size = PixelSize(width: 32, height: 32)
    let scaled = try await Self.all(
      reader.output(for: track, settings: .video(VideoOutputSettings(pixelFormat: .bgra, size: size))))
    #expect(scaled.count == stored.count && scaled.filter(\.startsNewFormat).count == 1)
    #expect(scaled.allSatisfy { $0.pixelBuffer?.size == size })
  }

  /// Priming is told with the samples that hold it: AAC of FFmpeg has 1024 samples of it.
  @Test func primingIsTold() async throws {
    let track = try await Self.track(AcceptanceCase.file("E3", "e3.m4a"), .audio)
    let samples = try await Self.all(Reader(asset: track.asset).output(for: track))
    let hidden = samples.filter(\.isHidden).reduce(MediaTime.zero) { $0 + $1.duration }
    let trimmed = samples.filter { !$0.isHidden }.reduce(MediaTime.zero) { $0 + $1.trimDurationAtStart }
    #expect(hidden + trimmed == MediaTime(value: 1024, timescale: 48_000))
    let total = samples.reduce(MediaTime.zero) { $0 + $1.duration }
    let cut = samples.filter { !$0.isHidden }.reduce(MediaTime.zero) { $0 + $1.trimDurationAtEnd }
    let behind = samples.filter { $0.isHidden && $0.presentationTime > .zero }.reduce(MediaTime.zero) {
      $0 + $1.duration
    }
    let range = try await track.load(.timeRange)
    let shown = total - hidden - trimmed - cut
    #expect(shown == range.duration && behind >= .zero)
  }
}
