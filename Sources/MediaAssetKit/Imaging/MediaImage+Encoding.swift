public import FoundationEssentials
import LibAV

extension MediaImage {
  /// An image file's format.
  public enum FileFormat: String, Sendable, Hashable, CaseIterable {
    /// Lossless, 8 or 16 bits, with alpha.
    case png
    /// Lossy, 8 bits, without alpha: transparent parts are laid over black.
    case jpeg
    /// Lossy, 8 bits, with alpha.
    case webp

    /// The format of a file name's extension; nil for others.
    public init?(pathExtension: String) {
      switch pathExtension.lowercased() {
      case "png": self = .png
      case "jpg", "jpeg", "jpe": self = .jpeg
      case "webp": self = .webp
      default: return nil
      }
    }
  }

  /// The bytes of a PNG file; 16-bit images give 16-bit files.
  public func pngData() throws -> [UInt8] { try encoded(as: .png) }

  /// The bytes of a JPEG file; `quality` from 0 to 1.
  public func jpegData(quality: Double = 0.85) throws -> [UInt8] {
    try encoded(as: .jpeg, quality: quality)
  }

  /// The bytes of a WebP file; `quality` from 0 to 1.
  public func webpData(quality: Double = 0.85) throws -> [UInt8] {
    try encoded(as: .webp, quality: quality)
  }

  /// The bytes of a file of a format. Costs the encoder's time on the calling thread, some milliseconds a megapixel.
  ///
  /// - Throws: ``MediaError`` with ``MediaError/Code/encoderNotFound`` where this FFmpeg lacks the encoder.
  public func encoded(as format: FileFormat, quality: Double = 0.85) throws -> [UInt8] {
    var source = self
    if format != .png, bitsPerComponent == 16 { source = try converted(toBitsPerComponent: 8) }
    if format == .jpeg, alphaMode != .opaque {
      var background = try MediaImage(width: width, height: height, fill: .black)
      try background.draw(source, x: 0, y: 0)
      source = background
    }
    let picture = PictureEncoder.Picture(
      width: source.width, height: source.height, bytesPerRow: source.bytesPerRow,
      isDeep: source.bitsPerComponent == 16,
      hasAlpha: source.alphaMode != .opaque, primaries: source.colorSpace.primaries,
      transfer: source.colorSpace.transfer)
    let kind: PictureEncoder.Format =
      switch format {
      case .png: .png;
      case .jpeg: .jpeg;
      case .webp: .webp
      }
    let result: Result<[UInt8], AVError> = source.withBytes { span in
      span.withUnsafeBytes { bytes in
        do throws(AVError) {
          return .success(try PictureEncoder.encode(bytes, picture, as: kind, quality: quality))
        } catch {
          return .failure(error)
        }
      }
    }
    switch result {
    case .success(let bytes): return format == .png ? PNGColour.tagged(bytes, colorSpace) : bytes
    case .failure(let error):
      throw MediaError.libav(
        error, operation: "encode", subject: "a \(format.rawValue) image of \(width)x\(height)")
    }
  }

  /// Writes an image file; its extension (`png`, `jpg`, `jpeg`, `webp`) tells the format.
  ///
  /// The file appears under its name only when it is complete.
  /// - Parameters:
  ///   - overwrite: replaces an existing file; without it that is ``MediaError/Code/fileAlreadyExists``.
  public func write(to url: URL, quality: Double = 0.85, overwrite: Bool = false) throws {
    guard let format = FileFormat(pathExtension: url.pathExtension) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: url.path(percentEncoded: false),
        reason: "no image format has this extension", remedy: "Use png, jpg, jpeg or webp")
    }
    // An existing file is noticed before the work, and again when the file gets its name.
    try AtomicFile.checkAbsent(url.path(percentEncoded: false), overwrite: overwrite)
    let bytes = try encoded(as: format, quality: quality)
    try AtomicFile.write(bytes, to: url.path(percentEncoded: false), overwrite: overwrite)
  }
}

/// Tags a PNG file with coding-independent code points, as PNG (third edition) 11.3.2.6 defines `cICP`.
enum PNGColour {
  static func tagged(_ png: [UInt8], _ space: MediaImage.ColorSpace) -> [UInt8] {
    // sRGB and plain BT.709 need no tag: viewers show untagged files so.
    guard space.isHDR || !["bt709", "smpte170m", "bt470bg"].contains(space.primaries),
      let primaries = primaries[space.primaries], let transfer = transfers[space.transfer],
      png.count > 33, !png.prefix(200).contains(subsequence: Array("cICP".utf8))
    else { return png }
    // Behind the signature (8) and IHDR (25), before any pixel.
    let body: [UInt8] = Array("cICP".utf8) + [primaries, transfer, 0, 1]
    let chunk: [UInt8] = [0, 0, 0, 4] + body + crc(body)
    return Array(png[..<33]) + chunk + Array(png[33...])
  }

  private static let primaries: [String: UInt8] = [
    "bt709": 1, "bt2020": 9, "smpte431": 11, "smpte432": 12, "bt470bg": 5, "smpte170m": 6,
  ]
  private static let transfers: [String: UInt8] = [
    "bt709": 1, "gamma22": 4, "gamma28": 5, "smpte170m": 6, "linear": 8, "iec61966-2-1": 13,
    "bt2020-10": 14, "bt2020-12": 15,
    "smpte2084": 16, "arib-std-b67": 18,
  ]

  /// CRC-32 of ISO 3309, as PNG uses it, most significant byte first.
  private static func crc(_ bytes: [UInt8]) -> [UInt8] {
    var value: UInt32 = .max
    for byte in bytes {
      value ^= UInt32(byte)
      for _ in 0..<8 { value = value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
    }
    value = ~value
    return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}

extension Collection where Element == UInt8 {
  fileprivate func contains(subsequence: [UInt8]) -> Bool {
    indices.contains { self[$0...].starts(with: subsequence) }
  }
}
