import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The file that a muxer writes: temporary until it is complete, or under its own name where it grows in fragments.
///
/// May leave a gap behind the first bytes for a header that is known at the end only; offsets that the muxer sees count
/// without it.
// @unchecked: written by one muxer on its own thread; `abandon` only unlinks and closes, after the muxer is gone.
final class OutputFile: MuxerOutput, @unchecked Sendable {
  let path: String
  private let overwrites: Bool
  private let synchronizes: Bool
  /// nil when it grows under its own name.
  private var temporary: String?
  private var descriptor: Int32
  private var held: [UInt8]? = []
  private(set) var gap: (offset: Int64, length: Int64)?
  /// How far what lies behind the head is moved, since the head that was written is longer or shorter than the muxer's.
  private(set) var headGrowth: Int64 = 0
  private(set) var length: Int64 = 0
  private var written: Int64 = 0
  var isSeekable: Bool { true }
  /// What went wrong first; libav only carries a number.
  private(set) var failure: (any Error)?

  /// - Parameters:
  ///   - growsInPlace: Makes the file under its own name, which must be free.
  ///   - synchronizes: Whether it will be synced at the end, so that the disk had better begin early.
  init(path: String, overwrites: Bool, growsInPlace: Bool, synchronizes: Bool) throws {
    self.synchronizes = synchronizes
    self.path = path
    self.overwrites = overwrites
    try AtomicFile.checkAbsent(path, overwrite: overwrites)
    if growsInPlace {
      if overwrites { unlink(path) }
      descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      guard descriptor >= 0 else { throw AtomicFile.failure(errno, path) }
    } else {
      let (made, name) = try AtomicFile.create(beside: path)
      (descriptor, temporary) = (made, name)
    }
  }

  deinit { abandon() }

  /// What is written is kept in memory until the place of the gap is known.
  func release(gapAt offset: Int64, length gapLength: Int64) throws {
    guard let bytes = held else { return }
    held = nil
    if gapLength > 0, offset >= 0, offset <= bytes.count { gap = (offset, gapLength) }
    try bytes.withUnsafeBytes { try write($0, at: 0) }
  }

  /// Writes another head than the one that is held; what follows keeps its distance to the end of it.
  func release(head: [UInt8]) throws {
    guard let bytes = held else { return }
    held = nil
    headGrowth = Int64(head.count - bytes.count)
    try head.withUnsafeBytes { try writeRaw($0, at: 0) }
  }

  /// The first bytes, while they are held.
  var heldBytes: [UInt8] { held ?? [] }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, marker: DataMarker, time: Int64?) throws {
    if var memory = held {
      held = nil
      let end = Int(offset) + bytes.count
      if end > memory.count { memory.append(contentsOf: repeatElement(0, count: end - memory.count)) }
      memory.withUnsafeMutableBytes {
        UnsafeMutableRawBufferPointer(rebasing: $0[Int(offset)..<end]).copyMemory(from: bytes)
      }
      length = max(length, Int64(end))
      held = memory
      return
    }
    do { try write(bytes, at: offset) } catch {
      failure = failure ?? error
      throw error
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    length = max(length, offset + Int64(bytes.count))
    if let gap, offset < gap.offset, offset + Int64(bytes.count) > gap.offset {
      let split = Int(gap.offset - offset)
      try writeRaw(UnsafeRawBufferPointer(rebasing: bytes[..<split]), at: offset)
      try writeRaw(UnsafeRawBufferPointer(rebasing: bytes[split...]), at: gap.offset + gap.length)
      return
    }
    try writeRaw(bytes, at: offset + headGrowth + shift(at: offset))
  }

  private func shift(at offset: Int64) -> Int64 { gap.map { offset >= $0.offset ? $0.length : 0 } ?? 0 }

  /// Writes at an offset of the file itself.
  func writeRaw(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw AtomicFile.failure(count < 0 ? errno : ENOSPC, path) }
      done += count
    }
    startWriteback(upTo: offset + Int64(bytes.count))
  }

  /// Lets the disk begin early: syncing at the end then has little left to wait for.
  private func startWriteback(upTo end: Int64) {
    let step: Int64 = 8 << 20
    guard synchronizes, end - written >= step else { return }
    FileRanges.startWriteback(descriptor, written..<end)
    written = end
  }

  /// Reads back what was written, by an offset of the file itself.
  func readRaw(at offset: Int64, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress?.advanced(by: done), count - done, off_t(offset) + off_t(done))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw MediaError.system(got < 0 ? errno : EIO, operation: "write", subject: path) }
      done += got
    }
    return bytes
  }

  /// The number of bytes of the file itself.
  var rawLength: Int64 { length + headGrowth + (gap?.length ?? 0) }

  /// Cuts the file off.
  func truncate(to size: Int64) throws {
    guard ftruncate(descriptor, off_t(size)) == 0 else { throw AtomicFile.failure(errno, path) }
  }

  /// Starts the file anew as `head` and the bytes from `offset` to `end` of what is there.
  func rewrite(head: [UInt8], keeping range: Range<Int64>) throws {
    let (target, name) = try AtomicFile.create(beside: path)
    let source = descriptor
    do {
      descriptor = target
      try head.withUnsafeBytes { try writeRaw($0, at: 0) }
      try copy(from: source, range, to: Int64(head.count))
    } catch {
      descriptor = source
      close(target)
      unlink(name)
      throw error
    }
    close(source)
    if let temporary { unlink(temporary) }
    temporary = name
  }

  private func copy(from source: Int32, _ range: Range<Int64>, to offset: Int64) throws {
    var from = range.lowerBound
    var to = offset
    while from < range.upperBound {
      let left = Int(range.upperBound - from)
      let count = FileRanges.copy(from: source, at: &from, to: descriptor, at: &to, count: left)
      if count > 0 || count < 0 && errno == EINTR { continue }
      if count < 0, ![EXDEV, EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) { throw AtomicFile.failure(errno, path) }
      // File systems that don't copy by themselves.
      var buffer = [UInt8](repeating: 0, count: min(left, 1 << 20))
      let got = buffer.withUnsafeMutableBytes { pread(source, $0.baseAddress, $0.count, off_t(from)) }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw MediaError.system(got < 0 ? errno : EIO, operation: "write", subject: path) }
      try buffer.withUnsafeBytes { try writeRaw(UnsafeRawBufferPointer(rebasing: $0[..<got]), at: to) }
      from += Int64(got)
      to += Int64(got)
    }
  }

  /// Syncs the file, and gives it its name.
  func publish() throws {
    // Some file systems can't sync; EINVAL is how they say so.
    if synchronizes, fsync(descriptor) != 0, errno != EINVAL { throw AtomicFile.failure(errno, path) }
    let closing = descriptor
    descriptor = -1
    guard close(closing) == 0 else {
      let code = errno
      abandon()
      throw AtomicFile.failure(code, path)
    }
    guard let name = temporary else { return }
    try AtomicFile.publish(name, as: path, overwrite: overwrites)
    temporary = nil
  }

  /// Closes and removes what was written; a file that grows under its own name stays once it has a head, as it is valid.
  func abandon() {
    if descriptor >= 0, temporary == nil, held != nil { unlink(path) }
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    if let temporary { unlink(temporary) }
    temporary = nil
  }
}
