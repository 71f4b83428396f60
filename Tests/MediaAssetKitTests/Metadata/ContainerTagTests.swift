import FoundationEssentials
import Testing

@testable import MediaAssetKit

/// Comments, chunks and elements written by hand from their specifications.
@Suite("Tags of containers") struct ContainerTagTests {
  private static func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
  private static func big(_ value: Int, _ count: Int = 4) -> [UInt8] { little(value, count).reversed() }

  static func comments(_ list: [String]) -> [UInt8] {
    little(4) + Array("test".utf8) + little(list.count)
      + list.flatMap { little($0.utf8.count) + Array($0.utf8) }
  }

  static let picture: [UInt8] =
    big(3) + big(9) + Array("image/png".utf8) + big(5) + Array("cover".utf8) + [UInt8](repeating: 0, count: 16) + big(4)
    + [0x89, 0x50, 0x4E, 0x47]

  private static func source(_ bytes: [UInt8]) -> SourceBytes {
    SourceBytes(size: Int64(bytes.count), maximumBytes: 1 << 20) { offset, count in
      Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
    }
  }

  // MARK: - Xiph

  @Test func vorbisComments() {
    let block = Self.comments([
      "title=Tür", "ARTIST=A", "artist=B", "EMPTY=", "broken", "CHAPTER002=00:01:02.5", "CHAPTER001=00:00:00.000",
      "CHAPTER001NAME=One", "CHAPTER002NAME=Two=2", "CHAPTERS=3",
      "METADATA_BLOCK_PICTURE=" + Data(Self.picture).base64EncodedString(),
    ])
    let found = VorbisComments(block)
    #expect(found.items.map(\.key) == ["TITLE", "ARTIST", "ARTIST", "EMPTY", "CHAPTERS", "METADATA_BLOCK_PICTURE"])
    #expect(found.items.map(\.stringValue) == ["Tür", "A", "B", "", "3", nil])
    #expect(found.items.last?.dataValue == Data([0x89, 0x50, 0x4E, 0x47]))
    #expect(found.items.last?.extraAttributes[.pictureType] == "Cover (front)")
    #expect(found.chapters.map(\.start) == [.zero, Rational(125, 2)])
    #expect(found.chapters.map(\.titles.first?.text) == ["One", "Two=2"])
    for count in 0..<block.count { _ = VorbisComments(Array(block.prefix(count))) }
  }

  @Test func flac() throws {
    let comment = Self.comments(["TITLE=T"])
    let file =
      Array("fLaC".utf8) + [0, 0, 0, 34] + [UInt8](repeating: 0, count: 34) + [4] + Self.big(comment.count, 3) + comment
      + [0x86] + Self.big(Self.picture.count, 3) + Self.picture + [4, 0, 0, 4, 0, 0, 0, 0]
    var bytes = Self.source(file)
    let found = try XiphMetadata.flac(&bytes, at: 0)
    #expect(found.items.map(\.key) == ["TITLE", "METADATA_BLOCK_PICTURE"])
  }

  private static func page(_ serial: UInt8, _ packet: [UInt8], flags: UInt8, isContinued: Bool = false) -> [UInt8] {
    var lacing = [UInt8](repeating: 255, count: packet.count / 255)
    if !isContinued { lacing.append(UInt8(packet.count % 255)) }
    return Array("OggS".utf8) + [0, flags] + [UInt8](repeating: 0, count: 8) + [serial, 0, 0, 0]
      + [UInt8](repeating: 0, count: 8) + [UInt8(lacing.count)] + lacing + packet
  }

  /// Two streams side by side, comments over two pages.
  @Test func ogg() throws {
    let long = [3] + Array("vorbis".utf8) + Self.comments(["TITLE=" + String(repeating: "x", count: 1000)])
    let file =
      Self.page(1, [1] + Array("vorbis".utf8), flags: 2) + Self.page(2, Array("OpusHead".utf8), flags: 2)
      + Self.page(1, Array(long.prefix(510)), flags: 0, isContinued: true)
      + Self.page(2, Array("OpusTags".utf8) + Self.comments(["ARTIST=A"]), flags: 0)
      + Self.page(1, Array(long.dropFirst(510)), flags: 1)
    var bytes = Self.source(file)
    let found = try XiphMetadata.ogg(&bytes)
    #expect(found.items.map(\.key) == ["TITLE", "ARTIST"])
    #expect(found.items.first?.stringValue?.count == 1000)
    for count in stride(from: 0, to: file.count, by: 7) {
      var bytes = Self.source(Array(file.prefix(count)))
      _ = try XiphMetadata.ogg(&bytes)
    }
  }

  // MARK: - Chunks

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    Array(type.utf8) + little(content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  @Test func riff() throws {
    var broadcast = [UInt8](repeating: 0, count: 602)
    broadcast.replaceSubrange(0..<4, with: Array("Take".utf8))
    broadcast.replaceSubrange(320..<338, with: Array("2024-05-0110:20:30".utf8))
    broadcast[338] = 0x80
    broadcast[339] = 0xBB
    let info = Array("INFO".utf8) + Self.chunk("INAM", [0x54, 0xFC, 0x72, 0]) + Self.chunk("IART", Array("ABC".utf8))
    let tag = ID3Tests.tag(version: 3, ID3Tests.frame("TALB", [0, 0x41], version: 3))
    let file =
      Array("RIFF".utf8) + Self.little(0) + Array("WAVE".utf8) + Self.chunk("fmt ", [UInt8](repeating: 0, count: 16))
      + Self.chunk("bext", broadcast) + Self.chunk("data", [1, 2, 3]) + Self.chunk("LIST", info)
      + Self.chunk("id3 ", tag)
    var bytes = Self.source(file)
    let found = try ChunkMetadata.riff(&bytes)
    #expect(
      found.items.map(\.identifier.rawValue) == [
        "bext/Description", "bext/OriginationDateTime", "bext/TimeReference", "riff/INAM", "riff/IART", "id3/TALB",
      ])
    #expect(
      found.items.map(\.stringValue) == ["Take", "2024-05-01T10:20:30", "48000", "Tür", "ABC", "A"])
    for count in 0..<file.count {
      var bytes = Self.source(Array(file.prefix(count)))
      _ = try ChunkMetadata.riff(&bytes)
    }
  }

  @Test func coreAudio() throws {
    let info = Self.big(2) + Array("title\0T\0artist\0A\0".utf8)
    let file =
      Array("caff".utf8) + [0, 1, 0, 0] + Array("info".utf8) + Self.big(info.count, 8) + info + Array("data".utf8)
      + Self.big(-1, 8) + [0, 0]
    var bytes = Self.source(file)
    let found = try ChunkMetadata.caf(&bytes)
    #expect(found.items.map(\.commonKey) == [.title, .artist])
  }

  /// ID3v1 behind an APE tag.
  @Test func trailingTags() throws {
    let item = Self.little(3) + Self.little(0) + Array("Title\0A\0B".utf8)
    let art = Self.little(7) + Self.little(2) + Array("Cover Art (Front)\0".utf8) + Array("a.gif\0G".utf8)
    let footer =
      Array("APETAGEX".utf8) + Self.little(2000) + Self.little(item.count + art.count + 32) + Self.little(2)
      + Self.little(0) + [UInt8](repeating: 0, count: 8)
    var old = [UInt8](repeating: 0, count: 128)
    old.replaceSubrange(0..<3, with: Array("TAG".utf8))
    old.replaceSubrange(3..<7, with: Array("Old ".utf8))
    (old[126], old[127]) = (7, 17)
    let file = [UInt8](repeating: 0x55, count: 100) + item + art + footer + old
    var bytes = Self.source(file)
    let found = try TrailingTags.read(&bytes, hasID3: false)
    #expect(found.items.map(\.key) == ["TIT2", "TRCK", "TCON", "Title", "Title", "Cover Art (Front)"])
    #expect(found.items.map(\.stringValue) == ["Old", "7", "Rock", "A", "B", nil])
    #expect(found.items.last?.dataValue == Data([0x47]))
  }

  // MARK: - Matroska

  private static func element(_ id: UInt32, _ content: [UInt8]) -> [UInt8] {
    let name = big(Int(id)).drop { $0 == 0 }
    return Array(name) + [0x10 | UInt8(content.count >> 24)] + big(content.count, 3) + content
  }
  private static func text(_ id: UInt32, _ text: String) -> [UInt8] { element(id, Array(text.utf8)) }
  private static func number(_ id: UInt32, _ value: Int) -> [UInt8] { element(id, big(value, 8)) }

  private static func atom(
    _ start: Int, _ end: Int?, _ titles: [(String, String)], _ inner: [UInt8] = []
  ) -> [UInt8] {
    element(
      0xB6,
      number(0x91, start * 1_000_000_000) + (end.map { number(0x92, $0 * 1_000_000_000) } ?? [])
        + titles.flatMap { element(0x80, text(0x85, $0.1) + text(0x437C, $0.0)) } + inner)
  }

  static let matroska: [UInt8] = {
    let hidden = element(0x45B9, number(0x45BD, 1) + atom(0, nil, [("eng", "no")]))
    let other = element(0x45B9, atom(0, 5, [("eng", "other")]))
    let main = element(
      0x45B9,
      number(0x45DB, 1)
        + atom(
          0, 10, [("eng", "One"), ("ger", "Eins")],
          atom(2, nil, [("eng", "Inner")]) + atom(4, nil, [("eng", "Inner 2")]))
        + atom(10, nil, [("eng", "Two")]) + atom(20, nil, []))
    let tag = element(
      0x7373,
      element(0x63C0, number(0x68CA, 50))
        + element(
          0x67C8,
          text(0x45A3, "ARTIST") + text(0x4487, "A") + text(0x447A, "fre")
            + element(0x67C8, text(0x45A3, "SORT_WITH") + text(0x4487, "a"))))
    let attachment = element(
      0x61A7, text(0x466E, "cover.png") + text(0x4660, "image/png") + element(0x465C, [0x89, 0x50, 0x4E, 0x47]))
    let font = element(0x61A7, text(0x466E, "a.ttf") + text(0x4660, "font/ttf") + element(0x465C, [1]))
    let info = element(0x1549_A966, text(0x7BA9, "Film") + number(0x4461, 1_000_000_000))
    let cluster = element(0x1F43_B675, [0xE7, 0x81, 0])
    let late = element(0x1254_C367, tag)
    func seek(_ position: Int) -> [UInt8] {
      element(
        0x114D_9B74,
        element(0x4DBB, element(0x53AB, [0x12, 0x54, 0xC3, 0x67]) + number(0x53AC, position)))
    }
    let chapters = element(0x1043_A770, hidden + other + main)
    let attachments = element(0x1941_A469, attachment + font)
    let before = info + chapters + attachments + cluster
    let position = seek(0).count + before.count
    return element(0x1A45_DFA3, []) + element(0x1853_8067, seek(position) + before + late)
  }()

  @Test func matroskaTags() throws {
    var reader = MatroskaMetadata(tracks: [])
    var bytes = Self.source(Self.matroska)
    try reader.read(&bytes)
    let found = reader.found
    #expect(found.items.map(\.key) == ["TITLE", "DateUTC", "ATTACHMENT", "ARTIST", "ARTIST/SORT_WITH"])
    #expect(found.items.map(\.stringValue) == ["Film", "2001-01-01T00:00:01Z", nil, "A", "a"])
    #expect(found.items[3].extendedLanguageTag == "fr" && found.items[3].extraAttributes[.target] == "50")
    #expect(found.items[2].commonKey == .artwork && found.items[2].mimeType == "image/png")
  }

  @Test func matroskaChapters() throws {
    var reader = MatroskaMetadata(tracks: [])
    var bytes = Self.source(Self.matroska)
    try reader.read(&bytes)
    let lists = reader.found.chapters
    #expect(lists.count == 2)
    let chapters = try #require(lists.first).closed(at: Rational(30))
    #expect(chapters.map(\.titles.first?.text) == ["One", "Two", nil])
    #expect(chapters.map(\.start) == [0, 10, 20].map { Rational($0) })
    #expect(chapters.map(\.end) == [10, 20, 30].map { Rational($0) })
    let inner = chapters[0].children
    #expect(inner.map(\.titles.first?.text) == ["Inner", "Inner 2"])
    #expect(inner.map(\.start) == [Rational(2), Rational(4)])
    #expect(inner.map(\.end) == [Rational(4), Rational(10)])
    #expect(lists.first?.languages == ["en", "de"])
  }

  @Test func damagedMatroska() throws {
    for count in stride(from: 0, to: Self.matroska.count, by: 3) {
      var reader = MatroskaMetadata(tracks: [])
      var bytes = Self.source(Array(Self.matroska.prefix(count)))
      try reader.read(&bytes)
    }
    for index in Self.matroska.indices {
      for value: UInt8 in [0, 0x01, 0x7F, 0xFF] {
        var file = Self.matroska
        file[index] = value
        var reader = MatroskaMetadata(tracks: [])
        var bytes = Self.source(file)
        try reader.read(&bytes)
        for list in reader.found.chapters { _ = list.closed(at: nil) }
      }
    }
  }
}
