import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let images = Verb(
    "images",
    "FILE (--count N | --every S | --times T,T,…) [--exact] [--max WxH]"
      + " (-o DIR | --sheet OUT.png | --storyboard DIR)",
    """
    Many stills of FILE: files 0001.png and so on in DIR, one contact sheet, or sprite sheets with a
    WebVTT index. Prints a line a time in the order asked: `requested actual FILE`, or
    `requested error: what`; when one failed the others are written and the exit code is 1.
    """,
    options: [
      Option("--count", value: "N", "this many, evenly spaced"),
      Option("--every", value: "S", "one every S seconds from the first frame on"),
      Option("--times", value: "T,T,…", "at these times"),
      Option("--exact", "the frames on show at those times, or errors"),
      Option("--output", short: "-o", value: "DIR", "the folder for the files, made when missing"),
      Option("--type", value: "TYPE", "png|jpg|webp (png)"),
      Option("--sheet", value: "OUT", "one picture of all"),
      Option("--storyboard", value: "DIR", "sprite sheets and storyboard.vtt, for players"),
      Option("--columns", value: "N", "pictures in a row of a sheet"),
      Option("--width", value: "PX", "the width of the contact sheet (1280) or a sprite (160)"),
      Progress.option,
    ] + ImageOutput.options + Input.options
  ) { arguments in
    let asset = try Input.asset(arguments)
    let generator = try ImageOutput.generator(asset, arguments)
    let spacing = try spacing(arguments)
    switch try arguments.one(of: "--output", "--sheet", "--storyboard", isNeeded: true) {
    case "--sheet": return try await drawSheet(of: asset, spacing, arguments)
    case "--storyboard": return try await writeStoryboard(of: asset, spacing, arguments)
    default: return try await writeFiles(generator, spacing, arguments)
    }
  }

  private static func spacing(_ arguments: Arguments) throws -> ImageSpacing {
    try arguments.one(of: "--count", "--every", "--times", isNeeded: true)
    if let count = try arguments.integer("--count", in: 1...1_000_000) { return .count(count) }
    if let interval = try arguments.duration("--every", isPositive: true) {
      return .every(interval)
    }
    let times = try arguments.value("--times", "list of times", TimeText.parseList)
    return .times(times ?? [])
  }

  // MARK: - Files

  private static func writeFiles(
    _ generator: ImageGenerator, _ spacing: ImageSpacing, _ arguments: Arguments
  ) async throws -> ExitStatus {
    guard let path = arguments.value("--output"), !path.isEmpty, path != "-" else {
      throw UsageError("-o names a folder")
    }
    let quality = try ImageOutput.quality(arguments)
    let type = try arguments.value("--type", "png|jpg|webp") { text in
      ImageOutput.formats.contains { $0.0 == text } ? text : nil
    }
    let (times, tolerance) = try await spacing.times(in: generator.asset)
    var generator = generator
    generator.requestedTimeToleranceBefore = arguments.has("--exact") ? .zero : tolerance
    generator.requestedTimeToleranceAfter = generator.requestedTimeToleranceBefore
    let folder = try Folder(path)
    let progress = try Progress(
      arguments, total: try await generator.asset.load(.duration), printsLines: true)
    defer { progress.clear() }
    var (number, failures) = (0, 0)
    for await result in generator.images(for: times) {
      // Pictures that were ready before still come.
      try Task.checkCancellation()
      number += 1
      let requested = result.requestedTime.fraction ?? "-"
      do {
        let image = try result.image
        let file = folder.file(number, of: times.count, type: type ?? "png")
        try await image.write(
          to: Input.fileURL(file), quality: quality, overwrite: arguments.has("--overwrite"))
        try StandardOutput.line("\(requested) \(try result.actualTime.fraction ?? "-") \(file)")
      } catch let error as OutputError {
        throw error
      } catch let error as CancellationError {
        throw error
      } catch {
        failures += 1
        try StandardOutput.line("\(requested) error: \("\(error)".printable)")
      }
      progress.update(fraction: Double(number) / Double(times.count), time: result.requestedTime)
    }
    try Task.checkCancellation()
    progress.finish()
    return summary(failures, of: times.count)
  }

  /// The folder for the files.
  private struct Folder {
    let path: String

    init(_ path: String) throws {
      self.path = path.hasSuffix("/") ? String(path.dropLast()) : path
      do {
        try FileManager.default.createDirectory(
          at: Input.fileURL(path), withIntermediateDirectories: true)
      } catch {
        throw MediaError(
          .writeFailed, operation: "make", subject: path, reason: "the folder can't be made",
          underlying: error)
      }
    }

    func file(_ number: Int, of count: Int, type: String) -> String {
      let digits = String(number)
      let width = max(4, String(count).count)
      return path + "/" + String(repeating: "0", count: width - digits.count) + digits + "." + type
    }
  }

  // MARK: - Sheets

  private static func drawSheet(
    of asset: MediaAsset, _ spacing: ImageSpacing, _ arguments: Arguments
  ) async throws -> ExitStatus {
    let path = arguments.value("--sheet") ?? ""
    try ImageOutput.format(of: path, option: "--sheet")
    let quality = try ImageOutput.quality(arguments)
    var sheet = ContactSheet(spacing)
    sheet.isExact = arguments.has("--exact")
    sheet.columns = try arguments.integer("--columns", in: 1...1000)
    sheet.width = try arguments.integer("--width", in: 16...32_768) ?? sheet.width
    let progress = try Progress(
      arguments, total: try await asset.load(.duration), printsLines: false)
    defer { progress.clear() }
    let (image, tiles) = try await sheet.draw(asset) { progress.update(fraction: $0) }
    try await image.write(
      to: Input.fileURL(path), quality: quality, overwrite: arguments.has("--overwrite"))
    progress.finish()
    return try report(tiles) { _ in path }
  }

  private static func writeStoryboard(
    of asset: MediaAsset, _ spacing: ImageSpacing, _ arguments: Arguments
  ) async throws -> ExitStatus {
    let path = arguments.value("--storyboard") ?? ""
    guard !path.isEmpty, path != "-" else { throw UsageError("--storyboard names a folder") }
    var storyboard = Storyboard(spacing)
    storyboard.isExact = arguments.has("--exact")
    storyboard.columns = try arguments.integer("--columns", in: 1...100) ?? storyboard.columns
    storyboard.tileWidth =
      try arguments.integer("--width", in: 16...4096) ?? storyboard.tileWidth
    storyboard.format =
      try arguments.word("--type", of: ImageOutput.formats) ?? storyboard.format
    storyboard.quality = try ImageOutput.quality(arguments)
    let progress = try Progress(
      arguments, total: try await asset.load(.duration), printsLines: false)
    defer { progress.clear() }
    let tiles = try await storyboard.write(
      for: asset, to: Input.fileURL(path), overwrite: arguments.has("--overwrite")
    ) { progress.update(fraction: $0) }
    progress.finish()
    let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
    return try report(tiles) { "\(folder)/\(storyboard.sheetName(at: $0))" }
  }

  private static func report(
    _ tiles: [SheetTile], file: (Int) -> String
  ) throws -> ExitStatus {
    for tile in tiles {
      let requested = tile.requestedTime.fraction ?? "-"
      switch tile.actualTime {
      case .success(let time):
        try StandardOutput.line("\(requested) \(time.fraction ?? "-") \(file(tile.sheet))")
      case .failure(let error):
        try StandardOutput.line("\(requested) error: \("\(error)".printable)")
      }
    }
    return summary(
      tiles.count { if case .failure = $0.actualTime { true } else { false } }, of: tiles.count)
  }

  private static func summary(_ failures: Int, of count: Int) -> ExitStatus {
    guard failures > 0 else { return .done }
    StandardError.line("mediakit: \(failures) of \(count) pictures failed; the others are written")
    return .failed
  }
}
