import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let image = Verb(
    "image",
    "FILE (--at TIME [--exact | --tolerance S] | --artwork) [--max WxH] -o OUT.png|jpg|webp",
    """
    One still of FILE. Prints `requested actual WIDTHxHEIGHT`. Without --exact or --tolerance the
    nearest picture that is cheap to get is drawn, before the first and after the last frame that one.
    """,
    options: [
      Option("--at", value: "TIME", "seconds, a rational or HH:MM:SS.mmm; negative as --at=-1"),
      Option("--exact", "the frame on show at that time, or an error"),
      Option("--tolerance", value: "S", "a frame at most this far from the time, or an error"),
      Option("--artwork", "the cover art instead of a frame"),
      Option("--output", short: "-o", value: "OUT", "the file; - writes to standard output"),
      Option("--type", value: "TYPE", "png|jpg|webp, for standard output"),
    ] + ImageOutput.options + Input.options
  ) { arguments in
    let output = try Output(arguments)
    try arguments.one(of: "--at", "--artwork", isNeeded: true)
    try arguments.one(of: "--exact", "--tolerance")
    let time = try arguments.time("--at")
    let tolerance = arguments.has("--exact") ? .zero : try arguments.duration("--tolerance")
    let asset = try Input.asset(arguments)
    var generator = try ImageOutput.generator(asset, arguments)

    guard let time else {
      guard let artwork = try await asset.loadArtwork().first else {
        throw MediaError(
          .noSourceTrack, operation: "read", subject: try arguments.operand("FILE"),
          reason: "it has no cover art", remedy: "Use --at for one of its frames")
      }
      try await output.write(artwork, line: "- - \(artwork.size)")
      return .done
    }
    if let tolerance {
      generator.requestedTimeToleranceBefore = tolerance
      generator.requestedTimeToleranceAfter = tolerance
    }
    let (image, actualTime) = try await generator.image(at: time)
    try await output.write(
      image, line: "\(time.fraction ?? "-") \(actualTime.fraction ?? "-") \(image.size)")
    return .done
  }

  /// The file or the stream that a still goes to.
  private struct Output {
    let path: String?
    let format: MediaImage.FileFormat
    let quality: Double
    let overwrites: Bool

    init(_ arguments: Arguments) throws {
      guard let path = arguments.value("--output"), !path.isEmpty else {
        throw UsageError("-o is missing")
      }
      let type = try arguments.word("--type", of: ImageOutput.formats)
      if path == "-" {
        guard let type else { throw UsageError("--type says as what -o - is written") }
        self.path = nil
        format = type
      } else {
        guard type == nil else { throw UsageError("--type is for -o - only") }
        self.path = path
        format = try ImageOutput.format(of: path, option: "-o")
      }
      quality = try ImageOutput.quality(arguments)
      overwrites = arguments.has("--overwrite")
    }

    func write(_ image: MediaImage, line: String) async throws {
      if let path {
        try await image.write(to: Input.fileURL(path), quality: quality, overwrite: overwrites)
        try StandardOutput.line(line)
      } else {
        let bytes = try await image.encoded(as: format, quality: quality)
        try StandardOutput.write(bytes: bytes)
        StandardError.line(line)
      }
    }
  }
}
