import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A part of an edited file.
enum FilePiece: Sendable, Hashable {
  case bytes([UInt8])
  /// A range of the source as it is.
  case source(Range<Int64>)
  /// Pages of Ogg whose sequence numbers move, by stream.
  case pages(Range<Int64>, shifts: [UInt32: UInt32])
}

extension [FilePiece] {
  /// Hands on the bytes of the file, in order and in parts of at most a megabyte.
  func forEachPart(
    read: (Int64, Int) throws -> [UInt8], _ body: ([UInt8]) throws -> Void
  ) throws {
    for piece in self {
      switch piece {
      case .bytes(let bytes): if !bytes.isEmpty { try body(bytes) }
      case .source(let range):
        var offset = range.lowerBound
        while offset < range.upperBound {
          let count = Int(Swift.min(range.upperBound - offset, 1 << 20))
          let part = try read(offset, count)
          guard part.count == count else { throw EditingFailure(code: .readFailed, reason: "it became shorter") }
          try body(part)
          offset += Int64(count)
        }
      case .pages(let range, let shifts):
        try OggPages.renumber(range, shifts, read: read, body)
      }
    }
  }
}

/// Writes the parts of an edited file beside its name, and gives it the name when it is complete.
struct EditedFile {
  let path: String
  let overwrites: Bool
  let synchronizes: Bool

  func write(_ pieces: [FilePiece], read: (Int64, Int) throws -> [UInt8]) throws {
    let (descriptor, temporary) = try AtomicFile.create(beside: path)
    var isOpen = true
    do {
      try keepMode(descriptor)
      var written: Int64 = 0
      var synced: Int64 = 0
      try pieces.forEachPart(read: read) { bytes in
        try AtomicFile.fill(descriptor, bytes, path)
        written += Int64(bytes.count)
        guard written - synced >= 8 << 20 else { return }
        FileRanges.startWriteback(descriptor, synced..<written)
        synced = written
      }
      // Some file systems can't sync; EINVAL is how they say so.
      if synchronizes, fsync(descriptor) != 0, errno != EINVAL { throw AtomicFile.failure(errno, path) }
      isOpen = false
      guard close(descriptor) == 0 else { throw AtomicFile.failure(errno, path) }
      try AtomicFile.publish(temporary, as: path, overwrite: overwrites)
    } catch {
      if isOpen { close(descriptor) }
      unlink(temporary)
      throw error
    }
  }

  /// A file that is replaced keeps who may read it.
  private func keepMode(_ descriptor: Int32) throws {
    var status = stat()
    guard overwrites, stat(path, &status) == 0 else { return }
    _ = fchmod(descriptor, status.st_mode & 0o777)
  }
}
