internal import CFFmpeg

/// Owner of one encoding `AVCodecContext`, for pictures or for sound.
@safe package struct Encoder: ~Copyable {
  private let raw: UnsafeMutablePointer<AVCodecContext>
  /// Carries a frame's data under the times of the output.
  private let timed: Frame
  private let fieldOrder: StreamInfo.FieldOrder?

  /// What `receive` gave: `needsInput` and `finished` are outcomes, not errors.
  package enum Outcome: Sendable { case packet(Packet), needsInput, finished }

  /// How pictures are encoded.
  package struct VideoOptions: Sendable {
    /// FFmpeg's name of the encoder (`libx264`).
    package var encoder: String
    package var width: Int
    package var height: Int
    package var pixelFormat: PixelFormatID
    package var timeBase: (numerator: Int32, denominator: Int32)
    package var frameRate: (Int32, Int32)?
    package var bitRate: Int64?
    /// Of the quantiser, 1 (finest) and up, for encoders that take one.
    package var quantizer: Int?
    package var maximumKeyFrameInterval: Int?
    package var maximumBFrames: Int?
    package var profile: Int32?
    package var level: Int32?
    package var sampleAspectRatio: (Int32, Int32) = (0, 1)
    package var colour = ColourDescription()
    package var fieldOrder: StreamInfo.FieldOrder?
    package var threads = 1
    package var hasGlobalHeader = false
    /// 1 to gather statistics, 2 to use them, nil for a single pass.
    package var pass: Int?
    package var statistics: String?
    /// The encoder's own options; one that it does not know is an error.
    package var options: [String: String] = [:]

    package init(
      encoder: String, width: Int, height: Int, pixelFormat: PixelFormatID,
      timeBase: (numerator: Int32, denominator: Int32)
    ) {
      self.encoder = encoder
      self.width = width
      self.height = height
      self.pixelFormat = pixelFormat
      self.timeBase = timeBase
    }
  }

  /// How sound is encoded.
  package struct AudioOptions: Sendable {
    package var encoder: String
    package var sampleFormat: SampleFormatID
    package var sampleRate: Int
    package var channels: Int
    package var layout: String?
    package var bitRate: Int64?
    /// Of the encoder's own scale, for variable bit rates.
    package var quality: Double?
    package var bitDepth: Int?
    package var hasGlobalHeader = false
    package var options: [String: String] = [:]

    package init(encoder: String, sampleFormat: SampleFormatID, sampleRate: Int, channels: Int, layout: String?) {
      self.encoder = encoder
      self.sampleFormat = sampleFormat
      self.sampleRate = sampleRate
      self.channels = channels
      self.layout = layout
    }
  }

  private init(owning raw: UnsafeMutablePointer<AVCodecContext>, timed: Frame, fieldOrder: StreamInfo.FieldOrder? = nil)
  {
    unsafe self.raw = raw
    self.timed = timed
    self.fieldOrder = fieldOrder
  }

  deinit {
    // Of a first pass; libav leaves it to its caller.
    unsafe av_freep(&raw.pointee.stats_in)
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe raw
    unsafe avcodec_free_context(&context)
  }

  package static func open(_ options: VideoOptions) throws(AVError) -> Encoder {
    let (codec, context) = unsafe try allocate(options.encoder)
    let encoder = unsafe Encoder(owning: context, timed: try Frame.make(), fieldOrder: options.fieldOrder)
    unsafe context.pointee.width = Int32(clamping: options.width)
    unsafe context.pointee.height = Int32(clamping: options.height)
    unsafe context.pointee.pix_fmt = AVPixelFormat(options.pixelFormat.rawValue)
    unsafe context.pointee.time_base = AVRational(num: options.timeBase.numerator, den: options.timeBase.denominator)
    if let rate = options.frameRate { unsafe context.pointee.framerate = AVRational(num: rate.0, den: rate.1) }
    unsafe cff_set_picture_ticks(context)
    if let rate = options.bitRate { unsafe context.pointee.bit_rate = rate }
    if let quantizer = options.quantizer {
      unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      unsafe context.pointee.global_quality = Int32(clamping: quantizer) * FF_QP2LAMBDA
    }
    if let interval = options.maximumKeyFrameInterval { unsafe context.pointee.gop_size = Int32(clamping: interval) }
    if let frames = options.maximumBFrames { unsafe context.pointee.max_b_frames = Int32(clamping: frames) }
    if let profile = options.profile { unsafe context.pointee.profile = profile }
    if let level = options.level { unsafe context.pointee.level = level }
    unsafe context.pointee.sample_aspect_ratio = AVRational(
      num: options.sampleAspectRatio.0, den: options.sampleAspectRatio.1)
    let colour = ColourNumbers(options.colour)
    unsafe context.pointee.color_primaries = colour.primaries
    unsafe context.pointee.color_trc = colour.transfer
    unsafe context.pointee.colorspace = colour.matrix
    unsafe context.pointee.color_range = colour.range
    unsafe context.pointee.chroma_sample_location =
      options.pixelFormat.hasVerticalSubsampling ? AVCHROMA_LOC_LEFT : AVCHROMA_LOC_UNSPECIFIED
    switch options.fieldOrder {
    case .topFirst?: unsafe context.pointee.field_order = AV_FIELD_TT
    case .bottomFirst?: unsafe context.pointee.field_order = AV_FIELD_BB
    case .progressive?: unsafe context.pointee.field_order = AV_FIELD_PROGRESSIVE
    case nil: break
    }
    if options.fieldOrder == .topFirst || options.fieldOrder == .bottomFirst {
      unsafe context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME
    }
    unsafe context.pointee.thread_count = Int32(clamping: max(1, options.threads))
    if options.hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    if options.pass == 1 { unsafe context.pointee.flags |= AV_CODEC_FLAG_PASS1 }
    if options.pass == 2, let statistics = options.statistics {
      unsafe context.pointee.flags |= AV_CODEC_FLAG_PASS2
      unsafe context.pointee.stats_in = av_strdup(statistics)
    }
    unsafe try finishOpening(context, codec, options.options)
    return encoder
  }

  package static func open(_ options: AudioOptions) throws(AVError) -> Encoder {
    let (codec, context) = unsafe try allocate(options.encoder)
    let encoder = unsafe Encoder(owning: context, timed: try Frame.make())
    unsafe context.pointee.sample_fmt = AVSampleFormat(options.sampleFormat.rawValue)
    unsafe context.pointee.sample_rate = Int32(clamping: options.sampleRate)
    unsafe context.pointee.time_base = AVRational(num: 1, den: Int32(clamping: options.sampleRate))
    unsafe context.pointee.ch_layout = try Resampler.layout(options.layout, channels: options.channels)
    if let rate = options.bitRate { unsafe context.pointee.bit_rate = rate }
    if let quality = options.quality {
      unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      unsafe context.pointee.global_quality = Int32(quality * Double(FF_QP2LAMBDA))
    }
    if let depth = options.bitDepth { unsafe context.pointee.bits_per_raw_sample = Int32(clamping: depth) }
    if options.hasGlobalHeader { unsafe context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER }
    unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    unsafe context.pointee.thread_count = 1
    unsafe try finishOpening(context, codec, options.options)
    return encoder
  }

  private static func allocate(
    _ name: String
  ) throws(AVError) -> (UnsafePointer<AVCodec>, UnsafeMutablePointer<AVCodecContext>) {
    Log.start()
    Log.clear()
    guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
      throw AVError(
        code: cff_ERROR_ENCODER_NOT_FOUND, function: "avcodec_find_encoder_by_name", log: "no encoder named \(name)")
    }
    guard let context = unsafe avcodec_alloc_context3(codec) else { throw .outOfMemory("avcodec_alloc_context3") }
    return unsafe (codec, context)
  }

  private static func finishOpening(
    _ context: UnsafeMutablePointer<AVCodecContext>, _ codec: UnsafePointer<AVCodec>, _ options: [String: String]
  ) throws(AVError) {
    unsafe context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    var unknown: [String] = []
    let result = unsafe Dictionary.lend(options) { values in
      let result = unsafe avcodec_open2(context, codec, &values)
      unknown = unsafe Dictionary.read(values).keys.sorted()
      return result
    }
    try check(result, "avcodec_open2")
    guard unknown.isEmpty else {
      throw AVError(
        code: cff_error(EINVAL), function: "avcodec_open2",
        log: "the encoder knows no option \(unknown.joined(separator: ", "))")
    }
  }

  /// How the packets are coded; set-up bytes included where the encoder gives them at once.
  package func parameters() throws(AVError) -> CodecParameters { unsafe try CodecParameters.copying(raw) }

  /// Samples of a frame of sound; 0 where any number will do.
  package var frameSize: Int { unsafe Int(raw.pointee.frame_size) }
  /// Samples that decoding gives before the first one that was put in.
  package var initialPadding: Int { unsafe Int(raw.pointee.initial_padding) }
  package var timeBase: (numerator: Int32, denominator: Int32) {
    unsafe (raw.pointee.time_base.num, raw.pointee.time_base.den)
  }
  /// What a first pass has gathered so far.
  package var statistics: String? { unsafe raw.pointee.stats_out.map { unsafe String(cString: $0) } }

  /// Sends a frame under other times, or nil to drain. False when output must be taken first.
  package mutating func send(
    _ frame: Frame?, time: Int64 = 0, duration: Int64 = 0, isForcedKey: Bool = false
  ) throws(AVError) -> Bool {
    Log.clear()
    guard let frame else {
      let result = unsafe avcodec_send_frame(raw, nil)
      if result == cff_ERROR_EAGAIN { return false }
      if result != cff_ERROR_EOF { try check(result, "avcodec_send_frame") }
      return true
    }
    try check(unsafe av_frame_ref(timed.raw, frame.raw), "av_frame_ref")
    defer { unsafe av_frame_unref(timed.raw) }
    unsafe timed.raw.pointee.pts = time
    unsafe cff_frame_set_duration(timed.raw, duration)
    // The source's kind of picture would be taken for an order.
    unsafe cff_frame_set_key(timed.raw, isForcedKey ? 1 : 0)
    switch fieldOrder {
    case .topFirst?: unsafe cff_frame_set_fields(timed.raw, 1, 1)
    case .bottomFirst?: unsafe cff_frame_set_fields(timed.raw, 1, 0)
    case .progressive?, nil: unsafe cff_frame_set_fields(timed.raw, 0, 0)
    }
    let result = unsafe avcodec_send_frame(raw, timed.raw)
    if result == cff_ERROR_EAGAIN { return false }
    try check(result, "avcodec_send_frame")
    return true
  }

  /// The next packet in decode order, with times in the encoder's time base.
  package mutating func receive() throws(AVError) -> Outcome {
    let packet = try Packet.make()
    let result = unsafe avcodec_receive_packet(raw, packet.raw)
    if result == cff_ERROR_EAGAIN { return .needsInput }
    if result == cff_ERROR_EOF { return .finished }
    try check(result, "avcodec_receive_packet")
    return .packet(packet)
  }
}

extension PixelFormatID {
  /// Whether chroma has fewer rows than luma, so that its place matters.
  fileprivate var hasVerticalSubsampling: Bool { chromaShift.vertical > 0 }
}
