import Foundation
import MediaTestSupport

/// The built `mediakit`, run as its users run it.
struct MediaKitCommand {
  /// Beside the test bundle, where SwiftPM puts all that it builds.
  static let path: String = {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let places =
      [own, CommandLine.arguments.first ?? "", Bundle.main.bundlePath] + CommandLine.arguments
    let folders = places.flatMap { place in
      let folder = URL(fileURLWithPath: place).deletingLastPathComponent()
      return [folder, folder.deletingLastPathComponent()]
    }
    let found = folders.map { $0.appendingPathComponent("mediakit").path }
      .first { access($0, X_OK) == 0 }
    return found ?? ".build/debug/mediakit"
  }()

  @discardableResult
  static func run(
    _ arguments: [String], in folder: URL? = nil, standardInput: URL? = nil
  ) async throws -> MediaTool.Output {
    try await MediaTool(path).run(arguments, in: folder, standardInput: standardInput)
  }

  /// Runs it and asks for success.
  @discardableResult
  static func check(_ arguments: [String], in folder: URL? = nil) async throws -> MediaTool.Output {
    try await MediaTool(path).check(arguments, in: folder)
  }

  /// A shell script in which `$MEDIAKIT` is the command.
  static func script(_ text: String, in folder: URL) async throws -> MediaTool.Output {
    try await MediaTool("bash").run(["-c", text], in: folder, environment: ["MEDIAKIT": path])
  }

  /// An empty folder for the time of a test.
  static func withFolder<R>(_ body: (URL) async throws -> R) async throws -> R {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "mediakit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try await body(folder)
  }

  static func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }
}
