import LibAV

/// Draws layers into one picture, on a thread of its own: in planes of Y'CbCr at the depth of the sources, without a way
/// through RGB.
actor PictureCompositor {
  /// One layer.
  struct Layer: Sendable {
    var picture: PixelBuffer
    var colour: ConversionColour
    var transform: PictureTransform
    var crop: PixelRect?
    var opacity: Double
  }

  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let size: PixelSize
  private let wanted: ColourProperties
  private var target: Target?
  private var pool: FramePool?
  private var scalers: [ScalerBox] = []

  /// What all pictures come out as: decided by the first one.
  private struct Target {
    var format: PixelFormatID
    var withAlpha: PixelFormatID
    var colour: ColourDescription
    var matrix: String
    var isFullRange: Bool
  }

  private final class ScalerBox {
    var scaler: PictureScaler
    init(_ key: PictureScaler.Key) throws(AVError) { scaler = try PictureScaler.make(key) }
  }

  init(size: PixelSize, colour: ColourProperties) {
    self.size = size
    wanted = colour
  }

  /// One picture of layers, the first at the bottom.
  func compose(_ layers: [Layer], background: VideoComposition.Color) throws -> PixelBuffer {
    do {
      let target = decide(layers)
      let shown = layers.filter { $0.opacity > 0 }
      // What covers everything hides what is below it.
      let first = shown.lastIndex { covers($0) } ?? 0
      let visible = shown[first...]
      if let only = visible.first, visible.count == 1, covers(only), let whole = try untouched(only, target) {
        return whole
      }
      let canvas = PictureCanvas(try makeFrame(target))
      canvas.frame.setColour(target.colour)
      if !(visible.first.map { covers($0) } ?? false) { canvas.fill(components(of: background, target)) }
      for layer in visible { try draw(layer, into: canvas, target) }
      return PixelBuffer(canvas.frame)
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "compose", subject: "a picture of \(size)")
    }
  }

  // MARK: Target

  private func decide(_ layers: [Layer]) -> Target {
    if let target { return target }
    let deepest = layers.map { $0.picture.frame.format.bitDepth ?? 8 }.max() ?? 8
    var colour =
      layers.first.map { layer in
        layer.picture.frame.format.isRGB ? ColourDescription() : layer.colour.tags(of: layer.picture.frame)
      } ?? ColourDescription()
    if colour.matrix == "gbr" { colour.matrix = nil }
    colour = ColourDescription(wanted).filled(from: colour)
    let matrix = colour.matrix ?? (size.height < 720 ? "smpte170m" : "bt709")
    colour.matrix = matrix
    let isFull = wanted.range == .full
    colour.isFullRange = isFull
    let made = Target(
      format: .named(deepest > 8 ? "yuv420p10" : "yuv420p"), withAlpha: .named(deepest > 8 ? "yuva420p10" : "yuva420p"),
      colour: colour, matrix: matrix, isFullRange: isFull)
    if !layers.isEmpty { target = made }
    return made
  }

  private func makeFrame(_ target: Target) throws(AVError) -> Frame {
    if pool?.format != target.format {
      pool = try FramePool.make(format: target.format, width: size.width, height: size.height)
    }
    guard let pool else { return try Frame.make() }
    return try pool.makeFrame()
  }

  private func components(of colour: VideoComposition.Color, _ target: Target) -> [Int] {
    let depth = target.format.bitDepth ?? 8
    let (red, green, blue): (Double, Double, Double) =
      switch target.matrix {
      case "bt709": (0.2126, 0.7152, 0.0722)
      case "bt2020nc": (0.2627, 0.6780, 0.0593)
      case "smpte240m": (0.212, 0.701, 0.087)
      default: (0.299, 0.587, 0.114)
      }
    let luma = red * colour.red + green * colour.green + blue * colour.blue
    let blueness = (colour.blue - luma) / (2 * (1 - blue))
    let redness = (colour.red - luma) / (2 * (1 - red))
    let unit = Double(1 << (depth - 8))
    func code(_ value: Double) -> Int { Int(min(255 * unit + unit - 1, max(0, value)).rounded()) }
    if target.isFullRange {
      let most = Double((1 << depth) - 1)
      return [code(luma * most), code(blueness * most + 128 * unit), code(redness * most + 128 * unit)]
    }
    return [
      code((16 + 219 * luma) * unit), code((128 + 224 * blueness) * unit), code((128 + 224 * redness) * unit),
    ]
  }

  // MARK: Layers

  /// The map from stored pixels, and the part of them that is drawn.
  private func geometry(_ layer: Layer) -> (map: PictureTransform, part: PixelRect) {
    let frame = layer.picture.frame
    let stored = layer.picture.size
    let shown = PixelFitting.displaySize(stored, layer.picture.sampleAspectRatio ?? .square)
    let whole = PixelRect(stored)
    guard shown != stored, !shown.isEmpty else {
      return (layer.transform, layer.crop.map { $0.intersection(whole) ?? PixelRect(.zero) } ?? whole)
    }
    let (x, y) = (Double(shown.width) / Double(frame.width), Double(shown.height) / Double(frame.height))
    let map = PictureTransform.scale(x: x, y: y).concatenating(layer.transform)
    guard let crop = layer.crop?.intersection(PixelRect(shown)) else {
      return (map, layer.crop == nil ? whole : PixelRect(.zero))
    }
    let left = Int((Double(crop.x) / x).rounded())
    let top = Int((Double(crop.y) / y).rounded())
    let part = PixelRect(
      x: left, y: top, width: Int((Double(crop.x + crop.width) / x).rounded()) - left,
      height: Int((Double(crop.y + crop.height) / y).rounded()) - top)
    return (map, part.intersection(whole) ?? PixelRect(.zero))
  }

  /// The rectangle that a part of the source fills, where the map turns by right angles: to the nearest pixel.
  private func rectangle(_ map: PictureTransform, _ part: PixelRect) -> PixelRect {
    let (x0, y0) = (Double(part.x), Double(part.y))
    let (x1, y1) = (Double(part.x + part.width), Double(part.y + part.height))
    let xs = [map.a * x0 + map.c * y0 + map.tx, map.a * x1 + map.c * y1 + map.tx].map { min(1e6, max(-1e6, $0)) }
    let ys = [map.b * x0 + map.d * y0 + map.ty, map.b * x1 + map.d * y1 + map.ty].map { min(1e6, max(-1e6, $0)) }
    let (left, top) = (Int(min(xs[0], xs[1]).rounded()), Int(min(ys[0], ys[1]).rounded()))
    return PixelRect(
      x: left, y: top, width: Int(max(xs[0], xs[1]).rounded()) - left, height: Int(max(ys[0], ys[1]).rounded()) - top)
  }

  /// Whether a layer hides all that is below it.
  private func covers(_ layer: Layer) -> Bool {
    guard layer.opacity >= 1, !layer.picture.frame.format.hasAlpha else { return false }
    let (map, part) = geometry(layer)
    guard map.isRightAngled else { return false }
    let rect = rectangle(map, part)
    return rect.x <= 0 && rect.y <= 0 && rect.x + rect.width >= size.width && rect.y + rect.height >= size.height
  }

  /// The picture itself, where it fills the output as it is.
  private func untouched(_ layer: Layer, _ target: Target) throws -> PixelBuffer? {
    let (map, part) = geometry(layer)
    guard map.isIdentity, part == PixelRect(size), layer.picture.size == size else { return nil }
    return PixelBuffer(try converted(layer, to: size, target))
  }

  private func draw(_ layer: Layer, into canvas: PictureCanvas, _ target: Target) throws {
    let (map, part) = geometry(layer)
    guard !part.isEmpty else { return }
    let stored = layer.picture.size
    guard map.isRightAngled, let orientation = map.orientation else {
      let scale = (x: (map.a * map.a + map.b * map.b).squareRoot(), y: (map.c * map.c + map.d * map.d).squareRoot())
      guard scale.x > 1e-4, scale.y > 1e-4 else { return }
      // Smaller pictures are made smaller first, so that every pixel counts.
      let small = PixelSize(
        width: max(1, Int((Double(stored.width) * min(1, scale.x)).rounded())),
        height: max(1, Int((Double(stored.height) * min(1, scale.y)).rounded())))
      let (x, y) = (Double(stored.width) / Double(small.width), Double(stored.height) / Double(small.height))
      let shrunk = PixelRect(
        x: Int((Double(part.x) / x).rounded()), y: Int((Double(part.y) / y).rounded()),
        width: Int((Double(part.width) / x).rounded()), height: Int((Double(part.height) / y).rounded()))
      canvas.draw(
        try converted(layer, to: small, target), through: PictureTransform.scale(x: x, y: y).concatenating(map),
        part: shrunk, opacity: layer.opacity)
      return
    }
    let rect = rectangle(map, part)
    guard let shown = rect.intersection(PixelRect(size)), !rect.isEmpty else { return }
    // The whole picture at the size at which its part fills the rectangle.
    let upright = orientation.swapsDimensions ? rect.size.transposed : rect.size
    let whole =
      upright == part.size
      ? stored
      : PixelSize(
        width: max(1, stored.width * upright.width / part.width),
        height: max(1, stored.height * upright.height / part.height))
    guard whole.width <= 1 << 14, whole.height <= 1 << 14 else {
      canvas.draw(try converted(layer, to: stored, target), through: map, part: part, opacity: layer.opacity)
      return
    }
    var frame = try converted(layer, to: whole, target)
    if orientation != .up {
      let turned = VideoFrame(time: .zero, duration: .zero, pixelBuffer: PixelBuffer(frame))
      var turner = PictureTurner(orientation)
      frame = try turner.turned(turned).pixelBuffer.frame
    }
    // Where the whole turned picture's origin would lie.
    let scaled = PixelRect(
      x: part.x * whole.width / stored.width, y: part.y * whole.height / stored.height, width: upright.width,
      height: upright.height)
    let turn = orientation.transform(for: whole)
    let place = rectangle(turn, scaled)
    canvas.draw(
      frame, from: (x: place.x + shown.x - rect.x, y: place.y + shown.y - rect.y), into: shown, opacity: layer.opacity)
  }

  // MARK: Conversion

  /// A layer's picture in the canvas's format, or in that with alpha, at a size.
  private func converted(_ layer: Layer, to size: PixelSize, _ target: Target) throws -> Frame {
    let frame = layer.picture.frame
    let format = frame.format.hasAlpha ? target.withAlpha : target.format
    let tags = layer.colour.tags(of: frame)
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

  private func scale(
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

extension PictureTransform {
  /// Whether rectangles stay rectangles.
  var isRightAngled: Bool {
    let largest = max(abs(a), abs(b), abs(c), abs(d))
    guard largest.isFinite, largest > 0 else { return false }
    let small = largest / 65_536
    return abs(b) <= small && abs(c) <= small && abs(a) > small && abs(d) > small
      || abs(a) <= small && abs(d) <= small && abs(b) > small && abs(c) > small
  }
}
