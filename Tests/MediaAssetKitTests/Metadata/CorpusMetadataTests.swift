import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// What others' tests state of the metadata and chapters of real files.
@Suite("Corpus: metadata") struct CorpusMetadataTests {
  struct Row: Sendable, CustomStringConvertible {
    var file: String
    var items: [String: String]
    var description: String { file }
  }

  private static let mp4parse = [
    "itsk/%A9nam": "Title", "itsk/%A9ART": "Artist", "itsk/aART": "Album Artist", "itsk/%A9cmt": "Comments",
    "itsk/%A9day": "2019", "itsk/%A9alb": "Album", "itsk/%A9too": "Lavf56.40.101", "itsk/%A9enc": "Encoded-by",
    "itsk/cprt": "Copyright", "itsk/trkn": "3/6", "itsk/disk": "5/10", "itsk/tmpo": "128", "itsk/%A9wrt": "Composer",
    "itsk/cpil": "1", "itsk/pgap": "0", "itsk/pcst": "0", "itsk/rate": "50", "itsk/%A9grp": "Grouping",
    "itsk/catg": "Category", "itsk/keyw": "Keyword", "itsk/desc": "Description", "itsk/%A9lyr": "Lyrics",
    "itsk/ldes": "Long Description", "itsk/tven": "Episode Name", "itsk/tves": "15", "itsk/tvsn": "10",
    "itsk/tvsh": "Show Name", "itsk/tvnn": "Network Name", "itsk/hdvd": "1", "itsk/ownr": "Owner",
    "itsk/sonm": "Sort Name", "itsk/soar": "Sort Artist", "itsk/soal": "Sort Album", "itsk/soaa": "Sort Album Artist",
    "itsk/soco": "Sort Composer",
  ]

  static let rows: [Row] = [
    Row(file: "mozilla+mp4parse-rust/metadata.mp4", items: mp4parse),
    Row(file: "mozilla+mp4parse-rust/metadata_gnre.mp4", items: ["itsk/gnre": "3", "common/type": "Country"]),
    Row(file: "mozilla+mp4parse-rust/invalid_userdata.mp4", items: [:]),
    Row(
      file: "androidx+media/sample_with_metadata.mp4",
      items: [
        "itsk/%A9ART": "Test Artist", "itsk/%A9alb": "Test Album", "itsk/trkn": "2/12", "itsk/disk": "2/3",
        "itsk/%A9day": "2024", "itsk/%A9gen": "Gorpcore", "itsk/tmpo": "120", "itsk/cpil": "1", "itsk/rtng": "2",
        "itsk/pgap": "1", "itsk/soar": "Sorting Artist", "itsk/soal": "Sorting Album", "itsk/%A9mvn": "foo",
        "itsk/%A9mvi": "2",
      ]),
    Row(file: "androidx+media/sample_with_numeric_genre.mp4", items: ["common/type": "Metal"]),
    Row(
      file: "androidx+media/bear-id3.mp3",
      items: [
        "id3/TIT2": "Test title", "id3/TPE1": "Test Artist", "id3/TALB": "Test Album", "id3/TXXX": "Test user info",
        "id3/COMM": "Test comment", "id3/WXXX": "Test URL", "id3/TSSE": "Lavf58.29.100", "id3/TCON": "Gorpcore",
      ]),
    Row(
      file: "androidx+media/bear_with_vorbis_comments.flac",
      items: ["vorb/TITLE": "test title", "vorb/ARTIST": "test artist"]),
    Row(file: "androidx+media/bear.opus", items: ["vorb/ENCODER": "Lavf54.20.4"]),
    Row(
      file: "androidx+media/sample_android_slow_motion.mp4",
      items: ["mdta/com.android.version": "10", "mdta/encoder": "Lavf58.29.100"]),
    Row(file: "androidx+media/sample_empty_track.mp4", items: ["mdta/com.android.version": "13"]),
  ]

  @Test(arguments: rows) func items(_ row: Row) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let asset = MediaAsset(url: corpus.url(path: row.file))
    let items = try await asset.load(.metadata) + asset.load(.commonMetadata)
    for (identifier, value) in row.items {
      let found = items.filter { $0.identifier.rawValue == identifier }.map(\.stringValue)
      #expect(found == [value], "\(identifier) of \(row.file) among \(items.map(\.identifier))")
    }
  }

  /// exiftool's listing: every item of iTunes and of QuickTime's user data.
  @Test(arguments: [
    ("QuickTime.m4a", "QuickTime_3.out", ["ItemList", "iTunes"]), ("QuickTime.mov", "QuickTime_2.out", ["UserData"]),
  ])
  func listing(file: String, answers: String, groups: [String]) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let folder = "exiftool+exiftool/"
    let listing = try TagListing(contentsOf: corpus.url(path: folder + "expected/" + answers))
    let items = try await MediaAsset(url: corpus.url(path: folder + file)).load(.metadata)
    // exiftool's words for numbers.
    let words = ["No": "0", "Yes": "1", "No Gap": "1"]
    for tag in listing.tags where groups.contains(tag.groups[1]) {
      let key = tag.identifier.replacing("\\xa9", with: "©")
      let found = items.filter { $0.key == key || $0.key.hasSuffix("." + key) }
      let value = tag.value.replacing(" of ", with: "/")
      if value.hasPrefix("(Binary data") {
        #expect(found.contains { $0.dataValue?.count == 19 && $0.stringValue == nil }, "\(tag)")
      } else {
        var texts = found.compactMap { $0.stringValue?.trimmingCharacters(in: .whitespaces) }
        // exiftool takes the zeros off these numbers.
        if key == "iTunNORM" {
          texts = texts.map { text in
            text.split(separator: " ").map { $0.drop { $0 == "0" } }.map { $0.isEmpty ? "0" : $0 }.joined(
              separator: " ")
          }
        }
        #expect(texts.contains((words[value] ?? value).trimmingCharacters(in: .whitespaces)), "\(tag): \(texts)")
      }
    }
  }

  /// Pictures: how many, of which kind.
  @Test(arguments: [
    ("taglib+taglib/covr-junk.m4a", ["image/png", "image/jpeg"]),
    ("quodlibet+mutagen/has-tags.m4a", ["image/png", "image/jpeg"]),
    ("androidx+media/bear_with_picture.flac", ["image/png"]), ("androidx+media/bear-id3.mp3", ["image/jpeg"]),
    ("Zeugma440+atldotnet/opus.opus", ["image/jpeg", "image/png"]),
    ("mozilla+mp4parse-rust/metadata.mp4", ["image/jpeg"]),
  ])
  func pictures(file: String, kinds: [String]) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let items = try await MediaAsset(url: corpus.url(path: file)).load(.metadata)
    #expect(items.filter { $0.commonKey == .artwork }.map(\.mimeType) == kinds)
  }

  struct ChapterRow: Sendable, CustomStringConvertible {
    var file: String
    /// Milliseconds.
    var starts: [Int64]
    var titles: [String]
    var languages: [String?]?
    var description: String { file }
  }

  private static let nero = (
    starts: [0, 1139, 2728, 3269] as [Int64], titles: ["Chapter One", "Chapter 2", "Chapter 003", "Chapter 四"]
  )
  private static let auphonic = (
    starts: [0, 15_000, 22_000, 34_000, 45_000, 60_000, 76_000] as [Int64],
    titles: [
      "Intro", "Creating a new production", "Sound analysis", "Adaptive leveler", "Global loudness normalization",
      "Audio restoration algorithms", "Output file formats",
    ]
  )

  /// The first chapters; atldotnet and androidx/media.
  static let chapterRows: [ChapterRow] = [
    ChapterRow(file: "Zeugma440+atldotnet/chapters_NERO.mp4", starts: nero.starts, titles: nero.titles),
    ChapterRow(file: "Zeugma440+atldotnet/chapters_QT.m4v", starts: nero.starts, titles: nero.titles),
    ChapterRow(file: "Zeugma440+atldotnet/chapters.mp3", starts: auphonic.starts, titles: auphonic.titles),
    ChapterRow(file: "Zeugma440+atldotnet/chapters.ogg", starts: auphonic.starts, titles: auphonic.titles),
    ChapterRow(
      file: "Zeugma440+atldotnet/chapters.mka", starts: [1000, 2000], titles: ["Chapter 01", "Chapter 02"]),
    ChapterRow(
      file: "androidx+media/sample_with_chapters.mkv", starts: [0, 2000], titles: ["Chapter 1", "Chapter 2"],
      languages: ["en", "de"]),
    ChapterRow(
      file: "androidx+media/sample_with_chapters.mp4", starts: [0, 201, 800],
      titles: ["Chapter 1", "Chapter 2", "Chapter 3"]),
  ]

  @Test(arguments: chapterRows) func chapters(_ row: ChapterRow) async throws {
    guard let corpus = Corpus.orCount() else { return }
    let found = try await MediaAsset(url: corpus.url(path: row.file)).loadChapterMetadataGroups(
      bestMatchingPreferredLanguages: [])
    let starts = found.map { Int64(($0.timeRange.start.seconds * 1000).rounded()) }
    #expect(Array(starts.prefix(row.starts.count)) == row.starts)
    #expect(Array(found.map(\.title).prefix(row.titles.count)) == row.titles)
    if let languages = row.languages { #expect(found.map(\.extendedLanguageTag) == languages) }
  }

  /// Every file's metadata, chapters and selection can be read, whatever its state.
  @Test func allFiles() async throws {
    guard let corpus = Corpus.orCount() else { return }
    for row in corpus.rows {
      let asset = MediaAsset(url: corpus.url(row))
      do {
        _ = try await asset.load(.tracks)
      } catch { continue }
      _ = try await asset.load(.metadata)
      _ = try await asset.loadChapterMetadataGroups(bestMatchingPreferredLanguages: ["en"])
      for kind in [MediaCharacteristic.audible, .legible, .visual] {
        _ = try await asset.loadMediaSelectionGroup(for: kind)
      }
    }
  }
}
