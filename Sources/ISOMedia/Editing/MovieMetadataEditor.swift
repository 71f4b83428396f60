/// Writes a `moov` with other metadata; every box that is not asked to change stays byte by byte.
///
/// Pure: bytes in, bytes out. Chunk offsets are left as they are: ``ChunkOffsets`` moves them.
package struct MovieMetadataEditor: Sendable {
  private let bytes: [UInt8]
  /// Whether the file is a QuickTime movie, whose `meta` is a plain box.
  private let isQuickTime: Bool
  /// What is still to be written.
  private var iTunes: [MetadataBoxChange]
  private var keyed: [MetadataBoxChange]
  private var userData: [MetadataBoxChange]
  /// New content of `chpl`; nil keeps it, empty removes it.
  private let neroChapters: [NeroChapter]?
  private let chapterTracks: ChapterTrackEdit?

  /// - Parameter bytes: `moov` with its header.
  package init(
    _ bytes: [UInt8], isQuickTime: Bool, changes: [MetadataBoxChange], neroChapters: [NeroChapter]? = nil,
    chapterTracks: ChapterTrackEdit? = nil
  ) {
    self.bytes = bytes
    self.isQuickTime = isQuickTime
    self.neroChapters = neroChapters
    self.chapterTracks = chapterTracks
    iTunes = changes.filter { $0.store == .iTunes }
    keyed = changes.filter { $0.store == .quickTimeMetadata }
    userData = changes.filter { $0.store == .quickTimeUserData || $0.store == .isoUserData }
  }

  /// A fault of the header, or a value that can't be stored.
  package enum Failure: Error, Hashable, Sendable {
    case header(ISOMediaError)
    case value(UnstorableValue)
  }

  /// The new `moov`.
  package mutating func edited() throws(Failure) -> [UInt8] {
    let all = BoxSequence(bytes)
    guard let movie = all.first(where: { _ in true }), movie.type == "moov", !movie.isCutOff else {
      throw .header(ISOMediaError(.malformed, path: "moov", offset: 0))
    }
    do throws(UnstorableValue) {
      var writer = BoxBuilder()
      var hasUserData = false
      try writer.box("moov") { writer throws(UnstorableValue) in
        let rest = try forEachChild(movie.payload) { child throws(UnstorableValue) in
          switch child.type {
          case "udta":
            hasUserData = true
            try writeUserData(child.payload, &writer)
          case "meta": try writeMeta(child, &writer)
          case "mvhd": writer.append(movieHeader(child)[...])
          case "trak": writeTrack(child, &writer)
          default: writer.append(bytes[child.range])
          }
        }
        if let chapterTracks { for track in chapterTracks.added { writer.append(track[...]) } }
        if !hasUserData { try writeUserData(rest.upperBound..<rest.upperBound, &writer) }
        try writeNewKeys(&writer)
        writer.append(bytes[rest])
      }
      return writer.bytes
    } catch {
      throw .value(error)
    }
  }

  /// The boxes of a range; returns what follows the last one: QuickTime's zeros at the end of a list, or junk.
  private func forEachChild(
    _ range: Range<Int>, _ body: (Box) throws(UnstorableValue) -> Void
  ) throws(UnstorableValue) -> Range<Int> {
    var end = range.lowerBound
    var boxes = BoxSequence(bytes, in: range)
    while let box = boxes.next() {
      try body(box)
      end = box.range.upperBound
    }
    return end..<range.upperBound
  }

  // MARK: - User data

  private mutating func writeUserData(
    _ payload: Range<Int>, _ writer: inout BoxBuilder
  ) throws(UnstorableValue) {
    var inner = BoxBuilder()
    var written: Set<String> = []
    let changes = userData
    let rest = try forEachChild(payload) { child throws(UnstorableValue) in
      if child.type == "meta" {
        try writeMeta(child, &inner)
      } else if child.type == "chpl", let neroChapters {
        if written.insert("chpl").inserted { Self.writeNero(neroChapters, &inner) }
      } else if let change = changes.first(where: { $0.key == child.type.description }) {
        // One of several boxes of a kind takes all values.
        if written.insert(change.key).inserted { inner.append(try UserDataEncoder.boxes(change)[...]) }
      } else {
        inner.append(bytes[child.range])
      }
    }
    for change in changes where !written.contains(change.key) {
      inner.append(try UserDataEncoder.boxes(change)[...])
    }
    if let neroChapters, !written.contains("chpl") { Self.writeNero(neroChapters, &inner) }
    try writeNewITunes(&inner)
    userData = []
    guard !inner.bytes.isEmpty else { return }
    writer.box("udta") { writer in
      writer.append(inner.bytes[...])
      writer.append(bytes[rest])
    }
  }

  /// At most 255 entries, and titles of 255 bytes.
  private static func writeNero(_ chapters: [NeroChapter], _ writer: inout BoxBuilder) {
    guard !chapters.isEmpty else { return }
    writer.fullBox("chpl", version: 1, flags: 0) { writer, _ in
      let kept = chapters.prefix(255)
      writer.append(UInt32(0))
      writer.append(UInt8(kept.count))
      for chapter in kept {
        var title = Array(chapter.title.utf8.prefix(255))
        // Not in the middle of a character.
        while String(validating: title, as: UTF8.self) == nil, !title.isEmpty { title.removeLast() }
        writer.append(chapter.start)
        writer.append(UInt8(title.count))
        writer.append(title[...])
      }
    }
  }

  // MARK: - Items

  /// `meta` of any kind; those that hold neither iTunes' items nor keyed ones stay as they are.
  private mutating func writeMeta(_ box: Box, _ writer: inout BoxBuilder) throws(UnstorableValue) {
    var start = box.payload.lowerBound
    if box.payload.count >= 12, FourCharacterCode(rawValue: bytes.bigEndianUInt32(at: start + 4)) != "hdlr" {
      start += 4
    }
    let children = Array(BoxSequence(bytes, in: start..<box.payload.upperBound))
    var handler: FourCharacterCode?
    if let header = children.first(where: { $0.type == "hdlr" }) {
      var reader = ByteReader(bytes, in: header.payload)
      reader.skip(8)
      handler = reader.code()
    }
    let keys = children.first { $0.type == "keys" }
    let hasItems = children.contains { $0.type == "ilst" }
    if handler == "mdta" || handler != "mdir" && keys != nil {
      try writeKeyed(box, start, children, keys, &writer)
    } else if handler == "mdir" || handler == nil && hasItems {
      try writeITunes(box, start, children, &writer)
    } else {
      writer.append(bytes[box.range])
    }
  }

  private mutating func writeITunes(
    _ box: Box, _ start: Int, _ children: [Box], _ writer: inout BoxBuilder
  ) throws(UnstorableValue) {
    let changes = iTunes
    iTunes = []
    guard !changes.isEmpty else {
      writer.append(bytes[box.range])
      return
    }
    var list = BoxBuilder()
    var written: Set<Int> = []
    for item in children.filter({ $0.type == "ilst" }).flatMap({ Array(BoxSequence(bytes, in: $0.payload)) }) {
      guard let index = changes.firstIndex(where: { matches(item, $0) }) else {
        list.append(bytes[item.range])
        continue
      }
      if written.insert(index).inserted { try writeItem(changes[index], &list) }
    }
    for (index, change) in changes.enumerated() where !written.contains(index) { try writeItem(change, &list) }
    writeMeta(box, start, children, list.bytes, keys: nil, &writer)
  }

  /// The box again with another list; without a list nothing is left of it but a handler, so it goes.
  private func writeMeta(
    _ box: Box, _ start: Int, _ children: [Box], _ list: [UInt8], keys: [UInt8]?, _ writer: inout BoxBuilder
  ) {
    let isNeeded = !list.isEmpty || children.contains { !["hdlr", "keys", "ilst", "free"].contains($0.type) }
    guard isNeeded else { return }
    var isWritten = false
    writer.box("meta") { writer in
      writer.append(bytes[box.payload.lowerBound..<start])
      for child in children {
        switch child.type {
        case "keys" where keys != nil: writer.append((keys ?? [])[...])
        case "ilst":
          if !isWritten { writer.box("ilst") { $0.append(list[...]) } }
          isWritten = true
        default: writer.append(bytes[child.range])
        }
      }
      if !isWritten { writer.box("ilst") { $0.append(list[...]) } }
    }
  }

  private func matches(_ item: Box, _ change: MetadataBoxChange) -> Bool {
    guard item.type == "----" else { return !change.isFreeform && item.type.description == change.key }
    guard change.isFreeform else { return false }
    var (mean, name) = ("", "")
    for box in BoxSequence(bytes, in: item.payload) where box.type == "mean" || box.type == "name" {
      let text = String(decoding: bytes[box.payload].dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
      if box.type == "mean" { mean = text } else { name = text }
    }
    return mean + "." + name == change.key
  }

  private func writeItem(_ change: MetadataBoxChange, _ list: inout BoxBuilder) throws(UnstorableValue) {
    guard !change.values.isEmpty else { return }
    guard let code = change.isFreeform ? "----" : FourCharacterCode(characters: change.key) else {
      throw UnstorableValue(key: change.key, reason: "it is no four characters")
    }
    let payload = try ItemEncoder.item(change)
    list.box(code) { $0.append(payload[...]) }
  }

  /// iTunes' items of a file that had none.
  private mutating func writeNewITunes(_ writer: inout BoxBuilder) throws(UnstorableValue) {
    let changes = iTunes.filter { !$0.values.isEmpty }
    iTunes = []
    guard !changes.isEmpty else { return }
    var list = BoxBuilder()
    for change in changes { try writeItem(change, &list) }
    writer.fullBox("meta", version: 0, flags: 0) { writer, _ in
      Self.handler("mdir", manufacturer: "appl", &writer)
      writer.box("ilst") { $0.append(list.bytes[...]) }
    }
  }

  private static func handler(
    _ type: FourCharacterCode, manufacturer: FourCharacterCode?, _ writer: inout BoxBuilder
  ) {
    writer.box("hdlr") { writer in
      writer.append(UInt64(0))
      writer.append(type.rawValue)
      writer.append(manufacturer?.rawValue ?? 0)
      writer.append(UInt64(0))
      writer.append(UInt8(0))
    }
  }

  // MARK: - Keys by name

  private mutating func writeKeyed(
    _ box: Box, _ start: Int, _ children: [Box], _ keyBox: Box?, _ writer: inout BoxBuilder
  ) throws(UnstorableValue) {
    let changes = keyed
    keyed = []
    guard !changes.isEmpty else {
      writer.append(bytes[box.range])
      return
    }
    var table = KeyTable(bytes, keyBox)
    var list = BoxBuilder()
    var written: Set<String> = []
    for item in children.filter({ $0.type == "ilst" }).flatMap({ Array(BoxSequence(bytes, in: $0.payload)) }) {
      guard let key = table.name(item.type), let change = changes.first(where: { $0.key == key }) else {
        list.append(bytes[item.range])
        continue
      }
      if written.insert(key).inserted { try writeItem(change, code: item.type, &list) }
    }
    for change in changes where !written.contains(change.key) && !change.values.isEmpty {
      try writeItem(change, code: table.code(for: change.key), &list)
    }
    writeMeta(box, start, children, list.bytes, keys: table.box, &writer)
  }

  private mutating func writeNewKeys(_ writer: inout BoxBuilder) throws(UnstorableValue) {
    let changes = keyed.filter { !$0.values.isEmpty }
    keyed = []
    guard !changes.isEmpty else { return }
    var table = KeyTable(bytes, nil)
    var list = BoxBuilder()
    for change in changes { try writeItem(change, code: table.code(for: change.key), &list) }
    writer.box("meta") { writer in
      if !isQuickTime { writer.append(UInt32(0)) }
      Self.handler("mdta", manufacturer: nil, &writer)
      writer.append(table.box[...])
      writer.box("ilst") { $0.append(list.bytes[...]) }
    }
  }

  private func writeItem(
    _ change: MetadataBoxChange, code: FourCharacterCode, _ list: inout BoxBuilder
  ) throws(UnstorableValue) {
    guard !change.values.isEmpty else { return }
    let payload = try ItemEncoder.item(change)
    list.box(code) { $0.append(payload[...]) }
  }

  // MARK: - Chapter tracks

  private func movieHeader(_ box: Box) -> [UInt8] {
    let header = Array(bytes[box.range])
    // The number of the next track stands at the end.
    guard let next = chapterTracks?.nextTrackID, header.count >= 12 else { return header }
    return header.dropLast(4) + next.bigEndianBytes()
  }

  private func writeTrack(_ track: Box, _ writer: inout BoxBuilder) {
    guard let edit = chapterTracks else {
      writer.append(bytes[track.range])
      return
    }
    let id = edit.trackID(of: track, bytes)
    if edit.removed.contains(id) { return }
    var references: [UInt8] = []
    let names = edit.named.contains(id) && !edit.addedIDs.isEmpty
    if names {
      var builder = BoxBuilder()
      builder.box("chap") { builder in for id in edit.addedIDs { builder.append(id) } }
      references = builder.bytes
    }
    writer.box("trak") { writer in
      for child in BoxSequence(bytes, in: track.payload) {
        guard child.type == "tref" else {
          if child.type == "mdia", !references.isEmpty {
            writer.box("tref") { $0.append(references[...]) }
            references = []
          }
          writer.append(bytes[child.range])
          continue
        }
        let others = BoxSequence(bytes, in: child.payload).filter { $0.type != "chap" }.flatMap {
          Array(bytes[$0.range])
        }
        if !others.isEmpty || !references.isEmpty {
          writer.box("tref") { writer in
            writer.append(others[...])
            writer.append(references[...])
          }
        }
        references = []
      }
    }
  }
}

/// `keys`: names by number, from 1.
private struct KeyTable {
  private var entries: [[UInt8]] = []
  private let head: [UInt8]

  init(_ bytes: [UInt8], _ box: Box?) {
    guard let box else {
      head = [0, 0, 0, 0]
      return
    }
    var reader = ByteReader(bytes, in: box.payload)
    head = Array(bytes[reader.range(4)])
    let count = Int(reader.uint32())
    while entries.count < count, reader.remaining >= 8 {
      let start = reader.position
      let size = Int(reader.uint32())
      guard size >= 8, size - 4 <= reader.remaining else { break }
      reader.skip(size - 4)
      entries.append(Array(bytes[start..<start + size]))
    }
  }

  func name(_ code: FourCharacterCode) -> String? {
    let index = Int(code.rawValue) - 1
    guard entries.indices.contains(index) else { return nil }
    return String(decoding: entries[index].dropFirst(8).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The number of a key, which is added where it is new.
  mutating func code(for name: String) -> FourCharacterCode {
    for index in entries.indices {
      let code = FourCharacterCode(rawValue: UInt32(index + 1))
      if self.name(code) == name { return code }
    }
    var builder = BoxBuilder()
    // An entry has the form of a box: size, name space, name.
    builder.box("mdta") { $0.append(Array(name.utf8)[...]) }
    entries.append(builder.bytes)
    return FourCharacterCode(rawValue: UInt32(entries.count))
  }

  var box: [UInt8] {
    var builder = BoxBuilder()
    builder.box("keys") { builder in
      builder.append((head.count == 4 ? head : [0, 0, 0, 0])[...])
      builder.append(UInt32(clamping: entries.count))
      for entry in entries { builder.append(entry[...]) }
    }
    return builder.bytes
  }
}
