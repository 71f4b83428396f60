import LibAV

/// The codecs that a type of file usually holds, where nobody says which.
struct UsualCodecs {
  var video = "h264"
  var sound = "aac"
  var soundRate: Int? = 256_000
  /// FFmpeg's name of its own kind of text; nil where it has none.
  var text: String?
  var factor: Double? { Self.factor(video) }

  init(_ type: FileType) {
    switch type {
    case .mp4, .mov, .m4v, .m4a, .mobile3GPP, .mobile3GPP2: text = "mov_text"
    case .webm:
      (video, sound, soundRate) = ("vp9", "opus", 160_000)
      text = "webvtt"
    case .mkv: text = "subrip"
    case .mpegPS: (video, sound, soundRate) = ("mpeg2video", "mp2", 256_000)
    case .avi: (video, sound, soundRate) = ("mpeg4", "mp3", 192_000)
    case .ogg: (video, sound, soundRate) = ("theora", "opus", 160_000)
    case .mp3: (sound, soundRate) = ("mp3", 192_000)
    case .flac: (sound, soundRate) = ("flac", nil)
    case .ac3: (sound, soundRate) = ("ac3", 384_000)
    case .eac3: (sound, soundRate) = ("eac3", 256_000)
    case .wav, .caf, .aiff, .aifc, .au: (sound, soundRate) = ("pcm", nil)
    case .gif: video = "gif"
    case .webp: video = "webp"
    default: break
    }
  }

  /// The rate factor at which pictures look like their source; nil for codecs without one.
  static func factor(_ codec: String) -> Double? {
    switch codec {
    case "h264": 18
    case "hevc": 20
    case "vp8": 10
    case "vp9": 24
    case "av1": 26
    default: nil
    }
  }

  /// `pcm` stands for the PCM that the type holds and the source needs; other names for themselves.
  static func resolve(_ codec: String, _ type: FileType, depth: Int?) -> String {
    guard codec == "pcm" else { return codec }
    let isBigEndian = [FileType.aiff, .aifc, .au].contains(type)
    let bits = (depth ?? 16) > 24 ? 32 : (depth ?? 16) > 16 ? 24 : 16
    return "pcm_s\(bits)\(isBigEndian ? "be" : "le")"
  }
}

/// Text in the form of a container.
enum TextFormat {
  private static let codecs: Set<String> = [
    "mov_text", "subrip", "webvtt", "ass", "ssa", "text", "srt", "eia_608", "ttml", "microdvd", "sami", "realtext",
  ]

  static func isText(_ codec: String?) -> Bool { codec.map(codecs.contains) ?? false }

  /// The set-up bytes of a text codec: QuickTime's default style, and the header of ASS.
  static func extradata(_ codec: String) -> [UInt8] {
    guard codec == "mov_text" else { return [] }
    // 3GPP TS 26.245, 5.16: flags, justification at the bottom in the middle, no background, no box, one style, one font.
    return [0, 0, 0, 0, 1, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 8) + [
      0, 0, 0, 0, 0, 1, 0, 18, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 18,
    ] + Array("ftab".utf8) + [0, 1, 0, 1, 5] + Array("Serif".utf8)
  }

  /// A cue as a stored sample.
  static func sample(_ cue: TextCue, _ codec: String) throws(AVError) -> SampleBuffer {
    let text = Array(cue.text.utf8)
    let limited = text.count > Int(UInt16.max) ? Array(text.prefix(Int(UInt16.max))) : text
    let bytes =
      codec == "mov_text" ? [UInt8(limited.count >> 8), UInt8(limited.count & 0xFF)] + limited : text
    return SampleBuffer(
      content: .stored(StoredSample(packet: try Packet.copying(bytes))), presentationTime: cue.time,
      decodeTime: cue.time, duration: cue.duration)
  }
}

extension Writer.Input {
  /// An input for text in a codec that ``TextFormat`` makes, timed in milliseconds as text is.
  convenience init(text codec: String, properties: Properties) {
    var properties = properties
    properties.mediaTimeScale = 1000
    let description = FormatDescription(
      mediaType: .subtitle, codec: codec, parameterSets: TextFormat.extradata(codec))
    self.init(mediaType: .subtitle, settings: nil, sourceFormatHint: description, properties: properties)
  }
}
