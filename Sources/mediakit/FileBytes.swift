#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reads a file piece by piece.
enum FileBytes {
  static func forEach(_ path: String, _ body: ([UInt8]) throws -> Void) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw OutputError(code: errno) }
    defer { close(descriptor) }
    while true {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
        let got = read(descriptor, buffer.baseAddress, buffer.count)
        code = got < 0 ? errno : 0
        count = max(0, got)
      }
      if code == EINTR { continue }
      guard code == 0 else { throw OutputError(code: code) }
      if bytes.isEmpty { return }
      try body(bytes)
    }
  }
}
