import LibAV

/// A picture in memory: decoded, or made by a ``PixelBufferPool``. Never changes; shared without copying.
public struct PixelBuffer: Sendable {
  let frame: Frame

  init(_ frame: Frame) { self.frame = frame }

  /// One plane's extent.
  public struct Plane: Sendable, Hashable {
    /// Samples in a row; of packed and interleaved planes pixels or pairs.
    public let width: Int
    /// Rows.
    public let height: Int
    /// Bytes of a row that hold samples.
    public let rowBytes: Int
    /// Bytes from one row's begin to the next's, `rowBytes` at least.
    public let bytesPerRow: Int

    init(_ plane: Frame.Plane, bytesPerRow: Int? = nil) {
      width = plane.width
      height = plane.height
      rowBytes = plane.rowBytes
      self.bytesPerRow = bytesPerRow ?? plane.bytesPerRow
    }
  }

  /// The width in pixels.
  public var width: Int { frame.width }
  /// The height in pixels.
  public var height: Int { frame.height }
  /// The size in pixels.
  public var size: PixelSize { PixelSize(width: width, height: height) }
  /// How the pixels are stored; nil for formats without a name.
  public var pixelFormat: PixelFormat? { frame.format.name.map(PixelFormat.init(rawValue:)) }
  /// Whether the picture can be decoded without others.
  public var isSync: Bool { frame.isKey }
  /// The picture's own colour tags; nil where untagged.
  public var colour: ColourProperties { ColourProperties(frame.colour) }
  /// The shape of a pixel; nil where the picture does not say.
  public var sampleAspectRatio: PixelAspectRatio? {
    let (horizontal, vertical) = frame.sampleAspectRatio
    return horizontal > 0 && vertical > 0
      ? PixelAspectRatio(horizontal: Int(horizontal), vertical: Int(vertical)) : nil
  }
  /// Progressive, or the field shown first.
  public var fieldOrder: VideoFormat.FieldOrder {
    frame.isInterlaced ? frame.isTopFieldFirst ? .topFirst : .bottomFirst : .progressive
  }
  /// Whether the decoder noticed damage in this picture.
  public var isDamaged: Bool { frame.isDamaged }

  /// The number of planes: 1 for packed formats, 3 for `yuv420p`, 2 for `nv12`.
  public var planeCount: Int { frame.planeCount }

  /// A plane's extent.
  public func plane(_ index: Int) -> Plane {
    let plane = frame.plane(index)
    return Plane(plane, bytesPerRow: plane.bytesPerRow < 0 ? plane.rowBytes : plane.bytesPerRow)
  }

  /// Lends a plane's bytes, from its first row's begin to its last row's end; valid during the call only.
  ///
  /// Nothing is copied, but for the rare pictures that are stored bottom up.
  public func withPlane<R>(_ index: Int, _ body: (RawSpan, Plane) throws -> R) rethrows -> R {
    let plane = frame.plane(index)
    defer { withExtendedLifetime(frame) {} }
    guard let address = frame.planeAddress(index) else {
      return try body(UnsafeRawBufferPointer(start: nil, count: 0).bytes, Plane(plane))
    }
    guard plane.bytesPerRow < 0 else {
      let bytes = UnsafeRawBufferPointer(start: address, count: plane.byteCount)
      return try body(bytes.bytes, Plane(plane))
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(
      byteCount: plane.rowBytes * plane.height, alignment: 64)
    defer { copy.deallocate() }
    for row in 0..<plane.height {
      let source = UnsafeRawBufferPointer(
        start: address + row * plane.bytesPerRow, count: plane.rowBytes)
      UnsafeMutableRawBufferPointer(rebasing: copy[(row * plane.rowBytes)...]).copyMemory(
        from: source)
    }
    return try body(
      UnsafeRawBufferPointer(copy).bytes, Plane(plane, bytesPerRow: plane.rowBytes))
  }

  /// Lends the picture's bytes without padding, plane after plane and row after row, as `rawvideo` has them.
  ///
  /// Copies the picture once; the span is valid during the call only.
  public func withPackedBytes<R>(_ body: (Span<UInt8>) throws -> R) throws -> R {
    let size: Int
    do { size = try frame.packedSize } catch {
      throw MediaError.libav(error, operation: "read", subject: "a picture of \(width)x\(height)")
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
    defer { buffer.deallocate() }
    do { try frame.copyPacked(into: buffer) } catch {
      throw MediaError.libav(error, operation: "read", subject: "a picture of \(width)x\(height)")
    }
    return try body(buffer.bindMemory(to: UInt8.self).span)
  }
}

/// One presented picture of a track.
public struct VideoFrame: Sendable {
  /// When it is on show first, on the asset's timeline.
  public let time: MediaTime
  /// How long it is on show: until the next picture, or its segment's end.
  public let duration: MediaTime
  /// The picture.
  public let pixelBuffer: PixelBuffer
}
