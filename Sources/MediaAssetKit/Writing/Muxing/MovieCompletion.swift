import ISOMedia

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The last steps on a QuickTime or MPEG-4 file: its header with what libav can't write, at the place asked for.
struct MovieCompletion {
  let output: OutputFile
  let path: String
  var tagging: MovieTagging?

  private struct Extent {
    var offset: Int64
    var size: Int64
  }

  func run(_ edit: MovieEdit, isFragmented: Bool, isFirst: Bool) throws {
    guard let movie = try find() else {
      throw MediaError(.writeFailed, operation: "write", subject: path, reason: "the file has no movie header")
    }
    var old = try output.readRaw(at: movie.offset, count: Int(movie.size))
    if isFragmented {
      try closeEdits(old, at: movie.offset, edit)
      return
    }
    if let tagging { old = try tagging.applied(to: old, path: path) }
    var edit = edit
    edit.mediaDataShift = output.gap?.length ?? 0
    var rewriter = MovieRewriter(old, edit: edit)
    let new = try rewriter.rewritten()
    guard isFirst, let gap = output.gap else {
      try new.withUnsafeBytes { try output.writeRaw($0, at: movie.offset) }
      try output.truncate(to: movie.offset + Int64(new.count))
      return
    }
    let left = gap.length - Int64(new.count)
    if left == 0 || left >= 8, left <= max(4096, output.rawLength / 64) {
      try (new + Self.free(left)).withUnsafeBytes { try output.writeRaw($0, at: gap.offset) }
      try output.truncate(to: movie.offset)
      return
    }
    // The gap does not fit: the media data is copied once, which costs little for a file for which 64 KiB are much.
    edit.mediaDataShift = Int64(new.count)
    var again = MovieRewriter(old, edit: edit)
    var moved = try again.rewritten()
    if moved.count != new.count {
      edit.mediaDataShift = Int64(moved.count)
      var last = MovieRewriter(old, edit: edit)
      moved = try last.rewritten()
    }
    let head = try output.readRaw(at: 0, count: Int(gap.offset)) + moved
    try output.rewrite(head: head, keeping: gap.offset + gap.length..<movie.offset)
  }

  /// A box of nothing.
  private static func free(_ size: Int64) -> [UInt8] {
    guard size >= 8 else { return [] }
    return size.bigEndianBytes(4) + Array("free".utf8) + [UInt8](repeating: 0, count: Int(size) - 8)
  }

  /// Where `moov` lies in the file itself.
  private func find() throws -> Extent? {
    var offset: Int64 = 0
    while offset + 8 <= output.rawLength {
      if let gap = output.gap, offset == gap.offset { offset += gap.length }
      guard offset + 16 <= output.rawLength else { break }
      let head = try output.readRaw(at: offset, count: 16)
      var size = head[..<4].reduce(0) { $0 << 8 | Int64($1) }
      if size == 1 { size = head[8...].reduce(0) { $0 << 8 | Int64($1) } }
      guard size >= 8 else { break }
      if Array(head[4..<8]) == Array("moov".utf8) { return Extent(offset: offset, size: size) }
      offset += size
    }
    return nil
  }

  /// The head of a fragmented file with what libav can't write, before the media's length is known.
  func writeHead(_ edit: MovieEdit) throws {
    let bytes = output.heldBytes
    var head: [UInt8] = []
    for box in BoxSequence(bytes) {
      guard box.type == "moov" else {
        head += bytes[box.range]
        continue
      }
      let movie = try tagging?.applied(to: Array(bytes[box.range]), path: path)
      var rewriter = MovieRewriter(movie ?? Array(bytes[box.range]), edit: edit)
      head += try rewriter.rewritten()
    }
    try output.release(head: head)
  }

  /// Fragmented files get their edit lists before the media's length is known; their fields are filled in at the end.
  private func closeEdits(_ movie: [UInt8], at offset: Int64, _ edit: MovieEdit) throws {
    try moveFragments()
    guard let header = try? MovieHeader.parse(movie) else { return }
    for patch in FragmentedEdits.patches(movie, header: header, edit) {
      try patch.bytes.withUnsafeBytes { try output.writeRaw($0, at: offset + Int64(patch.offset)) }
    }
  }

  /// The list of fragments at the end (`mfra`) counts from the file's beginning.
  private func moveFragments() throws {
    let end = output.rawLength
    guard output.headGrowth != 0, end > 16 else { return }
    let size = try output.readRaw(at: end - 4, count: 4).reduce(0) { $0 << 8 | Int64($1) }
    guard size >= 16, size <= min(end, 1 << 28) else { return }
    var list = try output.readRaw(at: end - size, count: Int(size))
    FragmentedEdits.moveFragments(by: output.headGrowth, in: &list)
    try list.withUnsafeBytes { try output.writeRaw($0, at: end - size) }
  }
}
