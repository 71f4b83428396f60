internal import CFFmpeg

/// The picture side of a frame, plane by plane.
extension Frame {
  /// One plane's extent: bytes of a row that hold pixels, bytes between rows (negative when stored bottom up), rows.
  package struct Plane: Sendable, Hashable {
    package var width: Int
    package var height: Int
    package var rowBytes: Int
    package var bytesPerRow: Int
    /// The bytes from the first row's begin to the last row's end.
    package var byteCount: Int { height == 0 ? 0 : abs(bytesPerRow) * (height - 1) + rowBytes }
  }

  /// The number of planes; a palette is not counted.
  package var planeCount: Int { format.planeCount }

  package func plane(_ index: Int) -> Plane {
    precondition(index >= 0 && index < planeCount, "the picture has \(planeCount) planes, not plane \(index)")
    let isChroma = format.isChroma(plane: index)
    let shift = isChroma ? format.chromaShift : (0, 0)
    let strides = unsafe raw.pointee.linesize
    let stride = [strides.0, strides.1, strides.2, strides.3][index]
    let rowBytes = unsafe av_image_get_linesize(
      AVPixelFormat(raw.pointee.format), raw.pointee.width, Int32(clamping: index))
    return Plane(
      width: -(-width >> shift.0), height: -(-height >> shift.1), rowBytes: max(0, Int(rowBytes)),
      bytesPerRow: Int(stride))
  }

  /// The address of a plane's first row, valid as long as the frame lives.
  package func planeAddress(_ index: Int) -> UnsafeMutableRawPointer? {
    let data = unsafe raw.pointee.data
    let address = unsafe [data.0, data.1, data.2, data.3][index]
    return unsafe address.map { UnsafeMutableRawPointer($0) }
  }

  /// Sets the colour tags of a frame that nobody else holds yet.
  package func setColour(_ colour: ColourDescription) {
    unsafe raw.pointee.color_primaries = colour.primariesCode
    unsafe raw.pointee.color_trc = colour.transferCode
    unsafe raw.pointee.colorspace = colour.matrixCode
    unsafe raw.pointee.color_range = colour.rangeCode
  }

  /// Takes over what says how `source` is shown (times, aspect ratio, fields, side data), before the frame is published.
  package func copyProperties(of source: Frame) throws(AVError) {
    try check(unsafe av_frame_copy_props(raw, source.raw), "av_frame_copy_props")
  }

  /// Copies the pixels of packed planes into a frame that nobody else holds yet.
  package func copyPlane(
    _ index: Int, from bytes: UnsafeRawBufferPointer, bytesPerRow: Int
  ) {
    let plane = plane(index)
    precondition(
      plane.height == 0 || bytes.count >= bytesPerRow * (plane.height - 1) + plane.rowBytes,
      "the bytes must hold every row of the plane")
    guard let target = unsafe planeAddress(index), let source = bytes.baseAddress else { return }
    for row in 0..<plane.height {
      unsafe (target + row * plane.bytesPerRow).copyMemory(
        from: source + row * bytesPerRow, byteCount: plane.rowBytes)
    }
  }
}

extension ColourDescription {
  var primariesCode: AVColorPrimaries {
    unsafe AVColorPrimaries(UInt32(clamping: code(primaries) { unsafe av_color_primaries_from_name($0) } ?? 2))
  }
  var transferCode: AVColorTransferCharacteristic {
    unsafe AVColorTransferCharacteristic(
      UInt32(clamping: code(transfer) { unsafe av_color_transfer_from_name($0) } ?? 2))
  }
  var matrixCode: AVColorSpace {
    unsafe AVColorSpace(UInt32(clamping: code(matrix) { unsafe av_color_space_from_name($0) } ?? 2))
  }
  var rangeCode: AVColorRange {
    switch isFullRange {
    case true?: AVCOL_RANGE_JPEG
    case false?: AVCOL_RANGE_MPEG
    case nil: AVCOL_RANGE_UNSPECIFIED
    }
  }

  /// nil for no name and for names that FFmpeg does not know.
  private func code(_ name: String?, _ find: (UnsafePointer<CChar>) -> Int32) -> Int32? {
    guard let name else { return nil }
    let code = unsafe name.withCString { unsafe find($0) }
    return code < 0 ? nil : code
  }
}

extension PixelFormatID {
  /// The number of planes; a palette is not counted.
  package var planeCount: Int { max(0, Int(av_pix_fmt_count_planes(AVPixelFormat(rawValue)))) }

  /// Whether a plane holds colour differences alone.
  package func isChroma(plane: Int) -> Bool {
    guard !isRGB, let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    let components = unsafe descriptor.pointee.comp
    let count = unsafe Int(descriptor.pointee.nb_components)
    guard count > 2, components.0.plane != plane else { return false }
    return components.1.plane == plane || components.2.plane == plane
  }

  /// Whether pictures of this format lie on a device, not in memory.
  package var isHardware: Bool {
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    return unsafe descriptor.pointee.flags & UInt64(AV_PIX_FMT_FLAG_HWACCEL) != 0
  }
  /// Whether libswscale writes the format.
  package var isWritable: Bool { sws_isSupportedOutput(AVPixelFormat(rawValue)) > 0 }
  /// One component, or one beside alpha.
  package var isGrey: Bool {
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    return unsafe descriptor.pointee.nb_components < 3 && !isRGB && !isPalette
  }
}

extension Frame {
  /// Gives a resized picture that nobody else holds yet the sample aspect ratio that keeps `source`'s shape.
  package func keepShape(of source: Frame) {
    let ratio = unsafe source.raw.pointee.sample_aspect_ratio
    guard ratio.num > 0, ratio.den > 0 else { return }
    var (numerator, denominator) = (Int32(0), Int32(1))
    unsafe av_reduce(
      &numerator, &denominator, Int64(ratio.num) * Int64(source.width) * Int64(height),
      Int64(ratio.den) * Int64(source.height) * Int64(width), Int64(Int32.max))
    unsafe raw.pointee.sample_aspect_ratio = AVRational(num: numerator, den: denominator)
  }

  /// Lends the rows of a plane for writing, their padding included, before the frame is published.
  package func withRows(_ index: Int, _ body: (UnsafeMutableRawBufferPointer) -> Void) {
    let plane = plane(index)
    guard plane.bytesPerRow > 0 else { return }
    unsafe body(
      UnsafeMutableRawBufferPointer(
        start: planeAddress(index), count: plane.bytesPerRow * plane.height))
  }
}

extension PixelFormatID {
  private func has(_ flag: Int32) -> Bool {
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    return unsafe descriptor.pointee.flags & UInt64(flag) != 0
  }

  /// Whether every component is a native-endian word of 16 bits with the value in its lower ones.
  package var hasWords: Bool {
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    let component = unsafe descriptor.pointee.comp.0
    let isNative = has(AV_PIX_FMT_FLAG_BE) == (1.bigEndian == 1)
    return isNative && !has(AV_PIX_FMT_FLAG_FLOAT) && !has(AV_PIX_FMT_FLAG_BITSTREAM)
      && component.shift == 0 && (component.depth == 16 || has(AV_PIX_FMT_FLAG_PLANAR) && component.depth > 8)
  }

  /// P010, P016 and their like: luma, then pairs of colour differences, in the upper bits of 16.
  package var isSemiplanarDeep: Bool {
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(rawValue)) else { return false }
    return unsafe planeCount == 2 && !isRGB && descriptor.pointee.comp.0.depth > 8
      && descriptor.pointee.comp.0.shift + descriptor.pointee.comp.0.depth == 16
      && has(AV_PIX_FMT_FLAG_BE) == (1.bigEndian == 1)
  }
}
