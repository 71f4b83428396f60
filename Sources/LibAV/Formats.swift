internal import CFFmpeg

/// What this FFmpeg has: asked at run time, never assumed.
package enum Formats {
  /// Demuxers that open further resources or read something else than the bytes given. Never used without a policy's word.
  private static let referring: Set<String> = [
    "hls", "dash", "concat", "concatf", "sdp", "rtsp", "rtp", "sap", "image2", "image2pipe", "imf",
    "webm_dash_manifest",
    "vobsub", "lavfi", "tty", "ffmetadata", "mpjpeg", "avisynth", "vapoursynth", "kmsgrab",
    "applehttp", "bluray", "dvdvideo",
  ]

  /// Names of the demuxers that read nothing but the bytes they are given, joined by commas.
  package static let selfContainedDemuxers: String = {
    var names: [String] = []
    var cursor: UnsafeMutableRawPointer? = nil
    while let format = unsafe av_demuxer_iterate(&cursor) {
      if unsafe format.pointee.flags & AVFMT_NOFILE != 0 { continue }
      let all = unsafe String(cString: format.pointee.name)
      let parts = all.split(separator: ",").map(String.init)
      if parts.contains(where: referring.contains) { continue }
      names.append(all)
    }
    return names.joined(separator: ",")
  }()

  /// Whether a demuxer of this name or extension exists.
  package static func hasDemuxer(_ name: String) -> Bool {
    unsafe av_find_input_format(name) != nil
  }

  package static func hasDecoder(codec name: String) -> Bool {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name) else { return false }
    return unsafe avcodec_find_decoder(descriptor.pointee.id) != nil
  }

  package static func hasDecoder(named name: String) -> Bool {
    unsafe avcodec_find_decoder_by_name(name) != nil
  }
  package static func hasEncoder(named name: String) -> Bool {
    unsafe avcodec_find_encoder_by_name(name) != nil
  }

  /// Whether the AAC decoder takes xHE-AAC (object type 42).
  package static var decodesExtendedHighEfficiencyAAC: Bool { cff_decodes_xhe_aac() != 0 }

  /// All demuxers with their extensions and MIME types, as libav lists them.
  package static func demuxers() -> [(name: String, extensions: [String], mimeTypes: [String])] {
    func list(_ text: UnsafePointer<CChar>?) -> [String] {
      guard let text = unsafe text else { return [] }
      return unsafe String(cString: text).split(separator: ",").map { String($0) }
    }
    var all: [(String, [String], [String])] = []
    var cursor: UnsafeMutableRawPointer? = nil
    while let format = unsafe av_demuxer_iterate(&cursor) {
      unsafe all.append(
        (
          String(cString: format.pointee.name), list(format.pointee.extensions),
          list(format.pointee.mime_type)
        ))
    }
    return all
  }

  /// libavformat's version, `major.minor.micro`.
  package static var libavformatVersion: String {
    let version = UInt32(bitPattern: cff_version_libavformat())
    return "\(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
  }
}

extension Formats {
  /// The sample format that a stream's decoder gives: as probed, else what the decoder lists first or is opened with.
  package static func sampleFormat(of stream: StreamInfo, codec name: String?) -> String? {
    var format = stream.format
    if format < 0, let name,
      let descriptor = unsafe avcodec_descriptor_get_by_name(name),
      let codec = unsafe avcodec_find_decoder(descriptor.pointee.id)
    {
      format = unsafe stream.extradata.withUnsafeBufferPointer {
        unsafe cff_decoder_sample_format(
          codec, Int32(clamping: stream.channels), Int32(clamping: stream.sampleRate),
          Int32(clamping: stream.bitsPerCodedSample), $0.baseAddress, Int32(clamping: $0.count))
      }
    }
    guard format >= 0, let text = unsafe av_get_sample_fmt_name(AVSampleFormat(format)) else {
      return nil
    }
    return unsafe String(cString: text)
  }
}

extension AVSampleFormat {
  init(_ number: Int32) { self.init(rawValue: number) }
}
