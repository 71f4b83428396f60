import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file that is written beside its name and gets it when it is complete.
struct OutputFile {
  let path: String
  private let overwrites: Bool
  private let temporary: String
  private var descriptor: Int32

  init(_ path: String, overwrites: Bool) throws {
    self.path = path
    self.overwrites = overwrites
    var status = stat()
    if !overwrites, lstat(path, &status) == 0 { throw Self.failure(EEXIST, path) }
    // Short, so that the longest name of a folder can be written too.
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    temporary = folder + ".mediakit-\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
    descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Self.failure(errno, path) }
  }

  /// Adds bytes.
  func write(_ bytes: [UInt8]) throws {
    do { try StandardStreams.write(bytes, to: descriptor) } catch let error as OutputError {
      throw Self.failure(error.code, path)
    }
  }

  /// Replaces the file's first bytes.
  func overwrite(_ bytes: [UInt8]) throws {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else { throw Self.failure(errno, path) }
    try write(bytes)
  }

  /// Gives the file its name; an existing one is replaced only where that was asked for.
  mutating func finish() throws {
    // Some file systems can't sync; EINVAL is how they say so.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw Self.failure(errno, path) }
    let code = close(descriptor) == 0 ? 0 : errno
    descriptor = -1
    guard code == 0 else { throw Self.failure(code, path) }
    if !overwrites {
      if link(temporary, path) == 0 {
        unlink(temporary)
        return
      }
      let code = errno
      var status = stat()
      // File systems without links are renamed into.
      guard [EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(code), lstat(path, &status) != 0 else {
        throw Self.failure(code, path)
      }
    }
    guard rename(temporary, path) == 0 else { throw Self.failure(errno, path) }
  }

  /// Takes away what was written; nothing after ``finish()``.
  mutating func discard() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    unlink(temporary)
  }

  private static func failure(_ code: Int32, _ path: String) -> MediaError {
    let isExisting = code == EEXIST
    let isMissing = code == ENOENT || code == ENOTDIR
    return MediaError(
      isExisting
        ? .fileAlreadyExists
        : isMissing ? .fileNotFound : code == EACCES ? .accessDenied : .writeFailed,
      operation: "write", subject: path,
      reason: isExisting
        ? "the file exists"
        : isMissing ? "there is no such folder" : String(cString: strerror(code)),
      remedy: isExisting
        ? "Choose another name or ask for overwriting" : isMissing ? "Make the folder first" : "")
  }
}
