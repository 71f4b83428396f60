import LibAV

/// Makes pictures of one format and size; their memory is used again when the last who holds them lets go.
///
/// ```swift
/// let pool = try PixelBufferPool(pixelFormat: .bgra, size: PixelSize(width: 1280, height: 720))
/// var picture = try pool.makeBuffer()
/// picture.withMutablePlane(0) { bytes, plane in … }
/// try await adaptor.append(picture.publish(), at: time)
/// ```
public struct PixelBufferPool: Sendable {
  /// How the pixels are stored.
  public let pixelFormat: PixelFormat
  /// The size in pixels.
  public let size: PixelSize
  private let pool: FramePool

  /// A pool; takes no memory before the first picture.
  ///
  /// - Throws: `invalidArgument` for formats that this FFmpeg does not know or that are no memory (hardware surfaces), and
  ///   for sizes outside 1x1 to 65536x65536.
  public init(pixelFormat: PixelFormat, size: PixelSize) throws {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "write", subject: "a pixel buffer", reason: reason)
    }
    guard pixelFormat.isKnown else { throw refuse("FFmpeg knows no pixel format named \(pixelFormat)") }
    guard pixelFormat.identifier.planeCount > 0, !pixelFormat.identifier.isHardware else {
      throw refuse("\(pixelFormat) is no format of pixels in memory")
    }
    guard (1...1 << 16).contains(size.width), (1...1 << 16).contains(size.height) else {
      throw refuse("the size \(size) is outside 1x1 to 65536x65536")
    }
    self.pixelFormat = pixelFormat
    self.size = size
    do {
      pool = try FramePool.make(
        format: pixelFormat.identifier, width: size.width, height: size.height)
    } catch {
      throw MediaError.libav(error, operation: "write", subject: "a pixel buffer of \(size)")
    }
  }

  /// A picture to write into; zeros, or what an earlier picture of the pool left.
  ///
  /// - Throws: `outOfMemory`.
  public func makeBuffer() throws -> MutablePixelBuffer {
    do { return MutablePixelBuffer(try pool.makeFrame()) } catch {
      throw MediaError.libav(error, operation: "write", subject: "a pixel buffer of \(size)")
    }
  }
}

/// A picture while it is made: one owner, writable until it is published.
public struct MutablePixelBuffer: ~Copyable, Sendable {
  private let frame: Frame

  init(_ frame: Frame) { self.frame = frame }

  /// How the pixels are stored.
  public var pixelFormat: PixelFormat { PixelFormat(rawValue: frame.format.name ?? "") }
  /// The size in pixels.
  public var size: PixelSize { PixelSize(width: frame.width, height: frame.height) }
  /// The number of planes.
  public var planeCount: Int { frame.planeCount }
  /// A plane's extent.
  public func plane(_ index: Int) -> PixelBuffer.Plane { PixelBuffer.Plane(frame.plane(index)) }

  /// The colour tags; untagged at first.
  public var colour: ColourProperties {
    get { ColourProperties(frame.colour) }
    set { frame.setColour(ColourDescription(newValue)) }
  }

  /// Lends a plane's bytes for writing, from its first row's begin to its last row's end; valid during the call only.
  public mutating func withMutablePlane<R>(
    _ index: Int, _ body: (inout MutableRawSpan, PixelBuffer.Plane) throws -> R
  ) rethrows -> R {
    let plane = frame.plane(index)
    defer { withExtendedLifetime(frame) {} }
    let bytes = UnsafeMutableRawBufferPointer(
      start: frame.planeAddress(index), count: plane.byteCount)
    var span = bytes.mutableBytes
    return try body(&span, PixelBuffer.Plane(plane))
  }

  /// Ends writing: the picture never changes again and may be shared.
  public consuming func publish() -> PixelBuffer { PixelBuffer(frame) }
}

extension PixelBuffer {
  /// A picture of bytes without padding, plane after plane and row after row, as `rawvideo` has them. Copies them.
  ///
  /// - Throws: `invalidArgument` for unknown formats, impossible sizes and a wrong number of bytes.
  public init(
    packedBytes bytes: RawSpan, pixelFormat: PixelFormat, size: PixelSize,
    colour: ColourProperties = ColourProperties()
  ) throws {
    var buffer = try PixelBufferPool(pixelFormat: pixelFormat, size: size).makeBuffer()
    let needed = (0..<buffer.planeCount).reduce(0) { sum, index in
      sum + buffer.plane(index).rowBytes * buffer.plane(index).height
    }
    guard bytes.byteCount == needed else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: "a pixel buffer of \(size)",
        reason: "\(pixelFormat) takes \(needed) bytes, not \(bytes.byteCount)")
    }
    buffer.colour = colour
    var offset = 0
    for index in 0..<buffer.planeCount {
      let plane = buffer.plane(index)
      buffer.copyPlane(index, from: bytes, offset: offset, bytesPerRow: plane.rowBytes)
      offset += plane.rowBytes * plane.height
    }
    self = buffer.publish()
  }
}

extension MutablePixelBuffer {
  /// Fills a plane from rows that lie `bytesPerRow` apart, the first at `offset`.
  ///
  /// The bytes must hold every row; anything else is a programmer's mistake.
  public mutating func copyPlane(
    _ index: Int, from bytes: RawSpan, offset: Int = 0, bytesPerRow: Int
  ) {
    precondition(offset >= 0 && offset <= bytes.byteCount, "the offset must lie in the bytes")
    bytes.withUnsafeBytes { buffer in
      frame.copyPlane(
        index, from: UnsafeRawBufferPointer(rebasing: buffer[offset...]), bytesPerRow: bytesPerRow)
    }
  }
}

extension ColourDescription {
  init(_ colour: ColourProperties) {
    self.init(
      primaries: colour.primaries, transfer: colour.transfer, matrix: colour.matrix,
      isFullRange: colour.range.map { $0 == .full })
  }
}
