import FoundationEssentials
import ISOMedia

/// The comments of Vorbis, Opus, FLAC, Theora and Speex: `KEY=value` in UTF-8.
struct VorbisComments {
  private(set) var items: [MetadataItem] = []
  private var chapterFields: [String: String] = [:]

  /// More comments than anybody wrote; a chapter takes two or three.
  static let maximumComments = 100_000

  /// Reads a comment block without the packet type before it.
  init(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    reader.skip(Int(reader.littleUInt32()))
    let count = min(Int(reader.littleUInt32()), Self.maximumComments)
    for _ in 0..<count where reader.remaining >= 4 {
      let comment = bytes[reader.range(Int(reader.littleUInt32()))]
      guard !reader.isExhausted else { return }
      guard let equals = comment.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let key = String(decoding: comment[..<equals], as: UTF8.self).uppercased()
      let value = comment[(equals + 1)...]
      append(key, String(decoding: value, as: UTF8.self))
    }
  }

  private mutating func append(_ key: String, _ value: String) {
    if Self.isChapterField(key) {
      chapterFields[key] = value
    } else if key == "METADATA_BLOCK_PICTURE", let data = Data(base64Encoded: value, options: .ignoreUnknownCharacters)
    {
      if let item = FLACPicture(Array(data))?.item { items.append(item) }
    } else if key == "COVERART", let data = Data(base64Encoded: value, options: .ignoreUnknownCharacters) {
      items.append(
        MetadataItem(
          keySpace: .vorbisComment, key: key, value: .data(data), dataType: MetadataDataType(sniffing: data)))
    } else {
      items.append(MetadataItem(keySpace: .vorbisComment, key: key, value: .string(value), dataType: .utf8))
    }
  }

  /// `CHAPTER001`, `CHAPTER001NAME`, `CHAPTER001URL`.
  static func isChapterField(_ key: String) -> Bool {
    guard key.hasPrefix("CHAPTER") else { return false }
    let rest = key.dropFirst("CHAPTER".count)
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    return !digits.isEmpty && ["", "NAME", "URL"].contains(rest.dropFirst(digits.count))
  }

  /// The chapters in the order of their times.
  var chapters: [StoredChapter] {
    let found = chapterFields.compactMap { key, value -> StoredChapter? in
      guard key.last?.isNumber == true, let start = Self.time(value) else { return nil }
      let name = chapterFields[key + "NAME"]
      return StoredChapter(start: start, titles: name.map { [.init(text: $0, language: nil)] } ?? [])
    }
    return found.sorted { ($0.start, $0.titles.first?.text ?? "") < ($1.start, $1.titles.first?.text ?? "") }
  }

  /// `HH:MM:SS.mmm`.
  private static func time(_ text: String) -> Rational? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      (0..<1_000_000).contains(hours), (0..<60).contains(minutes)
    else { return nil }
    let seconds = parts[2].split(separator: ".", maxSplits: 1)
    guard let whole = seconds.first.flatMap({ Int64($0) }), (0..<61).contains(whole) else { return nil }
    var fraction = Rational.zero
    if seconds.count > 1 {
      let digits = seconds[1].prefix(9)
      guard let number = Int64(digits), number >= 0 else { return nil }
      var unit: Int64 = 1
      for _ in digits { unit *= 10 }
      fraction = Rational(number, unit) ?? .zero
    }
    return Rational(hours * 3600 + minutes * 60 + whole) + fraction
  }
}

/// A picture block of FLAC, which Vorbis comments carry too.
struct FLACPicture {
  let item: MetadataItem

  init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    let type = reader.uint32()
    let mime = String(decoding: bytes[reader.range(Int(reader.uint32()))], as: UTF8.self)
    let description = String(decoding: bytes[reader.range(Int(reader.uint32()))], as: UTF8.self)
    reader.skip(16)
    let claimed = Int(reader.uint32())
    guard !reader.isExhausted else { return nil }
    // Pictures above 16 MiB overflow the block's size but not their own.
    let data = bytes[reader.range(min(claimed, reader.remaining))]
    guard !data.isEmpty else { return nil }
    var extra: [MetadataItem.ExtraAttribute: String] = [
      .pictureType: ID3Picture.typeName(UInt8(clamping: type)), .mimeType: mime,
    ]
    if !description.isEmpty { extra[.info] = description }
    item = MetadataItem(
      keySpace: .vorbisComment, key: "METADATA_BLOCK_PICTURE", value: .data(Data(data)),
      dataType: MetadataDataType(sniffing: data), extraAttributes: extra)
  }
}
