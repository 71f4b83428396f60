public import FoundationEssentials
import LibAV

extension MediaImage {
  /// An image file's format.
  public enum FileFormat: String, Sendable, Hashable, CaseIterable {
    /// Lossless, 8 or 16 bits, with alpha; colours other than sRGB and BT.709 are tagged (`cICP`).
    case png
    /// Lossy, 8 bits, without alpha: transparent parts are laid over black. Wide colour and HDR become BT.709.
    case jpeg
    /// Lossy, 8 bits, with alpha. Wide colour and HDR become BT.709.
    case webp

    /// The format of a file name's extension (`png`, `jpg`, `jpeg`, `jpe`, `webp`); nil for others.
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
  public func pngData() async throws -> [UInt8] { try await encoded(as: .png) }

  /// The bytes of a JPEG file; `quality` from 0 to 1.
  public func jpegData(quality: Double = 0.85) async throws -> [UInt8] {
    try await encoded(as: .jpeg, quality: quality)
  }

  /// The bytes of a WebP file; `quality` from 0 to 1.
  public func webpData(quality: Double = 0.85) async throws -> [UInt8] {
    try await encoded(as: .webp, quality: quality)
  }

  /// The bytes of a file of a format. Costs the encoder's time on a thread of the library's own, some tens of
  /// milliseconds a megapixel.
  ///
  /// `quality` runs from 0 (smallest) to 1 (best) and means nothing to PNG; what lies outside counts as the nearer end.
  /// - Throws: ``MediaError`` with `encoderNotFound` where this FFmpeg lacks the encoder, `encodeFailed` for sizes that
  ///   the format can't hold (WebP: more than 16 383 pixels a side).
  public func encoded(as format: FileFormat, quality: Double = 0.85) async throws -> [UInt8] {
    try await WorkerPool.decoding.run { try encodedNow(as: format, quality: quality) }
  }

  /// Encodes on the calling thread, which must not be one of the cooperative pool.
  private func encodedNow(as format: FileFormat, quality: Double) throws -> [UInt8] {
    let source = try prepared(for: format)
    let isTagged = PNGColour.needsTag(source.colorSpace)
    let picture = PictureEncoder.Picture(
      width: source.width, height: source.height, bytesPerRow: source.bytesPerRow,
      isDeep: source.bitsPerComponent == 16, hasAlpha: source.alphaMode != .opaque,
      // FFmpeg would tag plain BT.709 with a gamma of 1.96, which viewers obey.
      primaries: isTagged ? source.colorSpace.primaries : "unknown",
      transfer: isTagged ? source.colorSpace.transfer : "unknown")
    let result: Result<[UInt8], AVError> = source.withBytes { span in
      span.withUnsafeBytes { bytes in
        do throws(AVError) {
          return .success(
            try PictureEncoder.encode(bytes, picture, as: format.encoder, quality: quality))
        } catch {
          return .failure(error)
        }
      }
    }
    switch result {
    case .success(let bytes):
      return format == .png ? PNGColour.tagged(bytes, source.colorSpace) : bytes
    case .failure(let error):
      throw MediaError.libav(
        error, operation: "encode", subject: "a \(format.rawValue) image of \(width)x\(height)")
    }
  }

  /// The image with nothing that the format can't hold: depth, colours, alpha.
  private func prepared(for format: FileFormat) throws -> MediaImage {
    var image = try straightened()
    guard format != .png else { return image }
    if let toneMap = ToneMapCache.shared.toneMap(from: colorSpace, contentPeak: nil) {
      image = try toneMap.convert(image)
    }
    image = try image.converted(toBitsPerComponent: 8)
    guard format == .jpeg, image.alphaMode != .opaque else { return image }
    var background = try MediaImage(
      width: width, height: height, colorSpace: image.colorSpace, fill: .black)
    try background.draw(image, x: 0, y: 0)
    return background
  }

  /// Writes an image file under exactly this name; its extension (`png`, `jpg`, `jpeg`, `webp`) tells the format.
  ///
  /// The file appears under its name only when it is complete; a failure leaves nothing behind.
  /// - Parameters:
  ///   - url: a file URL.
  ///   - quality: as ``encoded(as:quality:)``.
  ///   - overwrite: replaces an existing file; without it that is ``MediaError/Code/fileAlreadyExists``.
  /// - Throws: ``MediaError``: `invalidArgument` for other extensions and URLs that name no file, `fileNotFound` where
  ///   the folder is missing, `accessDenied`, `writeFailed`, and what encoding throws.
  public func write(to url: URL, quality: Double = 0.85, overwrite: Bool = false) async throws {
    // URLs of folders end with a slash; the file system's own answer is the better one then.
    var path = url.path(percentEncoded: false)
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard url.isFileURL, !path.isEmpty else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: url.absoluteString,
        reason: "images are written to files", remedy: "Use a file URL")
    }
    guard let format = FileFormat(pathExtension: url.pathExtension) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: path,
        reason: "no image format has this extension", remedy: "Use png, jpg, jpeg or webp")
    }
    let name = path
    try await WorkerPool.decoding.run {
      // An existing file is noticed before the work, and again when the file gets its name.
      try AtomicFile.checkAbsent(name, overwrite: overwrite)
      try AtomicFile.write(try encodedNow(as: format, quality: quality), to: name, overwrite: overwrite)
    }
  }
}

extension MediaImage.FileFormat {
  var encoder: PictureEncoder.Format {
    switch self {
    case .png: .png
    case .jpeg: .jpeg
    case .webp: .webp
    }
  }
}
