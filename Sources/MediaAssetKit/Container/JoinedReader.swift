import ISOMedia
import LibAV

/// A movie and the files that its media lies in, one behind the other, as if they were one file.
///
/// Between them stands the head of a box of media, so that whoever walks over the boxes of the movie steps over the rest.
final class JoinedReader: RandomAccessReader {
  private struct Part {
    var start: Int64
    var reader: any RandomAccessReader
  }

  private let parts: [Part]
  private let end: Int64

  /// The readers' lengths must be known: nil where one is not, or where all together have more bytes than can be counted.
  init?(_ movie: any RandomAccessReader, media: [any RandomAccessReader]) {
    guard let size = movie.length, size < 1 << 62, movie.isSeekable else { return nil }
    var total: Int64 = 16
    for reader in media {
      guard let length = reader.length, reader.isSeekable, length < 1 << 56 else { return nil }
      total += length
    }
    // 64-bit size behind a 32-bit one of 1.
    let head = [0, 0, 0, 1] + Array("mdat".utf8) + total.bigEndianBytes()
    var parts = [Part(start: 0, reader: movie), Part(start: size, reader: DataReader(head))]
    var position = size + 16
    for reader in media {
      parts.append(Part(start: position, reader: reader))
      position += reader.length ?? 0
    }
    (self.parts, end) = (parts, position)
  }

  /// Where the n-th file of media begins.
  func start(ofMedia index: Int) -> Int64 { parts[index + 2].start }

  var length: Int64? { end }
  var isSeekable: Bool { true }

  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool)
    throws -> Int
  {
    // The last part that begins there or before: empty ones are passed.
    guard position >= 0, position < end, let index = parts.lastIndex(where: { $0.start <= position }) else { return 0 }
    let limit = index + 1 < parts.count ? parts[index + 1].start : end
    let room = min(Int64(buffer.count), limit - position)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
    return try parts[index].reader.read(at: position - parts[index].start, into: part, interrupted: interrupted)
  }
}
