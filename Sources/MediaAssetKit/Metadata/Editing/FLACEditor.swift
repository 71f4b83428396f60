import ISOMedia

/// Edits the comments and pictures of a FLAC file; every other block, and the sound, stay.
enum FLACEditor {
  private struct Block {
    var type: UInt8
    var content: Content
    var count: Int {
      switch content {
      case .bytes(let bytes): bytes.count
      case .source(let range): range.count
      }
    }
  }

  private enum Content {
    case bytes([UInt8])
    case source(Range<Int64>)
  }

  private static let comments: UInt8 = 4
  private static let picture: UInt8 = 6
  private static let padding: UInt8 = 1

  static func pieces(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece] {
    let size = source.size ?? 0
    var start: Int64 = 0
    for _ in 0..<8 {
      if let tag = ID3Tag.size(try source.bytes(at: start, count: 10)) { start += Int64(tag) } else { break }
    }
    guard try source.bytes(at: start, count: 4).elementsEqual("fLaC".utf8) else {
      throw EditingFailure.damaged("the blocks of metadata can't be found")
    }
    var (blocks, end) = try read(&source, at: start + 4, size)
    let room = Int(end - start)
    try change(&blocks, &plan, &source)
    // What padding there was takes up the difference.
    blocks.removeAll { $0.type == padding }
    let used = 4 + blocks.reduce(0) { $0 + 4 + $1.count }
    if room - used >= 4 {
      var left = room - used
      while left > 0 {
        var count = min(left - 4, 0xFF_FFFF)
        // The rest has to hold another block's header.
        if left - 4 - count > 0, left - 4 - count < 4 { count -= 4 }
        blocks.append(Block(type: padding, content: .bytes([UInt8](repeating: 0, count: count))))
        left -= count + 4
      }
    }
    var pieces: [FilePiece] = [.source(0..<start + 4)]
    for (index, block) in blocks.enumerated() {
      guard block.count <= 0xFF_FFFF else {
        throw EditingFailure.value(
          block.type == picture ? "vorb/METADATA_BLOCK_PICTURE" : "vorb", "a FLAC file holds no more than 16 MiB of it")
      }
      let flag: UInt8 = index == blocks.count - 1 ? 0x80 : 0
      pieces.append(.bytes([block.type | flag] + block.count.bigEndianBytes(3)))
      switch block.content {
      case .bytes(let bytes): pieces.append(.bytes(bytes))
      case .source(let range): pieces.append(.source(range))
      }
    }
    return pieces + [.source(end..<size)]
  }

  private static func read(
    _ source: inout SourceBytes, at offset: Int64, _ size: Int64
  ) throws -> (blocks: [Block], end: Int64) {
    var blocks: [Block] = []
    var position = offset
    while blocks.count < 10_000 {
      let head = try source.bytes(at: position, count: 4)
      guard head.count == 4, head[0] & 0x7F != 127 else { break }
      let count = Int64(head[1]) << 16 | Int64(head[2]) << 8 | Int64(head[3])
      guard position + 4 + count <= size else { break }
      blocks.append(Block(type: head[0] & 0x7F, content: .source(position + 4..<position + 4 + count)))
      position += 4 + count
      if head[0] & 0x80 != 0 {
        guard blocks.first?.type == 0 else { break }
        return (blocks, position)
      }
    }
    throw EditingFailure.damaged("the blocks of metadata are damaged")
  }

  private static func change(
    _ blocks: inout [Block], _ plan: inout MetadataPlan, _ source: inout SourceBytes
  ) throws {
    var editor = VorbisCommentEditor(vendor: "MediaAssetKit")
    var place = 1
    if let index = blocks.firstIndex(where: { $0.type == comments }), case .source(let range) = blocks[index].content {
      guard let found = VorbisCommentEditor(try source.bytes(at: range.lowerBound, count: range.count)) else {
        throw EditingFailure.damaged("the comments are damaged")
      }
      (editor, place) = (found, index)
      blocks.removeAll { $0.type == comments }
    }
    editor.holdsPictures = false
    try editor.apply(&plan)
    blocks.insert(Block(type: comments, content: .bytes(try editor.bytes())), at: min(place, blocks.count))
    let key = MetadataIdentifier(key: "METADATA_BLOCK_PICTURE", keySpace: .vorbisComment)
    guard let change = plan.changes.first(where: { $0.identifier == key }) else { return }
    let index = blocks.firstIndex { $0.type == picture } ?? blocks.count
    blocks.removeAll { $0.type == picture }
    for item in change.items {
      guard case .data = item.value else { throw EditingFailure.value(key.rawValue, "a picture is wanted") }
    }
    blocks.insert(
      contentsOf: change.items.map { Block(type: picture, content: .bytes(FLACPicture.bytes(of: $0))) },
      at: min(index, blocks.count))
  }
}
