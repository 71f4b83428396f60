/// Reads `meta`: the item lists of iTunes and of QuickTime's keyed metadata.
enum MetadataBoxParser {
  static func parse(_ payload: Range<Int>, into found: inout [MetadataEntry], _ state: inout ParseState) {
    var range = payload
    // QuickTime's `meta` is a plain box, MP4's has version and flags.
    if payload.count >= 12,
      FourCharacterCode(rawValue: state.bytes.bigEndianUInt32(at: payload.lowerBound + 4)) != "hdlr"
    {
      range = payload.lowerBound + 4..<payload.upperBound
    }
    var handler: FourCharacterCode?
    var keys: [String]?
    var lists: [Range<Int>] = []
    var entries: [MetadataEntry] = []
    state.forEachBox(in: range, path: "meta") { box, state in
      switch box.type {
      case "hdlr":
        var reader = ByteReader(state.bytes, in: box.payload)
        reader.skip(8)
        handler = reader.code()
      case "keys" where keys == nil: keys = readKeys(box, state.bytes)
      case "ilst": lists.append(box.payload)
      case "ID32":
        var reader = ByteReader(state.bytes, in: box.payload)
        reader.skip(4)
        let language = LanguageCode.terminological(packed: reader.uint16() & 0x7FFF)
        guard !reader.isExhausted else { break }
        entries.append(MetadataEntry(store: .id3, key: "ID32", value: .data(reader.rest), language: language))
      default: break
      }
    }
    let isKeyed = handler == "mdta" || handler != "mdir" && keys != nil
    for list in lists {
      state.forEachBox(in: list, path: "meta/ilst") { box, state in
        if isKeyed {
          let index = Int(box.type.rawValue)
          guard let keys, index >= 1, index <= keys.count else { return }
          parseItem(box, key: keys[index - 1], store: .quickTimeMetadata, state.bytes, into: &entries)
        } else {
          parseItem(box, key: box.type.description, store: .iTunes, state.bytes, into: &entries)
        }
      }
    }
    found += entries
  }

  private static func readKeys(_ box: Box, _ bytes: [UInt8]) -> [String] {
    var reader = ByteReader(bytes, in: box.payload)
    reader.skip(4)
    let count = Int(reader.uint32())
    var keys: [String] = []
    while keys.count < count, reader.remaining >= 8 {
      let size = Int(reader.uint32())
      // The name space: `mdta`, in all files so far.
      reader.skip(4)
      guard size >= 8, size - 8 <= reader.remaining else { break }
      keys.append(String(decoding: bytes[reader.range(size - 8)].prefix { $0 != 0 }, as: UTF8.self))
    }
    return keys
  }

  /// One item: a `data` box for each value, and the names of a freeform one.
  static func parseItem(
    _ item: Box, key: String, store: MetadataEntry.Store, _ bytes: [UInt8], into found: inout [MetadataEntry]
  ) {
    var (mean, name) = ("", "")
    var values: [MetadataEntry] = []
    var boxes = BoxSequence(bytes, in: item.payload)
    while let box = boxes.next() {
      switch box.type {
      case "mean", "name":
        let text = String(decoding: bytes[box.payload].dropFirst(4).prefix { $0 != 0 }, as: UTF8.self)
        if box.type == "mean" { mean = text } else { name = text }
      case "data":
        guard box.payload.count >= 8 else { break }
        var reader = ByteReader(bytes, in: box.payload)
        let type = reader.uint32()
        reader.skip(2)
        let packed = reader.uint16()
        // A set of types other than the well-known one is no type at all.
        let known = type >> 24 == 0 ? type : 0
        values.append(
          MetadataEntry(
            store: store, key: key, type: known,
            value: ItemValue.value(type: known, key: store == .iTunes ? key : "", bytes, reader.rest),
            // 0 says "any language" here, not English.
            language: packed == 0 ? nil : LanguageCode.terminological(packed: packed)))
      default: break
      }
    }
    if key == "----", store == .iTunes {
      for index in values.indices {
        values[index].key = mean + "." + name
        values[index].isFreeform = true
      }
    }
    found += values
  }
}
