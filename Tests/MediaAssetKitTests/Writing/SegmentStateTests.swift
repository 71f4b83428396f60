import Foundation
import MediaTestSupport
import Synchronization
import Testing

@testable import MediaAssetKit

/// Who waits for whom, what is refused, and how writing of segments ends early.
@Suite struct SegmentStateTests {
  private func input() -> Writer.Input {
    var settings = VideoSettings(codec: "h264", constantRateFactor: 20, encoderOptions: ["preset": "ultrafast"])
    settings.maximumBFrames = 0
    return Writer.Input(video: settings)
  }

  private static func picture(_ index: Int) throws -> SampleBuffer {
    SampleBuffer(
      content: .picture(try greyPicture(luma: UInt8(16 + 2 * (index % 100)))),
      presentationTime: MediaTime(value: Int64(index), timescale: 25), duration: MediaTime(value: 1, timescale: 25))
  }

  private func writer(
    _ interval: MediaTime = MediaTime(value: 1, timescale: 1), profile: Writer.FileTypeProfile = .mpeg4AppleHLS
  ) throws -> Writer {
    var options = Writer.Options()
    options.preferredOutputSegmentInterval = interval
    return try Writer(contentType: .mp4, profile: profile, options: options)
  }

  /// A consumer that takes nothing stops the producer after a few seconds of media.
  @Test func slowConsumer() async throws {
    let writer = try writer()
    let video = try writer.add(input())
    try await writer.start()
    try writer.startSession(at: .zero)
    let appended = Mutex(0)
    let producer = Task {
      for index in 0..<1500 {
        try await video.append(try Self.picture(index))
        appended.withLock { $0 = index + 1 }
      }
      try await writer.finishWriting()
    }
    var (last, calm) = (-1, 0)
    while calm < 5 {
      try await Task.sleep(for: .milliseconds(200))
      let now = appended.withLock { $0 }
      calm = now == last && now > 0 ? calm + 1 : 0
      last = now
    }
    // Four seconds of samples may queue, two segments wait, and the encoder looks ahead.
    #expect(last < 400)
    let segments = try await collect(writer)
    try await producer.value
    #expect(segments.count == 61)
    #expect(writer.status == .completed)
  }

  /// Whoever stops consuming stops the producer.
  @Test(.timeLimit(.minutes(1))) func consumerLeaves() async throws {
    let writer = try writer()
    let video = try writer.add(input())
    try await writer.start()
    try writer.startSession(at: .zero)
    let consumer = Task { for try await segment in writer.segments where segment.kind == .separable { break } }
    await #expect(throws: CancellationError.self) {
      for index in 0..<100_000 { try await video.append(try Self.picture(index)) }
    }
    try await consumer.value
    #expect(writer.status == .cancelled)
  }

  @Test(.timeLimit(.minutes(1)), arguments: [true, false]) func cancellation(_ isConsumers: Bool) async throws {
    let writer = try writer()
    let video = try writer.add(input())
    try await writer.start()
    try writer.startSession(at: .zero)
    let consumer = Task { try await collect(writer) }
    for index in 0..<60 { try await video.append(try Self.picture(index)) }
    let begin = ContinuousClock.now
    if isConsumers { consumer.cancel() } else { await writer.cancel() }
    await #expect(throws: CancellationError.self) { _ = try await consumer.value }
    #expect(ContinuousClock.now - begin < .within(.milliseconds(500)))
    #expect(writer.status == .cancelled)
    await #expect(throws: (any Error).self) { try await writer.finishWriting() }
  }

  @Test func refusals() async throws {
    #expect(throws: MediaError.self) { try Writer(contentType: .mkv, profile: .mpeg4AppleHLS) }
    for interval in [MediaTime.invalid, .zero, MediaTime(value: -1, timescale: 1), .positiveInfinity] {
      let writer = try writer(interval)
      try writer.add(input())
      let error = await #expect(throws: MediaError.self) { try await writer.start() }
      #expect(error?.code == .invalidArgument)
    }
    let two = try writer(profile: .mpeg4CMAFCompliant)
    try two.add(input())
    try two.add(Writer.Input(audio: AudioSettings(codec: "aac")))
    await #expect(throws: MediaError.self) { try await two.start() }
    let timed = try writer()
    try timed.add(input())
    try await timed.start()
    try timed.startSession(at: .zero)
    #expect(throws: MediaError.self) { try timed.flushSegment() }
    await timed.cancel()
    try await withScratchFolder { folder in
      let file = try Writer(url: folder.appendingPathComponent("o.mp4"), fileType: .mp4)
      for try await _ in file.segments { Issue.record("a file has no segments") }
    }
  }

  /// Without a sample there is nothing to describe.
  @Test func empty() async throws {
    let writer = try writer()
    try writer.add(input())
    try await writer.start()
    try writer.startSession(at: .zero)
    let segments = Task { try await collect(writer) }
    await #expect(throws: MediaError.self) { try await writer.finishWriting() }
    await #expect(throws: (any Error).self) { _ = try await segments.value }
  }
}
