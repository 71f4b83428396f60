/// Reads `udta`: QuickTime's international texts and the texts of 3GPP.
struct UserDataParser {
  let isQuickTime: Bool

  /// Boxes of `udta` that hold no metadata of the user.
  private static let structural: Set<FourCharacterCode> = [
    "meta", "chpl", "free", "skip", "wide", "hnti", "hinf", "ptv ", "strk",
  ]
  /// Texts behind version, flags and language (TS 26.244, 8; ISO/IEC 14496-12, 8.10.2).
  private static let texts: Set<FourCharacterCode> = [
    "titl", "dscp", "cprt", "perf", "auth", "gnre", "albm", "coll", "ades",
  ]
  private static let others: Set<FourCharacterCode> = [
    "yrrc", "loci", "kywd", "rtng", "clsf", "urat", "thmb", "date",
  ]

  func parse(_ range: Range<Int>, into found: inout [MetadataEntry], _ state: inout ParseState) {
    var entries: [MetadataEntry] = []
    state.forEachBox(in: range, path: "udta") { box, state in
      let bytes = state.bytes
      switch box.type {
      case "meta": MetadataBoxParser.parse(box.payload, into: &entries, &state)
      case let type where Self.structural.contains(type): break
      case "tagc": entries.append(tag(box, bytes))
      case let type where type.rawValue >> 24 == 0xA9: entries += Self.international(box, bytes)
      case let type where Self.texts.contains(type):
        if let entry = Self.text(box, bytes) { entries.append(entry) }
      case let type where Self.others.contains(type):
        if let entry = Self.other(box, bytes) { entries.append(entry) }
      case "name", "tnam": entries += Self.name(box, bytes)
      default:
        guard box.type.isPlausible, !box.payload.isEmpty else { break }
        entries.append(
          MetadataEntry(store: .quickTimeUserData, key: box.type.description, value: .data(box.payload)))
      }
    }
    found += entries
  }

  /// A tagged characteristic: ASCII without an end or a length.
  private func tag(_ box: Box, _ bytes: [UInt8]) -> MetadataEntry {
    let text = String(decoding: bytes[box.payload].prefix { $0 != 0 }, as: UTF8.self)
    return MetadataEntry(
      store: isQuickTime ? .quickTimeUserData : .isoUserData, key: "tagc", value: .text(text))
  }

  // MARK: - QuickTime

  /// A list of texts, each with its length and language; some writers leave both out, and some put `data` inside.
  private static func international(_ box: Box, _ bytes: [UInt8]) -> [MetadataEntry] {
    let key = box.type.description
    var inner = BoxSequence(bytes, in: box.payload)
    if let data = inner.next(), data.type == "data", !data.isCutOff {
      var found: [MetadataEntry] = []
      MetadataBoxParser.parseItem(box, key: key, store: .quickTimeUserData, bytes, into: &found)
      return found
    }
    var reader = ByteReader(bytes, in: box.payload)
    var found: [MetadataEntry] = []
    while reader.remaining >= 4 {
      let start = reader.position
      let length = Int(reader.uint16())
      let language = reader.uint16()
      guard length <= reader.remaining else {
        if found.isEmpty { found.append(raw(key, bytes[start..<box.payload.upperBound])) }
        return found
      }
      // Padding behind the last text.
      if length == 0, language == 0, !found.isEmpty { break }
      found.append(
        MetadataEntry(
          store: .quickTimeUserData, key: key,
          value: .text(StoredText.string(bytes[reader.range(length)], macintosh: language < 0x400)),
          language: LanguageCode.terminological(packed: language)))
    }
    if found.isEmpty, !box.payload.isEmpty { found.append(raw(key, bytes[box.payload])) }
    return found
  }

  private static func raw(_ key: String, _ bytes: ArraySlice<UInt8>) -> MetadataEntry {
    MetadataEntry(store: .quickTimeUserData, key: key, value: .text(StoredText.string(bytes, macintosh: true)))
  }

  /// `name` is bare text, `tnam` has version, flags and language before it.
  private static func name(_ box: Box, _ bytes: [UInt8]) -> [MetadataEntry] {
    if box.type == "tnam", var entry = text(box, bytes) {
      entry.store = .quickTimeUserData
      return [entry]
    }
    var reader = ByteReader(bytes, in: box.payload)
    // FFmpeg writes the text alone, other writers version and flags as well.
    if reader.remaining > 4, bytes[reader.position..<reader.position + 4].allSatisfy({ $0 == 0 }) { reader.skip(4) }
    let text = StoredText.string(bytes[reader.rest], macintosh: true)
    return text.isEmpty ? [] : [MetadataEntry(store: .quickTimeUserData, key: "name", value: .text(text))]
  }

  // MARK: - 3GPP

  private static func text(_ box: Box, _ bytes: [UInt8]) -> MetadataEntry? {
    var reader = ByteReader(bytes, in: box.payload)
    reader.skip(4)
    let language = LanguageCode.terminological(packed: reader.uint16() & 0x7FFF)
    let text = reader.storedString()
    guard box.payload.count >= 6 else { return nil }
    var entry = MetadataEntry(
      store: .isoUserData, key: box.type.description, value: .text(text), language: language)
    if box.type == "albm", reader.remaining == 1 { entry.attributes["trackNumber"] = String(reader.uint8()) }
    return entry
  }

  private static func other(_ box: Box, _ bytes: [UInt8]) -> MetadataEntry? {
    var reader = ByteReader(bytes, in: box.payload)
    reader.skip(4)
    var entry = MetadataEntry(store: .isoUserData, key: box.type.description, value: .text(""))
    switch box.type {
    case "yrrc": entry.value = .integer(Int64(reader.uint16()))
    case "urat":
      reader.skip(3)
      entry.value = .integer(Int64(reader.uint8()))
    case "thmb": entry.value = .data(reader.rest)
    case "date": entry.value = .text(reader.storedString())
    case "kywd":
      entry.language = LanguageCode.terminological(packed: reader.uint16() & 0x7FFF)
      var words: [String] = []
      for _ in 0..<reader.uint8() where reader.remaining > 0 {
        let length = Int(reader.uint8())
        let word = reader.range(min(length, reader.remaining))
        words.append(StoredText.string(bytes[word], macintosh: false))
      }
      entry.value = .text(words.joined(separator: ", "))
    case "rtng", "clsf":
      entry.attributes["entity"] = reader.code().description
      entry.attributes[box.type == "rtng" ? "criteria" : "table"] =
        box.type == "rtng" ? reader.code().description : String(reader.uint16())
      entry.language = LanguageCode.terminological(packed: reader.uint16() & 0x7FFF)
      entry.value = .text(reader.storedString())
    default:
      entry.language = LanguageCode.terminological(packed: reader.uint16() & 0x7FFF)
      let name = reader.storedString()
      let role = reader.uint8()
      let (longitude, latitude, altitude) = (reader.int32(), reader.int32(), reader.int32())
      guard !reader.isExhausted else { return nil }
      entry.value = .location(
        StoredLocation(
          name: name, role: role, longitude: longitude, latitude: latitude, altitude: altitude,
          body: reader.storedString(), notes: reader.storedString()))
    }
    return reader.isExhausted ? nil : entry
  }
}
