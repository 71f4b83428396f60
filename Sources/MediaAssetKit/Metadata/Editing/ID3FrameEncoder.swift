import FoundationEssentials
import ISOMedia

/// Frames of ID3 2.3 and 2.4 for items.
struct ID3FrameEncoder {
  /// 3 or 4.
  let version: UInt8

  /// The frames that the items of one key become, with the names that this version has for them.
  func frames(_ key: String, _ items: [MetadataItem]) throws -> [ID3TagEditor.Frame] {
    guard !items.isEmpty else { return [] }
    let name = MetadataIdentifier(key: key, keySpace: .id3).rawValue
    guard key.utf8.count == 4, key.utf8.allSatisfy({ (65...90).contains($0) || (48...57).contains($0) }) else {
      throw EditingFailure.value(name, "frames have names of four capitals or digits")
    }
    switch key {
    case "TXXX", "WXXX":
      var order: [String] = []
      var groups: [String: [String]] = [:]
      for item in items {
        let info = item.extraAttributes[.info] ?? ""
        if groups[info] == nil { order.append(info) }
        groups[info, default: []].append(try text(item))
      }
      return order.map { info in
        let values = groups[info] ?? []
        if key == "WXXX" { return frame(key, described(info, behind: []) + latin(values.first ?? "")) }
        return frame(key, texts([info] + values))
      }
    case "COMM", "USLT", "USER":
      return try items.map { item in
        let text = try text(item)
        let info = item.extraAttributes[.info] ?? ""
        let language = LanguageName.terminological(item.extendedLanguageTag) ?? "und"
        let encoding = encoding([text, info])
        let head = [encoding] + Array(language.utf8.prefix(3))
        if key == "USER" { return frame(key, head + encoded(text, encoding)) }
        return frame(key, head + encoded(info, encoding) + terminator(encoding) + encoded(text, encoding))
      }
    case "APIC":
      return try items.map { item in
        guard case .data(let data) = item.value else { throw EditingFailure.value(name, "a picture is wanted") }
        let info = item.extraAttributes[.info] ?? ""
        let encoding = encoding([info])
        let type = ID3Picture.type(named: item.extraAttributes[.pictureType] ?? "Cover (front)")
        let head = [encoding] + latin(item.mimeType ?? "application/octet-stream") + [0, type]
        return frame(key, head + encoded(info, encoding) + terminator(encoding) + Array(data))
      }
    case "UFID", "PRIV":
      return try items.map { item in
        frame(key, latin(item.extraAttributes[.info] ?? "") + [0] + (try bytes(item)))
      }
    case "POPM":
      return try items.map { item in
        guard let rating = item.numberValue, (0...255).contains(rating) else {
          throw EditingFailure.value(name, "the value is no number from 0 to 255")
        }
        return frame(key, latin(item.extraAttributes[.info] ?? "") + [0, UInt8(rating)])
      }
    case "PCNT":
      return try items.map { item in
        guard let count = item.numberValue, count >= 0, let number = UInt32(exactly: count) else {
          throw EditingFailure.value(name, "the value is no number")
        }
        return frame(key, number.bigEndianBytes())
      }
    case "GEOB":
      return try items.map { item in
        let (file, info) = (item.extraAttributes[.fileName] ?? "", item.extraAttributes[.info] ?? "")
        let encoding = encoding([file, info])
        let mime = latin(item.extraAttributes[.mimeType] ?? "application/octet-stream")
        let names = encoded(file, encoding) + terminator(encoding) + encoded(info, encoding) + terminator(encoding)
        return frame(key, [encoding] + mime + [0] + names + (try bytes(item)))
      }
    case "TDRC" where version == 3, "TYER" where version == 3:
      return dates(try text(items[0]))
    case let key where key.hasPrefix("T"):
      let modern = version == 4 ? Self.renamed[key] ?? key : Self.renamed.first { $0.value == key }?.key ?? key
      return [frame(modern, texts(try items.map(text)))]
    case let key where key.hasPrefix("W"): return try items.map { frame(key, latin(try text($0))) }
    default: return try items.map { frame(key, try bytes($0)) }
    }
  }

  /// Frames of 2.3 that have other names since 2.4.
  private static let renamed = ["TYER": "TDRC", "TORY": "TDOR"]

  /// 2.3 has year, day and time of day in frames of their own.
  private func dates(_ text: String) -> [ID3TagEditor.Frame] {
    var frames = [frame("TYER", texts([String(text.prefix(4))]))]
    let parts = text.split(whereSeparator: { "-T: ".contains($0) }).map(String.init)
    if parts.count >= 3, parts[1].count == 2, parts[2].count >= 2 {
      frames.append(frame("TDAT", texts([String(parts[2].prefix(2)) + parts[1]])))
    }
    if parts.count >= 5, parts[3].count == 2, parts[4].count >= 2 {
      frames.append(frame("TIME", texts([parts[3] + String(parts[4].prefix(2))])))
    }
    return frames
  }

  /// Whether items of a frame also stand in others, which go with it: `TDAT` and `TIME` belong to `TYER`.
  static func companions(of key: String) -> Set<String> {
    key == "TDRC" || key == "TYER" ? ["TDRC", "TYER", "TDAT", "TIME"] : [key]
  }

  // MARK: - Chapters

  /// `CHAP` frames, and tables of contents: each holds 255 entries, the first one names the others.
  func chapters(_ chapters: [StoredChapter]) -> [ID3TagEditor.Frame] {
    guard !chapters.isEmpty else { return [] }
    var frames: [ID3TagEditor.Frame] = []
    for (index, chapter) in chapters.enumerated() {
      var payload = Array("chp\(index)".utf8) + [0]
      let end = chapter.end ?? (index + 1 < chapters.count ? chapters[index + 1].start : chapter.start)
      for number in [Self.milliseconds(chapter.start), Self.milliseconds(end), .max, .max] {
        payload += number.bigEndianBytes()
      }
      if let title = chapter.titles.first {
        payload += ID3TagEditor.bytes(of: frame("TIT2", texts([title.text])), version)
        if let language = LanguageName.terminological(title.language) {
          payload += ID3TagEditor.bytes(of: frame("TLAN", texts([language])), version)
        }
      }
      if let artwork = chapter.artwork {
        let item = MetadataItem(keySpace: .id3, key: "APIC", value: .data(artwork))
        for frame in (try? self.frames("APIC", [item])) ?? [] { payload += ID3TagEditor.bytes(of: frame, version) }
      }
      frames.append(frame("CHAP", payload))
    }
    let names = chapters.indices.map { "chp\($0)" }
    let groups = stride(from: 0, to: names.count, by: 255).map { Array(names[$0..<min($0 + 255, names.count)]) }
    // Ordered; the first one is the whole.
    if groups.count == 1 { return frames + [contents("toc", flags: 3, names)] }
    let tables = groups.prefix(255).enumerated().map { contents("toc\($0.offset)", flags: 1, $0.element) }
    return frames + [contents("toc", flags: 3, groups.prefix(255).indices.map { "toc\($0)" })] + tables
  }

  private func contents(_ name: String, flags: UInt8, _ entries: [String]) -> ID3TagEditor.Frame {
    frame(
      "CTOC", Array(name.utf8) + [0, flags, UInt8(clamping: entries.count)] + entries.flatMap { Array($0.utf8) + [0] })
  }

  private static func milliseconds(_ time: Rational) -> UInt32 {
    let half = Rational(1, 2000) ?? .zero
    return UInt32(clamping: Rational.floor(time + half, in: Rational(1, 1000) ?? .one))
  }

  // MARK: - Text

  private func frame(_ id: String, _ payload: [UInt8]) -> ID3TagEditor.Frame {
    ID3TagEditor.Frame(id: id, stored: payload[...])
  }

  private func text(_ item: MetadataItem) throws -> String {
    guard let text = item.value.string else {
      throw EditingFailure.value(item.identifier.rawValue, "only text can be stored here")
    }
    return text
  }

  private func bytes(_ item: MetadataItem) throws -> [UInt8] {
    if let data = item.dataValue { return Array(data) }
    return Array(try text(item).utf8)
  }

  /// An encoding, and texts that are parted by its terminator; before 2.4 values of a list are parted by slashes.
  private func texts(_ texts: [String]) -> [UInt8] {
    let encoding = encoding(texts)
    var bytes = [encoding]
    for (index, text) in texts.enumerated() {
      if index > 0 { bytes += terminator(encoding) }
      bytes += encoded(text, encoding)
    }
    return bytes
  }

  private func described(_ info: String, behind head: [UInt8]) -> [UInt8] {
    let encoding = encoding([info])
    return [encoding] + head + encoded(info, encoding) + terminator(encoding)
  }

  /// UTF-8 since 2.4; Latin-1 or UTF-16 before.
  private func encoding(_ texts: [String]) -> UInt8 {
    if version == 4 { return 3 }
    return texts.allSatisfy { $0.unicodeScalars.allSatisfy { $0.value < 0x100 } } ? 0 : 1
  }

  private func encoded(_ text: String, _ encoding: UInt8) -> [UInt8] {
    switch encoding {
    case 0: latin(text)
    case 1: [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    default: Array(text.utf8)
    }
  }

  private func terminator(_ encoding: UInt8) -> [UInt8] { encoding == 1 ? [0, 0] : [0] }

  private func latin(_ text: String) -> [UInt8] {
    text.unicodeScalars.map { $0.value < 0x100 ? UInt8($0.value) : UInt8(ascii: "?") }
  }
}
