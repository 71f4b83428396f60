import ISOMedia
import LibAV

extension AsyncProperty where Root == AssetTrack, Value == [MetadataItem] {
  /// Every item that the container has for the track, in its own key spaces; empty where there is none.
  public static var metadata: Self {
    Self("metadata") { track in
      try await track.asset.fileMetadata().trackItems[track.trackID] ?? []
    }
  }

  /// The items that have a common key, in the common key space.
  public static var commonMetadata: Self {
    Self("commonMetadata") { try await $0.load(.metadata).compactMap(\.common) }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [MetadataFormat] {
  /// The forms in which the container has metadata for the track.
  public static var availableMetadataFormats: Self {
    Self("availableMetadataFormats") { try await $0.load(.metadata).formats }
  }
}

extension AssetTrack {
  /// The track's items of one form; none is no error.
  public func loadMetadata(for format: MetadataFormat) async throws -> [MetadataItem] {
    try await load(.metadata).filter { MetadataFormat(keySpace: $0.keySpace) == format }
  }

  /// The name that the container gives the track; nil without one.
  func title() async throws -> String? {
    if let name = track.name, !name.isEmpty { return name }
    let items = try await load(.metadata)
    let named = items.first { $0.commonKey == .title } ?? items.first { ["name", "tnam"].contains($0.key) }
    return named?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What is inferred and what is tagged. Tags never bring what the media itself decides, and never take it away.
  func characteristics() async throws -> [MediaCharacteristic] {
    var found = try await inferredCharacteristics()
    guard track.iso?.userData != nil else { return found }
    for item in try await load(.metadata) where item.key == "tagc" {
      guard let text = item.stringValue, !text.isEmpty else { continue }
      let tag = MediaCharacteristic(rawValue: text)
      guard !MediaCharacteristic.inferredOnly.contains(tag), !found.contains(tag) else { continue }
      found.append(tag)
      if tag == .isAuxiliaryContent { found.removeAll { $0 == .isMainProgramContent } }
      let isTranslation = tag == .dubbedTranslation || tag == .voiceOverTranslation
      if isTranslation, !found.contains(.languageTranslation) { found.append(.languageTranslation) }
    }
    return found
  }

  /// Whether all samples of a 3GPP text track are marked as forced (QuickTime File Format, "Subtitle sample data").
  var hasOnlyForcedSamples: Bool {
    guard track.fourCharacterCode == "tx3g", let flags = track.stream?.extradata.first else { return false }
    return flags & 0x80 != 0
  }
}

extension MediaCharacteristic {
  /// What the media decides; tags of these names mean nothing.
  static let inferredOnly: Set<MediaCharacteristic> = [
    .visual, .audible, .legible, .frameBased, .isMainProgramContent, .usesWideGamutColorSpace, .containsHDRVideo,
    .containsAlphaChannel,
  ]
}
