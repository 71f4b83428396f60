import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One pass over a library's folders, each read through its descriptor when its turn comes.
actor MediaLibraryWalk {
  private let executor = StrandExecutor(pool: .opening)
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  private struct FileID: Hashable {
    var device: UInt64
    var number: UInt64
    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      number = UInt64(status.st_ino)
    }
  }

  private let library: MediaLibrary
  private let kinds: MediaLibrary.Kinds
  /// The library's folder without a slash at its end: empty for the root of all.
  private let base: String
  private var root: OwnedDescriptor?
  /// Folders still to be read, the next one last.
  private var pending = [""]
  private var visited: Set<FileID> = []

  init(library: MediaLibrary, kinds: MediaLibrary.Kinds) {
    self.library = library
    self.kinds = kinds
    var path = library.directory.path(percentEncoded: false)
    while path.hasSuffix("/") { path.removeLast() }
    base = path
  }

  /// The next folder that has files of the kinds; nil after the last.
  func next() async throws -> MediaLibrary.Folder? {
    while let folder = pending.popLast() {
      try Task.checkCancellation()
      do throws(MediaError) {
        guard let descriptor = try open(folder) else { continue }
        let listing = try read(folder, descriptor)
        pending += listing.folders.reversed().map { folder.isEmpty ? $0 : "\(folder)/\($0)" }
        var items: [MediaLibrary.Item] = []
        for name in listing.files {
          guard let kind = await kind(of: name, in: descriptor), kinds.contains(.init(kind)) else {
            continue
          }
          items.append(
            MediaLibrary.Item(
              base: base, relativePath: folder.isEmpty ? name : "\(folder)/\(name)", kind: kind))
        }
        if !items.isEmpty {
          return MediaLibrary.Folder(base: base, relativePath: folder, items: items)
        }
      } catch {
        if folder.isEmpty { throw error }
        library.problemHandler?(error)
      }
    }
    return nil
  }

  // MARK: - Folders

  /// Opens a folder by its path from the library's own; nil for one that was read already.
  private func open(_ folder: String) throws(MediaError) -> OwnedDescriptor? {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    let number =
      if let root {
        openat(root.number, folder, library.followsFolderLinks ? flags : flags | O_NOFOLLOW)
      } else {
        openat(AT_FDCWD, base.isEmpty ? "/" : base, flags)
      }
    guard number >= 0 else { throw failure(errno, folder) }
    let descriptor = OwnedDescriptor(number)
    if root == nil { root = descriptor }
    if library.followsFolderLinks {
      var status = stat()
      guard fstat(number, &status) == 0 else { throw failure(errno, folder) }
      guard visited.insert(FileID(status)).inserted else { return nil }
    }
    return descriptor
  }

  /// The names of a folder's files and folders, sorted.
  private func read(
    _ folder: String, _ descriptor: OwnedDescriptor
  ) throws(MediaError) -> (files: [String], folders: [String]) {
    // The stream closes its descriptor; it gets one of its own, with a place in the folder of its own.
    let copy = openat(descriptor.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard copy >= 0, let stream = fdopendir(copy) else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw failure(code, folder)
    }
    defer { closedir(stream) }
    var files: [String] = []
    var folders: [String] = []
    while true {
      errno = 0
      guard let entry = readdir(stream) else {
        // A network file system may fail in the middle; what came before still counts.
        if errno != 0 { library.problemHandler?(failure(errno, folder)) }
        break
      }
      let (name, isText) = Self.name(entry)
      if name == "." || name == ".." || !library.includesHiddenFiles && name.hasPrefix(".") {
        continue
      }
      let type = self.type(entry, in: descriptor)
      guard type != .other else { continue }
      guard isText else {
        let path = folder.isEmpty ? name : "\(folder)/\(name)"
        library.problemHandler?(
          MediaError(
            .operationNotSupported, operation: "list", subject: "\(base)/\(path)",
            reason: "its name is no UTF-8, so no URL can hold it", remedy: "Rename it"))
        continue
      }
      if type == .file { files.append(name) } else { folders.append(name) }
    }
    return (files.sorted(by: Self.precedes), folders.sorted(by: Self.precedes))
  }

  private enum EntryType { case file, folder, other }

  /// What a name stands for. Asks the file system only where the folder does not say, and for links.
  private func type(
    _ entry: UnsafeMutablePointer<dirent>, in descriptor: OwnedDescriptor
  ) -> EntryType {
    switch Int(entry.pointee.d_type) {
    case Int(DT_REG): return .file
    case Int(DT_DIR): return .folder
    case Int(DT_LNK), Int(DT_UNKNOWN):
      var status = stat()
      guard Self.status(entry, in: descriptor, &status, AT_SYMLINK_NOFOLLOW) else { return .other }
      let isLink = status.st_mode & S_IFMT == S_IFLNK
      if isLink {
        guard Self.status(entry, in: descriptor, &status, 0) else { return .other }
      }
      switch status.st_mode & S_IFMT {
      case S_IFREG: return .file
      case S_IFDIR: return isLink && !library.followsFolderLinks ? .other : .folder
      default: return .other
      }
    default: return .other
    }
  }

  private static func status(
    _ entry: UnsafeMutablePointer<dirent>, in descriptor: OwnedDescriptor,
    _ status: inout stat, _ flags: Int32
  ) -> Bool {
    withUnsafePointer(to: &entry.pointee.d_name) { name in
      name.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: name.pointee)) {
        fstatat(descriptor.number, $0, &status, flags) == 0
      }
    }
  }

  private static func name(_ entry: UnsafeMutablePointer<dirent>) -> (String, isText: Bool) {
    withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
      let name = bytes.prefix { $0 != 0 }
      if let text = String(validating: name, as: UTF8.self) { return (text, true) }
      return (String(decoding: name, as: UTF8.self), false)
    }
  }

  /// By bytes: the same everywhere, and no two names are equal.
  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  private func failure(_ code: Int32, _ folder: String) -> MediaError {
    let subject = folder.isEmpty && !base.isEmpty ? base : "\(base)/\(folder)"
    guard code != ENOTDIR else {
      return MediaError(
        .fileNotFound, operation: "list", subject: subject, reason: "this is no folder",
        remedy: "Name a folder")
    }
    return MediaError.system(code, operation: "list", subject: subject)
  }

  // MARK: - Files

  /// A file's kind: by its extension, else by its first bytes, else by its tracks.
  private func kind(of name: String, in folder: OwnedDescriptor) async -> MediaLibrary.Kind? {
    switch MediaFileName.meaning(of: name) {
    case .media(let kind): return kind
    case .other: return nil
    case .unknown: break
    }
    let number = openat(folder.number, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
    guard number >= 0 else { return nil }
    let file = OwnedDescriptor(number)
    let head = [UInt8](unsafeUninitializedCapacity: MediaSignature.length) { buffer, count in
      count = max(0, pread(number, buffer.baseAddress, MediaSignature.length, 0))
    }
    switch MediaSignature(head) {
    case .media(let kind): return kind
    case .nothing: return nil
    case .container:
      let asset = MediaAsset(fileDescriptor: file.number)
      guard let tracks = try? await asset.load(.tracks) else { return nil }
      withExtendedLifetime(file) {}
      if tracks.contains(where: { $0.mediaType == .video }) { return .video }
      return tracks.contains { $0.mediaType == .audio } ? .audio : nil
    }
  }
}

/// An open descriptor with one owner.
private final class OwnedDescriptor: Sendable {
  let number: Int32
  init(_ number: Int32) { self.number = number }
  deinit { close(number) }
}
