import FoundationEssentials

/// The content of the elements that say what a Matroska file is about, changed as a plan says.
struct MatroskaContent {
  /// By element, all elements of a kind in one.
  let old: [UInt32: [UInt8]]
  let isWebM: Bool

  private static let checksum: UInt32 = 0xBF

  /// The elements that change; those that are empty go.
  func changed(_ plan: inout MetadataPlan) throws -> [UInt32: [UInt8]] {
    var result: [UInt32: [UInt8]] = [:]
    var tagChanges: [MetadataPlan.Change] = []
    for change in plan.changes(in: .matroska) {
      switch change.key {
      case "ATTACHMENT": result[MatroskaEditor.attachments] = try attachments(change, &plan)
      case "WritingApp", "MuxingApp":
        plan.lose(change.identifier.rawValue, "the file has to say what wrote it")
      case "DateUTC":
        guard change.items.isEmpty else {
          plan.lose(change.identifier.rawValue, "only mkvt/DATE can be set")
          continue
        }
        result[MatroskaEditor.info] = without(0x4461, in: result[MatroskaEditor.info] ?? old[MatroskaEditor.info] ?? [])
      default:
        guard !change.key.contains("/") else {
          plan.lose(change.identifier.rawValue, "tags within tags can't be changed")
          continue
        }
        var change = change
        if change.key.uppercased() == "TITLE" {
          var info = without(0x7BA9, in: result[MatroskaEditor.info] ?? old[MatroskaEditor.info] ?? [])
          // The title of the file itself; more of them are tags.
          if let title = change.items.first?.value.string { info += EBMLWriter.element(0x7BA9, text: title) }
          result[MatroskaEditor.info] = info
          change.items = Array(change.items.dropFirst())
        }
        tagChanges.append(change)
      }
    }
    if !tagChanges.isEmpty { result[MatroskaEditor.tags] = try tags(tagChanges) }
    if let lists = plan.chapters { result[MatroskaEditor.chapters] = Self.chapters(lists, &plan) }
    return result
  }

  /// Elements as they are, without those of a kind and the checksum that no longer holds.
  private func without(_ unwanted: UInt32, in bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      if id != unwanted, id != Self.checksum { kept += EBMLWriter.element(id, Array(bytes[range])) }
    }
    return kept
  }

  // MARK: - Tags

  private func tags(_ changes: [MetadataPlan.Change]) throws -> [UInt8] {
    let bytes = old[MatroskaEditor.tags] ?? []
    var result: [UInt8] = []
    var new: [UInt8] = []
    for item in changes.flatMap(\.items) { new += try simpleTag(item) }
    var isWritten = new.isEmpty
    let keys = Set(changes.map { $0.key.uppercased() })
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      guard id != Self.checksum else { return }
      guard id == 0x7373, Self.isGlobal(bytes, range) else {
        result += EBMLWriter.element(id, Array(bytes[range]))
        return
      }
      var targets: [UInt8] = []
      var tags: [UInt8] = []
      EBMLElement.forEach(in: bytes, range) { id, range in
        if id == 0x63C0 { targets = Array(bytes[range]) }
        guard id == 0x67C8, !keys.contains(Self.name(bytes, range).uppercased()) else { return }
        tags += EBMLWriter.element(id, Array(bytes[range]))
      }
      if !isWritten, Self.level(targets) == 50 {
        tags += new
        isWritten = true
      }
      if !tags.isEmpty { result += EBMLWriter.element(0x7373, EBMLWriter.element(0x63C0, targets) + tags) }
    }
    if !isWritten { result += EBMLWriter.element(0x7373, EBMLWriter.element(0x63C0, []) + new) }
    return result
  }

  /// Whether a tag is about the file, not about a track, an edition, a chapter or an attachment.
  private static func isGlobal(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
    var isGlobal = true
    EBMLElement.forEach(in: bytes, range) { id, range in
      guard id == 0x63C0 else { return }
      EBMLElement.forEach(in: bytes, range) { id, range in
        if [0x63C5, 0x63C9, 0x63C4, 0x63C6].contains(id), EBMLValue.unsigned(bytes[range]) != 0 { isGlobal = false }
      }
    }
    return isGlobal
  }

  /// 50, an album or a film, where nothing is said.
  private static func level(_ targets: [UInt8]) -> UInt64 {
    var level: UInt64 = 50
    EBMLElement.forEach(in: targets, 0..<targets.count) { id, range in
      if id == 0x68CA { level = EBMLValue.unsigned(targets[range]) }
    }
    return level
  }

  private static func name(_ bytes: [UInt8], _ range: Range<Int>) -> String {
    var name = ""
    EBMLElement.forEach(in: bytes, range) { id, range in if id == 0x45A3 { name = EBMLValue.text(bytes[range]) } }
    return name
  }

  private func simpleTag(_ item: MetadataItem) throws -> [UInt8] {
    guard !item.key.isEmpty else { throw EditingFailure.value(item.identifier.rawValue, "the key is empty") }
    var tag = EBMLWriter.element(0x45A3, text: item.key.uppercased())
    tag += EBMLWriter.element(0x447A, text: LanguageName.terminological(item.extendedLanguageTag) ?? "und")
    if let tagged = LanguageName.extended(item.extendedLanguageTag) { tag += EBMLWriter.element(0x447B, text: tagged) }
    tag += EBMLWriter.element(0x4484, number: 1)
    if case .data(let data) = item.value {
      tag += EBMLWriter.element(0x4485, Array(data))
    } else {
      tag += EBMLWriter.element(0x4487, text: item.value.string ?? "")
    }
    return EBMLWriter.element(0x67C8, tag)
  }

  // MARK: - Attachments

  /// The pictures of a change; fonts and other files stay.
  private func attachments(_ change: MetadataPlan.Change, _ plan: inout MetadataPlan) throws -> [UInt8] {
    if isWebM, !change.items.isEmpty {
      plan.lose(change.identifier.rawValue, "WebM has no attached files")
      return old[MatroskaEditor.attachments] ?? []
    }
    let bytes = old[MatroskaEditor.attachments] ?? []
    var result: [UInt8] = []
    var used: Set<UInt64> = []
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      guard id == 0x61A7 else { return }
      var isPicture = false
      EBMLElement.forEach(in: bytes, range) { id, range in
        if id == 0x4660, EBMLValue.text(bytes[range]).hasPrefix("image/") { isPicture = true }
        if id == 0x46AE { used.insert(EBMLValue.unsigned(bytes[range])) }
      }
      if !isPicture { result += EBMLWriter.element(id, Array(bytes[range])) }
    }
    for item in change.items {
      guard case .data(let data) = item.value, let mime = item.mimeType, mime.hasPrefix("image/") else {
        throw EditingFailure.value(change.identifier.rawValue, "a picture is wanted")
      }
      var number: UInt64 = 1
      while !used.insert(number).inserted { number += 1 }
      let name =
        item.extraAttributes[.fileName] ?? "cover." + (mime == "image/jpeg" ? "jpg" : String(mime.dropFirst(6)))
      var file = EBMLWriter.element(0x466E, text: name) + EBMLWriter.element(0x4660, text: mime)
      if let info = item.extraAttributes[.info] { file = EBMLWriter.element(0x467E, text: info) + file }
      file += EBMLWriter.element(0x465C, Array(data)) + EBMLWriter.element(0x46AE, number: number)
      result += EBMLWriter.element(0x61A7, file)
    }
    return result
  }

  // MARK: - Chapters

  /// Titles of several languages are displays of one chapter where their times are the same, editions of their own else.
  static func chapters(_ lists: [ChapterList], _ plan: inout MetadataPlan) -> [UInt8] {
    typealias Titled = (chapter: StoredChapter, titles: [StoredChapter.Title])
    var editions: [[Titled]] = []
    for list in lists where !list.chapters.isEmpty {
      let titled = list.chapters.map { chapter -> Titled in
        (chapter, chapter.titles.map { StoredChapter.Title(text: $0.text, language: $0.language ?? list.language) })
      }
      let equal = editions.firstIndex { edition in
        guard edition.count == titled.count else { return false }
        return zip(edition, titled).allSatisfy { pair in
          let (first, second) = (pair.0.chapter, pair.1.chapter)
          return first.start == second.start && first.end == second.end && first.children.isEmpty
            && second.children.isEmpty
        }
      }
      guard let equal else {
        editions.append(titled)
        continue
      }
      for index in titled.indices { editions[equal][index].titles += titled[index].titles }
    }
    if editions.contains(where: { $0.contains { $0.chapter.artwork != nil } }) {
      plan.lose("chapters", "pictures of chapters are not written")
    }
    var number: UInt64 = 0
    var result: [UInt8] = []
    for (index, edition) in editions.enumerated() {
      number += 1
      var content = EBMLWriter.element(0x45BC, number: number)
      content += EBMLWriter.element(0x45BD, number: 0)
      content += EBMLWriter.element(0x45DB, number: index == 0 ? 1 : 0)
      for entry in edition { content += atom(entry.chapter, entry.titles, &number) }
      result += EBMLWriter.element(0x45B9, content)
    }
    return result
  }

  private static func atom(
    _ chapter: StoredChapter, _ titles: [StoredChapter.Title], _ number: inout UInt64
  ) -> [UInt8] {
    number += 1
    var content =
      EBMLWriter.element(0x73C4, number: number) + EBMLWriter.element(0x91, number: nanoseconds(chapter.start))
    if let end = chapter.end { content += EBMLWriter.element(0x92, number: nanoseconds(end)) }
    content += EBMLWriter.element(0x98, number: 0) + EBMLWriter.element(0x4598, number: 1)
    for title in titles {
      var display = EBMLWriter.element(0x85, text: title.text)
      display += EBMLWriter.element(0x437C, text: bibliographic(title.language))
      if let language = title.language { display += EBMLWriter.element(0x437D, text: language) }
      content += EBMLWriter.element(0x80, display)
    }
    for child in chapter.children { content += atom(child, child.titles, &number) }
    return EBMLWriter.element(0xB6, content)
  }

  /// Matroska's old field takes the bibliographic code (`ger`).
  private static func bibliographic(_ language: String?) -> String {
    guard let code = LanguageName.terminological(language) else { return "und" }
    let codes = [
      "sqi": "alb", "hye": "arm", "eus": "baq", "mya": "bur", "zho": "chi", "ces": "cze", "nld": "dut", "fra": "fre",
      "kat": "geo", "deu": "ger", "ell": "gre", "isl": "ice", "mkd": "mac", "mri": "mao", "msa": "may", "fas": "per",
      "ron": "rum", "slk": "slo", "bod": "tib", "cym": "wel",
    ]
    return codes[code] ?? code
  }

  private static func nanoseconds(_ time: Rational) -> UInt64 {
    let unit = Rational(1, 1_000_000_000) ?? .one
    return UInt64(max(0, Rational.floor(time + unit * (Rational(1, 2) ?? .zero), in: unit)))
  }
}
