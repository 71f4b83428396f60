import FoundationEssentials
import LibAV

/// Writes a composition as a plan says: what is copied goes on as stored, each clip at its place; pictures that are drawn
/// and sound that is mixed are encoded. Each track in a task of its own, one muxer takes what they give.
struct CompositionExport {
  let composition: Composition
  /// Whose tracks are mixed and drawn, so that its tags go along; nil for a composition of its own.
  let asset: MediaAsset?
  let video: VideoComposition?
  let plan: ExportPlan
  let options: ExportSession.Options
  let assets: CompositionAssets
  let board: ProgressBoard
  let threads: Int

  private var range: MediaTimeRange { plan.presentedRange }

  /// One track on its way.
  private struct Output: Sendable {
    var plan: ExportPlan.Track
    var input: Writer.Input
    /// What is copied of pictures and what is encoded; nil where all or nothing is.
    var splice: CompositionSplice?
  }

  func run(to url: URL) async throws {
    try await StrandExecutor.sharing(plan.isWholeCopy && !isRemote) { try await write(to: url) }
  }

  /// Whether a server may let a reader wait.
  private var isRemote: Bool { composition.tracks.flatMap(\.sources).contains { !$0.url.isFileURL } }

  private func write(to url: URL) async throws {
    var writing = options.writing
    writing.overallDurationHint = range.duration
    try await metadata().apply(to: &writing, fileType: plan.fileType)
    try await withWriter(url: url, fileType: plan.fileType, options: writing) { writer in
      let outputs = try await makeOutputs(writer)
      try await writer.start()
      try writer.startSession(at: range.start)
      if range.end < composition.duration { try writer.endSession(at: range.end) }
      board.begin(
        total: range.duration,
        weights: outputs.map {
          $0.plan.action == .encode ? 50 : $0.splice != nil ? 10 : $0.plan.action == .copy ? 1 : 0.01
        })
      let stop = ExportStop(limit: options.fileLengthLimit)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, output) in outputs.enumerated() {
          group.addTask {
            try await write(output, writer, stop) { board.update(track: index, to: $0 - range.start) }
            // Before encoders finish, so that the last picture does not last longer.
            stop.shorten(writer)
            output.input.finish()
            board.finish(track: index)
          }
        }
        do { try await group.waitForAll() } catch {
          group.cancelAll()
          throw Task.isCancelled ? CancellationError() : writer.error ?? error
        }
      }
      stop.shorten(writer)
    }
  }

  private func metadata() async throws -> ExportMetadata {
    if let asset { return try await ExportMetadata.load(asset, plan: plan, options: options) }
    return try await ExportMetadata.load(composition, assets, plan: plan, options: options)
  }

  // MARK: Inputs

  private func makeOutputs(_ writer: Writer) async throws -> [Output] {
    var outputs: [Output] = []
    for track in plan.kept { outputs.append(try await output(for: track, writer)) }
    for output in outputs {
      for association in composition[output.plan.trackID].associations {
        guard let other = outputs.first(where: { $0.plan.trackID == association.trackID }),
          output.input.canAddTrackAssociation(with: other.input, kind: association.kind)
        else { continue }
        try output.input.addTrackAssociation(with: other.input, kind: association.kind)
      }
      try writer.add(output.input)
    }
    return outputs
  }

  private func output(for track: ExportPlan.Track, _ writer: Writer) async throws -> Output {
    let own = composition[track.trackID]
    guard track.action == .copy else { return Output(plan: track, input: try encodingInput(for: track)) }
    var segments = own.segments
    if let parts = track.parts {
      segments = segments.filter { segment in
        parts.contains { $0.isCopied && $0.timeRange.intersection(segment.timeRange).duration > .zero }
      }
    }
    guard let source = segments.lazy.compactMap(\.source).first else {
      throw MediaError(
        .noSourceTrack, operation: "export", subject: "a composition",
        reason: "nothing is left to copy of track \(track.trackID)")
    }
    let input = try await Writer.Input.passthrough(of: try await assets.track(source, track.mediaType))
    var properties = input.properties
    properties.expectedSampleCount = nil
    properties.presentedEnd = min(own.timeRange.end, range.end)
    properties.languageCode = own.languageCode ?? properties.languageCode
    properties.extendedLanguageTag = own.extendedLanguageTag ?? properties.extendedLanguageTag
    properties.marksOutputTrackAsEnabled = own.isEnabled
    properties.reorderDelay = track.parts?.map(\.reorderDelay).max()
    input.properties = properties
    guard let parts = track.parts, let parameters = input.parameters,
      let container = WritableContainer.container(for: plan.fileType)
    else { return Output(plan: track, input: input) }
    let (coding, header) = try await SplicedCoding.make(
      codec: track.sourceCodec ?? "", settings: track.video, source: parameters, container: container,
      subject: own.subject, interrupt: writer.core.interrupt)
    let splice = CompositionSplice(
      composition: composition, track: own, parts: parts, video: video, assets: assets, coding: coding)
    guard let header else { return Output(plan: track, input: input, splice: splice) }
    do {
      return Output(plan: track, input: try input.replacing(parameterSets: header), splice: splice)
    } catch { throw MediaError.libav(error, operation: "export", subject: own.subject) }
  }

  private func encodingInput(for track: ExportPlan.Track) throws -> Writer.Input {
    let own = composition[track.trackID]
    var properties = Writer.Input.Properties()
    properties.languageCode = own.languageCode
    properties.extendedLanguageTag = own.extendedLanguageTag
    properties.transform = track.transform
    if track.action == .convert { return Writer.Input(text: track.codec ?? "", properties: properties) }
    if var settings = track.video {
      settings.threads = settings.threads ?? threads
      return Writer.Input(video: settings, properties: properties)
    }
    guard let settings = track.audio else {
      throw MediaError(
        .operationNotSupported, operation: "export", subject: "a composition",
        reason: "the plan does not say how to encode track \(track.trackID)")
    }
    return Writer.Input(audio: settings, properties: properties)
  }

  // MARK: Samples

  private func write(
    _ output: Output, _ writer: Writer, _ stop: ExportStop, _ progress: @Sendable (MediaTime) -> Void
  ) async throws {
    let (track, input) = (output.plan, output.input)
    func isOver(_ time: MediaTime) -> Bool { stop.isReached(at: time, written: writer.core.writtenBytes) }
    func append(_ sample: SampleBuffer) async throws -> Bool {
      if isOver(sample.presentationTime) { return false }
      try await input.append(sample)
      progress(sample.presentationTime)
      return true
    }
    if let splice = output.splice {
      do { return try await splice.run(append) } catch let error as AVError {
        throw MediaError.libav(error, operation: "export", subject: "a composition")
      }
    }
    let copied = CopiedSegments(composition[track.trackID], range: range, assets: assets)
    switch (track.action, track.mediaType) {
    case (.copy, .video): try await copied.pictures(append)
    case (.copy, .audio): try await copied.sound(append)
    case (.copy, _): try await copied.text(append)
    case (.convert, _): try await copied.cues(as: track.codec ?? "", append)
    case (.encode, .video): try await encodePictures(track, input, isOver, progress)
    case (.encode, _):
      var output = try Reader.AudioMixOutput(
        composition, range, options.audioMix, AudioOutputSettings(), assets: assets)
      output.audioTimePitchAlgorithm = options.audioTimePitchAlgorithm
      for try await buffer in output {
        if isOver(buffer.time) { break }
        try await input.append(buffer)
        progress(buffer.time + buffer.duration)
      }
    default: break
    }
  }

  private func encodePictures(
    _ track: ExportPlan.Track, _ input: Writer.Input, _ isOver: (MediaTime) -> Bool, _ progress: (MediaTime) -> Void
  ) async throws {
    let output = try Reader.VideoCompositionOutput(
      composition: composition, timeRange: range, videoComposition: video, compositor: options.customCompositor,
      assetOptions: assets.options)
    var rate = FrameRateConverter(step: track.frameDuration, start: range.start)
    var mapper: PictureToneMapper?
    if track.isToneMapped, let source = composition[track.trackID].sources.first {
      mapper = PictureToneMapper(try await assets.track(source, .video))
    }
    var turner = PictureTurner(track.drawnOrientation)
    func append(_ frame: VideoFrame) async throws {
      do {
        try await input.append(try turner.turned(try mapper?.mapped(frame) ?? frame))
      } catch let error as AVError {
        throw MediaError.libav(error, operation: "export", subject: "a composition")
      }
    }
    for try await frame in output {
      if isOver(frame.time) { break }
      for shown in rate.add(frame) { for part in shown.repeated() { try await append(part) } }
      progress(frame.time)
    }
    for frame in rate.finish() { for part in frame.repeated() { try await append(part) } }
  }
}

extension VideoFrame {
  /// The longest that one stored picture lasts: MP4 and QuickTime count that in 31 bits, some hours of the usual ticks, and
  /// FFmpeg reads no more than 28 bits of how much later than decoded a picture is shown, which may be several pictures.
  private static let longest = MediaTime(value: 60, timescale: 1)

  /// The picture again and again where it is on show for long, as over a gap.
  func repeated() -> [VideoFrame] {
    guard duration.isNumeric, duration > Self.longest else { return [self] }
    var frames: [VideoFrame] = []
    var (time, rest) = (time, duration)
    while rest > .zero {
      let length = min(rest, Self.longest)
      frames.append(VideoFrame(time: time, duration: length, pixelBuffer: pixelBuffer))
      (time, rest) = (time + length, rest - length)
    }
    return frames
  }
}
