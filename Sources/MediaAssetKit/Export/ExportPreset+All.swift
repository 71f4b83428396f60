extension ExportPreset {
  /// Everything as stored that the file type can hold, the rest as ``highestQuality`` in the file type's usual codecs.
  public static let automatic = ExportPreset(
    name: "Automatic", summary: "copied where the file type allows it, else encoded at high quality",
    video: .copyOrEncode(picture("h264", factor: 18)), audio: .copyOrEncode(sound("aac", rate: 256_000)))
  /// Everything as stored; text in the file type's own kind. What it can't hold is left out.
  public static let passthrough = ExportPreset(name: "Passthrough", summary: "all tracks as stored")

  /// All presets that encode, also those for which this FFmpeg has no encoder (``reasonAgainst``); ``passthrough`` and
  /// ``automatic`` are not among them.
  public static let all: [ExportPreset] =
    [
      movie("LowQuality", "h264", factor: 32, sound: 64_000, box: PixelSize(width: 320, height: 240)),
      movie("MediumQuality", "h264", factor: 26, sound: 128_000, box: PixelSize(width: 640, height: 480)),
      highestQuality,
      movie("HEVCHighestQuality", "hevc", factor: 20, sound: 256_000),
      size640x480, size960x540, size1280x720, size1920x1080, size3840x2160,
      sized("HEVC1920x1080", "hevc", 1920, 1080, factor: 23), sized("HEVC3840x2160", "hevc", 3840, 2160, factor: 23),
      sized("HEVC4320x2160", "hevc", 4320, 2160, factor: 23), sized("HEVC7680x4320", "hevc", 7680, 4320, factor: 23),
      proRes("AppleProRes422LPCM", profile: "standard", format: "yuv422p10le", "ProRes 422"),
      proRes("AppleProRes4444LPCM", profile: "4444", format: nil, "ProRes 4444"),
      appleM4A,
    ] + devices + [
      webM,
      ExportPreset(
        name: "AV1", summary: "AV1 and Opus", video: .encode(picture("av1", factor: 32)),
        audio: .match(sound("opus", rate: 128_000)), fileTypes: [.mp4, .webm, .mkv]),
      audioOnly("MP3", "mp3", rate: 192_000, [.mp3], "MP3 sound"),
      audioOnly("Opus", "opus", rate: 128_000, [.ogg, .webm, .mkv, .mp4], "Opus sound"),
      audioOnly("FLAC", "flac", rate: nil, [.flac, .ogg, .mkv, .mp4], "FLAC sound, lossless"),
      audioOnly("WAV", "pcm", rate: nil, [.wav, .aiff, .caf, .mov], "PCM sound"),
      animation("GIF", "gif", .gif, "an animated GIF, without sound"),
      animation("WebP", "webp", .webp, "an animated WebP, without sound"),
      streams("HLS", "a folder for HTTP Live Streaming, copied where players take it", makesLadder: false),
      streams("HLSLadder", "a folder for HTTP Live Streaming, H.264 in several sizes", makesLadder: true),
    ]

  /// H.264 at the source's size, AAC.
  public static let highestQuality = movie("HighestQuality", "h264", factor: 18, sound: 256_000)
  /// H.264 in a box of 640 × 480, AAC.
  public static let size640x480 = sized("640x480", "h264", 640, 480, factor: 21)
  /// H.264 in a box of 960 × 540, AAC.
  public static let size960x540 = sized("960x540", "h264", 960, 540, factor: 21)
  /// H.264 in a box of 1280 × 720, AAC.
  public static let size1280x720 = sized("1280x720", "h264", 1280, 720, factor: 21)
  /// H.264 in a box of 1920 × 1080, AAC.
  public static let size1920x1080 = sized("1920x1080", "h264", 1920, 1080, factor: 21)
  /// H.264 in a box of 3840 × 2160, AAC.
  public static let size3840x2160 = sized("3840x2160", "h264", 3840, 2160, factor: 21)
  /// AAC sound with what players need to begin and end it on the sample.
  public static let appleM4A = audioOnly("AppleM4A", "aac", rate: 256_000, [.m4a, .mp4], "AAC sound")
  /// VP9 and Opus.
  public static let webM = ExportPreset(
    name: "WebM", summary: "VP9 and Opus", video: .encode(picture("vp9", factor: 31)),
    audio: .match(sound("opus", rate: 128_000)), fileTypes: [.webm, .mkv, .mp4])

  /// Settings at which pictures of a codec look like their source, at a speed that people wait for.
  public static func highQuality(codec: String) -> VideoSettings { picture(codec, factor: UsualCodecs.factor(codec)) }

  /// Everything encoded at high quality in the usual codecs of a type of file: something to start from.
  public static func usual(for fileType: FileType) -> ExportPreset {
    let codecs = UsualCodecs(fileType)
    return ExportPreset(
      name: "Usual", summary: "\(codecs.video) and \(codecs.sound)",
      video: .encode(picture(codecs.video, factor: codecs.factor)),
      audio: .encode(sound(codecs.sound, rate: codecs.soundRate)),
      fileTypes: [fileType])
  }

  // MARK: Parts

  private static let movieTypes: [FileType] = [.mp4, .mov, .m4v, .mkv, .mpegTS]

  static func picture(_ codec: String, factor: Double?) -> VideoSettings {
    VideoSettings(codec: codec, constantRateFactor: factor, encoderOptions: pace(codec))
  }

  /// What keeps the encoders of the younger codecs at a speed that people wait for.
  static func pace(_ codec: String, encoder: String? = nil) -> [String: String] {
    switch encoder ?? EncoderChoice.encoder(codec: codec, named: nil) {
    case "libx265": ["preset": "fast"]
    case "libvpx-vp9": ["deadline": "good", "cpu-used": "4", "row-mt": "1"]
    case "libvpx": ["deadline": "good", "cpu-used": "4"]
    case "libsvtav1": ["preset": "8"]
    case "libaom-av1": ["cpu-used": "6", "row-mt": "1"]
    default: [:]
    }
  }

  private static func sound(_ codec: String, rate: Int?) -> AudioSettings { AudioSettings(codec: codec, bitRate: rate) }

  private static func movie(
    _ name: String, _ codec: String, factor: Double, sound rate: Int, box: PixelSize = .zero
  ) -> ExportPreset {
    let size = box.isEmpty ? "at the source's size" : "in a box of \(box)"
    return ExportPreset(
      name: name, summary: "\(codec == "hevc" ? "HEVC" : "H.264") \(size), AAC",
      video: .encode(picture(codec, factor: factor)), audio: .match(sound("aac", rate: rate)), maximumSize: box,
      fileTypes: codec == "hevc" ? movieTypes.filter { $0 != .m4v } : movieTypes)
  }

  private static func sized(
    _ name: String, _ codec: String, _ width: Int, _ height: Int, factor: Double
  ) -> ExportPreset {
    movie(name, codec, factor: factor, sound: 192_000, box: PixelSize(width: width, height: height))
  }

  private static func proRes(_ name: String, profile: String, format: String?, _ kind: String) -> ExportPreset {
    var settings = VideoSettings(codec: "prores")
    settings.profile = profile
    settings.pixelFormat = format ?? "yuva444p10le"
    return ExportPreset(
      name: name, summary: "\(kind) at the source's size, PCM", video: .encode(settings),
      audio: .match(AudioSettings(codec: "pcm")), fileTypes: [.mov, .mkv])
  }

  private static func audioOnly(
    _ name: String, _ codec: String, rate: Int?, _ types: [FileType], _ summary: String
  ) -> ExportPreset {
    var preset = ExportPreset(
      name: name, summary: summary, video: .none, audio: .match(sound(codec, rate: rate)), keepsText: false,
      fileTypes: types)
    preset.keepsTimecode = false
    return preset
  }

  private static func streams(_ name: String, _ summary: String, makesLadder: Bool) -> ExportPreset {
    var preset = ExportPreset(name: name, summary: summary, keepsText: false, fileTypes: [.hls])
    preset.keepsTimecode = false
    preset.streaming = Streaming(makesLadder: makesLadder)
    return preset
  }

  private static func animation(_ name: String, _ codec: String, _ type: FileType, _ summary: String) -> ExportPreset {
    var preset = ExportPreset(
      name: name, summary: summary + ", at most 480 pixels wide and 15 pictures a second",
      video: .encode(VideoSettings(codec: codec)), audio: .none, keepsText: false,
      maximumSize: PixelSize(width: 480, height: 0), fileTypes: [type])
    preset.minimumFrameDuration = MediaTime(value: 1, timescale: 15)
    preset.keepsTimecode = false
    preset.deinterlacing = .on
    return preset
  }

  /// What AVFoundation tunes for devices: profile, level and size of iTunes' day.
  private static let devices: [ExportPreset] = [
    device("AppleM4VCellular", "baseline", "3.0", 480, 320, rate: 700_000),
    device("AppleM4ViPod", "baseline", "3.0", 640, 480, rate: 1_500_000),
    device("AppleM4V480pSD", "main", "3.1", 640, 480, rate: 1_500_000),
    device("AppleM4VAppleTV", "main", "3.1", 960, 540, rate: 3_000_000),
    device("AppleM4VWiFi", "main", "3.1", 640, 480, rate: 2_000_000),
    device("AppleM4V720pHD", "main", "3.2", 1280, 720, rate: 5_000_000),
    device("AppleM4V1080pHD", "high", "4.1", 1920, 1080, rate: 8_000_000),
  ]

  private static func device(
    _ name: String, _ profile: String, _ level: String, _ width: Int, _ height: Int, rate: Int
  ) -> ExportPreset {
    var settings = VideoSettings(codec: "h264", averageBitRate: rate)
    settings.profile = profile
    settings.level = level
    if profile == "baseline" { settings.maximumBFrames = 0 }
    return ExportPreset(
      name: name, summary: "H.264 \(profile) in a box of \(width)x\(height), AAC", video: .encode(settings),
      audio: .match(sound("aac", rate: 160_000)), maximumSize: PixelSize(width: width, height: height),
      fileTypes: [.m4v, .mp4, .mov])
  }
}
