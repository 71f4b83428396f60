import FoundationEssentials
import ISOMedia
import LibAV

/// Items and chapters of an MP4 or QuickTime file.
struct ISOMetadata {
  let movie: MovieHeader
  let header: ContainerHeader

  private var isQuickTime: Bool { header.container == "mov" }

  func read(_ source: inout SourceBytes) throws -> FileMetadata {
    var found = FileMetadata()
    append(movie.metadataEntries(isQuickTime: isQuickTime), to: &found.items)
    for track in header.tracks {
      guard let iso = track.iso else { continue }
      var items: [MetadataItem] = []
      append(movie.metadataEntries(of: iso, isQuickTime: isQuickTime), to: &items)
      if !items.isEmpty { found.trackItems[track.id] = items }
    }
    if movie.creationTime > 0 { found.creationDate = Self.date(movie.creationTime) }
    let tracks = try ISOChapterTracks(movie: movie, tracks: header.chapterTracks).lists(&source)
    // Nero's list holds 255 at most, and players that write both keep the tracks right.
    found.chapters += tracks.isEmpty ? neroChapters() : tracks
    return found
  }

  /// Seconds since 1904; smaller numbers than 1970 has there are taken for seconds since 1970, as some writers count.
  private static func date(_ seconds: UInt64) -> MetadataDate? {
    let difference: UInt64 = 2_082_844_800
    let unix = seconds >= difference ? seconds - difference : seconds
    // Beyond the year 9999 it is no date.
    guard unix < 253_402_300_800 else { return nil }
    return MetadataDate(Date(timeIntervalSince1970: Double(unix)))
  }

  private func neroChapters() -> [ChapterList] {
    let chapters = movie.neroChapters().compactMap { chapter -> StoredChapter? in
      guard let ticks = Int64(exactly: chapter.start), let start = Rational(ticks, 10_000_000) else { return nil }
      return StoredChapter(start: start, titles: [.init(text: chapter.title, language: nil)])
    }
    return chapters.isEmpty ? [] : [ChapterList(language: nil, chapters: chapters)]
  }

  private func append(_ entries: [MetadataEntry], to items: inout [MetadataItem]) {
    for entry in entries {
      guard entry.store != .id3 else {
        guard case .data(let range) = entry.value, let tag = ID3Tag(Array(movie.bytes[range])) else { continue }
        items += ID3Items(tag).items
        continue
      }
      items.append(item(entry))
    }
  }

  private func item(_ entry: MetadataEntry) -> MetadataItem {
    let space: MetadataKeySpace =
      switch entry.store {
      case .quickTimeUserData: .quickTimeUserData
      case .isoUserData: .isoUserData
      case .quickTimeMetadata: .quickTimeMetadata
      default: entry.isFreeform ? .iTunesFreeform : .iTunes
      }
    var item = MetadataItem(
      keySpace: space, key: entry.key, value: .integer(0), extendedLanguageTag: LanguageTag.canonical(entry.language),
      extraAttributes: entry.attributes.reduce(into: [:]) { $0[.init(rawValue: $1.key)] = $1.value })
    switch entry.value {
    case .text(let text): (item.value, item.dataType) = (.string(text), .utf8)
    case .integer(let number): item.value = .integer(number)
    case .unsigned(let number):
      item.value = Int64(exactly: number).map { .integer($0) } ?? .number(Double(number))
    case .real(let number): item.value = .number(number)
    case .reals(let numbers): item.value = .numbers(numbers)
    case .fraction(let number, let count): item.value = .position(number, of: count)
    case .location(let place):
      (item.value, item.dataType) = (.string(Self.location(place).description), .utf8)
      item.extraAttributes[.init(rawValue: "role")] = String(place.role)
      for (name, text) in [("name", place.name), ("body", place.body), ("notes", place.notes)] where !text.isEmpty {
        item.extraAttributes[.init(rawValue: name)] = text
      }
    case .data(let range):
      let bytes = movie.bytes[range]
      (item.value, item.dataType) = (.data(Data(bytes)), MetadataDataType(sniffing: bytes))
    }
    if let type = entry.type, let dataType = Self.dataTypes[type] { item.dataType = dataType }
    return item
  }

  private static func location(_ place: StoredLocation) -> GeographicLocation {
    GeographicLocation(
      latitude: Double(place.latitude) / 65_536, longitude: Double(place.longitude) / 65_536,
      altitude: Double(place.altitude) / 65_536)
  }

  /// Well-known types of `data`.
  static let dataTypes: [UInt32: MetadataDataType] = [
    1: .utf8, 2: .utf16, 4: .utf8, 5: .utf16, 12: .gif, 13: .jpeg, 14: .png, 21: .int64, 22: .uint64, 23: .float32,
    24: .float64, 27: .bmp, 65: .int8, 66: .int16, 67: .int32, 70: .pointF32, 71: .dimensionsF32, 72: .rectF32,
    74: .int64, 75: .uint8, 76: .uint16, 77: .uint32, 78: .uint64, 79: .affineTransformF64,
  ]
}
