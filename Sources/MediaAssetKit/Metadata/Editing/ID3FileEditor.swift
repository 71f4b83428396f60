/// Edits the ID3 tags of MP3 and AAC files: the tag before the sound, and the short one behind it.
enum ID3FileEditor {
  static func pieces(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece] {
    let size = source.size ?? 0
    var tag = ID3TagEditor()
    var length = 0
    if let stated = ID3Tag.size(try source.bytes(at: 0, count: 10)) {
      length = Int(min(Int64(stated), size))
      guard length <= source.maximumBytes else { throw EditingFailure.damaged("the tag is too large") }
      let bytes = try source.bytes(at: 0, count: length)
      guard let old = ID3Tag(bytes) else { throw EditingFailure.damaged("the tag is damaged") }
      tag = ID3TagEditor(old)
      if old.majorVersion == 2, old.frames.contains(where: { $0.id.utf8.count != 4 }) {
        plan.lose("id3", "frames of version 2.2 that later ones don't know are left out")
      }
    }
    try apply(&plan, to: &tag)
    let short = size - Int64(length) >= 128 ? try source.bytes(at: size - 128, count: 128) : []
    let isShort = short.starts(with: "TAG".utf8)
    let head = tag.isChanged ? FilePiece.bytes(try tag.bytes(fitting: length)) : .source(0..<Int64(length))
    let sound = FilePiece.source(Int64(length)..<size - (isShort ? 128 : 0))
    return [head, sound] + (isShort ? [.bytes(ID3v1.edited(short, plan))] : [])
  }

  /// Changes a tag as a plan says; of chapters in several languages the first.
  static func apply(_ plan: inout MetadataPlan, to tag: inout ID3TagEditor) throws {
    for change in plan.changes(in: .id3) { try tag.apply(change) }
    guard let lists = plan.chapters else { return }
    let filled = lists.filter { !$0.chapters.isEmpty }
    if filled.count > 1 { plan.lose("chapters", "ID3 has chapters in one language only: the first one is written") }
    let list = filled.first
    if list?.chapters.contains(where: { !$0.children.isEmpty }) == true {
      plan.lose("chapters", "chapters within chapters are written one after another")
    }
    let chapters = (list?.chapters ?? []).flattened.map { chapter in
      var chapter = chapter
      chapter.titles = chapter.titles.map { .init(text: $0.text, language: $0.language ?? list?.language) }
      return chapter
    }
    if chapters.contains(where: { [$0.start, $0.end ?? .zero].contains { 1000 % $0.denominator != 0 } }) {
      plan.lose("chapters", "times are rounded to milliseconds")
    }
    tag.setChapters(chapters)
  }
}

/// The 128 bytes of ID3v1, kept in step with the long tag.
enum ID3v1 {
  static func edited(_ old: [UInt8], _ plan: MetadataPlan) -> [UInt8] {
    var tag = old
    func put(_ text: String, at place: Int, _ count: Int) {
      let bytes = text.unicodeScalars.prefix(count).map { $0.value < 0x100 ? UInt8($0.value) : UInt8(ascii: "?") }
      for index in 0..<count { tag[place + index] = index < bytes.count ? bytes[index] : 0 }
    }
    for change in plan.changes(in: .id3) {
      let text = change.items.first { ($0.extraAttributes[.info] ?? "").isEmpty }?.stringValue ?? ""
      switch change.key {
      case "TIT2": put(text, at: 3, 30)
      case "TPE1": put(text, at: 33, 30)
      case "TALB": put(text, at: 63, 30)
      case "TYER", "TDRC": put(text, at: 93, 4)
      case "COMM": put(text, at: 97, tag[125] == 0 && tag[126] != 0 ? 28 : 30)
      case "TRCK":
        let number = UInt8(text.prefix { $0.isNumber })
        // The number takes the last two bytes of the comment.
        if let number { (tag[125], tag[126]) = (0, number) } else if tag[125] == 0 { tag[126] = 0 }
      case "TCON": tag[127] = ID3Genres.number(of: text) ?? 255
      default: break
      }
    }
    return tag
  }
}
