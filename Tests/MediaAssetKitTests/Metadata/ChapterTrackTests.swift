import FoundationEssentials
import ISOMedia
import Testing

@testable import MediaAssetKit

/// QuickTime chapter tracks made by hand: titles in two languages, pictures, edits, damage.
@Suite("Chapter tracks") struct ChapterTrackTests {
  private static func big(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
  }
  private static func box(_ type: String, _ parts: [UInt8]...) -> [UInt8] {
    let content = parts.flatMap { $0 }
    return big(content.count + 8) + Array(type.utf8) + content
  }
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
  private static func packed(_ code: String) -> [UInt8] {
    big(code.utf8.reduce(0) { $0 << 5 | Int($1 - 0x60) }, 2)
  }

  /// A track whose samples lie one behind the other from an offset; durations in milliseconds.
  private static func track(
    _ id: Int, _ handler: String, language: String = "und", samples: [(duration: Int, size: Int)] = [],
    at offset: Int = 0,
    references: [Int] = [], edits: [(duration: Int, start: Int)] = []
  ) -> [UInt8] {
    let total = samples.reduce(0) { $0 + $1.duration }
    let list = edits.flatMap { big($0.duration) + big($0.start) + big(0x10000) }
    return box(
      "trak",
      box("tkhd", big(1), zeros(8), big(id), zeros(4), big(4000), zeros(60)),
      edits.isEmpty ? [] : box("edts", box("elst", big(0), big(edits.count), list)),
      references.isEmpty ? [] : box("tref", box("chap", references.flatMap { big($0) })),
      box(
        "mdia", box("mdhd", zeros(12), big(1000), big(total), packed(language), zeros(2)),
        box("hdlr", zeros(8), Array(handler.utf8), zeros(13)),
        box(
          "minf",
          box(
            "stbl", box("stsd", big(0), big(1), box(handler == "vide" ? "jpeg" : "text", zeros(6), [0, 1], zeros(70))),
            box("stts", big(0), big(samples.count), samples.flatMap { big(1) + big($0.duration) }),
            box("stsc", big(0), big(1), big(1), big(samples.count), big(1)),
            box("stsz", big(0), big(0), big(samples.count), samples.flatMap { big($0.size) }),
            box("stco", big(0), big(1), big(offset))))))
  }

  private static func title(_ text: [UInt8]) -> [UInt8] { big(text.count, 2) + text }

  private static let picture: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2]
  // An empty text is the gap before the first chapter.
  private static let english = [title([]), title(Array("One".utf8)), title(Array("Two".utf8))]
  private static let german = [
    title([0xFE, 0xFF, 0, 0x45, 0, 0x69, 0, 0x6E, 0, 0x73]), title(Array("Zwei\u{308}".utf8)),
  ]

  static let file: [UInt8] = {
    let media = english.flatMap { $0 } + german.flatMap { $0 } + picture
    let first = english.reduce(0) { $0 + $1.count }
    let second = german.reduce(0) { $0 + $1.count }
    // `mdat` comes first, so that its place does not depend on the header's length.
    return box("mdat", media)
      + box(
        "moov", box("mvhd", zeros(12), big(1000), big(4000), big(0x10000), zeros(80)),
        track(1, "soun", samples: [(4000, 1)], references: [2, 3, 4, 9]),
        track(
          2, "text", language: "eng", samples: zip([500, 1500, 2000], english).map { ($0, $1.count) }, at: 8),
        track(
          3, "text", language: "deu", samples: zip([2000, 2000], german).map { ($0, $1.count) }, at: 8 + first),
        // One second late, as an empty edit says.
        track(
          4, "vide", samples: [(1000, picture.count)], at: 8 + first + second, edits: [(2500, -1), (1000, 0)]),
        track(5, "text", samples: []))
  }()

  private func lists(_ file: [UInt8]) throws -> [ChapterList] {
    guard let start = file.firstRange(of: Array("moov".utf8))?.lowerBound else { return [] }
    let movie = try MovieHeader.parse(Array(file[max(0, start - 4)...]))
    let builder = ISOTrackBuilder(
      movie: movie, streams: [], isFragmented: false, metadata: [:], origin: .zero, hidden: [])
    var source = SourceBytes(size: Int64(file.count), maximumBytes: 1 << 20) { offset, count in
      Array(file.dropFirst(Int(clamping: offset)).prefix(count))
    }
    return try ISOChapterTracks(movie: movie, tracks: builder.chapterTracks()).lists(&source)
  }

  @Test func languagesAndPictures() throws {
    let lists = try lists(Self.file)
    #expect(lists.map(\.language) == ["en", "de"])
    let english = try #require(lists.first).closed(at: Rational(4))
    #expect(english.map(\.titles.first?.text) == ["One", "Two"])
    #expect(english.map(\.start) == [Rational(1, 2), Rational(2)])
    #expect(english.map(\.end) == [Rational(2), Rational(4)])
    // The picture is on show from 2.5 to 3.5.
    #expect(english.map(\.artwork) == [nil, Data(Self.picture)])
    let german = try #require(lists.last)
    #expect(german.chapters.map(\.titles.first?.text) == ["Eins", "Zwei\u{308}"])
    #expect(german.chapters.map(\.start) == [.zero, Rational(2)])
  }

  /// The best list for preferred languages; the first one where none is there.
  @Test func groups() async throws {
    let lists = try lists(Self.file)
    func best(_ languages: [String]) -> [String?] {
      let list = MediaAsset.best(of: lists, for: languages)
      return list?.chapters.map(\.titles.first?.text) ?? []
    }
    #expect(best(["fr", "de-AT", "en"]) == ["Eins", "Zwei\u{308}"])
    #expect(best(["eng"]) == ["One", "Two"])
    #expect(best(["fr"]) == ["One", "Two"])
    #expect(best([]) == ["One", "Two"])
  }

  /// Titles that lie behind the file's end are no chapters.
  @Test func cutOff() throws {
    let moov = try #require(Self.file.firstRange(of: Array("moov".utf8))?.lowerBound) - 4
    var moved = Array(Self.file[moov...])
    // The same header alone: its offsets lead behind the end, or into itself.
    #expect(try lists(moved).allSatisfy { $0.chapters.allSatisfy { !$0.titles.isEmpty } })
    for index in moved.indices {
      for value: UInt8 in [0, 0x7F, 0xFF] {
        let kept = moved[index]
        moved[index] = value
        _ = try? lists(moved)
        moved[index] = kept
      }
    }
  }
}
