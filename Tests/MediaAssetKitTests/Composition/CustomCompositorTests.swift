import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Compositors that fail, hang, or give something else than was asked for; samples that they get.
@Suite struct CustomCompositorTests {
  private func ms(_ value: Int64) -> MediaTime { MediaTime(value: value, timescale: 1000) }

  private func failure(
    pixelFormat: PixelFormat? = nil, _ body: @escaping @Sendable (VideoCompositionRequest) async throws -> PixelBuffer
  ) async throws -> MediaError? {
    let stack = try await LayerStack(greys: [0])
    var video = stack.video()
    let layers = video.instructions[0].layerInstructions
    video.instructions = [
      .init(timeRange: MediaTimeRange(start: .zero, end: ms(400)), layerInstructions: layers),
      .init(timeRange: MediaTimeRange(start: ms(400), end: ms(1000)), layerInstructions: layers),
    ]
    let output = try Reader.VideoCompositionOutput(
      composition: stack.film, videoComposition: video,
      compositor: VideoCompositionHandler(pixelFormat: pixelFormat) { request in
        // The second picture of the second instruction.
        guard request.compositionTime == ms(440) else {
          return try #require(request.sourceFrame(byTrackID: stack.ids[0]))
        }
        return try await body(request)
      })
    return await #expect(throws: MediaError.self) { for try await _ in output {} }
  }

  private struct Mishap: Error {}

  private func isNamed(_ error: MediaError?) -> Bool {
    error?.code == .videoCompositorFailed && error?.operation == "compose"
      && error?.subject.contains("instruction 2") == true && error?.subject.contains("0.440") == true
  }

  @Test func failuresAreNamed() async throws {
    let error = try await failure { _ in throw Mishap() }
    #expect(isNamed(error) && error?.underlying is Mishap)
    let typed = try await failure { _ in
      throw MediaError(.outOfMemory, operation: "draw", subject: "a star", reason: "the sky is full")
    }
    #expect(isNamed(typed) && typed?.reason == "the sky is full")
    #expect((typed?.underlying as? MediaError)?.code == .outOfMemory)
    // Giving up by itself is a failure too, as `finishCancelledRequest` of nothing cancelled.
    let gone = try await failure { _ in throw CancellationError() }
    #expect(isNamed(gone) && gone?.underlying is CancellationError)
  }

  @Test func sizesAndFormatsAreChecked() async throws {
    let small = try await failure { _ in try greyPicture(luma: 50, width: 32, height: 48) }
    #expect(isNamed(small))
    #expect(small?.reason.contains("32x48") == true && small?.reason.contains("64x48") == true)
    let other = try await failure(pixelFormat: .bgra) { _ in try greyPicture(luma: 50) }
    #expect(isNamed(other))
    #expect(other?.reason.contains("yuv420p") == true && other?.reason.contains("bgra") == true)
  }

  /// Exports and stills fail in the same way, and leave no file.
  @Test func exportsFailToo() async throws {
    let stack = try await LayerStack(greys: [0])
    var options = ExportSession.Options()
    options.videoComposition = stack.video()
    options.customCompositor = VideoCompositionHandler { request in
      guard request.compositionTime < ms(440) else { throw Mishap() }
      return try #require(request.sourceFrame(byTrackID: stack.ids[0]))
    }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("failing-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let target = folder.appendingPathComponent("o.mp4")
    let session = ExportSession(composition: stack.film, preset: .highestQuality, options: options)
    let error = await #expect(throws: MediaError.self) { try await session.export(to: target, as: .mp4) }
    #expect(error?.code == .videoCompositorFailed && error?.underlying is Mishap)
    #expect(error?.subject.contains("instruction 1") == true && error?.subject.contains("0.440") == true)
    options.customCompositor = nil
    options.videoComposition?.instructions[0].timeRange = MediaTimeRange(start: .zero, end: ms(500))
    let refused = await #expect(throws: MediaError.self) {
      try await ExportSession(composition: stack.film, preset: .highestQuality, options: options).export(
        to: target, as: .mp4)
    }
    #expect(refused?.code == .invalidVideoComposition && refused?.reason.contains("instruction 1 ends at") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  /// Cancelling ends reading whether the compositor listens or not.
  @Test(arguments: [true, false]) func cancellationIsPrompt(listens: Bool) async throws {
    let stack = try await LayerStack(greys: [0])
    let (started, release) = (OneShot<Void>(), OneShot<Void>())
    let wasCancelled = Monitor(false)
    let handler = VideoCompositionHandler { request in
      started.decide(.success(()))
      if listens {
        do { try await Task.sleep(for: .seconds(60)) } catch {
          wasCancelled.withLock { $0 = true }
          throw error
        }
      } else {
        // Waits for something that no cancellation ends.
        await Task { try? await release.value() }.value
      }
      return try #require(request.sourceFrame(byTrackID: stack.ids[0]))
    }
    let reading = Task {
      for try await _ in try Reader.VideoCompositionOutput(
        composition: stack.film, videoComposition: stack.video(), compositor: handler)
      {}
    }
    try await started.value()
    let begin = ContinuousClock.now
    reading.cancel()
    let result = await reading.result
    let took = ContinuousClock.now - begin
    #expect(took < .within(.milliseconds(200)))
    #expect(throws: CancellationError.self) { try result.get() }
    release.decide(.success(()))
    if listens { #expect(wasCancelled.withLock { $0 }) }
  }

  /// Sources stay as they are: depth, range and colours of a picture of high dynamic range.
  @Test func sourcesComeAsTheyAre() async throws {
    let url = try await madeClip(
      "hlg.mkv",
      [
        "-f", "lavfi", "-i",
        "color=black:s=64x48:r=25:d=0.2,format=yuv420p10,geq=600:512:512,"
          + "setparams=color_primaries=bt2020:colorspace=bt2020nc:color_trc=arib-std-b67", "-c:v", "ffv1",
        "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-color_trc", "arib-std-b67",
      ])
    let film = try await Composition.joined([url])
    let frames = try await film.composed(
      try await VideoComposition(propertiesOf: film),
      compositor: VideoCompositionHandler { request in
        let frame = try #require(request.sourceTrackIDs.first.flatMap { request.sourceFrame(byTrackID: $0) })
        #expect(frame.pixelFormat == "yuv420p10le" && frame.colour.transfer == "arib-std-b67")
        #expect(frame.colour.primaries == "bt2020" && frame.deepValue(0, 5, 5) == 600)
        return frame
      })
    #expect(frames.count == 5 && frames[0].pixelBuffer.colour.transfer == "arib-std-b67")
  }

  /// Items of timed metadata at the composition's time, of a segment that was moved.
  @Test func samplesComeAlong() async throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("items-\(UUID().uuidString).mov")
    defer { try? FileManager.default.removeItem(at: url) }
    func group(_ value: Int64, _ start: Int64, _ end: Int64) -> TimedMetadataGroup {
      let range = MediaTimeRange(start: ms(start), end: ms(end))
      return TimedMetadataGroup(
        items: [
          MetadataItem(
            keySpace: .quickTimeMetadata, key: "com.example.pulse", value: .integer(value), dataType: .int16,
            extendedLanguageTag: nil, time: range.start, duration: range.duration)
        ], timeRange: range)
    }
    let groups = [group(7, 0, 400), group(9, 400, 600)]
    try await withWriter(url: url, fileType: .mov, options: .init()) { writer in
      let video = try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
      let items = try writer.add(Writer.Input(metadataKeys: TimedMetadataKey.keys(of: groups)))
      try await writer.start()
      try writer.startSession(at: .zero)
      for group in groups { try await items.append(group) }
      items.finish()
      for index in 0..<25 {
        try await video.append(
          SampleBuffer(try greyPicture(luma: 60), presentationTime: ms(Int64(index) * 40), duration: ms(40)))
      }
    }
    let asset = MediaAsset(url: url)
    let track = try #require(try await asset.loadTracks(withMediaType: .metadata).first)
    let pictures = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    var film = Composition()
    let id = film.addMutableTrack(withMediaType: .video)
    let items = film.addMutableTrack(withMediaType: .metadata)
    let whole = MediaTimeRange(start: .zero, end: ms(1000))
    try await film[id].insertTimeRange(whole, of: pictures, at: .zero)
    // Of the middle, 200 ms later than it was.
    try await film[items].insertTimeRange(MediaTimeRange(start: ms(200), end: ms(600)), of: track, at: ms(400))
    var video = try await VideoComposition(propertiesOf: film)
    video.frameDuration = ms(100)
    video.sourceSampleDataTrackIDs = [items]
    video.instructions[0].requiredSourceSampleDataTrackIDs = [items]
    let seen = Monitor<[Int64?]>([])
    let frames = try await film.composed(
      video,
      compositor: VideoCompositionHandler { request in
        let group = request.sourceTimedMetadata(byTrackID: items)
        #expect((group == nil) == request.sourceSampleDataTrackIDs.isEmpty)
        #expect(group?.timeRange.containsTime(request.compositionTime) ?? true)
        var value: Int64?
        if case .integer(let number)? = group?.items.first?.value { value = number }
        seen.withLock { $0.append(value) }
        #expect(request.sourceSample(byTrackID: 99) == nil)
        return try #require(request.sourceFrame(byTrackID: id))
      })
    #expect(frames.count == 10)
    #expect(seen.withLock { $0 } == [nil, nil, nil, nil, 7, 7, 9, 9, nil, nil])
  }
}
