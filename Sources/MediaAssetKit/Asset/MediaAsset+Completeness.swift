import FoundationEssentials
import ISOMedia
import LibAV

extension MediaAsset {
  /// How many bytes a local file lacks of those that its own headers tell of; nil where none is missing, or nothing tells.
  ///
  /// Reads the heads of its boxes or chunks, no media. Files that end early are often read well up to there, and whoever
  /// copies or joins them should know.
  func missingBytes() async throws -> Int64? {
    guard url?.isFileURL == true else { return nil }
    let (header, opened) = (try await header(), try await opened())
    guard !opened.isRemote, header.joined == nil, let size = opened.reader.length else { return nil }
    let reader = opened.reader
    return try await OpeningSession(isRemote: false).run { interrupt in
      let read: (Int64, Int) throws -> [UInt8] = { offset, count in
        if interrupt.isRaised { throw CancellationError() }
        return try reader.bytes(at: offset, count: count, interrupt: interrupt)
      }
      let end = try FileExtent(container: header.container, size: size).end(read)
      return end.flatMap { $0 > size ? $0 - size : nil }
    }
  }

  /// The same in words; a file that can't be looked at says nothing here.
  func noteOfMissingBytes() async throws -> String? {
    guard let missing = try await missingBytes() else { return nil }
    return "\(subject) is cut off: the last \(missing) bytes that its header tells of are missing"
  }
}

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
    func number(_ place: Int, keepsMarker: Bool) -> (value: Int64, length: Int)? {
      guard place < head.count, head[place] != 0 else { return nil }
      let length = head[place].leadingZeroBitCount + 1
      guard place + length <= head.count else { return nil }
      let first = keepsMarker ? Int64(head[place]) : Int64(head[place]) & (1 << (8 - length) - 1)
      return (head[place + 1..<place + length].reduce(first) { $0 << 8 | Int64($1) }, length)
    }
    var place = 0
    for _ in 0..<8 {
      guard let id = number(place, keepsMarker: true), let length = number(place + id.length, keepsMarker: false)
      else { return nil }
      place += id.length + length.length
      if id.value == 0x1853_8067 {
        // All ones: the length is not known.
        return length.value == 1 << (7 * Int64(length.length)) - 1 ? nil : Int64(place) + length.value
      }
      guard length.value < 4096 else { return nil }
      place += Int(length.value)
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
