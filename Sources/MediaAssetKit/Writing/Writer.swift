public import FoundationEssentials
import LibAV

/// Makes a media file of samples: stored ones as they are, or pictures and sound that it encodes.
///
/// ```swift
/// try await withWriter(url: url, fileType: .mp4) { writer in
///   let video = try writer.add(Writer.Input(video: VideoSettings(codec: "h264")))
///   try await writer.start()
///   try writer.startSession(at: .zero)
///   for try await frame in track.frames() { try await video.append(frame) }
/// }
/// ```
///
/// The file appears under its name when it is complete, and never otherwise: a failure, a cancellation or a full disk
/// leaves nothing behind. Only a file that is written in fragments (``Options/movieFragmentInterval``) grows under its
/// own name, and can be read after every fragment.
///
/// Differences from AVAssetWriter, on purpose: `append` waits instead of being refused, an input that gets no samples holds
/// the others up for two seconds at most, a call in the wrong order throws instead of trapping, and errors say what failed.
/// Temporary files lie beside the target, where they can be renamed (no `directoryForTemporaryFiles`). Every file counts
/// its tracks in the order of its inputs, so fragments of writers with the same inputs can be put together anyway
/// (`producesCombinableFragments`). GIF and animated WebP are file types. Tracks of timed metadata are made of groups of typed items (``Input/init(metadataKeys:properties:)``), or passed
/// on as stored; subtitles are passed on as stored, or made of one's own bytes, since each container has a form of its own
/// for them (no caption adaptor). Pairs of views can't be encoded, because no encoder of FFmpeg's takes them.
public final class Writer: Sendable {
  /// How far a writer is.
  public enum Status: String, Sendable, Hashable {
    /// Not started.
    case unknown
    /// Takes samples.
    case writing
    /// The file is complete.
    case completed
    /// It ended with ``Writer/error``, and left no file.
    case failed
    /// It was cancelled, and left no file.
    case cancelled
  }

  /// How a file is written.
  public struct Options: Sendable {
    /// Replaces an existing file, when the new one is complete; false by default.
    public var overwritesExisting = false
    /// Puts the header before the media, so that players on a network can begin early (QuickTime and MPEG-4).
    public var shouldOptimizeForNetworkUse = false
    /// Writes QuickTime and MPEG-4 files in fragments of about this length, each ended at a sync sample; invalid: none.
    public var movieFragmentInterval = MediaTime.invalid
    /// How long the first fragment is, so that something can be read early; invalid: as the others.
    public var initialMovieFragmentInterval = MediaTime.invalid
    /// The number of the first fragment, from 1.
    public var initialMovieFragmentSequenceNumber = 1
    /// How long the file will be: a hint for the room that ``shouldOptimizeForNetworkUse`` leaves for the header, and what
    /// a file in fragments says of its length (`mehd`) until that is known; without it such a file says nothing.
    public var overallDurationHint = MediaTime.invalid
    /// Ticks a second of the movie header; 0: so that all edits are exact.
    public var movieTimeScale: Int32 = 0
    /// How far one track may run ahead of the others before `append` waits; 4 seconds of media by default.
    public var interleavingWindow = MediaTime(value: 4, timescale: 1)
    /// How long `append` waits for other inputs before it goes on without them; 2 seconds by default.
    public var starvationLimit = Duration.seconds(2)
    /// How long segments are, of a writer of segments: positive, or indefinite for cuts by ``Writer/flushSegment()`` only.
    public var preferredOutputSegmentInterval = MediaTime.invalid
    /// The time of the samples from which the intervals of segments are counted; invalid: the session's start.
    public var initialSegmentStartTime = MediaTime.invalid
    /// Waits until the disk has the file before it gets its name; true by default.
    public var synchronizesToDisk = true
    /// What the file is about. Items go into the container's own key space where they mean something there; what has no
    /// place is left out, and told by ``Writer/metadataLosses``. Where an export passes on what its source says, an item
    /// here wins over what means the same there.
    public var metadataItems: [MetadataItem] = []
    /// Tags by FFmpeg's names, as exports pass them on from a source; ``metadataItems`` win over them.
    var metadata: [String: String] = [:]
    /// The muxer's own options.
    var muxerOptions: [String: String] = [:]
    /// Named stretches, in the new file's time.
    var chapters: [Chapter] = []
    /// Cover art, where the container holds it as a picture of its own.
    var pictures: [AttachedPicture] = []

    /// The default options.
    public init() {}

    var interleavingWindowMicroseconds: Int64 {
      max(0, interleavingWindow.ticks(in: Rational(1, 1_000_000) ?? .one) ?? 4_000_000)
    }
  }

  /// The file to write; nil for a writer of segments.
  public let outputURL: URL?
  /// Its type.
  public let outputFileType: FileType
  /// How it is written.
  public let options: Options

  let core: WriterCore
  private let configuration = Monitor(Configuration())
  private let container: WritableContainer

  private struct Configuration {
    var inputs: [Input] = []
    var groups: [InputGroup] = []
    var isStarted = false
  }

  /// A writer for a local file, or for files of a picture each. Does no I/O: what forbids the file appears when it is started.
  ///
  /// Of PNG and JPEG pictures `url` names a pattern with a number in it, as in `frame%05d.png`, which counts from 1. Each
  /// picture appears when it is complete; after a failure those that were written are removed. Their times are not stored.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a URL that is no file's, `operationNotSupported` for a type that
  ///   this FFmpeg can't write.
  public init(url: URL, fileType: FileType, options: Options = .init()) throws {
    guard url.isFileURL else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: url.absoluteString, reason: "this is no file URL",
        remedy: "Write a local file")
    }
    guard let container = WritableContainer.container(for: fileType) ?? .pictures(for: fileType) else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: url.path,
        reason: "files of type \(fileType) can't be written",
        remedy: "Use one of \(WritableContainer.types.map(\.rawValue).joined(separator: ", "))")
    }
    outputURL = url
    outputFileType = fileType
    self.options = options
    self.container = container
    core = WriterCore(path: url.path, container: container, options: options)
  }

  /// A writer of segments.
  init(container: WritableContainer, profile: FileTypeProfile, options: Options) {
    outputURL = nil
    outputFileType = container.type
    self.options = options
    self.container = container
    core = WriterCore(path: "segments", container: container, options: options, profile: profile)
  }

  deinit { core.cancelWithoutWaiting() }

  /// The types that this FFmpeg can write, sorted by identifier.
  public static var availableFileTypes: [FileType] {
    let pictures = [FileType.png, .jpeg].filter { WritableContainer.pictures(for: $0) != nil }
    return (WritableContainer.types + pictures).sorted { $0.rawValue < $1.rawValue }
  }

  /// How far the writer is.
  public var status: Status { core.status }
  /// What it failed with.
  public var error: (any Error)? { status == .failed ? core.failure : nil }
  /// The inputs in the order of their tracks.
  public var inputs: [Input] { configuration.withLock { $0.inputs } }
  /// The groups of alternatives.
  public var inputGroups: [InputGroup] { configuration.withLock { $0.groups } }
  /// Items of ``Options/metadataItems`` that the file type has no place for, with the reason.
  public var metadataLosses: [MetadataEditor.Loss] {
    (try? WriterMetadata(options.metadataItems, in: container, subject: core.subject))?.losses ?? []
  }
  /// The kinds of media that the file type holds, sorted.
  public var availableMediaTypes: [MediaType] { container.mediaTypes.sorted { $0.rawValue < $1.rawValue } }

  // MARK: Inputs

  /// Why an input can't be added; nil when it can.
  public func reasonAgainst(_ input: Input) -> MediaError? {
    configuration.withLock { configuration in
      if configuration.isStarted {
        return core.error(.operationNotSupported, "writing has begun; no input can be added")
      }
      if configuration.inputs.contains(where: { $0 === input }) || input.isTaken {
        return core.error(.operationNotSupported, "the input was added before")
      }
      if container.isSingle, !configuration.inputs.isEmpty {
        return core.error(.operationNotSupported, "\(outputFileType) holds one track")
      }
      return input.reasonAgainst(container, subject: core.subject)
    }
  }

  /// Whether an input can be added.
  public func canAdd(_ input: Input) -> Bool { reasonAgainst(input) == nil }

  /// Adds an input; its track's number is its place.
  ///
  /// - Throws: What ``reasonAgainst(_:)`` says.
  @discardableResult
  public func add(_ input: Input) throws -> Input {
    if let reason = reasonAgainst(input) { throw reason }
    try configuration.withLock { configuration in
      guard input.attach(core, track: configuration.inputs.count) else {
        throw core.error(.operationNotSupported, "the input was added before")
      }
      configuration.inputs.append(input)
    }
    return input
  }

  /// Why pictures or sound can't be encoded so into this type of file; nil when they can.
  ///
  /// Settings of nil ask whether stored samples of the kind can be passed on at all.
  public func reasonAgainst(_ settings: Input.Settings?, mediaType: MediaType) -> MediaError? {
    Input(mediaType: mediaType, settings: settings).reasonAgainst(container, subject: core.subject, needsHint: false)
  }

  /// Whether settings suit the file type.
  public func canApply(_ settings: Input.Settings?, mediaType: MediaType) -> Bool {
    reasonAgainst(settings, mediaType: mediaType) == nil
  }

  /// Makes inputs alternatives of each other, of which players choose one (QuickTime and MPEG-4).
  ///
  /// - Throws: ``MediaError`` when an input was not added, is in a group already, or writing has begun.
  public func add(_ group: InputGroup) throws {
    try configuration.withLock { configuration in
      guard !configuration.isStarted else {
        throw core.error(.operationNotSupported, "writing has begun; no group can be added")
      }
      guard container.isMovie else {
        throw core.error(.operationNotSupported, "\(outputFileType) has no groups of alternatives")
      }
      for input in group.inputs {
        guard configuration.inputs.contains(where: { $0 === input }) else {
          throw core.error(.invalidArgument, "an input of the group was not added to the writer")
        }
        guard !configuration.groups.contains(where: { $0.inputs.contains { $0 === input } }) else {
          throw core.error(.invalidArgument, "an input is in two groups")
        }
      }
      configuration.groups.append(group)
    }
  }

  // MARK: Writing

  /// Begins: makes the temporary file, and opens what is needed.
  ///
  /// - Throws: ``MediaError``: `fileAlreadyExists`, `fileNotFound` for a missing folder, `accessDenied`;
  ///   `operationNotSupported` without inputs or in the wrong state; `invalidArgument` for metadata whose value does not
  ///   suit its key.
  public func start() async throws {
    let (inputs, groups) = try configuration.withLock { configuration in
      guard !configuration.isStarted else { throw core.error(.operationNotSupported, "the writer was started before") }
      guard !configuration.inputs.isEmpty else {
        throw core.error(.operationNotSupported, "there is no input", remedy: "Add an input first")
      }
      if let profile = core.profile,
        let reason = Self.reasonAgainst(segmenting: options, profile: profile, inputs: configuration.inputs)
      {
        throw core.error(.invalidArgument, reason)
      }
      for items in [options.metadataItems] + configuration.inputs.map(\.properties.metadataItems) {
        try WriterMetadata(items, in: container, subject: core.subject).check(container, path: core.subject)
      }
      configuration.isStarted = true
      return (configuration.inputs, configuration.groups)
    }
    let tracks = try inputs.enumerated().map { index, input in
      try input.makeTrack(
        core, track: index, group: groups.firstIndex { $0.inputs.contains { $0 === input } }, groups: groups)
    }
    try await core.start(tracks)
    do {
      for (index, input) in inputs.enumerated() { try input.begin(core, track: index) }
    } catch {
      core.fail(error)
      throw error
    }
  }

  /// Begins the session: this time of the samples is zero in the file.
  ///
  /// What comes before it is written but hidden (by an edit list) where samples lean on it. A track whose first sample
  /// comes later begins with nothing. Once per file.
  public func startSession(at time: MediaTime) throws { try core.startSession(at: time) }

  /// Ends the session: nothing is presented from this time on. Without it, every track ends with its last sample.
  public func endSession(at time: MediaTime) throws { try core.endSession(at: time) }

  /// Finishes all inputs, completes the file and gives it its name.
  ///
  /// - Throws: ``MediaError``, or `CancellationError` when the task is cancelled; nothing is left then.
  public func finishWriting() async throws {
    for input in inputs { input.finish() }
    let core = core
    try await withTaskCancellationHandler {
      try await core.finish()
    } onCancel: {
      core.cancelWithoutWaiting()
    }
  }

  /// Ends without a file; returns when nothing is left of it. Does nothing when the writer is at its end.
  public func cancel() async { await core.cancel() }
}

/// Makes a writer, runs `body`, and completes the file when it returns; cancels when it throws or the task is cancelled.
///
/// ``Writer/start()`` and ``Writer/startSession(at:)`` are the body's. Nothing is left under the name after a failure.
public func withWriter<Result>(
  url: URL, fileType: FileType, options: Writer.Options = .init(), _ body: (Writer) async throws -> Result
) async throws -> Result {
  let writer = try Writer(url: url, fileType: fileType, options: options)
  do {
    let result = try await body(writer)
    try Task.checkCancellation()
    if writer.status != .completed { try await writer.finishWriting() }
    return result
  } catch {
    await writer.cancel()
    throw error
  }
}
