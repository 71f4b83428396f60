import FoundationEssentials
import MediaAssetKit

/// Options that shape pictures, and where a picture goes.
enum ImageOutput {
  static let options: [Option] = [
    Option("--max", value: "WxH", "fit pictures into this box; a side of 0 is free"),
    Option(
      "--aperture", value: "MODE", "clean|production|encoded: which part of the stored picture"),
    Option("--as-stored", "leave the orientation alone"),
    Option("--hdr", "keep HDR and wide colour instead of converting to SDR"),
    Option("--quality", value: "Q", "of JPEG and WebP, 0 to 1 (0.85)"),
    Option("--overwrite", "replace existing files"),
  ]

  static let formats: [(String, MediaImage.FileFormat)] = [
    ("png", .png), ("jpg", .jpeg), ("jpeg", .jpeg), ("webp", .webp),
  ]

  /// A generator that draws as the command line says.
  static func generator(_ asset: MediaAsset, _ arguments: Arguments) throws -> ImageGenerator {
    var generator = ImageGenerator(asset: asset)
    if let size = try arguments.size("--max") { generator.maximumSize = size }
    if let mode = try arguments.word(
      "--aperture",
      of: [
        ("clean", ApertureMode.cleanAperture), ("production", .productionAperture),
        ("encoded", .encodedPixels),
      ])
    {
      generator.apertureMode = mode
    }
    generator.appliesPreferredTrackTransform = !arguments.has("--as-stored")
    if arguments.has("--hdr") { generator.dynamicRangePolicy = .matchSource }
    return generator
  }

  /// The quality of lossy formats.
  static func quality(_ arguments: Arguments) throws -> Double {
    try arguments.value("--quality", "number from 0 to 1") { text in
      TimeText.parse(text).map(\.seconds).flatMap { (0...1).contains($0) ? $0 : nil }
    } ?? 0.85
  }

  /// The format that a file's name asks for; wrong usage for any other name.
  @discardableResult
  static func format(of path: String, option: String) throws -> MediaImage.FileFormat {
    guard let format = MediaImage.FileFormat(pathExtension: Input.fileURL(path).pathExtension)
    else { throw UsageError("\(option): \(path.quoted) does not end in .png, .jpg or .webp") }
    return format
  }
}
