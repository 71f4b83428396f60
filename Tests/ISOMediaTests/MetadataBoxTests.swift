import ISOMedia
import Testing

/// Metadata boxes written by hand from QuickTime File Format, TS 26.244 and what iTunes writes.
@Suite struct MetadataBoxTests {
  static func movie(_ body: (inout BoxWriter) -> Void) throws -> MovieHeader {
    try MovieHeader.parse(bytes { $0.box("moov", body) })
  }

  static func entries(isQuickTime: Bool = true, _ body: (inout BoxWriter) -> Void) throws -> [MetadataEntry] {
    try movie(body).metadataEntries(isQuickTime: isQuickTime)
  }

  /// `©` is one byte in a box type.
  private func copyright(_ name: String) -> FourCharacterCode {
    FourCharacterCode(stringLiteral: "\u{A9}" + name)
  }

  private static func data(_ writer: inout BoxWriter, type: UInt32, language: UInt16 = 0, _ value: [UInt8]) {
    writer.box("data") {
      $0.u32(type)
      $0.u16(0)
      $0.u16(language)
      $0.raw(value)
    }
  }

  @Test func internationalTexts() throws {
    let found = try Self.entries {
      $0.box("udta") {
        $0.box(copyright("nam")) {
          // German by its Macintosh number in MacRoman, then Japanese by its ISO code.
          $0.u16(3)
          $0.u16(2)
          $0.raw([0x54, 0x9F, 0x72])
          $0.u16(6)
          $0.u16(SampleMovie.packed("jpn"))
          $0.text("東京")
        }
        // Without length and language, as some cameras write.
        $0.box(copyright("fmt")) { $0.text("Digital Camera") }
        $0.box("tagc") { $0.text("public.easy-to-read") }
        $0.box("name") { $0.text("Main") }
        $0.u32(0)
      }
    }
    #expect(
      found == [
        .init(store: .quickTimeUserData, key: "©nam", value: .text("Tür"), language: "deu"),
        .init(store: .quickTimeUserData, key: "©nam", value: .text("東京"), language: "jpn"),
        .init(store: .quickTimeUserData, key: "©fmt", value: .text("Digital Camera")),
        .init(store: .quickTimeUserData, key: "tagc", value: .text("public.easy-to-read")),
        .init(store: .quickTimeUserData, key: "name", value: .text("Main")),
      ])
  }

  @Test func textsOf3GPP() throws {
    let found = try Self.entries(isQuickTime: false) {
      $0.box("udta") {
        $0.fullBox("titl") {
          $0.u16(SampleMovie.packed("fre"))
          $0.text("Été\0")
        }
        $0.fullBox("perf") {
          $0.u16(SampleMovie.packed("und"))
          $0.raw([0xFE, 0xFF, 0x00, 0x41, 0x01, 0x51, 0, 0])
        }
        $0.fullBox("albm") {
          $0.u16(SampleMovie.packed("eng"))
          $0.text("Album\0")
          $0.u8(7)
        }
        $0.fullBox("yrrc") { $0.u16(2024) }
        $0.fullBox("loci") {
          $0.u16(SampleMovie.packed("eng"))
          $0.text("Paris\0")
          $0.u8(1)
          $0.i32(0x2_4B80)  // 2.294921875
          $0.i32(0x30_DB80)
          $0.i32(35 << 16)
          $0.text("earth\0\0")
        }
        $0.fullBox("kywd") {
          $0.u16(SampleMovie.packed("eng"))
          $0.u8(2)
          $0.u8(4)
          $0.text("sea\0")
          $0.u8(3)
          $0.text("sky")
        }
        $0.fullBox("clsf") {
          $0.text("cvvi")
          $0.u16(3)
          $0.u16(SampleMovie.packed("eng"))
          $0.text("class\0")
        }
        $0.box("tagc") { $0.text("com.example.x\0") }
        $0.fullBox("titl") { $0.u8(1) }
      }
    }
    #expect(
      found == [
        .init(store: .isoUserData, key: "titl", value: .text("Été"), language: "fra"),
        .init(store: .isoUserData, key: "perf", value: .text("Aő")),
        .init(
          store: .isoUserData, key: "albm", value: .text("Album"), language: "eng", attributes: ["trackNumber": "7"]),
        .init(store: .isoUserData, key: "yrrc", value: .integer(2024)),
        .init(
          store: .isoUserData, key: "loci",
          value: .location(
            .init(
              name: "Paris", role: 1, longitude: 0x2_4B80, latitude: 0x30_DB80, altitude: 35 << 16, body: "earth")),
          language: "eng"),
        .init(store: .isoUserData, key: "kywd", value: .text("sea, sky"), language: "eng"),
        .init(
          store: .isoUserData, key: "clsf", value: .text("class"), language: "eng",
          attributes: ["entity": "cvvi", "table": "3"]),
        .init(store: .isoUserData, key: "tagc", value: .text("com.example.x")),
      ])
  }

  @Test func itemsOfITunes() throws {
    let movie = try Self.movie {
      $0.box("udta") {
        $0.fullBox("meta") {
          $0.fullBox("hdlr") {
            $0.u32(0)
            $0.text("mdirappl")
            $0.zeros(9)
          }
          $0.box("ilst") {
            $0.box(copyright("nam")) { Self.data(&$0, type: 1, Array("Títle".utf8)) }
            $0.box("trkn") { Self.data(&$0, type: 0, [0, 0, 0, 2, 0, 12, 0, 0]) }
            $0.box("disk") { Self.data(&$0, type: 0, [0, 0, 0, 5, 0, 10]) }
            $0.box("tmpo") { Self.data(&$0, type: 21, [0, 120]) }
            $0.box("cpil") { Self.data(&$0, type: 21, [1]) }
            $0.box("gnre") { Self.data(&$0, type: 0, [0, 10]) }
            $0.box("covr") {
              Self.data(&$0, type: 14, [0x89, 0x50])
              $0.box("name") { $0.text("junk") }
              Self.data(&$0, type: 13, [0xFF, 0xD8])
            }
            $0.box("----") {
              $0.fullBox("mean") { $0.text("com.apple.iTunes") }
              $0.fullBox("name") { $0.text("initialkey") }
              Self.data(&$0, type: 1, Array("8A".utf8))
              Self.data(&$0, type: 1, Array("9B".utf8))
            }
            $0.box("desc") { Self.data(&$0, type: 2, [0x04, 0x16, 0xD8, 0x3D, 0xDE, 0x00]) }
          }
        }
      }
    }
    let found = movie.metadataEntries(isQuickTime: false)
    #expect(found.allSatisfy { $0.store == .iTunes && $0.language == nil })
    #expect(
      found.map(\.key) == [
        "©nam", "trkn", "disk", "tmpo", "cpil", "gnre", "covr", "covr", "com.apple.iTunes.initialkey",
        "com.apple.iTunes.initialkey", "desc",
      ])
    #expect(
      found.filter { $0.key != "covr" }.map(\.value) == [
        .text("Títle"), .fraction(2, of: 12), .fraction(5, of: 10), .integer(120), .integer(1), .integer(10),
        .text("8A"), .text("9B"), .text("Ж😀"),
      ])
    let covers = found.filter { $0.key == "covr" }
    #expect(covers.map(\.type) == [14, 13])
    let pictures = covers.map { entry -> [UInt8] in
      guard case .data(let range) = entry.value else { return [] }
      return Array(movie.bytes[range])
    }
    #expect(pictures == [[0x89, 0x50], [0xFF, 0xD8]])
    #expect(found.filter(\.isFreeform).count == 2)
  }

  /// QuickTime's `meta` is a plain box; its keys have names and its values types.
  @Test(arguments: [false, true]) func keyedItems(isPlain: Bool) throws {
    let body: (inout BoxWriter) -> Void = {
      $0.fullBox("hdlr") {
        $0.u32(0)
        $0.text("mdta")
        $0.zeros(13)
      }
      $0.fullBox("keys") {
        $0.u32(4)
        for name in ["com.apple.quicktime.title", "score", "place", "com.apple.quicktime.creationdate"] {
          $0.u32(UInt32(name.utf8.count + 8))
          $0.text("mdta" + name)
        }
      }
      $0.box("ilst") {
        $0.box(FourCharacterCode(rawValue: 1)) { Self.data(&$0, type: 1, language: SampleMovie.packed("deu"), [0x41]) }
        $0.box(FourCharacterCode(rawValue: 2)) { Self.data(&$0, type: 23, [0x3F, 0x80, 0, 0]) }
        $0.box(FourCharacterCode(rawValue: 2)) { Self.data(&$0, type: 65, [0xFE]) }
        $0.box(FourCharacterCode(rawValue: 2)) { Self.data(&$0, type: 78, [UInt8](repeating: 0xFF, count: 8)) }
        $0.box(FourCharacterCode(rawValue: 3)) { Self.data(&$0, type: 70, [0x40, 0, 0, 0, 0xC0, 0, 0, 0]) }
        $0.box(FourCharacterCode(rawValue: 4)) { Self.data(&$0, type: 1, Array("2022-11-09T20:36:38+0300".utf8)) }
        // No such key; a number that is too long.
        $0.box(FourCharacterCode(rawValue: 5)) { Self.data(&$0, type: 1, [0x42]) }
      }
    }
    let found = try Self.entries { isPlain ? $0.box("meta", body) : $0.fullBox("meta", body) }
    #expect(found.map(\.store) == [MetadataEntry.Store](repeating: .quickTimeMetadata, count: 6))
    #expect(
      found.map(\.key) == [
        "com.apple.quicktime.title", "score", "score", "score", "place", "com.apple.quicktime.creationdate",
      ])
    #expect(
      found.map(\.value) == [
        .text("A"), .real(1), .integer(-2), .unsigned(.max), .reals([2, -2]), .text("2022-11-09T20:36:38+0300"),
      ])
    #expect(found.map(\.language) == ["deu", nil, nil, nil, nil, nil])
  }

  /// Version 1 counts in four bytes, version 0 in one.
  @Test(arguments: [0, 1] as [UInt8]) func neroChapters(version: UInt8) throws {
    let movie = try Self.movie {
      $0.box("udta") {
        $0.fullBox("chpl", version: version) {
          if version == 1 { $0.zeros(4) }
          $0.u8(3)
          for (start, title) in [(0, "One"), (11_390_000, "四")] as [(UInt64, String)] {
            $0.u64(start)
            $0.u8(UInt8(title.utf8.count))
            $0.text(title)
          }
        }
      }
    }
    #expect(movie.neroChapters() == [.init(start: 0, title: "One"), .init(start: 11_390_000, title: "四")])
  }

  @Test func trackMetadata() throws {
    let movie = try Self.movie {
      $0.box("trak") { trak in
        SampleMovie.trackHeader(&trak, id: 1, group: 0)
        trak.box("udta") { $0.box("tagc") { $0.text("public.auxiliary-content") } }
      }
    }
    let track = try #require(movie.tracks.first)
    #expect(
      movie.metadataEntries(of: track, isQuickTime: false) == [
        .init(store: .isoUserData, key: "tagc", value: .text("public.auxiliary-content"))
      ])
  }

  /// Cut off anywhere, with any byte changed: something or nothing, never a trap.
  @Test func damage() throws {
    let whole = bytes {
      $0.box("moov") {
        $0.box("udta") {
          $0.box(copyright("nam")) {
            $0.u16(2)
            $0.u16(0)
            $0.text("ab")
          }
          $0.fullBox("loci") { $0.zeros(30) }
          $0.fullBox("kywd") {
            $0.u16(0)
            $0.u8(1)
            $0.u8(2)
            $0.text("ab")
          }
          $0.fullBox("perf") {
            $0.u16(0)
            $0.raw([0xFF, 0xFE, 0x41, 0, 0])
          }
          $0.fullBox("chpl", version: 1) {
            $0.zeros(4)
            $0.u8(1)
            $0.zeros(8)
            $0.u8(1)
            $0.text("a")
          }
          $0.fullBox("meta") {
            $0.fullBox("hdlr") {
              $0.u32(0)
              $0.text("mdta")
              $0.zeros(13)
            }
            $0.fullBox("keys") {
              $0.u32(1)
              $0.u32(9)
              $0.text("mdtak")
            }
            $0.box("ilst") {
              $0.box(FourCharacterCode(rawValue: 1)) { Self.data(&$0, type: 79, [UInt8](repeating: 0, count: 72)) }
              $0.box(FourCharacterCode(rawValue: 1)) { Self.data(&$0, type: 21, [1]) }
            }
          }
        }
      }
    }
    func exercise(_ data: [UInt8]) {
      guard let movie = try? MovieHeader.parse(data) else { return }
      _ = movie.metadataEntries(isQuickTime: true)
      _ = movie.neroChapters()
    }
    for count in 0..<whole.count { exercise(Array(whole.prefix(count))) }
    for index in whole.indices {
      for value: UInt8 in [0, 1, 8, 0x7F, 0x80, 0xFF] {
        var data = whole
        data[index] = value
        exercise(data)
      }
    }
    var random = MutationTests.Generator(state: 5)
    for _ in 0..<2000 { exercise(MutationTests.mutated(whole, &random)) }
  }
}
