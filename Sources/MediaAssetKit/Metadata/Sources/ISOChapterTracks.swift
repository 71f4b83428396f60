import FoundationEssentials
import ISOMedia
import LibAV

/// Chapters of the text and picture tracks that others name as their chapters (`chap`).
struct ISOChapterTracks {
  let movie: MovieHeader
  let tracks: [ContainerTrack]

  /// Of all tracks together; headers can claim samples that cost them no bytes.
  private static let maximumSamples = 200_000
  /// Pairs of a picture and a chapter that are looked at.
  private static let maximumPairs = 10_000_000
  /// A title has two bytes for its length, and styles behind it.
  private static let maximumTitleBytes = 1 << 17

  /// One list for each text track; none where the texts are not there to be read.
  func lists(_ source: inout SourceBytes) throws -> [ChapterList] {
    var lists: [ChapterList] = []
    var seen: Set<[StoredChapter]> = []
    var samples = Self.maximumSamples
    for track in tracks where track.iso.map({ $0.handler != "vide" }) == true {
      let chapters = try titles(track, &source, &samples)
      // The same chapters, named once for the sound and once for the picture.
      guard !chapters.isEmpty, seen.insert(chapters).inserted else { continue }
      lists.append(
        ChapterList(language: LanguageTag.canonical(track.extendedLanguage ?? track.language), chapters: chapters))
    }
    guard !lists.isEmpty else { return [] }
    var room = source.maximumBytes
    var pairs = Self.maximumPairs
    for track in tracks where track.iso?.handler == "vide" {
      for (range, bytes) in try pictures(track, &source, &room, &samples) {
        for list in lists.indices {
          for index in lists[list].chapters.indices where pairs > 0 {
            pairs -= 1
            let chapter = lists[list].chapters[index]
            guard chapter.artwork == nil, chapter.start < range.end, chapter.end.map({ $0 > range.start }) ?? true
            else { continue }
            lists[list].chapters[index].artwork = bytes
          }
        }
      }
    }
    return lists
  }

  private func titles(
    _ track: ContainerTrack, _ source: inout SourceBytes, _ samples: inout Int
  ) throws -> [StoredChapter] {
    guard let table = table(track, &samples) else { return [] }
    var chapters: [StoredChapter] = []
    for sample in table {
      guard sample.size >= 2, let range = range(of: sample, track) else { continue }
      let bytes = try source.bytes(at: sample.offset, count: min(Int(sample.size), Self.maximumTitleBytes))
      // The samples lie behind the end of a file that was cut off: its header may know the titles.
      guard bytes.count == min(Int(sample.size), Self.maximumTitleBytes) else { return [] }
      let length = min(Int(bytes[0]) << 8 | Int(bytes[1]), bytes.count - 2)
      // A gap between chapters; a chapter without a title says at least how its text is encoded.
      if length == 0, sample.size == 2 { continue }
      let text = StoredText.string(bytes[2..<2 + length], macintosh: true)
      chapters.append(
        StoredChapter(start: range.start, end: range.end, titles: [.init(text: text, language: nil)]))
    }
    return chapters
  }

  private func pictures(
    _ track: ContainerTrack, _ source: inout SourceBytes, _ room: inout Int, _ samples: inout Int
  ) throws -> [(range: (start: Rational, end: Rational), bytes: Data)] {
    guard let table = table(track, &samples) else { return [] }
    var found: [(range: (start: Rational, end: Rational), bytes: Data)] = []
    for sample in table where found.count < 10_000 {
      guard sample.size > 0, Int(sample.size) <= room, let range = range(of: sample, track) else { continue }
      let bytes = try source.bytes(at: sample.offset, count: Int(sample.size))
      guard bytes.count == Int(sample.size), MetadataDataType(sniffing: bytes) != .rawData else { continue }
      room -= bytes.count
      found.append((range, Data(bytes)))
    }
    return found
  }

  private func table(_ track: ContainerTrack, _ samples: inout Int) -> SampleTable? {
    guard let iso = track.iso, let table = try? movie.sampleTable(of: iso, maximumSamples: samples) else { return nil }
    samples -= table.count
    return table
  }

  /// When a sample is presented; nil for one that the edits hide.
  private func range(of sample: Sample, _ track: ContainerTrack) -> (start: Rational, end: Rational)? {
    let tick = Rational(1, Int64(max(1, track.iso?.mediaTimescale ?? 1))) ?? .one
    let start = tick * Rational(sample.presentationTime)
    let end = tick * Rational(sample.presentationTime &+ Int64(sample.duration))
    for segment in track.timeline.segments {
      guard let source = segment.source, end > source || start == source && end == source else { continue }
      let first = track.timeline.time(ofStored: start < source ? source : start, in: segment)
      var last = track.timeline.time(ofStored: end, in: segment)
      if let limit = segment.end {
        guard first < limit else { continue }
        last = min(last, limit)
      }
      return (max(.zero, first), max(.zero, last))
    }
    return nil
  }
}
