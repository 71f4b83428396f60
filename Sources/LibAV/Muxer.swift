internal import CFFmpeg

/// Owner of one output `AVFormatContext` and its `OutputContext`.
///
/// Packets are written in the order in which they come: interleaving is the caller's. Framing that the container wants
/// otherwise than the packets have it (start codes, ADTS headers) is converted by libav's bitstream filters on the way.
@safe package struct Muxer: ~Copyable {
  private let raw: UnsafeMutablePointer<AVFormatContext>
  private let io: OutputContext
  private let interrupt: Interrupt
  /// Carries a packet's data under the times of the output.
  private let timed: Packet
  private var hasHeader = false
  /// Hands out large packets without a copy into the buffer: for muxers that write a packet as it is, in one piece.
  package var writesLargePacketsDirectly = false
  /// Takes ADTS headers off, where libav does not do so by itself: in fragments.
  private var unwrappers: [Int: BitstreamFilter] = [:]
  /// Streams whose first packet tells whether that is needed.
  private var undecided: Set<Int> = []

  private init(
    owning raw: UnsafeMutablePointer<AVFormatContext>, io: OutputContext, interrupt: Interrupt, timed: Packet
  ) {
    unsafe self.raw = raw
    self.io = io
    self.interrupt = interrupt
    self.timed = timed
  }

  /// A muxer by FFmpeg's name (`mp4`, `matroska`). Writes nothing yet.
  package static func make(
    format name: String, output: any MuxerOutput, interrupt: Interrupt
  ) throws(AVError) -> Muxer {
    Log.start()
    Log.clear()
    guard let format = unsafe av_guess_format(name, nil, nil) else {
      throw AVError(code: cff_error(EINVAL), function: "av_guess_format", log: "no muxer named \(name)")
    }
    let io = try OutputContext(output: output, interrupt: interrupt)
    let timed = try Packet.make()
    var context: UnsafeMutablePointer<AVFormatContext>? = nil
    try check(
      unsafe avformat_alloc_output_context2(&context, format, nil, nil), "avformat_alloc_output_context2")
    guard let context = unsafe context else { throw .outOfMemory("avformat_alloc_output_context2") }
    let muxer = unsafe Muxer(owning: context, io: io, interrupt: interrupt, timed: timed)
    unsafe context.pointee.pb = io.raw
    unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO
    // Bytes go out when the buffer is full, not with every packet: the caller flushes where it matters.
    unsafe context.pointee.flush_packets = 0
    // Same input, same bytes: no names of versions, no random identifiers.
    unsafe context.pointee.flags |= AVFMT_FLAG_BITEXACT
    unsafe context.pointee.interrupt_callback = interrupt.callback
    unsafe context.pointee.io_open = refuseNested
    // FLAC and VP8 in MPEG-4 were called experimental long after they were standards.
    unsafe context.pointee.strict_std_compliance = FF_COMPLIANCE_EXPERIMENTAL
    // Times are the caller's: libav must not shift them.
    unsafe context.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED
    return muxer
  }

  deinit {
    unsafe raw.pointee.pb = nil
    unsafe avformat_free_context(raw)
    // The context may still call them above.
    withExtendedLifetime((io, interrupt, timed)) {}
  }

  /// What the output threw.
  package var outputFailure: (any Error)? { io.failure }
  package var streamCount: Int { unsafe Int(raw.pointee.nb_streams) }

  /// What a stream is besides its codec.
  package struct StreamOptions: Sendable {
    /// Ticks that the caller would like; the muxer decides.
    package var timeBase: (numerator: Int32, denominator: Int32)
    /// The container's four characters where libav's choice will not do (`hvc1`).
    package var codecTag: String?
    package var keepsCodecTag = false
    package var metadata: [String: String] = [:]
    package var disposition: StreamInfo.Disposition = []
    package var displayMatrix: [Int32]?
    package var averageFrameRate: (Int32, Int32)?
    /// Samples that decoding gives before the first one that is meant, where the source's word does not count.
    package var initialPadding: Int?
    /// AAC may come in ADTS frames, and the muxer does not undo that by itself.
    package var mayBeADTS = false
    package init(timeBase: (numerator: Int32, denominator: Int32)) { self.timeBase = timeBase }
  }

  /// Adds a stream and returns its number.
  package mutating func addStream(
    _ parameters: CodecParameters, _ options: StreamOptions
  ) throws(AVError) -> Int {
    guard let stream = unsafe avformat_new_stream(raw, nil) else { throw .outOfMemory("avformat_new_stream") }
    try check(
      unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters.raw), "avcodec_parameters_copy")
    // One and two channels need no word on what they are; some muxers want it all the same.
    let (order, channels) = unsafe (
      stream.pointee.codecpar.pointee.ch_layout.order, stream.pointee.codecpar.pointee.ch_layout.nb_channels
    )
    if order == AV_CHANNEL_ORDER_UNSPEC, 1...2 ~= channels {
      unsafe av_channel_layout_default(&stream.pointee.codecpar.pointee.ch_layout, channels)
    }
    unsafe stream.pointee.time_base = AVRational(num: options.timeBase.numerator, den: options.timeBase.denominator)
    if let tag = options.codecTag, tag.utf8.count == 4 {
      unsafe stream.pointee.codecpar.pointee.codec_tag = tag.utf8.reversed().reduce(0) { $0 << 8 | UInt32($1) }
      if unsafe stream.pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_DATA {
        unsafe stream.pointee.codecpar.pointee.codec_id = AV_CODEC_ID_BIN_DATA
      }
    } else {
      let isKept = unsafe options.keepsCodecTag && accepts(stream)
      if !isKept { unsafe stream.pointee.codecpar.pointee.codec_tag = 0 }
    }
    if let padding = options.initialPadding {
      unsafe stream.pointee.codecpar.pointee.initial_padding = Int32(clamping: padding)
      unsafe Self.setPreSkip(padding, stream.pointee.codecpar)
    }
    let ratio = unsafe parameters.raw.pointee.sample_aspect_ratio
    if ratio.num > 0 { unsafe stream.pointee.sample_aspect_ratio = ratio }
    let rate = options.averageFrameRate ?? parameters.averageFrameRate
    if rate.0 > 0, rate.1 > 0 { unsafe stream.pointee.avg_frame_rate = AVRational(num: rate.0, den: rate.1) }
    unsafe stream.pointee.disposition = options.disposition.rawValue
    for (key, value) in options.metadata { _ = unsafe av_dict_set(&stream.pointee.metadata, key, value, 0) }
    for data in parameters.sideData
    where options.displayMatrix == nil || data.type != Int32(AV_PKT_DATA_DISPLAYMATRIX.rawValue) {
      try check(
        unsafe cff_stream_set_side_data(stream, data.type, data.bytes, data.bytes.count), "av_stream_new_side_data")
    }
    if let matrix = options.displayMatrix, matrix.count == 9 {
      let result = unsafe matrix.withUnsafeBytes {
        unsafe cff_stream_set_side_data(
          stream, Int32(AV_PKT_DATA_DISPLAYMATRIX.rawValue), $0.baseAddress?.assumingMemoryBound(to: UInt8.self),
          $0.count)
      }
      try check(result, "av_stream_new_side_data")
    }
    let number = unsafe Int(stream.pointee.index)
    if options.mayBeADTS { undecided.insert(number) }
    return number
  }

  /// Lends the context to other files of this module.
  mutating func withContext<R>(_ body: (UnsafeMutablePointer<AVFormatContext>) -> R) -> R { unsafe body(raw) }

  /// Whether the container knows the codec under the tag that it came with.
  private func accepts(_ stream: UnsafeMutablePointer<AVStream>) -> Bool {
    let tag = unsafe stream.pointee.codecpar.pointee.codec_tag
    guard tag != 0, let tags = unsafe raw.pointee.oformat.pointee.codec_tag else { return false }
    return unsafe av_codec_get_id(tags, tag) == stream.pointee.codecpar.pointee.codec_id
  }

  package mutating func setMetadata(_ values: [String: String]) {
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      _ = unsafe av_dict_set(&raw.pointee.metadata, key, value, 0)
    }
  }

  /// Writes the header. `options` are the muxer's own; one that it does not know is an error.
  package mutating func writeHeader(options: [String: String]) throws(AVError) {
    Log.clear()
    var unknown: [String] = []
    let result = unsafe Dictionary.lend(options) { values in
      let result = unsafe avformat_write_header(raw, &values)
      unknown = unsafe Dictionary.read(values).keys.sorted()
      return result
    }
    try check(result, "avformat_write_header")
    hasHeader = true
    guard unknown.isEmpty else {
      throw AVError(
        code: cff_error(EINVAL), function: "avformat_write_header",
        log: "the muxer knows no option \(unknown.joined(separator: ", "))")
    }
    try checkOutput()
  }

  /// Seconds of a tick of a stream; the muxer's choice once the header is written.
  package func timeBase(stream: Int) -> (numerator: Int32, denominator: Int32) {
    guard let stream = unsafe raw.pointee.streams[stream] else { return (1, 1) }
    return unsafe (stream.pointee.time_base.num, stream.pointee.time_base.den)
  }

  /// The times under which a packet is written, in the stream's time base.
  package struct Times: Sendable {
    package var presentation: Int64
    package var decoding: Int64
    package var duration: Int64
    package init(presentation: Int64, decoding: Int64, duration: Int64) {
      self.presentation = presentation
      self.decoding = decoding
      self.duration = duration
    }
  }

  /// Writes a packet; shares its bytes. What it is marked with (sync, disposable, side data) goes along.
  ///
  /// - Parameter discardedSamples: Samples of sound at the packet's end that are not to be heard.
  package mutating func write(
    _ packet: Packet, stream: Int, times: Times, discardedSamples: Int = 0
  ) throws(AVError) {
    Log.clear()
    try check(unsafe av_packet_ref(timed.raw, packet.raw), "av_packet_ref")
    defer { unsafe av_packet_unref(timed.raw) }
    unsafe timed.raw.pointee.stream_index = Int32(clamping: stream)
    unsafe timed.raw.pointee.pts = times.presentation
    unsafe timed.raw.pointee.dts = times.decoding
    unsafe timed.raw.pointee.duration = times.duration
    unsafe timed.raw.pointee.pos = -1
    // The edit list is written anew; what the source hid is no property of the bytes.
    unsafe timed.raw.pointee.flags &= ~AV_PKT_FLAG_DISCARD
    if discardedSamples > 0 { try discard(discardedSamples) }
    if !undecided.isEmpty, undecided.remove(stream) != nil, hasADTSHeader {
      if let target = unsafe raw.pointee.streams[stream] {
        unwrappers[stream] = try unsafe BitstreamFilter.make("aac_adtstoasc", for: target)
      }
    }
    if !unwrappers.isEmpty, let filter = unwrappers[stream] { try unsafe filter.run(timed.raw) }
    let isDirect = unsafe writesLargePacketsDirectly && timed.raw.pointee.size >= Self.directSize
    if isDirect { unsafe io.raw?.pointee.direct = 1 }
    let result = unsafe av_write_frame(raw, timed.raw)
    if isDirect { unsafe io.raw?.pointee.direct = 0 }
    try check(result, "av_write_frame")
    try checkOutput()
  }

  /// From here on copying costs more than a system call.
  private static var directSize: Int32 { 16_384 }

  private var hasADTSHeader: Bool {
    guard let data = unsafe timed.raw.pointee.data, unsafe timed.raw.pointee.size > 7 else { return false }
    return unsafe data[0] == 0xFF && data[1] & 0xF6 == 0xF0
  }

  /// The layout of `AV_PKT_DATA_SKIP_SAMPLES`: two numbers of 32 bits, little-endian, and two reasons.
  private func discard(_ count: Int) throws(AVError) {
    guard let data = unsafe av_packet_new_side_data(timed.raw, AV_PKT_DATA_SKIP_SAMPLES, 10) else {
      throw .outOfMemory("av_packet_new_side_data")
    }
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: data, count: 10)
    unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
    unsafe bytes.storeBytes(of: UInt32(clamping: count).littleEndian, toByteOffset: 4, as: UInt32.self)
  }

  /// Lets libav shift all times alike where the container holds none below zero.
  package mutating func setAvoidsNegativeTimes() {
    unsafe raw.pointee.avoid_negative_ts = AVFMT_AVOID_NEG_TS_AUTO
  }

  /// Ends a fragment, and hands out everything written so far.
  package mutating func flush() throws(AVError) {
    Log.clear()
    try check(unsafe av_write_frame(raw, nil), "av_write_frame")
    try check(io.flush(), "avio_flush")
    try checkOutput()
  }

  /// Completes the file and hands out the last bytes.
  package mutating func writeTrailer() throws(AVError) {
    Log.clear()
    guard hasHeader else { return }
    hasHeader = false
    try check(unsafe av_write_trailer(raw), "av_write_trailer")
    try check(io.flush(), "avio_flush")
    try checkOutput()
  }

  /// Hands out what is buffered without ending a fragment.
  package mutating func flushBuffer() throws(AVError) {
    try check(io.flush(), "avio_flush")
    try checkOutput()
  }

  /// Muxers don't look at every write; this does.
  private func checkOutput() throws(AVError) {
    if interrupt.isRaised { throw AVError(code: cff_ERROR_EXIT, function: "write") }
    if io.failure != nil { throw AVError(code: cff_error(EIO), function: "write", log: nil) }
  }
}

private func refuseNested(
  context: UnsafeMutablePointer<AVFormatContext>?,
  io: UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>?,
  url: UnsafePointer<CChar>?, flags: Int32, options: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 { cff_error(EACCES) }

extension Muxer {
  /// Opus says in its own header too how many samples lead in (RFC 7845, section 5.1); Matroska wants both to agree.
  private static func setPreSkip(_ samples: Int, _ parameters: UnsafeMutablePointer<AVCodecParameters>) {
    guard unsafe parameters.pointee.codec_id == AV_CODEC_ID_OPUS, unsafe parameters.pointee.extradata_size >= 12,
      let head = unsafe parameters.pointee.extradata, unsafe memcmp(head, "OpusHead", 8) == 0
    else { return }
    let value = UInt16(clamping: samples)
    unsafe head[10] = UInt8(truncatingIfNeeded: value)
    unsafe head[11] = UInt8(truncatingIfNeeded: value >> 8)
  }

  /// Whether the muxer leaves it to the caller to stamp samples later by the codec's delay: readers take the delay that the
  /// file states off, so that sound would come too early beside pictures. Of Opus such a muxer states the delay.
  package static func leavesCodecDelay(_ format: String) -> Bool {
    cff_MATROSKA_LEAVES_DELAY != 0 && ["matroska", "webm"].contains(format)
  }
}

/// What this FFmpeg can write: asked at run time.
extension Formats {
  package static func hasMuxer(_ name: String) -> Bool { unsafe av_guess_format(name, nil, nil) != nil }

  /// Whether a container takes a codec; nil where libav does not say.
  package static func muxer(_ name: String, takes codec: String) -> Bool? {
    guard let format = unsafe av_guess_format(name, nil, nil) else { return false }
    let answer = unsafe cff_format_query(format, codec)
    return answer < 0 ? nil : answer == 1
  }

  /// Whether set-up bytes belong into the header of a container, not into the stream.
  package static func wantsGlobalHeader(_ name: String) -> Bool {
    guard let format = unsafe av_guess_format(name, nil, nil) else { return false }
    return unsafe format.pointee.flags & cff_FLAG_GLOBALHEADER != 0
  }
}
