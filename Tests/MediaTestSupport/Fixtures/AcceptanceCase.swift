package import Foundation

/// The inputs of the acceptance cases, made by their own recipes (`Resources/Cases/T7.sh`, …).
package enum AcceptanceCase {
  /// The names of all cases that have a recipe, sorted.
  package static var all: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: cases.path)) ?? []
    return names.filter { $0.hasSuffix(".sh") }.map { String($0.dropLast(3)) }.sorted()
  }

  /// The folder with the files of one case; they are made on first use.
  ///
  /// Do not change the files there: other tests and later runs use them too. Throws the recipe's
  /// log when it fails.
  package static func make(_ name: String) async throws -> URL {
    let file = cases.appendingPathComponent(name + ".sh")
    guard let recipe = try? String(contentsOf: file, encoding: .utf8) else {
      throw MediaToolError.unexpected("There is no acceptance case \(name).")
    }
    let helpers = try FileManager.default.contentsOfDirectory(atPath: self.helpers.path).sorted()
      .map {
        (
          name: $0,
          text: try String(contentsOf: self.helpers.appendingPathComponent($0), encoding: .utf8)
        )
      }
    let version = try await FFmpegVersion.current()
    let ingredients = [recipe, version.text] + helpers.flatMap { [$0.name, $0.text] }
    return try await FixtureCache.shared.folder(named: name, ingredients: ingredients) { folder in
      for helper in helpers {
        try Data(helper.text.utf8).write(to: folder.appendingPathComponent(helper.name))
      }
      let script = ". ./lib.sh\n" + recipe + "\n"
      let output = try await MediaTool("bash").run(
        ["-e", "-o", "pipefail", "-c", "exec 2>&1\n" + script], in: folder,
        deadline: .seconds(300))
      try Data(output.standardOutput).write(to: folder.appendingPathComponent("recipe.log"))
      guard output.status == 0 else {
        throw MediaToolError.failed(
          "The recipe of \(name)", status: output.status, log: output.text)
      }
    }
  }

  /// One made file of a case.
  package static func file(_ name: String, _ file: String) async throws -> URL {
    let url = try await make(name).appendingPathComponent(file)
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw MediaToolError.unexpected("The recipe of \(name) made no file \(file).")
    }
    return url
  }

  private static let resources = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Resources", isDirectory: true)
  private static let cases = resources.appendingPathComponent("Cases", isDirectory: true)
  private static let helpers = resources.appendingPathComponent("Helpers", isDirectory: true)
}
