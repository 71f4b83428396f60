import FoundationEssentials

extension ID3Tag {
  /// The chapters of `CHAP` frames in the order of their times; times are milliseconds of the sound.
  func chapters() -> [StoredChapter] {
    let found = frames.compactMap { frame in frame.id == "CHAP" && !frame.isOpaque ? chapter(frame) : nil }
    return found.enumerated()
      .sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }
      .map(\.element)
  }

  private func chapter(_ frame: Frame) -> StoredChapter? {
    var text = ID3Text(frame.payload, encoding: 0)
    _ = text.latin()
    let numbers = text.remaining
    guard numbers.count >= 16 else { return nil }
    func milliseconds(_ index: Int) -> UInt32 {
      numbers.dropFirst(index * 4).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
    let (start, end) = (milliseconds(0), milliseconds(1))
    guard start != .max else { return nil }
    var chapter = StoredChapter(start: Rational(Int64(start), 1000) ?? .zero)
    if end != .max, end > start { chapter.end = Rational(Int64(end), 1000) }
    var language: String?
    var titles: [String] = []
    for inner in Self.frames(in: numbers.dropFirst(16), majorVersion) {
      switch inner.id {
      case "TIT2":
        var text = ID3Text(inner.payload)
        titles.append(text.next())
      case "TLAN":
        var text = ID3Text(inner.payload)
        language = text.next()
      case "APIC" where chapter.artwork == nil:
        chapter.artwork = ID3Picture(inner.payload).map { Data($0.bytes) }
      default: break
      }
    }
    chapter.titles = titles.prefix(1).map { .init(text: $0, language: LanguageTag.canonical(language)) }
    return chapter
  }
}
