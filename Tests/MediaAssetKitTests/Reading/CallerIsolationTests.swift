import Dispatch
import Foundation
import MediaTestSupport
import Synchronization
import Testing

@testable import MediaAssetKit

/// Loops in an actor's code: how often they leave it.
@Suite struct CallerIsolationTests {
  /// Runs an actor's jobs on a thread of its own, and counts them.
  private final class CountingExecutor: SerialExecutor {
    let jobs = Atomic(0)
    private let queue = DispatchQueue(label: "CallerIsolationTests")

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.add(1, ordering: .relaxed)
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor Consumer {
    private let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// How many elements came, and how often the loop came back to the actor.
    func count<S: AsyncSequence & Sendable>(_ sequence: S) async throws -> (elements: Int, returns: Int) {
      let before = executor.jobs.load(ordering: .relaxed)
      var elements = 0
      for try await _ in sequence { elements += 1 }
      return (elements, executor.jobs.load(ordering: .relaxed) - before)
    }
  }

  /// Ten seconds are 430 packets of AAC. Sound is decoded a quarter of a second at a time, so 40 waits and what opening
  /// costs; the loop must not leave the actor for what is there already.
  @Test func elementsThatAreThereCostNoSwitch() async throws {
    let folder = try await FixtureCache.shared.folder(named: "isolation", ingredients: ["1"]) { folder in
      try await MediaTool("ffmpeg").check([
        "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "sine=440:r=44100:d=10", "-c:a", "aac",
        folder.appendingPathComponent("clip.m4a").path,
      ])
    }
    let asset = MediaAsset(url: folder.appendingPathComponent("clip.m4a"))
    let track = try await asset.loadTracks(withMediaType: .audio)[0]
    let consumer = Consumer()

    let decoded = try await consumer.count(track.audio())
    #expect(decoded.elements > 400)
    #expect(decoded.returns < 100)
    let stored = try await consumer.count(try Reader(asset: asset).output(for: track))
    #expect(stored.elements > 400)
    #expect(stored.returns < 100)
  }
}
