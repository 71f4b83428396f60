import LibAV

/// One track on its way from the asset into the file.
struct ExportTrack: Sendable {
  let plan: ExportPlan.Track
  let source: AssetTrack
  let input: Writer.Input
  let range: MediaTimeRange
  /// Whether all of the asset is exported.
  let whole: Bool
  /// What is encoded at the edges of what is copied; nil where nothing is.
  var splice: CutSplice?

  /// Its share of the work, for the progress.
  var weight: Double {
    switch (plan.action, plan.mediaType) {
    case (.encode, .video): 100
    case (.encode, _): 5
    case (_, .video): 3
    case (_, .audio): 1
    default: 0.01
    }
  }

  private var reader: Reader { Reader(asset: source.asset, timeRange: whole ? nil : range) }

  /// Reads to the end of the range, and appends what comes of it.
  func run(writer: Writer, stop: ExportStop, progress: @Sendable (MediaTime) -> Void) async throws {
    switch plan.action {
    case .copy where splice != nil: try await copyAndEncode(writer, stop, progress)
    case .copy: try await copy(writer, stop, progress)
    case .convert: try await convert(writer, stop, progress)
    case .encode where input.canPerformMultiplePasses: try await encodeTwice(writer, stop, progress)
    case .encode where plan.mediaType == .video: try await encodePictures(writer, stop, progress)
    case .encode: try await encodeSound(writer, stop, progress)
    case .drop: break
    }
  }

  private func append(_ sample: SampleBuffer, _ stop: ExportStop) async throws {
    try await input.append(sample)
    stop.noteSample()
  }

  private func copy(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    let hasEdits = WritableContainer.container(for: writer.outputFileType)?.isMovie ?? false
    var hasBegun = false
    var output = try reader.output(for: source)
    output.fillsTimes = source.track.needsTimes(in: try await source.asset.header().container)
    for try await sample in output {
      let time = sample.presentationTime.isNumeric ? sample.presentationTime : sample.decodeTime
      if stop.isReached(at: time, written: writer.core.writtenBytes) { break }
      if !hasEdits, !whole, plan.mediaType == .video {
        // Pictures behind a sync sample that are shown before it lean on what is not there.
        if !hasBegun, !sample.isSync { continue }
        hasBegun = true
        if time < range.start { continue }
      }
      try await append(sample, stop)
      progress(time - range.start)
    }
  }

  private func copyAndEncode(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    do {
      try await splice?.run(source, range: range) { sample in
        if stop.isReached(at: sample.presentationTime, written: writer.core.writtenBytes) { return false }
        try await append(sample, stop)
        progress(sample.presentationTime - range.start)
        return true
      }
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "export", subject: source.subject)
    }
  }

  private func convert(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    let codec = plan.codec ?? ""
    for try await sample in try reader.output(for: source, settings: .text) {
      guard var cue = sample.cue else { continue }
      if stop.isReached(at: cue.time, written: writer.core.writtenBytes) { break }
      if !whole {
        let shown = MediaTimeRange(start: cue.time, duration: cue.duration).intersection(range)
        guard shown.duration > .zero else { continue }
        cue = cue.retimed(shown.start, shown.duration)
      }
      do { try await append(try TextFormat.sample(cue, codec), stop) } catch let error as AVError {
        throw MediaError.libav(error, operation: "export", subject: source.subject)
      }
      progress(cue.time - range.start)
    }
  }

  private func encodeSound(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    let stored = source.track.stream.flatMap { Formats.sampleFormat(of: $0, codec: source.track.codec) } ?? ""
    let format: AudioSampleFormat =
      stored.hasPrefix("s32") ? .int32 : stored.hasPrefix("s16") || stored.hasPrefix("u8") ? .int16 : .float32
    let settings = AudioOutputSettings(format: format)
    for try await sample in try reader.output(for: source, settings: .audio(settings)) {
      if stop.isReached(at: sample.presentationTime, written: writer.core.writtenBytes) { break }
      try await append(sample, stop)
      progress(sample.presentationTime + sample.duration - range.start)
    }
  }

  /// Each pass is half of the work, as far as anybody can tell.
  private func encodeTwice(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    for try await pass in input.passes {
      let before = pass.number == 1 || !range.duration.isNumeric ? .zero : range.duration
      try await encodePictures(writer, stop) { time in
        progress((before + time).multiplied(by: 1, dividedBy: 2))
      }
      stop.shorten(writer)
    }
  }

  private func encodePictures(_ writer: Writer, _ stop: ExportStop, _ progress: (MediaTime) -> Void) async throws {
    let fields = FieldSplitter(plan.deinterlacing)
    var rate = FrameRateConverter(step: plan.frameDuration, start: range.start)
    var turner = PictureTurner(plan.drawnOrientation)
    let mapper = plan.isToneMapped ? PictureToneMapper(source) : nil
    var last = MediaTime.invalid
    func append(_ frame: VideoFrame) async throws {
      // Of damaged streams decoders give pictures that go back in time; players pass over them.
      if last.isNumeric, frame.time <= last { return }
      last = frame.time
      do {
        let frame = try mapper?.mapped(frame) ?? frame
        try await input.append(try turner.turned(frame))
        stop.noteSample()
      } catch let error as AVError {
        throw MediaError.libav(error, operation: "export", subject: source.subject)
      }
    }
    // Turning needs chroma of the same shape in both directions.
    let format: PixelFormat = (plan.video?.pixelFormat).map { PixelFormat(rawValue: $0) } ?? "yuv420p"
    let settings = plan.drawnOrientation == nil ? nil : VideoOutputSettings(pixelFormat: format)
    reading: for try await sample in try reader.output(for: source, settings: .video(settings)) {
      guard let picture = sample.pixelBuffer else { continue }
      if stop.isReached(at: sample.presentationTime, written: writer.core.writtenBytes) { break reading }
      let whole = VideoFrame(time: sample.presentationTime, duration: sample.duration, pixelBuffer: picture)
      for frame in try fields.split(whole) {
        for shown in rate.add(frame) { try await append(shown) }
      }
      progress(sample.presentationTime - range.start)
    }
    for frame in rate.finish() { try await append(frame) }
  }
}
