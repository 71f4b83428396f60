#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension MediaError {
  /// An `errno` of a system call, with the remedy that a person would try.
  static func system(_ code: Int32, operation: String, subject: String) -> MediaError {
    let text = String(cString: strerror(code))
    switch code {
    case ENOENT, ENOTDIR:
      return MediaError(
        .fileNotFound, operation: operation, subject: subject, reason: "there is no such file",
        remedy: "Check the path")
    case EACCES, EPERM:
      return MediaError(
        .accessDenied, operation: operation, subject: subject, reason: text,
        remedy: "Check the permissions")
    case EEXIST:
      return MediaError(
        .fileAlreadyExists, operation: operation, subject: subject, reason: "the file exists",
        remedy: "Choose another name or ask for overwriting")
    case ENOSPC, EDQUOT:
      return MediaError(
        .writeFailed, operation: operation, subject: subject, reason: "no space is left",
        remedy: "Free some space")
    case ENOMEM:
      return MediaError(.outOfMemory, operation: operation, subject: subject, reason: text)
    case ENXIO where operation == "open":
      return MediaError(
        .notRegularFile, operation: operation, subject: subject, reason: "this is no regular file",
        remedy: "Name a file; pipes and devices can be read through a ByteSource")
    case EMFILE, ENFILE:
      return MediaError(
        .readFailed, operation: operation, subject: subject, reason: text,
        remedy: "Raise the limit of open files or use fewer assets at once")
    default:
      return MediaError(
        operation == "write" ? .writeFailed : .readFailed, operation: operation, subject: subject,
        reason: text)
    }
  }
}
