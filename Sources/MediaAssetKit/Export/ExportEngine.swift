import FoundationEssentials
import ISOMedia
import LibAV

/// Does what a plan says: every track reads, decodes and encodes in a task of its own, one muxer takes what they give.
///
/// Nobody can wait for somebody who waits for him: a track reads by itself, and waits only for room in its encoder or for
/// the other tracks to come as far as it is.
struct ExportEngine {
  let asset: MediaAsset
  let plan: ExportPlan
  let options: ExportSession.Options
  let board: ProgressBoard
  /// Threads of each encoder of pictures whose settings name no number.
  let threads: Int

  private var range: MediaTimeRange { plan.presentedRange }

  func run(to url: URL) async throws {
    let staysOnStrand = plan.isWholeCopy && !asset.source.isRemote
    try await StrandExecutor.sharing(staysOnStrand) { try await write(to: url) }
  }

  private func write(to url: URL) async throws {
    var writing = options.writing
    if range.duration.isNumeric { writing.overallDurationHint = range.duration }
    let carried = try await ExportMetadata.load(asset, plan: plan, options: options)
    carried.apply(to: &writing, fileType: plan.fileType)
    try await withWriter(url: url, fileType: plan.fileType, options: writing) { writer in
      let tracks = try await makeInputs(writer, carried)
      try await writer.start()
      try writer.startSession(at: range.start)
      // Later than that nothing is presented; without it the tracks end where they end.
      if plan.isCutAtEnd { try writer.endSession(at: range.end) }
      board.begin(total: total, weights: tracks.map(\.weight))
      let stop = ExportStop(limit: options.fileLengthLimit)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, track) in tracks.enumerated() {
          group.addTask {
            try await track.run(writer: writer, stop: stop) { time in board.update(track: index, to: time) }
            stop.shorten(writer)
            track.input.finish()
            board.finish(track: index)
          }
        }
        do { try await group.waitForAll() } catch {
          group.cancelAll()
          // What the muxer failed with says more than what the tracks got because of it.
          throw Task.isCancelled ? CancellationError() : writer.error ?? error
        }
      }
      // A file without a sample is no file: most players refuse it.
      guard stop.hasSamples else {
        throw MediaError(
          .operationNotSupported, operation: "export", subject: asset.subject,
          reason: "no sample of it could be read", remedy: "Use another file or time range")
      }
      stop.shorten(writer)
    }
  }

  private var total: MediaTime { range.duration }

  private func makeInputs(_ writer: Writer, _ carried: ExportMetadata) async throws -> [ExportTrack] {
    var made: [ExportTrack] = []
    for track in plan.kept {
      guard let source = try await asset.loadTrack(withTrackID: track.trackID) else {
        throw MediaError(
          .noSourceTrack, operation: "export", subject: asset.subject, reason: "track \(track.trackID) is gone")
      }
      let (input, splice) = try await input(for: track, source, writer)
      var properties = input.properties
      if let isDefault = try await isDefault(source) { properties.marksOutputTrackAsEnabled = isDefault }
      properties.metadata = carried.tags(of: source, isStored: track.action == .copy && !isMovie)
      if options.metadataFilter.keepsNothing { properties.metadata = [:] }
      input.properties = properties
      try writer.add(input)
      made.append(
        ExportTrack(
          plan: track, source: source, input: input, range: plan.presentedRange, whole: isWhole, splice: splice))
    }
    try keepGroups(writer, made)
    return made
  }

  private var isMovie: Bool { WritableContainer.container(for: plan.fileType)?.isMovie == true }

  /// Whether nothing is cut off: also what lies before the asset's zero is there then, hidden as in the source.
  private var isWhole: Bool { range.start == .zero && !plan.isCutAtEnd }

  private func input(
    for track: ExportPlan.Track, _ source: AssetTrack, _ writer: Writer
  ) async throws -> (Writer.Input, CutSplice?) {
    guard track.action == .copy, let edges = track.edges,
      let container = WritableContainer.container(for: plan.fileType)
    else { return (try await input(for: track, source), nil) }
    let input = try await input(for: track, source)
    guard let parameters = input.parameters else { return (input, nil) }
    var properties = input.properties
    properties.reorderDelay = edges.reorderDelay
    input.properties = properties
    let (splice, header) = try await CutSplice.make(
      track, edges, source: parameters, container: container, subject: source.subject, interrupt: writer.core.interrupt)
    guard let header else { return (input, splice) }
    do { return (try input.replacing(parameterSets: header), splice) } catch {
      throw MediaError.libav(error, operation: "export", subject: source.subject)
    }
  }

  private func input(for track: ExportPlan.Track, _ source: AssetTrack) async throws -> Writer.Input {
    switch track.action {
    case .copy:
      let input = try await Writer.Input.passthrough(of: source)
      var properties = input.properties
      if !isWhole { properties.expectedSampleCount = nil }
      // A turn that another container says in its own way; movies' own matrices are copied as they are.
      if isMovie, source.track.iso == nil, track.transform != .identity { properties.transform = track.transform }
      input.properties = properties
      return input
    case .convert:
      return Writer.Input(text: track.codec ?? "", properties: self.properties(of: source))
    default:
      var properties = self.properties(of: source)
      properties.transform = track.transform
      if var video = track.video {
        properties.performsMultiPassEncodingIfSupported = options.canPerformMultiplePassesOverSourceMediaData
        properties.passFolder = options.directoryForTemporaryFiles
        video.threads = video.threads ?? threads
        // The source's ticks hold the source's times exactly.
        if !track.frameDuration.isNumeric, track.deinterlacing != .fields, let iso = source.track.iso {
          properties.mediaTimeScale = Int32(clamping: iso.mediaTimescale)
        }
        return Writer.Input(video: video, properties: properties)
      }
      properties.preferredVolume = source.track.iso.map { Float($0.volume) / 256 }
      guard let audio = track.audio else {
        throw MediaError(
          .operationNotSupported, operation: "export", subject: asset.subject,
          reason: "the plan does not say how to encode track \(track.trackID)")
      }
      return Writer.Input(audio: audio, properties: properties)
    }
  }

  private func properties(of source: AssetTrack) -> Writer.Input.Properties {
    var properties = Writer.Input.Properties()
    properties.languageCode = source.track.language
    properties.extendedLanguageTag = source.track.extendedLanguage
    properties.marksOutputTrackAsEnabled = source.track.isEnabled
    properties.disposition = source.track.stream?.disposition ?? []
    properties.disposition.remove(.attachedPicture)
    return properties
  }

  /// Whether a track plays when nobody chooses, where the source says that of one among several; nil elsewhere.
  private func isDefault(_ source: AssetTrack) async throws -> Bool? {
    guard source.track.iso == nil, source.mediaType != .video else { return nil }
    let peers = try await asset.header().tracks.filter { $0.mediaType == source.mediaType }
    guard peers.count > 1 else { return nil }
    let marked = peers.first { $0.stream?.disposition.contains(.isDefault) == true }
    // Without a word the first of several languages plays, and no subtitles do.
    guard let chosen = marked ?? (source.mediaType == .audio ? peers.first : nil) else { return false }
    return chosen.id == source.trackID
  }

  /// Alternatives stay alternatives: of several tracks of sound in other containers players choose one, too.
  private func keepGroups(_ writer: Writer, _ tracks: [ExportTrack]) throws {
    guard isMovie else { return }
    let groups = Swift.Dictionary(grouping: tracks) { track in
      track.source.track.iso.map { Int($0.alternateGroup) } ?? (track.source.mediaType == .audio ? -1 : 0)
    }
    for (group, members) in groups.sorted(by: { $0.key < $1.key }) where group != 0 && members.count > 1 {
      let chosen = members.first { $0.input.properties.marksOutputTrackAsEnabled }?.input
      try writer.add(Writer.InputGroup(inputs: members.map(\.input), defaultInput: chosen))
    }
  }
}

extension ExportSession.Options {
  /// What a writer is told of them, where it is to write.
  var writing: Writer.Options {
    var writing = Writer.Options()
    writing.overwritesExisting = overwritesExisting
    writing.shouldOptimizeForNetworkUse = shouldOptimizeForNetworkUse
    writing.movieFragmentInterval = movieFragmentInterval
    writing.synchronizesToDisk = synchronizesToDisk
    // Every track comes as fast as it can; on a machine with much else to do that may be slow.
    writing.starvationLimit = .seconds(600)
    // On one strand tracks take turns at no cost, and what is in the processor's cache is written faster.
    if StrandExecutor.shared != nil { writing.interleavingWindow = MediaTime(value: 1, timescale: 4) }
    return writing
  }
}

/// Where an export ends early because the file is large enough.
final class ExportStop: Sendable {
  private struct State {
    var bytes: Int64 = 0
    var end: MediaTime?
    var hasSamples = false
  }

  private let limit: Int64
  private let state = Monitor(State())

  init(limit: Int64) { self.limit = limit }

  /// Where everything ends, in the asset's time; nil while there is room.
  var end: MediaTime? { state.withLock { $0.end } }

  /// Ends the session where everything ends: before encoders finish, so that the last picture does not last longer.
  func shorten(_ writer: Writer) {
    if let end { writer.core.shortenSession(to: end) }
  }

  /// Whether anything was appended.
  var hasSamples: Bool { state.withLock { $0.hasSamples } }

  func noteSample() { state.withLock { $0.hasSamples = true } }

  /// Whether a sample at `time` comes too late. `written`: bytes of the file so far.
  func isReached(at time: MediaTime, written: Int64) -> Bool {
    guard limit > 0 else { return false }
    return state.withLock { state in
      if state.end == nil, written >= limit { state.end = time }
      return state.end.map { time >= $0 } ?? false
    }
  }
}
