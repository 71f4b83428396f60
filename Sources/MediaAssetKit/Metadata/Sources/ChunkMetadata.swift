import FoundationEssentials
import ISOMedia

/// Information chunks of RIFF (WAV, AVI), AIFF and CAF files.
enum ChunkMetadata {
  private static let maximumChunks = 100_000

  // MARK: - RIFF

  static func riff(_ source: inout SourceBytes) throws -> FileMetadata {
    var found = FileMetadata()
    let head = try source.bytes(at: 0, count: 12)
    let name = String(decoding: head.prefix(4), as: UTF8.self)
    guard ["RIFF", "RF64", "BW64", "RIFX"].contains(name), head.count == 12 else { return found }
    let isBig = name == "RIFX"
    var dataSize: UInt64?
    var position: Int64 = 12
    for _ in 0..<maximumChunks {
      let head = try source.bytes(at: position, count: 12)
      guard head.count >= 8 else { break }
      var size = UInt64(length(head, isBig))
      let content = position + 8
      let type = String(decoding: head.prefix(4), as: UTF8.self)
      switch type {
      case "ds64":
        let bytes = try source.bytes(at: content, count: 16)
        if bytes.count == 16 { dataSize = bytes[8..<16].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
      case "data" where size == 0xFFFF_FFFF: size = dataSize ?? size
      case "LIST" where head.count == 12 && head[8..<12].elementsEqual("INFO".utf8):
        appendInfo(try source.bytes(at: content + 4, count: max(0, Int(size) - 4)), isBig, &found)
      case "bext": appendBroadcast(try source.bytes(at: content, count: Int(size)), &found)
      case "id3 ", "ID3 ":
        if let tag = ID3Tag(try source.bytes(at: content, count: Int(size))) { found.append(tag) }
      case "iXML":
        let text = String(decoding: try source.bytes(at: content, count: Int(size)).prefix { $0 != 0 }, as: UTF8.self)
        found.items.append(MetadataItem(keySpace: .broadcastWave, key: "iXML", value: .string(text), dataType: .utf8))
      default: break
      }
      guard size < 1 << 60 else { break }
      position = content + Int64(size + size & 1)
    }
    return found
  }

  private static func length(_ head: [UInt8], _ isBig: Bool) -> UInt32 {
    let digits = head[4..<8]
    return isBig
      ? digits.reduce(0) { $0 << 8 | UInt32($1) } : digits.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private static func appendInfo(_ bytes: [UInt8], _ isBig: Bool, _ found: inout FileMetadata) {
    var reader = ByteReader(bytes)
    while reader.remaining >= 8, found.items.count < 10_000 {
      let key = reader.code().description
      let size = Int(isBig ? reader.uint32() : reader.littleUInt32())
      let value = bytes[reader.range(min(size, reader.remaining))].prefix { $0 != 0 }
      if size & 1 == 1, reader.remaining > 0 { reader.skip(1) }
      guard key.unicodeScalars.allSatisfy({ (0x20..<0x7F).contains($0.value) }) else { return }
      found.items.append(
        MetadataItem(keySpace: .riffInfo, key: key, value: .string(TextCoding.string(Array(value))), dataType: .utf8))
    }
  }

  /// The broadcast extension (EBU Tech 3285): fields of fixed length.
  private static func appendBroadcast(_ bytes: [UInt8], _ found: inout FileMetadata) {
    guard bytes.count >= 346 else { return }
    func text(_ range: Range<Int>) -> String { TextCoding.string(Array(bytes[range].prefix { $0 != 0 })) }
    func append(_ key: String, _ value: MetadataValue) {
      if case .string("") = value { return }
      found.items.append(
        MetadataItem(
          keySpace: .broadcastWave, key: key, value: value, dataType: value.string == nil ? nil : .utf8))
    }
    append("Description", .string(text(0..<256)))
    append("Originator", .string(text(256..<288)))
    append("OriginatorReference", .string(text(288..<320)))
    let (date, time) = (text(320..<330), text(330..<338))
    // The parting character is free.
    if let moment = MetadataDate(normal(date, "-") + "T" + normal(time, ":")) {
      append("OriginationDateTime", .date(moment))
    } else {
      append("OriginationDateTime", .string(date))
    }
    let samples = bytes[338..<346].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    append("TimeReference", .integer(Int64(clamping: samples)))
    if bytes.count > 602 { append("CodingHistory", .string(text(602..<bytes.count))) }
  }

  private static func normal(_ text: String, _ separator: Character) -> String {
    String(text.map { $0.isNumber ? $0 : separator })
  }

  // MARK: - AIFF

  static func aiff(_ source: inout SourceBytes) throws -> FileMetadata {
    var found = FileMetadata()
    guard try source.bytes(at: 0, count: 4).elementsEqual("FORM".utf8) else { return found }
    var position: Int64 = 12
    for _ in 0..<maximumChunks {
      let head = try source.bytes(at: position, count: 8)
      guard head.count == 8 else { break }
      let size = Int(length(head, true))
      let type = String(decoding: head.prefix(4), as: UTF8.self)
      switch type {
      case "NAME", "AUTH", "(c) ", "ANNO":
        let text = StoredText.string(try source.bytes(at: position + 8, count: size)[...], macintosh: true)
        found.items.append(MetadataItem(keySpace: .audioFile, key: type, value: .string(text), dataType: .utf8))
      case "ID3 ", "id3 ":
        if let tag = ID3Tag(try source.bytes(at: position + 8, count: size)) { found.append(tag) }
      default: break
      }
      position += 8 + Int64(size + size & 1)
    }
    return found
  }

  // MARK: - CAF

  static func caf(_ source: inout SourceBytes) throws -> FileMetadata {
    var found = FileMetadata()
    guard try source.bytes(at: 0, count: 4).elementsEqual("caff".utf8) else { return found }
    var position: Int64 = 8
    for _ in 0..<maximumChunks {
      let head = try source.bytes(at: position, count: 12)
      guard head.count == 12 else { break }
      var reader = ByteReader(head)
      let type = reader.code().description
      let size = reader.int64()
      // Sound of unknown length lasts to the end.
      guard size >= 0, size < 1 << 60 else { break }
      if type == "info" {
        let bytes = try source.bytes(at: position + 12, count: Int(size))
        var reader = ByteReader(bytes)
        for _ in 0..<min(Int(reader.uint32()), 10_000) where reader.remaining > 0 {
          let key = reader.terminatedString()
          let value = reader.terminatedString()
          found.items.append(MetadataItem(keySpace: .audioFile, key: key, value: .string(value), dataType: .utf8))
        }
      }
      position += 12 + size
    }
    return found
  }
}
