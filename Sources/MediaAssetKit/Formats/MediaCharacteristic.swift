/// What a track offers to its audience; raw values are AVFoundation's.
public struct MediaCharacteristic: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// AVFoundation's string, or a custom tag in reverse-DNS form.
  public let rawValue: String
  /// A characteristic by its string.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The string.
  public var description: String { rawValue }

  /// Video, subtitles and captions: something to see.
  public static let visual = Self(rawValue: "AVMediaCharacteristicVisual")
  /// Sound.
  public static let audible = Self(rawValue: "AVMediaCharacteristicAudible")
  /// Subtitles and captions: something to read.
  public static let legible = Self(rawValue: "AVMediaCharacteristicLegible")
  /// Made of frames that can be stepped through.
  public static let frameBased = Self(rawValue: "AVMediaCharacteristicFrameBased")
  /// Not auxiliary.
  public static let isMainProgramContent = Self(rawValue: "public.main-program-content")
  /// A commentary or another addition to the main programme.
  public static let isAuxiliaryContent = Self(rawValue: "public.auxiliary-content")
  /// In the language of the original production.
  public static let isOriginalContent = Self(rawValue: "public.original-content")
  /// Holds only subtitles that are always shown.
  public static let containsOnlyForcedSubtitles = Self(rawValue: "public.subtitles.forced-only")
  /// Subtitles that write down what is said.
  public static let transcribesSpokenDialogForAccessibility = Self(
    rawValue: "public.accessibility.transcribes-spoken-dialog")
  /// Subtitles that describe music and sound.
  public static let describesMusicAndSoundForAccessibility = Self(
    rawValue: "public.accessibility.describes-music-and-sound")
  /// Subtitles that are shortened so that they can be read with ease.
  public static let easyToRead = Self(rawValue: "public.easy-to-read")
  /// Sound that describes the picture.
  public static let describesVideoForAccessibility = Self(
    rawValue: "public.accessibility.describes-video")
  /// A translation spoken by other voices in place of the original.
  public static let dubbedTranslation = Self(rawValue: "public.translation.dubbed")
  /// A translation spoken over the original.
  public static let voiceOverTranslation = Self(rawValue: "public.translation.voice-over")
  /// A translation of any kind.
  public static let languageTranslation = Self(rawValue: "public.translation")
  /// Colours outside BT.709 can occur.
  public static let usesWideGamutColorSpace = Self(rawValue: "public.uses-wide-gamut-color-space")
  /// High dynamic range: PQ or HLG.
  public static let containsHDRVideo = Self(rawValue: "public.contains-hdr-video")
  /// Pictures have transparent parts.
  public static let containsAlphaChannel = Self(rawValue: "public.contains-alpha-channel")
  /// Sound that is mixed so that speech is easier to understand.
  public static let enhancesSpeechIntelligibility = Self(
    rawValue: "public.accessibility.enhances-speech-intelligibility")
  /// Two views in one stream, one for each eye (MV-HEVC).
  public static let containsStereoMultiviewVideo = Self(rawValue: "public.contains-stereo-multiview-video")
  /// The container says how the picture holds the views of two eyes.
  public static let carriesVideoStereoMetadata = Self(rawValue: "com.apple.quicktime.video.stereo-metadata")
  /// The container states the horizontal field of view.
  public static let indicatesHorizontalFieldOfView = Self(rawValue: "public.indicates-horizontal-field-of-view")
  /// The picture is no plane: equirectangular, a cube map, a fisheye lens.
  public static let indicatesNonRectilinearProjection = Self(rawValue: "public.indicates-non-rectilinear-projection")
  /// Haptics for those who want few.
  public static let tactileMinimal = Self(rawValue: "public.haptics.minimal")
  /// Made or translated by a machine.
  public static let machineGenerated = Self(rawValue: "public.machine-generated")
}
