public import FoundationEssentials
import LibAV

/// Writes an asset, or a part of it, to a new file: copied, encoded or both, as a preset says.
///
/// ```swift
/// let session = ExportSession(asset: MediaAsset(url: source), preset: .size1280x720)
/// session.timeRange = MediaTimeRange(start: MediaTime(value: 10, timescale: 1), end: MediaTime(value: 20, timescale: 1))
/// try await session.export(to: target)
/// ```
///
/// The file appears under its name when it is complete, and never otherwise. A session exports once; its options are set
/// before (`session.timeRange = …`, see ``Options``). ``plan(for:)`` tells beforehand what will be copied, encoded and
/// left out, and why. Cancelling the task ends the export with `CancellationError`, and leaves nothing behind.
///
/// Differences from AVAssetExportSession, on purpose: the outcome is told once, by `export`; the type follows from the
/// file's name; tracks of sound stay side by side instead of being mixed; sound that is coded as the preset asks is
/// copied; and a file that exists can be replaced where that is asked for.
@dynamicMemberLookup
public final class ExportSession: Sendable {
  /// How an export is done. The names are AVFoundation's where it has them.
  public struct Options: Sendable {
    /// The part of the asset's time; all of it by default. Cut to the asset; the new file begins at zero.
    public var timeRange = MediaTimeRange(start: .zero, duration: .positiveInfinity)
    /// Bytes after which the export stops early, and well; 0: no limit. The file may be a little larger.
    public var fileLengthLimit: Int64 = 0
    /// Puts the header before the media (QuickTime and MPEG-4).
    public var shouldOptimizeForNetworkUse = false
    /// What becomes of alternatives among the tracks of sound.
    public var audioTrackGroupHandling: TrackGroupHandling = []
    /// The tracks to export, by number; nil: all.
    public var trackIDs: Set<Int32>?
    /// How exactly copied pictures are cut.
    public var cut = Cut.automatic
    /// Which of the asset's own tags and chapters the file gets; ``metadata`` is not asked.
    public var metadataFilter = MetadataFilter.all
    /// Items that the file gets besides; they replace those of the asset's own that mean the same. Written as
    /// ``MetadataEditor`` writes them, at the cost of copying the new file once more; what the file can't hold is in
    /// ``ExportPlan/metadataLosses``. Fragmented files get those that FFmpeg has a name for.
    public var metadata: [MetadataItem] = []
    /// What the file does not get of the asset's own items.
    public var removedMetadata: [MetadataIdentifier] = []
    /// Tags that the file gets besides, by FFmpeg's names (`title`, `artist`); they replace the asset's own, an empty
    /// value removes one.
    public var metadataTags: [String: String] = [:]
    /// Chapters in place of the asset's own, in its time; nil keeps those.
    var chapterList: ChapterList?
    /// Replaces an existing file, when the new one is complete; false by default.
    public var overwritesExisting = false
    /// Writes QuickTime and MPEG-4 files in fragments of about this length; invalid: none. Such a file grows under its own
    /// name.
    public var movieFragmentInterval = MediaTime.invalid
    /// Where what an export needs besides its file is kept for a while; nil: the system's folder. The file itself is made
    /// beside its name, so that it can appear at once. An export fails at its start when this is no writable local folder.
    public var directoryForTemporaryFiles: URL?
    /// Whether pictures are encoded on as many threads as are free; else on one, so that other work keeps the processor.
    /// True by default: exports at the same time share the process's ``MediaConfiguration/threadBudget``.
    public var allowsParallelizedExport = true
    /// Whether pictures with a bit rate to keep to are encoded in two passes, where the encoder can: all is read and decoded
    /// twice, and the bits go where they are needed. False by default, as AVFoundation's; a constant quality has one pass.
    public var canPerformMultiplePassesOverSourceMediaData = false
    /// How sound keeps its pitch where the asset plays parts of it at another speed, as compositions do. Files' own edits
    /// at another speed are sound at its own speed, whatever this says.
    public var audioTimePitchAlgorithm = AudioTimePitchAlgorithm.spectral
    /// Waits until the disk has the file before it gets its name; true by default.
    public var synchronizesToDisk = true
    /// How tracks of sound are mixed; nil: an asset's stay side by side, a composition's are added at their own volumes.
    /// Presets that copy everything take no notice of it.
    public var audioMix: AudioMix?
    /// How tracks of pictures are drawn, in whose size, whatever the preset's; nil: an asset's as they are, a composition's
    /// single one clip by clip, each as large as it fits, several as
    /// ``VideoComposition/init(propertiesOf:prototypeInstruction:assetOptions:)`` says. Presets that copy everything take no
    /// notice of it.
    public var videoComposition: VideoComposition?
    /// What draws the pictures in place of the built-in compositor.
    public var customCompositor: (any VideoCompositing)?

    /// The default options.
    public init() {}
  }

  /// What becomes of alternatives among the tracks of sound.
  public struct TrackGroupHandling: OptionSet, Sendable, Hashable {
    /// The option's bits.
    public let rawValue: UInt
    /// Options by their bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Alternatives are all kept. Without it, presets that encode keep the default one; copies keep all.
    public static let preserveAlternateTracks = Self(rawValue: 1)
  }

  /// How exactly copied pictures are cut.
  public enum Cut: String, Sendable, Hashable, Codable {
    /// Exactly where the file type has edit lists; elsewhere they begin at the sync sample at or before the range, and the
    /// plan tells where.
    case automatic
    /// Exactly: where the file type has no edit lists, the pictures of the groups that the range cuts are encoded, and
    /// those between them copied (``ExportPlan/Track/edges``). Where the two can't be joined, the whole track is encoded,
    /// and the plan says why.
    case exact
    /// As ``exact``, and without an edit list that hides pictures: what lies outside of the range is not in the file, and
    /// players that don't know edit lists show the same.
    case clean
  }

  /// The asset that is exported; one that holds nothing where a ``composition`` is.
  public let asset: MediaAsset
  /// The composition that is exported; nil where an asset is.
  public let composition: Composition?
  private let sources: CompositionAssets
  /// What is made of it.
  public let preset: ExportPreset

  private let configuration: Monitor<Options>
  let board = ProgressBoard()
  private let isUsed = Monitor(false)

  /// A session; does no I/O.
  public init(asset: MediaAsset, preset: ExportPreset, options: Options = .init()) {
    self.asset = asset
    self.preset = preset
    configuration = Monitor(options)
    composition = nil
    sources = CompositionAssets(options: asset.options)
  }

  /// A session for a composition; does no I/O.
  ///
  /// Clips whose samples join are copied where the preset lets them; else pictures are drawn and sound is mixed, into one
  /// track each, and encoded: the plan says which and why (``ExportPlan/Track/parts``). Text is copied or converted.
  /// Compositions are cut exactly always: of a preset that copies everything ``Options/cut`` says whether it may encode
  /// pictures for that. Of the sources' chapters those that are seen go along; their tags and covers don't, since no file
  /// is the film (``Options/metadata``).
  public init(
    composition: Composition, preset: ExportPreset, options: Options = .init(),
    assetOptions: MediaAsset.Options = .init()
  ) {
    asset = MediaAsset(data: Data(), options: assetOptions)
    self.preset = preset
    configuration = Monitor(options)
    self.composition = composition
    sources = CompositionAssets(options: assetOptions)
  }

  private func facts(_ options: Options) async throws -> (facts: ExportFacts, video: VideoComposition?) {
    guard let composition = try await composed(options) else {
      return (try await ExportFacts.load(asset, range: options.timeRange, cut: options.cut), nil)
    }
    return try await CompositionFacts(composition: composition, preset: preset, options: options, assets: sources)
      .load()
  }

  /// What is mixed and drawn: the composition, or the asset's tracks where options say how to mix or draw them. Presets
  /// that copy everything take no notice of such options.
  private func composed(_ options: Options) async throws -> Composition? {
    if let composition { return composition.choosing(options.trackIDs) }
    guard options.audioMix != nil || options.videoComposition != nil || options.customCompositor != nil,
      preset.video != .copy || preset.audio != .copy
    else { return nil }
    let tracks = try await asset.load(.tracks).filter { Composition.holds($0.mediaType) }
    return try await Composition(tracks: tracks)
      .choosing(options.trackIDs)
  }

  /// The preset, whose box does not bound pictures that are drawn in a size of their own.
  private func preset(_ options: Options) -> ExportPreset {
    var preset = preset
    if options.videoComposition != nil { preset.maximumSize = .zero }
    return preset
  }

  /// The options; what is set after the export has begun has no effect on it.
  public var options: Options {
    get { configuration.withLock { $0 } }
    set { configuration.withLock { $0 = newValue } }
  }

  /// One option.
  public subscript<Value>(dynamicMember path: WritableKeyPath<Options, Value>) -> Value {
    get { configuration.withLock { $0[keyPath: path] } }
    set { configuration.withLock { $0[keyPath: path] = newValue } }
  }

  // MARK: Before

  /// What an export to a type of file will do. Reads the asset's header, and a sample where the range begins.
  ///
  /// - Throws: ``MediaError``: `invalidArgument` for a range outside the asset, `operationNotSupported` with the reasons
  ///   when nothing would be left, `encoderNotFound`, and what opening throws.
  public func plan(for fileType: FileType) async throws -> ExportPlan {
    let options = options
    if let streaming = try streaming(as: fileType) { return try await streaming.plan() }
    let facts = try await facts(options).facts
    return try ExportPlanner(facts, preset(options), options, fileType: fileType).makePlan()
  }

  /// Why the asset can't be exported so; nil when it can.
  public func reasonAgainst(_ fileType: FileType) async -> MediaError? {
    do {
      _ = try await plan(for: fileType)
      return nil
    } catch {
      return error as? MediaError
        ?? MediaError(.unknown, operation: "export", subject: asset.subject, reason: "\(error)")
    }
  }

  /// The types of file to which the asset can be exported: the preset's own first, then every other that can be written.
  public var compatibleFileTypes: [FileType] {
    get async {
      if preset.streaming != nil { return await reasonAgainst(.hls) == nil ? [.hls] : [] }
      guard let facts = try? await facts(options).facts else { return [] }
      let others = WritableContainer.types.filter { !preset.fileTypes.contains($0) }
      return (preset.fileTypes + others).filter {
        (try? ExportPlanner(facts, preset(options), options, fileType: $0).makePlan()) != nil
      }
    }
  }

  /// About how many bytes the file will have; nil when nothing tells. ``ExportPlan/certainty`` says how sure it is.
  public func estimatedOutputFileLength(for fileType: FileType) async throws -> Int64? {
    try await plan(for: fileType).expectedFileLength
  }

  /// How long the file will be at most: the range, or what ``Options/fileLengthLimit`` leaves of it.
  public func estimatedMaximumDuration(for fileType: FileType) async throws -> MediaTime {
    let plan = try await plan(for: fileType)
    let (limit, duration) = (options.fileLengthLimit, plan.presentedRange.duration)
    guard limit > 0, let length = plan.expectedFileLength, length > limit, duration.isNumeric else { return duration }
    let share = Rational(limit, length) ?? .one
    return MediaTime((duration.rational ?? .zero) * share)
  }

  // MARK: Exporting

  /// Exports to a file; returns when it is complete.
  ///
  /// - Parameters:
  ///   - url: The new file; a folder for presets of HTTP Live Streaming, as ``HLSPackager/package(to:progress:)`` takes it.
  ///   - fileType: nil: what the file's name says.
  /// - Returns: What was done.
  /// - Throws: ``MediaError``: `fileAlreadyExists` and `fileNotFound` (of the folder) before anything is read,
  ///   `operationNotSupported` for a second export or when nothing would be left, `writeFailed` when the disk is full, and
  ///   what reading, decoding and encoding throw. `CancellationError` when the task is cancelled.
  @discardableResult
  public func export(to url: URL, as fileType: FileType? = nil) async throws -> ExportPlan {
    try isUsed.withLock { isUsed in
      guard !isUsed else {
        throw MediaError(
          .operationNotSupported, operation: "export", subject: url.path, reason: "the session was used before",
          remedy: "Make a session for each export")
      }
      isUsed = true
    }
    board.wait()
    do {
      let plan = try await run(url, fileType)
      board.finish(succeeded: true)
      return plan
    } catch {
      board.finish(succeeded: false)
      throw error
    }
  }

  private func run(_ url: URL, _ fileType: FileType?) async throws -> ExportPlan {
    try Task.checkCancellation()
    if let streaming = try streaming(as: fileType ?? .hls) {
      try Self.checkFolder(options.directoryForTemporaryFiles)
      return try await streaming.run(to: url, board: board)
    }
    guard let type = fileType ?? FileType(fileExtension: url.pathExtension) else {
      throw MediaError(
        .invalidArgument, operation: "export", subject: url.path,
        reason: "the name does not tell the type of the file", remedy: "Say the type, or use another extension")
    }
    let options = options
    try checkTarget(url, options)
    try Self.checkFolder(options.directoryForTemporaryFiles)
    let (facts, video) = try await facts(options)
    var plan = try ExportPlanner(facts, preset(options), options, fileType: type).makePlan()
    // Encoders of pictures are large; copies and sound are not.
    let encodes = plan.kept.contains {
      $0.mediaType == .video && ($0.action == .encode || $0.encodesParts)
    }
    let permits = encodes ? try await WorkPermits.encoding.acquire(upTo: 1) : 0
    defer { WorkPermits.encoding.release(permits) }
    let share = EncodingShare(isAlone: options.allowsParallelizedExport)
    let composition = try await composed(options)
    let (media, made) = (self.composition == nil ? asset : nil, plan)
    func export(_ options: Options, _ url: URL) async throws {
      guard let composition else {
        return try await ExportEngine(
          asset: asset, plan: made, options: options, board: board, threads: share.threads
        ).run(to: url)
      }
      try await CompositionExport(
        composition: composition, asset: media, video: video, plan: made, options: options, assets: sources,
        board: board, threads: share.threads
      ).run(to: url)
    }
    guard !options.metadata.isEmpty || !options.removedMetadata.isEmpty else {
      try await export(options, url)
      return plan
    }
    plan.metadataLosses = try await ExportTagging(options: options, export: export).run(to: url)
    return plan
  }

  /// What makes a folder instead of a file; nil for presets of files.
  private func streaming(as fileType: FileType) throws -> ExportStreaming? {
    let options = options
    guard let streaming = preset.streaming else { return nil }
    guard fileType == .hls else {
      throw MediaError(
        .operationNotSupported, operation: "export", subject: asset.subject,
        reason: "\(preset.name) makes a folder, not a file of type \(fileType)", remedy: "Use another preset")
    }
    guard composition == nil, options.audioMix == nil, options.videoComposition == nil, options.customCompositor == nil
    else {
      throw MediaError(
        .operationNotSupported, operation: "export", subject: asset.subject,
        reason: "\(preset.name) packages assets as they are, not compositions or mixes",
        remedy: "Export to a movie, and that to the folder")
    }
    return ExportStreaming(asset: asset, name: preset.name, streaming: streaming, options: options)
  }

  static func checkFolder(_ url: URL?) throws {
    guard let url else { return }
    func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
      MediaError(
        code, operation: "export", subject: url.path, reason: reason,
        remedy: "Set another folder for temporary files, or none")
    }
    guard url.isFileURL else { throw refuse(.invalidArgument, "this is no file URL") }
    var isFolder = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder), isFolder else {
      throw refuse(.fileNotFound, "there is no folder for temporary files")
    }
    guard FileManager.default.isWritableFile(atPath: url.path) else {
      throw refuse(.accessDenied, "the folder for temporary files can't be written")
    }
  }

  private func checkTarget(_ url: URL, _ options: Options) throws {
    guard url.isFileURL else {
      throw MediaError(
        .invalidArgument, operation: "export", subject: url.absoluteString, reason: "this is no file URL",
        remedy: "Write a local file")
    }
    let sources = [asset.url] + (composition?.tracks.flatMap(\.sources).map(\.url) ?? [])
    if sources.contains(where: { $0.map { $0.isFileURL && AtomicFile.isSame($0.path, url.path) } ?? false }) {
      throw MediaError(
        .fileAlreadyExists, operation: "export", subject: url.path, reason: "it is the file that is exported",
        remedy: "Choose another name")
    }
    try AtomicFile.checkAbsent(url.path, overwrite: options.overwritesExisting)
  }
}
