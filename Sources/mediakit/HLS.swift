import MediaAssetKit

extension Verb {
  static let hls = Verb(
    "hls", "FILE -o DIR [--segment S] [--ladder]",
    """
    Segments and playlists for HTTP Live Streaming (fragmented MPEG-4, CMAF). What players take is
    copied, the rest is encoded as H.264 and AAC; text becomes WebVTT. DIR/master.m3u8 is the playlist to play.
    """,
    options: [
      Option("--segment", value: "S", "seconds of a segment, cut at the next sync sample (6)"),
      Option("--ladder", "encode the pictures in several sizes, none larger than FILE's"),
      Option("--output", short: "-o", value: "DIR", "the folder; made when missing"),
      Option("--overwrite", "replace the package in a folder that is not empty"),
      Progress.option,
    ] + Input.options
  ) { arguments in
    guard let folder = arguments.value("--output"), !folder.isEmpty else {
      throw UsageError("-o is missing")
    }
    guard folder != "-" else { throw UsageError("-o names a folder here") }
    var options = HLSPackager.Options()
    options.makesLadder = arguments.has("--ladder")
    options.overwritesExisting = arguments.has("--overwrite")
    if let seconds = try arguments.duration("--segment", isPositive: true) {
      options.segmentDuration = seconds
    }
    let asset = try Input.asset(arguments)
    let progress = try Progress(
      arguments, total: try await asset.load(.duration), printsLines: false)
    defer { progress.clear() }

    let package = try await HLSPackager(asset: asset, options: options).package(
      to: Input.fileURL(folder)
    ) { progress.update(to: $0) }
    progress.finish()
    for (track, reason) in package.droppedTracks {
      StandardError.line("mediakit: track \(track) is left out: \(reason)")
    }
    return .done
  }
}
