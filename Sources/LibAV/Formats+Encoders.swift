internal import CFFmpeg

/// What this FFmpeg can encode: asked at run time.
extension Formats {
  /// FFmpeg's name of the codec that an encoder gives; nil for an unknown encoder.
  package static func codec(ofEncoder name: String) -> String? {
    unsafe avcodec_find_encoder_by_name(name).map { unsafe String(cString: avcodec_get_name($0.pointee.id)) }
  }

  /// FFmpeg's own choice of an encoder for a codec; nil where it has none.
  package static func defaultEncoder(codec name: String) -> String? {
    guard let descriptor = unsafe avcodec_descriptor_get_by_name(name),
      let codec = unsafe avcodec_find_encoder(descriptor.pointee.id)
    else { return nil }
    return unsafe String(cString: codec.pointee.name)
  }

  package static func isCodec(_ name: String) -> Bool { unsafe avcodec_descriptor_get_by_name(name) != nil }

  /// Pixel formats that an encoder takes; nil for any.
  package static func pixelFormats(ofEncoder name: String) -> [PixelFormatID]? {
    list(name, kind: 0)?.map { PixelFormatID(rawValue: $0) }
  }
  /// Sample formats that an encoder takes; nil for any.
  package static func sampleFormats(ofEncoder name: String) -> [SampleFormatID]? {
    list(name, kind: 1)?.map { SampleFormatID(rawValue: $0) }
  }
  /// Sample rates that an encoder takes; nil for any.
  package static func sampleRates(ofEncoder name: String) -> [Int]? { list(name, kind: 2)?.map { Int($0) } }

  private static func list(_ name: String, kind: Int32) -> [Int32]? {
    guard let codec = unsafe avcodec_find_encoder_by_name(name) else { return [] }
    var values = [Int32](repeating: 0, count: 512)
    let count = unsafe cff_encoder_list(codec, kind, &values, 512)
    return count < 0 ? nil : Array(values.prefix(Int(count)))
  }

  /// Whether an encoder takes a channel layout by name, or the usual one of so many channels.
  package static func encoder(_ name: String, takesLayout layout: String?, channels: Int) -> Bool {
    // It lists none, and refuses those that have no place in Ogg's order of channels (RFC 7845, section 5.1.1.2).
    if name == "libopus" {
      return (layout ?? Resampler.defaultLayout(ofChannels: channels))
        == usualLayout(ofEncoder: name, channels: channels)
    }
    guard let codec = unsafe avcodec_find_encoder_by_name(name),
      var layout = unsafe try? Resampler.layout(layout, channels: channels)
    else { return false }
    defer { unsafe av_channel_layout_uninit(&layout) }
    return unsafe cff_encoder_takes_layout(codec, &layout) != 0
  }

  /// The layout in which an encoder takes so many channels, where it has one; else FFmpeg's usual one.
  package static func usualLayout(ofEncoder name: String, channels: Int) -> String? {
    let orders = ["mono", "stereo", "3.0", "quad", "5.0", "5.1", "6.1", "7.1"]
    guard name == "libopus" else { return Resampler.defaultLayout(ofChannels: channels) }
    return orders.indices.contains(channels - 1) ? orders[channels - 1] : nil
  }

  /// Whether an encoder takes the last frame of sound shorter than the others.
  package static func encoderTakesShortFrames(_ name: String) -> Bool {
    guard let codec = unsafe avcodec_find_encoder_by_name(name) else { return false }
    return unsafe codec.pointee.capabilities & (AV_CODEC_CAP_SMALL_LAST_FRAME | AV_CODEC_CAP_VARIABLE_FRAME_SIZE) != 0
  }

  /// The format of `candidates` that loses least of pictures of `format`.
  package static func nearest(to format: PixelFormatID, of candidates: [PixelFormatID], hasAlpha: Bool)
    -> PixelFormatID?
  {
    guard var best = candidates.first else { return nil }
    for candidate in candidates.dropFirst() {
      var loss: Int32 = 0
      let found = unsafe av_find_best_pix_fmt_of_2(
        AVPixelFormat(best.rawValue), AVPixelFormat(candidate.rawValue), AVPixelFormat(format.rawValue),
        hasAlpha ? 1 : 0, &loss)
      best = PixelFormatID(rawValue: found.rawValue)
    }
    return best
  }
}
