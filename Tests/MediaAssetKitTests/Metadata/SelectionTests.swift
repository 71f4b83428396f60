import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

@Suite("Media selection") struct SelectionTests {
  /// S7: three languages of sound, the second by default; forced subtitles.
  @Test func languages() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("S7", "lang.mkv"))
    let audible = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
    #expect(audible.options.map(\.languageCode) == ["eng", "fra", "deu"])
    #expect(audible.defaultOption?.languageCode == "fra")
    #expect(audible.defaultOption?.displayName == "French")
    #expect(!audible.allowsEmptySelection)
    #expect(
      audible.options.map { $0.hasMediaCharacteristic(.isAuxiliaryContent) } == [false, false, true])
    #expect(audible.options.last?.displayName == "Commentary")
    for name in ["fre", "fra", "fr", "fr-FR"] {
      #expect(audible.options.filteredAndSorted(accordingToPreferredLanguages: [name]).map(\.trackID) == [3])
    }
    #expect(audible.options.filtered(by: Locale(identifier: "en")).map(\.trackID) == [2])
    let legible = try #require(try await asset.loadMediaSelectionGroup(for: .legible))
    #expect(legible.options.count == 2 && legible.allowsEmptySelection && legible.defaultOption == nil)
    #expect(legible.options.filtered(with: [.containsOnlyForcedSubtitles]).count == 1)
    #expect(legible.options.filtered(without: [.containsOnlyForcedSubtitles]).map(\.displayName) == ["English"])
    #expect(try await asset.loadMediaSelectionGroup(for: .visual) == nil)
    #expect(try await asset.loadMediaSelectionGroup(for: .frameBased) == nil)
    #expect(try await asset.load(.availableMediaCharacteristicsWithMediaSelectionOptions) == [.audible, .legible])
    #expect(try await asset.load(.trackGroups).map(\.trackIDs) == [[2, 3, 4], [5, 6]])
  }

  /// S3: the default sound belongs to the programme of the default picture.
  @Test func programmes() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("S3", "s3.ts"))
    let visual = try #require(try await asset.loadMediaSelectionGroup(for: .visual))
    #expect(visual.options.count == 2 && visual.defaultOption == visual.options.first)
    let audible = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
    let program = try await asset.loadTrack(withTrackID: try #require(audible.defaultOption?.trackID))?.load(
      .programNumber)
    #expect(program == 1)
  }

  /// Tags in a track's user data; those that the media decides are not believed.
  @Test func taggedCharacteristics() async throws {
    let folder = try await FixtureCache.shared.folder(named: "tagged-characteristics", ingredients: ["3"]) { folder in
      let plain = folder.appendingPathComponent("plain.mp4")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-f", "lavfi", "-i", "sine=550:d=1", "-map",
        "0", "-map", "1", "-c:a", "aac", "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=fra",
        plain.path,
      ])
      var bytes = [UInt8](try Data(contentsOf: plain))
      let tags = [
        "public.auxiliary-content", "public.translation.dubbed", "AVMediaCharacteristicVisual", "com.example.x",
      ]
      let boxes = tags.flatMap { tag in box("tagc", Array(tag.utf8)) }
      try append(box("udta", boxes), toTrack: 2, of: &bytes)
      try Data(bytes).write(to: folder.appendingPathComponent("tagged.mp4"))
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("tagged.mp4"))
    let track = try #require(try await asset.loadTrack(withTrackID: 2))
    #expect(
      try await track.load(.mediaCharacteristics) == [
        .audible, .isAuxiliaryContent, .dubbedTranslation, .languageTranslation, .init(rawValue: "com.example.x"),
      ])
    let items = try await track.loadMetadata(for: .isoUserData).filtered(by: .isoUserDataTaggedCharacteristic)
    #expect(items.count == 4)
    #expect(try await asset.load(.trackGroups).map(\.trackIDs) == [[1, 2]])
    let group = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
    #expect(group.options.map(\.displayName) == ["English", "French (Commentary)"])
    #expect(group.defaultOption?.trackID == 1)
    #expect(group.option(withTrackID: 2)?.languageCode == "fra")
  }

  /// Views of two eyes side by side, told by Matroska's StereoMode and by MP4's `st3d`; the same pictures untold.
  @Test(arguments: [("left_right", "mkv", true), ("left_right", "mp4", true), ("mono", "mkv", false)])
  func stereo(mode: String, container: String, isStereo: Bool) async throws {
    let folder = try await FixtureCache.shared.folder(
      named: "stereo-\(mode)-\(container)", ingredients: ["1"]
    ) { folder in
      let plain = folder.appendingPathComponent("plain.mkv")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc=s=128x64:d=0.2", "-c:v", "libx264",
        "-metadata:s:v", "stereo_mode=\(mode)", plain.path,
      ])
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-i", plain.path, "-c", "copy", "-strict", "unofficial",
        folder.appendingPathComponent("clip.\(container)").path,
      ])
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("clip.\(container)"))
    let track = try #require(try await asset.load(.tracks).first)
    let found = try await track.load(.mediaCharacteristics)
    #expect(found.contains(.carriesVideoStereoMetadata) == isStereo)
    #expect(!found.contains(.containsStereoMultiviewVideo) && !found.contains(.indicatesNonRectilinearProjection))
    #expect(
      try await asset.loadTracks(withMediaCharacteristic: .carriesVideoStereoMetadata).count == (isStereo ? 1 : 0))
  }

  /// Subtitles that a track of sound names as its forced ones, or as those that follow it, are found from both sides.
  @Test(arguments: ["forc", "folw"]) func associatedOptions(kind: String) async throws {
    let folder = try await FixtureCache.shared.folder(named: "associated-\(kind)", ingredients: ["1"]) { folder in
      let cues = folder.appendingPathComponent("cues.srt")
      try Data("1\n00:00:00,000 --> 00:00:01,000\nWords\n".utf8).write(to: cues)
      let plain = folder.appendingPathComponent("plain.mp4")
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1", "-f", "lavfi", "-i", "sine=550:d=1", "-i",
        cues.path, "-map", "0", "-map", "1", "-map", "2", "-c:a", "aac", "-c:s", "mov_text", plain.path,
      ])
      var bytes = [UInt8](try Data(contentsOf: plain))
      try append(box("tref", box(kind, [0, 0, 0, 3])), toTrack: 1, of: &bytes)
      try Data(bytes).write(to: folder.appendingPathComponent("associated.mp4"))
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("associated.mp4"))
    let audible = try #require(try await asset.loadMediaSelectionGroup(for: .audible))
    let legible = try #require(try await asset.loadMediaSelectionGroup(for: .legible))
    #expect(audible.option(withTrackID: 1)?.associatedOption(in: legible)?.trackID == 3)
    #expect(legible.option(withTrackID: 3)?.associatedOption(in: audible)?.trackID == 1)
    #expect(audible.option(withTrackID: 2)?.associatedOption(in: legible) == nil)
    let type: AssetTrack.AssociationType = kind == "forc" ? .forcedSubtitlesOnly : .selectionFollower
    let track = try #require(try await asset.loadTrack(withTrackID: 1))
    #expect(try await track.loadAssociatedTracks(ofType: type).map(\.trackID) == [3])
  }
}

private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
  let size = content.count + 8
  return (0..<4).map { UInt8(truncatingIfNeeded: size >> (24 - 8 * $0)) } + Array(type.utf8) + content
}

/// Appends a box to the n-th track of a file whose `moov` comes last.
private func append(_ box: [UInt8], toTrack number: Int, of file: inout [UInt8]) throws {
  func size(_ at: Int) -> Int { file[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
  func grow(_ at: Int) {
    let new = size(at) + box.count
    for index in 0..<4 { file[at + index] = UInt8(truncatingIfNeeded: new >> (24 - 8 * index)) }
  }
  func child(_ type: String, of range: Range<Int>, number: Int = 1) throws -> Int {
    var (at, seen) = (range.lowerBound, 0)
    while at + 8 <= range.upperBound {
      if file[at + 4..<at + 8].elementsEqual(type.utf8) { seen += 1 }
      if seen == number { return at }
      at += max(8, size(at))
    }
    throw MediaToolError.unexpected("There is no \(type).")
  }
  let movie = try child("moov", of: 0..<file.count)
  let track = try child("trak", of: movie + 8..<movie + size(movie), number: number)
  let end = track + size(track)
  grow(track)
  grow(movie)
  file.insert(contentsOf: box, at: end)
}
