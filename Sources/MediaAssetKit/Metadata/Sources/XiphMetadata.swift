import ISOMedia

/// Comments of FLAC files and of the streams of an Ogg file.
enum XiphMetadata {
  /// Metadata blocks of a FLAC file, whose `fLaC` stands at an offset.
  static func flac(_ source: inout SourceBytes, at offset: Int64) throws -> FileMetadata {
    var found = FileMetadata()
    guard try source.bytes(at: offset, count: 4).elementsEqual("fLaC".utf8) else { return found }
    var position = offset + 4
    for _ in 0..<10_000 {
      let head = try source.bytes(at: position, count: 4)
      guard head.count == 4 else { break }
      let size = Int(head[1]) << 16 | Int(head[2]) << 8 | Int(head[3])
      let type = head[0] & 0x7F
      if type == 4 || type == 6 { found.appendBlock(type, try source.bytes(at: position + 4, count: size)) }
      if head[0] & 0x80 != 0 || type == 127 { break }
      position += 4 + Int64(size)
    }
    return found
  }

  /// The comment packets of all streams that begin at the start of an Ogg file.
  static func ogg(_ source: inout SourceBytes) throws -> FileMetadata {
    var found = FileMetadata()
    var streams: [UInt32: OggStream] = [:]
    var order: [UInt32] = []
    var position: Int64 = 0
    var total = 0
    for page in 0..<65_536 {
      let head = try source.bytes(at: position, count: 27)
      guard head.count == 27, head.starts(with: "OggS".utf8) else { break }
      let segments = try source.bytes(at: position + 27, count: Int(head[26]))
      guard segments.count == Int(head[26]) else { break }
      let size = segments.reduce(0) { $0 + Int($1) }
      let serial = head[14..<18].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let isBeginning = head[5] & 2 != 0
      if isBeginning, streams[serial] == nil, streams.count < 256 {
        streams[serial] = OggStream()
        order.append(serial)
      }
      if streams[serial]?.isFinished == false {
        total += size
        guard total <= source.maximumBytes else { break }
        let body = try source.bytes(at: position + 27 + Int64(segments.count), count: size)
        streams[serial]?.append(body, segments: segments)
      }
      // All streams begin before any goes on.
      if !isBeginning, page > 0, streams.values.allSatisfy(\.isFinished) { break }
      position += 27 + Int64(segments.count) + Int64(size)
    }
    for serial in order { streams[serial]?.take(into: &found) }
    return found
  }
}

/// One logical stream of an Ogg file, up to its comments.
private struct OggStream {
  private var packets: [[UInt8]] = []
  private var partial: [UInt8] = []
  private(set) var isFinished = false

  mutating func append(_ body: [UInt8], segments: [UInt8]) {
    var start = 0
    for lacing in segments {
      guard !isFinished else { return }
      let end = min(start + Int(lacing), body.count)
      partial += body[start..<end]
      start = end
      guard lacing < 255 else { continue }
      packets.append(partial)
      partial = []
      isFinished = isEnough
    }
  }

  private var isFLAC: Bool { packets.first?.starts(with: [0x7F] + Array("FLAC".utf8)) == true }

  private var isEnough: Bool {
    guard isFLAC else { return packets.count >= 2 || packets.first.map(Self.hasNoComments) == true }
    // Blocks follow until one says that it is the last, or sound begins.
    guard packets.count > 1, let last = packets.last?.first else { return false }
    return last & 0x80 != 0 || packets.count > 1000
  }

  /// Streams that are none of the codecs with comments (Skeleton, Kate, OGM).
  private static func hasNoComments(_ packet: [UInt8]) -> Bool {
    let known: [[UInt8]] = [
      [1] + Array("vorbis".utf8), Array("OpusHead".utf8), [0x80] + Array("theora".utf8), Array("Speex   ".utf8),
      [0x7F] + Array("FLAC".utf8),
    ]
    return !known.contains { packet.starts(with: $0) }
  }

  func take(into found: inout FileMetadata) {
    if isFLAC {
      for packet in packets.dropFirst() {
        guard let type = packet.first.map({ $0 & 0x7F }), packet.count > 4 else { continue }
        found.appendBlock(type, Array(packet.dropFirst(4)))
      }
      return
    }
    guard packets.count > 1 else { return }
    let packet = packets[1]
    let prefixes: [[UInt8]] = [
      [3] + Array("vorbis".utf8), Array("OpusTags".utf8), [0x81] + Array("theora".utf8),
    ]
    let start = prefixes.first { packet.starts(with: $0) }?.count ?? (packets[0].starts(with: "Speex".utf8) ? 0 : nil)
    guard let start else { return }
    found.append(VorbisComments(packet, in: start..<packet.count))
  }
}

extension FileMetadata {
  mutating func append(_ comments: VorbisComments) {
    items += comments.items
    let chapters = comments.chapters
    if !chapters.isEmpty { self.chapters.append(ChapterList(language: nil, chapters: chapters)) }
  }

  /// A FLAC metadata block: 4 comments, 6 a picture.
  mutating func appendBlock(_ type: UInt8, _ bytes: [UInt8]) {
    if type == 4 { append(VorbisComments(bytes)) }
    if type == 6, let picture = FLACPicture(bytes) { items.append(picture.item) }
  }
}
