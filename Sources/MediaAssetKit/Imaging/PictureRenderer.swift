import LibAV

/// Turns decoded pictures of one track into images: crop, square pixels, colour, size in one pass, then the turn.
struct PictureRenderer: Sendable {
  var geometry: TrackGeometry
  /// The stream's colour tags, which stand in where a picture has none.
  var colour: ColourDescription
  /// The codec stores pictures by themselves (PNG, JPEG).
  var isStillCodec: Bool
  var maximumSize: PixelSize
  var apertureMode: ApertureMode
  var appliesTransform: Bool
  var dynamicRange: DynamicRangePolicy
  /// MaxCLL or the mastering display's peak in cd/m², where the stream states one.
  var contentPeak: Double?

  /// The way from a picture to its image.
  ///
  /// The clean aperture is the header's and holds for pictures of the header's size; others, after a change in
  /// mid-stream, are shown whole.
  func plan(for size: PixelSize, sampleAspectRatio: (Int32, Int32) = (0, 1)) -> ImageGeometry {
    var ratio = geometry.pixelAspectRatio
    if ratio == .square, sampleAspectRatio.0 > 0, sampleAspectRatio.1 > 0 {
      ratio = PixelAspectRatio(
        horizontal: Int(sampleAspectRatio.0), vertical: Int(sampleAspectRatio.1))
    }
    return ImageGeometry(
      encodedSize: size,
      cleanAperture: size == geometry.encodedSize ? geometry.cleanAperture : nil,
      pixelAspectRatio: ratio, transform: geometry.transform, appliesTransform: appliesTransform,
      apertureMode: apertureMode, maximumSize: maximumSize)
  }

  func render(_ frame: Frame, _ scalers: inout ScalerCache) throws -> MediaImage {
    let plan = plan(
      for: PixelSize(width: frame.width, height: frame.height),
      sampleAspectRatio: frame.sampleAspectRatio)
    let rules = ConversionColour(stream: colour, isStillCodec: isStillCodec)
    let tags = rules.tags(of: frame)
    let space = colourSpace(tags, frame.format)
    let toneMap = dynamicRange == .forceSDR ? toneMap(space, frame) : nil
    let isDeep =
      toneMap != nil
      || dynamicRange == .matchSource && ((frame.format.bitDepth ?? 8) > 8 || space.isHDR)
    let key = Scaler.Key(
      format: frame.format, width: plan.sourceCrop.width, height: plan.sourceCrop.height,
      outputWidth: plan.scaledSize.width, outputHeight: plan.scaledSize.height,
      outputFormat: isDeep ? .rgba64 : .rgba,
      matrix: try rules.matrixToRGB(tags, frame.format, lines: frame.height),
      isFullRange: rules.isFullRange(tags, frame.format))
    var failure: AVError?
    var image = try MediaImage(
      width: plan.scaledSize.width, height: plan.scaledSize.height,
      bitsPerComponent: isDeep ? 16 : 8,
      alphaMode: frame.format.hasAlpha || frame.format.isPalette ? .straight : .opaque,
      colorSpace: space
    ) { rows, bytesPerRow in
      do throws(AVError) {
        try scalers.run(
          key, frame, x: plan.sourceCrop.x, y: plan.sourceCrop.y, into: rows,
          bytesPerRow: bytesPerRow)
        if isDeep, !frame.format.isRGB { DeepWhite.stretch(rows) }
      } catch { failure = error }
    }
    if let failure { throw Self.failed(failure, frame) }
    if let toneMap { image = try toneMap.convert(image) }
    return plan.orientation == .up ? image : try image.oriented(plan.orientation)
  }

  private static func failed(_ error: AVError, _ frame: Frame) -> any Error {
    let format = frame.format.name ?? "unknown"
    return MediaError(
      error.isOutOfMemory ? .outOfMemory : .decodeFailed, operation: "scale",
      subject: "a picture of \(frame.width)x\(frame.height)",
      reason: "this FFmpeg can't convert the pixel format \(format)", ffmpegCode: error.code,
      ffmpegLog: error.log)
  }

  // MARK: - Colour

  /// Codecs that store every picture by itself in full-range sRGB unless they say otherwise.
  static func isStill(codec name: String?) -> Bool {
    [
      "png", "apng", "mjpeg", "ljpeg", "jpegls", "jpeg2000", "jpegxl", "gif", "bmp", "tiff",
      "webp", "qoi", "targa", "ppm", "pgm", "pbm", "pam", "pfm", "dpx", "exr", "sgi", "pcx",
      "psd", "dds", "sunrast", "xbm", "xpm",
    ].contains(name ?? "")
  }

  /// The brightest light that a stream or picture states in cd/m²; zero means that nobody measured it.
  static func peak(_ light: ContentLight?, _ display: MasteringDisplay?) -> Double? {
    if let light, light.maximumContent > 0 { return Double(light.maximumContent) }
    return display?.maximumLuminance.flatMap { $0 > 0 ? $0 : nil }
  }

  private func toneMap(_ space: MediaImage.ColorSpace, _ frame: Frame) -> ToneMap? {
    guard ToneMap.isNeeded(for: space) else { return nil }
    let peak = contentPeak ?? Self.peak(frame.contentLight, frame.masteringDisplay)
    return ToneMapCache.shared.toneMap(from: space, contentPeak: peak)
  }

  /// Untagged video is BT.709, untagged RGB and single pictures sRGB.
  ///
  /// Under ``DynamicRangePolicy/forceSDR`` what is shown as BT.709 is called so: BT.601's primaries and the camera
  /// curves that all mean a BT.1886 display.
  func colourSpace(_ tags: ColourDescription, _ format: PixelFormatID) -> MediaImage.ColorSpace {
    let usual = isStillCodec || format.isRGB || format.isPalette ? "iec61966-2-1" : "bt709"
    var space = MediaImage.ColorSpace(
      primaries: tags.primaries ?? "bt709", transfer: tags.transfer ?? usual)
    if dynamicRange == .forceSDR {
      if ColorPrimaries(name: space.primaries) == .bt709 { space.primaries = "bt709" }
      if TransferFunction(name: space.transfer) == .bt1886 { space.transfer = "bt709" }
    }
    return space
  }
}
