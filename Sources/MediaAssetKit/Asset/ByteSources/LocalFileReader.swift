import FoundationEssentials
import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A regular file, opened by its path alone: no name is ever parsed as a URL, a protocol or a pattern.
final class LocalFileReader: RandomAccessReader {
  let length: Int64?
  let isSeekable = true
  private let descriptor: Int32
  /// Where reading ends before the file does; nil reads whatever is there.
  private let end: Int64?

  /// Opens without blocking, so that a FIFO or device can't hang the caller, and takes regular files only.
  ///
  /// - Parameter limit: Bytes behind that one count as not there.
  convenience init(path: String, upTo limit: Int64 = .max) throws(MediaError) {
    // The system would read such a name up to the zero, whatever checked it before.
    guard !path.utf8.contains(0) else {
      throw MediaError(.invalidArgument, operation: "open", subject: path, reason: "its name holds a zero byte")
    }
    let descriptor = path.withCString { open($0, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) }
    guard descriptor >= 0 else { throw .system(errno, operation: "open", subject: path) }
    try self.init(adopting: descriptor, subject: path, upTo: limit)
  }

  /// Takes over an open descriptor and closes it at the end.
  init(adopting descriptor: Int32, subject: String, upTo limit: Int64 = .max) throws(MediaError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .system(code, operation: "open", subject: subject)
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw MediaError(
        .notRegularFile, operation: "open", subject: subject,
        reason: isFolder ? "this is a folder" : "this is no regular file",
        remedy: "Name a file; pipes and devices can be read through a ByteSource")
    }
    self.descriptor = descriptor
    let size = Int64(status.st_size)
    length = min(size, limit)
    end = limit < .max ? limit : nil
  }

  deinit { close(descriptor) }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer, interrupted: () -> Bool)
    throws -> Int
  {
    let wanted = end.map { min(buffer.count, Int(clamping: max(0, $0 - offset))) } ?? buffer.count
    while true {
      let count = pread(descriptor, buffer.baseAddress, wanted, off_t(offset))
      if count >= 0 { return count }
      if errno != EINTR { throw MediaError.system(errno, operation: "read", subject: "the file") }
      if interrupted() { throw CancellationError() }
    }
  }
}
