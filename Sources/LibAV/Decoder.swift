internal import CFFmpeg

/// Owner of one decoding `AVCodecContext`.
@safe package struct Decoder: ~Copyable {
  private let raw: UnsafeMutablePointer<AVCodecContext>
  /// Carries a packet's data under a number in place of its time.
  private let numbered: Packet
  private let census: DecoderCensus?

  /// What `receive` gave: `needsInput` and `finished` are outcomes, not errors.
  package enum Outcome: Sendable { case frame(Frame), needsInput, finished }

  package struct Options: Sendable {
    /// 1 decodes without delay; more decode frames side by side.
    package var threads: Int
    /// A decoder by name where the codec's first one will not do (`libvpx-vp9` for alpha).
    package var decoderName: String?
    package var maximumPixels: Int64
    /// Pictures that the decoder holds back at least; streams without such a word of their own lose pictures else.
    package var minimumReorderDelay: Int
    package init(
      threads: Int = 1, decoderName: String? = nil, maximumPixels: Int64 = 1 << 28,
      minimumReorderDelay: Int = 0
    ) {
      self.threads = threads
      self.decoderName = decoderName
      self.maximumPixels = maximumPixels
      self.minimumReorderDelay = minimumReorderDelay
    }
  }

  private init(owning raw: UnsafeMutablePointer<AVCodecContext>, numbered: Packet) {
    unsafe self.raw = raw
    self.numbered = numbered
    census = DecoderCensus.current
    census?.add(1)
  }

  package static func open(_ demuxer: borrowing Demuxer, stream: Int, options: Options)
    throws(AVError) -> Decoder
  {
    unsafe try demuxer.withParameters(stream: stream) { stream throws(AVError) in
      unsafe try open(
        parameters: stream.pointee.codecpar, timeBase: stream.pointee.time_base, options: options)
    }
  }

  /// A decoder for one stored picture of a codec known by name (`png`, `mjpeg`).
  package static func open(codec name: String, options: Options) throws(AVError) -> Decoder {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name),
      let parameters = unsafe avcodec_parameters_alloc()
    else { throw AVError(code: cff_ERROR_DECODER_NOT_FOUND, function: "avcodec_find_decoder") }
    var owned: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
    defer { unsafe avcodec_parameters_free(&owned) }
    unsafe parameters.pointee.codec_type = descriptor.pointee.type
    unsafe parameters.pointee.codec_id = descriptor.pointee.id
    return unsafe try open(
      parameters: parameters, timeBase: AVRational(num: 1, den: 1000), options: options)
  }

  private static func open(
    parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational, options: Options
  ) throws(AVError) -> Decoder {
    Log.start()
    Log.clear()
    let id = unsafe parameters.pointee.codec_id
    let named = unsafe options.decoderName.flatMap { unsafe avcodec_find_decoder_by_name($0) }
    guard let codec = unsafe named ?? avcodec_find_decoder(id) else {
      throw AVError(code: cff_ERROR_DECODER_NOT_FOUND, function: "avcodec_find_decoder")
    }
    let numbered = try Packet.make()
    guard let context = unsafe avcodec_alloc_context3(codec) else {
      throw .outOfMemory("avcodec_alloc_context3")
    }
    let decoder = unsafe Decoder(owning: context, numbered: numbered)
    try check(
      unsafe avcodec_parameters_to_context(context, parameters), "avcodec_parameters_to_context")
    unsafe context.pointee.pkt_timebase = timeBase
    unsafe context.pointee.thread_count = Int32(clamping: max(1, options.threads))
    unsafe context.pointee.thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE
    unsafe context.pointee.max_pixels = options.maximumPixels
    let delay = unsafe max(
      context.pointee.has_b_frames, Int32(clamping: options.minimumReorderDelay))
    unsafe context.pointee.has_b_frames = delay
    try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
    return decoder
  }

  deinit {
    census?.add(-1)
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe raw
    unsafe avcodec_free_context(&context)
  }

  /// Whether packets sent from now on may be dropped when no other frame needs them.
  package mutating func setSkipsNonReferenceFrames(_ skips: Bool) {
    unsafe raw.pointee.skip_frame = skips ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
  }

  /// The number of frames that the codec may hold back for reordering.
  package var reorderDelay: Int { unsafe Int(raw.pointee.has_b_frames) }

  /// Sends a packet, or nil to drain. False when output must be taken first.
  package mutating func send(_ packet: Packet?) throws(AVError) -> Bool {
    Log.clear()
    let result = unsafe avcodec_send_packet(raw, packet?.raw)
    if result == cff_ERROR_EAGAIN { return false }
    if result == cff_ERROR_EOF { return true }
    try check(result, "avcodec_send_packet")
    return true
  }

  /// Sends a packet whose frame will carry `number` in place of its presentation time. False when output must be taken
  /// first.
  ///
  /// Decoders hand a packet's time on to its frame and make no other use of it, so a number tells which packet a frame
  /// came from even where times are missing, wrong or not unique.
  package mutating func send(_ packet: Packet, number: Int64) throws(AVError) -> Bool {
    try check(unsafe av_packet_ref(numbered.raw, packet.raw), "av_packet_ref")
    defer { unsafe av_packet_unref(numbered.raw) }
    unsafe numbered.raw.pointee.pts = number
    return try send(numbered)
  }

  /// The next frame in presentation order.
  package mutating func receive() throws(AVError) -> Outcome {
    let frame = try Frame.make()
    let result = unsafe avcodec_receive_frame(raw, frame.raw)
    if result == cff_ERROR_EAGAIN { return .needsInput }
    if result == cff_ERROR_EOF { return .finished }
    try check(result, "avcodec_receive_frame")
    return .frame(frame)
  }

  /// What `receive(into:)` did.
  package enum Step: Sendable { case frame, needsInput, finished }

  /// Puts the next frame into one that nobody else holds, without taking memory for it.
  package mutating func receive(into frame: Frame) throws(AVError) -> Step {
    // The call drops what the frame held.
    let result = unsafe avcodec_receive_frame(raw, frame.raw)
    if result == cff_ERROR_EAGAIN { return .needsInput }
    if result == cff_ERROR_EOF { return .finished }
    try check(result, "avcodec_receive_frame")
    return .frame
  }

  /// Forgets everything sent so far, before packets from elsewhere in the stream.
  package mutating func flush() { unsafe avcodec_flush_buffers(raw) }
}

extension Decoder {
  /// Decodes one picture from bytes held in memory.
  package mutating func decodePicture(_ bytes: [UInt8]) throws(AVError) -> Frame? {
    let packet = try Packet.copying(bytes)
    _ = try send(packet)
    _ = try send(nil)
    if case .frame(let frame) = try receive() { return frame }
    return nil
  }
}

extension Demuxer {
  /// A decoder for one of the demuxer's streams.
  package func openDecoder(stream: Int, options: Decoder.Options) throws(AVError) -> Decoder {
    try Decoder.open(self, stream: stream, options: options)
  }
}
