import Glibc
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// A custom source that can be slow, fail, and be read in order only.
private final class TestSource: ByteSource {
  let content: [UInt8]
  let isSeekable: Bool
  let hasLength: Bool
  let delay: Duration
  let failsAt: Int64?
  let reads = Monitor([Int64]())
  let isClosed = Monitor(false)

  init(
    _ content: [UInt8], isSeekable: Bool = true, hasLength: Bool = true, delay: Duration = .zero,
    failsAt: Int64? = nil
  ) {
    self.content = content
    self.isSeekable = isSeekable
    self.hasLength = hasLength
    self.delay = delay
    self.failsAt = failsAt
  }

  struct Broken: Error {}

  func open() async throws -> ByteSourceInfo {
    ByteSourceInfo(
      length: hasLength ? Int64(content.count) : nil, isSeekable: isSeekable, name: "test")
  }

  func read(at offset: Int64, length: Int) async throws -> [UInt8] {
    reads.withLock { $0.append(offset) }
    if delay > .zero { try await Task.sleep(for: delay) }
    if let failsAt, offset >= failsAt { throw Broken() }
    let start = min(Int(offset), content.count)
    return Array(content[start..<min(start + length, content.count)])
  }

  func close() async { isClosed.withLock { $0 = true } }
}

@Suite struct ByteSourceTests {
  static let content = testContent(1_000_000)

  @Test func data() throws {
    let reader = DataReader(Self.content)
    #expect(reader.length == 1_000_000)
    #expect(try read(reader, at: 999_990, count: 20) == Array(Self.content[999_990...]))
    #expect(try read(reader, at: 1_000_000, count: 20) == [])
    #expect(try read(reader, at: .max, count: 20) == [])
    #expect(try read(reader, at: -1, count: 20) == [])
  }

  @Test(arguments: [true, false])
  func randomReads(hasLength: Bool) async throws {
    let reader = try await AsyncSourceReader.open(TestSource(Self.content, hasLength: hasLength))
    try await blocking { () throws -> Void in
      var generator = SplitMix(state: 7)
      for _ in 0..<50 {
        let offset = Int.random(in: 0..<1_000_000, using: &generator)
        let count = min(300_000, 1_000_000 - offset)
        #expect(
          try read(reader, at: Int64(offset), count: 300_000)
            == Array(Self.content[offset..<offset + count]))
      }
      #expect(try read(reader, at: 2_000_000, count: 5) == [])
    }
  }

  /// Each byte is asked for once and in order, through a spooled copy.
  @Test func inOrder() async throws {
    let source = TestSource(Self.content, isSeekable: false, hasLength: false)
    let reader = try await AsyncSourceReader.open(source)
    let file = try SpooledFile(reader, name: "a", maximumBytes: 1_000_000, folder: "/tmp")
    #expect(file.length == nil)
    try await blocking { () throws -> Void in
      #expect(try read(file, at: 500_000, count: 100) == Array(Self.content[500_000..<500_100]))
      #expect(try read(file, at: 100, count: 100) == Array(Self.content[100..<200]))
      #expect(try read(file, at: 0, count: 2_000_000) == Self.content)
      #expect(try read(file, at: .max, count: 1) == [])
    }
    #expect(file.length == 1_000_000)
    let reads = source.reads.withLock { $0 }
    #expect(reads == reads.sorted() && Set(reads).count == reads.count)
  }

  @Test func spoolLimit() async throws {
    let unknown = try await AsyncSourceReader.open(
      TestSource(Self.content, isSeekable: false, hasLength: false))
    let file = try SpooledFile(unknown, name: "a", maximumBytes: 999_999, folder: "/tmp")
    let code = await code { try await blocking { _ = try file.spoolAll { false } } }
    #expect(code == .limitExceeded)
    let known = try await AsyncSourceReader.open(TestSource(Self.content, isSeekable: false))
    #expect(throws: MediaError.self) {
      try SpooledFile(known, name: "a", maximumBytes: 999_999, folder: "/tmp")
    }
    #expect {
      try SpooledFile(known, name: "a", maximumBytes: 1_000_000, folder: "/no/such/folder")
    } throws: {
      ($0 as? MediaError)?.code == .writeFailed
    }
  }

  @Test func failures() async throws {
    let source = TestSource(Self.content, failsAt: 500_000)
    let reader = try await AsyncSourceReader.open(source)
    await #expect {
      try await blocking { _ = try read(reader, at: 600_000, count: 10) }
    } throws: { error in
      guard let error = error as? MediaError else { return false }
      return error.code == .readFailed && error.underlying is TestSource.Broken
    }
    // The reader itself is not broken by that.
    let again = try await blocking { try read(reader, at: 0, count: 10) }
    #expect(again == Array(Self.content[..<10]))
  }

  @Test func deadline() async throws {
    let source = TestSource(Self.content, delay: .seconds(60))
    let reader = try await AsyncSourceReader.open(source, deadline: .milliseconds(300))
    let start = ContinuousClock.now
    let code = await code { try await blocking { _ = try read(reader, at: 0, count: 1) } }
    #expect(code == .timedOut)
    #expect(ContinuousClock.now - start < .within(.milliseconds(600)))
  }

  @Test func interrupt() async throws {
    let source = TestSource(Self.content, delay: .seconds(60))
    let reader = try await AsyncSourceReader.open(source)
    let start = ContinuousClock.now
    await #expect(throws: CancellationError.self) {
      try await blocking { () throws -> Void in
        _ = try read(reader, at: 0, count: 1) { ContinuousClock.now - start > .milliseconds(300) }
      }
    }
    #expect(ContinuousClock.now - start < .within(.milliseconds(500)))
  }

  @Test func closesWithItsReader() async throws {
    let source = TestSource(Self.content)
    var reader: AsyncSourceReader? = try await AsyncSourceReader.open(source)
    #expect(reader?.length == 1_000_000)
    reader = nil
    for _ in 0..<100 where !source.isClosed.withLock({ $0 }) {
      try await Task.sleep(for: .milliseconds(10))
    }
    #expect(source.isClosed.withLock { $0 })
  }

  /// A source that never opens and ignores its cancellation.
  private struct Stuck: ByteSource {
    func open() async throws -> ByteSourceInfo {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        onThread {
          usleep(3_000_000)
          continuation.resume()
        }
      }
      return ByteSourceInfo(name: "stuck")
    }
    func read(at offset: Int64, length: Int) async throws -> [UInt8] { [] }
  }

  @Test func stuckOpen() async throws {
    let start = ContinuousClock.now
    let code = await code {
      _ = try await AsyncSourceReader.open(Stuck(), deadline: .milliseconds(200))
    }
    #expect(code == .timedOut)
    let task = Task { _ = try await AsyncSourceReader.open(Stuck()) }
    try await Task.sleep(for: .milliseconds(100))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(ContinuousClock.now - start < .within(.milliseconds(1000)))
  }
}
