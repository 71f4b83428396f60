import MediaAssetKit

extension Verb {
  static let subtitles = Verb(
    "subtitles", "FILE [--track ID] [--from T] [--to T] -o OUT.srt|vtt|ass|-",
    """
    A text subtitle or caption track as a file. Without a track: the default subtitle track, else the
    first with text, else the captions (CEA-608) in the default video track's pictures.
    """,
    options: [
      Option("--track", value: "ID", "the track"),
      Option("--from", value: "T", "from this time"),
      Option("--to", value: "T", "before this time"),
      Option("--output", short: "-o", value: "OUT", "the file, its ending says as what; - writes to standard output"),
      Option("--type", value: "TYPE", "srt, vtt or ass, for standard output (srt)"),
      Option("--overwrite", "replace an existing file"),
    ] + Input.options
  ) { arguments in
    guard let output = arguments.value("--output"), !output.isEmpty else { throw UsageError("-o is missing") }
    let format = try format(of: output, arguments)
    let range = try arguments.timeRange()
    let asset = try Input.asset(arguments)
    let track = try await track(of: asset, arguments)
    let text = try await track.subtitleText(in: range)
    guard !text.cues.isEmpty else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: try arguments.operand("FILE"),
        reason: track.mediaType == .video ? "it has no subtitles or captions" : "the track has no text there")
    }
    let bytes = Array(text.text(as: format).utf8)
    if output == "-" {
      try StandardOutput.write(bytes: bytes)
    } else {
      var file = try OutputFile(output, overwrites: arguments.has("--overwrite"))
      do {
        try file.write(bytes)
        try file.finish()
      } catch {
        file.discard()
        throw error
      }
    }
    return .done
  }

  private static func format(of output: String, _ arguments: Arguments) throws -> SubtitleText.Format {
    let kinds = SubtitleText.Format.allCases
    if let word = try arguments.word("--type", of: kinds.map { ($0.rawValue, $0) }) {
      return word
    }
    if output == "-" { return .srt }
    guard let kind = kinds.first(where: { output.lowercased().hasSuffix("." + $0.rawValue) }) else {
      throw UsageError("-o: \(output.quoted) ends in none of .srt, .vtt, .ass")
    }
    return kind
  }

  private static func track(of asset: MediaAsset, _ arguments: Arguments) async throws -> AssetTrack {
    let file = try arguments.operand("FILE")
    if let id = try arguments.integer("--track", in: 0...Int32.max) {
      guard let track = try await asset.loadTrack(withTrackID: id) else {
        throw MediaError(
          .noSourceTrack, operation: "decode", subject: file, reason: "it has no track \(id)",
          remedy: "`mediakit info` lists its tracks")
      }
      return track
    }
    for kind in [MediaType.subtitle, .closedCaption, .text, .video] {
      if let track = try await asset.loadDefaultTrack(withMediaType: kind) { return track }
    }
    throw MediaError(.noSourceTrack, operation: "decode", subject: file, reason: "it has no text and no pictures")
  }
}
