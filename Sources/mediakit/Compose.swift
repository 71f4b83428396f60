import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let compose = Verb(
    "compose", "TIMELINE.json -o OUT [--preset NAME] [--plan [--json]]",
    """
    Renders a described composition into a new file: tracks of segments, transforms, opacity, volume ramps, transitions
    and overlays. The form of TIMELINE.json is in the documentation of `Timeline`; paths in it count from its folder.
    Files named .otio are OpenTimelineIO, files named .edl are edit decision lists (CMX 3600).
    """,
    options: [
      Option("--rate", value: "R", "pictures a second of an edit decision list (25, 30000/1001)")
    ] + renderingOptions
  ) { arguments in
    let file = try arguments.operand("TIMELINE.json")
    let target = try target(arguments)
    let rate = try arguments.value("--rate", "rate (25, 30000/1001)", TimeText.parse)
    let timeline = try Timeline(
      contentsOf: Input.fileURL(file), frameRate: rate.map { (Int32(clamping: $0.value), $0.timescale) } ?? (25, 1))
    let assetOptions = try Input.options(arguments, isPrecise: false)
    let made = try await timeline.make(assetOptions: assetOptions)
    var options = ExportSession.Options()
    options.audioMix = made.audioMix
    options.videoComposition = made.videoComposition
    try await run(made.composition, options, target, arguments, assetOptions)
    return .done
  }
}
