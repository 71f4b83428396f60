import FoundationEssentials
import ISOMedia

/// Tags at the end of sound files: ID3v1 and APE.
enum TrailingTags {
  static func read(_ source: inout SourceBytes, hasID3: Bool) throws -> FileMetadata {
    var found = FileMetadata()
    guard let size = source.size else { return found }
    var end = size
    let last = try source.tail(128)
    if last.count == 128, last.starts(with: "TAG".utf8) {
      end -= 128
      // What ID3v2 says is the same at greater length.
      if !hasID3 { found.items += version1(last) }
    }
    if let tag = try ape(&source, endingAt: end) {
      found.items += tag
    } else if found.items.isEmpty, !hasID3 {
      // APE tags may stand at the beginning too.
      let head = try source.bytes(at: 0, count: 32)
      if let footer = APEFooter(head), footer.isHeader {
        found.items += items(try source.bytes(at: 32, count: footer.size), count: footer.count)
      }
    }
    return found
  }

  /// ID3v1: fields of fixed length in Latin-1.
  private static func version1(_ tag: [UInt8]) -> [MetadataItem] {
    func text(_ range: Range<Int>) -> String {
      var bytes = tag[range].prefix { $0 != 0 }
      while bytes.last == 0x20 { bytes.removeLast() }
      return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
    let hasNumber = tag[125] == 0 && tag[126] != 0
    var fields = [
      ("TIT2", text(3..<33)), ("TPE1", text(33..<63)), ("TALB", text(63..<93)), ("TYER", text(93..<97)),
      ("COMM", text(97..<(hasNumber ? 125 : 127))),
    ]
    if hasNumber { fields.append(("TRCK", String(tag[126]))) }
    if let genre = ID3Genres.name(Int64(tag[127])) { fields.append(("TCON", genre)) }
    return fields.filter { !$0.1.isEmpty }.map {
      MetadataItem(keySpace: .id3, key: $0.0, value: .string($0.1))
    }
  }

  private static func ape(_ source: inout SourceBytes, endingAt end: Int64) throws -> [MetadataItem]? {
    guard let footer = APEFooter(try source.tail(32, endingAt: end)), !footer.isHeader,
      footer.size >= 32, Int64(footer.size) <= end
    else { return nil }
    return items(
      try source.bytes(at: end - Int64(footer.size), count: footer.size - 32), count: footer.count)
  }

  private static func items(_ bytes: [UInt8], count: Int) -> [MetadataItem] {
    var reader = ByteReader(bytes)
    var found: [MetadataItem] = []
    for _ in 0..<min(count, 10_000) where reader.remaining > 8 {
      let size = Int(reader.littleUInt32())
      let flags = reader.littleUInt32()
      let key = reader.terminatedString()
      let value = bytes[reader.range(size)]
      guard !reader.isExhausted else { break }
      let isBinary = flags >> 1 & 3 == 1
      guard isBinary else {
        // A list of texts is parted by NULs.
        for text in value.split(separator: 0, omittingEmptySubsequences: false) {
          found.append(
            MetadataItem(
              keySpace: .ape, key: key, value: .string(String(decoding: text, as: UTF8.self)), dataType: .utf8))
        }
        continue
      }
      // Pictures have their file's name before them.
      var data = value
      var extra: [MetadataItem.ExtraAttribute: String] = [:]
      if key.lowercased().hasPrefix("cover art"), let end = value.firstIndex(of: 0) {
        extra[.fileName] = String(decoding: value[..<end], as: UTF8.self)
        data = value[(end + 1)...]
      }
      found.append(
        MetadataItem(
          keySpace: .ape, key: key, value: .data(Data(data)), dataType: MetadataDataType(sniffing: data),
          extraAttributes: extra))
    }
    return found
  }
}

/// The 32 bytes at the end, or the beginning, of an APE tag.
private struct APEFooter {
  /// Without a header, with the footer.
  var size: Int
  var count: Int
  var isHeader: Bool

  init?(_ bytes: [UInt8]) {
    guard bytes.count == 32, bytes.starts(with: "APETAGEX".utf8) else { return nil }
    var reader = ByteReader(bytes, in: 12..<32)
    size = Int(reader.littleUInt32())
    count = Int(reader.littleUInt32())
    isHeader = reader.littleUInt32() & 0x2000_0000 != 0
  }
}
