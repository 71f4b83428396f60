internal import CFFmpeg

extension Frame {
  /// Every other row as a picture of half the height: shares the memory, marked as progressive.
  ///
  /// - Parameter isTop: Rows 0, 2, 4, …; else rows 1, 3, 5, ….
  package func field(isTop: Bool) throws(AVError) -> Frame {
    let field = try Frame.make()
    try check(unsafe av_frame_ref(field.raw, raw), "av_frame_ref")
    unsafe withUnsafeMutablePointer(to: &field.raw.pointee.data) { data in
      unsafe withUnsafeMutablePointer(to: &field.raw.pointee.linesize) { lines in
        let count = 8
        unsafe data.withMemoryRebound(to: UnsafeMutablePointer<UInt8>?.self, capacity: count) { planes in
          unsafe lines.withMemoryRebound(to: Int32.self, capacity: count) { strides in
            for index in 0..<count {
              if !isTop { unsafe planes[index] = planes[index]?.advanced(by: Int(strides[index])) }
              unsafe strides[index] *= 2
            }
          }
        }
      }
    }
    // Of an odd number of rows the bottom field has one fewer.
    unsafe field.raw.pointee.height = (raw.pointee.height + (isTop ? 1 : 0)) / 2
    unsafe cff_frame_set_fields(field.raw, 0, 0)
    let ratio = unsafe raw.pointee.sample_aspect_ratio
    if ratio.num > 0 { unsafe field.raw.pointee.sample_aspect_ratio = AVRational(num: ratio.num, den: ratio.den * 2) }
    return field
  }
}

/// Copies pictures plane by plane, turned by right angles or mirrored.
extension Frame {
  /// A turned copy. Width and height of chroma have to be halved alike, or not at all, when rows become columns.
  ///
  /// - Parameters:
  ///   - transposes: Rows become columns, before the reversals.
  ///   - reversesColumns: Left and right change places in the result.
  ///   - reversesRows: Top and bottom change places in the result.
  package func turned(transposes: Bool, reversesColumns: Bool, reversesRows: Bool) throws(AVError) -> Frame {
    let shift = format.chromaShift
    guard let descriptor = unsafe av_pix_fmt_desc_get(AVPixelFormat(format.rawValue)),
      unsafe descriptor.pointee.flags
        & UInt64(AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_BITSTREAM | AV_PIX_FMT_FLAG_HWACCEL) == 0,
      !transposes || shift.horizontal == shift.vertical
    else {
      throw AVError(code: cff_error(ENOSYS), function: "turn", log: "pictures of this pixel format can't be turned")
    }
    var steps = [Int](repeating: 0, count: 4)
    let components = unsafe [
      descriptor.pointee.comp.0, descriptor.pointee.comp.1, descriptor.pointee.comp.2, descriptor.pointee.comp.3,
    ]
    for component in components.prefix(unsafe Int(descriptor.pointee.nb_components)) {
      steps[Int(component.plane)] = max(steps[Int(component.plane)], Int(component.step))
    }
    let (width, height) = (self.width, self.height)
    let ratio = sampleAspectRatio
    let isChroma = { (plane: Int) in steps.filter { $0 > 0 }.count > 1 && (plane == 1 || plane == 2) }
    return unsafe try Frame.picture(
      width: transposes ? height : width, height: transposes ? width : height, format: format, colour: colour,
      sampleAspectRatio: transposes && ratio.0 > 0 ? (ratio.1, ratio.0) : ratio
    ) { planes, strides throws(AVError) in
      for plane in 0..<4 where steps[plane] > 0 {
        guard let target = unsafe planes[plane], let source = unsafe planeAddress(plane) else { continue }
        let columns = isChroma(plane) ? (width + (1 << shift.horizontal) - 1) >> shift.horizontal : width
        let rows = isChroma(plane) ? (height + (1 << shift.vertical) - 1) >> shift.vertical : height
        let stride = self.plane(plane).bytesPerRow
        let (outColumns, outRows) = transposes ? (rows, columns) : (columns, rows)
        let step = steps[plane]
        for y in 0..<outRows {
          let row = reversesRows ? outRows - 1 - y : y
          for x in 0..<outColumns {
            let column = reversesColumns ? outColumns - 1 - x : x
            let from = transposes ? column * stride + row * step : row * stride + column * step
            let to = y * strides[plane] + x * step
            switch step {
            case 1:
              unsafe target.storeBytes(
                of: source.load(fromByteOffset: from, as: UInt8.self), toByteOffset: to, as: UInt8.self)
            case 2:
              unsafe target.storeBytes(
                of: source.loadUnaligned(fromByteOffset: from, as: UInt16.self), toByteOffset: to, as: UInt16.self)
            default: unsafe (target + to).copyMemory(from: source + from, byteCount: step)
            }
          }
        }
      }
    }
  }
}
