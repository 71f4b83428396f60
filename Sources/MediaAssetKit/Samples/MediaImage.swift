/// A picture in memory: RGBA, 8 or 16 bits per component, from the top row down.
///
/// A value: copies share memory until one of them is changed, so handing a picture to another task
/// costs nothing. 8-bit pictures have the bytes R, G, B, A; 16-bit ones (wide gamut, HDR) the same
/// order in `UInt16` of the machine's byte order. Rows may be longer than their pixels
/// (``bytesPerRow``). Two pictures are equal when size, depth, alpha mode, colour space and every
/// pixel are equal; padding plays no part.
public struct MediaImage: Sendable {
  /// Pixels in a row, at least 1.
  public let width: Int
  /// Rows, at least 1.
  public let height: Int
  /// Bytes from one row to the next: a multiple of 64, at least the pixels' own bytes.
  public let bytesPerRow: Int
  /// 8 or 16.
  public let bitsPerComponent: Int
  /// What the fourth component means.
  public internal(set) var alphaMode: AlphaMode
  /// What the numbers mean as colours. Setting it says so anew and converts nothing.
  public var colorSpace: ColorSpace

  var storage: MediaImageStorage

  /// The most bytes that one picture may take: 2 GiB, the range of FFmpeg's picture sizes.
  public static let maximumByteCount = Int(Int32.max)

  /// Makes a picture of one colour.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for an empty size or another depth than 8 and
  ///   16, `limitExceeded` beyond ``maximumByteCount``, `outOfMemory`.
  public init(
    width: Int, height: Int, bitsPerComponent: Int = 8, colorSpace: ColorSpace = .sRGB,
    fill color: RGBA
  ) throws {
    self = try MediaImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent,
      alphaMode: color.alpha == 255 ? .opaque : .straight, colorSpace: colorSpace
    ) { _, _ in }
    try fill(PixelRect(size), with: color)
  }

  /// Makes a picture from the bytes of another owner, which are copied.
  ///
  /// `bytes` holds `height` rows, `bytesPerRow` apart; the last one may end with its pixels.
  ///
  /// - Throws: ``MediaError`` as ``init(width:height:bitsPerComponent:colorSpace:fill:)``, and
  ///   `invalidArgument` when the bytes don't hold the picture.
  public init(
    width: Int, height: Int, bytesPerRow: Int, bitsPerComponent: Int = 8,
    alphaMode: AlphaMode, colorSpace: ColorSpace, copying bytes: Span<UInt8>
  ) throws {
    self = try MediaImage(
      width: width, height: height, bitsPerComponent: bitsPerComponent, alphaMode: alphaMode,
      colorSpace: colorSpace
    ) { target, targetBytesPerRow in
      let rowBytes = width * bitsPerComponent / 2
      let (start, overflow) = bytesPerRow.multipliedReportingOverflow(by: height - 1)
      guard !overflow, bytesPerRow >= rowBytes, start <= bytes.count - rowBytes else {
        throw MediaError(
          .invalidArgument, operation: "draw", subject: "picture of \(width)x\(height)",
          reason: "\(bytes.count) bytes, \(bytesPerRow) a row, don't hold it")
      }
      bytes.withUnsafeBytes { source in
        for y in 0..<height {
          let row = source[(y * bytesPerRow)..<(y * bytesPerRow + rowBytes)]
          UnsafeMutableRawBufferPointer(rebasing: target[(y * targetBytesPerRow)...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: row))
        }
      }
    }
  }

  /// Makes a picture whose pixels `initialize` writes: all rows, and how far apart they are.
  ///
  /// Padding is zero before the call, pixels are undefined. Writing beyond a row's pixels into its
  /// padding is allowed, and so are 64 bytes behind the last row.
  init(
    width: Int, height: Int, bitsPerComponent: Int, alphaMode: AlphaMode, colorSpace: ColorSpace,
    initialize: (_ rows: UnsafeMutableRawBufferPointer, _ bytesPerRow: Int) throws -> Void
  ) throws {
    let (bytesPerRow, byteCount) = try Self.layout(
      width: width, height: height, bitsPerComponent: bitsPerComponent)
    guard let storage = MediaImageStorage(byteCount: byteCount) else {
      throw MediaError(
        .outOfMemory, operation: "draw", subject: "picture of \(width)x\(height)",
        reason: "no memory for \(byteCount) bytes")
    }
    self.width = width
    self.height = height
    self.bytesPerRow = bytesPerRow
    self.bitsPerComponent = bitsPerComponent
    self.alphaMode = alphaMode
    self.colorSpace = colorSpace
    self.storage = storage
    let rowBytes = width * bitsPerComponent / 2
    if rowBytes < bytesPerRow {
      for y in 0..<height {
        (storage.base + y * bytesPerRow + rowBytes).initializeMemory(
          as: UInt8.self, repeating: 0, count: bytesPerRow - rowBytes)
      }
    }
    try initialize(storage.bytes, bytesPerRow)
  }

  private static func layout(
    width: Int, height: Int, bitsPerComponent: Int
  ) throws -> (bytesPerRow: Int, byteCount: Int) {
    guard width > 0, height > 0, bitsPerComponent == 8 || bitsPerComponent == 16 else {
      throw MediaError(
        .invalidArgument, operation: "draw", subject: "picture of \(width)x\(height)",
        reason: "a picture has at least one pixel and 8 or 16 bits per component, "
          + "not \(bitsPerComponent)")
    }
    let (pixels, rowOverflow) = width.multipliedReportingOverflow(by: bitsPerComponent / 2)
    let (padded, padOverflow) = pixels.addingReportingOverflow(MediaImageStorage.alignment - 1)
    let bytesPerRow = padded & ~(MediaImageStorage.alignment - 1)
    let (bytes, overflow) = bytesPerRow.multipliedReportingOverflow(by: height)
    guard !rowOverflow, !padOverflow, !overflow, bytes <= maximumByteCount else {
      throw MediaError(
        .limitExceeded, operation: "draw", subject: "picture of \(width)x\(height)",
        reason: "it takes more than \(maximumByteCount) bytes", remedy: "Ask for a smaller size")
    }
    return (bytesPerRow, bytes)
  }
}

// MARK: - Reading

extension MediaImage {
  /// Width and height.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// The bytes of the pixels of one row, without padding.
  var rowByteCount: Int { width * bitsPerComponent / 2 }

  /// Reads the pixels of one row as bytes, without padding.
  public func withRow<R, E: Error>(
    _ y: Int, _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    defer { withExtendedLifetime(storage) {} }
    return try body(rowBuffer(y, of: UInt8.self).span)
  }

  /// Reads the components of one row of a 16-bit picture, without padding.
  public func withRow16<R, E: Error>(
    _ y: Int, _ body: (Span<UInt16>) throws(E) -> R
  ) throws(E) -> R {
    precondition(bitsPerComponent == 16, "withRow16 reads pictures with 16 bits per component.")
    defer { withExtendedLifetime(storage) {} }
    return try body(rowBuffer(y, of: UInt16.self).span)
  }

  /// Reads all rows as they lie in memory, ``bytesPerRow`` apart, with their padding.
  public func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    defer { withExtendedLifetime(storage) {} }
    let bytes = UnsafeBufferPointer(
      start: UnsafePointer(storage.base.assumingMemoryBound(to: UInt8.self)),
      count: storage.byteCount)
    return try body(bytes.span)
  }

  /// Reads all rows of a 16-bit picture as they lie in memory, `bytesPerRow / 2` apart.
  public func withComponents16<R, E: Error>(
    _ body: (Span<UInt16>) throws(E) -> R
  ) throws(E) -> R {
    precondition(
      bitsPerComponent == 16, "withComponents16 reads pictures with 16 bits per component.")
    defer { withExtendedLifetime(storage) {} }
    let components = UnsafeBufferPointer(
      start: UnsafePointer(storage.base.assumingMemoryBound(to: UInt16.self)),
      count: storage.byteCount / 2)
    return try body(components.span)
  }

  /// The pixel in column `x` of row `y`, alpha as stored; 16-bit components are rounded to 8 bits.
  public func pixel(x: Int, y: Int) -> RGBA {
    if bitsPerComponent == 16 {
      let value = pixel16(x: x, y: y)
      return RGBA(
        red: UInt8(rounding: value.x), green: UInt8(rounding: value.y),
        blue: UInt8(rounding: value.z), alpha: UInt8(rounding: value.w))
    }
    precondition(x >= 0 && x < width, "The column lies outside of the picture.")
    return withRow(y) { row in
      RGBA(
        red: row[4 * x], green: row[4 * x + 1], blue: row[4 * x + 2], alpha: row[4 * x + 3])
    }
  }

  /// The pixel in column `x` of row `y` as R, G, B, A of 0 to 65535; 8-bit components are widened.
  public func pixel16(x: Int, y: Int) -> SIMD4<UInt16> {
    precondition(x >= 0 && x < width, "The column lies outside of the picture.")
    if bitsPerComponent == 16 {
      return withRow16(y) { row in
        SIMD4(row[4 * x], row[4 * x + 1], row[4 * x + 2], row[4 * x + 3])
      }
    }
    return withRow(y) { row in
      SIMD4(
        UInt16(row[4 * x]), UInt16(row[4 * x + 1]), UInt16(row[4 * x + 2]),
        UInt16(row[4 * x + 3])) &* 257
    }
  }

  private func rowBuffer<T>(_ y: Int, of: T.Type) -> UnsafeBufferPointer<T> {
    precondition(y >= 0 && y < height, "The row lies outside of the picture.")
    return UnsafeBufferPointer(
      start: UnsafePointer((storage.base + y * bytesPerRow).assumingMemoryBound(to: T.self)),
      count: rowByteCount / MemoryLayout<T>.stride)
  }
}

extension UInt8 {
  /// A 16-bit component as the nearest one of 8 bits.
  init(rounding component: UInt16) {
    self = UInt8(truncatingIfNeeded: (UInt32(component) &* 255 &+ 32_895) &>> 16)
  }
}

// MARK: - Equality

extension MediaImage: Hashable {
  /// Whether size, depth, alpha mode, colour space and all pixels are equal.
  public static func == (left: MediaImage, right: MediaImage) -> Bool {
    guard left.size == right.size, left.bitsPerComponent == right.bitsPerComponent,
      left.alphaMode == right.alphaMode, left.colorSpace == right.colorSpace
    else { return false }
    return left.storage === right.storage
      || (0..<left.height).allSatisfy { y in
        left.withRowBytes(y) { leftRow in
          right.withRowBytes(y) { rightRow in leftRow.elementsEqual(rightRow) }
        }
      }
  }

  /// Feeds size, depth and the first, middle and last row; equality looks at the rest.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(size)
    hasher.combine(bitsPerComponent)
    for y in [0, height / 2, height - 1] {
      withRowBytes(y) { hasher.combine(bytes: $0) }
    }
  }

  func withRowBytes<R>(_ y: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    defer { withExtendedLifetime(storage) {} }
    return try body(UnsafeRawBufferPointer(rowBuffer(y, of: UInt8.self)))
  }
}
