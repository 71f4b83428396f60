import FoundationEssentials
import LibAV

/// Writes a composition as a plan says: what is copied goes on as stored, each clip at its place; pictures that are drawn
/// and sound that is mixed are encoded. Each track in a task of its own, one muxer takes what they give.
struct CompositionExport {
  let composition: Composition
  let video: VideoComposition?
  let plan: ExportPlan
  let options: ExportSession.Options
  let assets: CompositionAssets
  let board: ProgressBoard
  let threads: Int

  private var range: MediaTimeRange { plan.presentedRange }

  func run(to url: URL) async throws {
    var writing = options.writing
    writing.overallDurationHint = range.duration
    writing.metadata = options.metadataTags.filter { !$0.value.isEmpty }
    try await withWriter(url: url, fileType: plan.fileType, options: writing) { writer in
      var inputs: [(plan: ExportPlan.Track, input: Writer.Input)] = []
      for track in plan.kept { inputs.append((track, try writer.add(try await input(for: track)))) }
      try await writer.start()
      try writer.startSession(at: range.start)
      if range.end < composition.duration { try writer.endSession(at: range.end) }
      board.begin(total: range.duration, weights: inputs.map { $0.plan.action == .copy ? 1 : 50 })
      let stop = ExportStop(limit: options.fileLengthLimit)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, track) in inputs.enumerated() {
          group.addTask {
            try await write(track.plan, track.input, writer, stop) { board.update(track: index, to: $0 - range.start) }
            track.input.finish()
            board.finish(track: index)
          }
        }
        do { try await group.waitForAll() } catch {
          group.cancelAll()
          throw Task.isCancelled ? CancellationError() : writer.error ?? error
        }
      }
      if let end = stop.end, end > range.start, range.end >= composition.duration { try writer.endSession(at: end) }
    }
  }

  private func input(for track: ExportPlan.Track) async throws -> Writer.Input {
    let own = composition[track.trackID]
    if track.action == .copy, let source = own.sources.first {
      let input = try await Writer.Input.passthrough(of: try await assets.track(source, track.mediaType))
      var properties = input.properties
      properties.expectedSampleCount = nil
      properties.presentedEnd = min(own.timeRange.end, range.end)
      input.properties = properties
      return input
    }
    var properties = Writer.Input.Properties()
    properties.languageCode = own.languageCode
    properties.extendedLanguageTag = own.extendedLanguageTag
    properties.transform = track.transform
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

  private func write(
    _ track: ExportPlan.Track, _ input: Writer.Input, _ writer: Writer, _ stop: ExportStop,
    _ progress: @Sendable (MediaTime) -> Void
  ) async throws {
    func isOver(_ time: MediaTime) -> Bool { stop.isReached(at: time, written: writer.core.writtenBytes) }
    switch (track.action, track.mediaType) {
    case (.copy, .video):
      try await CopiedSegments(composition[track.trackID], range: range, assets: assets).pictures { sample in
        if isOver(sample.presentationTime) { return false }
        try await input.append(sample)
        progress(sample.presentationTime)
        return true
      }
    case (.copy, _):
      try await CopiedSegments(composition[track.trackID], range: range, assets: assets).sound { sample in
        if isOver(sample.presentationTime) { return false }
        try await input.append(sample)
        progress(sample.presentationTime)
        return true
      }
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
      for shown in rate.add(frame) { try await append(shown) }
      progress(frame.time)
    }
    for frame in rate.finish() { try await append(frame) }
  }
}

/// The stored samples of a track's segments, each at its place in the composition.
struct CopiedSegments {
  private let segments: [(source: Composition.Segment.Source, mapping: MediaTimeMapping)]
  private let mediaType: MediaType
  private let assets: CompositionAssets

  init(_ track: Composition.Track, range: MediaTimeRange, assets: CompositionAssets) {
    mediaType = track.mediaType
    self.assets = assets
    segments = track.segments.compactMap { segment in
      let shown = segment.timeRange.intersection(range)
      guard let source = segment.source, shown.duration > .zero else { return nil }
      return (source, segment.part(shown).timeMapping)
    }
  }

  /// Every picture that a segment shows, in decode order. Decode times are made anew where pictures are reordered: those
  /// of two clips may overlap.
  func pictures(_ append: (SampleBuffer) async throws -> Bool) async throws {
    for (source, mapping) in segments {
      let track = try await assets.track(source, .video)
      let reorders = CodecTraits(codec: track.track.codec ?? "").reorders
      var output = try Reader(asset: track.asset, timeRange: mapping.source).output(for: track)
      output.fillsTimes = track.track.needsTimes(in: try await track.asset.header().container)
      for try await sample in output {
        guard sample.presentationTime.isNumeric, sample.presentationTime >= mapping.source.start,
          sample.presentationTime < mapping.source.end, !sample.isHidden
        else { continue }
        let offset = mapping.target.start - mapping.source.start
        let moved = sample.retimed(
          presentationTime: sample.presentationTime + offset,
          decodeTime: reorders || !sample.decodeTime.isNumeric ? .invalid : sample.decodeTime + offset,
          duration: sample.duration)
        guard try await append(moved) else { return }
      }
    }
  }

  /// Every packet whose middle lies in its segment, each at the end of the one before where that is nearer to its place than
  /// half a packet: the error is half of a packet at most, and does not add up.
  func sound(_ append: (SampleBuffer) async throws -> Bool) async throws {
    var next: MediaTime?
    var usual = MediaTime.zero
    for (source, mapping) in segments {
      let track = try await assets.track(source, .audio)
      // A file's last packet is often said to be shorter than what comes of decoding it.
      let isConstant = ["aac", "mp3", "mp2", "ac3", "eac3"].contains(track.track.codec ?? "")
      let offset = mapping.target.start - mapping.source.start
      for try await sample in try Reader(asset: track.asset, timeRange: mapping.source).output(for: track) {
        guard sample.presentationTime.isNumeric, sample.duration.isNumeric else { continue }
        let time = sample.presentationTime + offset
        if isConstant { usual = max(usual, sample.duration) }
        let length = isConstant ? usual : sample.duration
        let half = length.multiplied(by: 1, dividedBy: 2)
        var placed = time
        var moved = sample.retimed(presentationTime: time, duration: length)
        if let end = next {
          // What the codec of a later clip needs to begin lies in the clip before.
          if time + half < max(end, mapping.target.start) { continue }
          // No hole of less than half a packet, no overlap.
          if time - half <= end { placed = end }
          moved = sample.retimed(presentationTime: placed, duration: length).trimmed(start: .zero, end: .zero)
        }
        guard placed + half < mapping.target.end else { continue }
        guard try await append(moved) else { return }
        next = placed + length
      }
    }
  }
}
