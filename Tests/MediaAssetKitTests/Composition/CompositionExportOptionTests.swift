import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What an export of a composition carries besides pictures and sound, and where it ends.
@Suite struct CompositionExportOptionTests {
  private func s(_ seconds: Int64) -> MediaTime { MediaTime(value: seconds, timescale: 1) }
  private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange { MediaTimeRange(start: s(start), end: s(end)) }

  /// A clip of two chapters, ten tenths of a second each, and subtitles.
  private func chaptered() async throws -> URL {
    let notes = FileManager.default.temporaryDirectory.appendingPathComponent("chapters-\(UUID().uuidString).txt")
    try Data(
      """
      ;FFMETADATA1
      title=A clip
      [CHAPTER]
      TIMEBASE=1/1
      START=0
      END=1
      title=One
      [CHAPTER]
      TIMEBASE=1/1
      START=1
      END=2
      title=Two

      """.utf8
    ).write(to: notes)
    defer { try? FileManager.default.removeItem(at: notes) }
    return try await madeClip(
      "chaptered.mp4",
      [
        "-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=2", "-f", "lavfi", "-i", "sine=440:r=48000:d=2", "-i",
        notes.path, "-map_metadata", "2", "-map", "0", "-map", "1", "-c:v", "libx264", "-g", "5", "-pix_fmt", "yuv420p",
        "-c:a", "aac",
      ])
  }

  private func titled() async throws -> URL {
    let text = FileManager.default.temporaryDirectory.appendingPathComponent("cues-\(UUID().uuidString).srt")
    try Data("1\n00:00:00,200 --> 00:00:00,800\nfirst\n\n2\n00:00:01,000 --> 00:00:01,600\nsecond\n".utf8).write(
      to: text)
    defer { try? FileManager.default.removeItem(at: text) }
    return try await madeClip(
      "titled.mp4",
      [
        "-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=2", "-i", text.path, "-map", "0", "-map", "1", "-c:v",
        "libx264",
        "-pix_fmt", "yuv420p", "-c:s", "mov_text", "-metadata:s:s:0", "language=deu",
      ])
  }

  private func chapters(_ url: URL) async throws -> [(String?, MediaTimeRange)] {
    try await MediaAsset(url: url).loadChapterMetadataGroups(bestMatchingPreferredLanguages: []).map {
      ($0.title, $0.timeRange)
    }
  }

  /// The chapters of the sources as they are seen, and one that the film has itself.
  @Test func chaptersMoveWithTheirMedia() async throws {
    let asset = MediaAsset(url: try await chaptered())
    var film = Composition()
    try await film.insertTimeRange(range(0, 2), of: asset, at: .zero)
    try await film.insertTimeRange(range(1, 2), of: asset, at: .invalid)
    film.chapters = [.init(title: "Credits", timeRange: range(3, 4))]
    try await film.insertTimeRange(range(0, 1), of: asset, at: .invalid)
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try await ExportSession(composition: film, preset: .automatic).export(to: target)
      let found = try await chapters(target)
      // The second clip goes on with the chapter that the first one ends with.
      #expect(found.map(\.0) == ["One", "Two", "Credits"])
      #expect(found.map(\.1) == [range(0, 1), range(1, 3), range(3, 4)])
      let loaded = try await film.loadChapterMetadataGroups()
      #expect(loaded.map(\.title) == found.map(\.0) && loaded.map(\.timeRange) == found.map(\.1))
      // A part of it: what lies before is gone, what reaches over the cut is cut.
      let part = folder.appendingPathComponent("p.mp4")
      let session = ExportSession(composition: film, preset: .automatic)
      session.timeRange = range(2, 4)
      try await session.export(to: part)
      let rest = try await chapters(part)
      #expect(rest.map(\.0) == ["Two", "Credits"] && rest.map(\.1) == [range(0, 1), range(1, 2)])
      let none = ExportSession(composition: film, preset: .automatic)
      (none.metadataFilter, none.overwritesExisting) = (.none, true)
      try await none.export(to: part)
      #expect(try await chapters(part).map(\.0) == ["Credits"])
    }
  }

  @Test func typedMetadata() async throws {
    let film = try await Composition.joined([try await greyClip(1)])
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(composition: film, preset: .passthrough)
      session.metadata = [
        MetadataItem(keySpace: .common, key: MetadataCommonKey.title.rawValue, value: .string("Grey"), dataType: .utf8)
      ]
      let plan = try await session.export(to: target)
      #expect(plan.metadataLosses.isEmpty)
      let items = try await MediaAsset(url: target).load(.commonMetadata)
      #expect(items.first { $0.commonKey == .title }?.stringValue == "Grey")
    }
  }

  /// An asset's own tags stay when its sound is mixed anew.
  @Test func mixedAssetsKeepTheirTags() async throws {
    let clip = try await chaptered()
    let asset = MediaAsset(url: clip)
    let sound = try #require(try await asset.loadDefaultTrack(withMediaType: .audio))
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(asset: asset, preset: .automatic)
      var parameters = AudioMix.InputParameters(trackID: sound.trackID)
      try parameters.setVolume(0, at: .zero)
      session.audioMix = AudioMix(inputParameters: [parameters])
      try await session.export(to: target)
      let items = try await MediaAsset(url: target).load(.commonMetadata)
      #expect(items.first { $0.commonKey == .title }?.stringValue == "A clip")
      #expect(try await chapters(target).map(\.0) == ["One", "Two"])
      #expect(try await FFmpegJudge(target).samples16().allSatisfy { abs(Int($0)) < 10 })
    }
  }

  /// Cues at their places: copied as stored, converted where they are cut or play at another speed.
  @Test func text() async throws {
    let asset = MediaAsset(url: try await titled())
    var film = Composition()
    try await film.insertTimeRange(range(0, 2), of: asset, at: .zero)
    try await film.insertTimeRange(range(0, 2), of: asset, at: .invalid)
    func cues(_ url: URL) async throws -> [(String, Double, Double)] {
      let made = MediaAsset(url: url)
      var found: [(String, Double, Double)] = []
      guard let track = try await made.load(.tracks).first(where: { $0.mediaType.holdsText }) else { return [] }
      #expect(try await track.load(.languageCode) == "deu")
      for try await sample in try Reader(asset: made).output(for: track, settings: .text) {
        guard let cue = sample.cue else { continue }
        found.append((cue.text, cue.time.seconds, (cue.time + cue.duration).seconds))
      }
      return found
    }
    func expect(_ found: [(String, Double, Double)], _ wanted: [(String, Double, Double)]) {
      #expect(found.map(\.0) == wanted.map(\.0))
      for (a, b) in zip(found, wanted) { #expect(abs(a.1 - b.1) < 0.002 && abs(a.2 - b.2) < 0.002, "\(a), not \(b)") }
    }
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let plan = try await ExportSession(composition: film, preset: .automatic).export(to: target)
      #expect(plan.kept.map(\.action) == [.copy, .copy], "\(plan.tracks.map(\.reason))")
      expect(
        try await cues(target),
        [("first", 0.2, 0.8), ("second", 1, 1.6), ("first", 2.2, 2.8), ("second", 3, 3.6)])
      try film.scaleTimeRange(range(2, 4), toDuration: s(4))
      try film.removeTimeRange(MediaTimeRange(start: .zero, end: MediaTime(value: 1, timescale: 2)))
      let other = folder.appendingPathComponent("p.mp4")
      let converted = try await ExportSession(composition: film, preset: .automatic).export(to: other)
      #expect(converted.kept.last?.action == .convert)
      expect(
        try await cues(other),
        [("first", 0, 0.3), ("second", 0.5, 1.1), ("first", 1.9, 3.1), ("second", 3.5, 4.7)])
    }
  }

  /// Only the chosen tracks; the plan lists the others.
  @Test func chosenTracks() async throws {
    var film = try await Composition.joined([try await greyClip(1), try await greyClip(2)])
    let (pictures, sound) = (film.tracks[0].id, film.tracks[1].id)
    try await withScratchFolder { folder in
      let session = ExportSession(composition: film, preset: .automatic)
      session.trackIDs = [pictures]
      let plan = try await session.export(to: folder.appendingPathComponent("o.mp4"))
      #expect(plan.kept.map(\.trackID) == [pictures])
      let dropped = try #require(plan.dropped.first)
      #expect(dropped.trackID == sound && dropped.isDropIntended && dropped.reason == "it was not asked for")
      film[pictures].isEnabled = false
      let rest = try await ExportSession(composition: film, preset: .automatic)
        .export(to: folder.appendingPathComponent("p.m4a"))
      #expect(rest.kept.map(\.trackID) == [sound])
      #expect(rest.dropped.map(\.reason) == ["it is disabled"])
    }
  }

  /// What is not shown is not opened: its files may be gone.
  @Test func disabledTracksNeedNoFiles() async throws {
    var film = try await Composition.joined([try await greyClip(1)])
    let spare = film.addMutableTrack(withMediaType: .video)
    try film[spare].insertTimeRange(
      range(0, 1), of: .init(url: URL(filePath: "/nowhere/gone.mp4"), trackID: 1), at: .zero)
    film[spare].isEnabled = false
    try await withScratchFolder { folder in
      let plan = try await ExportSession(composition: film, preset: .automatic)
        .export(to: folder.appendingPathComponent("o.mp4"))
      #expect(plan.kept.map(\.trackID) == film.tracks.prefix(2).map(\.id))
      #expect(plan.dropped.map(\.trackID) == [spare] && plan.dropped.allSatisfy(\.notes.isEmpty))
    }
  }

  @Test func languagesAndTies() async throws {
    var film = try await Composition.joined([try await greyClip(1)])
    let (pictures, sound) = (film.tracks[0].id, film.tracks[1].id)
    film[sound].languageCode = "fra"
    film[sound].extendedLanguageTag = "fr-CA"
    film[pictures].addAssociation(to: sound, kind: "sync")
    try await withScratchFolder { folder in
      for preset in [ExportPreset.passthrough, .highestQuality] {
        let target = folder.appendingPathComponent("\(preset.name).mov")
        try await ExportSession(composition: film, preset: preset).export(to: target)
        let tracks = try await MediaAsset(url: target).load(.tracks)
        #expect(try await tracks[1].load(.languageCode) == "fra")
        #expect(try await tracks[1].load(.extendedLanguageTag) == "fr-CA")
        #expect(
          try await tracks[0].loadAssociatedTracks(ofType: .init(rawValue: "sync")).map(\.trackID) == [
            tracks[1].trackID
          ])
      }
    }
  }

  /// A size limit within a range: both tracks end where the film does, and nothing stands still until the range's end.
  @Test(arguments: [ExportPreset.highestQuality, .passthrough]) func sizeLimits(preset: ExportPreset) async throws {
    let clip = try await madeClip(
      "noise.mp4",
      [
        "-f", "lavfi", "-i", "nullsrc=s=160x120:r=25:d=4,geq=random(1)*255:128:128", "-f", "lavfi", "-i",
        "anoisesrc=r=48000:d=4", "-c:v", "libx264", "-g", "25", "-sc_threshold", "0", "-pix_fmt", "yuv420p", "-c:a",
        "aac",
      ])
    let film = try await Composition.joined([clip, clip])
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      let session = ExportSession(composition: film, preset: preset)
      session.timeRange = range(0, 7)
      session.fileLengthLimit = 700_000
      try await session.export(to: target)
      let size = try #require(try target.resourceValues(forKeys: [.fileSizeKey]).fileSize)
      // What the encoder holds back when the limit is reached comes on top.
      #expect((350_000...1_400_000).contains(size), "\(size) bytes")
      let asset = MediaAsset(url: target)
      let duration = try await asset.load(.duration)
      #expect(duration > .zero && duration < s(6))
      for track in try await asset.load(.tracks) {
        let end = try await track.load(.timeRange).end
        #expect(abs((end - duration).seconds) < 0.1, "\(track.mediaType) ends at \(end.seconds) of \(duration.seconds)")
      }
      // The last picture lasts as long as the others.
      let times = try await FFmpegJudge(target).luma().map(\.time.seconds)
      #expect(try #require(times.last) > duration.seconds - 0.1)
    }
  }
}
