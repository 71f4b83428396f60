import FoundationEssentials
import ISOMedia

/// A block of Vorbis comments to change: comments that nobody asked about keep their bytes and their order.
struct VorbisCommentEditor {
  private var vendor: [UInt8]
  private var comments: [[UInt8]] = []
  /// What followed the comments: Vorbis' framing bit, data of later versions of Opus.
  private let rest: [UInt8]
  /// Whether pictures are comments (Ogg), or blocks of their own (FLAC).
  var holdsPictures = true

  /// - Parameter vendor: Of a file that had no comments.
  init(vendor: String) {
    self.vendor = Array(vendor.utf8)
    rest = []
  }

  /// nil for a block that is cut off.
  init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    vendor = Array(bytes[reader.range(Int(reader.littleUInt32()))])
    let count = Int(reader.littleUInt32())
    guard !reader.isExhausted, count <= VorbisComments.maximumComments else { return nil }
    for _ in 0..<count {
      comments.append(Array(bytes[reader.range(Int(reader.littleUInt32()))]))
      guard !reader.isExhausted else { return nil }
    }
    rest = Array(bytes[reader.rest])
  }

  private static func key(of comment: [UInt8]) -> String? {
    guard let equals = comment.firstIndex(of: UInt8(ascii: "=")) else { return nil }
    return String(decoding: comment[..<equals], as: UTF8.self).uppercased()
  }

  func contains(_ key: String) -> Bool { comments.contains { Self.key(of: $0) == key } }

  mutating func apply(_ plan: inout MetadataPlan) throws {
    for change in plan.changes(in: .vorbisComment) { try apply(change) }
    guard let lists = plan.chapters else { return }
    let filled = lists.filter { !$0.chapters.isEmpty }
    if filled.count > 1 {
      plan.lose("chapters", "Vorbis comments have chapters in one language only: the first one is written")
    }
    try setChapters((filled.first?.chapters ?? []).flattened, &plan)
  }

  private mutating func apply(_ change: MetadataPlan.Change) throws {
    let key = change.key.uppercased()
    guard !key.isEmpty, key.utf8.allSatisfy({ (0x20...0x7D).contains($0) && $0 != UInt8(ascii: "=") }) else {
      throw EditingFailure.value(change.identifier.rawValue, "keys are printable ASCII without an equals sign")
    }
    let place = comments.firstIndex { Self.key(of: $0) == key } ?? comments.count
    let before = comments[..<place]
    let after = comments[place...].filter { Self.key(of: $0) != key }
    var new: [[UInt8]] = []
    if key != "METADATA_BLOCK_PICTURE" || holdsPictures {
      for item in change.items { new.append(Array((key + "=" + (try Self.text(of: item))).utf8)) }
    }
    comments = before + new + after
  }

  private static func text(of item: MetadataItem) throws -> String {
    guard case .data(let data) = item.value else { return item.value.string ?? "" }
    switch item.key.uppercased() {
    case "METADATA_BLOCK_PICTURE": return Data(FLACPicture.bytes(of: item)).base64EncodedString()
    case "COVERART": return data.base64EncodedString()
    default: throw EditingFailure.value(item.identifier.rawValue, "only text can be stored here")
    }
  }

  private mutating func setChapters(_ chapters: [StoredChapter], _ plan: inout MetadataPlan) throws {
    comments.removeAll { Self.key(of: $0).map(VorbisComments.isChapterField) == true }
    var isRounded = false
    // Three digits, as FFmpeg reads them; those behind the 999th have more.
    for (index, chapter) in chapters.enumerated() {
      let digits = String(index + 1)
      let name = "CHAPTER" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
      let half = Rational(1, 2000) ?? .zero
      let time = Rational.floor(chapter.start + half, in: Rational(1, 1000) ?? .one)
      isRounded = isRounded || 1000 % chapter.start.denominator != 0
      comments.append(Array((name + "=" + Self.clock(time)).utf8))
      comments.append(Array((name + "NAME=" + (chapter.titles.first?.text ?? "")).utf8))
    }
    if isRounded { plan.lose("chapters", "times are rounded to milliseconds") }
    let hasGaps = zip(chapters, chapters.dropFirst()).contains {
      $0.0.end.map { [next = $0.1.start] in $0 < next } ?? false
    }
    if hasGaps { plan.lose("chapters", "Vorbis comments have no ends of chapters: each lasts until the next") }
  }

  /// `HH:MM:SS.mmm`.
  private static func clock(_ milliseconds: Int64) -> String {
    func padded(_ number: Int64, _ width: Int) -> String {
      let digits = String(number)
      return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
    let seconds = milliseconds / 1000
    return padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":" + padded(seconds % 60, 2) + "."
      + padded(milliseconds % 1000, 3)
  }

  /// The block; `end` takes the place of what is missing behind it.
  func bytes(endingWith end: [UInt8] = []) throws -> [UInt8] {
    var bytes = vendor.count.littleEndianBytes(4) + vendor + comments.count.littleEndianBytes(4)
    for comment in comments {
      guard comment.count < 1 << 31 else { throw EditingFailure.value("vorb", "a comment is larger than 2 GiB") }
      bytes += comment.count.littleEndianBytes(4) + comment
    }
    return bytes + (rest.isEmpty ? end : rest)
  }
}

extension FLACPicture {
  /// The block of a picture item, as FLAC has it and comments carry it.
  static func bytes(of item: MetadataItem) -> [UInt8] {
    let data = Array(item.dataValue ?? Data())
    func word(_ number: Int) -> [UInt8] { number.bigEndianBytes(4) }
    let mime = Array((item.mimeType ?? "application/octet-stream").utf8)
    let info = Array((item.extraAttributes[.info] ?? "").utf8)
    let type = ID3Picture.type(named: item.extraAttributes[.pictureType] ?? "Cover (front)")
    let (width, height, depth) = size(of: data)
    return word(Int(type)) + word(mime.count) + mime + word(info.count) + info + word(width) + word(height)
      + word(depth)
      + word(0) + word(data.count) + data
  }

  /// Width, height and bits a pixel by a PNG's header; zeros say that they are not known.
  private static func size(of data: [UInt8]) -> (Int, Int, Int) {
    guard MetadataDataType(sniffing: data) == .png, data.count >= 26 else { return (0, 0, 0) }
    func number(_ place: Int) -> Int { data[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let channels = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][Int(data[25])] ?? 0
    return (number(16), number(20), Int(data[24]) * channels)
  }
}
