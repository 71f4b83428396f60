extension Composition {
  /// A chapter of a composition.
  public struct Chapter: Sendable, Hashable, Codable {
    /// What it is called.
    public var title: String
    /// When it begins and ends, in the composition's time.
    public var timeRange: MediaTimeRange

    /// A chapter.
    public init(title: String, timeRange: MediaTimeRange) {
      self.title = title
      self.timeRange = timeRange
    }
  }

  /// The composition's own chapters and those of its sources, as far as they are seen or heard in its first track of
  /// pictures, or of sound where there are none: moved as their media is. Where a source's chapter and an own one meet,
  /// the own one holds.
  func chapterList(_ assets: CompositionAssets, keepsSources: Bool) async throws -> ChapterList {
    var found: [StoredChapter] = []
    if keepsSources, let track = shownTracks(.video).first ?? shownTracks(.audio).first {
      for segment in track.segments {
        try Task.checkCancellation()
        guard let source = segment.source else { continue }
        for chapter in try await chapters(of: assets.asset(source.url), in: segment) {
          // Of what was cut apart and joined again, one chapter.
          if let last = found.last, last.end == chapter.start, last.titles == chapter.titles,
            chapter.artwork == last.artwork
          {
            found[found.count - 1].end = chapter.end
          } else {
            found.append(chapter)
          }
        }
      }
    }
    let own = chapters.compactMap { chapter -> StoredChapter? in
      guard let start = chapter.timeRange.start.rational, let end = chapter.timeRange.end.rational, end > start,
        start >= .zero
      else { return nil }
      return StoredChapter(start: start, end: end, titles: [.init(text: chapter.title, language: nil)])
    }
    .sorted { $0.start < $1.start }
    return ChapterList(language: nil, chapters: Self.merged(found, own))
  }

  private func chapters(of asset: MediaAsset, in segment: Segment) async throws -> [StoredChapter] {
    guard let list = try await asset.fileMetadata().chapters.first, !list.chapters.isEmpty else { return [] }
    let end = try await asset.load(.duration).rational
    let mapping = segment.timeMapping
    let moved: [StoredChapter] = list.closed(at: end).flattened.compactMap { chapter in
      var range = MediaTimeRange(start: MediaTime(chapter.start), end: MediaTime(chapter.end ?? chapter.start))
        .intersection(mapping.source)
      if segment.isReversed, range.duration > .zero { range = mapping.source.mirrored(range) }
      guard range.duration > .zero, let start = mapping.targetTime(ofSource: range.start).rational,
        let end = mapping.targetTime(ofSource: range.end).rational
      else { return nil }
      var moved = chapter
      (moved.start, moved.end, moved.children) = (start, end, [])
      return moved
    }
    return segment.isReversed ? moved.reversed() : moved
  }

  /// The others where no own one is.
  private static func merged(_ others: [StoredChapter], _ own: [StoredChapter]) -> [StoredChapter] {
    var merged = own
    for chapter in others {
      var start = chapter.start
      let end = chapter.end ?? start
      for other in own + [StoredChapter(start: end, end: end)] where start < end {
        let (from, to) = (min(other.start, end), other.end ?? other.start)
        if from > start {
          var part = chapter
          (part.start, part.end) = (start, from)
          merged.append(part)
        }
        start = max(start, to)
      }
    }
    return merged.sorted { $0.start < $1.start }
  }
}
