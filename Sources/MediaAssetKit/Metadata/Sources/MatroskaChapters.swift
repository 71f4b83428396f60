/// Editions of a Matroska file (RFC 9559, 5.1.7): the default one first, hidden ones left out.
enum MatroskaChapters {
  private static let maximumDepth = 8
  private static let maximumChapters = 100_000

  static func lists(_ bytes: [UInt8]) -> [ChapterList] {
    var editions: [(isDefault: Bool, isHidden: Bool, chapters: [StoredChapter])] = []
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      guard id == 0x45B9 else { return }
      var (isDefault, isHidden) = (false, false)
      var chapters: [StoredChapter] = []
      var count = 0
      EBMLElement.forEach(in: bytes, range) { id, range in
        switch id {
        case 0x45DB: isDefault = EBMLValue.unsigned(bytes[range]) != 0
        case 0x45BD: isHidden = EBMLValue.unsigned(bytes[range]) != 0
        case 0xB6: readAtom(bytes, range, depth: 0, &count, into: &chapters)
        default: break
        }
      }
      if !chapters.isEmpty { editions.append((isDefault, isHidden, chapters)) }
    }
    let visible = editions.filter { !$0.isHidden }
    return (visible.filter(\.isDefault) + visible.filter { !$0.isDefault })
      .map { ChapterList(language: nil, chapters: $0.chapters) }
  }

  /// Reads a chapter and those within; hidden ones are left out, what is within them stays.
  private static func readAtom(
    _ bytes: [UInt8], _ range: Range<Int>, depth: Int, _ count: inout Int, into chapters: inout [StoredChapter]
  ) {
    guard depth < maximumDepth, count < maximumChapters else { return }
    count += 1
    var (start, end): (UInt64?, UInt64?) = (nil, nil)
    var isShown = true
    var titles: [StoredChapter.Title] = []
    var nested: [Range<Int>] = []
    EBMLElement.forEach(in: bytes, range) { id, range in
      switch id {
      case 0x91: start = EBMLValue.unsigned(bytes[range])
      case 0x92: end = EBMLValue.unsigned(bytes[range])
      case 0x98: if EBMLValue.unsigned(bytes[range]) != 0 { isShown = false }
      case 0x4598: if EBMLValue.unsigned(bytes[range]) == 0 { isShown = false }
      case 0x80: titles += readDisplay(bytes, range)
      case 0xB6: nested.append(range)
      default: break
      }
    }
    guard let start, let place = seconds(start) else { return }
    var children: [StoredChapter] = []
    for range in nested { readAtom(bytes, range, depth: depth + 1, &count, into: &children) }
    guard isShown else {
      chapters += children
      return
    }
    let stop = end.flatMap { $0 > start ? seconds($0) : nil }
    chapters.append(StoredChapter(start: place, end: stop, titles: titles, children: children))
  }

  /// One title in one or more languages.
  private static func readDisplay(_ bytes: [UInt8], _ range: Range<Int>) -> [StoredChapter.Title] {
    var text = ""
    var (old, new): ([String], [String]) = ([], [])
    EBMLElement.forEach(in: bytes, range) { id, range in
      switch id {
      case 0x85: text = EBMLValue.text(bytes[range])
      case 0x437C: old.append(EBMLValue.text(bytes[range]))
      case 0x437D: new.append(EBMLValue.text(bytes[range]))
      default: break
      }
    }
    // English where nothing is said, as the specification has it.
    let languages = new.isEmpty ? (old.isEmpty ? ["eng"] : old) : new
    return languages.prefix(64).map { .init(text: text, language: LanguageTag.canonical($0)) }
  }

  private static func seconds(_ nanoseconds: UInt64) -> Rational? {
    Int64(exactly: nanoseconds).flatMap { Rational($0, 1_000_000_000) }
  }
}
