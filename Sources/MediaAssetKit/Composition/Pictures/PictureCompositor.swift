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
    var blendMode = BlendMode.normal
    var filter: VideoFilter?
    /// Whose pictures they are: a filter of one track knows nothing of another's.
    var trackID: Int32 = 0
    /// Whether it lies over the composition's own pictures, which alone decide what comes out.
    var isOverlay = false
  }

  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let size: PixelSize
  private let wanted: ColourProperties
  private var target: Target?
  private var pool: FramePool?
  private var placedPool: FramePool?
  private var converter = LayerConverter()
  private var runners: [(trackID: Int32, runner: FilterRunner)] = []
  private let maximumPixels: Int

  /// What all pictures come out as: decided by the first one.
  struct Target {
    var format: PixelFormatID
    var withAlpha: PixelFormatID
    var colour: ColourDescription
    var matrix: String
    var isFullRange: Bool
    var coding: PictureCoding
  }

  init(size: PixelSize, colour: ColourProperties, maximumPixels: Int64) {
    self.size = size
    self.maximumPixels = Int(clamping: maximumPixels)
    wanted = colour
  }

  /// What one picture is made of.
  struct Order: Sendable {
    var time: MediaTime
    /// The first at the bottom.
    var layers: [Layer] = []
    var background = VideoComposition.Color.black
    /// What all layers together go through.
    var filter: VideoFilter?
    /// What lies over that.
    var overlays: [Layer] = []
  }

  /// One picture of layers.
  func compose(_ order: Order) throws -> PixelBuffer {
    var layers = order.layers
    for index in layers.indices {
      guard let filter = layers[index].filter else { continue }
      layers[index].picture = try filtered(layers[index].picture, filter, layers[index].trackID, order.time)
    }
    guard let filter = order.filter else { return try compose(layers + order.overlays, background: order.background) }
    let whole = try compose(layers, background: order.background)
    let filtered = try filtered(whole, filter, Self.allTracks, order.time)
    guard filtered.size == size else {
      throw MediaError(
        .invalidArgument, operation: "filter", subject: "pictures by “\(filter.description.prefix(80))”",
        reason: "it makes pictures of \(filtered.size), and \(size) are wanted")
    }
    return try compose([layer(of: filtered)] + order.overlays, background: order.background)
  }

  /// A picture as a layer that is drawn as it is.
  private func layer(of picture: PixelBuffer) -> Layer {
    Layer(
      picture: picture,
      colour: ConversionColour(stream: target?.colour ?? ColourDescription(wanted), isStillCodec: false),
      transform: .identity, crop: nil, opacity: 1)
  }

  /// Draws overlays over a picture that somebody else made.
  func finish(_ picture: PixelBuffer, _ order: Order) throws -> PixelBuffer {
    guard order.filter != nil || !order.overlays.isEmpty else { return picture }
    var order = order
    order.layers = [layer(of: picture)]
    return try compose(order)
  }

  /// No track's number: the film's own filter.
  private static let allTracks: Int32 = -1

  /// What a filter makes of a track's picture.
  func filtered(
    _ picture: PixelBuffer, _ filter: VideoFilter, _ trackID: Int32, _ time: MediaTime
  ) throws -> PixelBuffer {
    let place =
      runners.firstIndex { $0.trackID == trackID && $0.runner.filter == filter } ?? runners.endIndex
    if place == runners.endIndex {
      runners.append((trackID, FilterRunner(filter, maximumPixels: maximumPixels)))
      // Filters that are over let go of what they hold.
      if runners.count > 16 { runners.removeFirst() }
    }
    return try runners[min(place, runners.count - 1)].runner.run(picture, at: time)
  }

  private func compose(_ layers: [Layer], background: VideoComposition.Color) throws -> PixelBuffer {
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
      if let source = lightSource(visible, target) ?? lightSource(layers[...], target) {
        try canvas.frame.takeLight(of: source)
      }
      if !(visible.first.map { covers($0) } ?? false) { canvas.fill(target.coding.codes(background)) }
      for layer in visible { try draw(layer, into: canvas, target) }
      return PixelBuffer(canvas.frame)
    } catch let error as AVError {
      throw MediaError.libav(error, operation: "compose", subject: "a picture of \(size)")
    }
  }

  // MARK: Target

  private func decide(_ layers: [Layer]) -> Target {
    if let target { return target }
    let own = layers.filter { !$0.isOverlay }
    let deepest = own.map { $0.picture.frame.format.bitDepth ?? 8 }.max() ?? 8
    var colour =
      own.first.map { layer in
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
      colour: colour, matrix: matrix, isFullRange: isFull,
      coding: PictureCoding(matrix: matrix, isFullRange: isFull, depth: deepest > 8 ? 10 : 8))
    if !own.isEmpty { target = made }
    return made
  }

  /// Whose light is that of what is composed: of the lowest layer of high dynamic range that says anything of it.
  private func lightSource(_ layers: ArraySlice<Layer>, _ target: Target) -> Frame? {
    guard LayerRange.isHDR(target.colour) else { return nil }
    return layers.first { layer in
      !layer.isOverlay && layer.picture.frame.hasLight
        && LayerRange.isHDR(layer.colour.tags(of: layer.picture.frame))
    }?.picture.frame
  }

  private func makeFrame(_ target: Target) throws(AVError) -> Frame {
    if pool?.format != target.format {
      pool = try FramePool.make(format: target.format, width: size.width, height: size.height)
    }
    guard let pool else { return try Frame.make() }
    return try pool.makeFrame()
  }

  /// Room for a layer as it lies on the canvas, with alpha.
  private func makePlaced(_ target: Target) throws(AVError) -> Frame {
    if let placedPool { return try placedPool.makeFrame() }
    let pool = try FramePool.make(format: target.withAlpha, width: size.width, height: size.height)
    placedPool = pool
    return try pool.makeFrame()
  }

  // MARK: Layers

  /// Whether a layer hides all that is below it.
  private func covers(_ layer: Layer) -> Bool {
    guard layer.opacity >= 1, !layer.picture.frame.format.hasAlpha, layer.blendMode == .normal else { return false }
    let (map, part) = layer.geometry
    guard map.isRightAngled else { return false }
    let rect = map.rectangle(of: part)
    return rect.x <= 0 && rect.y <= 0 && rect.x + rect.width >= size.width && rect.y + rect.height >= size.height
  }

  /// The picture itself, where it fills the output as it is.
  private func untouched(_ layer: Layer, _ target: Target) throws -> PixelBuffer? {
    let (map, part) = layer.geometry
    guard map.isIdentity, part == PixelRect(size), layer.picture.size == size else { return nil }
    return PixelBuffer(try converter.converted(layer, to: size, target))
  }

  private func draw(_ layer: Layer, into canvas: PictureCanvas, _ target: Target) throws {
    let (map, part) = layer.geometry
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
      try place(
        try converter.converted(layer, to: small, target), PictureTransform.scale(x: x, y: y).concatenating(map),
        shrunk,
        layer, canvas, target)
      return
    }
    let rect = map.rectangle(of: part)
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
      try place(try converter.converted(layer, to: stored, target), map, part, layer, canvas, target)
      return
    }
    var frame = try converter.converted(layer, to: whole, target)
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
    let place = turn.rectangle(of: scaled)
    put(
      frame, from: (x: place.x + shown.x - rect.x, y: place.y + shown.y - rect.y), into: shown, layer, canvas, target)
  }

  /// Draws a picture through any map: by pixman where it can, which samples some times faster.
  private func place(
    _ frame: Frame, _ map: PictureTransform, _ part: PixelRect, _ layer: Layer, _ canvas: PictureCanvas,
    _ target: Target
  ) throws(AVError) {
    if !canvas.isDeep,
      let placed = try PicturePlacement.placed(
        frame, through: map, part: part, canvas: size,
        makeFrame: { () throws(AVError) -> Frame in try makePlaced(target) })
    {
      return put(placed.frame, from: (x: 0, y: 0), into: placed.rect, layer, canvas, target)
    }
    guard layer.blendMode != .normal else {
      return canvas.draw(frame, through: map, part: part, opacity: layer.opacity)
    }
    guard let rect = map.box(of: part).intersection(PixelRect(size)) else { return }
    let placed = PictureCanvas(try makePlaced(target))
    placed.sample(frame, through: map, part: part)
    put(placed.frame, from: (x: rect.x, y: rect.y), into: rect, layer, canvas, target)
  }

  private func put(
    _ frame: Frame, from origin: (x: Int, y: Int), into rect: PixelRect, _ layer: Layer, _ canvas: PictureCanvas,
    _ target: Target
  ) {
    if layer.blendMode == .normal {
      canvas.draw(frame, from: origin, into: rect, opacity: layer.opacity)
    } else {
      canvas.blend(
        frame, from: origin, into: rect, opacity: layer.opacity, mode: layer.blendMode, coding: target.coding)
    }
  }
}
