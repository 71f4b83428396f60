import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let export = Verb(
    "export",
    "FILE -o OUT [--preset NAME] [--from T] [--to T] [--exact-cut|--clean-cut] [--network] [--limit BYTES] [--video SETTINGS]"
      + " [--audio SETTINGS] [--metadata KEY=VALUE]… [--no-metadata] [--plan [--json]]",
    """
    Transcodes, remuxes or trims FILE into a new file. Without a preset and settings everything that OUT can hold is
    copied and the rest encoded at high quality.
    SETTINGS are copy, none, or key=value pairs joined by commas. Pictures: codec, encoder, crf, bit-rate,
    encoder-preset, profile, level, gop, b-frames, size (1280x720), fps (30000/1001), pixel-format,
    deinterlace (auto|on|fields|off). Sound: codec, encoder, bit-rate, rate, channels, layout. A named codec encodes.
    """,
    options: [
      Option("--output", short: "-o", value: "OUT", "the file, a folder for HLS; - writes to standard output"),
      Option("--type", value: "TYPE", "mp4|mov|mkv|webm|…; what OUT's name says without it"),
      Option("--preset", value: "NAME", "one of `mediakit presets`, Passthrough or Automatic"),
      Option("--from", value: "T", "from this time"),
      Option("--to", value: "T", "before this time"),
      Option("--two-pass", "encode pictures in two passes, where they have a bit rate to keep to"),
      Option("--exact-cut", "encode the pictures at both ends that can't be copied and cut exactly"),
      Option("--clean-cut", "the same, and no hidden pictures in MP4 and QuickTime either"),
      Option("--network", "the header before the media (MP4, QuickTime)"),
      Option("--fragment", value: "S", "fragments of so many seconds (MP4, QuickTime)"),
      Option("--limit", value: "BYTES", "stop at this size (4000000, 4M)"),
      Option("--tracks", value: "ID,ID", "only these tracks"),
      Option("--all-alternatives", "keep alternative tracks of sound"),
      Option("--video", value: "SETTINGS", "how pictures are treated"),
      Option("--audio", value: "SETTINGS", "how sound is treated"),
      Option(
        "--metadata", value: "KEY=VALUE",
        "a tag of the new file, by a name or an identifier as `metadata --set` takes; no VALUE removes one"),
      Option("--no-metadata", "none of FILE's tags and chapters"),
      Option("--for-sharing", "no tags that tell where, with what and by whom"),
      Option("--plan", "print what would be done, and stop"),
      Option("--json", "the plan as JSON"),
      Option("--overwrite", "replace an existing file"),
      Progress.option,
    ] + Input.options
  ) { arguments in
    let target = try target(arguments)
    guard target.path != nil || target.type != .hls || arguments.has("--plan") else {
      throw UsageError("-o names a folder for this preset")
    }
    let session = ExportSession(
      asset: try Input.asset(arguments), preset: try preset(arguments, target.type),
      options: try options(arguments, target))
    if arguments.has("--plan") {
      let plan = try await session.plan(for: target.type)
      try StandardOutput.write(arguments.has("--json") ? plan.json.document : plan.text)
      return .done
    }
    if arguments.has("--json") { throw UsageError("--json means nothing without --plan") }
    try await run(session, target, arguments)
    return .done
  }

  /// Where the file goes, and what it is.
  struct Target {
    var path: String?
    var type: FileType
  }

  static func target(_ arguments: Arguments) throws -> Target {
    let output = arguments.value("--output")
    if arguments.value("--preset").flatMap(ExportPreset.named)?.streaming != nil {
      guard !arguments.has("--type") else { throw UsageError("--type means nothing for a folder") }
      guard output != nil || arguments.has("--plan") else { throw UsageError("-o is missing") }
      return Target(path: output == "-" || output?.isEmpty == true ? nil : output, type: .hls)
    }
    guard let output, !output.isEmpty else {
      guard arguments.has("--plan"), arguments.has("--type") else { throw UsageError("-o is missing") }
      return Target(path: nil, type: try type(arguments) ?? .mp4)
    }
    if output == "-" {
      guard let type = try type(arguments) else { throw UsageError("-o -: --type is missing") }
      return Target(path: nil, type: type)
    }
    guard let type = try type(arguments) ?? FileType(fileExtension: Input.fileURL(output).pathExtension) else {
      throw UsageError("-o: \(output.quoted) does not tell the type of the file; say it with --type")
    }
    return Target(path: output, type: type)
  }

  private static func type(_ arguments: Arguments) throws -> FileType? {
    try arguments.value("--type", "type of file", FileType.init(fileExtension:))
  }

  private static func options(_ arguments: Arguments, _ target: Target) throws -> ExportSession.Options {
    var options = ExportSession.Options()
    if let range = try arguments.timeRange() { options.timeRange = range }
    try arguments.one(of: "--exact-cut", "--clean-cut")
    options.cut = arguments.has("--clean-cut") ? .clean : arguments.has("--exact-cut") ? .exact : .automatic
    options.shouldOptimizeForNetworkUse = arguments.has("--network")
    options.canPerformMultiplePassesOverSourceMediaData = arguments.has("--two-pass")
    if let length = try arguments.duration("--fragment", isPositive: true) { options.movieFragmentInterval = length }
    // What can't be gone back in has no header that is known at the end only.
    if target.path == nil, !arguments.has("--plan"), [.mp4, .mov, .m4v, .m4a].contains(target.type) {
      options.movieFragmentInterval = try arguments.duration("--fragment") ?? MediaTime(value: 2, timescale: 1)
    }
    options.fileLengthLimit =
      try arguments.value("--limit", "number of bytes (4000000, 4M)") { ExportSettings.number($0) }.map { Int64($0) }
      ?? 0
    options.trackIDs = try arguments.value("--tracks", "list of track numbers") { text in
      let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int32($0) }
      return numbers.contains(nil) ? nil : Set(numbers.compactMap(\.self))
    }
    if arguments.has("--all-alternatives") { options.audioTrackGroupHandling = .preserveAlternateTracks }
    try arguments.one(of: "--no-metadata", "--for-sharing")
    if arguments.has("--no-metadata") { options.metadataFilter = .none }
    if arguments.has("--for-sharing") { options.metadataFilter = .forSharing }
    for pair in arguments.values("--metadata") {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw UsageError("--metadata: \(pair.quoted) is no key=value")
      }
      let (key, value) = (String(pair[..<equals]), String(pair[pair.index(after: equals)...]))
      // Names that no table knows go to FFmpeg as they are.
      let base = key.split(separator: ":", maxSplits: 1).first.map(String.init) ?? key
      guard key.contains("/") || MetadataIdentifier(named: base) != nil else {
        options.metadataTags[key] = value
        continue
      }
      if value.isEmpty {
        let removed = try MetadataWriting.identifier(base, "--metadata")
        options.metadata.removeAll { $0.identifier == removed }
        options.removedMetadata.append(removed)
      } else {
        options.metadata.putLast(try MetadataWriting.item(key, value, "--metadata"))
      }
    }
    options.overwritesExisting = arguments.has("--overwrite")
    return options
  }

  static func preset(_ arguments: Arguments, _ type: FileType) throws -> ExportPreset {
    let named = try arguments.value("--preset", "preset; `mediakit presets` lists them", ExportPreset.named)
    var preset = named ?? .automatic
    guard preset.streaming == nil || arguments.value("--video") == nil && arguments.value("--audio") == nil else {
      throw UsageError("--video and --audio mean nothing with \(preset.name)")
    }
    if let text = arguments.value("--video") { try ExportSettings.apply(video: text, to: &preset, type) }
    if let text = arguments.value("--audio") { try ExportSettings.apply(audio: text, to: &preset, type) }
    return preset
  }

  // MARK: Running

  static func run(_ session: ExportSession, _ target: Target, _ arguments: Arguments) async throws {
    let plan = try await session.plan(for: target.type)
    for line in plan.warnings { StandardError.line("mediakit: warning: \(line)") }
    let progress = try Progress(arguments, total: plan.presentedRange.duration, printsLines: false)
    defer { progress.clear() }
    let watching = Task {
      for await case .exporting(let state) in session.states(updateInterval: .milliseconds(100))
      where state.fraction < 1 {
        progress.update(fraction: state.fraction, time: state.time)
      }
    }
    defer { watching.cancel() }
    let done: ExportPlan
    if let path = target.path {
      done = try await session.export(to: Input.fileURL(path), as: target.type)
    } else {
      done = try await exportToStandardOutput(session, target.type)
    }
    for loss in done.metadataLosses { StandardError.line("mediakit: warning: \(loss.description.printable)") }
    await watching.value
    progress.finish()
    if session.fileLengthLimit > 0, let path = target.path {
      try await tellLimit(session.fileLengthLimit, Input.fileURL(path), plan.presentedRange.duration)
    }
  }

  /// Says that a file ends early because of its size, or is too large all the same.
  private static func tellLimit(_ limit: Int64, _ url: URL, _ whole: MediaTime) async throws {
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    let size = (attributes?[.size] as? any BinaryInteger).map { Int64(clamping: $0) } ?? 0
    let duration = (try? await MediaAsset(url: url).load(.duration)) ?? .invalid
    // A picture of a common rate and a packet of sound are shorter than that.
    if duration.isNumeric, duration + MediaTime(value: 1, timescale: 10) < whole {
      StandardError.line("mediakit: warning: the limit of \(limit) bytes ends the file at \(duration.clock)")
    }
    if size > limit {
      StandardError.line("mediakit: warning: the file has \(size) bytes, more than the limit of \(limit)")
    }
  }

  /// A file in the temporary folder first: only a complete one is worth handing on.
  private static func exportToStandardOutput(_ session: ExportSession, _ type: FileType) async throws -> ExportPlan {
    let folder = FileManager.default.temporaryDirectory
    let url = folder.appendingPathComponent(".mediakit-\(UInt64.random(in: 0 ... .max)).export")
    defer { try? FileManager.default.removeItem(at: url) }
    let done = try await session.export(to: url, as: type)
    try FileBytes.forEach(url.path) { bytes in
      try Task.checkCancellation()
      try StandardOutput.write(bytes: bytes)
    }
    return done
  }
}

extension ExportPlan {
  /// What is lost against what one would expect.
  var warnings: [String] {
    var lines = dropped.filter { !$0.isDropIntended }.map {
      "track \($0.trackID) (\($0.mediaType)) is left out: \($0.reason)"
    }
    for track in kept { lines += track.notes.map { "track \(track.trackID) (\(track.mediaType)): \($0)" } }
    if presentedRange.start < timeRange.start {
      lines.append("the file begins at \(presentedRange.start.clock) of the source, not at \(timeRange.start.clock)")
    }
    return lines
  }

  /// For people: a line a track.
  var text: String {
    var lines = ["\(preset) → \(fileType), \(presentedRange.duration.clock) from \(presentedRange.start.clock)"]
    for track in tracks {
      let codec = track.sourceCodec ?? "unknown"
      let made = track.action == .drop ? "" : " → \(track.codec ?? codec)\(track.size.map { " \($0)" } ?? "")"
      lines.append(
        "track \(track.trackID) \(track.mediaType) \(codec): \(track.action.rawValue)\(made) (\(track.reason))")
      lines += track.notes.map { "  \($0)" }
    }
    let size = expectedFileLength.map { "about \($0) bytes (\(certainty.rawValue))" } ?? "size unknown"
    lines.append("cut: \(isCutExact ? "exact" : "not exact"); \(size)")
    return lines.map { $0.printable + "\n" }.joined()
  }

  var json: JSON {
    func range(_ range: MediaTimeRange) -> JSON {
      .object([
        ("start", range.start.json), ("duration", range.duration.json), ("startSeconds", range.start.jsonSeconds),
        ("durationSeconds", range.duration.jsonSeconds),
      ])
    }
    return .object([
      ("preset", .string(preset)), ("fileType", .string(fileType.rawValue)), ("timeRange", range(timeRange)),
      ("presentedRange", range(presentedRange)), ("isCutExact", .bool(isCutExact)),
      ("expectedFileLength", .count(expectedFileLength)), ("certainty", .string(certainty.rawValue)),
      (
        "tracks",
        .array(
          tracks.map { track in
            .object([
              ("id", .integer(Int64(track.trackID))), ("mediaType", .string(track.mediaType.rawValue)),
              ("action", .string(track.action.rawValue)), ("reason", .string(track.reason)),
              ("sourceCodec", .text(track.sourceCodec)), ("codec", .text(track.codec)),
              ("size", track.size.map { .array([.integer(Int64($0.width)), .integer(Int64($0.height))]) } ?? .null),
              (
                "edges",
                track.edges.map { edges in
                  .object([
                    ("copyStart", edges.copyStart.json), ("copyEnd", edges.copyEnd.json),
                    ("encodesHead", .bool(edges.encodesHead)), ("encodesTail", .bool(edges.encodesTail)),
                  ])
                } ?? .null
              ),
              ("deinterlace", .string(track.deinterlacing.rawValue)), ("isCutExact", .bool(track.isCutExact)),
              ("expectedLength", .count(track.expectedLength)), ("certainty", .string(track.certainty.rawValue)),
              ("notes", .array(track.notes.map(JSON.string))),
            ])
          })
      ),
    ])
  }
}
