import Testing

@testable import MediaAssetKit

/// EBML headers made by hand from RFC 8794 and RFC 9559.
@Suite("Matroska tracks") struct MatroskaTracksTests {
  private static func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] {
    // Sizes of two bytes: the marker is 0x40.
    id + [0x40 | UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
  }

  private static func float(_ value: Float) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (24 - 8 * $0)) }
  }

  private static func projection(type: UInt8, roll: Float) -> [UInt8] {
    element(
      [0xE0],
      element(
        [0x76, 0x70], element([0x76, 0x71], [type]) + element([0x76, 0x75], float(roll))))
  }

  private static let tracks =
    element([0xAE], element([0xD7], [1]) + projection(type: 0, roll: -90))
    + element(
      [0xAE], element([0xB9], [0]) + element([0x22, 0xB5, 0x9D], Array("pt-BR".utf8)))
    + element([0xAE], projection(type: 1, roll: 90))

  private static let file: [UInt8] =
    element([0x1A, 0x45, 0xDF, 0xA3], [0x42, 0x86, 0x81, 1])
    // A segment of unknown size, as live streams have.
    + [0x18, 0x53, 0x80, 0x67, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    + element([0xEC], [UInt8](repeating: 0, count: 300))
    + element([0x16, 0x54, 0xAE, 0x6B], tracks)
    + element([0x1F, 0x43, 0xB6, 0x75], [0])

  private func parse(_ bytes: [UInt8]) -> MatroskaTracks? {
    MatroskaTracks { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(count)) }
  }

  @Test func entries() throws {
    let entries = try #require(parse(Self.file)).entries
    #expect(entries.count == 3)
    #expect(entries[0] == .init(isEnabled: true, language: nil, roll: -90))
    #expect(entries[1] == .init(isEnabled: false, language: "pt-BR", roll: nil))
    // A sphere has no upright picture.
    #expect(entries[2].roll == nil && entries[2].projection == 1)
  }

  @Test func mediaBeforeTheTracks() {
    let cluster = Self.element([0x1F, 0x43, 0xB6, 0x75], [0])
    #expect(parse(Array(Self.file.prefix(19)) + cluster + Self.file.dropFirst(19)) == nil)
  }

  /// Cut off anywhere, with any byte changed: an answer or none, never a trap.
  @Test func damage() {
    for count in 0..<Self.file.count { _ = parse(Array(Self.file.prefix(count))) }
    for index in Self.file.indices {
      for value: UInt8 in [0, 1, 0x7F, 0xFF] {
        var bytes = Self.file
        bytes[index] = value
        _ = parse(bytes)
      }
    }
  }

  @Test func sizes() throws {
    let small = try #require(EBMLElement([0x42, 0x86, 0x81, 1], at: 0, end: 4))
    #expect(small.id == 0x4286 && small.size == 1 && small.header == 3)
    let unknown = try #require(EBMLElement([0xA3, 0xFF], at: 0, end: 2))
    #expect(unknown.size == nil)
    #expect(EBMLElement([0x00, 0x81], at: 0, end: 2) == nil)
    #expect(EBMLElement([0xA3], at: 0, end: 1) == nil)
  }
}
