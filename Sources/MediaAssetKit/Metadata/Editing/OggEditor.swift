import ISOMedia

/// Edits the comments of a stream of an Ogg file: its header packets are paged anew, the pages behind them are numbered on.
enum OggEditor {
  /// The headers of one stream.
  private struct Stream {
    var serial: UInt32
    var packets: [[UInt8]] = []
    var partial: [UInt8] = []
    /// Pages of the headers, behind the first one.
    var pages: [Range<Int64>] = []
    /// What follows the last header on its page.
    var rest: (segments: [UInt8], body: [UInt8], granule: [UInt8], flags: UInt8)?
    var isFinished = false
    var lastSequence: UInt32 = 0

    var kind: Kind? { packets.first.flatMap(Kind.init) }
  }

  private enum Kind {
    case vorbis, theora, opus, speex, flac

    init?(_ packet: [UInt8]) {
      if packet.starts(with: [1] + Array("vorbis".utf8)) {
        self = .vorbis
      } else if packet.starts(with: [0x80] + Array("theora".utf8)) {
        self = .theora
      } else if packet.starts(with: "OpusHead".utf8) {
        self = .opus
      } else if packet.starts(with: "Speex   ".utf8) {
        self = .speex
      } else if packet.starts(with: [0x7F] + Array("FLAC".utf8)) {
        self = .flac
      } else {
        return nil
      }
    }

    /// What stands before the comments in their packet.
    var prefix: [UInt8] {
      switch self {
      case .vorbis: [3] + Array("vorbis".utf8)
      case .theora: [0x81] + Array("theora".utf8)
      case .opus: Array("OpusTags".utf8)
      case .speex, .flac: []
      }
    }

    /// Whether all headers are there.
    func isComplete(_ packets: [[UInt8]]) -> Bool {
      switch self {
      case .vorbis, .theora: return packets.count == 3
      case .opus: return packets.count == 2
      case .speex:
        let extra = packets[0].count >= 72 ? packets[0][68..<72].reversed().reduce(0) { $0 << 8 | Int($1) } : 0
        return packets.count >= 2 + min(extra, 100)
      case .flac: return packets.count > 1 && packets[packets.count - 1].first.map { $0 & 0x80 != 0 } == true
      }
    }
  }

  static func pieces(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece] {
    let size = source.size ?? 0
    let (streams, order, end) = try readHeaders(&source, size)
    let known = order.compactMap { streams[$0] }.filter { $0.kind != nil && $0.packets.count > 1 }
    guard !known.isEmpty, known.allSatisfy(\.isFinished) else {
      throw EditingFailure.damaged("the headers of its streams are not all there")
    }
    // Sound is what people tag; of several streams the one that has such comments already.
    let index =
      known.firstIndex { stream in
        plan.changes.contains { change in editor(of: stream)?.contains(change.key) == true }
      } ?? known.firstIndex { $0.kind != .theora } ?? 0
    let stream = known[index]
    if known.count > 1 { plan.lose("vorb", "only one of the file's \(known.count) streams has its comments changed") }
    return try rewrite(stream, end, size, &plan, &source)
  }

  private static func readHeaders(
    _ source: inout SourceBytes, _ size: Int64
  ) throws -> (streams: [UInt32: Stream], order: [UInt32], end: Int64) {
    var streams: [UInt32: Stream] = [:]
    var order: [UInt32] = []
    var position: Int64 = 0
    var total = 0
    for page in 0..<65_536 {
      guard let header = OggPages.Header(try source.bytes(at: position, count: 282)) else { break }
      let range = position..<position + Int64(header.headerSize + header.bodySize)
      guard range.upperBound <= size else { break }
      if header.isBeginning, streams[header.serial] == nil, streams.count < 256 {
        streams[header.serial] = Stream(serial: header.serial)
        order.append(header.serial)
      }
      if var stream = streams[header.serial], !stream.isFinished {
        total += header.bodySize
        guard total <= source.maximumBytes else { throw EditingFailure.damaged("its headers are too large") }
        let body = try source.bytes(at: position + Int64(header.headerSize), count: header.bodySize)
        take(header, body, range, into: &stream)
        streams[header.serial] = stream
      }
      position = range.upperBound
      if !header.isBeginning, page > 0, streams.values.allSatisfy(\.isFinished) { break }
    }
    return (streams, order, position)
  }

  private static func take(_ header: OggPages.Header, _ body: [UInt8], _ range: Range<Int64>, into stream: inout Stream)
  {
    if !header.isBeginning { stream.pages.append(range) }
    stream.lastSequence = header.sequence
    var start = 0
    for (index, lacing) in header.segments.enumerated() {
      let end = start + Int(lacing)
      stream.partial += body[start..<end]
      start = end
      guard lacing < 255 else { continue }
      stream.packets.append(stream.partial)
      stream.partial = []
      guard let kind = stream.kind else {
        stream.isFinished = true
        return
      }
      guard kind.isComplete(stream.packets) else { continue }
      stream.isFinished = true
      if index + 1 < header.segments.count {
        stream.rest = (Array(header.segments[(index + 1)...]), Array(body[start...]), header.granule, header.flags & 4)
      }
      return
    }
  }

  private static func editor(of stream: Stream) -> VorbisCommentEditor? {
    guard let kind = stream.kind, stream.packets.count > 1 else { return nil }
    let packet = stream.packets[1]
    let start = kind == .flac ? 4 : kind.prefix.count
    guard packet.count >= start, packet.starts(with: kind.prefix) else { return nil }
    return VorbisCommentEditor(packet, in: start..<packet.count)
  }

  private static func rewrite(
    _ stream: Stream, _ end: Int64, _ size: Int64, _ plan: inout MetadataPlan, _ source: inout SourceBytes
  ) throws -> [FilePiece] {
    guard let kind = stream.kind, var editor = editor(of: stream) else {
      throw EditingFailure.damaged("the comments are damaged")
    }
    try editor.apply(&plan)
    var packets = stream.packets
    var content = kind.prefix + (try editor.bytes(endingWith: kind == .vorbis ? [1] : []))
    if kind == .flac {
      guard content.count <= 0xFF_FFFF else {
        throw EditingFailure.value("vorb", "a block of FLAC holds no more than 16 MiB")
      }
      if plan.changes.contains(where: { $0.key == "METADATA_BLOCK_PICTURE" }) {
        // Pictures that were blocks are comments from now on.
        packets = packets.enumerated().filter { $0.offset < 2 || $0.element.first.map { $0 & 0x7F } != 6 }.map(
          \.element)
      }
      content = [4] + content.count.bigEndianBytes(3) + content
      for index in packets.indices.dropFirst() where !packets[index].isEmpty { packets[index][0] &= 0x7F }
    }
    packets[1] = content
    if kind == .flac { packets[packets.count - 1][0] |= 0x80 }
    guard let first = stream.pages.first,
      let firstHeader = OggPages.Header(try source.bytes(at: first.lowerBound, count: 282))
    else { throw EditingFailure.damaged("the comments share a page with the first header") }
    var pages = OggPages.pages(Array(packets.dropFirst()), serial: stream.serial, firstSequence: firstHeader.sequence)
    if let rest = stream.rest {
      pages.append(
        OggPages.page(
          flags: rest.flags, granule: rest.granule, serial: stream.serial,
          sequence: firstHeader.sequence &+ UInt32(pages.count), segments: rest.segments, body: rest.body))
    }
    let shift = firstHeader.sequence &+ UInt32(pages.count) &- (stream.lastSequence &+ 1)
    var pieces: [FilePiece] = []
    var copied: Int64 = 0
    if kind == .flac, packets.count != stream.packets.count, var page = try firstPage(of: stream, &source) {
      // The first header counts the others.
      let place = 27 + page.bytes.count - page.body + 7
      let count = packets.count - 1
      (page.bytes[place - 27], page.bytes[place - 26]) = (UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF))
      OggPages.seal(&page.bytes)
      pieces += [.source(0..<page.offset), .bytes(page.bytes)]
      copied = page.offset + Int64(page.bytes.count)
    }
    for (index, range) in stream.pages.enumerated() {
      if copied < range.lowerBound { pieces.append(.source(copied..<range.lowerBound)) }
      if index == 0 { pieces += pages.map { .bytes($0) } }
      copied = range.upperBound
    }
    let last = max(copied, end)
    if copied < last { pieces.append(.source(copied..<last)) }
    return pieces + [shift == 0 ? .source(last..<size) : .pages(last..<size, shifts: [stream.serial: shift])]
  }

  /// The page that a stream begins with.
  private static func firstPage(
    of stream: Stream, _ source: inout SourceBytes
  ) throws -> (offset: Int64, bytes: [UInt8], body: Int)? {
    var offset: Int64 = 0
    for _ in 0..<256 {
      guard let header = OggPages.Header(try source.bytes(at: offset, count: 282)) else { return nil }
      let count = header.headerSize + header.bodySize
      if header.serial == stream.serial {
        return (offset, try source.bytes(at: offset, count: count), header.bodySize)
      }
      offset += Int64(count)
    }
    return nil
  }
}
