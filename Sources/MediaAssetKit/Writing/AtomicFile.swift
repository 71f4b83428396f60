#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes a file that appears under its name only when it is complete: beside it, synced, then renamed.
enum AtomicFile {
  static func checkAbsent(_ path: String, overwrite: Bool) throws(MediaError) {
    guard !overwrite else { return }
    var status = stat()
    if lstat(path, &status) == 0 { throw .system(EEXIST, operation: "write", subject: path) }
  }

  static func write(_ bytes: [UInt8], to path: String, overwrite: Bool) throws(MediaError) {
    var attempt = 0
    var temporary = ""
    var descriptor: Int32 = -1
    while descriptor < 0 {
      temporary = path + ".\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
      descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
      attempt += 1
      if descriptor < 0, errno != EEXIST || attempt > 100 {
        throw .system(errno, operation: "write", subject: path)
      }
    }
    do throws(MediaError) {
      try fill(descriptor, bytes, path)
      guard fsync(descriptor) == 0 || errno == EINVAL else {
        throw .system(errno, operation: "write", subject: path)
      }
    } catch {
      close(descriptor)
      unlink(temporary)
      throw error
    }
    guard close(descriptor) == 0 else {
      let code = errno
      unlink(temporary)
      throw .system(code, operation: "write", subject: path)
    }
    try publish(temporary, as: path, overwrite: overwrite)
  }

  private static func fill(_ descriptor: Int32, _ bytes: [UInt8], _ path: String) throws(MediaError)
  {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        writeBytes(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw .system(count < 0 ? errno : ENOSPC, operation: "write", subject: path)
      }
      written += count
    }
  }

  /// A link fails where the name exists, so nothing is ever replaced by chance; file systems without links are renamed into.
  private static func publish(_ temporary: String, as path: String, overwrite: Bool)
    throws(MediaError)
  {
    if !overwrite {
      if link(temporary, path) == 0 {
        unlink(temporary)
        return
      }
      let code = errno
      if code == EEXIST || ![EPERM, ENOSYS, EOPNOTSUPP, EMLINK].contains(code) {
        unlink(temporary)
        throw .system(code, operation: "write", subject: path)
      }
      do { try checkAbsent(path, overwrite: false) } catch {
        unlink(temporary)
        throw error
      }
    }
    guard rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .system(code, operation: "write", subject: path)
    }
  }
}

// `write` inside the enumeration would be its own function.
private func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
