public import FoundationEssentials

/// Tracks of one kind of which one is shown or heard at a time: languages, commentaries, subtitles.
public struct MediaSelectionGroup: Sendable, Hashable {
  /// What the options have in common: ``MediaCharacteristic/audible``, `legible` or `visual`.
  public let characteristic: MediaCharacteristic
  /// The options in the container's order, forced-only subtitles included.
  public let options: [MediaSelectionOption]
  /// What the container wants to be on show at first; nil for none.
  public let defaultOption: MediaSelectionOption?
  /// Whether none of the options may be on show; true for subtitles.
  public let allowsEmptySelection: Bool

  /// The options of playable tracks.
  public var playableOptions: [MediaSelectionOption] { options.filter(\.isPlayable) }

  /// The option of a track; nil when the group has none.
  public func option(withTrackID trackID: Int32) -> MediaSelectionOption? {
    options.first { $0.trackID == trackID }
  }
}

/// One track that can be chosen from a group.
public struct MediaSelectionOption: Sendable, Hashable {
  /// The track, which also finds the option again when the asset is opened anew.
  public let trackID: Int32
  /// The kind of media.
  public let mediaType: MediaType
  /// Four-character codes of the kinds of samples, or FFmpeg's names of the codecs where the container has none.
  public let mediaSubTypes: [String]
  /// The language as a BCP 47 tag (`fr`, `pt-BR`); nil when undetermined.
  public let extendedLanguageTag: String?
  /// The language in ISO 639-2/T (`fra`); nil when undetermined.
  public let languageCode: String?
  /// What the track offers, inferred and tagged.
  public let characteristics: [MediaCharacteristic]
  /// Whether the track can be shown or heard.
  public let isPlayable: Bool
  /// The track's metadata that has common keys.
  public let commonMetadata: [MetadataItem]
  /// The track's own name, else its language in English with what sets it apart: `French`, `English (Forced)`.
  public let displayName: String
  /// Tracks that belong to this one, by kind of association.
  let associations: [AssetTrack.AssociationType: [Int32]]

  /// The language as a locale.
  public var locale: Locale? { extendedLanguageTag.map { Locale(identifier: $0) } }

  /// Whether the option has a characteristic.
  public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
    characteristics.contains(characteristic)
  }

  /// The option of another group that belongs to this one: forced subtitles of a sound, subtitles that follow it.
  public func associatedOption(in group: MediaSelectionGroup) -> MediaSelectionOption? {
    for type in [AssetTrack.AssociationType.forcedSubtitlesOnly, .selectionFollower] {
      let ids = associations[type] ?? []
      if let found = group.options.first(where: { ids.contains($0.trackID) }) { return found }
      if let found = group.options.first(where: { $0.associations[type]?.contains(trackID) == true }) { return found }
    }
    return nil
  }
}

extension Sequence<MediaSelectionOption> {
  /// The options in any of the preferred languages, those of the first one first; others are left out.
  public func filteredAndSorted(accordingToPreferredLanguages languages: [String]) -> [MediaSelectionOption] {
    compactMap { option in
      LanguageTag.rank(of: option.extendedLanguageTag, in: languages).map { (rank: $0, option: option) }
    }
    .enumerated()
    .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    .map(\.element.option)
  }

  /// The options of a locale's language, whatever standard either is written in.
  public func filtered(by locale: Locale) -> [MediaSelectionOption] {
    filteredAndSorted(accordingToPreferredLanguages: [locale.identifier])
  }

  /// The options that have all of the characteristics.
  public func filtered(with characteristics: [MediaCharacteristic]) -> [MediaSelectionOption] {
    filter { option in characteristics.allSatisfy(option.characteristics.contains) }
  }

  /// The options that have none of the characteristics.
  public func filtered(without characteristics: [MediaCharacteristic]) -> [MediaSelectionOption] {
    filter { option in !characteristics.contains(where: option.characteristics.contains) }
  }
}

/// Tracks of which one is to be shown at a time.
public struct TrackGroup: Sendable, Hashable {
  /// The tracks in the container's order.
  public let trackIDs: [Int32]
}
