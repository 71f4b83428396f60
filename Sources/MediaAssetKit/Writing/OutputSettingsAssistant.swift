/// Settings that suit usual sizes, ready for a ``Writer``: what AVFoundation's `AVOutputSettingsAssistant` gives.
///
/// ```swift
/// var assistant = OutputSettingsAssistant(preset: .size1280x720)
/// assistant?.sourceVideoFormat = try await track.load(.formatDescriptions).first?.video
/// ```
///
/// Pictures fit into the preset's size with their shape kept, never enlarged. Their rate follows from their size and their
/// pictures a second: a tenth of a bit for each pixel of each picture in H.264, six hundredths in HEVC. Sound is AAC of at
/// most two channels, 64,000 bits a second for each.
public struct OutputSettingsAssistant: Sendable, Hashable {
  /// The size to fit into, and the codec; raw values are AVFoundation's.
  public struct Preset: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// AVFoundation's name, such as `AVOutputSettingsPreset1280x720`.
    public let rawValue: String
    /// A preset by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }

    /// 640 by 480 in H.264.
    public static let size640x480 = Self(rawValue: "AVOutputSettingsPreset640x480")
    /// 960 by 540 in H.264.
    public static let size960x540 = Self(rawValue: "AVOutputSettingsPreset960x540")
    /// 1280 by 720 in H.264.
    public static let size1280x720 = Self(rawValue: "AVOutputSettingsPreset1280x720")
    /// 1920 by 1080 in H.264.
    public static let size1920x1080 = Self(rawValue: "AVOutputSettingsPreset1920x1080")
    /// 3840 by 2160 in H.264.
    public static let size3840x2160 = Self(rawValue: "AVOutputSettingsPreset3840x2160")
    /// 1920 by 1080 in HEVC.
    public static let hevc1920x1080 = Self(rawValue: "AVOutputSettingsPresetHEVC1920x1080")
    /// 3840 by 2160 in HEVC.
    public static let hevc3840x2160 = Self(rawValue: "AVOutputSettingsPresetHEVC3840x2160")
    /// 7680 by 4320 in HEVC.
    public static let hevc7680x4320 = Self(rawValue: "AVOutputSettingsPresetHEVC7680x4320")
  }

  private static let kinds: [(preset: Preset, codec: String, size: PixelSize)] = [
    (.size640x480, "h264", PixelSize(width: 640, height: 480)),
    (.size960x540, "h264", PixelSize(width: 960, height: 540)),
    (.size1280x720, "h264", PixelSize(width: 1280, height: 720)),
    (.size1920x1080, "h264", PixelSize(width: 1920, height: 1080)),
    (.size3840x2160, "h264", PixelSize(width: 3840, height: 2160)),
    (.hevc1920x1080, "hevc", PixelSize(width: 1920, height: 1080)),
    (.hevc3840x2160, "hevc", PixelSize(width: 3840, height: 2160)),
    (.hevc7680x4320, "hevc", PixelSize(width: 7680, height: 4320)),
  ]

  /// The presets that this FFmpeg has encoders for. Those of AVFoundation with alpha or two views are not among them: no
  /// encoder of FFmpeg makes such HEVC.
  public static var availablePresets: [Preset] {
    kinds.filter { EncoderChoice.encoder(codec: $0.codec, named: nil) != nil }.map(\.preset)
  }

  /// What is to be written; nil keeps the preset's size, thirty pictures a second.
  public var sourceVideoFormat: VideoFormat?
  /// The time of one picture on average; invalid for one of thirty a second.
  public var sourceVideoAverageFrameDuration = MediaTime.invalid
  /// The shortest time of one picture; invalid where nothing is known. It goes before the average for the encoder's hint.
  public var sourceVideoMinFrameDuration = MediaTime.invalid
  /// What sound is to be written; nil for two channels of 44,100 samples a second.
  public var sourceAudioFormat: AudioFormat?

  private let codec: String
  private let box: PixelSize

  /// An assistant for a preset; nil for one that is not among ``availablePresets``.
  public init?(preset: Preset) {
    guard let kind = Self.kinds.first(where: { $0.preset == preset }),
      EncoderChoice.encoder(codec: kind.codec, named: nil) != nil
    else {
      return nil
    }
    (codec, box) = (kind.codec, kind.size)
  }

  /// The container that the settings are for.
  public var outputFileType: FileType { .mov }

  /// Settings for pictures.
  public var videoSettings: VideoSettings {
    let size = size
    let seconds = sourceVideoAverageFrameDuration.isNumeric ? sourceVideoAverageFrameDuration.seconds : 1.0 / 30
    let rate = min(240, max(1, 1 / max(seconds, 1.0 / 240)))
    let bits = codec == "hevc" ? 0.06 : 0.1
    var settings = VideoSettings(
      codec: codec, size: size,
      averageBitRate: max(64_000, Int((Double(size.width * size.height) * rate * bits / 1000).rounded()) * 1000))
    settings.scalingMode = .resizeAspect
    let shortest = sourceVideoMinFrameDuration.isNumeric ? sourceVideoMinFrameDuration.seconds : seconds
    settings.expectedFrameRate = Int(min(240, max(1, 1 / max(shortest, 1.0 / 240))).rounded())
    return settings
  }

  /// Settings for sound.
  public var audioSettings: AudioSettings {
    let channels = min(2, max(1, sourceAudioFormat?.channels ?? 2))
    let rate = min(48_000, max(8000, sourceAudioFormat?.sampleRate ?? 44_100))
    return AudioSettings(codec: "aac", sampleRate: rate, channels: channels, bitRate: 64_000 * channels)
  }

  /// The source's size in the preset's box, its sides even.
  private var size: PixelSize {
    guard let source = sourceVideoFormat?.naturalSize, !source.isEmpty else { return box }
    // A picture that stands upright fits into an upright box.
    let box = source.height > source.width ? box.transposed : box
    let fitted = PixelFitting.fit(source, within: box)
    return PixelSize(width: max(2, fitted.width & ~1), height: max(2, fitted.height & ~1))
  }
}
