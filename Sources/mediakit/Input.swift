import FoundationEssentials
import MediaAssetKit

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// FILE on the command line: a path, a URL, or `-` for standard input.
enum Input {
  /// The options of every verb that opens a FILE.
  static let options: [Option] = [
    Option(
      "--allow-network", "open http and https for FILE itself, this machine's servers included"),
    Option("--allow-private-addresses", "let servers have private addresses (10.0.0.0/8, …) too"),
    Option(
      "--allow-references", value: "KIND", "what FILE may refer to: none|local|same-origin|all"),
    Option("--header", value: "'NAME: VALUE'", "a header for HTTP requests; may be repeated"),
    Option("--timeout", value: "S", "seconds to wait for the next byte (30)"),
    Option("--max-pixels", value: "N", "the largest picture in pixels"),
  ]

  /// The asset that the command line names, opened as its options say.
  static func asset(_ arguments: Arguments, isPrecise: Bool = false) throws -> MediaAsset {
    try asset(try arguments.operand("FILE"), try options(arguments, isPrecise: isPrecise))
  }

  /// The asset of a name on the command line.
  static func asset(_ name: String, _ options: MediaAsset.Options) throws -> MediaAsset {
    if name == "-" { return standardInput(options) }
    if hasScheme(name) {
      guard let url = URL(string: name) else { throw UsageError("\(name.quoted) is no URL") }
      return MediaAsset(url: url, options: options)
    }
    if name.unicodeScalars.contains("\u{FFFD}"), let descriptor = openUnreadable(name) {
      return MediaAsset(fileDescriptor: descriptor, options: options)
    }
    return MediaAsset(url: fileURL(name), options: options)
  }

  /// The file URL of a path, whatever it looks like: no tilde, no dots and no scheme are looked for.
  static func fileURL(_ path: String) -> URL {
    URL(
      filePath: path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path)
  }

  /// Whether a FILE is a URL: `scheme://` at its beginning.
  private static func hasScheme(_ name: String) -> Bool {
    guard let end = name.firstRange(of: "://")?.lowerBound, let first = name.utf8.first else {
      return false
    }
    func isLetter(_ byte: UInt8) -> Bool { (65...90).contains(byte & 0xDF) }
    return isLetter(first)
      && name[..<end].utf8.allSatisfy {
        isLetter($0) || (48...57).contains($0) || "+-.".utf8.contains($0)
      }
  }

  /// A regular file is read in place, everything else from front to back.
  private static func standardInput(_ options: MediaAsset.Options) -> MediaAsset {
    var status = stat()
    if fstat(0, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      return MediaAsset(fileDescriptor: 0, options: options)
    }
    return MediaAsset(source: StandardInput(), options: options)
  }

  /// Opens a name that is no UTF-8, which no URL can hold, by its own bytes.
  private static func openUnreadable(_ name: String) -> Int32? {
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = CommandLine.unsafeArgv[index], String(cString: bytes) == name else {
        continue
      }
      let descriptor = open(bytes, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
      return descriptor < 0 ? nil : descriptor
    }
    return nil
  }

  static func options(
    _ arguments: Arguments, isPrecise: Bool
  ) throws -> MediaAsset.Options {
    var policy = ResourcePolicy()
    if arguments.has("--allow-network") {
      policy.allowsNetwork = true
      policy.allowsLoopbackForAsset = true
    }
    policy.allowsPrivateAddresses = arguments.has("--allow-private-addresses")
    if let references = try arguments.value(
      "--allow-references", "none|local|same-origin|all", ReferenceRestrictions.init(allowing:))
    {
      policy.references = references
    }
    if let seconds = try arguments.duration("--timeout", isPositive: true) {
      policy.deadline = .milliseconds(seconds.convertScale(1000, method: .roundAwayFromZero).value)
    }
    if let pixels = try arguments.integer("--max-pixels", in: 1...Int64.max) {
      policy.maximumPixels = pixels
    }
    var http = HTTPOptions()
    for header in arguments.values("--header") {
      guard let colon = header.firstIndex(of: ":"), colon != header.startIndex else {
        throw UsageError("--header: \(header.quoted) is no 'Name: value'")
      }
      let value = header[header.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      http.headers[String(header[..<colon])] = String(value)
    }
    return MediaAsset.Options(
      prefersPreciseDurationAndTiming: isPrecise, policy: policy, http: http)
  }
}

/// Standard input where it is a pipe, a terminal or a device: bytes in order, nothing twice.
struct StandardInput: ByteSource {
  func open() async throws -> ByteSourceInfo {
    ByteSourceInfo(isSeekable: false, name: "standard input")
  }

  func read(at offset: Int64, length: Int) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      let isStarted = OwnThread.start {
        continuation.resume(with: Result { try Self.read(length) })
      }
      if !isStarted { continuation.resume(throwing: failure(EAGAIN)) }
    }
  }

  private static func read(_ length: Int) throws -> [UInt8] {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
      var result: Int
      repeat {
        #if canImport(Glibc)
          result = Glibc.read(0, buffer.baseAddress, length)
        #else
          result = Darwin.read(0, buffer.baseAddress, length)
        #endif
      } while result < 0 && errno == EINTR
      code = result < 0 ? errno : 0
      count = max(0, result)
    }
    if code != 0 { throw StandardInput().failure(code) }
    return bytes
  }

  private func failure(_ code: Int32) -> MediaError {
    MediaError(
      .readFailed, operation: "read", subject: "standard input",
      reason: String(cString: strerror(code)))
  }
}
