import MediaAssetKit
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The three descriptors that every process starts with.
enum StandardStreams {
  /// Sees to it that all three are open, so that no other file takes the place of a closed one;
  /// what was closed refuses to be read or written.
  static func open() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      #if canImport(Glibc)
        _ = Glibc.open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
      #else
        _ = Darwin.open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
      #endif
    }
    // A reader that goes away is an error of the write, which cleans up like any other.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Writes all bytes.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    try bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        #if canImport(Glibc)
          let count = Glibc.write(
            descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #else
          let count = Darwin.write(
            descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #endif
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno != EINTR {
          throw OutputError(code: errno)
        }
      }
    }
  }
}

/// Standard output can't be written to.
struct OutputError: Error, CustomStringConvertible {
  let code: Int32
  var description: String {
    let reason = code == EPIPE ? "its reader has gone" : String(cString: strerror(code))
    return "write standard output: \(reason)"
  }
}

/// Results: text, or the bytes of a picture.
enum StandardOutput {
  private static let pending = Mutex<[UInt8]>([])
  static let isTerminal = isatty(1) == 1

  /// Writes text; what comes in small pieces is gathered.
  static func write(_ text: String) throws {
    let full = pending.withLock { pending -> [UInt8] in
      pending.append(contentsOf: text.utf8)
      guard pending.count >= 1 << 14 || isTerminal else { return [] }
      defer { pending.removeAll(keepingCapacity: true) }
      return pending
    }
    if !full.isEmpty { try StandardStreams.write(full, to: 1) }
  }

  /// Writes a line.
  static func line(_ text: String) throws { try write(text + "\n") }

  /// Writes text, at once.
  static func print(_ text: String) throws { try write(bytes: Array(text.utf8)) }

  /// Writes bytes, at once.
  static func write(bytes: [UInt8]) throws {
    try flush()
    try StandardStreams.write(bytes, to: 1)
  }

  /// Writes what was gathered.
  static func flush() throws {
    let rest = pending.withLock { pending -> [UInt8] in
      defer { pending = [] }
      return pending
    }
    if !rest.isEmpty { try StandardStreams.write(rest, to: 1) }
  }
}

/// Messages for people.
enum StandardError {
  static let isTerminal = isatty(2) == 1

  static func write(_ text: String) { try? StandardStreams.write(Array(text.utf8), to: 2) }
  /// Writes exactly one line of a length that can be read, whatever the text holds.
  static func line(_ text: String) { write(text.bounded(to: 4000).printable + "\n") }
}
