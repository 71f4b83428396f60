package import Foundation

/// A file system of a few kilobytes, to see what happens when it is full. Needs the right to mount.
package enum TinyVolume {
  /// Whether this process may mount at all.
  package static var isAvailable: Bool { geteuid() == 0 }

  /// Mounts a new volume, hands its folder to `body`, and unmounts it again.
  package static func with<Result>(
    kilobytes: Int, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "tiny-volume-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      try await MediaTool("mount").check(
        ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path])
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    do {
      let result = try await body(folder)
      try await unmount(folder)
      return result
    } catch {
      try? await unmount(folder)
      throw error
    }
  }

  private static func unmount(_ folder: URL) async throws {
    // A task of its own: a cancelled test must unmount too.
    try await Task { _ = try await MediaTool("umount").check(["-l", folder.path]) }.value
    try FileManager.default.removeItem(at: folder)
  }
}
