import LibAV

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The folder of a package: everything is written into a hidden one first, and gets its place when all is complete.
///
/// A folder that did not exist appears with all that is in it, at once. Into one that does, files are moved, playlists
/// last: what is listed is there.
struct HLSFolder: Sendable {
  let path: String
  private let staging: String
  private let isNew: Bool

  static let masterName = "master.m3u8"

  /// Makes the hidden folder.
  ///
  /// - Throws: ``MediaError`` with `fileAlreadyExists` for a file, and for a folder that is not empty unless overwriting;
  ///   `fileNotFound` where the folder around it is missing.
  init(path: String, overwrites: Bool) throws {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    guard !path.isEmpty, !path.utf8.contains(0) else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: path, reason: "the name is empty or contains a zero character")
    }
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists {
      guard status.st_mode & S_IFMT == S_IFDIR else {
        throw MediaError(
          .fileAlreadyExists, operation: "write", subject: path, reason: "there is a file of this name",
          remedy: "Name a folder")
      }
      guard try overwrites || Self.names(path).isEmpty else {
        throw MediaError(
          .fileAlreadyExists, operation: "write", subject: path, reason: "the folder is not empty",
          remedy: "Name another one, or ask for overwriting")
      }
    } else {
      try AtomicFile.checkAbsent(path, overwrite: false)
    }
    self.path = path
    isNew = !exists
    let parent = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let name = ".mediakit-\(getpid())-\(UInt32.random(in: 0 ... .max)).part"
    staging = exists ? path + "/" + name : parent + name
    guard mkdir(staging, 0o777) == 0 else { throw AtomicFile.failure(errno, path) }
  }

  private static func names(_ path: String) throws -> [String] {
    guard let folder = opendir(path) else { throw AtomicFile.failure(errno, path) }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Writes a file of the package.
  func write(_ bytes: [UInt8], as name: String) throws {
    do { try AtomicFile.write(bytes, to: staging + "/" + name, overwrite: false) } catch {
      // What the user named, not the hidden place.
      var named = error
      named.subject = path + "/" + name
      throw named
    }
  }

  /// Gives everything its place.
  func publish() throws {
    if isNew {
      // Never onto a folder with something in it; that is an error of rename's.
      guard rename(staging, path) == 0 else { throw AtomicFile.failure(errno, path) }
      return
    }
    let made = try Self.names(staging).sorted { order($0) < order($1) }
    // Nothing refers to what is replaced.
    let old = try Self.names(path).filter(Self.isOurs)
    let hadPackage = old.contains(Self.masterName)
    if hadPackage {
      for name in old.sorted(by: { order($0) > order($1) }) where name.hasSuffix(".m3u8") { remove(name) }
    }
    for name in made {
      guard rename(staging + "/" + name, path + "/" + name) == 0 else { throw AtomicFile.failure(errno, path) }
    }
    if hadPackage { for name in old where !made.contains(name) { remove(name) } }
    rmdir(staging)
  }

  private func remove(_ name: String) { unlink(path + "/" + name) }

  private func order(_ name: String) -> (Int, String) {
    (name == Self.masterName ? 2 : name.hasSuffix(".m3u8") ? 1 : 0, name)
  }

  /// Whether a package has files of such a name.
  static func isOurs(_ name: String) -> Bool {
    if name == masterName { return true }
    guard let kind = ["video", "audio", "subtitles"].first(where: { name.hasPrefix($0) }) else { return false }
    return [".m4s", ".vtt", "-init.mp4", ".m3u8"].contains { name.hasSuffix($0) }
      && name.dropFirst(kind.count).utf8.allSatisfy { byte in
        (97...122).contains(byte) || (48...57).contains(byte) || byte == 45 || byte == 46
      }
  }

  /// Removes what was written and has no place yet.
  func discard() {
    for name in (try? Self.names(staging)) ?? [] { unlink(staging + "/" + name) }
    rmdir(staging)
  }
}
