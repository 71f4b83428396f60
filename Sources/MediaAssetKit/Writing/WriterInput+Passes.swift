import LibAV

extension Writer.Input {
  /// One pass over all pictures of an input.
  public struct PassDescription: Sendable, Hashable {
    /// From 1.
    public let number: Int
    /// The parts of the media that are wanted again: everything from the session's start on.
    public let sourceTimeRanges: [MediaTimeRange]
  }

  /// Whether the input encodes in more than one pass: asked for, with a bit rate to keep to, by an encoder that can.
  ///
  /// Known without starting. The encoders are x264, x265, libvpx, libaom and those of MPEG-1, 2 and 4.
  public var canPerformMultiplePasses: Bool {
    guard case .video(let video)? = settings, properties.performsMultiPassEncodingIfSupported,
      video.averageBitRate != nil,
      let encoder = EncoderChoice.encoder(codec: video.codec, named: video.encoder, size: video.size)
    else { return false }
    return EncodingPass.isSupported(encoder: encoder)
  }

  /// The pass whose pictures are appended now; nil before writing starts and after the last pass.
  public var currentPassDescription: PassDescription? {
    let (core, _, pass) = passState
    return pass.map { pass in
      let range = MediaTimeRange(start: core?.sessionStart ?? .zero, duration: .positiveInfinity)
      return PassDescription(number: pass.number, sourceTimeRanges: [range])
    }
  }

  /// The passes in turn: each asks for all pictures again, and asking for the next one ends the one before. One without
  /// ``canPerformMultiplePasses``.
  ///
  /// ```swift
  /// for try await _ in video.passes {
  ///   for try await frame in track.frames() { try await video.append(frame) }
  /// }
  /// ```
  ///
  /// Nothing of the track is written before its second pass; the other inputs wait that long. AVFoundation calls a block
  /// for each pass on a queue (`respondToEachPassDescription(on:using:)`); a loop says the same.
  public var passes: Passes { Passes(input: self) }

  /// See ``Writer/Input/passes``.
  public struct Passes: AsyncSequence, Sendable {
    /// One pass.
    public typealias Element = PassDescription
    let input: Writer.Input

    /// Begins with the pass that is current.
    public func makeAsyncIterator() -> Iterator { Iterator(input: input) }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      let input: Writer.Input
      private var given: Int?

      init(input: Writer.Input) { self.input = input }

      /// The next pass; nil after the last. Waits until the encoder has taken in the one before.
      public mutating func next() async throws -> PassDescription? {
        if let given, input.currentPassDescription?.number == given { try await input.markCurrentPassAsFinished() }
        let description = input.currentPassDescription
        given = description?.number
        return description
      }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> PassDescription? {
        try await next()
      }
    }
  }

  /// Ends the current pass: no more pictures come in it. After the last one this is ``finish()``.
  ///
  /// - Throws: ``MediaError``: `operationNotSupported` without a current pass, or what the encoder failed with;
  ///   `CancellationError` when the task or the writer is cancelled.
  public func markCurrentPassAsFinished() async throws {
    let (core, track, pass) = passState
    guard let core, let pass else {
      throw MediaError(
        .operationNotSupported, operation: "encode", subject: "an input", reason: "there is no pass that could end")
    }
    guard let first = pass.gathering, case .video(let video)? = settings else {
      setPass(nil, sink: nil)
      return finish()
    }
    first.channel.finish()
    let task = first.task
    let statistics = try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      core.cancelWithoutWaiting()
    }
    // What stopped the writer meanwhile stops this too.
    try core.checkAppending(to: track)
    let second = EncodingPass(number: 2, statistics: statistics, folder: first.folder)
    setPass(PassState(number: 2), sink: pump(core, track, video, second))
  }

  /// Where an input is in its passes.
  struct PassState: Sendable {
    var number: Int
    /// Of the first of two passes.
    var gathering: Gathering?

    struct Gathering: Sendable {
      var channel: BoundedChannel<SampleBuffer>
      var task: Task<String, any Error>
      var folder: PassFolder
    }
  }

  /// The first of two passes: the encoder takes the pictures in, and what it gives is dropped.
  func gather(_ core: WriterCore, _ track: Int, _ settings: VideoSettings) throws -> PassState {
    let folder = try PassFolder(in: properties.passFolder ?? MediaConfiguration.current.temporaryDirectory)
    let session = videoSession(core, track, settings, EncodingPass(number: 1, folder: folder))
    let channel = BoundedChannel<SampleBuffer>(capacity: 4)
    let task = Task {
      do {
        while let sample = try await channel.next() {
          guard let picture = sample.pixelBuffer, let time = Self.shown(sample, core) else { continue }
          _ = try await session.encode(PictureInput(frame: picture.frame, time: time, duration: sample.duration))
        }
        _ = try await session.finish(end: core.sessionEnd)
        return await session.statistics
      } catch {
        core.fail(error)
        channel.fail(core.failure ?? error)
        throw core.failure ?? error
      }
    }
    // Its samples are on their way however long the pass takes.
    core.setBusy(track) { true }
    core.addPump(Task { _ = await task.result }) { channel.fail($0) }
    return PassState(number: 1, gathering: .init(channel: channel, task: task, folder: folder))
  }
}
