internal import CFFmpeg

/// How a stream's packets are coded: an `AVCodecParameters` with the stream's side data. Never changed once made.
// @unchecked: `raw` is written by the factories alone.
@safe package final class CodecParameters: @unchecked Sendable {
  let raw: UnsafeMutablePointer<AVCodecParameters>
  /// By libav's number of the kind: valid in this process only.
  private(set) var sideData: [(type: Int32, bytes: [UInt8])] = []
  /// Seconds of one tick of the source, as a hint.
  package private(set) var timeBase: (numerator: Int32, denominator: Int32)
  package private(set) var averageFrameRate: (Int32, Int32) = (0, 0)
  package private(set) var disposition: StreamInfo.Disposition = []
  /// Frames that the codec may hold back for reordering.
  package var reorderDelay: Int { unsafe Int(raw.pointee.video_delay) }

  private init(
    owning raw: UnsafeMutablePointer<AVCodecParameters>, timeBase: (numerator: Int32, denominator: Int32)
  ) {
    unsafe self.raw = raw
    self.timeBase = timeBase
  }

  deinit {
    var raw: UnsafeMutablePointer<AVCodecParameters>? = unsafe raw
    unsafe avcodec_parameters_free(&raw)
  }

  private static func make(timeBase: (numerator: Int32, denominator: Int32)) throws(AVError) -> CodecParameters {
    guard let raw = unsafe avcodec_parameters_alloc() else { throw .outOfMemory("avcodec_parameters_alloc") }
    return unsafe CodecParameters(owning: raw, timeBase: timeBase)
  }

  /// A copy of what a demuxer knows of a stream.
  package static func copying(_ demuxer: borrowing Demuxer, stream: Int) throws(AVError) -> CodecParameters {
    unsafe try demuxer.withParameters(stream: stream) { stream throws(AVError) in
      let base = unsafe stream.pointee.time_base
      let parameters = try make(timeBase: (base.num, base.den))
      try check(
        unsafe avcodec_parameters_copy(parameters.raw, stream.pointee.codecpar), "avcodec_parameters_copy")
      let rate = unsafe stream.pointee.avg_frame_rate
      parameters.averageFrameRate = (rate.num, rate.den)
      parameters.disposition = unsafe StreamInfo.Disposition(rawValue: stream.pointee.disposition)
      let ratio = unsafe stream.pointee.sample_aspect_ratio
      if ratio.num > 0 { unsafe parameters.raw.pointee.sample_aspect_ratio = ratio }
      for index in 0..<(unsafe cff_stream_side_data_count(stream)) {
        guard let data = unsafe cff_stream_side_data_at(stream, index) else { continue }
        let bytes = unsafe Array(UnsafeBufferPointer(start: data.pointee.data, count: data.pointee.size))
        unsafe parameters.sideData.append((Int32(data.pointee.type.rawValue), bytes))
      }
      return parameters
    }
  }

  /// What an open encoder gives.
  static func copying(
    _ context: UnsafePointer<AVCodecContext>
  ) throws(AVError) -> CodecParameters {
    let base = unsafe context.pointee.time_base
    let parameters = try make(timeBase: (base.num, base.den))
    try check(
      unsafe avcodec_parameters_from_context(parameters.raw, context), "avcodec_parameters_from_context")
    let rate = unsafe context.pointee.framerate
    parameters.averageFrameRate = (rate.num, rate.den)
    return parameters
  }

  /// The plain facts from which parameters can be made where there is no demuxer.
  package struct Facts: Sendable {
    package var codec: String
    package var extradata: [UInt8] = []
    package var width = 0
    package var height = 0
    package var pixelFormat: PixelFormatID?
    package var sampleAspectRatio: (Int32, Int32) = (0, 1)
    package var colour = ColourDescription()
    package var sampleRate = 0
    package var channels = 0
    package var layout: String?
    package var bitDepth = 0
    package init(codec: String) { self.codec = codec }
  }

  package static func make(
    _ facts: Facts, timeBase: (numerator: Int32, denominator: Int32)
  ) throws(AVError) -> CodecParameters {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(facts.codec) else {
      throw AVError(
        code: cff_error(EINVAL), function: "avcodec_descriptor_get_by_name", log: "no codec named \(facts.codec)")
    }
    let parameters = try make(timeBase: timeBase)
    let raw = unsafe parameters.raw
    unsafe raw.pointee.codec_type = descriptor.pointee.type
    unsafe raw.pointee.codec_id = descriptor.pointee.id
    unsafe raw.pointee.width = Int32(clamping: facts.width)
    unsafe raw.pointee.height = Int32(clamping: facts.height)
    if let format = facts.pixelFormat { unsafe raw.pointee.format = format.rawValue }
    unsafe raw.pointee.sample_aspect_ratio = AVRational(num: facts.sampleAspectRatio.0, den: facts.sampleAspectRatio.1)
    let colour = ColourNumbers(facts.colour)
    unsafe raw.pointee.color_primaries = colour.primaries
    unsafe raw.pointee.color_trc = colour.transfer
    unsafe raw.pointee.color_space = colour.matrix
    unsafe raw.pointee.color_range = colour.range
    unsafe raw.pointee.sample_rate = Int32(clamping: facts.sampleRate)
    unsafe raw.pointee.bits_per_coded_sample = Int32(clamping: facts.bitDepth)
    if facts.channels > 0 {
      unsafe raw.pointee.ch_layout = try Resampler.layout(facts.layout, channels: facts.channels)
    }
    try check(unsafe facts.extradata.copy(to: raw), "av_mallocz")
    return parameters
  }

  /// Data of no codec that libav knows.
  package static func data(timeBase: (numerator: Int32, denominator: Int32)) throws(AVError) -> CodecParameters {
    let parameters = try make(timeBase: timeBase)
    unsafe parameters.raw.pointee.codec_type = AVMEDIA_TYPE_DATA
    return parameters
  }

  /// The same with other set-up bytes.
  package func replacing(extradata bytes: [UInt8]) throws(AVError) -> CodecParameters {
    let copy = try Self.make(timeBase: timeBase)
    try check(unsafe avcodec_parameters_copy(copy.raw, raw), "avcodec_parameters_copy")
    unsafe av_freep(&copy.raw.pointee.extradata)
    unsafe copy.raw.pointee.extradata_size = 0
    try check(unsafe bytes.copy(to: copy.raw), "av_mallocz")
    (copy.sideData, copy.averageFrameRate, copy.disposition) = (sideData, averageFrameRate, disposition)
    return copy
  }

  /// The same with more side data, in place of what there is of its kinds.
  func adding(sideData added: [(type: Int32, bytes: [UInt8])]) throws(AVError) -> CodecParameters {
    let copy = try Self.make(timeBase: timeBase)
    try check(unsafe avcodec_parameters_copy(copy.raw, raw), "avcodec_parameters_copy")
    (copy.averageFrameRate, copy.disposition) = (averageFrameRate, disposition)
    copy.sideData = sideData.filter { own in !added.contains { $0.type == own.type } } + added
    return copy
  }

  package var codecName: String { unsafe String(cString: avcodec_get_name(raw.pointee.codec_id)) }
  package var extradata: [UInt8] {
    unsafe raw.pointee.extradata == nil
      ? [] : Array(UnsafeBufferPointer(start: raw.pointee.extradata, count: Int(raw.pointee.extradata_size)))
  }
  package var width: Int { unsafe Int(raw.pointee.width) }
  package var height: Int { unsafe Int(raw.pointee.height) }
  package var sampleRate: Int { unsafe Int(raw.pointee.sample_rate) }
  package var channels: Int { unsafe Int(raw.pointee.ch_layout.nb_channels) }
  package var frameSize: Int { unsafe Int(raw.pointee.frame_size) }
  package var initialPadding: Int { unsafe Int(raw.pointee.initial_padding) }
  package var kind: StreamInfo.Kind {
    switch unsafe raw.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: .video
    case AVMEDIA_TYPE_AUDIO: .audio
    case AVMEDIA_TYPE_SUBTITLE: .subtitle
    case AVMEDIA_TYPE_DATA: .data
    case AVMEDIA_TYPE_ATTACHMENT: .attachment
    default: .unknown
    }
  }
}

extension [UInt8] {
  /// Puts the bytes into a new `extradata`, with the zeros behind it that libav reads.
  fileprivate func copy(to parameters: UnsafeMutablePointer<AVCodecParameters>) -> Int32 {
    guard !isEmpty else { return 0 }
    guard let memory = unsafe av_mallocz(count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return cff_error(ENOMEM) }
    unsafe withUnsafeBytes {
      unsafe memory.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: count)
    }
    unsafe parameters.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
    unsafe parameters.pointee.extradata_size = Int32(clamping: count)
    return 0
  }
}

/// Colour tags by libav's numbers; names that this FFmpeg does not know are unspecified.
struct ColourNumbers {
  var primaries: AVColorPrimaries
  var transfer: AVColorTransferCharacteristic
  var matrix: AVColorSpace
  var range: AVColorRange

  init(_ colour: ColourDescription) {
    func number(_ name: String?, _ look: (String) -> Int32, unspecified: UInt32) -> UInt32 {
      guard let name else { return unspecified }
      let found = look(name)
      return found < 0 ? unspecified : UInt32(bitPattern: found)
    }
    primaries = AVColorPrimaries(
      number(colour.primaries, { unsafe av_color_primaries_from_name($0) }, unspecified: AVCOL_PRI_UNSPECIFIED.rawValue)
    )
    transfer = AVColorTransferCharacteristic(
      number(colour.transfer, { unsafe av_color_transfer_from_name($0) }, unspecified: AVCOL_TRC_UNSPECIFIED.rawValue))
    matrix = AVColorSpace(
      number(colour.matrix, { unsafe av_color_space_from_name($0) }, unspecified: AVCOL_SPC_UNSPECIFIED.rawValue))
    range =
      colour.isFullRange == true
      ? AVCOL_RANGE_JPEG : colour.isFullRange == false ? AVCOL_RANGE_MPEG : AVCOL_RANGE_UNSPECIFIED
  }
}
