/// Where a file has to end by its own headers.
struct FileExtent {
  var container: String
  var size: Int64

  typealias Read = (_ offset: Int64, _ count: Int) throws -> [UInt8]

  /// nil where nothing tells.
  func end(_ read: Read) throws -> Int64? {
    switch container {
    case "mp4", "mov": try boxes(read)
    case "matroska", "webm": try segment(read)
    case "wav", "avi": try chunk(read, bigEndian: false)
    case "aiff": try chunk(read, bigEndian: true)
    case "mp3":
      try MPEGAudioHeader(read: read).flatMap { header in
        header.tag?.byteCount.map { header.position + Int64($0) }
      }
    default: nil
    }
  }

  private func boxes(_ read: Read) throws -> Int64? {
    var position: Int64 = 0
    // Each fragment is two boxes; a day of them in seconds.
    for _ in 0..<200_000 where position < size {
      let head = try read(position, 16)
      guard head.count >= 8 else { return nil }
      var length = Int64(head[0..<4].reduce(0) { $0 << 8 | UInt64($1) })
      if length == 1, head.count == 16 {
        length = Int64(truncatingIfNeeded: head[8..<16].reduce(0) { $0 << 8 | UInt64($1) })
      }
      // To the end of the file, or damage of another kind.
      guard length >= 8, length < 1 << 50 else { return nil }
      position += length
    }
    return position
  }

  /// Where the one segment of Matroska ends.
  private func segment(_ read: Read) throws -> Int64? {
    let head = try read(0, Int(min(size, 4096)))
    var place = 0
    for _ in 0..<8 {
      guard let element = EBMLElement(head, at: place, end: head.count) else { return nil }
      let content = Int64(place + element.header)
      guard element.id != 0x1853_8067 else { return element.size.map { content + $0 } }
      guard let size = element.size, size < 4096 else { return nil }
      place = Int(content + size)
    }
    return nil
  }

  /// Where the outermost chunk ends; programs that don't know when they begin to write leave zeros or ones.
  private func chunk(_ read: Read, bigEndian: Bool) throws -> Int64? {
    let head = try read(0, 12)
    guard head.count == 12, ["RIFF", "FORM"].contains(String(decoding: head[0..<4], as: UTF8.self)) else { return nil }
    let bytes = bigEndian ? Array(head[4..<8]) : head[4..<8].reversed()
    let length = bytes.reduce(0) { $0 << 8 | Int64($1) }
    return length == 0 || length >= 0x7FFF_FFFF ? nil : length + 8
  }
}
