internal import CFFmpeg

/// One decoded picture or block of sound; reference counted by libav, never changed once published.
// @unchecked: `raw` is written by the decoder alone, before the frame is published.
@safe package final class Frame: @unchecked Sendable {
  let raw: UnsafeMutablePointer<AVFrame>

  private init(adopting raw: UnsafeMutablePointer<AVFrame>) { unsafe self.raw = raw }

  /// An empty frame; filled by a decoder while its maker alone holds it.
  package static func make() throws(AVError) -> Frame {
    guard let raw = unsafe av_frame_alloc() else { throw .outOfMemory("av_frame_alloc") }
    return unsafe Frame(adopting: raw)
  }

  deinit {
    var raw: UnsafeMutablePointer<AVFrame>? = unsafe raw
    unsafe av_frame_free(&raw)
  }

  package var width: Int { unsafe Int(raw.pointee.width) }
  package var height: Int { unsafe Int(raw.pointee.height) }
  /// The pixel format by libav's number, valid in this process only.
  package var format: PixelFormatID { unsafe PixelFormatID(rawValue: raw.pointee.format) }
  /// The presentation time that came with the packet.
  package var pts: Int64? { unsafe Self.time(raw.pointee.pts) }
  /// The number under which the frame's packet was sent.
  package var number: Int64? { pts }
  /// libav's best guess where the packet had no presentation time.
  package var bestEffortTime: Int64? { unsafe Self.time(raw.pointee.best_effort_timestamp) }
  package var packetDTS: Int64? { unsafe Self.time(raw.pointee.pkt_dts) }
  package var duration: Int64 { unsafe cff_frame_duration(raw) }
  package var isKey: Bool { unsafe cff_frame_is_key(raw) != 0 }
  package var isInterlaced: Bool { unsafe cff_frame_is_interlaced(raw) != 0 }
  package var isTopFieldFirst: Bool { unsafe cff_frame_is_top_field_first(raw) != 0 }
  /// Whether the decoder noticed damage in this picture.
  package var isDamaged: Bool {
    unsafe raw.pointee.decode_error_flags != 0 || raw.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0
  }
  package var sampleCount: Int { unsafe Int(raw.pointee.nb_samples) }
  package var sampleAspectRatio: (Int32, Int32) {
    unsafe (raw.pointee.sample_aspect_ratio.num, raw.pointee.sample_aspect_ratio.den)
  }
  package var colour: ColourDescription {
    unsafe ColourDescription(
      primaries: raw.pointee.color_primaries, transfer: raw.pointee.color_trc,
      matrix: raw.pointee.colorspace, range: raw.pointee.color_range)
  }

  package var masteringDisplay: MasteringDisplay? {
    guard let data = unsafe av_frame_get_side_data(raw, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA)
    else { return nil }
    return unsafe MasteringDisplay(bytes: data.pointee.data, count: data.pointee.size)
  }
  package var contentLight: ContentLight? {
    guard let data = unsafe av_frame_get_side_data(raw, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL) else {
      return nil
    }
    return unsafe ContentLight(bytes: data.pointee.data, count: data.pointee.size)
  }

  /// The number of bytes of the picture without padding, rows and planes joined.
  package var packedSize: Int {
    get throws(AVError) {
      unsafe Int(
        try check(
          av_image_get_buffer_size(
            AVPixelFormat(raw.pointee.format), raw.pointee.width, raw.pointee.height, 1),
          "av_image_get_buffer_size"))
    }
  }

  /// Copies the picture without padding; the bytes that `-f rawvideo` and `framemd5` see.
  package func copyPacked(into target: UnsafeMutableRawBufferPointer) throws(AVError) {
    _ = unsafe try withPlanes { planes, strides throws(AVError) in
      unsafe try check(
        av_image_copy_to_buffer(
          target.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: target.count),
          planes,
          strides, AVPixelFormat(raw.pointee.format), raw.pointee.width, raw.pointee.height, 1),
        "av_image_copy_to_buffer")
    }
  }

  func withPlanes<R, E: Error>(
    _ body: (UnsafePointer<UnsafePointer<UInt8>?>, UnsafePointer<Int32>) throws(E) -> R
  ) throws(E) -> R {
    let data = unsafe raw.pointee.data
    let strides = unsafe raw.pointee.linesize
    let planes: [UnsafePointer<UInt8>?] = unsafe [
      UnsafePointer(data.0), UnsafePointer(data.1), UnsafePointer(data.2), UnsafePointer(data.3),
    ]
    let rows = [strides.0, strides.1, strides.2, strides.3]
    // Typed throws do not pass through withUnsafeBufferPointer's rethrows; a result carries them.
    let result: Result<R, E> = unsafe planes.withUnsafeBufferPointer { planes in
      unsafe rows.withUnsafeBufferPointer { rows in
        guard let planes = planes.baseAddress, let rows = rows.baseAddress else {
          preconditionFailure("arrays of four are never empty")
        }
        do throws(E) { return .success(unsafe try body(planes, rows)) } catch {
          return .failure(error)
        }
      }
    }
    return try result.get()
  }

  private static func time(_ value: Int64) -> Int64? { value == cff_NO_PTS ? nil : value }
}
