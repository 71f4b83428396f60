import MediaAssetKit

extension Verb {
  static let frames = Verb(
    "frames", "FILE [--track ID] [--from T] [--to T] [--format PIXFMT] [--size WxH]",
    """
    One line for each presented frame in order: `time duration md5`. The MD5 is of the pixels without
    padding, in the stored format unless another is asked for: not turned, none dropped or repeated.
    """,
    options: [
      Option("--track", value: "ID", "the track; the default video track without it"),
      Option("--from", value: "T", "from the frame on show then"),
      Option("--to", value: "T", "before this time"),
      Option("--format", value: "PIXFMT", "convert to this pixel format, by FFmpeg's name (bgra, nv12, …)"),
      Option("--size", value: "WxH", "scale to this size"),
      Progress.option,
    ] + Input.options
  ) { arguments in
    let range = try range(arguments)
    let asset = try Input.asset(arguments)
    let track = try await track(of: asset, arguments)
    let settings = VideoOutputSettings(
      pixelFormat: arguments.value("--format").map(PixelFormat.init(rawValue:)),
      size: try arguments.size("--size"))
    let progress = try Progress(
      arguments, total: try await asset.load(.duration), printsLines: true)
    defer { progress.clear() }
    for try await frame in track.frames(in: range, settings: settings) {
      let pixels = frame.pixelBuffer
      let digest = try pixels.withPackedBytes { span in span.withUnsafeBytes(MD5.digest) }
      try StandardOutput.line(
        "\(frame.time.fraction ?? "-") \(frame.duration.fraction ?? "-") \(digest)")
      progress.update(to: frame.time)
    }
    progress.finish()
    return .done
  }

  private static func range(_ arguments: Arguments) throws -> MediaTimeRange? {
    let (start, end) = (try arguments.time("--from"), try arguments.time("--to"))
    guard start != nil || end != nil else { return nil }
    if let start, let end, end <= start { throw UsageError("--to is not after --from") }
    guard let end else {
      return MediaTimeRange(start: start ?? .zero, duration: .positiveInfinity)
    }
    return MediaTimeRange(start: start ?? min(.zero, end), end: end)
  }

  private static func track(
    of asset: MediaAsset, _ arguments: Arguments
  ) async throws -> AssetTrack {
    let file = try arguments.operand("FILE")
    if let id = try arguments.integer("--track", in: 0...Int32.max) {
      guard let track = try await asset.loadTrack(withTrackID: id) else {
        throw MediaError(
          .noSourceTrack, operation: "decode", subject: file, reason: "it has no track \(id)",
          remedy: "`mediakit info` lists its tracks")
      }
      return track
    }
    guard let track = try await asset.loadDefaultTrack(withMediaType: .video) else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: file, reason: "it has no video track")
    }
    return track
  }
}
