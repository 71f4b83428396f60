import FoundationEssentials
import Testing

@testable import MediaAssetKit

/// Editors of tags on bytes made by hand: what was asked for changes, everything else stays.
@Suite("Tag editors") struct TagEditorTests {
  private static func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Edits a file of bytes and gives the new one.
  static func edited(
    _ file: [UInt8], _ kind: EditableContainer, existing: [MetadataItem] = [],
    _ change: (inout MetadataEditor) throws -> Void
  ) throws -> (bytes: [UInt8], losses: [MetadataEditor.Loss]) {
    var editor = MetadataEditor(MediaAsset(data: Data()))
    try change(&editor)
    var plan = MetadataPlan(spaces: kind.keySpaces, existing: existing, editor: editor)
    let read: (Int64, Int) -> [UInt8] = { Array(file.dropFirst(Int(clamping: $0)).prefix($1)) }
    var source = SourceBytes(size: Int64(file.count), maximumBytes: 1 << 26, read: read)
    let pieces: [FilePiece] =
      switch kind {
      case .flac: try FLACEditor.pieces(&plan, &source)
      case .ogg: try OggEditor.pieces(&plan, &source)
      case .wave: try ChunkFileEditor.riff(&plan, &source, keepsPlaces: false)
      case .avi: try ChunkFileEditor.riff(&plan, &source, keepsPlaces: true)
      case .aiff: try ChunkFileEditor.aiff(&plan, &source)
      default: try ID3FileEditor.pieces(&plan, &source)
      }
    var result: [UInt8] = []
    try pieces.forEachPart(read: read) { result += $0 }
    return (result, plan.losses)
  }

  private static func item(_ space: MetadataKeySpace, _ key: String, _ text: String) -> MetadataItem {
    MetadataItem(keySpace: space, key: key, value: .string(text))
  }

  private static let awkward = ["", "a\nb", "Tür 🎬", "שלום", String(repeating: "é", count: 32_768)]

  // MARK: - ID3

  private static let sound: [UInt8] = [0xFF, 0xFB, 0x90, 0] + (0..<400).map { UInt8(truncatingIfNeeded: $0 * 7) }

  @Test(arguments: [2, 3, 4] as [UInt8]) func id3(version: UInt8) throws {
    let names = version == 2 ? ["TT2", "TP1", "TCO", "TYE"] : ["TIT2", "TPE1", "TCON", version == 3 ? "TYER" : "TDRC"]
    let frames = zip(names, ["Old", "Artist", "Rock", "1999"]).flatMap {
      ID3Tests.frame($0, [0] + Array($1.utf8), version: version)
    }
    let unknown = version == 2 ? [] : ID3Tests.frame("XXXX", [9, 8, 7], version: version)
    let picture =
      version == 2
      ? ID3Tests.frame("PIC", [0] + Array("PNG".utf8) + [3, 0x61, 0, 0x89, 0x50, 0x4E, 0x47], version: 2) : []
    let file =
      ID3Tests.tag(version: version, frames + unknown + picture + [UInt8](repeating: 0, count: 50)) + Self.sound
    let old = ID3Items(try #require(ID3Tag(file))).items
    for text in Self.awkward {
      let (new, losses) = try Self.edited(file, .id3, existing: old) { editor in
        editor.set(.commonIdentifierTitle, to: text)
        editor.set(.commonIdentifierCreationDate, to: "2024-05-01T10:20")
        editor.remove(.commonIdentifierType)
      }
      #expect(losses.isEmpty && new.suffix(Self.sound.count).elementsEqual(Self.sound))
      let tag = try #require(ID3Tag(new))
      // 2.2 becomes 2.3.
      #expect(tag.majorVersion == max(3, version))
      let items = ID3Items(tag).items
      #expect(items.first { $0.key == "TIT2" }?.stringValue == text)
      #expect(items.first { $0.key == "TPE1" }?.stringValue == "Artist")
      #expect(!items.contains { $0.key == "TCON" })
      if version == 4 {
        #expect(items.first { $0.key == "TDRC" }?.stringValue == "2024-05-01T10:20")
      } else {
        #expect(
          ["TYER", "TDAT", "TIME"].map { key in items.first { $0.key == key }?.stringValue } == [
            "2024", "0105", "1020",
          ])
      }
      if version > 2 {
        #expect(tag.frames.first { $0.id == "XXXX" }.map { Array($0.payload) } == [9, 8, 7])
      } else {
        #expect(items.first { $0.key == "APIC" }?.dataValue == Data([0x89, 0x50, 0x4E, 0x47]))
      }
      // Padding takes up what fits.
      if text.utf8.count < 10, version > 2 { #expect(new.count == file.count) }
    }
  }

  @Test func id3Version1() throws {
    var short = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)
    (short[125], short[126], short[127]) = (0, 5, 17)
    let file = Self.sound + short
    let (new, _) = try Self.edited(file, .id3) { editor in
      editor.set(.commonIdentifierTitle, to: "Tür 東")
      editor.set(MetadataIdentifier(rawValue: "id3/TRCK"), to: "7/9")
      editor.set(MetadataIdentifier(rawValue: "id3/TCON"), to: "jazz")
    }
    let last = Array(new.suffix(128))
    #expect(Array(last[3..<9]) == [0x54, 0xFC, 0x72, 0x20, 0x3F, 0] && last[33] == 0x41)
    #expect(last[125] == 0 && last[126] == 7 && last[127] == 8)
    let size = try #require(ID3Tag.size(new))
    #expect(Array(new[size..<size + Self.sound.count]) == Self.sound)
    // Without frames there is no tag.
    let (bare, _) = try Self.edited(new, .id3, existing: ID3Items(try #require(ID3Tag(new))).items) { $0.removeAll() }
    #expect(bare.prefix(Self.sound.count).elementsEqual(Self.sound))
  }

  /// Unsynchronised tags, compressed frames and descriptions stay what they are.
  @Test func id3Frames() throws {
    let comment = ID3Tests.frame("COMM", [3] + Array("engiTunNORM\0 000".utf8), version: 4)
    let packed = ID3Tests.frame("TALB", [0, 0, 0, 9, 1, 2], version: 4, flags: [0, 0x09])
    let spread = ID3Tests.frame("PRIV", Array("o\0".utf8) + [0xFF, 0, 0xE0], version: 4)
    let file = ID3Tests.tag(version: 4, flags: 0x80, comment + packed + spread) + Self.sound
    let old = ID3Items(try #require(ID3Tag(file))).items
    let (new, _) = try Self.edited(file, .id3, existing: old) { editor in
      editor.set(MetadataItem(keySpace: .id3, key: "COMM", value: .string("Mine"), extendedLanguageTag: "de"))
      var text = Self.item(.id3, "TXXX", "calm")
      text.extraAttributes[.info] = "mood"
      editor.set(text)
    }
    let tag = try #require(ID3Tag(new))
    let items = ID3Items(tag).items
    #expect(items.filter { $0.key == "COMM" }.map(\.stringValue) == [" 000", "Mine"])
    #expect(items.filter { $0.key == "COMM" }.map { $0.extraAttributes[.info] } == ["iTunNORM", nil])
    #expect(items.first { $0.key == "TXXX" }?.extraAttributes[.info] == "mood")
    #expect(items.first { $0.key == "PRIV" }?.dataValue == Data([0xFF, 0xE0]))
    #expect(tag.frames.first { $0.id == "TALB" }.map { $0.isOpaque && Array($0.stored) == [0, 0, 0, 9, 1, 2] } == true)
  }

  @Test func id3Chapters() throws {
    let groups = (0..<2000).map { index in
      TimedMetadataGroup(
        items: [Self.item(.common, "title", "c\(index) ü")],
        timeRange: MediaTimeRange(
          start: MediaTime(value: Int64(index * 45), timescale: 1000), duration: MediaTime(value: 45, timescale: 1000)))
    }
    let (new, losses) = try Self.edited(Self.sound, .id3) { try $0.setChapters(groups) }
    let tag = try #require(ID3Tag(new))
    let found = tag.chapters()
    #expect(losses.isEmpty && found.count == 2000 && found[1999].titles.first?.text == "c1999 ü")
    #expect(found[1999].start == Rational(89_955, 1000) && found[1999].end == Rational(90))
    // A table of contents holds 255 entries: one names eight others.
    let tables = tag.frames.filter { $0.id == "CTOC" }
    #expect(tables.count == 9 && Array(tables[0].payload.prefix(6)) == Array("toc\0".utf8) + [3, 8])
    #expect(Array(tables[8].payload.prefix(7)) == Array("toc7\0".utf8) + [1, 215])
    let (bare, _) = try Self.edited(new, .id3) { try $0.setChapters([]) }
    #expect(bare == Self.sound)
  }

  // MARK: - FLAC

  private static func block(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [type] + little(bytes.count, 3).reversed() + bytes
  }

  @Test func flac() throws {
    let comments = ContainerTagTests.comments(["title=Old", "ARTIST=A", "broken", "artist=B"])
    let file =
      Array("fLaC".utf8) + Self.block(0, [UInt8](repeating: 1, count: 34)) + Self.block(4, comments)
      + Self.block(2, [9, 9, 9]) + Self.block(0x81, [UInt8](repeating: 0, count: 300)) + Self.sound
    func items(_ bytes: [UInt8]) throws -> [MetadataItem] {
      var source = SourceBytes(size: Int64(bytes.count), maximumBytes: 1 << 26) { offset, count in
        Array(bytes.dropFirst(Int(clamping: offset)).prefix(count))
      }
      return try XiphMetadata.flac(&source, at: 0).items
    }
    for text in Self.awkward {
      let (new, losses) = try Self.edited(file, .flac, existing: try items(file)) { editor in
        editor.set(.commonIdentifierTitle, to: text)
        var picture = MetadataItem(keySpace: .common, key: "artwork", value: .data(Data([0x89, 0x50, 0x4E, 0x47])))
        picture.extraAttributes[.info] = "cover"
        editor.set(picture)
      }
      #expect(losses.isEmpty && new.suffix(Self.sound.count).elementsEqual(Self.sound))
      let found = try items(new)
      #expect(found.map(\.key) == ["TITLE", "ARTIST", "ARTIST", "METADATA_BLOCK_PICTURE"])
      #expect(found[0].stringValue == text && found[3].dataValue == Data([0x89, 0x50, 0x4E, 0x47]))
      #expect(found[3].extraAttributes[.pictureType] == "Cover (front)" && found[3].extraAttributes[.info] == "cover")
      // The blocks of applications stay, and padding takes up the difference.
      #expect(new.count == file.count || text.utf8.count > 300)
      let bytes = String(decoding: new, as: UTF8.self)
      #expect(bytes.contains("broken"))
    }
    #expect(throws: EditingFailure.self) {
      try Self.edited(file, .flac) {
        $0.set(MetadataItem(keySpace: .common, key: "artwork", value: .data(Data(repeating: 1, count: 17 << 20))))
      }
    }
  }

  // MARK: - Ogg

  /// Opus: a header, comments, and three pages of sound.
  private static func opus(_ comments: [UInt8]) -> [UInt8] {
    let head = OggPages.page(
      flags: 2, granule: [UInt8](repeating: 0, count: 8), serial: 7, sequence: 0, segments: [19],
      body: Array("OpusHead".utf8) + [UInt8](repeating: 1, count: 11))
    let headers = OggPages.pages([Array("OpusTags".utf8) + comments], serial: 7, firstSequence: 1)
    let sound = (0..<3).flatMap { index in
      OggPages.page(
        flags: index == 2 ? 4 : 0, granule: little(960 * (index + 1), 8), serial: 7,
        sequence: UInt32(headers.count + 1 + index), segments: [100, 50],
        body: (0..<150).map { UInt8(truncatingIfNeeded: $0 * (index + 3)) })
    }
    return head + headers.flatMap { $0 } + sound
  }

  private static func pages(_ bytes: [UInt8]) -> [(header: OggPages.Header, body: [UInt8], isSound: Bool)] {
    var found: [(OggPages.Header, [UInt8], Bool)] = []
    var position = 0
    while position < bytes.count, let header = OggPages.Header(Array(bytes[position...].prefix(282))) {
      var page = Array(bytes[position..<position + header.headerSize + header.bodySize])
      let body = Array(page[header.headerSize...])
      let before = page
      OggPages.seal(&page)
      // The checksum is right.
      #expect(page == before)
      found.append((header, body, header.granule.contains { $0 != 0 && $0 != 0xFF }))
      position += page.count
    }
    #expect(position == bytes.count)
    return found
  }

  /// The checksum of RFC 3533, by a page of libogg's documentation: an all-zero page has none.
  @Test func checksum() {
    #expect(OggPages.checksum([]) == 0)
    // CRC-32/MPEG-2 without its first inversion: x^32 mod the polynomial for a single 1 bit.
    #expect(OggPages.checksum([1]) == 0x04C1_1DB7)
    #expect(OggPages.checksum([0x80]) == 0x690C_E0EE)
  }

  @Test func ogg() throws {
    let file = Self.opus(ContainerTagTests.comments(["TITLE=Old", "ARTIST=A"]))
    let sound = Self.pages(file).filter(\.isSound).map(\.body)
    for text in Self.awkward + [String(repeating: "x", count: 255 * 255 - 80), String(repeating: "y", count: 300_000)] {
      let (new, losses) = try Self.edited(file, .ogg) { $0.set(MetadataIdentifier(rawValue: "vorb/TITLE"), to: text) }
      #expect(losses.isEmpty)
      let pages = Self.pages(new)
      #expect(pages.map(\.header.sequence) == pages.indices.map { UInt32($0) })
      #expect(pages.filter(\.isSound).map(\.body) == sound)
      #expect(pages.last?.header.flags == 4)
      var source = SourceBytes(size: Int64(new.count), maximumBytes: 1 << 26) { offset, count in
        Array(new.dropFirst(Int(clamping: offset)).prefix(count))
      }
      let found = try XiphMetadata.ogg(&source).items
      #expect(found.map(\.key) == ["TITLE", "ARTIST"] && found.first?.stringValue == text)
    }
  }

  @Test func oggChapters() throws {
    let file = Self.opus(ContainerTagTests.comments(["TITLE=Old", "CHAPTER001=00:00:00.000", "CHAPTER001NAME=x"]))
    let groups = [(0, 1250, "Anfang"), (1250, 5000, "Ende")].map { start, end, title in
      TimedMetadataGroup(
        items: [Self.item(.common, "title", title)],
        timeRange: MediaTimeRange(
          start: MediaTime(value: Int64(start), timescale: 1000), end: MediaTime(value: Int64(end), timescale: 1000)))
    }
    let (new, losses) = try Self.edited(file, .ogg) { try $0.setChapters(groups) }
    var source = SourceBytes(size: Int64(new.count), maximumBytes: 1 << 26) { offset, count in
      Array(new.dropFirst(Int(clamping: offset)).prefix(count))
    }
    let found = try XiphMetadata.ogg(&source)
    #expect(losses.isEmpty && found.items.map(\.key) == ["TITLE"])
    #expect(found.chapters.first?.chapters.map(\.start) == [.zero, try #require(Rational(5, 4))])
    #expect(found.chapters.first?.chapters.map(\.titles.first?.text) == ["Anfang", "Ende"])
  }

  // MARK: - Damage

  /// Files cut off anywhere and with any byte changed: an answer or an error, in bounded time.
  @Test func damagedBytes() {
    let flac =
      Array("fLaC".utf8) + Self.block(0, [UInt8](repeating: 1, count: 34))
      + Self.block(0x84, ContainerTagTests.comments(["A=B"])) + Self.sound.prefix(20)
    let id3 = ID3Tests.tag(version: 3, ID3Tests.frame("TIT2", [0, 0x41], version: 3)) + Self.sound.prefix(20)
    let wave =
      Array("RIFF".utf8) + Self.little(40) + Array("WAVELIST".utf8) + Self.little(16) + Array("INFOINAM".utf8)
      + Self.little(3) + [0x41, 0x42, 0, 0] + Array("data".utf8) + Self.little(4) + [1, 2, 3, 4]
    let files: [([UInt8], EditableContainer)] = [
      (flac, .flac), (id3, .id3), (Self.opus(ContainerTagTests.comments(["A=B"])), .ogg), (wave, .wave),
    ]
    for (file, kind) in files {
      func attempt(_ bytes: [UInt8]) { _ = try? Self.edited(bytes, kind) { $0.set(.commonIdentifierTitle, to: "T") } }
      for end in 0...file.count { attempt(Array(file[..<end])) }
      for place in file.indices.prefix(160) {
        for value in [0, 0x7F, 0xFF] as [UInt8] {
          var damaged = file
          damaged[place] = value
          attempt(damaged)
        }
      }
    }
  }

  // MARK: - Chapters

  @Test func chaptersThatCannotBe() throws {
    func group(_ start: Int64, _ end: Int64, _ language: String? = nil) -> TimedMetadataGroup {
      var title = Self.item(.common, "title", "t")
      title.extendedLanguageTag = language
      return TimedMetadataGroup(
        items: [title],
        timeRange: MediaTimeRange(
          start: MediaTime(value: start, timescale: 1), end: MediaTime(value: end, timescale: 1)))
    }
    var editor = MetadataEditor(MediaAsset(data: Data()))
    for groups in [[group(0, 2), group(1, 3)], [group(-1, 2)], [group(2, 1)], [group(0, 1), group(0, 2)]] {
      #expect(throws: MediaError.self) { try editor.setChapters(groups) }
    }
    // Of two languages they may.
    try editor.setChapters([group(0, 2, "en"), group(0, 1, "de"), group(1, 2, "de")])
    #expect(editor.chapterLists?.map(\.language) == ["en", "de"])
    #expect(editor.chapterLists?.map(\.chapters.count) == [1, 2])
  }
}
