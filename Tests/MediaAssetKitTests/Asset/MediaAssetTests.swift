import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Loading: nothing before it is asked for, once for all who ask, cancelled and failing as documented.
@Suite struct MediaAssetTests {
  /// A custom source over bytes that counts its calls and can be held up.
  private final class CountingSource: ByteSource {
    let bytes: [UInt8]
    let opens = Monitor(0)
    let reads = Monitor(0)
    let delay: Duration
    init(_ bytes: [UInt8], delay: Duration = .zero) {
      self.bytes = bytes
      self.delay = delay
    }
    func open() async throws -> ByteSourceInfo {
      opens.withLock { $0 += 1 }
      return ByteSourceInfo(length: Int64(bytes.count), isSeekable: true, name: "counting")
    }
    func read(at offset: Int64, length: Int) async throws -> [UInt8] {
      reads.withLock { $0 += 1 }
      if delay > .zero { try await Task.sleep(for: delay) }
      let start = min(bytes.count, Int(offset))
      return Array(bytes[start..<min(bytes.count, start + length)])
    }
  }

  private static func clip() async throws -> URL { try await GeneratedClip.make(.h264ClosedGroups).url }
  private static func bytes() async throws -> [UInt8] { [UInt8](try Data(contentsOf: try await clip())) }

  @Test func makingAnAssetReadsNothing() async throws {
    let asset = MediaAsset(url: URL(filePath: "/nowhere/at all.mp4"))
    guard case .notYetLoaded = asset.status(of: .duration) else {
      Issue.record("the status must be notYetLoaded before anybody asks")
      return
    }
    let error = await #expect(throws: MediaError.self) { try await asset.load(.duration) }
    #expect(error?.code == .fileNotFound)
    #expect(error?.description.contains("/nowhere/at all.mp4") == true)
    guard case .failed(let reason) = asset.status(of: .duration) else {
      Issue.record("the status must tell the failure")
      return
    }
    #expect((reason as? MediaError)?.code == .fileNotFound)
  }

  @Test func statusGoesFromNotYetLoadedToLoaded() async throws {
    let asset = MediaAsset(url: try await Self.clip())
    let duration = try await asset.load(.duration)
    guard case .loaded(let value) = asset.status(of: .duration) else {
      Issue.record("the status must be loaded")
      return
    }
    #expect(value == duration)
    guard case .notYetLoaded = asset.status(of: .tracks) else {
      Issue.record("another property was not asked for")
      return
    }
    let tracks = try await asset.load(.tracks)
    guard case .loaded(let same) = asset.status(of: .tracks) else {
      Issue.record("tracks must be loaded")
      return
    }
    #expect(same == tracks)
  }

  @Test func concurrentLoadsShareTheWork() async throws {
    let source = CountingSource(try await Self.bytes(), delay: .milliseconds(5))
    let asset = MediaAsset(source: source)
    try await withThrowingTaskGroup(of: MediaTime.self) { group in
      for _ in 0..<20 { group.addTask { try await asset.load(.duration) } }
      for try await duration in group { #expect(duration == MediaTime(value: 4, timescale: 1)) }
    }
    #expect(source.opens.withLock { $0 } == 1)
    let reads = source.reads.withLock { $0 }
    _ = try await asset.load(.duration, .tracks, .container, .isPlayable)
    #expect(source.reads.withLock { $0 } == reads, "what is loaded is not read again")
  }

  @Test func cancelLoadingEndsEveryWaiter() async throws {
    let asset = MediaAsset(source: CountingSource(try await Self.bytes(), delay: .seconds(60)))
    let waiters = (0..<3).map { _ in Task { try await asset.load(.duration) } }
    while case .notYetLoaded = asset.status(of: .duration) { try await Task.sleep(for: .milliseconds(2)) }
    try await Task.sleep(for: .milliseconds(20))
    asset.cancelLoading()
    for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
    guard case .failed(let error) = asset.status(of: .duration) else {
      Issue.record("a cancelled load has failed")
      return
    }
    #expect(error is CancellationError)
  }

  @Test func aCancelledCallerLeavesAndTheOthersStay() async throws {
    let asset = MediaAsset(source: CountingSource(try await Self.bytes(), delay: .milliseconds(100)))
    let stays = Task { try await asset.load(.duration) }
    let leaves = Task { try await asset.load(.duration) }
    try await Task.sleep(for: .milliseconds(20))
    leaves.cancel()
    await #expect(throws: CancellationError.self) { try await leaves.value }
    #expect(try await stays.value == MediaTime(value: 4, timescale: 1))
  }

  @Test func everyKindOfSourceTellsTheSame() async throws {
    let url = try await Self.clip()
    let bytes = try await Self.bytes()
    let file = try FileHandle(forReadingFrom: url)
    let server = try SlowServer(.bytes(bytes))
    defer { server.stop() }
    var network = MediaAsset.Options()
    network.policy.allowsNetwork = true
    network.policy.allowsLoopbackForAsset = true
    let remote = try #require(URL(string: server.url()))
    let assets = [
      MediaAsset(url: url), MediaAsset(data: Data(bytes)), MediaAsset(source: CountingSource(bytes)),
      MediaAsset(fileDescriptor: file.fileDescriptor), MediaAsset(url: remote, options: network),
    ]
    for asset in assets {
      let (duration, tracks, container) = try await asset.load(.duration, .tracks, .container)
      #expect(duration == MediaTime(value: 4, timescale: 1))
      #expect(tracks.map(\.mediaType) == [.video])
      #expect(container == "mp4")
      let generator = ImageGenerator(asset: asset)
      #expect(try await generator.image(at: MediaTime(value: 1, timescale: 1)).image.width == GeneratedClip.width)
    }
  }

  @Test func theNetworkIsClosedUntilThePolicyOpensIt() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:9/x.mp4"))
    let error = await #expect(throws: MediaError.self) { try await MediaAsset(url: url).load(.duration) }
    #expect(error?.code == .resourceForbidden)
  }

  @Test func aForcedFormatDecides() async throws {
    let asset = MediaAsset(url: try await Self.clip(), options: .init(containerFormat: "wav"))
    await #expect(throws: MediaError.self) { try await asset.load(.tracks) }
    let right = MediaAsset(url: try await Self.clip(), options: .init(containerFormat: "mp4"))
    #expect(try await right.load(.tracks).count == 1)
    let unknown = MediaAsset(url: try await Self.clip(), options: .init(containerFormat: "no such format"))
    await #expect(throws: MediaError.self) { try await unknown.load(.tracks) }
  }

  @Test func tracksByNumberTypeAndCharacteristic() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("T5", "t5.mp4"))
    let tracks = try await asset.load(.tracks)
    #expect(tracks.map(\.trackID) == [1, 2])
    #expect(try await asset.loadTrack(withTrackID: 2)?.mediaType == .audio)
    #expect(try await asset.loadTrack(withTrackID: 9) == nil)
    #expect(try await asset.loadTracks(withMediaType: .subtitle).isEmpty)
    #expect(try await asset.loadTracks(withMediaCharacteristic: .audible).map(\.trackID) == [2])
    #expect(try await asset.loadTracks(withMediaCharacteristic: .visual).map(\.trackID) == [1])
    #expect(try await asset.findUnusedTrackID() == 3)
  }

  @Test func segmentsMapTimeBothWays() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("T5", "t5.mp4"))
    let track = try #require(try await asset.loadTrack(withTrackID: 1))
    let segments = try await track.load(.segments)
    #expect(segments.map(\.isEmpty) == [true, false])
    #expect(segments[0].timeMapping.target == MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 2)))
    #expect(try await track.loadSegment(forTrackTime: MediaTime(value: 1, timescale: 4)) == segments[0])
    #expect(try await track.loadSegment(forTrackTime: MediaTime(value: 100, timescale: 1)) == segments[1])
    let inGap = try await track.loadSamplePresentationTime(forTrackTime: MediaTime(value: 1, timescale: 4))
    #expect(!inGap.isValid)
    let start = segments[1].timeMapping
    let shown = try await track.loadSamplePresentationTime(forTrackTime: MediaTime(value: 3, timescale: 2))
    #expect(shown == start.source.start + MediaTime(value: 1, timescale: 1))
  }

  @Test func theLogGoesToItsHandlerAlone() async throws {
    let lines = Monitor<[String]>([])
    MediaLog.handler = { _, line in lines.withLock { $0.append(line) } }
    defer { MediaLog.handler = nil }
    let broken = [UInt8]("RIFF\u{1}\u{1}\u{1}\u{1}AVI LIST".utf8) + [UInt8](repeating: 7, count: 200)
    _ = try? await MediaAsset(data: Data(broken)).load(.tracks)
    #expect(lines.withLock { !$0.isEmpty })
  }
}
