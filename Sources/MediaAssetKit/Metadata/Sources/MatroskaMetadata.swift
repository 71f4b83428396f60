import FoundationEssentials
import LibAV

/// Title, tags, chapters and pictures of a Matroska or WebM file (RFC 9559, 5.1.2 and 5.1.6 to 5.1.8).
struct MatroskaMetadata {
  private(set) var found = FileMetadata()
  private let tracks: [ContainerTrack]
  private var done: Set<Int64> = []

  init(tracks: [ContainerTrack]) { self.tracks = tracks }

  private static let maximumElements = 4096

  /// Walks the elements before the media, and those that the seek heads name.
  mutating func read(_ source: inout SourceBytes) throws {
    var position: Int64 = 0
    var segment: Int64?
    var pending: [Int64] = []
    var steps = 0
    while steps < Self.maximumElements {
      steps += 1
      guard let element = try element(&source, position) else { break }
      let content = position + Int64(element.header)
      if element.id == 0x1853_8067, segment == nil {
        segment = content
        position = content
        continue
      }
      if element.id == 0x1F43_B675 { break }
      guard let size = element.size, size < 1 << 40 else { break }
      if let segment { try take(element.id, content, size, segment, &source, &pending) }
      position = content + size
    }
    guard let segment else { return }
    while let next = pending.popLast(), steps < Self.maximumElements {
      steps += 1
      guard !done.contains(next), let element = try element(&source, next), let size = element.size, size < 1 << 40
      else { continue }
      try take(element.id, next + Int64(element.header), size, segment, &source, &pending)
    }
  }

  private func element(_ source: inout SourceBytes, _ position: Int64) throws -> EBMLElement? {
    let head = try source.bytes(at: position, count: 12)
    return EBMLElement(head, at: 0, end: head.count)
  }

  private mutating func take(
    _ id: UInt32, _ content: Int64, _ size: Int64, _ segment: Int64, _ source: inout SourceBytes,
    _ pending: inout [Int64]
  ) throws {
    let start = content
    guard [0x114D_9B74, 0x1549_A966, 0x1254_C367, 0x1043_A770, 0x1941_A469].contains(id) else { return }
    guard done.insert(start).inserted else { return }
    if id == 0x1941_A469 { return try readAttachments(content, content + size, &source) }
    guard size <= Int64(source.maximumBytes) else { return }
    let bytes = try source.bytes(at: content, count: Int(size))
    let range = 0..<bytes.count
    switch id {
    case 0x114D_9B74:
      EBMLElement.forEach(in: bytes, range) { id, range in
        guard id == 0x4DBB, pending.count < 256 else { return }
        var offset: UInt64?
        EBMLElement.forEach(in: bytes, range) { id, range in
          if id == 0x53AC { offset = EBMLValue.unsigned(bytes[range]) }
        }
        guard let offset, offset < 1 << 60 else { return }
        pending.append(segment + Int64(offset))
      }
    case 0x1549_A966: readInfo(bytes)
    case 0x1254_C367:
      EBMLElement.forEach(in: bytes, range) { id, range in if id == 0x7373 { readTag(bytes, range) } }
    case 0x1043_A770: found.chapters += MatroskaChapters.lists(bytes)
    default: break
    }
  }

  private mutating func readInfo(_ bytes: [UInt8]) {
    EBMLElement.forEach(in: bytes, 0..<bytes.count) { id, range in
      switch id {
      case 0x7BA9: append("TITLE", .string(EBMLValue.text(bytes[range])))
      case 0x5741: append("WritingApp", .string(EBMLValue.text(bytes[range])))
      case 0x4D80: append("MuxingApp", .string(EBMLValue.text(bytes[range])))
      case 0x4461 where range.count == 8:
        // Nanoseconds since 2001-01-01.
        let ticks = Int64(bitPattern: EBMLValue.unsigned(bytes[range]))
        let date = Date(timeIntervalSinceReferenceDate: Double(ticks) / 1e9)
        append("DateUTC", .date(MetadataDate(date)))
      default: break
      }
    }
  }

  private mutating func append(_ key: String, _ value: MetadataValue) {
    found.items.append(
      MetadataItem(keySpace: .matroska, key: key, value: value, dataType: value.string == nil ? nil : .utf8))
  }

  // MARK: - Tags

  private mutating func readTag(_ bytes: [UInt8], _ range: Range<Int>) {
    var items: [MetadataItem] = []
    var trackUIDs: [UInt64] = []
    var target: String?
    var isAboutParts = false
    EBMLElement.forEach(in: bytes, range) { id, range in
      switch id {
      case 0x63C0:
        EBMLElement.forEach(in: bytes, range) { id, range in
          let number = EBMLValue.unsigned(bytes[range])
          switch id {
          case 0x68CA: target = target ?? String(number)
          case 0x63CA: target = EBMLValue.text(bytes[range])
          // 0 means all.
          case 0x63C5 where number != 0: trackUIDs.append(number)
          case 0x63C9 where number != 0, 0x63C4 where number != 0, 0x63C6 where number != 0: isAboutParts = true
          default: break
          }
        }
      case 0x67C8: Self.readSimple(bytes, range, prefix: "", depth: 0, into: &items)
      default: break
      }
    }
    // Of chapters, editions and attachments.
    if isAboutParts { return }
    if let target { for index in items.indices { items[index].extraAttributes[.target] = target } }
    guard !trackUIDs.isEmpty else {
      found.items += items
      return
    }
    for track in tracks where track.uniqueID.map(trackUIDs.contains) == true {
      found.trackItems[track.id, default: []] += items
    }
  }

  private static func readSimple(
    _ bytes: [UInt8], _ range: Range<Int>, prefix: String, depth: Int, into items: inout [MetadataItem]
  ) {
    guard depth < 8, items.count < 100_000 else { return }
    var name = ""
    var value: MetadataValue?
    var language: String?
    var nested: [Range<Int>] = []
    EBMLElement.forEach(in: bytes, range) { id, range in
      switch id {
      case 0x45A3: name = EBMLValue.text(bytes[range])
      case 0x4487: value = .string(EBMLValue.text(bytes[range]))
      case 0x4485: value = .data(Data(bytes[range]))
      case 0x447A: language = language ?? EBMLValue.text(bytes[range])
      case 0x447B: language = EBMLValue.text(bytes[range])
      case 0x67C8: nested.append(range)
      default: break
      }
    }
    guard !name.isEmpty else { return }
    let key = prefix.isEmpty ? name : prefix + "/" + name
    if let value {
      items.append(
        MetadataItem(
          keySpace: .matroska, key: key, value: value, dataType: value.string == nil ? .rawData : .utf8,
          extendedLanguageTag: LanguageTag.canonical(language)))
    }
    for range in nested { readSimple(bytes, range, prefix: key, depth: depth + 1, into: &items) }
  }

  // MARK: - Attachments

  /// Pictures; fonts and other files are stepped over unread.
  private mutating func readAttachments(_ start: Int64, _ end: Int64, _ source: inout SourceBytes) throws {
    var position = start
    for _ in 0..<1024 where position < end {
      guard let file = try element(&source, position), let size = file.size, size < 1 << 40 else { return }
      let content = position + Int64(file.header)
      position = content + size
      guard file.id == 0x61A7 else { continue }
      var part = content
      var (name, mime, description) = ("", "", "")
      var data: (offset: Int64, size: Int64)?
      for _ in 0..<64 where part < position {
        guard let child = try element(&source, part), let size = child.size, size < 1 << 40 else { break }
        let inner = part + Int64(child.header)
        switch child.id {
        case 0x466E, 0x4660, 0x467E:
          let text = EBMLValue.text(try source.bytes(at: inner, count: Int(min(size, 4096)))[...])
          if child.id == 0x466E { name = text } else if child.id == 0x4660 { mime = text } else { description = text }
        case 0x465C: data = (inner, size)
        default: break
        }
        part = inner + size
      }
      guard mime.hasPrefix("image/"), let data, data.size <= Int64(source.maximumBytes) else { continue }
      let bytes = try source.bytes(at: data.offset, count: Int(data.size))
      var extra: [MetadataItem.ExtraAttribute: String] = [.fileName: name, .mimeType: mime]
      if !description.isEmpty { extra[.info] = description }
      found.items.append(
        MetadataItem(
          keySpace: .matroska, key: "ATTACHMENT", value: .data(Data(bytes)),
          dataType: MetadataDataType(sniffing: bytes), extraAttributes: extra))
    }
  }
}

/// Values of EBML elements.
enum EBMLValue {
  /// The number; the last eight bytes of one that is longer than any may be.
  static func unsigned(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) } }
  /// The text up to the NULs that may pad it.
  static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }
}
