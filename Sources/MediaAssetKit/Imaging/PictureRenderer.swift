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
    let tags = frame.colour.filled(from: colour)
    let space = colourSpace(tags, frame.format)
    let toneMap = dynamicRange == .forceSDR ? toneMap(space, frame) : nil
    let isDeep =
      toneMap != nil
      || dynamicRange == .matchSource && ((frame.format.bitDepth ?? 8) > 8 || space.isHDR)
    let key = Scaler.Key(
      format: frame.format, width: plan.sourceCrop.width, height: plan.sourceCrop.height,
      outputWidth: plan.scaledSize.width, outputHeight: plan.scaledSize.height,
      outputFormat: isDeep ? .rgba64 : .rgba, matrix: matrix(tags, lines: frame.height),
      isFullRange: isFullRange(tags, frame.format))
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
        if isDeep, !frame.format.isRGB { Self.stretch(rows) }
      } catch { failure = error }
    }
    if let failure { throw Self.failed(failure, frame) }
    if let toneMap { image = try toneMap.convert(image) }
    return plan.orientation == .up ? image : try image.oriented(plan.orientation)
  }

  /// Corrects libswscale's white of 16 bits, which is 255 · 256 for everything that was Y'CbCr (or grey): ·257/256.
  private static func stretch(_ rows: UnsafeMutableRawBufferPointer) {
    // Rows are padded to 64 bytes, so whole vectors cover them.
    for vector in rows.assumingMemoryBound(to: SIMD32<UInt16>.self).indices {
      let components = rows.assumingMemoryBound(to: SIMD32<UInt16>.self)
      let value = components[vector]
      let room = SIMD32<UInt16>(repeating: .max) &- value
      let more = value &>> 8
      components[vector] = value &+ more.replacing(with: room, where: more .> room)
    }
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

  /// Untagged pictures are BT.601 below 720 lines and BT.709 from there, single pictures always BT.601 (JFIF);
  /// BT.2020 only when the matrix or the primaries say so.
  func matrix(_ tags: ColourDescription, lines: Int) -> String {
    if let matrix = tags.matrix, matrix != "gbr" { return matrix }
    if tags.primaries == "bt2020" { return "bt2020nc" }
    return lines < 720 || isStillCodec ? "smpte170m" : "bt709"
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

  private func isFullRange(_ tags: ColourDescription, _ format: PixelFormatID) -> Bool {
    if format.impliesFullRange || format.isRGB || format.isPalette { return true }
    return tags.isFullRange ?? isStillCodec
  }
}
