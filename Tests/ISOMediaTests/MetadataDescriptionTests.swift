import Testing

@testable import ISOMedia

/// Sample descriptions of timed metadata, from the specification's fields byte by byte.
@Suite struct MetadataDescriptionTests {
  /// What an iPhone writes of the way that it was held (`sample_edit_list.mp4` of androidx).
  private static let orientation = hex(
    """
    00000075 6d656278 00000000 00000001 00000065 6b657973 0000005d 00000001 00000031 6b657964 6d647461
    636f6d2e 6170706c 652e7175 69636b74 696d652e 76696465 6f2d6f72 69656e74 6174696f 6e 00000010 64747970
    00000000 00000042 00000014 73647064 0000000c 73647069 00000000
    """)

  private static let title = MetadataSampleDescription.Key(
    localID: 2, namespace: "mdta", name: Array("com.example.title".utf8), dataType: .wellKnown(1), locale: "de-AT")
  private static let pulse = MetadataSampleDescription.Key(
    localID: 1, namespace: "mdta", name: Array("com.example.pulse".utf8), dataType: .named("com.example.beats"))

  @Test func reads() throws {
    let description = try #require(MetadataSampleDescription(entry: Self.orientation))
    #expect(
      description.keys == [
        .init(
          localID: 1, namespace: "mdta", name: Array("com.apple.quicktime.video-orientation".utf8),
          dataType: .wellKnown(66))
      ])
    // What is not understood stays.
    #expect(description.entry == Self.orientation)
    let values = description.values(in: hex("0000000a 00000001 0006"))
    #expect(values.map(\.value) == [.integer(6)])
    #expect(description.values(in: MetadataSampleDescription.emptySample).isEmpty)
    // Boxes of unknown keys, cut off ones, and a size that can't be.
    #expect(description.values(in: hex("0000000a 00000007 0006 0000000a 00000001 FFFF")).map(\.value) == [.integer(-1)])
    #expect(description.values(in: hex("0000000a 00000001 00")).isEmpty)
    #expect(description.values(in: hex("00000003 00000001 0006")).isEmpty)
    #expect(description.values(in: []).isEmpty)
    let movie = try MovieHeader.parse(
      SampleMovie.withEntry(handler: "meta") { writer in writer.raw(Self.orientation) })
    #expect(movie.tracks.first?.sampleDescriptions.first?.metadata == description)
  }

  @Test func writes() {
    let made = MetadataSampleDescription(keys: [Self.pulse, Self.title])
    let expected =
      hex("000000B4 6D656278 000000000000 0001 000000A4 6B657973")
      + hex("0000004B 00000001 0000001D 6B657964 6D647461") + Array("com.example.pulse".utf8)
      + hex("0000001D 64747970 00000001") + Array("com.example.beats".utf8).prefix(17)
      + hex("00000047 00000002 0000001D 6B657964 6D647461") + Array("com.example.title".utf8)
      + hex("00000010 64747970 00000000 00000001 0000000E 6C6F6361") + Array("de-AT".utf8) + [0]
    // Sizes are the sums of what they hold.
    let pulse = 8 + (12 + 17) + (12 + 17)
    let title = 8 + (12 + 17) + 16 + (8 + 6)
    var sized = expected
    for (place, size) in [(0, 16 + 8 + pulse + title), (16, 8 + pulse + title), (24, pulse), (24 + pulse, title)] {
      sized.replaceSubrange(place..<place + 4, with: UInt32(size).bigEndianBytes())
    }
    #expect(made.entry == sized)
    #expect(MetadataSampleDescription(entry: made.entry) == made)
  }

  @Test func samples() throws {
    let text = try MetadataSampleDescription.bytes(of: .text("Grüß"), under: Self.title)
    let sample = MetadataSampleDescription.sample([(Self.title, text), (Self.pulse, [1, 2, 3])])
    #expect(sample == hex("0000000E 00000002 4772C3BCC39F 0000000B 00000001 010203"))
    #expect(MetadataSampleDescription.sample([]) == hex("00000008 00000000"))
    let values = MetadataSampleDescription(keys: [Self.pulse, Self.title]).values(in: sample)
    #expect(values.map(\.value) == [.text("Grüß"), .data(22..<25)])
  }

  /// Bytes by the well-known types of the QuickTime File Format.
  @Test(
    arguments: [
      (65, .integer(-2), "FE"), (66, .integer(-2), "FFFE"), (67, .integer(-2), "FFFFFFFE"),
      (74, .integer(1 << 40), "0000010000000000"), (75, .integer(200), "C8"), (76, .integer(200), "00C8"),
      (77, .integer(4_000_000_000), "EE6B2800"), (78, .integer(5), "0000000000000005"), (23, .real(1.5), "3FC00000"),
      (24, .real(-2), "C000000000000000"), (23, .integer(3), "40400000"), (70, .reals([1, 2]), "3F80000040000000"),
      (72, .reals([0, 0, 1, 2]), "00000000000000003F80000040000000"), (2, .text("é"), "00E9"), (0, .data([7]), "07"),
      (14, .data([0x89]), "89"),
    ] as [(UInt32, MetadataBoxChange.Content, String)])
  func types(_ type: UInt32, _ content: MetadataBoxChange.Content, _ bytes: String) throws {
    var key = Self.title
    key.dataType = .wellKnown(type)
    #expect(try MetadataSampleDescription.bytes(of: content, under: key) == hex(bytes))
  }

  @Test(
    arguments: [
      (65, .integer(128)), (75, .integer(-1)), (77, .integer(1 << 32)), (78, .integer(-1)), (1, .integer(1)),
      (23, .text("x")), (70, .reals([1])), (74, .real(1)), (66, .data([0, 1])), (14, .text("x")),
    ] as [(UInt32, MetadataBoxChange.Content)])
  func refusals(_ type: UInt32, _ content: MetadataBoxChange.Content) {
    var key = Self.title
    key.dataType = .wellKnown(type)
    #expect(throws: UnstorableValue.self) { try MetadataSampleDescription.bytes(of: content, under: key) }
  }

  @Test func joining() {
    let one = MetadataSampleDescription(keys: [Self.pulse])
    let other = MetadataSampleDescription(keys: [Self.title])
    #expect(MetadataSampleDescription.joined([one, other])?.keys == [Self.pulse, Self.title])
    #expect(MetadataSampleDescription.joined([one, one]) == one)
    #expect(MetadataSampleDescription.joined([]) == nil)
    var clash = Self.title
    clash.localID = 1
    #expect(MetadataSampleDescription.joined([one, MetadataSampleDescription(keys: [clash])]) == nil)
  }
}
