internal import CFFmpeg

/// Encodes one RGBA picture to the bytes of an image file: PNG, JPEG or WebP.
package enum PictureEncoder {
  package enum Format: Sendable, Hashable { case png, jpeg, webp }

  package struct Picture {
    package var width: Int
    package var height: Int
    package var bytesPerRow: Int
    /// 8 or 16 bits a component, RGBA.
    package var isDeep: Bool
    package var hasAlpha: Bool
    package var primaries: String
    package var transfer: String

    package init(
      width: Int, height: Int, bytesPerRow: Int, isDeep: Bool, hasAlpha: Bool, primaries: String,
      transfer: String
    ) {
      self.width = width
      self.height = height
      self.bytesPerRow = bytesPerRow
      self.isDeep = isDeep
      self.hasAlpha = hasAlpha
      self.primaries = primaries
      self.transfer = transfer
    }
  }

  /// `quality` 0…1 serves JPEG and WebP; PNG is lossless.
  package static func encode(
    _ bytes: UnsafeRawBufferPointer, _ picture: Picture, as format: Format, quality: Double
  ) throws(AVError) -> [UInt8] {
    Log.start()
    Log.clear()
    let name =
      switch format {
      case .png: "png";
      case .jpeg: "mjpeg";
      case .webp: "libwebp"
      }
    guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
      throw AVError(
        code: cff_ERROR_ENCODER_NOT_FOUND, function: "avcodec_find_encoder_by_name",
        log: "no encoder named \(name)")
    }
    let source = picture.isDeep ? PixelFormatID.rgba64 : .rgba
    let target = targetFormat(picture, format)
    let frame = unsafe try makeFrame(bytes, picture, source: source, target: target)
    guard let context = unsafe avcodec_alloc_context3(codec) else {
      throw .outOfMemory("avcodec_alloc_context3")
    }
    var owned: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    defer { unsafe avcodec_free_context(&owned) }
    unsafe context.pointee.width = Int32(clamping: picture.width)
    unsafe context.pointee.height = Int32(clamping: picture.height)
    unsafe context.pointee.pix_fmt = AVPixelFormat(target.rawValue)
    unsafe context.pointee.time_base = AVRational(num: 1, den: 25)
    unsafe context.pointee.thread_count = 1
    unsafe context.pointee.color_primaries = primaries(picture.primaries)
    unsafe context.pointee.color_trc = transfer(picture.transfer)
    let quality = min(1, max(0, quality))
    switch format {
    case .png:
      // A quarter smaller than the defaults (no prediction, level 6) and faster, measured on a noisy 1080p picture.
      unsafe context.pointee.compression_level = 3
      _ = unsafe av_opt_set(context, "pred", "mixed", AV_OPT_SEARCH_CHILDREN)
    case .jpeg:
      unsafe context.pointee.color_range = AVCOL_RANGE_JPEG
      unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      // 2 is the finest quantiser of the MJPEG encoder, 31 the coarsest.
      let scale = Int32((2 + (1 - quality) * 29).rounded())
      unsafe context.pointee.global_quality = scale * FF_QP2LAMBDA
      unsafe frame.raw.pointee.quality = scale * FF_QP2LAMBDA
      unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_UNOFFICIAL
    case .webp:
      _ = unsafe av_opt_set_double(context, "quality", quality * 100, AV_OPT_SEARCH_CHILDREN)
    }
    try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
    try check(unsafe avcodec_send_frame(context, frame.raw), "avcodec_send_frame")
    _ = unsafe avcodec_send_frame(context, nil)
    let packet = try Packet.make()
    try check(unsafe avcodec_receive_packet(context, packet.raw), "avcodec_receive_packet")
    return packet.withBytes { span in
      unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }

  /// Names that this FFmpeg does not know are unspecified; its own look-up answers them with an error code.
  private static func primaries(_ name: String) -> AVColorPrimaries {
    let number = unsafe av_color_primaries_from_name(name)
    return number < 0 ? AVCOL_PRI_UNSPECIFIED : AVColorPrimaries(UInt32(bitPattern: number))
  }

  private static func transfer(_ name: String) -> AVColorTransferCharacteristic {
    let number = unsafe av_color_transfer_from_name(name)
    return number < 0
      ? AVCOL_TRC_UNSPECIFIED : AVColorTransferCharacteristic(UInt32(bitPattern: number))
  }

  private static func targetFormat(_ picture: Picture, _ format: Format) -> PixelFormatID {
    switch format {
    case .png:
      .named(
        picture.isDeep
          ? (picture.hasAlpha ? "rgba64be" : "rgb48be") : picture.hasAlpha ? "rgba" : "rgb24")
    case .jpeg: .named("yuvj444p")
    case .webp: .named(picture.hasAlpha ? "yuva420p" : "yuv420p")
    }
  }

  private static func makeFrame(
    _ bytes: UnsafeRawBufferPointer, _ picture: Picture, source: PixelFormatID,
    target: PixelFormatID
  ) throws(AVError) -> Frame {
    let frame = try Frame.make()
    unsafe frame.raw.pointee.width = Int32(clamping: picture.width)
    unsafe frame.raw.pointee.height = Int32(clamping: picture.height)
    unsafe frame.raw.pointee.format = target.rawValue
    try check(unsafe av_frame_get_buffer(frame.raw, 0), "av_frame_get_buffer")
    let scaler = unsafe cff_scaler_make(
      frame.raw.pointee.width, frame.raw.pointee.height, source.rawValue, frame.raw.pointee.width,
      frame.raw.pointee.height, target.rawValue,
      cff_SWS_BILINEAR | cff_SWS_ACCURATE_RND | cff_SWS_FULL_CHR_H_INP)
    guard let scaler = unsafe scaler else {
      throw AVError(code: cff_error(EINVAL), function: "sws_getContext", log: Log.lastErrorLine())
    }
    defer { unsafe cff_scaler_free(scaler) }
    // JPEG and WebP files hold BT.601; JPEG full range, WebP limited.
    _ = unsafe cff_scaler_set_colour(scaler, SWS_CS_ITU601, 1, target.impliesFullRange ? 1 : 0)
    var rows: [UnsafePointer<UInt8>?] = unsafe [
      bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, nil, nil,
    ]
    let strides: [Int32] = [Int32(clamping: picture.bytesPerRow), 0, 0, 0]
    let data = unsafe frame.raw.pointee.data
    var planes: [UnsafeMutablePointer<UInt8>?] = unsafe [data.0, data.1, data.2, data.3]
    let lines = unsafe frame.raw.pointee.linesize
    let targetStrides = [lines.0, lines.1, lines.2, lines.3]
    try check(
      unsafe cff_scaler_run(
        scaler, &rows, strides, frame.raw.pointee.height, &planes, targetStrides), "sws_scale")
    return frame
  }
}
