package import Foundation

/// Files that tests make once and use many times: made once a process, kept between runs, and safe
/// when two test processes want the same ones at once.
///
/// They live in a folder of the temporary directory (or in `MEDIA_TEST_CACHE`), under a name that
/// changes with everything that they are made from. Nobody may change a file there: copy it first.
package actor FixtureCache {
  package static let shared = FixtureCache()

  private let root: URL
  private var started: [String: Task<URL, any Error>] = [:]

  package init(root: URL? = nil) {
    let named = ProcessInfo.processInfo.environment["MEDIA_TEST_CACHE"].map {
      URL(fileURLWithPath: $0, isDirectory: true)
    }
    self.root =
      root ?? named
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "media-test-fixtures-\(getuid())", isDirectory: true)
  }

  /// The folder that `make` has filled, now or earlier.
  ///
  /// `ingredients` is all that the result depends on: when a word of it changes, a new folder is
  /// made. A failure is remembered for this process and tried again by the next one.
  package func folder(
    named name: String, ingredients: [String],
    make: @escaping @Sendable (URL) async throws -> Void
  ) async throws -> URL {
    let key = name + "-" + MD5.hex(ingredients.joined(separator: "\0").utf8).prefix(16)
    if let task = started[key] { return try await task.value }
    let root = self.root
    // Not a child task: one test's cancellation must not fail the others that wait for it.
    let task = Task { try await FixtureCache.fill(root, key, make) }
    started[key] = task
    return try await task.value
  }

  private static func fill(
    _ root: URL, _ key: String, _ make: @Sendable (URL) async throws -> Void
  ) async throws -> URL {
    let manager = FileManager.default
    try manager.createDirectory(at: root, withIntermediateDirectories: true)
    let folder = root.appendingPathComponent(key, isDirectory: true)
    let stamp = root.appendingPathComponent(key + ".made")
    if manager.fileExists(atPath: stamp.path) { return folder }
    let lock = open(
      root.appendingPathComponent(key + ".lock").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw MediaToolError.couldNotStart("the lock of \(key)", code: errno) }
    defer { close(lock) }
    while flock(lock, LOCK_EX | LOCK_NB) != 0 { try await Task.sleep(for: .milliseconds(50)) }
    if manager.fileExists(atPath: stamp.path) { return folder }
    // Half of an earlier run that was killed may be there.
    try? manager.removeItem(at: folder)
    try manager.createDirectory(at: folder, withIntermediateDirectories: true)
    try await make(folder)
    try Data().write(to: stamp)
    return folder
  }
}
