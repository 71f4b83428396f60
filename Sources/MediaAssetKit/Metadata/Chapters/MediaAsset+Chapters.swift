public import FoundationEssentials

extension AsyncProperty where Root == MediaAsset, Value == [Locale] {
  /// The languages of the chapters' titles, each once; `und` stands for titles of no stated language.
  public static var availableChapterLocales: Self {
    Self("availableChapterLocales") { asset in
      var tags: [String] = []
      var seen: Set<String> = []
      for tag in try await asset.chapterLists().flatMap(\.languages) where seen.insert(tag ?? "und").inserted {
        tags.append(tag ?? "und")
      }
      return tags.map { Locale(identifier: $0) }
    }
  }
}

extension MediaAsset {
  /// The chapters in the best of the preferred languages, with titles and artwork, in the order of the container.
  ///
  /// Where none of the languages is there, and where none is given, the container's own first choice counts. A chapter
  /// that has no title in the language has the one that it has. Costs reading the titles and pictures of the chapters.
  public func loadChapterMetadataGroups(
    bestMatchingPreferredLanguages languages: [String]
  ) async throws -> [TimedMetadataGroup] {
    guard let list = Self.best(of: try await chapterLists(), for: languages) else { return [] }
    let duration = try await chapterEnd(list)
    return list.closed(at: duration).compactMap { chapter in
      TimedMetadataGroup(chapter, language: list.language, includesArtwork: true) { titles in
        let best = LanguageTag.best(titles.map { $0.language ?? list.language }, for: languages)
        return best.map { titles[$0] } ?? titles.first ?? .init(text: "", language: nil)
      }
    }
  }

  /// The list with titles in the first of the languages that there is; the container's first where there is none.
  static func best(of lists: [ChapterList], for languages: [String]) -> ChapterList? {
    let ranked = lists.compactMap { list in
      list.languages.compactMap { LanguageTag.rank(of: $0, in: languages) }.min().map { (rank: $0, list: list) }
    }
    return ranked.min { $0.rank < $1.rank }?.list ?? lists.first
  }

  /// The chapters that have a title in a language, which is one of ``AsyncProperty/availableChapterLocales``.
  ///
  /// - Parameters:
  ///   - locale: The titles' language.
  ///   - keys: Of what else items are wanted; `artwork` is all that there is.
  public func loadChapterMetadataGroups(
    withTitleLocale locale: Locale, containingItemsWithCommonKeys keys: [MetadataCommonKey] = []
  ) async throws -> [TimedMetadataGroup] {
    let wanted = LanguageTag.canonical(locale.identifier)
    for list in try await chapterLists() where list.languages.contains(wanted) {
      let duration = try await chapterEnd(list)
      return list.closed(at: duration).compactMap { chapter in
        TimedMetadataGroup(chapter, language: list.language, includesArtwork: keys.contains(.artwork)) { titles in
          titles.first { ($0.language ?? list.language) == wanted }
        }
      }
    }
    return []
  }

  fileprivate func chapterLists() async throws -> [ChapterList] {
    try await fileMetadata().chapters
  }

  /// Where the last chapter ends: the asset's end, asked for only where a chapter leaves its end open.
  private func chapterEnd(_ list: ChapterList) async throws -> Rational? {
    guard list.isOpen else { return nil }
    return try await load(.duration).rational
  }
}
