package import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Makes a source that is only read in order seekable, by a copy in a temporary file without a name.
///
/// Copies no further than it is read; what has been copied is read from the file.
package final class SpooledFile: RandomAccessReader {
  private let source: any RandomAccessReader
  private let name: String
  private let maximumBytes: Int64
  private let descriptor: Int32
  private let monitor = Monitor(State())

  private struct State {
    /// One copy at a time.
    var isBusy = false
    /// How many bytes have been copied.
    var spooled: Int64 = 0
    var hasEnded = false
  }

  private static let chunk = 256 << 10

  /// A copy of `source` in `folder`, of at most `maximumBytes`; `name` is for messages.
  ///
  /// Throws `limitExceeded` when the source says that it is longer, `writeFailed` when `folder`
  /// can't be written to.
  package init(
    _ source: any RandomAccessReader, name: String, maximumBytes: Int64, folder: String
  ) throws {
    self.source = source
    self.name = name
    self.maximumBytes = maximumBytes
    if let length = source.length, length > maximumBytes {
      throw Self.limitExceeded(name, maximumBytes)
    }
    descriptor = Self.makeFile(in: folder)
    guard descriptor >= 0 else {
      throw Self.writeFailed(name, "no temporary file can be made in \(folder)", errno)
    }
  }

  /// A file without a name, which goes away with the process however that ends; negative for a
  /// failure. (`mkstemp` would leave the descriptor open to programs that are started meanwhile.)
  private static func makeFile(in folder: String) -> Int32 {
    while true {
      let path = "\(folder)/.mediaassetkit-\(UInt64.random(in: 0 ... .max))"
      let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      if descriptor >= 0 { unlink(path) }
      if descriptor >= 0 || errno != EEXIST { return descriptor }
    }
  }

  deinit {
    // A failed initialiser has no file.
    if descriptor >= 0 { _ = close(descriptor) }
  }

  /// The length, once the source tells it or has ended.
  package var length: Int64? {
    source.length ?? monitor.withLock { $0.hasEnded ? $0.spooled : nil }
  }
  package var isSeekable: Bool { true }

  /// Copies all that is left, and returns the length.
  package func spoolAll(interrupted: () -> Bool) throws -> Int64 {
    try spool(to: .max, interrupted: interrupted)
  }

  package func read(
    at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool
  ) throws -> Int {
    guard buffer.count > 0, offset >= 0 else { return 0 }
    // One byte there is enough for an answer.
    let spooled = try spool(to: offset == .max ? offset : offset + 1, interrupted: interrupted)
    guard offset < spooled else { return 0 }
    let count = Int(min(Int64(buffer.count), spooled - offset))
    var result: Int
    repeat {
      result = pread(descriptor, buffer.baseAddress, count, off_t(offset))
    } while result < 0 && errno == EINTR
    guard result > 0 else {
      throw MediaError(
        .readFailed, operation: "read", subject: name,
        reason: "the temporary copy can't be read (\(describe(errno)))")
    }
    return result
  }

  /// Copies until `target` bytes are in the file or the source has ended; returns how many are.
  private func spool(to target: Int64, interrupted: () -> Bool) throws -> Int64 {
    if let enough = monitor.withLock({ $0.spooled >= target || $0.hasEnded ? $0.spooled : nil }) {
      return enough
    }
    _ = try monitor.wait(interrupted: interrupted) { state -> Void? in
      guard !state.isBusy else { return nil }
      state.isBusy = true
      return ()
    }
    defer { monitor.update { $0.isBusy = false } }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      let (spooled, isDone) = monitor.withLock {
        ($0.spooled, $0.spooled >= target || $0.hasEnded)
      }
      if isDone { return spooled }
      let count = try source.read(at: spooled, into: buffer, interrupted: interrupted)
      guard count > 0 else {
        monitor.update { $0.hasEnded = true }
        return spooled
      }
      guard spooled + Int64(count) <= maximumBytes else {
        throw Self.limitExceeded(name, maximumBytes)
      }
      try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: spooled)
      monitor.update { $0.spooled = spooled + Int64(count) }
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    var done = 0
    while done < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
        off_t(offset + Int64(done)))
      if count > 0 {
        done += count
      } else if errno != EINTR {
        throw Self.writeFailed(name, "the temporary copy can't be written", errno)
      }
    }
  }

  private static func limitExceeded(_ name: String, _ maximum: Int64) -> MediaError {
    MediaError(
      .limitExceeded, operation: "read", subject: name,
      reason: "the source can't seek, and a copy would take more than \(maximum) bytes",
      remedy: "Download the file and open the copy, or raise the policy's maximumSpoolBytes")
  }

  private static func writeFailed(_ name: String, _ reason: String, _ code: Int32) -> MediaError {
    MediaError(
      .writeFailed, operation: "read", subject: name, reason: "\(reason) (\(describe(code)))",
      remedy: "Make room, or name another folder for temporary files")
  }
}

private func describe(_ code: Int32) -> String { String(cString: strerror(code)) }
