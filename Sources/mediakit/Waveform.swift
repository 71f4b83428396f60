import MediaAssetKit

extension Verb {
  static let waveform = Verb(
    "waveform",
    "FILE [--track ID] [--samples-per-pixel N | --width PX] [--bits 8|16] [--split-channels]"
      + " -o OUT.png|json|dat",
    """
    The peaks of a sound track as a picture, or in audiowaveform's JSON or binary format.
    """,
    options: [
      Option("--track", value: "ID", "the track; the default sound track without it"),
      Option("--samples-per-pixel", value: "N", "samples in each bin (256)"),
      Option("--width", value: "PX", "at most so many bins; how wide a picture is (1600)"),
      Option("--height", value: "PX", "how high a picture is (320 for each channel)"),
      Option("--bits", value: "N", "8 or 16 bits a value (16)"),
      Option("--split-channels", "each channel for itself instead of their mean"),
      Option("--dark", "a picture for a dark background"),
      Option("--bars", "bars instead of a filled shape"),
      Option("--from", value: "T", "from this time"),
      Option("--to", value: "T", "before this time"),
      Option("--output", short: "-o", value: "OUT", "the file; - writes to standard output"),
      Option("--type", value: "TYPE", "png|json|dat, for standard output"),
      Option("--overwrite", "replace an existing file"),
      Progress.option,
    ] + Input.options
  ) { arguments in
    let output = try Output(arguments)
    try arguments.one(of: "--samples-per-pixel", "--width")
    let width = try arguments.integer("--width", in: 1...1_000_000)
    let height = try arguments.integer("--height", in: 1...16_384)
    let bits =
      try arguments.word("--bits", of: [("8", Waveform.Bits.eight), ("16", .sixteen)]) ?? .sixteen
    let zoom = try arguments.integer("--samples-per-pixel", in: 1...Int(Int32.max))
    let range = try arguments.timeRange()
    let track = try await arguments.soundTrack(of: try Input.asset(arguments))
    let span = try await track.load(.timeRange)
    let length = range.map { span.intersection($0).duration } ?? span.duration
    let progress = try Progress(arguments, total: length, printsLines: false)
    defer { progress.clear() }

    let wanted = width ?? (output.type == .png && zoom == nil ? 1600 : nil)
    // Finer than asked for a width, since headers may be off; the exact length is known afterwards.
    let samples =
      length.isNumeric
      ? length.convertScale(48_000, method: .roundTowardZero).value : 48_000
    let fine = wanted.map { max(1, Int(samples) / (4 * $0)) }
    var waveform = try await track.waveform(
      samplesPerPixel: zoom ?? fine ?? 256, in: range,
      splitsChannels: arguments.has("--split-channels")
    ) { progress.update(to: $0) }
    if output.type == .png {
      var style = WaveformStyle(
        width: wanted ?? 0,
        height: height ?? 320 * waveform.channels,
        appearance: arguments.has("--dark") ? .dark : .light,
        shape: arguments.has("--bars") ? .bars : .filled)
      if wanted == nil { style.width = waveform.length + 2 * style.padding }
      try await output.write(try waveform.image(style: style))
    } else {
      if let wanted {
        let exact = Int((waveform.sampleCount + Int64(wanted) - 1) / Int64(wanted))
        if exact > waveform.samplesPerPixel, exact.isMultiple(of: waveform.samplesPerPixel) {
          waveform = try waveform.resampled(toSamplesPerPixel: exact)
        } else if exact != waveform.samplesPerPixel {
          waveform = try await track.waveform(
            samplesPerPixel: max(1, exact), in: range,
            splitsChannels: arguments.has("--split-channels")
          ) { progress.update(to: $0) }
        }
      }
      try await output.write(waveform, bits)
    }
    progress.finish()
    return .done
  }

  /// The file or the stream that the peaks go to.
  private struct Output {
    enum Kind { case png, json, dat }

    let path: String?
    let type: Kind
    private let overwrites: Bool
    private static let types: [(String, Kind)] = [("png", .png), ("json", .json), ("dat", .dat)]

    init(_ arguments: Arguments) throws {
      guard let path = arguments.value("--output"), !path.isEmpty else {
        throw UsageError("-o is missing")
      }
      let type = try arguments.word("--type", of: Self.types)
      if path == "-" {
        guard let type else { throw UsageError("--type says as what -o - is written") }
        (self.path, self.type) = (nil, type)
      } else {
        guard type == nil else { throw UsageError("--type is for -o - only") }
        guard let found = Self.types.first(where: { path.lowercased().hasSuffix("." + $0.0) })
        else {
          throw UsageError("-o: \(path.quoted) does not end in .png, .json or .dat")
        }
        (self.path, self.type) = (path, found.1)
      }
      overwrites = arguments.has("--overwrite")
    }

    func write(_ image: MediaImage) async throws {
      if let path {
        try await image.write(to: Input.fileURL(path), overwrite: overwrites)
      } else {
        try StandardOutput.write(bytes: try await image.pngData())
      }
    }

    func write(_ waveform: Waveform, _ bits: Waveform.Bits) async throws {
      if let path {
        try await waveform.write(to: Input.fileURL(path), bits: bits, overwrite: overwrites)
      } else {
        try StandardOutput.write(
          bytes: type == .json ? Array(waveform.json(bits: bits).utf8) : waveform.dat(bits: bits))
      }
    }
  }
}
