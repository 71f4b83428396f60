internal import CFFmpeg

/// What pictures of high dynamic range say of their light: static (SMPTE ST 2086, CTA-861.3) and of each picture
/// (HDR10+, HDR Vivid). Dolby Vision's is left out: it says how to map pixels that nobody has changed.
extension Frame {
  private static var lightKinds: [AVFrameSideDataType] {
    [
      AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_FRAME_DATA_DYNAMIC_HDR_PLUS,
      AV_FRAME_DATA_DYNAMIC_HDR_VIVID,
    ]
  }

  /// Whether it says anything of its light.
  package var hasLight: Bool {
    Self.lightKinds.contains { kind in unsafe av_frame_get_side_data(raw, kind) != nil }
  }

  /// Whether it says something of this picture alone (HDR10+, HDR Vivid).
  package var hasOwnLight: Bool {
    Self.lightKinds.dropFirst(2).contains { kind in unsafe av_frame_get_side_data(raw, kind) != nil }
  }

  /// Takes over what `source` says of its light and this one does not, before the frame is published; copies no bytes.
  package func takeLight(of source: Frame) throws(AVError) {
    for kind in Self.lightKinds {
      guard let data = unsafe av_frame_get_side_data(source.raw, kind), unsafe av_frame_get_side_data(raw, kind) == nil
      else { continue }
      var buffer = unsafe av_buffer_ref(data.pointee.buf)
      guard unsafe av_frame_new_side_data_from_buf(raw, kind, buffer) != nil else {
        unsafe av_buffer_unref(&buffer)
        throw .outOfMemory("av_frame_new_side_data_from_buf")
      }
    }
  }

  /// The same picture, its pixels shared, with what `source` says of its light.
  package func withLight(of source: Frame) throws(AVError) -> Frame {
    let copy = try Frame.make()
    try check(unsafe av_frame_ref(copy.raw, raw), "av_frame_ref")
    try copy.takeLight(of: source)
    return copy
  }
}

extension Frame {
  /// A frame without a picture that says what a container says of its pictures' light; nil where it says nothing.
  package static func light(display: MasteringDisplay?, content: ContentLight?) throws(AVError) -> Frame? {
    guard display != nil || content != nil else { return nil }
    let frame = try Frame.make()
    if let display {
      guard let data = unsafe av_mastering_display_metadata_create_side_data(frame.raw) else {
        throw .outOfMemory("av_mastering_display_metadata_create_side_data")
      }
      // The units of ST 2086 itself.
      func chroma(_ value: Double) -> AVRational { AVRational(num: Int32(clamping: 50_000, value), den: 50_000) }
      func light(_ value: Double) -> AVRational { AVRational(num: Int32(clamping: 10_000, value), den: 10_000) }
      if display.primaries.count == 6, display.whitePoint.count == 2 {
        let p = display.primaries.map(chroma)
        unsafe data.pointee.display_primaries = ((p[0], p[1]), (p[2], p[3]), (p[4], p[5]))
        unsafe data.pointee.white_point = (chroma(display.whitePoint[0]), chroma(display.whitePoint[1]))
        unsafe data.pointee.has_primaries = 1
      }
      if let most = display.maximumLuminance {
        unsafe data.pointee.max_luminance = light(most)
        unsafe data.pointee.min_luminance = light(display.minimumLuminance ?? 0)
        unsafe data.pointee.has_luminance = 1
      }
    }
    if let content {
      guard let data = unsafe av_content_light_metadata_create_side_data(frame.raw) else {
        throw .outOfMemory("av_content_light_metadata_create_side_data")
      }
      unsafe data.pointee.MaxCLL = UInt32(clamping: content.maximumContent)
      unsafe data.pointee.MaxFALL = UInt32(clamping: content.maximumFrameAverage)
    }
    return frame
  }
}

extension Int32 {
  /// So many times a value, to the nearest; 0 for what is no number.
  fileprivate init(clamping unit: Double, _ value: Double) {
    let product = (unit * value).rounded()
    self = product.isNaN ? 0 : Int32(Swift.min(Double(Int32.max), Swift.max(Double(Int32.min), product)))
  }
}

extension CodecParameters {
  /// The same with what a picture says of all pictures' light, which containers have boxes for.
  package func adding(lightOf frame: Frame) throws(AVError) -> CodecParameters {
    var added: [(type: Int32, bytes: [UInt8])] = []
    for (kind, type) in [
      (AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA),
      (AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL),
    ] {
      guard let data = unsafe av_frame_get_side_data(frame.raw, kind) else { continue }
      let bytes = unsafe Array(UnsafeBufferPointer(start: data.pointee.data, count: data.pointee.size))
      added.append((Int32(type.rawValue), bytes))
    }
    return added.isEmpty ? self : try adding(sideData: added)
  }
}
