import LibAV

/// Which encoder of FFmpeg's serves a codec, and what it has to be told.
enum EncoderChoice {
  /// Where FFmpeg's own first choice is experimental, slow or lacks profiles.
  private static let preferred: [String: [String]] = [
    "h264": ["libx264"], "hevc": ["libx265"], "vp8": ["libvpx"], "vp9": ["libvpx-vp9"],
    "av1": ["libsvtav1", "libaom-av1", "librav1e"], "prores": ["prores_ks"], "opus": ["libopus"],
    "vorbis": ["libvorbis"],
    "mp3": ["libmp3lame"], "theora": ["libtheora"], "webp": ["libwebp_anim", "libwebp"], "speex": ["libspeex"],
  ]

  /// FFmpeg's name of the encoder; nil where this FFmpeg has none.
  static func encoder(codec: String, named name: String?, size: PixelSize? = nil) -> String? {
    if let name { return Formats.hasEncoder(named: name) ? name : nil }
    // SVT-AV1 takes no side below 64.
    let isSmall = size.map { min($0.width, $0.height) < 64 } ?? false
    let first = preferred[codec]?.first { Formats.hasEncoder(named: $0) && !(isSmall && $0 == "libsvtav1") }
    return first ?? Formats.defaultEncoder(codec: codec)
  }

  /// Codecs of delivery: players in use take 4:2:0 only.
  private static let delivery: Set<String> = [
    "h264", "hevc", "vp8", "vp9", "av1", "mpeg4", "mpeg2video", "mpeg1video", "theora", "webp",
  ]

  /// The pixel format to encode pictures of another one in.
  static func pixelFormat(_ settings: VideoSettings, encoder: String, source: PixelFormatID?) -> PixelFormatID? {
    let taken = Formats.pixelFormats(ofEncoder: encoder)
    if let name = settings.pixelFormat {
      let format = PixelFormatID.named(name)
      return format != .none && taken?.contains(format) ?? true ? format : nil
    }
    guard let taken else { return source ?? .named("yuv420p") }
    guard let source else { return [.named("yuv420p")].first(where: taken.contains) ?? taken.first }
    if delivery.contains(settings.codec) {
      let isDeep = (source.bitDepth ?? 8) > 8
      let keepsAlpha = source.hasAlpha && ["vp8", "vp9", "webp"].contains(settings.codec)
      let wanted =
        (keepsAlpha ? ["yuva420p"] : []) + (isDeep && settings.codec != "h264" ? ["yuv420p10le"] : []) + ["yuv420p"]
      if let format = wanted.map({ PixelFormatID.named($0) }).first(where: taken.contains) { return format }
    }
    if taken.contains(source) { return source }
    return Formats.nearest(to: source, of: taken, hasAlpha: source.hasAlpha)
  }

  /// Options by the encoder's own names, and a quantiser for those without a rate factor.
  static func quality(_ settings: VideoSettings, encoder: String) -> (options: [String: String], quantizer: Int?) {
    guard settings.averageBitRate == nil else { return ([:], nil) }
    let worst: Double? =
      switch encoder {
      case "libx264", "libx264rgb", "libx265": 51
      case "libvpx", "libvpx-vp9", "libaom-av1", "libsvtav1": 63
      default: nil
      }
    if let factor = settings.constantRateFactor
      ?? settings.quality.flatMap({ quality in worst.map { $0 * (1 - min(1, max(0, quality))) } })
    {
      let isWhole = worst == 63
      return (["crf": isWhole ? String(Int(factor.rounded())) : String(factor)], nil)
    }
    guard let quality = settings.quality.map({ min(1, max(0, $0)) }) else { return ([:], nil) }
    if encoder.hasPrefix("libwebp") { return (["quality": String(quality * 100)], nil) }
    // 1 or 2 is the finest quantiser of the MPEG family, 31 the coarsest.
    return ([:], Int((2 + (1 - quality) * 29).rounded()))
  }

  private static let x264Presets = [
    "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow", "slower", "veryslow", "placebo",
  ]
  private static let x264Profiles = ["baseline", "main", "high", "high10", "high422", "high444"]

  /// Why an encoder does not take what it is told; nil where that is not known beforehand.
  ///
  /// Of SVT-AV1 and x264, which writes its own words about names and profiles to standard error, past FFmpeg's log.
  static func reasonAgainst(_ settings: VideoSettings, encoder: String, format: PixelFormatID) -> String? {
    if encoder == "libsvtav1", let rate = settings.averageBitRate, rate > 100_000_000 {
      return "libsvtav1 takes no more than 100 Mbit a second"
    }
    guard encoder == "libx264" else { return nil }
    let preset = settings.encoderOptions["preset"]
    if let preset, !x264Presets.contains(preset.lowercased()), !(0..<x264Presets.count).contains(Int(preset) ?? -1) {
      return "libx264 has no preset “\(preset.bounded(to: 40))”; there are \(x264Presets.joined(separator: ", "))"
    }
    guard let profile = settings.encoderOptions["profile"] ?? settings.profile else { return nil }
    guard let rank = x264Profiles.firstIndex(of: profile.lowercased()) else {
      return "libx264 has no profile “\(profile.bounded(to: 40))”; there are \(x264Profiles.joined(separator: ", "))"
    }
    let isLossless =
      (settings.constantRateFactor == 0 && settings.averageBitRate == nil) || settings.encoderOptions["qp"] == "0"
      || settings.encoderOptions["crf"] == "0"
    let chroma = format.chromaShift
    let needed =
      isLossless || chroma.horizontal == 0
      ? 5 : chroma.vertical == 0 ? 4 : (format.bitDepth ?? 8) > 8 ? 3 : 0
    guard rank < needed else { return nil }
    let what = isLossless ? "lossless pictures" : "the pixel format \(format.name ?? "of the source")"
    return "the profile \(profile) does not hold \(what); \(x264Profiles[needed]) does"
  }

  /// The sample format in which an encoder takes sound of another one with the least loss.
  static func sampleFormat(encoder: String, source: AudioSampleFormat?, bitDepth: Int?) -> SampleFormatID {
    let taken = Formats.sampleFormats(ofEncoder: encoder) ?? []
    let isDeep = bitDepth.map { $0 > 16 } ?? (source == .int32)
    let order: [SampleFormatID] =
      bitDepth == nil && source == .float32
      ? [.f32Planar, .f32, .s16Planar, .s16, .s32Planar, .s32]
      : isDeep
        ? [.s32Planar, .s32, .f32Planar, .f32, .s16Planar, .s16]
        : [.s16Planar, .s16, .s32Planar, .s32, .f32Planar, .f32]
    return order.first(where: taken.contains) ?? taken.first ?? .f32Planar
  }
}
