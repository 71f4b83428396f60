import Foundation
import MediaTestSupport
import Testing

/// What many opens, tasks and silent servers leave behind, measured in a process of its own.
///
/// Every day a thousand rounds; all ten thousand with MEDIA_ALL=1.
@Suite struct StressTests {
  private struct Holdings: Decodable {
    var residentKilobytes: Int
    var descriptors: Int
    var threads: Int
  }
  private struct Report: Decodable {
    var before: Holdings?
    var after: Holdings?
    var mostThreads: Int?
    var completed: Int?
    var cancelled: Int?
    var failed: Int?
    var leftBehind: Int?
    var threads: Int?
    var aloneMilliseconds: Double?
    var besideMilliseconds: Double?
    var cancelMilliseconds: Double?
  }

  private static let rounds = ProcessInfo.processInfo.environment["MEDIA_ALL"] == nil ? 1000 : 10_000

  private static func run(_ job: String, _ count: Int, on clip: URL? = nil) async throws -> Report {
    let url = if let clip { clip } else { try await GeneratedClip.make(.h264OpenGroups).url }
    // The executable lies beside the test bundle.
    let bundle = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }
    let candidates = [bundle ?? Bundle.main.bundleURL, Bundle.main.executableURL].compactMap(\.self).map {
      $0.deletingLastPathComponent().appending(path: "MediaBenchmarks")
    }
    let program = try #require(candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) })
    let output = try await MediaTool(program.path).check(
      [job, url.path, "\(count)", "1"], deadline: .seconds(200))
    let line = try #require(output.lines.first)
    return try JSONDecoder().decode(Report.self, from: Data(line.utf8))
  }

  @Test func opensLoadsAndStillsLeaveNothingBehind() async throws {
    let report = try await Self.run("stress_opens", Self.rounds)
    let (before, after) = (try #require(report.before), try #require(report.after))
    #expect(after.descriptors <= before.descriptors + 4)
    #expect(after.threads <= before.threads + 8)
    // A leak of one decoder in ten rounds would be far above this. A sanitizer keeps what is freed, and looks for leaks.
    guard ProcessInfo.processInfo.environment["MEDIA_TEST_PATIENCE"] == nil else { return }
    #expect(after.residentKilobytes <= before.residentKilobytes + 12_000)
  }

  /// Exports in a row with cancels at random moments, then eight at once: memory, descriptors and files as before.
  @Test func exportsLeaveNothingBehind() async throws {
    let rounds = ProcessInfo.processInfo.environment["MEDIA_ALL"] == nil ? 200 : 1000
    let report = try await Self.run("stress_exports", rounds, on: movieClip())
    let (before, after) = (try #require(report.before), try #require(report.after))
    #expect(report.failed == 0)
    #expect(report.leftBehind == 0)
    #expect((report.completed ?? 0) >= rounds / 2 + 24)
    #expect(after.descriptors <= before.descriptors + 4)
    #expect(after.threads <= before.threads + 8)
    guard ProcessInfo.processInfo.environment["MEDIA_TEST_PATIENCE"] == nil else { return }
    #expect(after.residentKilobytes <= before.residentKilobytes + 24_000)
  }

  @Test func manyTasksOnOneAssetAndOnMany() async throws {
    let report = try await Self.run("stress_tasks", 64)
    let cores = ProcessInfo.processInfo.activeProcessorCount
    // Own pools (opening 8, decoding one a core), the cooperative pool, and one decoder's threads for each core.
    #expect(try #require(report.mostThreads) <= 16 + cores * (3 + cores * 2))
  }

  @Test func silentServersDelayNoLocalFile() async throws {
    let report = try await Self.run("stress_servers", 300)
    #expect(try #require(report.threads) <= 64)
    let alone = try #require(report.aloneMilliseconds)
    #expect(try #require(report.besideMilliseconds) <= alone + 250)
    #expect(try #require(report.cancelMilliseconds) <= 2000)
  }
}
