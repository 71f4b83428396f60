import Foundation
import ISOMedia
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Segments: what is in them, where they are cut, and that together they present exactly what went in.
@Suite struct SegmentTests {
  private func seconds(_ value: Int64, _ scale: Int32 = 1) -> MediaTime { MediaTime(value: value, timescale: scale) }

  private func picture(_ index: Int, rate: Int32 = 25) throws -> SampleBuffer {
    SampleBuffer(
      content: .picture(try greyPicture(luma: UInt8(16 + 2 * (index % 100)))),
      presentationTime: MediaTime(value: Int64(index), timescale: rate),
      duration: MediaTime(value: 1, timescale: rate))
  }

  /// The header first, then segments of whole boxes, numbered, whose decode times go on without a gap.
  @Test(arguments: [Writer.FileTypeProfile.mpeg4AppleHLS, .mpeg4CMAFCompliant])
  func structure(_ profile: Writer.FileTypeProfile) async throws {
    let source = try await movieClip()
    let segments = try await passSegments(source, interval: seconds(1), profile: profile, types: [.video])
    #expect(segments.map(\.kind) == [.initialization, .separable, .separable, .separable])
    #expect(segments[0].boxes == ["ftyp", "moov"])
    #expect(segments[0].report == nil)
    let movie = try MovieHeader.parse(segments[0].box("moov"))
    var expected: Int64?
    for (index, segment) in segments.media.enumerated() {
      let isIndexed = profile == .mpeg4CMAFCompliant
      #expect(segment.boxes == (isIndexed ? ["styp", "sidx", "moof", "mdat"] : ["styp", "moof", "mdat"]))
      let fragment = try MovieFragment.parse(segment.box("moof"), at: 0, defaults: movie.movieExtends?.tracks ?? [])
      #expect(fragment.sequenceNumber == UInt32(index + 1))
      let base = Int64(try #require(fragment.tracks[0].baseDecodeTime))
      if let expected { #expect(base == expected) }
      var run = fragment.tracks[0].runs[0].samples(in: segment.box("moof"), from: base)
      var isFirst = true
      while let sample = run.next() {
        if isFirst { #expect(sample.isSync) }
        isFirst = false
      }
      expected = run.decodeTime
      if profile == .mpeg4CMAFCompliant {
        let sidx = try SegmentIndex.parse(segment.box("sidx"))
        #expect(sidx.references.count == 1)
        #expect(Int(sidx.references[0].size) == segment.box("moof").count + segment.box("mdat").count)
        #expect(sidx.references[0].startsWithStreamAccessPoint)
        #expect(Int64(sidx.references[0].duration) == Int64(sidx.timescale))
      }
    }
  }

  /// Passed on: the concatenation presents what the source does, as our reader and ffmpeg see it.
  @Test(arguments: [[MediaType.video, .audio], [.video], [.audio]])
  func passthrough(_ types: [MediaType]) async throws {
    let source = try await movieClip()
    let segments = try await passSegments(source, interval: seconds(1), types: types)
    #expect(segments.media.count == 3)
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try segments.write(to: url)
      if types.contains(.video) {
        #expect(try await FFmpegJudge(url).frameHashes() == (try await FFmpegJudge(source).frameHashes()))
        #expect(try await PresentedPicture.read(url) == (try await PresentedPicture.read(source)))
      }
      if types.contains(.audio) {
        let (own, truth) = (try await Sound.read16(url), try await Sound.read16(source))
        #expect(own.count == truth.count && own.int16s == truth.int16s)
        let (left, right) = (
          try await FFmpegJudge(source).packets(.firstAudio), try await FFmpegJudge(url).packets(.firstAudio)
        )
        #expect(left.map(\.hash) == right.map(\.hash))
        #expect(left.map(\.time) == right.map(\.time))
      }
    }
  }

  /// Reports: times, durations that add up, and bytes that are the sample.
  @Test func reports() async throws {
    let source = try await movieClip()
    let segments = try await passSegments(source, interval: seconds(1))
    let packets = try await FFmpegJudge(source).packets(.firstVideo)
    var pictures = 0
    for (index, segment) in segments.media.enumerated() {
      let report = try #require(segment.report)
      #expect(report.trackReports.map(\.mediaType) == [.video, .audio])
      let (video, audio) = (report.trackReports[0], report.trackReports[1])
      #expect(video.earliestPresentationTimeStamp == seconds(Int64(index)))
      #expect(video.duration == seconds(1))
      let sample = try #require(video.firstVideoSampleInformation)
      #expect(sample.isSyncSample && sample.presentationTimeStamp == seconds(Int64(index)))
      let bytes = Array(segment.data[sample.offset..<sample.offset + sample.length])
      #expect(MD5.hex(bytes) == packets[pictures].hash)
      pictures += video.sampleCount
      #expect(audio.firstVideoSampleInformation == nil)
      // One frame of AAC at most lies between.
      #expect((audio.earliestPresentationTimeStamp - seconds(Int64(index))).absoluteValue <= seconds(1024, 48_000))
    }
    #expect(pictures == packets.count)
    let sound = segments.media.compactMap { $0.report?.trackReports[1].duration }.reduce(MediaTime.zero) { $0 + $1 }
    #expect(sound == seconds(3))
  }

  /// The encoder makes sync samples where segments are to begin, whatever the frame rate; sequence numbers begin as asked.
  @Test(arguments: [[25, 2], [30, 1], [24, 3]])
  func forcedSyncSamples(_ numbers: [Int]) async throws {
    let (rate, length) = (Int32(numbers[0]), Int64(numbers[1]))
    let count = Int(rate) * 5
    let video = Writer.Input(video: VideoSettings(codec: "h264", constantRateFactor: 5))
    let audio = Writer.Input(audio: AudioSettings(codec: "aac"))
    let segments = try await writeSegments(
      interval: seconds(length), sequence: 7, inputs: [video, audio]
    ) { [self] _ in
      let step = 48_000 / Int(rate)
      for index in 0..<count {
        try await video.append(try picture(index, rate: rate))
        try await audio.append(try tone(step, from: index * step))
      }
    }
    let starts = segments.media.compactMap { $0.report?.trackReports.first?.earliestPresentationTimeStamp }
    #expect(starts == stride(from: Int64(0), to: 5, by: Int(length)).map { seconds($0) })
    for (index, segment) in segments.media.enumerated() {
      let fragment = try MovieFragment.parse(segment.box("moof"), at: 0, defaults: [])
      #expect(fragment.sequenceNumber == UInt32(7 + index))
    }
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try segments.write(to: url)
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.map(\.time) == (0..<count).map { ClipTime(Int64($0), Int64(rate)) })
      #expect(judged.map { GeneratedClip.index(luma: $0.luma) } == (0..<count).map { $0 % 100 })
      #expect(try await Sound.read16(url).count == 5 * 48_000)
    }
  }

  /// Uneven pictures: the first at or behind each boundary begins a segment.
  @Test func variableRate() async throws {
    var times: [Int64] = []
    var time: Int64 = 0
    var random = SeededGenerator(seed: 5)
    while time < 4000 {
      times.append(time)
      time += Int64.random(in: 10...140, using: &random)
    }
    let video = Writer.Input(video: VideoSettings(codec: "h264", constantRateFactor: 5))
    let segments = try await writeSegments(interval: seconds(1), inputs: [video]) { [times] _ in
      for (index, start) in times.enumerated() {
        let end = index + 1 < times.count ? times[index + 1] : 4000
        try await video.append(
          SampleBuffer(
            content: .picture(try greyPicture(luma: UInt8(16 + index))),
            presentationTime: MediaTime(value: start, timescale: 1000),
            duration: MediaTime(value: end - start, timescale: 1000)))
      }
    }
    let reports = segments.media.compactMap { $0.report?.trackReports.first }
    let expected = (0..<4).compactMap { second in times.first { $0 >= Int64(second) * 1000 } }
    #expect(reports.map(\.earliestPresentationTimeStamp) == expected.map { seconds($0, 1000) })
    #expect(reports.reduce(MediaTime.zero) { $0 + $1.duration } == seconds(4))
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try segments.write(to: url)
      #expect(try await FFmpegJudge(url).luma().map(\.time) == times.map { ClipTime($0, 1000) })
    }
  }

  /// Stored pictures are cut where they can be: segments get longer than asked.
  @Test func longGroups() async throws {
    let source = try await madeClip(
      "long.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=7", "-c:v", "libx264", "-g", "60", "-keyint_min", "60",
        "-sc_threshold", "0", "-pix_fmt", "yuv420p",
      ])
    let segments = try await passSegments(source, interval: seconds(1))
    let starts = segments.media.compactMap { $0.report?.trackReports.first?.earliestPresentationTimeStamp }
    #expect(starts == [seconds(0), seconds(12, 5), seconds(24, 5)])
  }

  /// A track that begins late is late, a session that begins late hides what comes before.
  @Test func lateBeginnings() async throws {
    let source = try await movieClip()
    let segments = try await passSegments(source, interval: seconds(1), types: [.video], start: seconds(1, 2))
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try segments.write(to: url)
      let shown = try await PresentedPicture.read(url)
      let expected = try await PresentedPicture.read(source).filter { $0.time + $0.duration > seconds(1, 2) }
      #expect(shown.map(\.luma) == expected.map(\.luma))
      #expect(shown.first?.time == .zero)
      #expect(shown.dropFirst().map(\.time) == expected.dropFirst().map { $0.time - seconds(1, 2) })
    }
    let late = Writer.Input(audio: AudioSettings(codec: "aac"))
    let video = Writer.Input(video: VideoSettings(codec: "h264", constantRateFactor: 5))
    let mixed = try await writeSegments(interval: seconds(1), inputs: [video, late]) { [self] _ in
      for index in 0..<75 {
        try await video.append(try picture(index))
        if index >= 30 { try await late.append(try tone(1920, from: index * 1920)) }
      }
    }
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try mixed.write(to: url)
      // The encoder's priming comes before, and an edit list hides it.
      let sound = try await Sound.read16(url)
      #expect(sound.time == seconds(6, 5))
      #expect(sound.count == 45 * 1920)
      let movie = try MovieHeader.parse(mixed[0].box("moov"))
      #expect((movie.duration ?? 0) == 0 && movie.tracks.allSatisfy { ($0.duration ?? 0) == 0 })
      let packets = try await FFmpegJudge(url).packets(.firstAudio)
      #expect(packets.first?.time == ClipTime(57_600 - 1024, 48_000))
    }
  }

  /// Sound in ADTS frames and pictures with start codes come out as MPEG-4 has them.
  @Test func framing() async throws {
    let source = try await madeClip(
      "framed.ts",
      [
        "-f", "lavfi", "-i", "testsrc2=s=96x64:r=25:d=3", "-f", "lavfi", "-i", "sine=440:r=48000:d=3", "-c:v",
        "libx264",
        "-g", "25", "-pix_fmt", "yuv420p", "-c:a", "aac", "-shortest",
      ])
    let segments = try await passSegments(source, interval: seconds(1))
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try segments.write(to: url)
      let (own, truth) = (try await PresentedPicture.read(url), try await PresentedPicture.read(source))
      #expect(own.map(\.luma) == truth.map(\.luma))
      let (left, right) = (try await Sound.read16(url), try await Sound.read16(source))
      #expect(left.int16s == right.int16s)
      #expect(
        try await FFmpegJudge(url).frameHashes().map(\.hash)
          == (try await FFmpegJudge(source).frameHashes().map(\.hash)))
      // A file in fragments is made of the same.
      let file = folder.appendingPathComponent("f.mp4")
      var options = Writer.Options()
      options.movieFragmentInterval = seconds(1)
      try await remux(source, to: file, .mp4, options: options)
      let packets = try await FFmpegJudge(file).packets(.firstAudio).map(\.hash)
      #expect(packets == (try await FFmpegJudge(url).packets(.firstAudio).map(\.hash)))
    }
  }

  /// Cut by hand: stored samples where asked, pictures that are encoded too.
  @Test func flushing() async throws {
    let source = try await movieClip()
    let asset = MediaAsset(url: source)
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    let input = try await Writer.Input.passthrough(of: track)
    let passed = try await writeSegments(interval: .indefinite, inputs: [input]) { writer in
      for try await sample in try Reader(asset: asset).output(for: track) {
        if sample.presentationTime == MediaTime(value: 2, timescale: 1) { try writer.flushSegment() }
        try await input.append(sample)
      }
    }
    let starts = passed.media.compactMap { $0.report?.trackReports.first?.earliestPresentationTimeStamp }
    #expect(starts == [.zero, seconds(2)])
    let video = Writer.Input(video: VideoSettings(codec: "h264", constantRateFactor: 5))
    let encoded = try await writeSegments(interval: .indefinite, inputs: [video]) { [self] writer in
      for index in 0..<60 {
        if index == 17 || index == 40 { try writer.flushSegment() }
        try await video.append(try picture(index))
      }
    }
    let cuts = encoded.media.compactMap { $0.report?.trackReports.first?.earliestPresentationTimeStamp }
    #expect(cuts == [.zero, seconds(17, 25), seconds(40, 25)])
  }

  @Test func startsWithoutSyncSample() async throws {
    let source = try await movieClip()
    let asset = MediaAsset(url: source)
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    for skipped in [1, 0] {
      let input = try await Writer.Input.passthrough(of: track)
      let error = await #expect(throws: MediaError.self) {
        _ = try await writeSegments(
          interval: skipped == 1 ? MediaTime(value: 1, timescale: 1) : .indefinite, inputs: [input]
        ) {
          writer in
          var index = 0
          for try await sample in try Reader(asset: asset).output(for: track) {
            if skipped == 0, index == 4 { try writer.flushSegment() }
            if index >= skipped { try await input.append(sample) }
            index += 1
          }
        }
      }
      #expect(error?.code == .segmentStartedWithNonSyncSample)
    }
  }
}
