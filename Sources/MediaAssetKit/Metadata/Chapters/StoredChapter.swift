import FoundationEssentials

/// A chapter as a container stores it.
struct StoredChapter: Sendable, Hashable {
  struct Title: Sendable, Hashable {
    var text: String
    /// BCP 47; nil when undetermined.
    var language: String?
  }

  /// Seconds on the asset's timeline.
  var start: Rational
  /// nil: until the next one.
  var end: Rational?
  var titles: [Title] = []
  var artwork: Data?
  /// Chapters within this one.
  var children: [StoredChapter] = []

  /// All titles, those of the chapters within included.
  fileprivate var allTitles: [Title] { titles + children.flatMap(\.allTitles) }
}

/// Chapters that belong together: a chapter track, an edition.
struct ChapterList: Sendable {
  /// The language of titles that state none.
  var language: String?
  var chapters: [StoredChapter]

  /// The languages of the titles in the order in which they appear.
  var languages: [String?] {
    var found: [String?] = []
    var seen: Set<String?> = []
    for title in chapters.flatMap(\.allTitles) where seen.insert(title.language ?? language).inserted {
      found.append(title.language ?? language)
    }
    return found.isEmpty ? [language] : found
  }

  /// Whether some chapter's end is that of the asset.
  var isOpen: Bool {
    guard let last = chapters.last else { return false }
    return last.end == nil
  }

  /// The chapters, each with an end: the next one's start, the end of the chapter around it, or the asset's.
  func closed(at duration: Rational?) -> [StoredChapter] { Self.closed(chapters, at: duration) }

  private static func closed(_ chapters: [StoredChapter], at last: Rational?) -> [StoredChapter] {
    var chapters = chapters
    for index in chapters.indices {
      let start = chapters[index].start
      let next = index + 1 < chapters.count ? chapters[index + 1].start : last
      let end = max(start, chapters[index].end ?? next ?? start)
      chapters[index].end = end
      chapters[index].children = closed(chapters[index].children, at: end)
    }
    return chapters
  }
}
