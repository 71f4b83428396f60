import MediaAssetKit
import Testing

/// Constants against AVFoundation's own raw values, row by row; the values are those that its SDKs declare.
@Suite struct RawConstantsTests {
  @Test(arguments: DeclaredIdentifiers.all)
  func identifiers(row: DeclaredIdentifiers.Row) throws {
    #expect(row.constant.rawValue == row.rawValue)
    // Keys are no constants of their own here: an identifier's key is AVFoundation's key constant.
    if let key = row.key { #expect(row.constant.key == key) }
    let space = try #require(row.constant.keySpace)
    let key = try #require(row.constant.key)
    #expect(MetadataIdentifier(key: key, keySpace: space) == row.constant)
  }

  @Test func everyIdentifier() {
    #expect(DeclaredIdentifiers.all.count == 281)
    #expect(Set(DeclaredIdentifiers.all.map(\.name)).count == 281)
  }

  @Test(
    arguments: [
      ("caaf", .audioFile), ("comn", .common), ("lsdr", .hlsDateRange), ("org.id3", .id3), ("uiso", .isoUserData),
      ("icy", .icy), ("mdta", .quickTimeMetadata), ("udta", .quickTimeUserData), ("itsk", .iTunes),
    ] as [(String, MetadataKeySpace)])
  func keySpaces(raw: String, constant: MetadataKeySpace) { #expect(constant.rawValue == raw) }

  @Test(
    arguments: [
      ("com.apple.quicktime.HLS", .hlsMetadata), ("org.id3", .id3Metadata), ("org.mp4ra", .isoUserData),
      ("com.apple.quicktime.mdta", .quickTimeMetadata), ("com.apple.quicktime.udta", .quickTimeUserData),
      ("public.unknown", .unknown), ("com.apple.itunes", .iTunesMetadata),
    ] as [(String, MetadataFormat)])
  func formats(raw: String, constant: MetadataFormat) { #expect(constant.rawValue == raw) }

  @Test(
    arguments: [
      ("baseURL", .baseURI), ("info", .info), ("URL", .valueURI),
    ] as [(String, MetadataItem.ExtraAttribute)])
  func extraAttributes(raw: String, constant: MetadataItem.ExtraAttribute) { #expect(constant.rawValue == raw) }

  @Test(
    arguments: [
      ("AVMediaCharacteristicAudible", .audible), ("public.contains-alpha-channel", .containsAlphaChannel),
      ("public.contains-hdr-video", .containsHDRVideo), ("public.subtitles.forced-only", .containsOnlyForcedSubtitles),
      ("public.accessibility.describes-music-and-sound", .describesMusicAndSoundForAccessibility),
      ("public.accessibility.describes-video", .describesVideoForAccessibility),
      ("public.translation.dubbed", .dubbedTranslation), ("public.easy-to-read", .easyToRead),
      ("AVMediaCharacteristicFrameBased", .frameBased), ("public.auxiliary-content", .isAuxiliaryContent),
      ("public.main-program-content", .isMainProgramContent), ("public.original-content", .isOriginalContent),
      ("public.translation", .languageTranslation), ("AVMediaCharacteristicLegible", .legible),
      ("public.accessibility.transcribes-spoken-dialog", .transcribesSpokenDialogForAccessibility),
      ("public.uses-wide-gamut-color-space", .usesWideGamutColorSpace), ("AVMediaCharacteristicVisual", .visual),
      ("public.translation.voice-over", .voiceOverTranslation),
      ("public.accessibility.enhances-speech-intelligibility", .enhancesSpeechIntelligibility),
      ("public.contains-stereo-multiview-video", .containsStereoMultiviewVideo),
      ("com.apple.quicktime.video.stereo-metadata", .carriesVideoStereoMetadata),
      ("public.indicates-horizontal-field-of-view", .indicatesHorizontalFieldOfView),
      ("public.indicates-non-rectilinear-projection", .indicatesNonRectilinearProjection),
      ("public.haptics.minimal", .tactileMinimal), ("public.machine-generated", .machineGenerated),
    ] as [(String, MediaCharacteristic)])
  func characteristics(raw: String, constant: MediaCharacteristic) { #expect(constant.rawValue == raw) }

  @Test(
    arguments: [
      ("soun", .audio), ("clcp", .closedCaption), ("dpth", .depthData), ("meta", .metadata), ("muxx", .muxed),
      ("sbtl", .subtitle), ("text", .text), ("tmcd", .timecode), ("vide", .video),
    ] as [(String, MediaType)])
  func mediaTypes(raw: String, constant: MediaType) { #expect(constant.rawValue == raw) }

  /// Left out on purpose, as nothing here reads or writes them: `public.avci`, `com.adobe.raw-image`, `public.heif`,
  /// `public.tiff` (photographs), `com.scenarist.closed-caption`, `com.apple.itunes-timed-text` (captions).
  @Test(
    arguments: [
      ("public.3gpp", .mobile3GPP), ("public.3gpp2", .mobile3GPP2), ("public.ac3-audio", .ac3),
      ("public.aifc-audio", .aifc), ("public.aiff-audio", .aiff), ("org.3gpp.adaptive-multi-rate-audio", .amr),
      ("com.apple.m4a-audio", .m4a), ("com.apple.m4v-video", .m4v), ("com.apple.coreaudio-format", .caf),
      ("public.enhanced-ac3-audio", .eac3), ("public.heic", .heic), ("public.jpeg", .jpeg), ("public.mpeg-4", .mp4),
      ("public.mp3", .mp3), ("com.apple.quicktime-movie", .mov), ("public.au-audio", .au),
      ("com.microsoft.waveform-audio", .wav),
    ] as [(String, FileType)])
  func fileTypes(raw: String, constant: FileType) { #expect(constant.rawValue == raw) }

  @Test(
    arguments: [
      ("fall", .audioFallback), ("chap", .chapterList), ("forc", .forcedSubtitlesOnly), ("cdsc", .metadataReferent),
      ("folw", .selectionFollower), ("tmcd", .timecode), ("rndr", .renderMetadataSource),
    ] as [(String, AssetTrack.AssociationType)])
  func associations(raw: String, constant: AssetTrack.AssociationType) { #expect(constant.rawValue == raw) }
}
