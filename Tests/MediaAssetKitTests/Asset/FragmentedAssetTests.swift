import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Files that grow by fragments: the bytes of a finished one are handed out bit by bit.
@Suite("Fragmented assets") struct FragmentedAssetTests {
  /// Fragments of one second each, four of them, 10 frames a second.
  private static func finished() async throws -> [UInt8] {
    let arguments = [
      "-f", "lavfi", "-i", "testsrc2=s=32x32:r=10:d=4", "-c:v", "mpeg4", "-g", "10", "-movflags",
      "+frag_keyframe+empty_moov+default_base_moof",
    ]
    let folder = try await FixtureCache.shared.folder(
      named: "fragments", ingredients: [try await FFmpegVersion.current().text] + arguments
    ) { folder in
      try await MediaTool("ffmpeg").check(
        ["-nostdin", "-v", "error", "-y"] + arguments + ["file:" + folder.appending(path: "clip.mp4").path])
    }
    return [UInt8](try Data(contentsOf: folder.appending(path: "clip.mp4")))
  }

  /// Type and end of each box at the top level.
  private static func boxes(_ file: [UInt8]) -> [(type: String, end: Int)] {
    var boxes: [(String, Int)] = []
    var position = 0
    while position + 8 <= file.count {
      let size = file[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      boxes.append((String(decoding: file[position + 4..<position + 8], as: UTF8.self), position + size))
      position += size
    }
    return boxes
  }

  private static func withFile<R>(_ body: (URL) async throws -> R) async throws -> R {
    let url = FileManager.default.temporaryDirectory.appending(path: "growing-\(UUID().uuidString).mp4")
    defer { try? FileManager.default.removeItem(at: url) }
    return try await body(url)
  }

  @Test func aSnapshotHasWhatIsComplete() async throws {
    let file = try await Self.finished()
    let boxes = Self.boxes(file)
    let fragments = boxes.filter { $0.type == "mdat" }.map(\.end)
    try #require(fragments.count == 4 && boxes.last?.type == "mfra")
    try await Self.withFile { url in
      // Media of the third fragment without its last byte: two are complete.
      try Data(file[..<(fragments[2] - 1)]).write(to: url)
      let fragmented = FragmentedAsset(url: url)
      let early = try await fragmented.snapshot()
      #expect(try await early.load(.duration) == MediaTime(value: 2, timescale: 1))
      try Data(file).write(to: url)
      // What was taken before stays as it was, also where it is read now.
      let track = try #require(try await early.load(.tracks).first)
      var frames = 0
      for try await _ in track.frames() { frames += 1 }
      #expect(frames == 20)
      let late = try await fragmented.snapshot()
      let (duration, contains, can) = try await late.load(.duration, .containsFragments, .canContainFragments)
      #expect(duration == MediaTime(value: 4, timescale: 1))
      #expect(contains && can)
    }
  }

  @Test func withoutAHeaderThereIsNoSnapshot() async throws {
    let file = try await Self.finished()
    try await Self.withFile { url in
      let fragmented = FragmentedAsset(url: url)
      var error = await #expect(throws: MediaError.self) { try await fragmented.snapshot() }
      #expect(error?.code == .fileNotFound)
      try Data(file[..<60]).write(to: url)
      error = await #expect(throws: MediaError.self) { try await fragmented.snapshot() }
      #expect(error?.code == .fileFailedToParse)
      error = await #expect(throws: MediaError.self) {
        try await FragmentedAsset(url: try #require(URL(string: "https://example.com/a.mp4"))).snapshot()
      }
      #expect(error?.code == .operationNotSupported)
    }
  }

  @Test(.timeLimit(.minutes(5))) func growth() async throws {
    let file = try await Self.finished()
    let boxes = Self.boxes(file)
    let header = try #require(boxes.first { $0.type == "moov" }).end
    let fragments = boxes.filter { $0.type == "mdat" }.map(\.end)
    try await Self.withFile { url in
      try Data(file[..<20]).write(to: url)
      let handle = try FileHandle(forWritingTo: url)
      defer { try? handle.close() }
      try handle.seekToEnd()
      var written = 20
      func write(to end: Int) throws {
        try handle.write(contentsOf: Data(file[written..<end]))
        written = end
      }
      let changes = FragmentedAsset(url: url).changes(mindingInterval: .milliseconds(20))
      var iterator = changes.makeAsyncIterator()
      // Nothing is told of half a header; it is there when the minder looks for the first time, or later.
      try write(to: header)
      var change = try #require(try await iterator.next())
      #expect(change.kinds == [.tracks])
      #expect(change.duration == .indefinite)
      #expect(change.changedTracks.map(\.mediaType) == [.video])
      for (index, end) in fragments.enumerated() {
        // Half of the next one, which does not count, besides.
        try write(to: end + (index + 1 < fragments.count ? (fragments[index + 1] - end) / 2 : 0))
        change = try #require(try await iterator.next())
        #expect(
          change.kinds
            == (index == 0 ? [.duration, .trackTimeRanges, .containsFragments] : [.duration, .trackTimeRanges]))
        #expect(change.duration == MediaTime(value: Int64(index) + 1, timescale: 1))
        #expect(change.changedTracks.count == 1)
        #expect(!change.isFinal)
      }
      try write(to: file.count)
      change = try #require(try await iterator.next())
      #expect(change.isFinal && change.kinds.isEmpty)
      #expect(try await iterator.next() == nil)
    }
  }

  @Test(.timeLimit(.minutes(5))) func defragmented() async throws {
    let file = try await Self.finished()
    try await Self.withFile { url in
      let fragments = Self.boxes(file).filter { $0.type == "mdat" }.map(\.end)
      try Data(file[..<fragments[3]]).write(to: url)
      var iterator = FragmentedAsset(url: url).changes(mindingInterval: .milliseconds(20)).makeAsyncIterator()
      let first = try #require(try await iterator.next())
      #expect(first.kinds == [.tracks, .duration, .containsFragments])
      // The same samples, written as one file without fragments: a passthrough export.
      let whole = url.deletingPathExtension().appendingPathExtension("whole.mp4")
      defer { try? FileManager.default.removeItem(at: whole) }
      try await ExportSession(asset: first.asset, preset: .passthrough).export(to: whole, as: .mp4)
      try #require(rename(whole.path, url.path) == 0)
      let last = try #require(try await iterator.next())
      #expect(last.kinds.contains(.wasDefragmented))
      #expect(last.isFinal)
      #expect(last.duration == MediaTime(value: 4, timescale: 1))
      #expect(try await last.asset.load(.containsFragments) == false)
      #expect(try await iterator.next() == nil)
      // An independent judge: as many packets as frames were made, in a file without fragments.
      let packets = try await FFmpegJudge(url).packets()
      #expect(packets.count == 40)
      let boxes = Self.boxes([UInt8](try Data(contentsOf: url))).map(\.type)
      #expect(!boxes.contains("moof") && boxes.contains("moov"))
    }
  }

  @Test(.timeLimit(.minutes(5))) func cancellationIsPrompt() async throws {
    let file = try await Self.finished()
    try await Self.withFile { url in
      let header = try #require(Self.boxes(file).first { $0.type == "moov" }).end
      try Data(file[..<header]).write(to: url)
      let task = Task {
        for try await _ in FragmentedAsset(url: url).changes(mindingInterval: .seconds(60)) {}
      }
      try await Task.sleep(for: .milliseconds(100))
      let start = ContinuousClock.now
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(ContinuousClock.now - start < .within(.milliseconds(200)))
    }
  }
}
