import LibAV

/// Brings the pictures of layers into the canvas's format, or into that with alpha, at a size.
struct LayerConverter {
  private final class ScalerBox {
    var scaler: PictureScaler
    init(_ key: PictureScaler.Key) throws(AVError) { scaler = try PictureScaler.make(key) }
  }

  /// What was made of a picture. Stills and overlays come again with every picture of the others.
  private struct Made {
    var source: Frame
    var size: PixelSize
    var result: Frame
  }

  private var scalers: [ScalerBox] = []
  private var made: [Made] = []
  private let range = LayerRange()

  mutating func converted(
    _ layer: PictureCompositor.Layer, to size: PixelSize, _ target: PictureCompositor.Target
  ) throws -> Frame {
    let frame = layer.picture.frame
    if let found = made.first(where: { $0.source === frame && $0.size == size }) { return found.result }
    let result = try convert(layer, to: size, target)
    guard result !== frame else { return result }
    if LayerRange.isHDR(target.colour), LayerRange.isHDR(layer.colour.tags(of: frame)) {
      try result.takeLight(of: frame)
    }
    made.append(Made(source: frame, size: size, result: result))
    if made.count > 4 { made.removeFirst() }
    return result
  }

  private mutating func convert(
    _ layer: PictureCompositor.Layer, to size: PixelSize, _ target: PictureCompositor.Target
  ) throws -> Frame {
    var frame = layer.picture.frame
    var tags = layer.colour.tags(of: frame)
    let isHDR = LayerRange.isHDR(tags)
    if isHDR != LayerRange.isHDR(target.colour) {
      if isHDR {
        frame = try range.toneMapped(frame, tags)
        tags = frame.colour
      } else {
        let isRGB = frame.format.isRGB || frame.format.isPalette
        if isRGB, tags.transfer == nil { tags.transfer = "iec61966-2-1" }
        let matrix = isRGB ? "bt709" : layer.colour.matrix(tags, lines: frame.height)
        let rgb = try scale(
          frame, PixelSize(width: frame.width, height: frame.height), .rgba64, matrix: matrix,
          layer.colour.isFullRange(tags, frame.format), true, ColourDescription())
        let hasAlpha = frame.format.hasAlpha
        frame = try range.raised(rgb, from: tags, to: target.colour)
        // Without alpha there is nothing to look at below.
        if !hasAlpha {
          return try scale(frame, size, target.format, matrix: target.matrix, true, target.isFullRange, target.colour)
        }
      }
    }
    let format = frame.format.hasAlpha && layer.picture.frame.format.hasAlpha ? target.withAlpha : target.format
    let isRGB = frame.format.isRGB || frame.format.isPalette
    let isFull = layer.colour.isFullRange(tags, frame.format)
    let matrix = isRGB ? target.matrix : layer.colour.matrix(tags, lines: frame.height)
    let fits = frame.format == format && frame.width == size.width && frame.height == size.height
    if isRGB || Self.isSame(matrix, target.matrix) {
      if fits, isFull == target.isFullRange { return frame }
      return try scale(
        frame, size, format, matrix: target.matrix, isFull, target.isFullRange, target.colour)
    }
    // Another matrix: the way leads over RGB.
    let deep = (target.format.bitDepth ?? 8) > 8
    let middle: PixelFormatID = .named(frame.format.hasAlpha ? "rgba64" : deep ? "gbrp10" : "gbrp")
    let rgb = try scale(frame, size, middle, matrix: matrix, isFull, true, target.colour)
    return try scale(rgb, size, format, matrix: target.matrix, true, target.isFullRange, target.colour)
  }

  /// BT.470BG and SMPTE 170M have the same numbers.
  private static func isSame(_ first: String, _ second: String) -> Bool {
    func name(_ matrix: String) -> String { matrix == "bt470bg" ? "smpte170m" : matrix }
    return name(first) == name(second)
  }

  private mutating func scale(
    _ frame: Frame, _ size: PixelSize, _ format: PixelFormatID, matrix: String, _ isFull: Bool, _ isOutputFull: Bool,
    _ colour: ColourDescription
  ) throws -> Frame {
    let key = PictureScaler.Key(
      format: frame.format, width: frame.width, height: frame.height, outputFormat: format, outputWidth: size.width,
      outputHeight: size.height, matrix: matrix, isFullRange: isFull, isOutputFullRange: isOutputFull)
    let box: ScalerBox
    if let found = scalers.first(where: { $0.scaler.key == key }) {
      box = found
    } else {
      box = try ScalerBox(key)
      scalers.append(box)
      if scalers.count > 8 { scalers.removeFirst() }
    }
    return try box.scaler.run(
      frame, x: 0, y: 0, width: size.width, height: size.height, left: 0, top: 0, colour: colour)
  }
}
