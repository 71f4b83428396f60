import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Wrong calls, failures, cancellation: typed errors, and nothing left behind.
@Suite struct WriterStateTests {
  private func picture(_ index: Int) throws -> SampleBuffer {
    SampleBuffer(
      content: .picture(try greyPicture(luma: UInt8(16 + index % 200))),
      presentationTime: MediaTime(value: Int64(index), timescale: 25), duration: MediaTime(value: 1, timescale: 25))
  }

  private func sound(_ index: Int) throws -> SampleBuffer {
    let buffer = try tone(4800, from: index * 4800)
    return SampleBuffer(content: .sound(buffer), presentationTime: buffer.time, duration: buffer.duration)
  }

  private static func code(_ body: () async throws -> Void) async -> MediaError.Code? {
    do { try await body() } catch { return (error as? MediaError)?.code }
    return nil
  }

  @Test func wrongOrders() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let writer = try Writer(url: url, fileType: .mp4)
      #expect(contents(folder).isEmpty)
      #expect(await Self.code { try await writer.start() } == .operationNotSupported)
      let input = Writer.Input(video: VideoSettings(codec: "h264"))
      #expect(await Self.code { try await input.append(try picture(0)) } == .operationNotSupported)
      try writer.add(input)
      #expect(!writer.canAdd(input))
      #expect(await Self.code { try await input.append(try picture(0)) } == .operationNotSupported)
      #expect(await Self.code { try writer.startSession(at: .zero) } == .operationNotSupported)
      try await writer.start()
      #expect(await Self.code { try await writer.start() } == .operationNotSupported)
      #expect(
        await Self.code { try writer.add(Writer.Input(video: VideoSettings(codec: "h264"))) } == .operationNotSupported)
      #expect(await Self.code { try await input.append(try picture(0)) } == .operationNotSupported)
      #expect(await Self.code { try writer.startSession(at: .invalid) } == .invalidArgument)
      try writer.startSession(at: .zero)
      #expect(await Self.code { try writer.startSession(at: .zero) } == .operationNotSupported)
      #expect(await Self.code { try await input.append(try sound(0)) } == .invalidArgument)
      #expect(await Self.code { try writer.endSession(at: .zero) } == .invalidArgument)
      try await input.append(try picture(0))
      try writer.endSession(at: MediaTime(value: 2, timescale: 25))
      #expect(await Self.code { try await input.append(try picture(2)) } == .operationNotSupported)
      try await input.append(try picture(1))
      input.finish()
      input.finish()
      #expect(await Self.code { try await input.append(try picture(2)) } == .operationNotSupported)
      #expect(contents(folder).count == 1)
      #expect(contents(folder) != ["o.mp4"])
      try await writer.finishWriting()
      #expect(writer.status == .completed)
      #expect(contents(folder) == ["o.mp4"])
      #expect(await Self.code { try await writer.finishWriting() } == .operationNotSupported)
      await writer.cancel()
      #expect(writer.status == .completed)
      #expect(contents(folder) == ["o.mp4"])
    }
  }

  @Test func refusedSettings() throws {
    let writer = try Writer(url: URL(fileURLWithPath: "/nowhere/o.mp4"), fileType: .mp4)
    func reason(_ settings: Writer.Input.Settings?, _ type: MediaType) -> String? {
      writer.reasonAgainst(settings, mediaType: type)?.description
    }
    #expect(reason(.video(VideoSettings(codec: "h264")), .video) == nil)
    #expect(reason(.audio(AudioSettings(codec: "aac")), .audio) == nil)
    #expect(reason(nil, .video) == nil)
    #expect(reason(.video(VideoSettings(codec: "h264")), .audio)?.contains("pictures") == true)
    #expect(reason(.video(VideoSettings(codec: "h269")), .video)?.contains("h269") == true)
    #expect(reason(.video(VideoSettings(codec: "prores")), .video)?.contains("does not hold prores") == true)
    #expect(reason(.video(VideoSettings(codec: "h264", averageBitRate: 1, quality: 1)), .video) != nil)
    #expect(reason(.audio(AudioSettings(codec: "pcm_bluray")), .audio) != nil)
    #expect(reason(.audio(AudioSettings(codec: "aac", channels: 0)), .audio) != nil)
    var properties = Writer.Input.Properties()
    properties.languageCode = "german"
    #expect(!writer.canAdd(Writer.Input(video: VideoSettings(codec: "h264"), properties: properties)))
    properties = Writer.Input.Properties()
    properties.mediaTimeScale = 600
    #expect(!writer.canAdd(Writer.Input(audio: AudioSettings(codec: "aac"), properties: properties)))
    #expect(!writer.canAdd(Writer.Input(mediaType: .video, settings: nil)))
    #expect(throws: MediaError.self) {
      try Writer(url: URL(string: "https://a.example/o.mp4") ?? URL(fileURLWithPath: "/"), fileType: .mp4)
    }
    #expect(throws: MediaError.self) { try Writer(url: URL(fileURLWithPath: "/o"), fileType: .heic) }
    // WAVE takes one track, of sound.
    let wave = try Writer(url: URL(fileURLWithPath: "/nowhere/o.wav"), fileType: .wav)
    #expect(!wave.canAdd(Writer.Input(video: VideoSettings(codec: "h264"))))
    try wave.add(Writer.Input(audio: AudioSettings(codec: "pcm_s16le")))
    #expect(!wave.canAdd(Writer.Input(audio: AudioSettings(codec: "pcm_s16le"))))
  }

  /// An encoder's own option that does not exist is an error, not silence.
  @Test func unknownOptions() async throws {
    try await withScratchFolder { folder in
      let code = await Self.code {
        try await withWriter(url: folder.appendingPathComponent("o.mp4"), fileType: .mp4) { writer in
          let input = try writer.add(
            Writer.Input(video: VideoSettings(codec: "h264", encoderOptions: ["presett": "fast"])))
          try await writer.start()
          try writer.startSession(at: .zero)
          for index in 0..<3 { try await input.append(try picture(index)) }
        }
      }
      #expect(code == .encodeFailed)
      #expect(contents(folder).isEmpty)
    }
  }

  /// E7: what exists stays as it is.
  @Test func existingFiles() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("keep.mp4")
      try Data("precious".utf8).write(to: url)
      func write(_ url: URL, overwrite: Bool, fails: Bool = false) async throws {
        var options = Writer.Options()
        options.overwritesExisting = overwrite
        try await withWriter(url: url, fileType: .mp4, options: options) { writer in
          let input = try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
          try await writer.start()
          try writer.startSession(at: .zero)
          try await input.append(try picture(0))
          if fails { throw CancellationError() }
        }
      }
      #expect(await Self.code { try await write(url, overwrite: false) } == .fileAlreadyExists)
      await #expect(throws: CancellationError.self) { try await write(url, overwrite: true, fails: true) }
      #expect(try Data(contentsOf: url) == Data("precious".utf8))
      #expect(contents(folder) == ["keep.mp4"])
      try await write(url, overwrite: true)
      #expect(try Data(contentsOf: url).count > 500)
      #expect(contents(folder) == ["keep.mp4"])
      let missing = folder.appendingPathComponent("no/o.mp4")
      #expect(await Self.code { try await write(missing, overwrite: false) } == .fileNotFound)
      // Copying a file onto itself.
      await #expect(throws: MediaError.self) { try await remux(url, to: url, .mp4) }
    }
  }

  /// E5: a full disk is an error that says so, whatever is being written.
  @Test(
    .enabled(if: TinyVolume.isAvailable),
    arguments: [(FileType.mp4, false), (.mp4, true), (.mkv, false), (.mpegTS, false)])
  func diskFull(_ type: FileType, _ isFirst: Bool) async throws {
    let source = try await madeClip(
      "large.mp4",
      ["-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=4", "-c:v", "libx264", "-crf", "10", "-pix_fmt", "yuv420p"])
    try await TinyVolume.with(kilobytes: 64) { folder in
      var options = Writer.Options()
      options.shouldOptimizeForNetworkUse = isFirst
      do {
        try await remux(source, to: folder.appendingPathComponent("o"), type, options: options)
        Issue.record("a full disk went unnoticed")
      } catch let error as MediaError {
        #expect(error.code == .writeFailed)
        #expect(error.reason == "no space is left")
      }
      #expect(contents(folder).isEmpty)
    }
  }

  /// A cancelled task ends within moments, and leaves nothing.
  @Test(arguments: [true, false])
  func cancellation(_ isStored: Bool) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let track = try #require(try await MediaAsset(url: source).loadDefaultTrack(withMediaType: .video))
      let samples = isStored ? try await stored(track) : []
      let task = Task {
        try await withWriter(url: url, fileType: .mp4) { writer in
          let input = try writer.add(
            isStored ? try await .passthrough(of: track) : Writer.Input(video: VideoSettings(codec: "h264")))
          // Never fed: the other one waits for it.
          try writer.add(Writer.Input(audio: AudioSettings(codec: "aac")))
          try await writer.start()
          try writer.startSession(at: .zero)
          var index = 0
          while true {
            if isStored {
              let sample = samples[index % samples.count]
              try await input.append(
                SampleBuffer(
                  content: sample.content, presentationTime: MediaTime(value: Int64(index), timescale: 25),
                  decodeTime: MediaTime(value: Int64(index), timescale: 25), duration: .invalid))
            } else {
              try await input.append(try picture(index))
            }
            index += 1
          }
        }
      }
      try await Task.sleep(for: .milliseconds(600))
      let begin = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(ContinuousClock.now - begin < .within(.milliseconds(400)))
      #expect(contents(folder).isEmpty)
    }
  }

  private func stored(_ track: AssetTrack) async throws -> [SampleBuffer] {
    var samples: [SampleBuffer] = []
    for try await sample in try Reader(asset: track.asset).output(for: track) { samples.append(sample) }
    return samples
  }

  /// Cancelling the writer frees those who wait on it; dropping it leaves nothing.
  @Test func cancelledWriter() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let writer = try Writer(url: url, fileType: .mp4)
      let input = try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
      try writer.add(Writer.Input(audio: AudioSettings(codec: "aac")))
      try await writer.start()
      try writer.startSession(at: .zero)
      let task = Task {
        var index = 0
        while true {
          try await input.append(try picture(index))
          index += 1
        }
      }
      try await Task.sleep(for: .milliseconds(500))
      await writer.cancel()
      #expect(writer.status == .cancelled)
      #expect(contents(folder).isEmpty)
      await #expect(throws: CancellationError.self) { try await task.value }
      await #expect(throws: CancellationError.self) { try await writer.finishWriting() }
      do {
        let dropped = try Writer(url: url, fileType: .mp4)
        try dropped.add(Writer.Input(video: VideoSettings(codec: "h264")))
        try await dropped.start()
      }
      let deadline = ContinuousClock.now + .seconds(2)
      while !contents(folder).isEmpty, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(10)) }
      #expect(contents(folder).isEmpty)
    }
  }

  /// E11: all pictures before any sound, from one task.
  @Test func oneTaskFeedsInTurn() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      var options = Writer.Options()
      options.starvationLimit = .milliseconds(200)
      try await withWriter(url: url, fileType: .mp4, options: options) { writer in
        let video = try writer.add(
          Writer.Input(
            video: VideoSettings(
              codec: "h264", size: PixelSize(width: 64, height: 48), encoderOptions: ["preset": "ultrafast"])))
        let audio = try writer.add(Writer.Input(audio: AudioSettings(codec: "aac", sampleRate: 48_000, channels: 2)))
        try await writer.start()
        try writer.startSession(at: .zero)
        for index in 0..<1500 { try await video.append(try picture(index)) }
        for index in 0..<600 { try await audio.append(try sound(index)) }
      }
      #expect(try await FFmpegJudge(url).packets().count == 1500)
      #expect(try await MediaAsset(url: url).load(.duration) == MediaTime(value: 60, timescale: 1))
      #expect(try await Sound.read16(url).count == 60 * 48_000)
    }
  }

  /// E11: an input that never gets anything is left out when it is finished.
  @Test func anInputWithoutSamples() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      try await withWriter(url: url, fileType: .mp4) { writer in
        let video = try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
        let audio = try writer.add(Writer.Input(audio: AudioSettings(codec: "aac")))
        try await writer.start()
        try writer.startSession(at: .zero)
        audio.finish()
        for index in 0..<250 { try await video.append(try picture(index)) }
      }
      #expect(try await MediaAsset(url: url).load(.tracks).map(\.mediaType) == [.video])
      #expect(try await FFmpegJudge(url).packets().count == 250)
    }
  }

  /// Nothing at all was appended: an error, and no file.
  @Test func nothingAppended() async throws {
    try await withScratchFolder { folder in
      let code = await Self.code {
        try await withWriter(url: folder.appendingPathComponent("o.mp4"), fileType: .mp4) { writer in
          try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
          try await writer.start()
          try writer.startSession(at: .zero)
        }
      }
      #expect(code == .operationNotSupported)
      #expect(contents(folder).isEmpty)
    }
  }

  /// Ten tracks, fed from ten tasks.
  @Test func tenInputs() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mov")
      try await withWriter(url: url, fileType: .mov) { writer in
        let inputs = try (0..<10).map { _ in try writer.add(Writer.Input(audio: AudioSettings(codec: "pcm_s16le"))) }
        try await writer.start()
        try writer.startSession(at: .zero)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for input in inputs {
            group.addTask {
              for index in 0..<50 { try await input.append(try sound(index)) }
              input.finish()
            }
          }
          try await group.waitForAll()
        }
      }
      let tracks = try await MediaAsset(url: url).load(.tracks)
      #expect(tracks.count == 10)
      for track in tracks { #expect(try await track.load(.timeRange).duration == MediaTime(value: 5, timescale: 1)) }
    }
  }

  /// In real time nothing waits: what is too much is left out, and counted.
  @Test func realTime() async throws {
    try await withScratchFolder { folder in
      let url = folder.appendingPathComponent("o.mp4")
      let (taken, dropped) = try await withWriter(url: url, fileType: .mp4) { writer in
        var properties = Writer.Input.Properties()
        properties.expectsMediaDataInRealTime = true
        let input = try writer.add(
          Writer.Input(
            video: VideoSettings(codec: "h264", encoderOptions: ["preset": "veryslow"]), properties: properties))
        try await writer.start()
        try writer.startSession(at: .zero)
        var taken = 0
        let large = try greyPicture(luma: 90, width: 640, height: 480)
        for index in 0..<200 {
          let sample = SampleBuffer(
            content: .picture(large), presentationTime: MediaTime(value: Int64(index), timescale: 25),
            duration: .invalid)
          if try input.appendImmediately(sample) { taken += 1 }
        }
        return (taken, input.droppedSampleCount)
      }
      #expect(taken + dropped == 200)
      #expect(dropped > 0)
      #expect(try await FFmpegJudge(url).packets().count == taken)
    }
  }
}
