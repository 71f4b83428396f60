import LibAV

/// Brings pictures to the size and the pixel format of an encoder; hands on those that fit.
struct PictureFitting: ~Copyable {
  let size: PixelSize
  let format: PixelFormatID
  let colour: ColourDescription
  let sampleAspectRatio: (Int32, Int32)
  private let mode: VideoSettings.ScalingMode
  private var converter: PictureScaler?

  /// - Parameter source: The first picture; nil where the settings alone decide.
  init(_ settings: VideoSettings, source: Frame?, format: PixelFormatID) {
    let size = Self.size(settings, source: source, format: format)
    self.size = size
    self.format = format
    mode = settings.scalingMode
    colour = Self.colour(settings, source: source, format: format, height: size.height)
    sampleAspectRatio = Self.sampleAspectRatio(settings, source: source)
  }

  /// Sides that the chroma planes divide: rounded down, so that nothing is invented at the edges.
  private static func size(_ settings: VideoSettings, source: Frame?, format: PixelFormatID) -> PixelSize {
    let wanted = settings.size ?? PixelSize(width: source?.width ?? 0, height: source?.height ?? 0)
    let shift = format.chromaShift
    let (stepX, stepY) = (1 << shift.horizontal, 1 << shift.vertical)
    return PixelSize(
      width: max(stepX, wanted.width / stepX * stepX), height: max(stepY, wanted.height / stepY * stepY))
  }

  private static func colour(
    _ settings: VideoSettings, source: Frame?, format: PixelFormatID, height: Int
  ) -> ColourDescription {
    var colour = ColourDescription(settings.colour)
    if let source { colour = colour.filled(from: source.colour) }
    if format.isRGB {
      colour.matrix = "gbr"
      colour.isFullRange = true
      return colour
    }
    // RGB has no matrix: what is made of it says which one it got.
    if source?.format.isRGB == true || colour.matrix == "gbr" {
      colour.matrix = settings.colour.matrix ?? (height >= 720 ? "bt709" : "smpte170m")
      colour.isFullRange = settings.colour.range.map { $0 == .full } ?? false
    }
    if format.impliesFullRange { colour.isFullRange = true }
    return colour
  }

  private static func sampleAspectRatio(_ settings: VideoSettings, source: Frame?) -> (Int32, Int32) {
    if let ratio = settings.pixelAspectRatio {
      return (Int32(clamping: ratio.horizontal), Int32(clamping: ratio.vertical))
    }
    guard let source, settings.size == nil || settings.size == PixelSize(width: source.width, height: source.height)
    else { return (0, 1) }
    return source.sampleAspectRatio
  }

  mutating func fit(_ frame: Frame) throws(AVError) -> Frame {
    let isFull = frame.colour.isFullRange ?? (frame.format.isRGB || frame.format.impliesFullRange)
    let isOutputFull = colour.isFullRange ?? (format.isRGB || format.impliesFullRange)
    if frame.format == format, frame.width == size.width, frame.height == size.height,
      format.isRGB || isFull == isOutputFull
    {
      return frame
    }
    let plan = plan(frame)
    let key = PictureScaler.Key(
      format: frame.format, width: plan.source.width, height: plan.source.height, outputFormat: format,
      outputWidth: plan.target.width, outputHeight: plan.target.height, matrix: matrix(frame), isFullRange: isFull,
      isOutputFullRange: isOutputFull)
    if converter?.key != key { converter = try PictureScaler.make(key) }
    guard
      let fitted = try converter?.run(
        frame, x: plan.source.x, y: plan.source.y, width: size.width, height: size.height, left: plan.target.x,
        top: plan.target.y, colour: colour)
    else { return frame }
    if LayerRange.isHDR(colour) { try fitted.takeLight(of: frame) }
    return fitted
  }

  private func matrix(_ frame: Frame) -> String {
    if frame.format.isRGB { return colour.matrix ?? (size.height >= 720 ? "bt709" : "smpte170m") }
    return frame.colour.matrix ?? colour.matrix ?? (frame.height >= 720 ? "bt709" : "smpte170m")
  }

  /// Which part of the picture goes where.
  private func plan(_ frame: Frame) -> (source: PixelRect, target: PixelRect) {
    let whole = PixelRect(x: 0, y: 0, width: frame.width, height: frame.height)
    let all = PixelRect(size)
    // One row or column more than chroma allows is cut off, not squeezed.
    if frame.width - size.width >= 0, frame.width - size.width <= 1, frame.height - size.height >= 0,
      frame.height - size.height <= 1
    {
      return (all, all)
    }
    let shift = format.chromaShift
    func even(_ value: Int, _ shift: Int) -> Int { max(1 << shift, (value >> shift) << shift) }
    switch mode {
    case .resize: return (whole, all)
    case .resizeAspect:
      var target = all
      if frame.width * size.height > frame.height * size.width {
        target.height = min(size.height, even(frame.height * size.width / max(1, frame.width), shift.vertical))
        target.y = (((size.height - target.height) / 2) >> shift.vertical) << shift.vertical
      } else {
        target.width = min(size.width, even(frame.width * size.height / max(1, frame.height), shift.horizontal))
        target.x = (((size.width - target.width) / 2) >> shift.horizontal) << shift.horizontal
      }
      return (whole, target)
    case .resizeAspectFill:
      let chroma = frame.format.chromaShift
      var source = whole
      if frame.width * size.height > frame.height * size.width {
        source.width = min(frame.width, even(frame.height * size.width / max(1, size.height), chroma.horizontal))
        source.x = (((frame.width - source.width) / 2) >> chroma.horizontal) << chroma.horizontal
      } else {
        source.height = min(frame.height, even(frame.width * size.height / max(1, size.width), chroma.vertical))
        source.y = (((frame.height - source.height) / 2) >> chroma.vertical) << chroma.vertical
      }
      return (source, all)
    }
  }
}
