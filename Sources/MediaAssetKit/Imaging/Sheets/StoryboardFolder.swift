#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
import FoundationEssentials

/// The folder of a storyboard: encodes and writes on threads of its own, and takes back what it wrote.
actor StoryboardFolder {
  private let executor = StrandExecutor(pool: .decoding)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private let directory: URL
  private var written: [URL] = []
  private var isMade = false

  init(_ directory: URL) { self.directory = directory }

  /// Makes the folder when it is missing.
  func make() throws {
    let path = directory.path(percentEncoded: false)
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder { return }
    do {
      try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    } catch {
      let code = (error as? CocoaError)?.userInfo["NSUnderlyingError"] as? POSIXError
      let reason = code.map { String(cString: strerror($0.code.rawValue)) } ?? "\(error)"
      throw MediaError(
        .writeFailed, operation: "write", subject: path,
        reason: "the folder can't be made: \(reason)", remedy: "Name another folder",
        underlying: code == nil ? error : nil)
    }
    isMade = true
  }

  func write(_ image: MediaImage, _ name: String, quality: Double, overwrite: Bool) async throws {
    let url = directory.appending(path: name)
    try await image.write(to: url, quality: quality, overwrite: overwrite)
    written.append(url)
  }

  func write(_ text: String, _ name: String, overwrite: Bool) throws {
    let url = directory.appending(path: name)
    try AtomicFile.write(
      Array(text.utf8), to: url.path(percentEncoded: false), overwrite: overwrite)
    written.append(url)
  }

  /// Takes away what was written, and the folder when it was made for it.
  func undo() {
    for url in written { try? FileManager.default.removeItem(at: url) }
    written = []
    if isMade { _ = directory.path(percentEncoded: false).withCString { rmdir($0) } }
  }
}
