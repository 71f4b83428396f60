import FoundationEssentials
import Testing

@testable import MediaAssetKit

/// ID3 tags written by hand from id3.org's specifications of 2.2, 2.3 and 2.4.
@Suite("ID3") struct ID3Tests {
  static func synchsafe(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (21 - 7 * $0) & 0x7F) } }
  static func plain(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(value >> (24 - 8 * $0) & 0xFF) } }

  static func frame(_ id: String, _ payload: [UInt8], version: UInt8, flags: [UInt8] = [0, 0]) -> [UInt8] {
    switch version {
    case 2: Array(id.utf8) + plain(payload.count).dropFirst() + payload
    case 3: Array(id.utf8) + plain(payload.count) + flags + payload
    default: Array(id.utf8) + synchsafe(payload.count) + flags + payload
    }
  }

  static func tag(version: UInt8, flags: UInt8 = 0, _ frames: [UInt8]) -> [UInt8] {
    Array("ID3".utf8) + [version, 0, flags] + synchsafe(frames.count) + frames
  }

  private func items(_ bytes: [UInt8]) throws -> [MetadataItem] { ID3Items(try #require(ID3Tag(bytes))).items }

  /// Version 2.3 has a date in three frames: the common item has all of it, the native ones stay as they are.
  @Test(
    arguments: [
      (["2019", "3112", "2359"], "2019-12-31T23:59"), (["2019", "0102"], "2019-02-01"), (["2019"], "2019"),
      (["2019", "9999", "1200"], "2019"), (["2019", "31x2"], "2019"), (["2019", "0102", "2460"], "2019-02-01"),
      (["19", "0102"], "19"),
    ] as [([String], String)])
  func dateOfThreeFrames(texts: [String], date: String) throws {
    let names = ["TYER", "TDAT", "TIME"]
    let frames = zip(names, texts).flatMap { Self.frame($0, [0] + Array($1.utf8), version: 3) }
    let found = try items(Self.tag(version: 3, frames))
    #expect(found.map(\.stringValue) == texts)
    #expect(found.common.map(\.identifier) == [.commonIdentifierCreationDate])
    #expect(found.common.map(\.stringValue) == [date])
  }

  /// The same words in all four encodings.
  @Test(
    arguments: [
      (0, [0x54, 0xFC, 0x72]), (1, [0xFF, 0xFE, 0x54, 0, 0xFC, 0, 0x72, 0]),
      (1, [0xFE, 0xFF, 0, 0x54, 0, 0xFC, 0, 0x72]), (2, [0, 0x54, 0, 0xFC, 0, 0x72, 0, 0]),
      (3, [0x54, 0xC3, 0xBC, 0x72, 0]),
    ] as [(UInt8, [UInt8])])
  func encodings(encoding: UInt8, text: [UInt8]) throws {
    let found = try items(Self.tag(version: 4, Self.frame("TIT2", [encoding] + text, version: 4)))
    #expect(found.map(\.stringValue) == ["Tür"])
    #expect(found.first?.identifier == .id3MetadataTitleDescription)
    #expect(found.first?.commonKey == .title)
  }

  @Test(arguments: [3, 4] as [UInt8]) func frames(version: UInt8) throws {
    func frame(_ id: String, _ payload: [UInt8]) -> [UInt8] { Self.frame(id, payload, version: version) }
    let bytes = Self.tag(
      version: version,
      frame("TPE1", [3] + Array("A\0B".utf8)) + frame("TXXX", [3] + Array("mood\0calm".utf8))
        + frame("COMM", [3] + Array("deugrund\0Text".utf8)) + frame("WXXX", [3] + Array("x\0http://e".utf8))
        + frame("WOAR", Array("http://a".utf8)) + frame("PRIV", Array("me@x\0".utf8) + [1, 2])
        + frame("POPM", Array("u@x\0".utf8) + [196, 0, 0, 0, 1]) + frame("TCON", [0] + Array("(17)".utf8))
        + frame("APIC", [3] + Array("image/png\0".utf8) + [3] + Array("front\0".utf8) + [0x89, 0x50, 0x4E, 0x47]))
    let found = try items(bytes)
    #expect(found.map(\.key) == ["TPE1", "TPE1", "TXXX", "COMM", "WXXX", "WOAR", "PRIV", "POPM", "TCON", "APIC"])
    #expect(
      found.map(\.stringValue) == ["A", "B", "calm", "Text", "http://e", "http://a", nil, "196", "(17)", nil])
    #expect(
      found.map { $0.extraAttributes[.info] } == [nil, nil, "mood", "grund", "x", nil, "me@x", "u@x", nil, "front"])
    #expect(found[3].extendedLanguageTag == "de")
    #expect(found[6].dataValue == Data([1, 2]))
    #expect(found[8].common?.stringValue == "Rock")
    #expect(found[9].dataValue == Data([0x89, 0x50, 0x4E, 0x47]))
    #expect(found[9].mimeType == "image/png" && found[9].extraAttributes[.pictureType] == "Cover (front)")
    #expect(found[9].commonKey == .artwork && found[9].dataType == .png)
  }

  @Test func version22() throws {
    let found = try items(
      Self.tag(
        version: 2,
        Self.frame("TT2", [0] + Array("Title".utf8), version: 2)
          + Self.frame("PIC", [0] + Array("JPG".utf8) + [3, 0, 0xFF, 0xD8, 0xFF], version: 2)))
    #expect(found.map(\.key) == ["TIT2", "APIC"])
    #expect(found[0].stringValue == "Title")
    #expect(found[1].dataValue == Data([0xFF, 0xD8, 0xFF]) && found[1].mimeType == "image/jpeg")
  }

  /// `FF 00` stands for `FF`: in the whole tag before 2.4, frame by frame since.
  @Test func unsynchronisation() throws {
    let payload: [UInt8] = [1, 0xFF, 0x00, 0xFE, 0x41, 0]
    let old = Self.tag(
      version: 3, flags: 0x80, Array("TIT2".utf8) + Self.plain(5) + [0, 0] + payload)
    #expect(try items(old).map(\.stringValue) == ["A"])
    let new = Self.tag(version: 4, Self.frame("TIT2", payload, version: 4, flags: [0, 2]))
    #expect(try items(new).map(\.stringValue) == ["A"])
  }

  @Test func extendedHeadersAndLengths() throws {
    let title = [0] + Array("T".utf8) as [UInt8]
    let old = Self.tag(
      version: 3, flags: 0x40, Self.plain(6) + [0, 0, 0, 0, 0, 0] + Self.frame("TIT2", title, version: 3))
    #expect(try items(old).map(\.stringValue) == ["T"])
    let new = Self.tag(
      version: 4, flags: 0x40,
      Self.synchsafe(6) + [1, 0]
        + Self.frame("TIT2", Self.synchsafe(2) + title, version: 4, flags: [0, 1]))
    #expect(try items(new).map(\.stringValue) == ["T"])
    // iTunes' plain size in a tag of 2.4.
    let long = [0] + [UInt8](repeating: 0x61, count: 200) as [UInt8]
    let wrong = Self.tag(
      version: 4,
      Array("TIT2".utf8) + Self.plain(long.count) + [0, 0] + long + Self.frame("TALB", title, version: 4))
    #expect(try items(wrong).map(\.key) == ["TIT2", "TALB"])
    // Compressed: listed as bytes.
    let packed = Self.tag(version: 4, Self.frame("TIT2", [1, 2, 3], version: 4, flags: [0, 8]))
    #expect(try items(packed).map(\.dataValue) == [Data([1, 2, 3])])
  }

  @Test func chapters() throws {
    func chapter(_ start: Int, _ end: Int, _ title: String) -> [UInt8] {
      Self.frame(
        "CHAP",
        Array("ch\(start)\0".utf8) + Self.plain(start) + Self.plain(end) + [UInt8](repeating: 0xFF, count: 8)
          + Self.frame("TIT2", [3] + Array(title.utf8), version: 4)
          + Self.frame(
            "APIC", [0] + Array("image/jpeg\0".utf8) + [3, 0, 0xFF, 0xD8, 0xFF], version: 4), version: 4)
    }
    let tag = try #require(
      ID3Tag(Self.tag(version: 4, chapter(15_000, 22_000, "Two") + chapter(0, 15_000, "Öne"))))
    let found = tag.chapters()
    #expect(found.map(\.titles.first?.text) == ["Öne", "Two"])
    #expect(found.map(\.start) == [.zero, Rational(15)])
    #expect(found.map(\.end) == [Rational(15), Rational(22)])
    #expect(found.allSatisfy { $0.artwork == Data([0xFF, 0xD8, 0xFF]) })
    #expect(ID3Items(tag).items.isEmpty)
  }

  /// Cut off anywhere, with any byte changed: items or none, never a trap.
  @Test func damage() {
    let whole = Self.tag(
      version: 4, flags: 0x80,
      Self.frame("TXXX", [1, 0xFF, 0xFE, 0x41, 0, 0, 0, 0x42, 0], version: 4)
        + Self.frame("COMM", [1] + Array("eng".utf8) + [0xFE, 0xFF, 0, 0, 0xFE, 0xFF, 0, 0x41], version: 4)
        + Self.frame("APIC", [2] + Array("image/png\0".utf8) + [3, 0, 0, 1], version: 4)
        + Self.frame("CHAP", [0x61, 0] + [UInt8](repeating: 0, count: 16) + Array("TIT2".utf8), version: 4)
        + Self.frame("GEOB", [0, 0, 0, 0, 1], version: 4) + Self.frame("PCNT", [1, 2, 3, 4], version: 4))
    func exercise(_ bytes: [UInt8]) {
      guard let tag = ID3Tag(bytes) else { return }
      _ = ID3Items(tag)
      _ = tag.chapters()
    }
    for count in 0...whole.count { exercise(Array(whole.prefix(count))) }
    for index in whole.indices {
      for value: UInt8 in [0, 1, 2, 3, 0x40, 0x7F, 0x80, 0xFF] {
        var bytes = whole
        bytes[index] = value
        exercise(bytes)
      }
    }
  }
}
