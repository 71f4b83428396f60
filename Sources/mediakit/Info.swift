import MediaAssetKit

extension Verb {
  static let info = Verb(
    "info", "FILE [--json] [--precise]",
    "What FILE holds: container, duration, metadata, chapters, what can be chosen, tracks.",
    options: [
      Option("--json", "one JSON document; the keys are in the article \"Command line\""),
      Option("--precise", "read all of FILE where its header does not give exact times"),
    ] + Input.options
  ) { arguments in
    let asset = try Input.asset(arguments, isPrecise: arguments.has("--precise"))
    let info = try await AssetInfo(loading: asset, name: try arguments.operand("FILE"))
    try StandardOutput.print(arguments.has("--json") ? info.json.document : info.text)
    return .done
  }
}

/// What `info` tells of an asset.
struct AssetInfo {
  var name: String
  var container: String
  var fileType: FileType?
  var size: Int64?
  var duration: MediaTime
  var quality: DurationQuality
  /// Native items, then common ones.
  var metadata: [MetadataItem]
  var chapters: [TimedMetadataGroup]
  /// Of playlists.
  var dateRanges: [DateRangeMetadataGroup] = []
  var variants: [AssetVariant] = []
  var selection: [(name: String, group: MediaSelectionGroup?)] = []
  var tracks: [TrackInfo] = []

  init(loading asset: MediaAsset, name: String) async throws {
    self.name = name
    (container, fileType, size, duration, quality) = try await asset.load(
      .container, .fileType, .fileSize, .duration, .durationQuality)
    let (native, common) = try await asset.load(.metadata, .commonMetadata)
    metadata = native + common
    chapters = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: [])
    if container == "hls" {
      // What lies in a variant's playlist is told where that may be read.
      dateRanges = (try? await asset.load(.dateRanges)) ?? []
      variants = try await asset.load(.variants)
    }
    let kinds: [(String, MediaCharacteristic)] = [("audible", .audible), ("legible", .legible), ("visual", .visual)]
    for (name, kind) in kinds { selection.append((name, try await asset.loadMediaSelectionGroup(for: kind))) }
    for track in try await asset.load(.tracks) {
      tracks.append(try await TrackInfo(loading: track))
    }
  }
}

/// What `info` tells of a track.
struct TrackInfo {
  var id: Int32
  var mediaType: MediaType
  var format: FormatDescription?
  var isEnabled: Bool
  var isDecodable: Bool
  var language: String?
  var extendedLanguage: String?
  var bitRate: Int64?
  var timeRange: MediaTimeRange
  var sampleCount: Int?
  var naturalTimeScale: Int32
  var characteristics: [MediaCharacteristic]
  var alternateGroup: Int?
  var program: Int?
  var segments: [AssetTrackSegment]
  var transform: PictureTransform
  var frameDuration: MediaTime
  var minFrameDuration: MediaTime
  var timecode: TimecodeFormat?

  init(loading track: AssetTrack) async throws {
    id = track.trackID
    mediaType = track.mediaType
    format = try await track.load(.formatDescriptions).first
    (isEnabled, isDecodable) = try await track.load(.isEnabled, .isDecodable)
    (language, extendedLanguage) = try await track.load(.languageCode, .extendedLanguageTag)
    (bitRate, timeRange, sampleCount) = try await track.load(.bitRate, .timeRange, .sampleCount)
    (naturalTimeScale, characteristics) = try await track.load(
      .naturalTimeScale, .mediaCharacteristics)
    (alternateGroup, program) = try await track.load(.alternateGroupID, .programNumber)
    (segments, transform) = try await track.load(.segments, .preferredTransform)
    (frameDuration, minFrameDuration) = try await track.load(
      .nominalFrameDuration, .minFrameDuration)
    timecode = try await track.load(.timecode)
  }

  /// Degrees clockwise to show the picture upright; nil for a matrix that mirrors, scales or skews.
  var rotation: Int? {
    // QuickTime's fixed point has 16 bits behind the point.
    func isAlmost(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Bool {
      zip([transform.a, transform.b, transform.c, transform.d], [a, b, c, d])
        .allSatisfy { abs($0 - $1) <= 0x1p-15 }
    }
    if isAlmost(1, 0, 0, 1) { return 0 }
    if isAlmost(0, 1, -1, 0) { return 90 }
    if isAlmost(-1, 0, 0, -1) { return 180 }
    if isAlmost(0, -1, 1, 0) { return 270 }
    return nil
  }
}
