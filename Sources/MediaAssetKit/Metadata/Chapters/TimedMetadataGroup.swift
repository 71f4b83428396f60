public import FoundationEssentials

/// Items that hold for a range of time: a chapter's title and artwork.
public struct TimedMetadataGroup: Sendable, Hashable {
  /// The items; of a chapter, its title first.
  public var items: [MetadataItem]
  /// When they hold.
  public var timeRange: MediaTimeRange
  /// Chapters within this one (Matroska); empty elsewhere.
  public var children: [TimedMetadataGroup]

  /// A group of given items.
  public init(items: [MetadataItem], timeRange: MediaTimeRange, children: [TimedMetadataGroup] = []) {
    self.items = items
    self.timeRange = timeRange
    self.children = children
  }

  /// The title; nil without one.
  public var title: String? { titleItem?.stringValue }

  /// The language of the title as a BCP 47 tag; nil when undetermined.
  public var extendedLanguageTag: String? { titleItem?.extendedLanguageTag }

  /// The language of the title in ISO 639-2/T (`deu`); nil when undetermined.
  public var languageCode: String? { LanguageName.terminological(extendedLanguageTag) }

  /// The picture's bytes as stored; nil without one.
  public var artwork: Data? { items.first { $0.commonKey == .artwork }?.dataValue }

  private var titleItem: MetadataItem? { items.first { $0.commonKey == .title } }
}

extension TimedMetadataGroup {
  /// A chapter with the title that `choose` takes; nil where it takes none.
  init?(
    _ chapter: StoredChapter, language: String?, includesArtwork: Bool,
    choose: ([StoredChapter.Title]) -> StoredChapter.Title?
  ) {
    guard let title = choose(chapter.titles) else { return nil }
    let range = MediaTimeRange(
      start: MediaTime(chapter.start), end: MediaTime(chapter.end ?? chapter.start))
    var items = [
      MetadataItem(
        keySpace: .common, key: MetadataCommonKey.title.rawValue, value: .string(title.text), dataType: .utf8,
        extendedLanguageTag: title.language ?? language, time: range.start, duration: range.duration)
    ]
    if includesArtwork, let artwork = chapter.artwork {
      items.append(
        MetadataItem(
          keySpace: .common, key: MetadataCommonKey.artwork.rawValue, value: .data(artwork),
          dataType: MetadataDataType(sniffing: artwork), time: range.start, duration: range.duration))
    }
    let children = chapter.children.compactMap {
      TimedMetadataGroup($0, language: language, includesArtwork: includesArtwork, choose: choose)
    }
    self.init(items: items, timeRange: range, children: children)
  }
}
