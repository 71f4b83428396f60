package import Foundation

/// A file system of a few kilobytes, to see what happens when it is full. Needs the right to mount.
package enum TinyVolume {
  /// Whether this process may mount at all (Linux: CAP_SYS_ADMIN, bit 21 of the capabilities).
  package static var isAvailable: Bool {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(whereSeparator: \.isNewline).first { $0.hasPrefix("CapEff:") }
    let hexadecimal = (line ?? "").dropFirst(7).filter { !$0.isWhitespace }
    return (UInt64(hexadecimal, radix: 16) ?? 0) >> 21 & 1 == 1
  }

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
