/// Writes an edit list into an MP4 or QuickTime file whose movie box comes after its media.
package enum EditListPatch {
  /// One segment of a track's timeline.
  package struct Edit: Sendable {
    /// In the movie's timescale.
    var duration: UInt32
    /// In the track's timescale; -1 presents nothing.
    var mediaTime: Int32

    package init(duration: UInt32, mediaTime: Int32) {
      self.duration = duration
      self.mediaTime = mediaTime
    }
  }

  /// The file with the edit list of its first track replaced, and the durations of the track and the
  /// movie that follow from it.
  package static func apply(_ edits: [Edit], to file: [UInt8]) throws -> [UInt8] {
    let total = edits.reduce(UInt32(0)) { $0 + $1.duration }
    let top = try boxes(file[...])
    guard let movie = top.last, movie.type == "moov" else {
      throw MediaToolError.unexpected("The movie box is not the last one.")
    }
    var isPatched = false
    var content: [UInt8] = []
    for child in try boxes(movie.content) {
      if child.type == "mvhd" {
        content += box("mvhd", header(child.content, durationAt: 16, total))
      } else if child.type == "trak", !isPatched {
        isPatched = true
        content += box("trak", try track(child.content, edits, total))
      } else {
        content += box(child.type, child.content)
      }
    }
    return top.dropLast().flatMap { box($0.type, $0.content) } + box("moov", content)
  }

  private static func track(
    _ content: ArraySlice<UInt8>, _ edits: [Edit], _ total: UInt32
  ) throws -> [UInt8] {
    // Version 0: 32-bit durations and times; the rate is 1.0.
    var entries: [UInt8] = []
    for edit in edits {
      entries += bytes(edit.duration) + bytes(UInt32(bitPattern: edit.mediaTime)) + [0, 1, 0, 0]
    }
    let list = box("edts", box("elst", bytes(0) + bytes(UInt32(edits.count)) + entries))
    var result: [UInt8] = []
    for child in try boxes(content) where child.type != "edts" {
      if child.type == "tkhd" {
        result += box("tkhd", header(child.content, durationAt: 20, total)) + list
      } else {
        result += box(child.type, child.content)
      }
    }
    return result
  }

  /// A version 0 header with another duration.
  private static func header(
    _ content: ArraySlice<UInt8>, durationAt offset: Int, _ duration: UInt32
  ) -> [UInt8] {
    var content = Array(content)
    guard content.first == 0, content.count >= offset + 4 else { return content }
    content.replaceSubrange(offset..<offset + 4, with: bytes(duration))
    return content
  }

  private static func boxes(
    _ content: ArraySlice<UInt8>
  ) throws -> [(type: String, content: ArraySlice<UInt8>)] {
    var list: [(String, ArraySlice<UInt8>)] = []
    var position = content.startIndex
    while position + 8 <= content.endIndex {
      let size = content[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, position + size <= content.endIndex else {
        throw MediaToolError.unexpected("A box of \(size) bytes does not fit.")
      }
      let type = String(decoding: content[position + 4..<position + 8], as: UTF8.self)
      list.append((type, content[position + 8..<position + size]))
      position += size
    }
    return list
  }

  private static func box(_ type: String, _ content: some Collection<UInt8>) -> [UInt8] {
    bytes(UInt32(content.count + 8)) + Array(type.utf8) + Array(content)
  }

  private static func bytes(_ number: UInt32) -> [UInt8] {
    stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }
}
