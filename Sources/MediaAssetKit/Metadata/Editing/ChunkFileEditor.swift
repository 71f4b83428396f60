import FoundationEssentials
import ISOMedia

/// Edits the information chunks of WAV, AVI and AIFF files; every other chunk stays.
enum ChunkFileEditor {
  private struct Chunk {
    var name: String
    /// With the header, and the byte that pads an odd length.
    var range: Range<Int64>
    var count: Int
  }

  private static let maximumChunks = 100_000

  // MARK: - RIFF

  /// - Parameter keepsPlaces: Nothing may move, as in AVI, whose indexes say where the frames lie; the sound of WAV may.
  static func riff(
    _ plan: inout MetadataPlan, _ source: inout SourceBytes, keepsPlaces: Bool
  ) throws -> [FilePiece] {
    let size = source.size ?? 0
    let head = try source.bytes(at: 0, count: 12)
    guard head.count == 12, head.starts(with: "RIFF".utf8) else {
      throw EditingFailure(
        code: .operationNotSupported, reason: "tags of RF64 and other large forms of RIFF can't be written",
        remedy: "Export to another container")
    }
    let chunks = try chunks(&source, size, isBig: false)
    if keepsPlaces, chunks.contains(where: { $0.name == "RIFF" }) {
      throw EditingFailure(
        code: .operationNotSupported, reason: "tags of AVI files of several parts can't be written",
        remedy: "Export to another container")
    }
    if keepsPlaces, plan.chapters != nil { plan.lose("chapters", "AVI has none") }
    var (info, tag) = (InfoList(), ID3TagEditor(version: 4))
    var replaced: [Chunk] = []
    for chunk in chunks where chunk.count <= source.maximumBytes {
      let content = chunk.range.lowerBound + 8
      if chunk.name == "LIST", try source.bytes(at: content, count: 4).elementsEqual("INFO".utf8) {
        info.read(try source.bytes(at: content + 4, count: chunk.count - 4))
        replaced.append(chunk)
      } else if chunk.name.uppercased() == "ID3 ", let found = ID3Tag(try source.bytes(at: content, count: chunk.count))
      {
        tag = ID3TagEditor(found)
        replaced.append(chunk)
      }
    }
    for change in plan.changes(in: .riffInfo) { try info.apply(change) }
    let hasTag = !tag.isEmpty
    if !keepsPlaces { try ID3FileEditor.apply(&plan, to: &tag) }
    var new: [UInt8] = []
    let list = info.bytes
    if !list.isEmpty { new += Self.chunk("LIST", Array("INFO".utf8) + list, isBig: false) }
    if hasTag || !tag.isEmpty {
      let bytes = try tag.bytes()
      if !bytes.isEmpty { new += Self.chunk("id3 ", bytes, isBig: false) }
    }
    return try assemble("RIFF", head, chunks, replaced, new, size, isBig: false, keepsPlaces: keepsPlaces)
  }

  // MARK: - AIFF

  static func aiff(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece] {
    let size = source.size ?? 0
    let head = try source.bytes(at: 0, count: 12)
    guard head.count == 12, head.starts(with: "FORM".utf8) else { throw EditingFailure.damaged("the form is damaged") }
    let chunks = try chunks(&source, size, isBig: true)
    let texts = plan.changes(in: .audioFile)
    var tag = ID3TagEditor(version: 4)
    var replaced: [Chunk] = []
    for chunk in chunks where chunk.count <= source.maximumBytes {
      if chunk.name.uppercased() == "ID3 ",
        let found = ID3Tag(try source.bytes(at: chunk.range.lowerBound + 8, count: chunk.count))
      {
        tag = ID3TagEditor(found)
        replaced.append(chunk)
      } else if texts.contains(where: { $0.key == chunk.name }) {
        replaced.append(chunk)
      }
    }
    try ID3FileEditor.apply(&plan, to: &tag)
    var new: [UInt8] = []
    for change in texts {
      guard ["NAME", "AUTH", "(c) ", "ANNO"].contains(change.key) else {
        throw EditingFailure.value(change.identifier.rawValue, "AIFF has NAME, AUTH, (c) and ANNO")
      }
      for item in change.items {
        new += Self.chunk(change.key, Array((item.value.string ?? "").utf8), isBig: true)
      }
    }
    let bytes = try tag.bytes()
    if !bytes.isEmpty { new += Self.chunk("ID3 ", bytes, isBig: true) }
    return try assemble("FORM", head, chunks, replaced, new, size, isBig: true, keepsPlaces: false)
  }

  // MARK: - Chunks

  private static func chunks(_ source: inout SourceBytes, _ size: Int64, isBig: Bool) throws -> [Chunk] {
    var chunks: [Chunk] = []
    var position: Int64 = 12
    while chunks.count < maximumChunks {
      let head = try source.bytes(at: position, count: 8)
      guard head.count == 8 else { break }
      let digits = head[4..<8]
      let count = isBig ? digits.reduce(0) { $0 << 8 | Int($1) } : digits.reversed().reduce(0) { $0 << 8 | Int($1) }
      // Sound whose length was never filled in lasts to the end.
      let end = min(size, position + 8 + Int64(count + count & 1))
      chunks.append(
        Chunk(name: String(decoding: head.prefix(4), as: UTF8.self), range: position..<end, count: count))
      position = end
    }
    return chunks
  }

  private static func chunk(_ name: String, _ content: [UInt8], isBig: Bool) -> [UInt8] {
    Array(name.utf8) + length(content.count, isBig) + content + (content.count & 1 == 1 ? [0] : [])
  }

  private static func length(_ count: Int, _ isBig: Bool) -> [UInt8] {
    isBig ? count.bigEndianBytes(4) : count.littleEndianBytes(4)
  }

  /// The file without the chunks that are replaced, and the new ones behind the others.
  private static func assemble(
    _ form: String, _ head: [UInt8], _ chunks: [Chunk], _ replaced: [Chunk], _ new: [UInt8], _ size: Int64, isBig: Bool,
    keepsPlaces: Bool
  ) throws -> [FilePiece] {
    var pieces: [FilePiece] = []
    var copied: Int64 = 12
    for chunk in replaced {
      if copied < chunk.range.lowerBound { pieces.append(.source(copied..<chunk.range.lowerBound)) }
      if keepsPlaces {
        pieces.append(.bytes(self.chunk("JUNK", [UInt8](repeating: 0, count: chunk.count), isBig: isBig)))
      }
      copied = chunk.range.upperBound
    }
    if copied < size { pieces.append(.source(copied..<size)) }
    var total = keepsPlaces ? size : replaced.reduce(size) { $0 - Int64($1.range.count) }
    // A last chunk of odd length may have lost its padding.
    if let last = chunks.last, last.count & 1 == 1, last.range.count == 8 + last.count,
      replaced.last?.range != last.range
    {
      pieces.append(.bytes([0]))
      total += 1
    }
    total += Int64(new.count)
    guard total - 8 <= Int64(UInt32.max) else {
      throw EditingFailure(code: .operationNotSupported, reason: "the file would be larger than 4 GiB")
    }
    pieces.append(.bytes(new))
    return [.bytes(Array(form.utf8) + length(Int(total - 8), isBig) + head[8..<12])] + pieces
  }
}

/// Texts of a `LIST` of `INFO`.
private struct InfoList {
  private var entries: [(key: String, text: [UInt8])] = []

  mutating func read(_ bytes: [UInt8]) {
    var position = 0
    while position + 8 <= bytes.count, entries.count < 10_000 {
      let key = String(String.UnicodeScalarView(bytes[position..<position + 4].map { Unicode.Scalar($0) }))
      let count = bytes[position + 4..<position + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
      let end = min(bytes.count, position + 8 + count)
      entries.append((key, Array(bytes[position + 8..<end])))
      position = end + (count & 1)
    }
  }

  mutating func apply(_ change: MetadataPlan.Change) throws {
    guard change.key.unicodeScalars.count == 4,
      change.key.unicodeScalars.allSatisfy({ (0x20..<0x7F).contains($0.value) })
    else { throw EditingFailure.value(change.identifier.rawValue, "it is no four characters") }
    let place = entries.firstIndex { $0.key == change.key } ?? entries.count
    let new = try change.items.map { item in
      guard let text = item.value.string else {
        throw EditingFailure.value(item.identifier.rawValue, "only text can be stored here")
      }
      return (change.key, Array(text.utf8) + [0])
    }
    let after = entries[place...].filter { $0.key != change.key }
    entries = entries[..<place] + new + after
  }

  var bytes: [UInt8] {
    entries.flatMap { entry in
      let count = entry.text.count
      return Array(entry.key.utf8) + count.littleEndianBytes(4) + entry.text
        + (count & 1 == 1 ? [0] : [])
    }
  }
}
