import MediaAssetKit

extension Verb {
  static let audio = Verb(
    "audio",
    "FILE [--track ID | --mix] [--rate HZ] [--channels N|LAYOUT] [--format s16|s24|f32]"
      + " [--from T] [--to T] -o OUT.wav|-",
    """
    Decodes a sound track to WAV: without priming and padding, cut to the sample at both ends.
    Where sound is missing in between, there is silence.
    """,
    options: [
      Option("--track", value: "ID", "the track; the default sound track without it"),
      Option("--mix", "all sound tracks together"),
      Option("--rate", value: "HZ", "samples a second; as stored without it"),
      Option("--channels", value: "N", "how many, or the name of a layout (stereo, 5.1)"),
      Option("--format", value: "FORMAT", "s16, s24 or f32 (s16)"),
      Option("--from", value: "T", "from this time"),
      Option("--to", value: "T", "before this time"),
      Option("--output", short: "-o", value: "OUT", "the file; - writes to standard output"),
      Option("--overwrite", "replace an existing file"),
      Progress.option,
    ] + Input.options
  ) { arguments in
    guard let output = arguments.value("--output"), !output.isEmpty else {
      throw UsageError("-o is missing")
    }
    guard output == "-" || output.lowercased().hasSuffix(".wav") else {
      throw UsageError("-o: \(output.quoted) does not end in .wav")
    }
    try arguments.one(of: "--track", "--mix")
    let format = try arguments.word("--format", of: WAVHeader.formats) ?? .int16
    var settings = AudioOutputSettings(format: format.sampleFormat, isPlanar: false)
    settings.sampleRate = try arguments.integer("--rate", in: 1...768_000)
    try readChannels(arguments, into: &settings)
    let range = try arguments.timeRange()
    let asset = try Input.asset(arguments)
    guard !arguments.has("--mix") else {
      throw MediaError(
        .operationNotSupported, operation: "decode", subject: try arguments.operand("FILE"),
        reason: "mixing tracks is not there yet", remedy: "Use --track for one of them")
    }
    let track = try await arguments.soundTrack(of: asset)
    let span = try await track.load(.timeRange)
    let length = range.map { span.intersection($0).duration } ?? span.duration
    let progress = try Progress(arguments, total: length, printsLines: false)
    defer { progress.clear() }

    // The first sound decides what is left open, so that one header holds for all.
    var first = track.audio(in: range, settings: settings).makeAsyncIterator()
    guard let kind = try await first.next() else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: try arguments.operand("FILE"),
        reason: "the track has no sound there")
    }
    settings.sampleRate = kind.sampleRate
    if settings.channels == nil, settings.layout == nil {
      settings.channels = kind.channels
      settings.layout = kind.layout
    }
    let header = WAVHeader(
      format: format, sampleRate: kind.sampleRate, channels: kind.channels, layout: kind.layout)
    var writer = try WAVWriter(
      header, path: output == "-" ? nil : output, overwrites: arguments.has("--overwrite"),
      expected: length)
    do {
      var silence = Silence(start: kind.time, rate: kind.sampleRate)
      for try await buffer in track.audio(in: range, settings: settings) {
        try writer.append(silenceOf: silence.before(buffer))
        try writer.append(buffer)
        progress.update(to: buffer.time - kind.time)
      }
      try writer.finish()
    } catch {
      writer.discard()
      throw error
    }
    progress.finish()
    return .done
  }

  private static func readChannels(
    _ arguments: Arguments, into settings: inout AudioOutputSettings
  ) throws {
    guard let text = arguments.value("--channels") else { return }
    guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
      guard !text.isEmpty else { throw UsageError("--channels: \"\" is no number or layout") }
      settings.layout = text
      return
    }
    settings.channels = try arguments.integer("--channels", in: 1...64)
  }

  /// How many samples are missing before each buffer.
  private struct Silence {
    private var written: Int64 = 0
    private let start: MediaTime
    private let rate: Int

    init(start: MediaTime, rate: Int) {
      self.start = start
      self.rate = rate
    }

    mutating func before(_ buffer: AudioBuffer) -> Int {
      let place = (buffer.time - start).convertScale(
        Int32(rate), method: .roundHalfAwayFromZero
      ).value
      // An hour of nothing is a broken clock rather than a pause.
      let missing = place > written && place - written <= 3600 * Int64(rate) ? place - written : 0
      written = max(written + missing, place) + Int64(buffer.sampleCount)
      return Int(missing)
    }
  }
}

extension Arguments {
  /// `--from` and `--to`; nil without both.
  func timeRange() throws -> MediaTimeRange? {
    let (start, end) = (try time("--from"), try time("--to"))
    guard start != nil || end != nil else { return nil }
    if let start, let end, end <= start { throw UsageError("--to is not after --from") }
    guard let end else {
      return MediaTimeRange(start: start ?? .zero, duration: .positiveInfinity)
    }
    return MediaTimeRange(start: start ?? min(.zero, end), end: end)
  }

  /// The sound track of `--track`, or the default one.
  func soundTrack(of asset: MediaAsset) async throws -> AssetTrack {
    let file = try operand("FILE")
    if let id = try integer("--track", in: 0...Int32.max) {
      guard let track = try await asset.loadTrack(withTrackID: id) else {
        throw MediaError(
          .noSourceTrack, operation: "decode", subject: file, reason: "it has no track \(id)",
          remedy: "`mediakit info` lists its tracks")
      }
      return track
    }
    guard let track = try await asset.loadDefaultTrack(withMediaType: .audio) else {
      throw MediaError(
        .noSourceTrack, operation: "decode", subject: file, reason: "it has no sound track")
    }
    return track
  }
}
