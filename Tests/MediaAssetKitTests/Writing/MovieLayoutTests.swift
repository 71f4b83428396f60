import Foundation
import ISOMedia
import LibAV
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What lies where in QuickTime and MPEG-4 files, and what their headers say.
@Suite struct MovieLayoutTests {
  private static func boxes(_ url: URL) throws -> [String] {
    let bytes = [UInt8](try Data(contentsOf: url))
    return BoxSequence(bytes).map(\.type.description)
  }

  /// The header comes first, the media is the same, and players find it.
  @Test(arguments: [FileType.mp4, .mov], [true, false])
  func headerFirst(_ type: FileType, _ isHinted: Bool) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      var options = Writer.Options()
      options.shouldOptimizeForNetworkUse = true
      let asset = MediaAsset(url: source)
      let tracks = try await asset.load(.tracks)
      try await withWriter(url: url, fileType: type, options: options) { writer in
        for track in tracks {
          let input = try await Writer.Input.passthrough(of: track)
          if !isHinted { input.properties.expectedSampleCount = nil }
          try writer.add(input)
        }
        try await writer.start()
        try writer.startSession(at: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (input, track) in zip(writer.inputs, tracks) {
            group.addTask {
              for try await sample in try Reader(asset: asset).output(for: track) { try await input.append(sample) }
              input.finish()
            }
          }
          try await group.waitForAll()
        }
      }
      let boxes = try Self.boxes(url)
      let (header, media) = (boxes.firstIndex(of: "moov"), boxes.firstIndex(of: "mdat"))
      #expect(boxes.filter { $0 == "moov" }.count == 1)
      #expect(try #require(header) < #require(media))
      for stream in [FFmpegJudge.Stream.firstVideo, .firstAudio] {
        let (left, right) = (try await FFmpegJudge(source).packets(stream), try await FFmpegJudge(url).packets(stream))
        #expect(left.map(\.hash) == right.map(\.hash))
        #expect(left.map(\.time) == right.map(\.time))
      }
      // Not much room is wasted.
      let sizes = try [source, url].map { try Data(contentsOf: $0).count }
      #expect(sizes[1] < sizes[0] + 8192)
      #expect(contents(folder) == ["o.mp4"])
    }
  }

  private func picture(_ index: Int) throws -> SampleBuffer {
    SampleBuffer(
      content: .picture(try greyPicture(luma: UInt8(16 + 2 * index))),
      presentationTime: MediaTime(value: Int64(index), timescale: 25), duration: MediaTime(value: 1, timescale: 25))
  }

  /// A file in fragments is valid after every one: what stands there when the process is killed can be read.
  @Test func fragments() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let snapshot = folder.appendingPathComponent("killed.mp4")
      var options = Writer.Options()
      options.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
      options.initialMovieFragmentSequenceNumber = 5
      var settings = VideoSettings(codec: "h264", constantRateFactor: 5, encoderOptions: ["tune": "zerolatency"])
      settings.maximumKeyFrameInterval = 25
      try await withWriter(url: url, fileType: .mp4, options: options) { writer in
        let video = try writer.add(Writer.Input(video: settings))
        let audio = try writer.add(Writer.Input(audio: AudioSettings(codec: "aac")))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<100 {
          try await video.append(try picture(index))
          let sound = try tone(1920, from: index * 1920)
          try await audio.append(sound)
          if index == 85 {
            try await Task.sleep(for: .milliseconds(300))
            try Data(contentsOf: url).write(to: snapshot)
          }
        }
      }
      // Three fragments of 25 pictures were complete at least.
      let killed = try await FFmpegJudge(snapshot).luma()
      #expect(killed.count >= 75)
      #expect(killed.map { GeneratedClip.index(luma: $0.luma) } == Array(0..<killed.count))
      #expect(try await PresentedPicture.read(snapshot).count >= 75)
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.map(\.time) == (0..<100).map { ClipTime(Int64($0), 25) })
      #expect(judged.map { GeneratedClip.index(luma: $0.luma) } == Array(0..<100))
      let boxes = try Self.boxes(url)
      #expect(boxes.prefix(2) == ["ftyp", "moov"])
      #expect(boxes.filter { $0 == "moof" }.count == 4)
      #expect(try await Sound.read16(url).count == 100 * 1920)
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 4, timescale: 1))
    }
  }

  /// A process that is killed while it writes leaves what can be played.
  @Test func killedProcess() async throws {
    let source = try await movieClip()
    let program = URL(fileURLWithPath: MediaKitCommand.path).deletingLastPathComponent()
      .appendingPathComponent("MediaBenchmarks").path
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      // 75 pictures at 60 ms last four and a half seconds; the second fragment comes within three.
      let script = """
        "$1" record "$2" 60 1 & pid=$!
        until [ "$(grep -ao moof "$FLOOR_OUT" 2>/dev/null | wc -l)" -ge 2 ] || ! kill -0 $pid; do sleep 0.05; done
        kill -KILL $pid; wait $pid
        """
      let output = try await MediaTool("bash").run(
        ["-c", script, "bash", program, source.path], environment: ["FLOOR_OUT": url.path])
      #expect(output.status != 0)
      let judged = try await FFmpegJudge(url).luma()
      let whole = try await FFmpegJudge(source).luma()
      #expect(judged.count >= 25 && judged.count < 75)
      #expect(judged == Array(whole.prefix(judged.count)))
      #expect(try await PresentedPicture.read(url).count == judged.count)
      #expect(try await MediaAsset(url: url).load(.tracks).count == 2)
    }
  }

  /// A failure leaves the fragments that were complete.
  @Test func fragmentsAfterAFailure() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      var options = Writer.Options()
      options.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
      var settings = VideoSettings(codec: "h264", constantRateFactor: 5, encoderOptions: ["tune": "zerolatency"])
      settings.maximumKeyFrameInterval = 25
      await #expect(throws: CancellationError.self) {
        try await withWriter(url: url, fileType: .mp4, options: options) { writer in
          let video = try writer.add(Writer.Input(video: settings))
          try await writer.start()
          try writer.startSession(at: .zero)
          for index in 0..<80 { try await video.append(try picture(index)) }
          try await Task.sleep(for: .milliseconds(300))
          throw CancellationError()
        }
      }
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.count >= 50)
    }
  }

  /// The head of a file in fragments is exact, counts in ticks that are fine enough, and knows the length in the end.
  @Test func headOfFragments() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let snapshot = folder.appendingPathComponent("early.mp4")
      var options = Writer.Options()
      options.movieFragmentInterval = MediaTime(value: 2, timescale: 1)
      options.initialMovieFragmentInterval = MediaTime(value: 1, timescale: 2)
      options.initialMovieFragmentSequenceNumber = 7
      options.overallDurationHint = MediaTime(value: 60, timescale: 1)
      var settings = VideoSettings(codec: "h264", constantRateFactor: 5, encoderOptions: ["tune": "zerolatency"])
      settings.maximumKeyFrameInterval = 15
      let frame = MediaTime(value: 1001, timescale: 30_000)
      try await withWriter(url: url, fileType: .mp4, options: options) { writer in
        let video = try writer.add(Writer.Input(video: settings))
        let audio = try writer.add(Writer.Input(audio: AudioSettings(codec: "aac")))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<100 {
          try await video.append(
            SampleBuffer(
              try greyPicture(luma: UInt8(16 + 2 * index)),
              presentationTime: MediaTime(value: 1001 * Int64(index), timescale: 30_000), duration: frame))
          try await audio.append(try tone(1470, from: index * 1470, rate: 44_100))
          if index == 40 {
            try await Task.sleep(for: .milliseconds(300))
            try Data(contentsOf: url).write(to: snapshot)
          }
        }
      }
      // Half a second is there although a fragment is to last two.
      let early = try await MediaAsset(url: snapshot).header()
      #expect(early.movie?.movieExtends?.fragmentDuration.map { $0 / UInt64(early.movie?.timescale ?? 1) } == 60)
      #expect(try await FFmpegJudge(snapshot).luma().count >= 15)
      let header = try await MediaAsset(url: url).header()
      let movie = try #require(header.movie)
      // The least common multiple of the tracks' ticks.
      let scales = movie.tracks.map { Int($0.mediaTimescale) }
      #expect(scales.allSatisfy { Int(movie.timescale) % $0 == 0 })
      let lengths = movie.tracks.map { $0.edits?.map(\.segmentDuration) ?? [] }
      let scale = UInt64(movie.timescale)
      #expect(lengths == [[100 * 1001 * scale / 30_000], [147_000 * scale / 44_100]])
      #expect(movie.movieExtends?.fragmentDuration == 100 * 1001 * scale / 30_000)
      #expect(try await MediaAsset(url: url).load(.overallDurationHint) == MediaTime(value: 100_100, timescale: 30_000))
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 100_100, timescale: 30_000))
      #expect(try await Sound.read16(url).count == 147_000)
      let judged = try await FFmpegJudge(url).luma()
      #expect(judged.map(\.time) == (0..<100).map { ClipTime(Int64($0) * 1001, 30_000) })
      // The list at the end says where fragments are, of which the first is the seventh.
      let bytes = [UInt8](try Data(contentsOf: url))
      let moofs = BoxSequence(bytes).filter { $0.type == "moof" }
      #expect(moofs.count == 3)
      #expect(moofs.first.map { Array(bytes[$0.range.lowerBound + 20..<$0.range.lowerBound + 24]) } == [0, 0, 0, 7])
      let list = try #require(BoxSequence(bytes).first { $0.type == "mfra" })
      let random = try #require(BoxSequence(bytes, in: list.payload).first { $0.type == "tfra" })
      var reader = ByteReader(bytes, in: random.payload)
      #expect(reader.versionAndFlags().version == 1)
      reader.skip(8)
      let count = Int(reader.uint32())
      let places = (0..<count).map { _ in
        reader.skip(8)
        defer { reader.skip(3) }
        return Int(reader.int64())
      }
      #expect(Set(places).isSubset(of: Set(moofs.map(\.range.lowerBound))) && !places.isEmpty)
    }
  }

  /// A track that begins later than the first fragment ends is shown when it should be.
  @Test func lateTrackInFragments() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      var options = Writer.Options()
      options.movieFragmentInterval = MediaTime(value: 1, timescale: 1)
      var settings = VideoSettings(codec: "h264", constantRateFactor: 5, encoderOptions: ["tune": "zerolatency"])
      settings.maximumKeyFrameInterval = 25
      try await withWriter(url: url, fileType: .mov, options: options) { writer in
        let video = try writer.add(Writer.Input(video: settings))
        var hint = FormatDescription(mediaType: .audio, codec: "pcm_alaw")
        hint.audio = AudioFormat(sampleRate: 8000, channels: 1)
        let audio = try writer.add(Writer.Input(mediaType: .audio, settings: nil, sourceFormatHint: hint))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<50 {
          try await audio.append(
            SampleBuffer(
              bytes: [UInt8](repeating: 0x55, count: 160),
              presentationTime: MediaTime(value: 24_000 + 160 * Int64(index), timescale: 8000),
              duration: MediaTime(value: 160, timescale: 8000)))
        }
        audio.finish()
        for index in 0..<100 { try await video.append(try picture(index)) }
      }
      let asset = MediaAsset(url: url)
      let track = try #require(try await asset.loadDefaultTrack(withMediaType: .audio))
      let range = try await track.load(.timeRange)
      #expect(
        range == MediaTimeRange(start: MediaTime(value: 3, timescale: 1), duration: MediaTime(value: 1, timescale: 1)))
      let first = try await FFmpegJudge(url).packets(.firstAudio).first
      #expect(first?.time == ClipTime(3, 1))
    }
  }

  /// What is asked to lie together does.
  @Test func chunks() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let asset = MediaAsset(url: source)
      let tracks = try await asset.load(.tracks)
      // The same for both, so that they take turns.
      let lengths = [MediaTime(value: 1, timescale: 1), MediaTime(value: 1, timescale: 1)]
      try await withWriter(url: url, fileType: .mp4) { writer in
        for (track, length) in zip(tracks, lengths) {
          let input = try await Writer.Input.passthrough(of: track)
          input.properties.preferredMediaChunkDuration = length
          try writer.add(input)
        }
        try await writer.start()
        try writer.startSession(at: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (input, track) in zip(writer.inputs, tracks) {
            group.addTask {
              for try await sample in try Reader(asset: asset).output(for: track) { try await input.append(sample) }
              input.finish()
            }
          }
          try await group.waitForAll()
        }
      }
      let movie = try #require(try await MediaAsset(url: url).header().movie)
      for (track, length) in zip(movie.tracks, lengths) {
        // Runs of samples without a gap between them, in seconds.
        var runs: [Double] = []
        var end: Int64?
        for sample in try movie.sampleTable(of: track, maximumSamples: 10_000) {
          if sample.offset != end { runs.append(0) }
          runs[runs.count - 1] += Double(sample.duration) / Double(track.mediaTimescale)
          end = sample.offset + Int64(sample.size)
        }
        for run in runs.dropLast() { #expect(run > length.seconds - 0.05 && run < length.seconds + 0.05) }
        #expect(
          runs.count == Int((3 / length.seconds).rounded()) || runs.count == Int((3 / length.seconds).rounded()) + 1)
      }
      for stream in [FFmpegJudge.Stream.firstVideo, .firstAudio] {
        let (left, right) = (try await FFmpegJudge(source).packets(stream), try await FFmpegJudge(url).packets(stream))
        #expect(left.map(\.hash) == right.map(\.hash))
        #expect(left.map(\.time) == right.map(\.time))
      }
    }
  }

  /// What the inputs' properties say is what the file says.
  @Test(arguments: [false, true]) func properties(_ isFragmented: Bool) async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      var options = Writer.Options()
      options.movieTimeScale = 1200
      if isFragmented { options.movieFragmentInterval = MediaTime(value: 1, timescale: 2) }
      try await withWriter(url: url, fileType: .mov, options: options) { writer in
        var properties = Writer.Input.Properties()
        properties.transform = PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0)
        properties.mediaTimeScale = 600
        var settings = VideoSettings(codec: "h264", size: PixelSize(width: 64, height: 48))
        settings.cleanAperture = PixelRect(x: 4, y: 2, width: 56, height: 44)
        settings.pixelAspectRatio = PixelAspectRatio(horizontal: 4, vertical: 3)
        settings.maximumKeyFrameInterval = 5
        let video = try writer.add(Writer.Input(video: settings, properties: properties))
        var sounds: [Writer.Input] = []
        for (language, tag) in [("eng", "en-GB"), ("deu", "de-AT")] {
          var properties = Writer.Input.Properties()
          properties.languageCode = language
          properties.extendedLanguageTag = tag
          properties.preferredVolume = 0.5
          sounds.append(try writer.add(Writer.Input(audio: AudioSettings(codec: "aac"), properties: properties)))
        }
        try sounds[1].addTrackAssociation(with: sounds[0], kind: "fall")
        try writer.add(Writer.InputGroup(inputs: sounds, defaultInput: sounds[1]))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<25 {
          try await video.append(try picture(index))
          for sound in sounds { try await sound.append(try tone(1920, from: index * 1920)) }
        }
      }
      let asset = MediaAsset(url: url)
      let movie = try #require(try await asset.header().movie)
      #expect(movie.timescale == 1200)
      #expect(movie.tracks.map(\.alternateGroup) == [0, 1, 1])
      #expect(movie.tracks.map { $0.flags.contains(.enabled) } == [true, false, true])
      #expect(movie.tracks.map(\.extendedLanguage) == [nil, "en-GB", "de-AT"])
      #expect(movie.tracks.map(\.language) == [nil, "eng", "deu"])
      #expect(movie.tracks.map(\.volume) == [0, 128, 128])
      #expect(movie.tracks[2].references(ofType: "fall") == [2])
      #expect(movie.tracks[0].mediaTimescale == 600)
      let video = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
      let format = try #require(try await video.load(.formatDescriptions).first?.video)
      #expect(format.cleanAperture == PixelRect(x: 4, y: 2, width: 56, height: 44))
      #expect(format.sampleAspectRatio == PixelAspectRatio(horizontal: 4, vertical: 3))
      #expect(try await video.load(.preferredTransform).b == 1)
      let sideData = try await FFmpegJudge(url).probe()["streams"]?.elements.first?["side_data_list"]?.elements
      #expect(sideData?.compactMap { $0["rotation"]?.integer } == [-90])
      #expect(try await asset.load(.duration) == MediaTime(value: 1, timescale: 1))
    }
  }
}

/// Decode times for streams that state none, without media.
@Suite struct DecodeTimeMakerTests {
  private func times(_ presentation: [Int64], decoding: [Int64?] = []) throws -> [(Int64, Int64)] {
    var maker = DecodeTimeMaker(reorders: true)
    let packet = try Packet.make()
    var made: [DecodeTimeMaker.Sample] = []
    for (index, time) in presentation.enumerated() {
      let stated = decoding.isEmpty ? nil : decoding[index]
      made += maker.add(.init(packet: packet, presentation: time, decoding: stated, duration: 1))
    }
    made += maker.finish()
    return made.map { ($0.presentation, $0.decoding ?? .min) }
  }

  private static let orders: [[Int64]] = [
    [0, 1, 2, 3, 4], [0, 3, 1, 2, 6, 4, 5], [0, 4, 2, 1, 3, 8, 6, 5, 7],
    (0..<160).map { (index: Int64) -> Int64 in index % 4 == 0 ? index + 3 : index - 1 },
  ]

  @Test(arguments: orders)
  func risesAndNeverLiesBehindItsPicture(_ presentation: [Int64]) throws {
    let made = try times(presentation)
    #expect(made.map(\.0) == presentation)
    for (before, after) in zip(made, made.dropFirst()) { #expect(before.1 < after.1) }
    for (presentation, decoding) in made { #expect(decoding <= presentation) }
  }

  @Test func statedTimesStay() throws {
    let made = try times([0, 3, 1, 2], decoding: [-2, -1, 0, 1])
    #expect(made.map(\.1) == [-2, -1, 0, 1])
  }
}
