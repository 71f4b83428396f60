import CPango
import LibAV

/// Draws text into a picture of its own.
struct TextRenderer {
  let overlay: TextOverlay
  let maximumPixels: Int

  /// A picture of text, and where the corner of its lines' box lies in it.
  struct Drawn: Sendable {
    var picture: PixelBuffer
    var corner: (x: Int, y: Int)
    /// The size of the box of the lines.
    var box: PixelSize
  }

  /// - Throws: ``MediaError``: `invalidArgument` for text and numbers out of bounds and for markup that is none,
  ///   `libraryMissing` without Pango, `outOfMemory`.
  func draw() throws -> Drawn {
    try check()
    if let missing = cpango_load() {
      throw MediaError(
        .libraryMissing, operation: "draw", subject: "a text", reason: String(cString: missing),
        remedy: "Install Pango: apt-get install libpangocairo-1.0-0")
    }
    guard cpango_has_font() else {
      throw MediaError(
        .libraryMissing, operation: "draw", subject: "a text", reason: "no font is installed",
        remedy: "Install one, such as apt-get install fonts-dejavu-core")
    }
    var why = [CChar](repeating: 0, count: 256)
    let layout = overlay.text.withCString { text in
      overlay.font.withCString { font in
        var request = request(text, font)
        return cpango_make(&request, &why, why.count)
      }
    }
    guard let layout else {
      let words = String(decoding: why.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if words.isEmpty { throw MediaError(.outOfMemory, operation: "draw", subject: "a text", reason: "no memory") }
      throw refuse("its markup can't be drawn: \(words)")
    }
    defer { cpango_free(layout) }
    var (box, painted) = (CPangoRect(), CPangoRect())
    cpango_measure(layout, &box, &painted)
    let size = PixelSize(width: Int(painted.width), height: Int(painted.height))
    guard (1...16_384).contains(size.width), (1...16_384).contains(size.height),
      size.width * size.height <= maximumPixels
    else { throw refuse("it would be \(size) pixels large") }
    do {
      let frame = try Frame.picture(
        width: size.width, height: size.height, format: .named("bgra"),
        colour: ColourDescription(primaries: "bt709", transfer: "iec61966-2-1", matrix: "gbr", isFullRange: true)
      ) { planes, strides throws(AVError) in
        guard let pixels = planes[0] else { return }
        pixels.initializeMemory(as: UInt8.self, repeating: 0, count: strides[0] * size.height)
        guard cpango_draw(layout, pixels.assumingMemoryBound(to: UInt8.self), Int32(clamping: strides[0]), &painted)
        else { throw AVError(code: -12, function: "cairo_create") }
      }
      return Drawn(
        picture: PixelBuffer(frame), corner: (Int(box.x - painted.x), Int(box.y - painted.y)),
        box: PixelSize(width: Int(box.width), height: Int(box.height)))
    } catch {
      throw MediaError.libav(error, operation: "draw", subject: "a text of \(size)")
    }
  }

  private func check() throws {
    guard !overlay.text.isEmpty else { throw refuse("there is none") }
    guard overlay.text.utf8.count <= 10_000 else { throw refuse("it has more than 10 000 bytes") }
    guard !overlay.text.utf8.contains(0), !overlay.font.utf8.contains(0), overlay.font.utf8.count <= 200 else {
      throw refuse("it or its font's name holds what no text does")
    }
    guard (1...2000).contains(overlay.size) else { throw refuse("its size is \(overlay.size) pixels") }
    guard overlay.width.map({ (1...16_384).contains($0) }) ?? true else {
      throw refuse("its width is \(overlay.width ?? 0) pixels")
    }
    let lengths = [
      overlay.lineSpacing, overlay.outline?.width ?? 0, overlay.shadow?.x ?? 0, overlay.shadow?.y ?? 0,
      overlay.background?.padding ?? 0, overlay.background?.cornerRadius ?? 0,
    ]
    guard lengths.allSatisfy({ abs($0) <= 4096 }) else { throw refuse("one of its lengths is beyond 4096 pixels") }
    guard (overlay.outline?.width ?? 0) >= 0, (overlay.background?.padding ?? 0) >= 0 else {
      throw refuse("one of its widths is below zero")
    }
  }

  private func request(_ text: UnsafePointer<CChar>, _ font: UnsafePointer<CChar>) -> CPangoText {
    func color(_ paint: TextOverlay.Paint?) -> CPangoColor {
      guard let paint else { return CPangoColor() }
      func part(_ value: Double) -> Double { value.isFinite ? min(1, max(0, value)) : 0 }
      return CPangoColor(
        red: part(paint.color.red), green: part(paint.color.green), blue: part(paint.color.blue),
        alpha: part(paint.opacity))
    }
    let alignment: Int32 =
      switch overlay.alignment {
      case .leading: 0
      case .center: 1
      case .trailing: 2
      }
    return CPangoText(
      text: text, is_markup: overlay.isMarkup, font: font, size: overlay.size,
      width: Int32(clamping: overlay.width ?? 0),
      alignment: alignment, spacing: overlay.lineSpacing, color: color(overlay.color),
      outline_width: overlay.outline?.width ?? 0, outline: color(overlay.outline?.color),
      shadow_x: overlay.shadow?.x ?? 0, shadow_y: overlay.shadow?.y ?? 0, shadow: color(overlay.shadow?.color),
      padding: overlay.background?.padding ?? 0, corner_radius: overlay.background?.cornerRadius ?? 0,
      background: color(overlay.background?.color))
  }

  private func refuse(_ reason: String) -> MediaError {
    MediaError(.invalidArgument, operation: "draw", subject: "a text", reason: reason)
  }
}
