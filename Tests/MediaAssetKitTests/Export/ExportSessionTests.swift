import Foundation
import MediaTestSupport
import Synchronization
import Testing

@testable import MediaAssetKit

/// What a session promises: states, one outcome, cancellation, nothing half-written.
@Suite struct ExportSessionTests {
  @Test(arguments: [ExportPreset.size640x480, .passthrough])
  func statesRiseAndEndAtOne(_ preset: ExportPreset) async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let session = ExportSession(asset: MediaAsset(url: source), preset: preset)
      let states = session.states(updateInterval: .zero)
      let changes = session.states()
      async let heard = states.reduce(into: [ExportSession.State]()) { $0.append($1) }
      async let few = changes.reduce(into: [ExportSession.State]()) { $0.append($1) }
      try await session.export(to: folder.appendingPathComponent("o.mp4"))
      let all = await heard
      let fractions = all.compactMap { state -> Double? in
        if case .exporting(let progress) = state { progress.fraction } else { nil }
      }
      #expect(fractions == fractions.sorted())
      #expect(fractions.last == 1)
      #expect(fractions.dropLast().allSatisfy { $0 < 1 })
      let kinds = await few.map { state in
        switch state {
        case .pending: "pending"
        case .waiting: "waiting"
        case .exporting: "exporting"
        }
      }
      #expect(kinds == ["pending", "waiting", "exporting", "exporting"])
      // Who comes late hears that it is over.
      #expect(await session.states().reduce(into: 0) { count, _ in count += 1 } == 0)
    }
  }

  @Test func failureNeverSaysOne() async throws {
    let source = try await AcceptanceCase.file("R1", "r1.mp4")
    try await withScratchFolder { folder in
      let session = ExportSession(asset: MediaAsset(url: source), preset: .highestQuality)
      async let heard = session.states(updateInterval: .zero).reduce(into: [ExportSession.State]()) { $0.append($1) }
      await #expect(throws: MediaError.self) { try await session.export(to: folder.appendingPathComponent("o.mp4")) }
      let finished = await heard.contains {
        if case .exporting(let progress) = $0 { progress.fraction == 1 } else { false }
      }
      #expect(!finished)
      #expect(contents(folder).isEmpty)
    }
  }

  @Test func oneSessionIsOneExport() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let session = ExportSession(asset: MediaAsset(url: source), preset: .passthrough)
      try await session.export(to: folder.appendingPathComponent("a.mp4"))
      await #expect {
        try await session.export(to: folder.appendingPathComponent("b.mp4"))
      } throws: { ($0 as? MediaError)?.code == .operationNotSupported }
      #expect(contents(folder) == ["a.mp4"])
    }
  }

  /// Cancelled wherever it is, an export ends within 200 ms and leaves nothing.
  @Test(arguments: [ExportPreset.highestQuality, .passthrough], [0, 30, 150, 400])
  func cancellation(_ preset: ExportPreset, _ milliseconds: Int) async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let task = Task {
        try await ExportSession(asset: MediaAsset(url: source), preset: preset)
          .export(to: folder.appendingPathComponent("o.mp4"))
      }
      try await Task.sleep(for: .milliseconds(milliseconds))
      let start = ContinuousClock.now
      task.cancel()
      let result = await task.result
      let took = ContinuousClock.now - start
      switch result {
      case .success:
        // A copy may have been quicker.
        #expect(preset == .passthrough)
        #expect(contents(folder) == ["o.mp4"])
      case .failure(let error):
        #expect(error is CancellationError)
        #expect(contents(folder).isEmpty)
      }
      #expect(took < .within(.milliseconds(200)))
    }
  }

  /// E7: what stands in the way is told before anything is read, and nothing is made or changed.
  @Test func targets() async throws {
    let source = try await AcceptanceCase.file("E7", "keep.mp4")
    try await withScratchFolder { folder in
      let keep = folder.appendingPathComponent("keep.mp4")
      try FileManager.default.copyItem(at: source, to: keep)
      let before = try Data(contentsOf: keep)
      func code(_ target: URL, overwrites: Bool = false) async -> MediaError.Code? {
        do {
          try await export(keep, to: target, .passthrough) { $0.overwritesExisting = overwrites }
          return nil
        } catch { return (error as? MediaError)?.code }
      }
      let other = folder.appendingPathComponent("other.mp4")
      try Data("old".utf8).write(to: other)
      #expect(await code(other) == .fileAlreadyExists)
      #expect(await code(keep) == .fileAlreadyExists)
      #expect(await code(keep, overwrites: true) == .fileAlreadyExists)
      #expect(await code(folder.appendingPathComponent("none/o.mp4")) == .fileNotFound)
      #expect(await code(folder.appendingPathComponent("o.xyz")) == .invalidArgument)
      #expect(try Data(contentsOf: keep) == before)
      #expect(try String(contentsOf: other, encoding: .utf8) == "old")
      #expect(contents(folder) == ["keep.mp4", "other.mp4"])
      // A link to the source is the source.
      let link = folder.appendingPathComponent("link.mp4")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: keep)
      #expect(await code(link, overwrites: true) == .fileAlreadyExists)
      #expect(await code(other, overwrites: true) == nil)
      #expect(try await FFmpegJudge(other).frameHashes().count == 100)
    }
  }

  /// E7: a failed or cancelled export leaves the file that it was to replace.
  @Test func replacedFilesSurviveFailures() async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try Data("old".utf8).write(to: target)
      let task = Task {
        try await export(source, to: target, .highestQuality) { $0.overwritesExisting = true }
      }
      try await Task.sleep(for: .milliseconds(200))
      task.cancel()
      _ = await task.result
      #expect(try String(contentsOf: target, encoding: .utf8) == "old")
      #expect(contents(folder) == ["o.mp4"])
    }
  }

  /// E5: a full disk is told as such, and nothing is left on it.
  @Test(.enabled(if: TinyVolume.isAvailable), arguments: [ExportPreset.highestQuality, .passthrough])
  func fullDisk(_ preset: ExportPreset) async throws {
    let source = try await longClip()
    try await TinyVolume.with(kilobytes: 64) { folder in
      await #expect {
        try await export(source, to: folder.appendingPathComponent("o.mp4"), preset)
      } throws: { error in
        (error as? MediaError)?.code == .writeFailed && "\(error)".contains("space")
      }
      #expect(contents(folder).isEmpty)
    }
  }

  /// A limit ends the file early, and well: all tracks at one time, the size about what was asked for.
  @Test(arguments: [ExportPreset.passthrough, .size640x480])
  func fileLengthLimit(_ preset: ExportPreset) async throws {
    let source = try await longClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      try await export(source, to: target, preset) { $0.fileLengthLimit = 300_000 }
      let asset = MediaAsset(url: target)
      let size = try #require(try await asset.load(.fileSize))
      #expect(size > 200_000)
      #expect(size < 1_500_000)
      let duration = try await asset.load(.duration)
      #expect(duration < MediaTime(value: 19, timescale: 1))
      #expect(duration > MediaTime(value: 1, timescale: 10))
      for track in try await asset.load(.tracks) {
        let end = try await track.load(.timeRange).end
        #expect(abs((end - duration).seconds) <= 0.045)
      }
      #expect(try await FFmpegJudge(target).frameHashes().count > 2)
    }
  }

  @Test func rangesOutsideTheAsset() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      let target = folder.appendingPathComponent("o.mp4")
      for (start, end) in [(500, 600), (200, 200)] as [(Int64, Int64)] {
        await #expect {
          try await export(source, to: target, .passthrough, from: hundredths(start), to: hundredths(end))
        } throws: { ($0 as? MediaError)?.code == .invalidArgument }
      }
      // A range that reaches over the end is cut to it.
      try await export(source, to: target, .highestQuality, from: hundredths(200), to: hundredths(900))
      #expect(try await FFmpegJudge(target).frameHashes().count == 25)
    }
  }

  /// Many at once, and many in a row that are cancelled somewhere: all end, nothing is left.
  @Test func manyAtOnce() async throws {
    let source = try await movieClip()
    try await withScratchFolder { folder in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<8 {
          group.addTask {
            try await export(
              source, to: folder.appendingPathComponent("\(index).mp4"), index % 2 == 0 ? .passthrough : .size640x480)
          }
        }
        try await group.waitForAll()
      }
      #expect(contents(folder).count == 8)
      var generator = SeededGenerator(seed: 4)
      for index in 0..<40 {
        let pause = Int.random(in: 0..<20_000, using: &generator)
        let task = Task {
          try await export(
            source, to: folder.appendingPathComponent("c\(index).mp4"), index % 2 == 0 ? .passthrough : .size640x480)
        }
        try await Task.sleep(for: .microseconds(pause))
        task.cancel()
        _ = await task.result
      }
      #expect(contents(folder).allSatisfy { !$0.hasPrefix(".") })
    }
  }
}
