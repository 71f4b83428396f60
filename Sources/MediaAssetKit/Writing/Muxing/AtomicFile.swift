#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes a file that appears under its name only when it is complete: beside it, synced, then renamed.
enum AtomicFile {
  /// - Throws: `fileAlreadyExists`, also for a link that leads nowhere; `invalidArgument` for what is no name;
  ///   `writeFailed` for a folder, `notRegularFile` for anything else that no file may take the place of.
  static func checkAbsent(_ path: String, overwrite: Bool) throws(MediaError) {
    // The system reads names up to the first zero: it would write another file.
    guard !path.utf8.contains(0), !path.isEmpty else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: path,
        reason: "the name is empty or contains a zero character", remedy: "Use another name")
    }
    guard !overwrite else { return try checkReplaceable(path) }
    var status = stat()
    if lstat(path, &status) == 0 { throw .system(EEXIST, operation: "write", subject: path) }
  }

  /// A new name for a file would take that of a folder, a pipe or a device away from it: `/dev/null` would be a file from
  /// then on, for everyone.
  private static func checkReplaceable(_ path: String) throws(MediaError) {
    var status = stat()
    var link = [CChar](repeating: 0, count: 8)
    // `/dev/stdout` and its kind, wherever they lead at the moment.
    let leadsToDescriptor =
      readlink(path, &link, link.count - 1) > 0 && link.prefix(6).elementsEqual("/proc/".utf8.map { CChar($0) })
    let isOther = stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    guard isOther || leadsToDescriptor else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    throw MediaError(
      isFolder ? .writeFailed : .notRegularFile, operation: "write", subject: path,
      reason: isFolder ? "this is a folder" : "this is no regular file", remedy: "Name a file that may be replaced")
  }

  /// Whether two names lead to one existing file.
  static func isSame(_ first: String, _ second: String) -> Bool {
    var (left, right) = (stat(), stat())
    guard stat(first, &left) == 0, stat(second, &right) == 0 else { return false }
    return left.st_dev == right.st_dev && left.st_ino == right.st_ino
  }

  static func write(
    _ bytes: [UInt8], to path: String, overwrite: Bool, synchronizes: Bool = true
  ) throws(MediaError) {
    try checkAbsent(path, overwrite: overwrite)
    let (descriptor, temporary) = try create(beside: path)
    do throws(MediaError) {
      do throws(MediaError) {
        try fill(descriptor, bytes, path)
        // Some file systems can't sync; EINVAL is how they say so.
        guard !synchronizes || fsync(descriptor) == 0 || errno == EINVAL else { throw failure(errno, path) }
      } catch {
        close(descriptor)
        throw error
      }
      guard close(descriptor) == 0 else { throw failure(errno, path) }
      try publish(temporary, as: path, overwrite: overwrite)
    } catch {
      unlink(temporary)
      throw error
    }
  }

  /// A new file in the same folder, so that renaming can't cross file systems.
  ///
  /// Its name is short and its own: the longest name that the folder takes can be written too.
  static func create(beside path: String) throws(MediaError) -> (Int32, String) {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    for _ in 0..<100 {
      let temporary = folder + ".mediakit-\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
      let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      if descriptor >= 0 { return (descriptor, temporary) }
      if errno != EEXIST { throw failure(errno, path) }
    }
    throw failure(EEXIST, path)
  }

  /// Writes all bytes.
  static func fill(_ descriptor: Int32, _ bytes: [UInt8], _ path: String) throws(MediaError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        writeBytes(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure(count < 0 ? errno : ENOSPC, path) }
      written += count
    }
  }

  /// Gives the file its name; without `overwrite` an existing one is never replaced, not even by chance.
  static func publish(_ temporary: String, as path: String, overwrite: Bool)
    throws(MediaError)
  {
    if !overwrite {
      // A link fails where the name exists. File systems without links are renamed into.
      if link(temporary, path) == 0 {
        unlink(temporary)
        return
      }
      let code = errno
      guard [EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(code) else { throw failure(code, path) }
      try checkAbsent(path, overwrite: false)
    }
    if overwrite { try checkReplaceable(path) }
    guard rename(temporary, path) == 0 else { throw failure(errno, path) }
  }

  static func failure(_ code: Int32, _ path: String) -> MediaError {
    if code == ENOENT || code == ENOTDIR {
      return MediaError(
        .fileNotFound, operation: "write", subject: path, reason: "there is no such folder",
        remedy: "Make the folder first")
    }
    return .system(code, operation: "write", subject: path)
  }
}

// `write` inside the enumeration would be its own function.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
