import LibAV

/// A decoded picture in its stored pixel format. Shares the decoder's memory; never changes.
public struct PixelBuffer: Sendable {
  let frame: Frame

  init(_ frame: Frame) { self.frame = frame }

  /// The width in pixels.
  public var width: Int { frame.width }
  /// The height in pixels.
  public var height: Int { frame.height }
  /// FFmpeg's name of the pixel format (`yuv420p`); nil for formats without one.
  public var pixelFormat: String? { frame.format.name }
  /// Whether the picture can be decoded without others.
  public var isSync: Bool { frame.isKey }
  /// The picture's own colour tags.
  public var colour: ColourProperties { ColourProperties(frame.colour) }

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
