/// Chapters to write, sorted into lists by language and checked.
enum ChapterSorting {
  /// More chapters than anybody made.
  private static let maximumChapters = 100_000

  /// One list for each language of titles, in the order in which they appear.
  static func lists(_ groups: [TimedMetadataGroup]) throws -> [ChapterList] {
    guard groups.count <= maximumChapters else { throw fault("there are more than \(maximumChapters) chapters") }
    var lists: [ChapterList] = []
    for group in groups {
      let language = LanguageTag.canonical(group.extendedLanguageTag)
      let chapter = try chapter(group)
      if let index = lists.firstIndex(where: { $0.language == language }) {
        lists[index].chapters.append(chapter)
      } else {
        lists.append(ChapterList(language: language, chapters: [chapter]))
      }
    }
    for index in lists.indices {
      lists[index].chapters.sort { $0.start < $1.start }
      try check(lists[index].chapters)
    }
    return lists
  }

  private static func chapter(_ group: TimedMetadataGroup) throws -> StoredChapter {
    guard let start = group.timeRange.start.rational, let duration = group.timeRange.duration.rational else {
      throw fault("a chapter has no time")
    }
    guard start >= .zero else { throw fault("the chapter at \(start) begins before zero") }
    guard duration >= .zero else { throw fault("the chapter at \(start) has a negative duration") }
    let title = group.title ?? ""
    guard !title.utf8.contains(0) else {
      throw fault("the title of the chapter at \(start) contains a zero character")
    }
    return StoredChapter(
      start: start, end: start + duration,
      titles: [.init(text: title, language: LanguageTag.canonical(group.extendedLanguageTag))], artwork: group.artwork,
      children: try group.children.map(chapter))
  }

  private static func check(_ chapters: [StoredChapter]) throws {
    for (first, second) in zip(chapters, chapters.dropFirst()) {
      guard first.start < second.start, first.end.map({ $0 <= second.start }) ?? true else {
        throw fault("the chapters at \(first.start) and \(second.start) overlap")
      }
    }
  }

  private static func fault(_ reason: String) -> MediaError {
    MediaError(
      .invalidArgument, operation: "edit", subject: "chapters", reason: reason,
      remedy: "Chapters of one language follow each other")
  }
}

extension [StoredChapter] {
  /// The chapters and those within them in one list: those within replace their parent's time where they begin.
  var flattened: [StoredChapter] {
    var result: [StoredChapter] = []
    for chapter in self {
      guard !chapter.children.isEmpty else {
        result.append(chapter)
        continue
      }
      let children = chapter.children.flattened
      var head = chapter
      head.children = []
      if let first = children.first?.start, first > chapter.start {
        head.end = first
        result.append(head)
      }
      result += children
    }
    return result
  }
}
