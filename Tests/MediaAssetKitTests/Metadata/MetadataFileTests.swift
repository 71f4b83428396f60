import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Files that FFmpeg tagged, and acceptance cases: what was said comes back, in the key space that the container has.
@Suite("Metadata of files") struct MetadataFileTests {
  static let spoken = ["title": "Tïtle 東", "artist": "Artist", "album": "Album", "genre": "Rock", "date": "2024"]

  /// A second of sound with those tags.
  private func tagged(_ name: String, _ options: [String] = []) async throws -> MediaAsset {
    let folder = try await FixtureCache.shared.folder(
      named: "tagged-\(name)", ingredients: [name] + options + Self.spoken.map { "\($0)=\($1)" }.sorted()
    ) { folder in
      let tags = Self.spoken.sorted { $0.key < $1.key }.flatMap { ["-metadata", "\($0.key)=\($0.value)"] }
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:r=44100:d=1"] + tags + options
          + [folder.appendingPathComponent(name).path])
    }
    return MediaAsset(url: folder.appendingPathComponent(name))
  }

  /// Native keys in the order title, artist, album, genre, date.
  @Test(
    arguments: [
      ("a.m4a", [], ["itsk/%A9nam", "itsk/%A9ART", "itsk/%A9alb", "itsk/%A9gen", "itsk/%A9day"], "com.apple.itunes"),
      (
        "a.mov", ["-c:a", "aac"], ["udta/%A9nam", "udta/%A9ART", "udta/%A9alb", "udta/%A9gen", "udta/%A9day"],
        "com.apple.quicktime.udta"
      ),
      ("a.mp3", [], ["id3/TIT2", "id3/TPE1", "id3/TALB", "id3/TCON", "id3/TDRC"], "org.id3"),
      ("3.mp3", ["-id3v2_version", "3"], ["id3/TIT2", "id3/TPE1", "id3/TALB", "id3/TCON", "id3/TYER"], "org.id3"),
      (
        "a.flac", [], ["vorb/TITLE", "vorb/ARTIST", "vorb/ALBUM", "vorb/GENRE", "vorb/DATE"], "org.xiph.vorbis-comment"
      ),
      (
        "a.opus", ["-c:a", "libopus"], ["vorb/TITLE", "vorb/ARTIST", "vorb/ALBUM", "vorb/GENRE", "vorb/DATE"],
        "org.xiph.vorbis-comment"
      ),
      (
        "a.ogg", ["-c:a", "libvorbis"], ["vorb/TITLE", "vorb/ARTIST", "vorb/ALBUM", "vorb/GENRE", "vorb/DATE"],
        "org.xiph.vorbis-comment"
      ),
      (
        "a.mka", ["-c:a", "flac"], ["mkvt/TITLE", "mkvt/ARTIST", "mkvt/ALBUM", "mkvt/GENRE", "mkvt/DATE"],
        "org.matroska.tags"
      ),
      ("a.wav", [], ["riff/INAM", "riff/IART", "riff/IPRD", "riff/IGNR", "riff/ICRD"], "com.microsoft.riff.info"),
      ("a.aiff", ["-write_id3v2", "1"], ["id3/TIT2", "id3/TPE1", "id3/TALB", "id3/TCON", "id3/TDRC"], "org.id3"),
      ("a.3gp", ["-c:a", "aac"], ["uiso/titl", nil, "uiso/albm", "uiso/gnre", "uiso/yrrc"], "org.mp4ra"),
    ] as [(String, [String], [String?], String)])
  func keySpaces(name: String, options: [String], keys: [String?], format: String) async throws {
    let asset = try await tagged(name, options)
    let items = try await asset.load(.metadata)
    let common: [MetadataCommonKey] = [.title, .artist, .albumName, .type, .creationDate]
    let commonItems = try await asset.load(.commonMetadata)
    for ((key, expected), commonKey) in zip(zip(keys, ["title", "artist", "album", "genre", "date"]), common) {
      guard let key else { continue }
      let found = items.filtered(by: MetadataIdentifier(rawValue: key))
      #expect(found.map(\.stringValue) == [Self.spoken[expected]], "\(key) among \(items.map(\.identifier))")
      let native = items.filter { $0.commonKey == commonKey }.count
      let same = commonItems.filter { $0.key == commonKey.rawValue }
      #expect(same.count == native && same.contains { $0.stringValue == Self.spoken[expected] })
    }
    #expect(try await asset.load(.availableMetadataFormats).contains(MetadataFormat(rawValue: format)))
    let ofFormat = try await asset.loadMetadata(for: MetadataFormat(rawValue: format))
    #expect(!ofFormat.isEmpty && ofFormat.allSatisfy { items.contains($0) })
  }

  @Test func nothing() async throws {
    let clip = try await GeneratedClip.make(.mpeg2Transport)
    let asset = MediaAsset(url: clip.url)
    #expect(try await asset.load(.metadata).filter { $0.commonKey == .title }.isEmpty)
    #expect(try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"]).isEmpty)
    #expect(try await asset.load(.availableChapterLocales).isEmpty)
  }

  /// M1: QuickTime's keys, with the moment of the header beside the local one.
  @Test func phoneKeys() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("M1", "m1.mov"))
    let items = try await asset.load(.metadata)
    let written = items.filter { $0.keySpace == .quickTimeMetadata && $0.key.hasPrefix("com.apple.quicktime") }
    #expect(
      Set(written.map(\.key)) == Set(["creationdate", "location.ISO6709", "make"].map { "com.apple.quicktime." + $0 }))
    let common = try await asset.load(.commonMetadata)
    let dates = common.filtered(by: .commonIdentifierCreationDate).compactMap(\.metadataDate)
    #expect(dates.map(\.description) == ["2022-11-09T20:36:38+03:00", "2022-11-09T17:36:38Z"])
    #expect(Set(dates.map(\.date)).count == 1)
    let place = try #require(common.first { $0.key == "location" }?.locationValue)
    #expect(place == GeographicLocation(latitude: 48.8577, longitude: 2.295, altitude: 35))
    #expect(common.first { $0.key == "make" }?.stringValue == "ExampleCam")
    #expect(try await asset.load(.creationDate)?.metadataDate?.secondsFromGMT == 10_800)
    // The copy has lost them all.
    let copy = MediaAsset(url: try await AcceptanceCase.file("M1", "m1c.mov"))
    #expect(try await copy.load(.creationDate) == nil)
  }

  /// S1: cover art is an item, not a track.
  @Test func coverArt() async throws {
    let folder = try await AcceptanceCase.make("S1")
    let asset = MediaAsset(url: folder.appendingPathComponent("s1.mp3"))
    let items = try await asset.load(.metadata).filter { $0.commonKey == .artwork }
    #expect(items.map(\.dataValue) == [try Data(contentsOf: folder.appendingPathComponent("cov.png"))])
    #expect(items.first?.identifier == .id3MetadataAttachedPicture)
    #expect(items.first?.extraAttributes[.pictureType] == "Cover (front)")
    #expect(try await asset.load(.tracks).map(\.mediaType) == [.audio])
  }

  @Test(arguments: ["a.m4a", "a.flac", "a.mka"]) func artwork(name: String) async throws {
    let picture = try await AcceptanceCase.file("S1", "cov.png")
    let folder = try await FixtureCache.shared.folder(
      named: "artwork-\(name)", ingredients: [name, picture.lastPathComponent]
    ) { folder in
      let cover =
        name.hasSuffix("mka")
        ? ["-attach", picture.path, "-metadata:s:t", "mimetype=image/png"]
        : ["-i", picture.path, "-map", "0", "-map", "1", "-c:v", "copy", "-disposition:v", "attached_pic"]
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "sine=440:d=1"] + cover
          + [folder.appendingPathComponent(name).path])
    }
    let asset = MediaAsset(url: folder.appendingPathComponent(name))
    let found = try await asset.load(.commonMetadata).filtered(by: .commonIdentifierArtwork)
    #expect(found.map(\.dataValue) == [try Data(contentsOf: picture)])
    #expect(found.first?.mimeType == "image/png")
  }

  /// Tags of a track name it by its unique number; `tagc` in a track's user data.
  @Test func trackItems() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("S7", "lang.mkv"))
    let tracks = try await asset.load(.tracks)
    for track in tracks where track.mediaType == .audio {
      // FFmpeg names the encoder of each.
      #expect(try await track.load(.metadata).contains { $0.key == "ENCODER" })
    }
  }
}
