package import Foundation
import Synchronization

/// Real media with known answers, in the folder that `MEDIA_CORPUS` names.
package struct Corpus: Sendable {
  package let root: URL
  package let rows: [CorpusRow]

  /// The corpus of this machine, `nil` when `MEDIA_CORPUS` is not set.
  package static let shared: Corpus? = {
    guard let path = ProcessInfo.processInfo.environment["MEDIA_CORPUS"], !path.isEmpty else {
      return nil
    }
    return try? Corpus(root: URL(fileURLWithPath: path, isDirectory: true))
  }()

  /// Reads the index of a corpus folder.
  package init(root: URL) throws {
    self.root = root
    let text = try String(contentsOf: root.appendingPathComponent("INDEX.tsv"), encoding: .utf8)
    rows = text.split(whereSeparator: \.isNewline).dropFirst().compactMap { CorpusRow(line: $0) }
  }

  /// The shared corpus; when there is none, the checks count as not run, and the count is printed at
  /// the end of the process.
  package static func orCount(_ checks: Int = 1) -> Corpus? {
    if shared == nil { NotRun.add(checks) }
    return shared
  }

  package func url(_ row: CorpusRow) -> URL { url(path: row.path) }

  package func url(path: String) -> URL { root.appendingPathComponent(path) }

  package func row(_ path: String) -> CorpusRow? { rows.first { $0.path == path } }

  /// A choice of rows that is the same for the same seed.
  package func sample(seed: UInt64 = Corpus.seed, count: Int) -> [CorpusRow] {
    var generator = SeededGenerator(seed: seed)
    return Array(rows.shuffled(using: &generator).prefix(count))
  }

  /// The seed of today's choice: the day in UTC as a number, or `MEDIA_SEED`. Printed on first use.
  package static let seed: UInt64 = {
    let given = ProcessInfo.processInfo.environment["MEDIA_SEED"].flatMap { UInt64($0) }
    let seed = given ?? UInt64(max(0, Date().timeIntervalSince1970)) / 86400
    print("MEDIA_SEED=\(seed)")
    return seed
  }()

  /// Everything that is stated of a file.
  package func facts(_ row: CorpusRow) -> [CorpusFact] {
    let dumps = row.expectations.filter { $0.hasSuffix(".dump") }
    let fromDumps = dumps.flatMap { path -> [CorpusFact] in
      guard let dump = try? AndroidDump(contentsOf: url(path: path)) else { return [] }
      return dump.facts(
        file: row.path, source: "androidx/media " + (path as NSString).lastPathComponent)
    }
    return (CorpusFact.byFile[row.path] ?? []) + fromDumps
  }

  private enum NotRun {
    private static let count = Mutex(0)

    static func add(_ checks: Int) {
      count.withLock {
        if $0 == 0 { atexit { Corpus.NotRun.report() } }
        $0 += checks
      }
    }

    static func report() {
      let checks = count.withLock { $0 }
      print("\(checks) checks on real media did not run: MEDIA_CORPUS is not set.")
    }
  }
}
