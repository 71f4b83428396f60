#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What differs between two looks at a file when somebody wrote to it or put another in its place.
struct FileStamp: Hashable, Sendable {
  private var device: UInt64
  private var number: UInt64
  private var size: Int64
  private var seconds: Int
  private var nanoseconds: Int

  /// - Throws: ``MediaError`` where there is no such file.
  init(path: String) throws(MediaError) {
    var status = stat()
    guard stat(path, &status) == 0 else { throw .system(errno, operation: "open", subject: path) }
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec))
  }
}
