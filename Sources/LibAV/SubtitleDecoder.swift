internal import CFFmpeg

/// Owner of one decoding `AVCodecContext` for subtitles and captions.
@safe package struct SubtitleDecoder: ~Copyable {
  private let raw: UnsafeMutablePointer<AVCodecContext>

  /// What one packet gave.
  package struct Result: Sendable {
    /// The events as the lines of an ASS file have them, their number and layer first; bytes, because a source may lie
    /// about its encoding.
    package var events: [[UInt8]] = []
    /// Whether the packet holds pictures instead of text.
    package var holdsPictures = false
    /// When it appears, in microseconds, where the decoder says so.
    package var startMicroseconds: Int64?
    /// Milliseconds from the packet's time on; nil where the packet's own duration holds.
    package var endMilliseconds: Int64?
    /// Whether anything came out: an empty result clears what is on show.
    package var isPresent = false
  }

  private init(owning raw: UnsafeMutablePointer<AVCodecContext>) { unsafe self.raw = raw }

  /// A decoder for a codec by FFmpeg's name (`subrip`, `mov_text`, `webvtt`, `ass`, `eia_608`).
  package static func open(
    codec name: String, extradata: [UInt8], timeBase: (numerator: Int32, denominator: Int32)
  ) throws(AVError) -> SubtitleDecoder {
    Log.start()
    Log.clear()
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name),
      let codec = unsafe avcodec_find_decoder(descriptor.pointee.id)
    else { throw AVError(code: cff_ERROR_DECODER_NOT_FOUND, function: "avcodec_find_decoder") }
    guard let context = unsafe avcodec_alloc_context3(codec) else {
      throw .outOfMemory("avcodec_alloc_context3")
    }
    let decoder = unsafe SubtitleDecoder(owning: context)
    unsafe context.pointee.pkt_timebase = AVRational(num: timeBase.numerator, den: timeBase.denominator)
    // Text that is no UTF-8 is repaired by who reads the events, not refused.
    unsafe context.pointee.sub_charenc_mode = FF_SUB_CHARENC_MODE_IGNORE
    if !extradata.isEmpty {
      guard let copy = unsafe av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
        throw .outOfMemory("av_mallocz")
      }
      unsafe extradata.withUnsafeBytes {
        unsafe copy.copyMemory(from: unsafe $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: extradata.count)
      }
      unsafe context.pointee.extradata = copy.assumingMemoryBound(to: UInt8.self)
      unsafe context.pointee.extradata_size = Int32(clamping: extradata.count)
    }
    try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
    return decoder
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe raw
    unsafe avcodec_free_context(&context)
  }

  /// The head of an ASS file with the styles that events refer to; empty where there is none.
  package var header: [UInt8] {
    guard let bytes = unsafe raw.pointee.subtitle_header else { return [] }
    return unsafe Array(
      UnsafeBufferPointer(start: bytes, count: Int(max(0, raw.pointee.subtitle_header_size))))
  }

  /// Decodes the bytes of one packet; empty bytes drain what the decoder holds back.
  package mutating func decode(
    _ bytes: [UInt8], pts: Int64?, duration: Int64
  ) throws(AVError) -> Result {
    Log.clear()
    let packet = try Packet.make()
    if !bytes.isEmpty {
      try check(unsafe av_new_packet(packet.raw, Int32(clamping: bytes.count)), "av_new_packet")
      unsafe bytes.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(start: packet.raw.pointee.data, count: bytes.count)
          .copyMemory(from: source)
      }
    }
    unsafe packet.raw.pointee.pts = pts ?? cff_NO_PTS
    unsafe packet.raw.pointee.duration = duration
    var subtitle = unsafe AVSubtitle()
    var got: Int32 = 0
    try check(
      unsafe avcodec_decode_subtitle2(raw, &subtitle, &got, packet.raw), "avcodec_decode_subtitle2")
    guard got != 0 else { return Result() }
    defer { unsafe avsubtitle_free(&subtitle) }
    var result = Result(isPresent: true)
    if unsafe subtitle.pts != cff_NO_PTS { result.startMicroseconds = unsafe subtitle.pts }
    let end = unsafe subtitle.end_display_time
    if end > 0, end != .max { result.endMilliseconds = Int64(end) }
    for index in 0..<(unsafe Int(subtitle.num_rects)) {
      guard let rect = unsafe subtitle.rects[index] else { continue }
      if unsafe rect.pointee.type == SUBTITLE_BITMAP { result.holdsPictures = true }
      guard let text = unsafe rect.pointee.ass else { continue }
      unsafe result.events.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
    }
    return result
  }

  /// Forgets what was sent so far.
  package mutating func flush() { unsafe avcodec_flush_buffers(raw) }
}

extension SubtitleDecoder {
  /// Whether a codec stores pictures instead of text; nil for codecs that FFmpeg does not know.
  package static func storesPictures(codec name: String) -> Bool? {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name) else { return nil }
    return unsafe descriptor.pointee.props & AV_CODEC_PROP_BITMAP_SUB != 0
  }
}

extension Frame {
  /// The caption bytes that came with a picture: triples of a type and two bytes (CEA-708, ATSC A/53); empty without.
  package var captionBytes: [UInt8] {
    guard let data = unsafe av_frame_get_side_data(raw, AV_FRAME_DATA_A53_CC) else { return [] }
    return unsafe Array(UnsafeBufferPointer(start: data.pointee.data, count: data.pointee.size))
  }
}
