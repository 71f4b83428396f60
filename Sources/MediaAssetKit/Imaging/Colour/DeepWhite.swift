import LibAV

/// Corrects what libswscale does to values of more than 8 bits.
enum DeepWhite {
  /// White of packed 16-bit RGB is 255 · 256 for everything that was Y'CbCr (or grey): ·257/256. Rows are padded to
  /// 64 bytes.
  static func stretch(_ rows: UnsafeMutableRawBufferPointer) { stretch(rows, maximum: .max) }

  /// The same for a plane of `maximum`'s bits.
  private static func stretch(_ rows: UnsafeMutableRawBufferPointer, maximum: UInt16) {
    let top = SIMD32<UInt16>(repeating: maximum)
    each(rows) { value in
      let room = top &- value
      let more = value &>> 8
      return value &+ more.replacing(with: room, where: more .> room)
    }
  }

  private static func each(
    _ rows: UnsafeMutableRawBufferPointer, _ body: (SIMD32<UInt16>) -> SIMD32<UInt16>
  ) {
    let vectors = rows.assumingMemoryBound(to: SIMD32<UInt16>.self)
    for index in vectors.indices { vectors[index] = body(vectors[index]) }
  }

  /// Corrects a converted picture that nobody else holds yet, in the rows that swscale wrote.
  static func correct(_ target: Frame, from source: PixelFormatID, resizes: Bool, isFullRange: Bool) {
    let format = target.format
    if format.isRGB, let depth = format.bitDepth, (9...16).contains(depth), format.hasWords, !source.isRGB,
      !source.isPalette
    {
      for plane in 0..<target.planeCount {
        target.withRows(plane) { stretch($0, maximum: UInt16(1 << depth - 1)) }
      }
    }
    // From 8 bits unscaled, libswscale repeats the bits below, which is right for full range alone.
    if format.isSemiplanarDeep, source.bitDepth == 8, !resizes, !isFullRange {
      for plane in 0..<target.planeCount {
        target.withRows(plane) { rows in each(rows) { $0 & SIMD32(repeating: 0xFF00) } }
      }
    }
  }
}
