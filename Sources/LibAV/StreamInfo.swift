internal import CFFmpeg

/// What the demuxer knows of one stream: a value, copied out of `AVStream`.
package struct StreamInfo: Sendable {
  package enum Kind: Sendable, Hashable { case video, audio, subtitle, data, attachment, unknown }

  package var index: Int
  /// The container's own number (track ID of MP4, PID of a transport stream); 0 where it has none.
  package var id: Int
  package var kind: Kind
  package var codecName: String?
  /// The container's four bytes, least significant first as libav packs them; 0 where it has none.
  package var codecTag: UInt32
  package var hasDecoder: Bool
  package var timeBase: (numerator: Int32, denominator: Int32)
  package var startTime: Int64?
  package var duration: Int64?
  package var frameCount: Int64
  package var bitRate: Int64
  package var averageFrameRate: (Int32, Int32)
  package var realFrameRate: (Int32, Int32)
  package var disposition: Disposition
  package var metadata: [String: String]
  package var extradata: [UInt8]
  package var profile: Int32
  package var level: Int32
  package var bitsPerCodedSample: Int
  package var bitsPerRawSample: Int
  /// Rotation and mirroring, nine numbers: 16.16 except the third column's 2.30.
  package var displayMatrix: [Int32]?
  package var dolbyVisionProfile: Int?
  // Video
  package var width: Int
  package var height: Int
  package var sampleAspectRatio: (Int32, Int32)
  package var format: Int32
  package var colour: ColourDescription
  package var fieldOrder: FieldOrder?
  package var reorderDelay: Int
  package var masteringDisplay: MasteringDisplay?
  package var contentLight: ContentLight?
  // Sound
  package var sampleRate: Int
  package var channels: Int
  package var channelLayout: String?
  package var frameSize: Int
  package var initialPadding: Int
  package var trailingPadding: Int

  package struct Disposition: OptionSet, Sendable, Hashable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }
    package static let isDefault = Self(rawValue: AV_DISPOSITION_DEFAULT)
    package static let dub = Self(rawValue: AV_DISPOSITION_DUB)
    package static let original = Self(rawValue: AV_DISPOSITION_ORIGINAL)
    package static let comment = Self(rawValue: AV_DISPOSITION_COMMENT)
    package static let forced = Self(rawValue: AV_DISPOSITION_FORCED)
    package static let hearingImpaired = Self(rawValue: AV_DISPOSITION_HEARING_IMPAIRED)
    package static let visualImpaired = Self(rawValue: AV_DISPOSITION_VISUAL_IMPAIRED)
    package static let attachedPicture = Self(rawValue: AV_DISPOSITION_ATTACHED_PIC)
    package static let timedThumbnails = Self(rawValue: AV_DISPOSITION_TIMED_THUMBNAILS)
    package static let captions = Self(rawValue: AV_DISPOSITION_CAPTIONS)
    package static let descriptions = Self(rawValue: AV_DISPOSITION_DESCRIPTIONS)
  }

  package enum FieldOrder: Sendable, Hashable { case progressive, topFirst, bottomFirst }

  init(_ stream: UnsafePointer<AVStream>) {
    let parameters = unsafe stream.pointee.codecpar.pointee
    index = unsafe Int(stream.pointee.index)
    id = unsafe Int(stream.pointee.id)
    kind =
      switch unsafe parameters.codec_type {
      case AVMEDIA_TYPE_VIDEO: .video
      case AVMEDIA_TYPE_AUDIO: .audio
      case AVMEDIA_TYPE_SUBTITLE: .subtitle
      case AVMEDIA_TYPE_DATA: .data
      case AVMEDIA_TYPE_ATTACHMENT: .attachment
      default: .unknown
      }
    let codec = unsafe parameters.codec_id
    codecName = codec == AV_CODEC_ID_NONE ? nil : unsafe String(cString: avcodec_get_name(codec))
    codecTag = unsafe parameters.codec_tag
    hasDecoder = unsafe avcodec_find_decoder(codec) != nil
    timeBase = unsafe (stream.pointee.time_base.num, stream.pointee.time_base.den)
    startTime = unsafe stream.pointee.start_time == cff_NO_PTS ? nil : stream.pointee.start_time
    let length = unsafe stream.pointee.duration
    duration = length == cff_NO_PTS || length < 0 ? nil : length
    frameCount = unsafe stream.pointee.nb_frames
    bitRate = unsafe parameters.bit_rate
    averageFrameRate = unsafe (stream.pointee.avg_frame_rate.num, stream.pointee.avg_frame_rate.den)
    let realRate = unsafe cff_stream_real_frame_rate(stream)
    realFrameRate = (realRate.num, realRate.den)
    disposition = unsafe Disposition(rawValue: stream.pointee.disposition)
    metadata = unsafe Dictionary.read(stream.pointee.metadata)
    extradata =
      unsafe parameters.extradata == nil
      ? []
      : Array(
        UnsafeBufferPointer(start: parameters.extradata, count: Int(parameters.extradata_size)))
    profile = unsafe parameters.profile
    level = unsafe parameters.level
    bitsPerCodedSample = unsafe Int(parameters.bits_per_coded_sample)
    bitsPerRawSample = unsafe Int(parameters.bits_per_raw_sample)
    width = unsafe Int(parameters.width)
    height = unsafe Int(parameters.height)
    let streamRatio = unsafe stream.pointee.sample_aspect_ratio
    let codecRatio = unsafe parameters.sample_aspect_ratio
    sampleAspectRatio =
      streamRatio.num > 0 ? (streamRatio.num, streamRatio.den) : (codecRatio.num, codecRatio.den)
    format = unsafe parameters.format
    colour = unsafe ColourDescription(
      primaries: parameters.color_primaries, transfer: parameters.color_trc,
      matrix: parameters.color_space,
      range: parameters.color_range)
    fieldOrder =
      switch unsafe parameters.field_order {
      case AV_FIELD_PROGRESSIVE: .progressive
      case AV_FIELD_TT, AV_FIELD_TB: .topFirst
      case AV_FIELD_BB, AV_FIELD_BT: .bottomFirst
      default: nil
      }
    reorderDelay = unsafe Int(parameters.video_delay)
    sampleRate = unsafe Int(parameters.sample_rate)
    let layout = unsafe parameters.ch_layout
    channels = unsafe Int(layout.nb_channels)
    channelLayout = unsafe Self.describe(layout)
    frameSize = unsafe Int(parameters.frame_size)
    initialPadding = unsafe Int(parameters.initial_padding)
    trailingPadding = unsafe Int(parameters.trailing_padding)

    func sideData(_ type: AVPacketSideDataType) -> (UnsafePointer<UInt8>, Int)? {
      var size = 0
      guard let bytes = unsafe cff_stream_side_data(stream, type, &size) else { return nil }
      return unsafe (bytes, size)
    }
    displayMatrix = unsafe sideData(AV_PKT_DATA_DISPLAYMATRIX).flatMap { bytes, size in
      guard size >= 36 else { return nil }
      return (0..<9).map {
        unsafe UnsafeRawPointer(bytes).loadUnaligned(fromByteOffset: $0 * 4, as: Int32.self)
      }
    }
    masteringDisplay = unsafe sideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA).flatMap {
      unsafe MasteringDisplay(bytes: $0, count: $1)
    }
    contentLight = unsafe sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL).flatMap {
      unsafe ContentLight(bytes: $0, count: $1)
    }
    dolbyVisionProfile = unsafe sideData(AV_PKT_DATA_DOVI_CONF).flatMap { bytes, size in
      guard size >= MemoryLayout<AVDOVIDecoderConfigurationRecord>.size else { return nil }
      return unsafe Int(
        UnsafeRawPointer(bytes).loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self).dv_profile)
    }
  }

  /// FFmpeg's name of a layout (`stereo`, `5.1(side)`); nil where only the count is known.
  static func describe(_ layout: AVChannelLayout) -> String? {
    guard unsafe layout.nb_channels > 0, unsafe layout.order != AV_CHANNEL_ORDER_UNSPEC else {
      return nil
    }
    var layout = unsafe layout
    var buffer = [CChar](repeating: 0, count: 256)
    let length = unsafe buffer.withUnsafeMutableBufferPointer {
      unsafe av_channel_layout_describe(&layout, $0.baseAddress, $0.count)
    }
    guard length > 0 else { return nil }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
