import MediaAssetKit

extension Verb {
  static let samples = Verb(
    "samples", "FILE [--track ID] [--md5]",
    """
    One line for each stored sample in decode order: `dts pts duration size flags [md5]`. Times are on
    the asset's timeline, `-` where the file gives none; flags are S (decoding can begin here), D (no
    other sample needs it) and H (stored, but not presented), joined, or `-`.
    """,
    options: [
      Option("--track", value: "ID", "the track; the default video track without it, else the default sound track"),
      Option("--md5", "hash each sample's bytes"),
    ] + Input.options
  ) { arguments in
    let asset = try Input.asset(arguments)
    let track = try await Input.track(of: asset, arguments)
    let hashes = arguments.has("--md5")
    for try await sample in try Reader(asset: asset).output(for: track) {
      guard let stored = sample.stored else { continue }
      var fields = [
        sample.decodeTime.fraction ?? "-", sample.presentationTime.fraction ?? "-", sample.duration.fraction ?? "-",
        "\(stored.size)", flags(of: sample),
      ]
      if hashes { fields.append(stored.withBytes { span in span.withUnsafeBytes(MD5.digest) }) }
      try StandardOutput.line(fields.joined(separator: " "))
    }
    return .done
  }

  private static func flags(of sample: SampleBuffer) -> String {
    let letters = [(sample.isSync, "S"), (sample.isDisposable, "D"), (sample.isHidden, "H")].filter(\.0).map(\.1)
    return letters.isEmpty ? "-" : letters.joined()
  }
}

extension Input {
  /// The track of `--track`, else the default video track, or else the default sound track.
  static func track(of asset: MediaAsset, _ arguments: Arguments) async throws -> AssetTrack {
    let file = try arguments.operand("FILE")
    if let id = try arguments.integer("--track", in: 0...Int32.max) {
      guard let track = try await asset.loadTrack(withTrackID: id) else {
        throw MediaError(
          .noSourceTrack, operation: "read", subject: file, reason: "it has no track \(id)",
          remedy: "`mediakit info` lists its tracks")
      }
      return track
    }
    if let video = try await asset.loadDefaultTrack(withMediaType: .video) { return video }
    guard let sound = try await asset.loadDefaultTrack(withMediaType: .audio) else {
      throw MediaError(.noSourceTrack, operation: "read", subject: file, reason: "it has neither video nor sound")
    }
    return sound
  }
}
