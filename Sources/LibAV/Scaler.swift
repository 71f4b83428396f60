internal import CFFmpeg

/// Owner of one `SwsContext`: from one source geometry and colour to one pixel format at one size.
@safe package struct Scaler: ~Copyable {
  private let raw: UnsafeMutableRawPointer
  package let key: Key
  /// Chroma of grey pictures, which are converted as Y'CbCr: libswscale takes 8-bit grey for full range otherwise.
  private let neutral: UnsafeMutableBufferPointer<UInt8>?

  /// Everything that a context depends on; a frame with another key needs another scaler.
  package struct Key: Sendable, Hashable {
    package var format: PixelFormatID
    /// The part of the picture that is read, after cropping.
    package var width: Int
    package var height: Int
    package var outputWidth: Int
    package var outputHeight: Int
    package var outputFormat: PixelFormatID
    /// FFmpeg's name of the matrix (`bt709`, `smpte170m`, `bt2020nc`).
    package var matrix: String
    package var isFullRange: Bool
    /// Of the output; RGB has no other range.
    package var isOutputFullRange: Bool

    package init(
      format: PixelFormatID, width: Int, height: Int, outputWidth: Int, outputHeight: Int,
      outputFormat: PixelFormatID,
      matrix: String, isFullRange: Bool, isOutputFullRange: Bool = true
    ) {
      self.format = format
      self.width = width
      self.height = height
      self.outputWidth = outputWidth
      self.outputHeight = outputHeight
      self.outputFormat = outputFormat
      self.matrix = matrix
      self.isFullRange = isFullRange
      self.isOutputFullRange = isOutputFullRange
    }
  }

  private init(owning raw: UnsafeMutableRawPointer, key: Key) {
    unsafe self.raw = raw
    self.key = key
    guard key.format == .gray else {
      unsafe neutral = nil
      return
    }
    let plane = UnsafeMutableBufferPointer<UInt8>.allocate(
      capacity: Self.neutralStride(key.width) * (key.height / 4 + 2))
    unsafe plane.initialize(repeating: 128)
    unsafe neutral = plane
  }

  private static func neutralStride(_ width: Int) -> Int { (width / 4 + 64) & ~31 }

  /// Accurate rounding and full chroma: the fast paths tint grey by two levels of green.
  package static func make(_ key: Key) throws(AVError) -> Scaler {
    Log.start()
    Log.clear()
    let resizes = key.width != key.outputWidth || key.height != key.outputHeight
    let flags =
      cff_SWS_BILINEAR | cff_SWS_ACCURATE_RND | cff_SWS_FULL_CHR_H_INT
      | (resizes ? 0 : cff_SWS_FULL_CHR_H_INP)
    let format = key.format == .gray ? PixelFormatID.yuv410p : key.format
    let context = unsafe cff_scaler_make(
      Int32(clamping: key.width), Int32(clamping: key.height), format.rawValue,
      Int32(clamping: key.outputWidth),
      Int32(clamping: key.outputHeight), key.outputFormat.rawValue, flags)
    guard let context = unsafe context else {
      throw AVError(code: cff_error(EINVAL), function: "sws_getContext", log: Log.lastErrorLine())
    }
    let scaler = unsafe Scaler(owning: context, key: key)
    // RGB sources have no matrix and refuse the call; that is no failure.
    _ = unsafe cff_scaler_set_colour(
      context, Self.coefficients(key.matrix), key.isFullRange ? 1 : 0,
      key.isOutputFullRange ? 1 : 0)
    return scaler
  }

  deinit {
    unsafe cff_scaler_free(raw)
    unsafe neutral?.deallocate()
  }

  /// Converts the part of `frame` at (x, y) of the key's size into `target`, rows `bytesPerRow` apart.
  package mutating func run(
    _ frame: Frame, x: Int, y: Int, into target: UnsafeMutableRawBufferPointer, bytesPerRow: Int
  ) throws(AVError) {
    precondition(
      frame.format == key.format, "a scaler takes frames of the format that it was made for")
    precondition(
      x >= 0 && y >= 0 && x + key.width <= frame.width && y + key.height <= frame.height,
      "the part must lie inside the picture")
    precondition(target.count >= bytesPerRow * key.outputHeight, "the target must hold every row")
    unsafe try convert(
      frame, x: x, y: y,
      rows: [target.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil],
      strides: [Int32(clamping: bytesPerRow), 0, 0, 0])
  }

  /// Converts a whole picture into one of the key's output format and size that nobody else holds yet.
  package mutating func run(_ frame: Frame, into target: Frame) throws(AVError) {
    precondition(
      frame.format == key.format && frame.width == key.width && frame.height == key.height,
      "a scaler takes frames of the format and size that it was made for")
    precondition(
      target.format == key.outputFormat && target.width == key.outputWidth
        && target.height == key.outputHeight,
      "a scaler fills frames of the format and size that it was made for")
    let (data, strides) = unsafe (target.raw.pointee.data, target.raw.pointee.linesize)
    unsafe try convert(
      frame, x: 0, y: 0, rows: [data.0, data.1, data.2, data.3],
      strides: [strides.0, strides.1, strides.2, strides.3])
  }

  private func convert(
    _ frame: Frame, x: Int, y: Int, rows: [UnsafeMutablePointer<UInt8>?], strides: [Int32]
  ) throws(AVError) {
    let (shift, scaler, height) = unsafe (key.format.chromaShift, raw, Int32(clamping: key.height))
    let (rows, targetStrides) = unsafe (rows, strides)
    let result: Int32 = unsafe frame.withPlanes { planes, strides in
      var source: [UnsafePointer<UInt8>?] = unsafe [planes[0], planes[1], planes[2], planes[3]]
      if x != 0 || y != 0 {
        unsafe offset(&source, strides: strides, x: x, y: y, shift: shift, format: key.format)
      }
      var strides = unsafe [strides[0], strides[1], strides[2], strides[3]]
      if let chroma = unsafe neutral.flatMap({ unsafe UnsafePointer($0.baseAddress) }) {
        let stride = Int32(clamping: Self.neutralStride(key.width))
        unsafe (source[1], source[2]) = (chroma, chroma)
        (strides[1], strides[2]) = (stride, stride)
      }
      return unsafe cff_scaler_run(scaler, source, strides, height, rows, targetStrides)
    }
    try check(result, "sws_scale")
  }

  static func coefficients(_ matrix: String) -> Int32 {
    switch matrix {
    case "bt709": SWS_CS_ITU709
    case "fcc": SWS_CS_FCC
    case "smpte240m": SWS_CS_SMPTE240M
    case "bt2020nc", "bt2020c": SWS_CS_BT2020
    default: SWS_CS_ITU601
    }
  }
}

/// Moves plane pointers to the sample at (x, y), rounded down to whole chroma samples.
func offset(
  _ planes: inout [UnsafePointer<UInt8>?], strides: UnsafePointer<Int32>, x: Int, y: Int,
  shift: (horizontal: Int, vertical: Int), format: PixelFormatID
) {
  guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(format.rawValue)) else { return }
  let components = unsafe [
    descriptor.pointee.comp.0, descriptor.pointee.comp.1, descriptor.pointee.comp.2,
    descriptor.pointee.comp.3,
  ]
  for plane in 0..<4 where unsafe planes[plane] != nil {
    guard
      let component = components.prefix(unsafe Int(descriptor.pointee.nb_components)).firstIndex(
        where: { Int($0.plane) == plane })
    else { continue }
    let isChroma = (component == 1 || component == 2) && !format.isRGB
    let column = isChroma ? x >> shift.horizontal : x
    let row = isChroma ? y >> shift.vertical : y
    // Steps of formats below a byte a pixel are in bits.
    let step = Int(components[component].step)
    let offset = format.isBitstream ? column * step / 8 : column * step
    unsafe planes[plane] = planes[plane]?.advanced(by: row * Int(strides[plane]) + offset)
  }
}
