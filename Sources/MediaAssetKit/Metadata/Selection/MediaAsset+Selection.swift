import ISOMedia
import LibAV

extension AsyncProperty where Root == MediaAsset, Value == [TrackGroup] {
  /// Tracks that are alternatives: the alternate groups of MP4 and QuickTime; elsewhere all tracks of one kind within a
  /// programme, where there are several.
  public static var trackGroups: Self {
    Self("trackGroups") { try await $0.header().trackGroups }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == [MediaCharacteristic] {
  /// The characteristics that ``MediaAsset/loadMediaSelectionGroup(for:)`` has a group for.
  public static var availableMediaCharacteristicsWithMediaSelectionOptions: Self {
    Self("availableMediaCharacteristicsWithMediaSelectionOptions") { asset in
      let header = try await asset.header()
      return [.audible, .legible, .visual].filter { !header.selectable($0).isEmpty }
    }
  }
}

extension MediaAsset {
  /// What can be chosen of a kind of media: ``MediaCharacteristic/audible``, `legible` or `visual`; nil for none.
  ///
  /// There is an audible group for any sound, a legible one for any subtitles, a visual one for pictures of which
  /// several are alternatives. Its default is the container's, for sound and pictures the track that decoding takes
  /// by default. Any other characteristic has no group.
  public func loadMediaSelectionGroup(
    for characteristic: MediaCharacteristic
  ) async throws -> MediaSelectionGroup? {
    let header = try await header()
    let tracks = header.selectable(characteristic)
    guard !tracks.isEmpty else { return nil }
    var options: [MediaSelectionOption] = []
    for track in tracks {
      options.append(try await MediaSelectionOption(loading: AssetTrack(asset: self, track: track)))
    }
    let standard = header.defaultSelection(characteristic, among: tracks)
    return MediaSelectionGroup(
      characteristic: characteristic, options: options,
      defaultOption: options.first { $0.trackID == standard },
      allowsEmptySelection: characteristic == .legible)
  }
}

extension ContainerHeader {
  fileprivate var trackGroups: [TrackGroup] {
    if movie != nil {
      var order: [Int16] = []
      var members: [Int16: [Int32]] = [:]
      for track in tracks {
        guard let group = track.iso?.alternateGroup, group != 0 else { continue }
        if members[group] == nil { order.append(group) }
        members[group, default: []].append(track.id)
      }
      return order.compactMap { group in
        members[group].flatMap { $0.count > 1 ? TrackGroup(trackIDs: $0) : nil }
      }
    }
    var groups: [TrackGroup] = []
    for types in [[MediaType.video], [.audio], [.subtitle, .closedCaption]] {
      let kin = tracks.filter { types.contains($0.mediaType) }
      var programs: [Int?] = []
      for track in kin where !programs.contains(track.program) { programs.append(track.program) }
      for program in programs {
        let ids = kin.filter { $0.program == program }.map(\.id)
        if ids.count > 1 { groups.append(TrackGroup(trackIDs: ids)) }
      }
    }
    return groups
  }

  /// The tracks of a selection group, in the file's order.
  fileprivate func selectable(_ characteristic: MediaCharacteristic) -> [ContainerTrack] {
    switch characteristic {
    case .audible: return alternatives(tracks.filter { $0.mediaType == .audio }, to: defaultAudioTrack)
    case .legible: return tracks.filter { [.subtitle, .closedCaption].contains($0.mediaType) }
    case .visual:
      let found = alternatives(tracks.filter { $0.mediaType == .video }, to: defaultVideoTrack)
      // Pictures that are shown together, as QuickTime can, are no choice.
      let isChoice = found.count > 1 && (movie == nil || found[0].iso?.alternateGroup != 0)
      return isChoice ? found : []
    default: return []
    }
  }

  /// Without what only stands in for another track (`fall`), and, where the file has alternate groups, without what is
  /// no alternative to the default track.
  private func alternatives(_ tracks: [ContainerTrack], to standard: ContainerTrack?) -> [ContainerTrack] {
    let fallbacks = Set(tracks.flatMap { $0.iso?.references(ofType: "fall") ?? [] })
    let real = tracks.filter { !fallbacks.contains(UInt32(bitPattern: $0.id)) }
    guard let group = standard?.iso?.alternateGroup, group != 0 else { return real.isEmpty ? tracks : real }
    let members = real.filter { $0.iso?.alternateGroup == group }
    return members.isEmpty ? real : members
  }

  fileprivate func defaultSelection(
    _ characteristic: MediaCharacteristic, among tracks: [ContainerTrack]
  ) -> Int32? {
    let ids = tracks.map(\.id)
    switch characteristic {
    case .audible: return defaultAudioTrack.map(\.id).flatMap { ids.contains($0) ? $0 : nil } ?? ids.first
    case .visual: return defaultVideoTrack.map(\.id).flatMap { ids.contains($0) ? $0 : nil } ?? ids.first
    default:
      // Subtitles are on only where the file says so, and forced ones are no choice of their own.
      return tracks.first { track in
        let disposition = track.stream?.disposition ?? []
        return track.isEnabled && disposition.contains(.isDefault) && !disposition.contains(.forced)
      }?.id
    }
  }
}

extension MediaSelectionOption {
  fileprivate init(loading track: AssetTrack) async throws {
    trackID = track.trackID
    mediaType = track.mediaType
    let codes = track.track.iso?.sampleDescriptions.map(\.format.description)
    mediaSubTypes = codes ?? [track.track.fourCharacterCode ?? track.track.codec].compactMap(\.self)
    languageCode = track.track.language
    extendedLanguageTag = LanguageTag.canonical(track.track.extendedLanguage ?? track.track.language)
    characteristics = try await track.load(.mediaCharacteristics)
    isPlayable = try await track.load(.isPlayable)
    commonMetadata = try await track.load(.commonMetadata)
    displayName = try await track.title() ?? Self.name(extendedLanguageTag, characteristics)
    var associations: [AssetTrack.AssociationType: [Int32]] = [:]
    for reference in track.track.iso?.references ?? [] {
      associations[.init(rawValue: reference.type.description), default: []] += reference.trackIDs.map {
        Int32(clamping: $0)
      }
    }
    self.associations = associations
  }

  private static func name(_ tag: String?, _ characteristics: [MediaCharacteristic]) -> String {
    let language = tag.flatMap(LanguageNames.english) ?? "Unknown language"
    let additions: [(MediaCharacteristic, String)] = [
      (.containsOnlyForcedSubtitles, "Forced"), (.transcribesSpokenDialogForAccessibility, "SDH"),
      (.describesVideoForAccessibility, "Audio Description"), (.isAuxiliaryContent, "Commentary"),
    ]
    guard let addition = additions.first(where: { characteristics.contains($0.0) }) else { return language }
    return "\(language) (\(addition.1))"
  }
}
