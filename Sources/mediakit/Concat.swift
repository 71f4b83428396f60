import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let concat = Verb(
    "concat", "FILE FILE … -o OUT [--preset NAME] [--size WxH] [--plan [--json]]",
    """
    Puts clips one after another into a new file. Pictures that are coded alike are copied, others are drawn upright and
    whole into the first clip's size, or --size; sound is joined on the sample, which encodes it. --preset Passthrough
    copies sound too, where each clip then begins on a packet.
    """,
    options: [Option("--size", value: "WxH", "the size of the pictures (1280x720)")] + renderingOptions
  ) { arguments in
    guard !arguments.operands.isEmpty else { throw UsageError("FILE is missing") }
    let target = try target(arguments)
    let options = try Input.options(arguments, isPrecise: false)
    var film = Composition()
    for name in arguments.operands {
      guard name != "-" else { throw UsageError("standard input is no clip; write it to a file first") }
      try await film.append(try Input.asset(name, options))
    }
    if let size = try arguments.value("--size", "size (1280x720)", PixelSize.init(named:)) { film.naturalSize = size }
    try await run(film, ExportSession.Options(), target, arguments, options)
    return .done
  }

  /// What verbs that render a composition take besides their own.
  static let renderingOptions =
    [
      Option("--output", short: "-o", value: "OUT", "the file; - writes to standard output"),
      Option("--type", value: "TYPE", "mp4|mov|mkv|webm|…; what OUT's name says without it"),
      Option("--preset", value: "NAME", "one of `mediakit presets`, Passthrough or Automatic"),
      Option("--network", "the header before the media (MP4, QuickTime)"),
      Option("--video", value: "SETTINGS", "how pictures are treated, as `mediakit export` takes it"),
      Option("--audio", value: "SETTINGS", "how sound is treated"),
      Option("--plan", "print what would be done, and stop"),
      Option("--json", "the plan as JSON"),
      Option("--overwrite", "replace an existing file"),
      Progress.option,
    ] + Input.options

  /// Exports a composition, or tells what would be done.
  static func run(
    _ composition: Composition, _ options: ExportSession.Options, _ target: Target, _ arguments: Arguments,
    _ assetOptions: MediaAsset.Options
  ) async throws {
    var options = options
    options.overwritesExisting = arguments.has("--overwrite")
    options.shouldOptimizeForNetworkUse = arguments.has("--network")
    if target.path == nil, !arguments.has("--plan"), [.mp4, .mov, .m4v, .m4a].contains(target.type) {
      options.movieFragmentInterval = MediaTime(value: 2, timescale: 1)
    }
    let preset = try preset(arguments, target.type)
    let session = ExportSession(
      composition: composition, preset: preset, options: options, assetOptions: assetOptions)
    if arguments.has("--plan") {
      let plan = try await session.plan(for: target.type)
      try StandardOutput.write(arguments.has("--json") ? plan.json.document : plan.text)
      return
    }
    if arguments.has("--json") { throw UsageError("--json means nothing without --plan") }
    if preset.video == .copy || preset.audio == .copy {
      let usual = ExportSession(
        composition: composition, preset: .automatic, options: options, assetOptions: assetOptions)
      try await refuseLosses(session, usual, target.type)
    }
    try await run(session, target, arguments)
  }

  /// A film without its pictures or its sound is not what was meant by copying them, where they could be encoded.
  private static func refuseLosses(
    _ session: ExportSession, _ usual: ExportSession, _ type: FileType
  ) async throws {
    let lost = try await session.plan(for: type).dropped.filter {
      [.video, .audio].contains($0.mediaType) && !$0.isDropIntended
    }
    guard !lost.isEmpty else { return }
    let kept = Set(try await usual.plan(for: type).kept.map(\.trackID))
    guard let track = lost.first(where: { kept.contains($0.trackID) }) else { return }
    throw MediaError(
      .operationNotSupported, operation: "export", subject: "track \(track.trackID) (\(track.mediaType))",
      reason: "it can't be copied: \(track.reason)",
      remedy: "Leave out Passthrough or copy, and what can't be copied is encoded; none leaves it out")
  }
}

extension PixelSize {
  /// `1280x720`; nil for anything else.
  init?(named text: String) {
    let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard parts.count == 2, let width = parts[0], let height = parts[1], width > 0, height > 0, width <= 1 << 15,
      height <= 1 << 15
    else { return nil }
    self.init(width: width, height: height)
  }
}
