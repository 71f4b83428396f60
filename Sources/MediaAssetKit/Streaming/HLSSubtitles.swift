import LibAV

/// A track of text on its way into a package: WebVTT in files along the segments of what it is shown with.
struct HLSSubtitles: Sendable {
  /// What its files are called.
  let name: String
  let rendition: HLSMasterPlaylist.SubtitleRendition
  private let track: AssetTrack

  /// - Parameter others: The package's subtitles so far, since names and the default are a matter of all.
  init(track: AssetTrack, before others: [HLSSubtitles]) async throws {
    self.track = track
    let number = others.count + 1
    name = number == 1 ? "subtitles" : "subtitles-\(number)"
    let characteristics = try await track.load(.mediaCharacteristics)
    let tag = try await track.load(.extendedLanguageTag)
    let code = try await track.load(.languageCode)
    let language = LanguageTag.canonical(tag ?? code)
    let title = try await track.title() ?? language ?? "subtitles"
    let isTaken = others.contains { $0.rendition.name == title }
    var rendition = HLSMasterPlaylist.SubtitleRendition(
      group: "subtitles", name: isTaken ? "\(title) \(number)" : title, uri: name + ".m3u8")
    rendition.language = language
    rendition.isForced = characteristics.contains(.containsOnlyForcedSubtitles)
    let disposition = track.track.stream?.disposition ?? []
    rendition.isDefault =
      track.track.isEnabled && disposition.contains(.isDefault) && !rendition.isForced
      && !others.contains { $0.rendition.isDefault }
    rendition.characteristics = [
      MediaCharacteristic.transcribesSpokenDialogForAccessibility, .describesMusicAndSoundForAccessibility,
    ].filter { characteristics.contains($0) }.map(\.rawValue)
    self.rendition = rendition
  }

  /// Writes the segments and the playlist.
  ///
  /// - Parameter durations: How long the segments are of what the subtitles are shown with.
  func write(along durations: [MediaTime], to folder: HLSFolder) async throws -> HLSMediaPlaylist {
    let cues = try await track.subtitleText().cues.sorted { $0.time < $1.time }
    var playlist = HLSMediaPlaylist(initializationURI: nil)
    var start = MediaTime.zero
    // Cues that are on show, and the first one that has not been yet.
    var shown: [TextCue] = []
    var next = cues.startIndex
    for (index, duration) in durations.enumerated() {
      try Task.checkCancellation()
      let end = start + duration
      while next < cues.endIndex, cues[next].time < end {
        shown.append(cues[next])
        next += 1
      }
      shown.removeAll { $0.end <= start }
      let bytes = Array(Self.text(shown).utf8)
      let number = String(index + 1)
      let uri = name + "-" + String(repeating: "0", count: max(0, 5 - number.count)) + number + ".vtt"
      try await WorkerPool.writing.run { try folder.write(bytes, as: uri) }
      playlist.segments.append(.init(uri: uri, duration: duration, size: bytes.count))
      start = end
    }
    let (text, uri) = (Array(playlist.text.utf8), rendition.uri)
    try await WorkerPool.writing.run { try folder.write(text, as: uri) }
    return playlist
  }

  /// A segment; its times are those of the media, whose fragments count from zero (RFC 8216, 3.5).
  static func text(_ cues: [TextCue]) -> String {
    let head = "WEBVTT\n"
    let text = SubtitleText(cues: cues).text(as: .vtt)
    return head + "X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0\n" + text.dropFirst(head.count)
  }
}
