internal import CFFmpeg

/// Owner of one `AVCodecParserContext` that looks at whole stored pictures: of what kind they are, in which order shown.
@safe package struct PictureParser: ~Copyable {
  private let raw: UnsafeMutablePointer<AVCodecParserContext>
  private let context: UnsafeMutablePointer<AVCodecContext>

  /// What a stored picture's own bytes say.
  package struct Description: Sendable, Hashable {
    package enum Kind: Sendable { case intra, predicted, bidirectional, unknown }
    package var kind: Kind
    package var isKey: Bool
    /// The picture order count of H.264 and HEVC.
    package var outputNumber: Int32
    package init(kind: Kind, isKey: Bool, outputNumber: Int32) {
      self.kind = kind
      self.isKey = isKey
      self.outputNumber = outputNumber
    }
  }

  private init(
    owning raw: UnsafeMutablePointer<AVCodecParserContext>,
    context: UnsafeMutablePointer<AVCodecContext>
  ) {
    unsafe self.raw = raw
    unsafe self.context = context
  }

  /// nil where libav has no parser for the codec.
  package static func open(_ demuxer: borrowing Demuxer, stream: Int) throws(AVError)
    -> PictureParser?
  {
    unsafe try demuxer.withParameters(stream: stream) { stream throws(AVError) in
      guard let parameters = unsafe stream.pointee.codecpar,
        let parser = unsafe cff_parser_make(parameters.pointee.codec_id)
      else { return nil }
      guard let context = unsafe avcodec_alloc_context3(nil) else {
        unsafe av_parser_close(parser)
        throw .outOfMemory("avcodec_alloc_context3")
      }
      unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
      let owner = unsafe PictureParser(owning: parser, context: context)
      try check(
        unsafe avcodec_parameters_to_context(context, parameters), "avcodec_parameters_to_context")
      return owner
    }
  }

  deinit {
    unsafe av_parser_close(raw)
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    unsafe avcodec_free_context(&context)
  }

  /// Looks at the next stored picture in decode order.
  package mutating func describe(_ packet: Packet) -> Description {
    var output: UnsafeMutablePointer<UInt8>? = nil
    var size: Int32 = 0
    _ = unsafe av_parser_parse2(
      raw, context, &output, &size, packet.raw.pointee.data, packet.raw.pointee.size,
      cff_NO_PTS, cff_NO_PTS, packet.raw.pointee.pos)
    let kind: Description.Kind =
      switch unsafe AVPictureType(UInt32(bitPattern: raw.pointee.pict_type)) {
      case AV_PICTURE_TYPE_I, AV_PICTURE_TYPE_SI: .intra
      case AV_PICTURE_TYPE_P, AV_PICTURE_TYPE_SP, AV_PICTURE_TYPE_S: .predicted
      case AV_PICTURE_TYPE_B, AV_PICTURE_TYPE_BI: .bidirectional
      default: .unknown
      }
    return unsafe Description(
      kind: kind, isKey: raw.pointee.key_frame == 1, outputNumber: raw.pointee.output_picture_number
    )
  }
}

/// What libav's list of codecs says of all streams of a codec.
package struct CodecTraits: Sendable, Hashable {
  /// Pictures may be stored in another order than they are shown in.
  package var reorders: Bool
  /// Every picture is decoded by itself.
  package var isIntraOnly: Bool

  /// Of a codec known by name; for unknown ones the careful answer.
  package init(codec name: String) {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name) else {
      reorders = true
      isIntraOnly = false
      return
    }
    let properties = unsafe descriptor.pointee.props
    reorders = properties & AV_CODEC_PROP_REORDER != 0
    isIntraOnly = properties & AV_CODEC_PROP_INTRA_ONLY != 0
  }
}
