import LibAV

extension Writer.Input {
  func videoSession(
    _ core: WriterCore, _ track: Int, _ settings: VideoSettings, _ pass: EncodingPass? = nil
  ) -> VideoEncodingSession {
    let scale = properties.mediaTimeScale
    return VideoEncodingSession(
      settings: settings, container: core.container, timescale: scale > 0 ? scale : nil,
      subject: "track \(track + 1) of \(core.subject)", interrupt: core.interrupt, pass: pass,
      segmentCell: { [weak core] time in core?.segmentCell(of: time) })
  }

  func pump(
    _ core: WriterCore, _ track: Int, _ settings: VideoSettings, _ pass: EncodingPass? = nil
  ) -> BoundedChannel<SampleBuffer> {
    let session = videoSession(core, track, settings, pass)
    core.setPreparation(track) { try await session.prepare() }
    return run(core, track) { sample in
      guard let picture = sample.pixelBuffer, let time = Self.shown(sample, core) else { return [] }
      let output = try await session.encode(
        PictureInput(frame: picture.frame, time: time, duration: sample.duration))
      if let parameters = output.parameters { core.setParameters(parameters, track: track) }
      return output.samples
    } last: {
      let output = try await session.finish(end: core.sessionEnd)
      if let parameters = output.parameters { core.setParameters(parameters, track: track) }
      return output.samples
    }
  }

  /// When a picture is shown first; nil for one that is over before the session, where no edit list can hide it.
  static func shown(_ sample: SampleBuffer, _ core: WriterCore) -> MediaTime? {
    let time = sample.presentationTime
    guard !core.container.isMovie, let start = core.sessionStart, time < start else { return time }
    return sample.duration.isNumeric && time + sample.duration > start ? start : nil
  }

  func pump(_ core: WriterCore, _ track: Int, _ settings: AudioSettings) -> BoundedChannel<SampleBuffer> {
    let session = SoundEncodingSession(
      settings: settings, container: core.container, subject: "track \(track + 1) of \(core.subject)",
      interrupt: core.interrupt)
    core.setPreparation(track) { try await session.prepare() }
    return run(core, track) { sample in
      guard let sound = sample.audioBuffer else { return [] }
      let output = try await session.encode(
        sound.retimed(sample.presentationTime), start: core.sessionStart ?? .zero, end: core.sessionEnd)
      if let parameters = output.parameters { core.setParameters(parameters, track: track) }
      return output.samples
    } last: {
      let output = try await session.finish()
      if let end = output.end { core.setPresentedEnd(end, track: track) }
      return output.samples
    }
  }

  /// Encodes what comes out of a channel, beside the task that appends.
  private func run(
    _ core: WriterCore, _ track: Int, each: @escaping @Sendable (SampleBuffer) async throws -> [QueuedSample],
    last: @escaping @Sendable () async throws -> [QueuedSample]
  ) -> BoundedChannel<SampleBuffer> {
    let channel = BoundedChannel<SampleBuffer>(capacity: 4)
    let task = Task {
      do {
        while let sample = try await channel.next() {
          for made in try await each(sample) { try await core.enqueue(made, track: track) }
        }
        for made in try await last() { try await core.enqueue(made, track: track) }
        core.finishTrack(track)
      } catch {
        core.fail(error)
        channel.fail(core.failure ?? error)
      }
    }
    core.setBusy(track) { !channel.isIdle }
    core.addPump(task) { channel.fail($0) }
    return channel
  }

  func storedParameters(_ subject: String) throws -> CodecParameters {
    if let parameters { return parameters }
    if boxedMetadata != nil {
      let scale = properties.mediaTimeScale
      // Times of all common rates of pictures are exact in such ticks.
      do { return try CodecParameters.data(timeBase: (1, scale > 0 ? scale : 240_000)) } catch {
        throw MediaError.libav(error, operation: "write", subject: subject)
      }
    }
    guard let hint = sourceFormatHint, let codec = hint.codec else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: subject, reason: "the source format hint names no codec")
    }
    var facts = CodecParameters.Facts(codec: codec)
    facts.extradata = hint.parameterSets
    if let video = hint.video {
      (facts.width, facts.height) = (video.encodedSize.width, video.encodedSize.height)
      facts.pixelFormat = video.pixelFormat.map { .named($0) }
      facts.sampleAspectRatio = (
        Int32(clamping: video.sampleAspectRatio.horizontal), Int32(clamping: video.sampleAspectRatio.vertical)
      )
      facts.colour = ColourDescription(
        primaries: video.colour.primaries, transfer: video.colour.transfer, matrix: video.colour.matrix,
        isFullRange: video.colour.range.map { $0 == .full })
    }
    if let audio = hint.audio {
      (facts.sampleRate, facts.channels, facts.layout) = (audio.sampleRate, audio.channels, audio.layout)
      facts.bitDepth = audio.bitDepth ?? 0
    }
    let scale =
      properties.mediaTimeScale > 0 ? properties.mediaTimeScale : Int32(clamping: max(90_000, facts.sampleRate))
    do { return try CodecParameters.make(facts, timeBase: (1, scale)) } catch {
      throw MediaError.libav(error, operation: "write", subject: subject)
    }
  }
}

extension PictureTransform {
  /// Nine numbers as QuickTime stores them: 16.16, the third column 2.30.
  var displayMatrix: [Int32] {
    func fixed(_ value: Double) -> Int32 { Int32(clamping: Int(rounding: value * 65_536) ?? 0) }
    return [fixed(a), fixed(b), 0, fixed(c), fixed(d), 0, fixed(tx), fixed(ty), 1 << 30]
  }
}

extension PixelRect {
  /// The eight numbers of `clap`: the offset is that of the centres.
  func cleanApertureNumbers(in size: PixelSize) -> [UInt32] {
    let x = Int32(clamping: 2 * x + width - size.width)
    let y = Int32(clamping: 2 * y + height - size.height)
    return [
      UInt32(clamping: width), 1, UInt32(clamping: height), 1, UInt32(bitPattern: x), 2, UInt32(bitPattern: y), 2,
    ]
  }
}
