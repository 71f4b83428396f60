import FoundationEssentials
import Testing

@testable import MediaAssetKit

@Suite("Metadata items") struct MetadataItemTests {
  /// Raw values are AVFoundation's.
  @Test(arguments: [
    (MetadataIdentifier.iTunesMetadataSongName, MetadataKeySpace.iTunes, "©nam", "itsk/%A9nam"),
    (.id3MetadataTitleDescription, .id3, "TIT2", "id3/TIT2"),
    (.commonIdentifierTitle, .common, "title", "common/title"),
    (.quickTimeMetadataTitle, .quickTimeMetadata, "com.apple.quicktime.title", "mdta/com.apple.quicktime.title"),
    (.isoUserDataTaggedCharacteristic, .isoUserData, "tagc", "uiso/tagc"),
    (
      MetadataIdentifier(key: "com.apple.iTunes.ärger x", keySpace: .iTunesFreeform), .iTunesFreeform,
      "com.apple.iTunes.ärger x", "itlk/com.apple.iTunes.%C3%A4rger%20x"
    ),
    (MetadataIdentifier(key: "50%", keySpace: .vorbisComment), .vorbisComment, "50%", "vorb/50%25"),
  ])
  func identifiers(identifier: MetadataIdentifier, space: MetadataKeySpace, key: String, raw: String) {
    #expect(identifier.rawValue == raw)
    #expect(identifier.keySpace == space)
    #expect(identifier.key == key)
    #expect(MetadataIdentifier(key: key, keySpace: space) == identifier)
  }

  @Test(
    arguments: [
      ("2022-11-09T20:36:38+0300", "2022-11-09T20:36:38+03:00", 1_668_015_398.0),
      ("2022-11-09T17:36:38Z", "2022-11-09T17:36:38Z", 1_668_015_398),
      ("2022-11-09 17:36:38", "2022-11-09T17:36:38", 1_668_015_398),
      ("2005:08:11 14:03:54", "2005-08-11T14:03:54", 1_123_769_034),
      ("1969-12-31T23:59:59.500-00:30", "1969-12-31T23:59:59.500-00:30", 1799.5),
      ("2024", "2024", 1_704_067_200), ("2024-02", "2024-02", 1_706_745_600),
      ("2024-02-29", "2024-02-29", 1_709_164_800),
    ] as [(String, String, Double)])
  func dates(text: String, shown: String, seconds: Double) throws {
    let date = try #require(MetadataDate(text))
    #expect(date.description == shown)
    #expect(date.date.timeIntervalSince1970 == seconds)
    #expect(date.hasTime == text.contains(":"))
  }

  @Test(arguments: ["", "20", "2024-13", "2024-01-32", "2024-01-01T25:00", "yesterday", "2024-01-01T10:00:00 MEZ"])
  func noDates(text: String) { #expect(MetadataDate(text) == nil) }

  @Test(
    arguments: [
      ("+48.8577+002.2950+035.000/", 48.8577, 2.295, 35.0), ("+40.6800-074.5000/", 40.68, -74.5, nil),
      ("-3330.5+15112/", -33.508_333, 151.2, nil), ("+483012.6+0021742-12.5CRSWGS_84/", 48.503_5, 2.295, -12.5),
    ] as [(String, Double, Double, Double?)])
  func locations(text: String, latitude: Double, longitude: Double, altitude: Double?) throws {
    let place = try #require(GeographicLocation(iso6709: text))
    #expect(abs(place.latitude - latitude) < 1e-6)
    #expect(abs(place.longitude - longitude) < 1e-6)
    #expect(place.altitude == altitude)
  }

  @Test func writtenLocation() {
    #expect(GeographicLocation(latitude: 40.68, longitude: -74.5).description == "+40.6800-074.5000/")
    #expect(GeographicLocation(latitude: -0.5, longitude: 2, altitude: 35).description == "-00.5000+002.0000+035.000/")
    for text in ["", "nowhere", "+48.8", "+91+000/", "48+2", "+1+2+3+4/"] {
      #expect(GeographicLocation(iso6709: text) == nil)
    }
  }

  @Test(
    arguments: [
      ("fre", "fr"), ("fra", "fr"), ("fr", "fr"), ("fr-CA", "fr-CA"), ("pt_BR", "pt-BR"), ("und", nil), ("fil", "fil"),
      ("ger", "de"), ("nor", "no"), (nil, nil),
    ] as [(String?, String?)])
  func languages(stored: String?, tag: String?) { #expect(LanguageTag.canonical(stored) == tag) }

  private static let titles = [("eng", "a"), ("deu", "b"), (nil, "c"), ("en-GB", "d")].map { tag, text in
    MetadataItem(
      keySpace: .iTunes, key: "©nam", value: .string(text), extendedLanguageTag: LanguageTag.canonical(tag))
  }

  @Test(
    arguments: [
      (["de", "en"], ["b", "a", "d"]), (["en-GB", "de"], ["d", "a", "b"]), (["fr"], []), ([], []), (["ger"], ["b"]),
    ] as [([String], [String])])
  func preferredLanguages(languages: [String], expected: [String]) {
    let found = Self.titles.filteredAndSorted(accordingToPreferredLanguages: languages)
    #expect(found.map(\.stringValue) == expected)
  }

  @Test func filters() {
    let items =
      Self.titles + [
        MetadataItem(keySpace: .id3, key: "TIT2", value: .string("e")),
        MetadataItem(keySpace: .iTunes, key: "©ART", value: .string("f")),
        MetadataItem(
          keySpace: .quickTimeMetadata, key: "com.apple.quicktime.location.ISO6709", value: .string("+1.0+002.0/")),
      ]
    #expect(items.filtered(by: .commonIdentifierTitle).count == 5)
    #expect(items.filtered(by: .iTunesMetadataSongName).count == 4)
    #expect(items.filtered(byKey: "©nam").count == 4)
    #expect(items.filtered(byKey: nil, keySpace: .id3).map(\.stringValue) == ["e"])
    #expect(items.filteredForSharing().count == 6)
    #expect(items.last?.locationValue == GeographicLocation(latitude: 1, longitude: 2))
    #expect(items.filtered(by: Locale(identifier: "de_DE")).map(\.stringValue) == ["b"])
  }

  @Test func values() {
    func item(_ value: MetadataValue) -> MetadataItem { MetadataItem(keySpace: .iTunes, key: "test", value: value) }
    #expect(item(.position(3, of: 6)).stringValue == "3/6")
    #expect(item(.position(3, of: 0)).stringValue == "3")
    #expect(item(.integer(-5)).numberValue == -5)
    #expect(item(.number(1.5)).stringValue == "1.5")
    #expect(item(.string("120")).numberValue == 120)
    #expect(item(.data(Data([0x47, 0x49, 0x46, 0x38]))).mimeType == "image/gif")
    #expect(item(.data(Data([1]))).stringValue == nil)
  }
}
