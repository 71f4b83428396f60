import LibAV

/// Turns decoded pictures into the format and size that were asked for: one swscale call each, into memory that is used
/// again when its picture is released.
struct PictureConverter: ~Copyable {
  private let settings: VideoOutputSettings
  private let colour: ConversionColour
  private let subject: String
  private var scaler: Scaler?
  private var pool: FramePool?

  init(settings: VideoOutputSettings, colour: ConversionColour, subject: String) {
    self.settings = settings
    self.colour = colour
    self.subject = subject
  }

  /// The picture as asked for; the same frame where nothing is to be done.
  mutating func convert(_ frame: Frame) throws -> Frame {
    let format = settings.pixelFormat?.identifier ?? frame.format
    let size = settings.size ?? PixelSize(width: frame.width, height: frame.height)
    let resizes = size.width != frame.width || size.height != frame.height
    let tags = colour.tags(of: frame)
    let isFull = colour.isFullRange(tags, frame.format)
    let isOutputFull = format.isRGB || format.impliesFullRange || isFull && !isRGB(frame.format)
    guard resizes || format != frame.format || isFull != isOutputFull else { return frame }
    let crosses = isRGB(format) != isRGB(frame.format)
    let matrix =
      crosses
      ? try colour.matrixToRGB(tags, isRGB(format) ? frame.format : format, lines: frame.height)
      : colour.matrix(tags, lines: frame.height)
    let key = Scaler.Key(
      format: frame.format, width: frame.width, height: frame.height, outputWidth: size.width,
      outputHeight: size.height, outputFormat: format, matrix: matrix, isFullRange: isFull,
      isOutputFullRange: isOutputFull)
    var outputTags = tags
    outputTags.isFullRange = isOutputFull
    // What the rule for untagged pictures said of the old size or of RGB must not be asked of the new one.
    if isRGB(format) { outputTags.matrix = "gbr" } else if resizes || crosses { outputTags.matrix = matrix }
    do {
      if scaler?.key != key { scaler = try Scaler.make(key) }
      if pool?.format != format || pool?.width != size.width || pool?.height != size.height {
        pool = try FramePool.make(format: format, width: size.width, height: size.height)
      }
      guard let target = try pool?.makeFrame() else { return frame }
      try scaler?.run(frame, into: target)
      try target.copyProperties(of: frame)
      target.setColour(outputTags)
      if resizes { target.keepShape(of: frame) }
      DeepWhite.correct(target, from: frame.format, resizes: resizes, isFullRange: isOutputFull)
      return target
    } catch {
      throw MediaError(
        error.isOutOfMemory ? .outOfMemory : .operationNotSupported, operation: "scale",
        subject: subject,
        reason:
          "this FFmpeg can't convert \(frame.format.name ?? "unknown") to \(format.name ?? "unknown")",
        ffmpegCode: error.code, ffmpegLog: error.log)
    }
  }

  private func isRGB(_ format: PixelFormatID) -> Bool { format.isRGB || format.isPalette }
}
