internal import CFFmpeg

/// Owner of one `SwsContext` from pictures to pictures: another size, another pixel format, planes to planes.
@safe package struct PictureScaler: ~Copyable {
  private let raw: UnsafeMutableRawPointer
  package let key: Key

  /// Everything that a context depends on; a frame with another key needs another converter.
  package struct Key: Sendable, Hashable {
    package var format: PixelFormatID
    /// The part of the picture that is read.
    package var width: Int
    package var height: Int
    package var outputFormat: PixelFormatID
    /// The part of the output that is written.
    package var outputWidth: Int
    package var outputHeight: Int
    /// FFmpeg's name of the matrix of whichever side is no RGB.
    package var matrix: String
    package var isFullRange: Bool
    package var isOutputFullRange: Bool

    package init(
      format: PixelFormatID, width: Int, height: Int, outputFormat: PixelFormatID, outputWidth: Int, outputHeight: Int,
      matrix: String, isFullRange: Bool, isOutputFullRange: Bool
    ) {
      self.format = format
      self.width = width
      self.height = height
      self.outputFormat = outputFormat
      self.outputWidth = outputWidth
      self.outputHeight = outputHeight
      self.matrix = matrix
      self.isFullRange = isFullRange
      self.isOutputFullRange = isOutputFullRange
    }
  }

  private init(owning raw: UnsafeMutableRawPointer, key: Key) {
    unsafe self.raw = raw
    self.key = key
  }

  package static func make(_ key: Key) throws(AVError) -> PictureScaler {
    Log.start()
    Log.clear()
    let resizes = key.width != key.outputWidth || key.height != key.outputHeight
    let flags =
      cff_SWS_BILINEAR | cff_SWS_ACCURATE_RND | cff_SWS_FULL_CHR_H_INT | (resizes ? 0 : cff_SWS_FULL_CHR_H_INP)
    let context = unsafe cff_scaler_make(
      Int32(clamping: key.width), Int32(clamping: key.height), key.format.rawValue, Int32(clamping: key.outputWidth),
      Int32(clamping: key.outputHeight), key.outputFormat.rawValue, flags)
    guard let context = unsafe context else {
      throw AVError(code: cff_error(EINVAL), function: "sws_getContext", log: Log.lastErrorLine())
    }
    _ = unsafe cff_scaler_set_colour(
      context, Scaler.coefficients(key.matrix), key.isFullRange ? 1 : 0, key.isOutputFullRange ? 1 : 0)
    return unsafe PictureScaler(owning: context, key: key)
  }

  deinit { unsafe cff_scaler_free(raw) }

  /// A new picture of `width` × `height`: the key's part of `source` from (x, y) on, put at (left, top) on black.
  package mutating func run(
    _ source: Frame, x: Int, y: Int, width: Int, height: Int, left: Int, top: Int, colour: ColourDescription
  ) throws(AVError) -> Frame {
    precondition(source.format == key.format, "a converter takes frames of the format that it was made for")
    precondition(
      x >= 0 && y >= 0 && x + key.width <= source.width && y + key.height <= source.height,
      "the part must lie inside the picture")
    precondition(
      left >= 0 && top >= 0 && left + key.outputWidth <= width && top + key.outputHeight <= height,
      "the part must lie inside the output")
    let (raw, key) = unsafe (raw, key)
    return unsafe try Frame.picture(width: width, height: height, format: key.outputFormat, colour: colour) {
      planes, strides throws(AVError) in
      var targets: [UnsafePointer<UInt8>?] = unsafe planes.map {
        unsafe UnsafePointer($0?.assumingMemoryBound(to: UInt8.self))
      }
      let lines = strides.map { Int32(clamping: $0) }
      if key.outputWidth != width || key.outputHeight != height {
        var writable: [UnsafeMutablePointer<UInt8>?] = unsafe targets.map { unsafe UnsafeMutablePointer(mutating: $0) }
        _ = unsafe av_image_fill_black(
          &writable, strides, AVPixelFormat(key.outputFormat.rawValue),
          key.isOutputFullRange ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG, Int32(clamping: width), Int32(clamping: height))
        unsafe offset(
          &targets, strides: lines, x: left, y: top, shift: key.outputFormat.chromaShift, format: key.outputFormat)
      }
      var writable: [UnsafeMutablePointer<UInt8>?] = unsafe targets.map { unsafe UnsafeMutablePointer(mutating: $0) }
      let result: Int32 = unsafe source.withPlanes { planes, strides in
        var parts: [UnsafePointer<UInt8>?] = unsafe [planes[0], planes[1], planes[2], planes[3]]
        if x != 0 || y != 0 {
          unsafe offset(&parts, strides: strides, x: x, y: y, shift: key.format.chromaShift, format: key.format)
        }
        return unsafe cff_scaler_run(raw, &parts, strides, Int32(clamping: key.height), &writable, lines)
      }
      try check(result, "sws_scale")
    }
  }
}
