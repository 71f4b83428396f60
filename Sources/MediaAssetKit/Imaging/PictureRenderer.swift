import LibAV

/// Turns decoded pictures of one track into images: crop, square pixels, colour, size in one pass, then the turn.
struct PictureRenderer: Sendable {
  var geometry: TrackGeometry
  /// The stream's colour tags, which stand in where a picture has none.
  var colour: ColourDescription
  /// The codec stores pictures by themselves (PNG, JPEG): grey without a tag is full range.
  var isStillCodec: Bool
  var hasAlpha: Bool
  var maximumSize: PixelSize
  var apertureMode: ApertureMode
  var appliesTransform: Bool
  var dynamicRange: DynamicRangePolicy
  /// MaxCLL or the mastering display's peak in cd/m², where the stream states one.
  var contentPeak: Double?

  func plan(for size: PixelSize, sampleAspectRatio: (Int32, Int32)) -> ImageGeometry {
    var ratio = geometry.pixelAspectRatio
    if ratio == .square, sampleAspectRatio.0 > 0, sampleAspectRatio.1 > 0 {
      ratio = PixelAspectRatio(
        horizontal: Int(sampleAspectRatio.0), vertical: Int(sampleAspectRatio.1))
    }
    return ImageGeometry(
      encodedSize: size, cleanAperture: geometry.cleanAperture, pixelAspectRatio: ratio,
      transform: geometry.transform,
      appliesTransform: appliesTransform, apertureMode: apertureMode, maximumSize: maximumSize)
  }

  func render(_ frame: Frame, _ scalers: inout ScalerCache) throws -> MediaImage {
    let plan = plan(
      for: PixelSize(width: frame.width, height: frame.height),
      sampleAspectRatio: frame.sampleAspectRatio)
    let tags = frame.colour.filled(from: colour)
    let space = Self.colourSpace(tags)
    let toneMap = dynamicRange == .forceSDR ? ToneMap(from: space, contentPeak: contentPeak) : nil
    let isDeep =
      toneMap != nil
      || dynamicRange == .matchSource && ((frame.format.bitDepth ?? 8) > 8 || space.isHDR)
    let key = Scaler.Key(
      format: frame.format, width: plan.sourceCrop.width, height: plan.sourceCrop.height,
      outputWidth: plan.scaledSize.width, outputHeight: plan.scaledSize.height,
      outputFormat: isDeep ? .rgba64 : .rgba,
      matrix: Self.matrix(tags, lines: frame.height), isFullRange: isFullRange(tags, frame.format))
    let alpha: MediaImage.AlphaMode =
      hasAlpha || frame.format.hasAlpha || frame.format.isPalette ? .straight : .opaque
    var failure: AVError?
    var image = try MediaImage(
      width: plan.scaledSize.width, height: plan.scaledSize.height,
      bitsPerComponent: isDeep ? 16 : 8, alphaMode: alpha,
      colorSpace: space
    ) { rows, bytesPerRow in
      do throws(AVError) {
        try scalers.run(
          key, frame, x: plan.sourceCrop.x, y: plan.sourceCrop.y, into: rows,
          bytesPerRow: bytesPerRow)
      } catch { failure = error }
    }
    if let failure {
      throw MediaError.libav(
        failure, operation: "scale", subject: "a picture of \(frame.width)x\(frame.height)")
    }
    if let toneMap { image = try toneMap.convert(image) }
    return plan.orientation == .up ? image : try image.oriented(plan.orientation)
  }

  /// Untagged pictures are BT.601 below 720 lines and BT.709 from there; BT.2020 only when tagged.
  static func matrix(_ tags: ColourDescription, lines: Int) -> String {
    if let matrix = tags.matrix, matrix != "gbr" { return matrix }
    return lines < 720 ? "smpte170m" : "bt709"
  }

  static func colourSpace(_ tags: ColourDescription) -> MediaImage.ColorSpace {
    MediaImage.ColorSpace(primaries: tags.primaries ?? "bt709", transfer: tags.transfer ?? "bt709")
  }

  private func isFullRange(_ tags: ColourDescription, _ format: PixelFormatID) -> Bool {
    if format.impliesFullRange || format.isRGB || format.isPalette { return true }
    return tags.isFullRange ?? isStillCodec
  }
}
