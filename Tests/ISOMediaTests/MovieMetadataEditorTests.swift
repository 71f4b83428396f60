import Testing

@testable import ISOMedia

/// A movie header with other metadata: what was asked for changes, every other box stays byte by byte.
@Suite struct MovieMetadataEditorTests {
  private static let header = bytes {
    $0.fullBox("mvhd") {
      $0.u32(1)
      $0.u32(2)
      $0.u32(1000)
      $0.u32(4000)
      $0.zeros(76)
      $0.u32(2)
    }
  }

  /// A track of two chunks.
  private static func track(id: UInt32 = 1, offsets: [UInt32], isElsewhere: Bool = false) -> [UInt8] {
    bytes {
      $0.box("trak") {
        $0.fullBox("tkhd", flags: 3) {
          $0.zeros(8)
          $0.u32(id)
          $0.zeros(68)
        }
        $0.box("mdia") {
          $0.fullBox("hdlr") {
            $0.u32(0)
            $0.text("soun")
            $0.zeros(13)
          }
          $0.box("minf") {
            $0.box("dinf") {
              $0.fullBox("dref") {
                $0.u32(1)
                $0.fullBox("url ", flags: isElsewhere ? 0 : 1) { _ in }
              }
            }
            $0.box("stbl") {
              $0.fullBox("stco") {
                $0.u32(UInt32(offsets.count))
                for offset in offsets { $0.u32(offset) }
              }
            }
          }
        }
      }
    }
  }

  private static func movie(_ parts: [UInt8]...) -> [UInt8] {
    bytes { writer in writer.box("moov") { inner in for part in [header] + parts { inner.raw(part) } } }
  }

  private static func edited(
    _ moov: [UInt8], isQuickTime: Bool = false, _ changes: [MetadataBoxChange]
  ) throws -> [UInt8] {
    var editor = MovieMetadataEditor(moov, isQuickTime: isQuickTime, changes: changes)
    return try editor.edited()
  }

  private static func entries(_ moov: [UInt8], isQuickTime: Bool = false) throws -> [MetadataEntry] {
    try MovieHeader.parse(moov).metadataEntries(isQuickTime: isQuickTime)
  }

  @Test func nothingAskedFor() throws {
    let user = bytes {
      $0.box("udta") {
        $0.box("name") { $0.text("x") }
        $0.u32(0)
      }
    }
    let moov = Self.movie(Self.track(offsets: [40, 50]), user)
    #expect(try Self.edited(moov, []) == moov)
  }

  /// Values of every kind, read back by the reader that was tested on boxes made by hand.
  @Test func iTunesItems() throws {
    let text = String(repeating: "ü", count: 40_000)
    let changes: [MetadataBoxChange] = [
      .init(store: .iTunes, key: "©nam", values: [.init(.text("Tür 🎬\nשלום"))]),
      .init(store: .iTunes, key: "©cmt", values: [.init(.text(""))]),
      .init(store: .iTunes, key: "©lyr", values: [.init(.text(text))]),
      .init(store: .iTunes, key: "trkn", values: [.init(.text("3/12"))]),
      .init(store: .iTunes, key: "disk", values: [.init(.fraction(1, of: 2))]),
      .init(store: .iTunes, key: "tmpo", values: [.init(.text("120"))]),
      .init(store: .iTunes, key: "cpil", values: [.init(.text("true"))]),
      .init(store: .iTunes, key: "covr", values: [.init(.data([0x89, 0x50, 0x4E, 0x47, 1]))]),
      .init(store: .iTunes, key: "com.apple.iTunes.ISRC", isFreeform: true, values: [.init(.text("DE"))]),
    ]
    let result = try Self.edited(Self.movie(Self.track(offsets: [1])), changes)
    let found = try Self.entries(result)
    #expect(found.map(\.key) == changes.map(\.key))
    #expect(found[0].value == .text("Tür 🎬\nשלום") && found[1].value == .text("") && found[2].value == .text(text))
    #expect(found[3].value == .fraction(3, of: 12) && found[4].value == .fraction(1, of: 2))
    #expect(found[5].value == .integer(120) && found[6].value == .integer(1))
    #expect(found[7].type == 14 && found[8].isFreeform && found[8].value == .text("DE"))
    // The sizes that iTunes writes.
    guard case .data(let range) = found[7].value else { throw UnstorableValue(key: "covr", reason: "no data") }
    #expect(Array(result[range]) == [0x89, 0x50, 0x4E, 0x47, 1])
  }

  /// One of several keys changes where it stands; one goes; those that nobody asked about keep their bytes.
  @Test func existingItems() throws {
    func item(_ type: FourCharacterCode, _ text: String) -> [UInt8] {
      bytes {
        $0.box(type) {
          $0.box("data") {
            $0.u32(1)
            $0.u32(0)
            $0.text(text)
          }
        }
      }
    }
    let strange = bytes { $0.box("xxxx") { $0.raw([1, 2, 3]) } }
    let user = bytes {
      $0.box("udta") {
        $0.fullBox("meta") {
          $0.fullBox("hdlr") {
            $0.u32(0)
            $0.text("mdirappl")
            $0.zeros(9)
          }
          $0.box("ilst") {
            $0.raw(item("\u{A9}ART", "A"))
            $0.raw(item("\u{A9}nam", "old"))
            $0.raw(strange)
            $0.raw(item("\u{A9}alb", "B"))
          }
          $0.box("free") { $0.zeros(8) }
        }
      }
    }
    let result = try Self.edited(
      Self.movie(user),
      [
        .init(store: .iTunes, key: "©nam", values: [.init(.text("new"))]),
        .init(store: .iTunes, key: "©alb", values: []),
      ])
    let found = try Self.entries(result)
    #expect(found.map(\.key) == ["©ART", "©nam"] && found[1].value == .text("new"))
    #expect(String(decoding: result, as: UTF8.self).contains("xxxx"))
    // All gone: no empty boxes stay.
    let empty = try Self.edited(
      result.count > 0 ? Self.movie() : [], [.init(store: .iTunes, key: "©nam", values: [])])
    #expect(empty == Self.movie())
  }

  @Test(arguments: [true, false]) func keyedItems(isQuickTime: Bool) throws {
    let name = "com.apple.quicktime.title"
    let first = try Self.edited(
      Self.movie(Self.track(offsets: [1])), isQuickTime: isQuickTime,
      [
        .init(
          store: .quickTimeMetadata, key: name,
          values: [.init(.text("A"), language: "eng"), .init(.text("B"), language: "deu")]),
        .init(store: .quickTimeMetadata, key: "com.x.number", values: [.init(.integer(-5))]),
        .init(store: .quickTimeMetadata, key: "com.x.real", values: [.init(.real(0.5))]),
      ])
    let found = try Self.entries(first, isQuickTime: isQuickTime)
    #expect(found.map(\.key) == [name, name, "com.x.number", "com.x.real"])
    #expect(found.map(\.language) == ["eng", "deu", nil, nil])
    #expect(found[2].value == .integer(-5) && found[3].value == .real(0.5))
    // QuickTime's `meta` is a plain box, MP4's has version and flags.
    let movie = try #require(BoxSequence(first).first { $0.type == "moov" })
    let meta = try #require(BoxSequence(first, in: movie.payload).first { $0.type == "meta" })
    #expect(first[meta.payload.lowerBound] == 0 && (first[meta.payload.lowerBound + 3] != 0) == isQuickTime)
    let second = try Self.edited(
      first, isQuickTime: isQuickTime,
      [
        .init(store: .quickTimeMetadata, key: name, values: []),
        .init(store: .quickTimeMetadata, key: "com.x.number", values: [.init(.integer(1 << 40))]),
        .init(store: .quickTimeMetadata, key: "com.x.new", values: [.init(.text("N"))]),
      ])
    let after = try Self.entries(second, isQuickTime: isQuickTime)
    #expect(after.map(\.key) == ["com.x.number", "com.x.real", "com.x.new"])
    #expect(after[0].value == .integer(1 << 40))
  }

  @Test func userData() throws {
    let place = StoredLocation(
      name: "Paris", role: 1, longitude: 0x2_4B80, latitude: 0x30_DB80, altitude: 35 << 16, body: "earth", notes: "")
    let changes: [MetadataBoxChange] = [
      .init(
        store: .quickTimeUserData, key: "©nam",
        values: [.init(.text("Tür"), language: "deu"), .init(.text("Door"))]),
      .init(store: .isoUserData, key: "titl", values: [.init(.text("Été"), language: "fra")]),
      .init(store: .isoUserData, key: "yrrc", values: [.init(.text("2024-05-01"))]),
      .init(store: .isoUserData, key: "loci", values: [.init(.location(place))]),
      .init(store: .isoUserData, key: "kywd", values: [.init(.text("one, two"))]),
    ]
    let found = try Self.entries(try Self.edited(Self.movie(), changes))
    #expect(found.map(\.key) == ["©nam", "©nam", "titl", "yrrc", "loci", "kywd"])
    #expect(found.map(\.language) == ["deu", nil, "fra", nil, nil, nil])
    #expect(found[1].value == .text("Door") && found[2].value == .text("Été") && found[3].value == .integer(2024))
    #expect(found[4].value == .location(place) && found[5].value == .text("one, two"))
    #expect(throws: MovieMetadataEditor.Failure.self) {
      try Self.edited(
        Self.movie(),
        [
          .init(
            store: .quickTimeUserData, key: "©nam",
            values: [.init(.text(String(repeating: "a", count: 65_536)))])
        ])
    }
  }

  // MARK: - Offsets

  @Test func offsetsMove() throws {
    let moov = Self.movie(Self.track(offsets: [40, 500, 600]), Self.track(id: 2, offsets: [500], isElsewhere: true))
    let moved = try #require(ChunkOffsets.shifted(moov, by: 100, from: 450))
    let tables = moved.count == moov.count ? Self.words(in: moved, named: "stco") : []
    // What lies before the header stays, and so does what lies in another file.
    #expect(tables == [[3, 40, 600, 700], [1, 500]])
    #expect(ChunkOffsets.shifted(moov, by: Int64(UInt32.max), from: 450) == nil)
    #expect(ChunkOffsets.shifted(moov, by: 0, from: 0) == moov)
  }

  private static func words(in bytes: [UInt8], named name: String) -> [[UInt32]] {
    var found: [[UInt32]] = []
    let letters = Array(name.utf8)
    for index in 4..<bytes.count - 8 where Array(bytes[index..<index + 4]) == letters {
      let size = Int(bytes.bigEndianUInt32(at: index - 4))
      found.append(
        stride(from: index + 8, to: index - 4 + size, by: 4).map { bytes.bigEndianUInt32(at: $0) })
    }
    return found
  }

  @Test func fragmentsMove() throws {
    let moof = bytes {
      $0.box("moof") {
        $0.box("traf") {
          $0.fullBox("tfhd", flags: 1) {
            $0.u32(1)
            $0.u64(1000)
          }
        }
      }
    }
    let moved = ChunkOffsets.shiftedFragment(moof, by: 24, from: 500)
    #expect(moved.bigEndianUInt64(at: moof.count - 8) == 1024)
    let mfra = bytes {
      $0.box("mfra") {
        $0.fullBox("tfra", version: 1) {
          $0.u32(1)
          $0.u32(0)
          $0.u32(2)
          for (time, offset) in [(0, 800), (90, 900)] as [(UInt64, UInt64)] {
            $0.u64(time)
            $0.u64(offset)
            $0.raw([1, 1, 1])
          }
        }
      }
    }
    let access = try #require(ChunkOffsets.shiftedRandomAccess(mfra, by: 24, from: 0))
    #expect(access.bigEndianUInt64(at: 8 + 12 + 12 + 8) == 824)
    #expect(access.bigEndianUInt64(at: 8 + 12 + 12 + 19 + 8) == 924)
  }

  // MARK: - Chapters

  @Test func chapterTracks() throws {
    let moov = Self.movie(Self.track(offsets: [40]))
    let tracks = [
      ChapterTrackEdit.Track(
        timescale: 1000, lead: 500,
        chapters: [
          .init(duration: 1500, title: "Öne"), .init(duration: 1000, title: nil), .init(duration: 1000, title: ""),
        ],
        language: "eng", extendedLanguage: "en-GB"),
      ChapterTrackEdit.Track(
        // A third of a second is no whole number of the movie's ticks.
        timescale: 600, lead: 200, chapters: [.init(duration: 2200, title: "Eins")], language: "deu",
        extendedLanguage: nil),
    ]
    let edit = ChapterTrackEdit(try MovieHeader.parse(moov), removing: [], adding: tracks, mediaOffset: 9000)
    var editor = MovieMetadataEditor(
      moov, isQuickTime: false, changes: [],
      neroChapters: (0..<300).map { NeroChapter(start: UInt64($0), title: String(repeating: "ü", count: 200)) },
      chapterTracks: edit)
    let result = try MovieHeader.parse(try editor.edited())
    #expect(result.tracks.map(\.trackID) == [1, 2, 3] && result.nextTrackID == 4)
    #expect(result.tracks[0].references(ofType: "chap") == [2, 3])
    #expect(result.tracks[1].language == "eng" && result.tracks[1].extendedLanguage == "en-GB")
    #expect(result.tracks[2].language == "deu")
    #expect(result.tracks.dropFirst().allSatisfy { !$0.flags.contains(.enabled) && $0.handler == "text" })
    #expect(
      result.tracks[1].edits == [
        EditListEntry(segmentDuration: 500, mediaTime: -1, mediaRate: 0x10000),
        EditListEntry(segmentDuration: 3500, mediaTime: 0, mediaRate: 0x10000),
      ])
    #expect(result.tracks[2].edits == nil)
    #expect(result.tracks[1].duration == 4000 && result.tracks[2].mediaDuration == 2400)
    let media = ChapterTrackEdit.media(tracks, timescale: 1000)
    var offset: Int64 = 9000
    for (index, titles) in [["Öne", "", ""], ["", "Eins"]].enumerated() {
      let samples = Array(try #require(try? result.sampleTable(of: result.tracks[index + 1], maximumSamples: 10)))
      #expect(samples.count == titles.count)
      for (sample, title) in zip(samples, titles) {
        #expect(sample.offset == offset)
        let start = Int(offset - 9000)
        let length = Int(media[start]) << 8 | Int(media[start + 1])
        #expect(String(decoding: media[start + 2..<start + 2 + length], as: UTF8.self) == title)
        offset += Int64(sample.size)
      }
    }
    #expect(offset - 9000 == media.count)
    // At most 255 entries, and whole characters.
    let nero = result.neroChapters()
    #expect(nero.count == 255 && nero[254].start == 254)
    #expect(nero.allSatisfy { $0.title == String(repeating: "ü", count: 127) })
    // Without any they go, and the references with them.
    var remover = MovieMetadataEditor(
      try editorBytes(moov, tracks), isQuickTime: false, changes: [], neroChapters: [],
      chapterTracks: ChapterTrackEdit(result, removing: [2, 3], adding: [], mediaOffset: 0))
    let bare = try MovieHeader.parse(try remover.edited())
    #expect(bare.tracks.map(\.trackID) == [1] && bare.tracks[0].references.isEmpty && bare.neroChapters().isEmpty)
  }

  private func editorBytes(_ moov: [UInt8], _ tracks: [ChapterTrackEdit.Track]) throws -> [UInt8] {
    var editor = MovieMetadataEditor(
      moov, isQuickTime: false, changes: [], neroChapters: [NeroChapter(start: 0, title: "x")],
      chapterTracks: ChapterTrackEdit(try MovieHeader.parse(moov), removing: [], adding: tracks, mediaOffset: 1))
    return try editor.edited()
  }

  /// Whatever the bytes are, an answer or an error.
  @Test func damagedBytes() throws {
    let whole = try editorBytes(
      try Self.edited(
        Self.movie(Self.track(offsets: [40, 50])),
        [
          .init(store: .iTunes, key: "©nam", values: [.init(.text("old"))]),
          .init(store: .quickTimeMetadata, key: "k", values: [.init(.text("v"))]),
        ]),
      [.init(timescale: 1000, chapters: [.init(duration: 1, title: "t")], language: nil, extendedLanguage: nil)])
    let changes: [MetadataBoxChange] = [
      .init(store: .iTunes, key: "©nam", values: [.init(.text("new"))]),
      .init(store: .quickTimeMetadata, key: "k", values: []),
    ]
    func attempt(_ bytes: [UInt8]) {
      guard let movie = try? MovieHeader.parse(bytes) else { return }
      var editor = MovieMetadataEditor(
        bytes, isQuickTime: true, changes: changes, neroChapters: [],
        chapterTracks: ChapterTrackEdit(movie, removing: [2], adding: [], mediaOffset: 0))
      if let result = try? editor.edited() { _ = ChunkOffsets.shifted(result, by: .max, from: 0) }
    }
    for end in 0...whole.count { attempt(Array(whole[..<end])) }
    for place in whole.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var damaged = whole
        damaged[place] = value
        attempt(damaged)
      }
    }
  }
}
