import LibAV

/// A reader with one range held in memory: `moov`, which was read already and may have been edited for libav.
final class PinnedReader: RandomAccessReader {
  private let base: any RandomAccessReader
  private let pinned: [UInt8]
  private let offset: Int64

  init(_ base: any RandomAccessReader, pinned: [UInt8], at offset: Int64) {
    self.base = base
    self.pinned = pinned
    self.offset = offset
  }

  var length: Int64? { base.length }
  var isSeekable: Bool { base.isSeekable }

  func read(at position: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool)
    throws -> Int
  {
    if position >= offset, position - offset < Int64(pinned.count) {
      let start = Int(position - offset)
      let count = min(buffer.count, pinned.count - start)
      pinned.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
      }
      return count
    }
    // Stop at the pinned range, so that none of it is read twice.
    let room = position < offset ? min(Int64(buffer.count), offset - position) : Int64(buffer.count)
    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(room)])
    return try base.read(at: position, into: part, interrupted: interrupted)
  }
}
