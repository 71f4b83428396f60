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
