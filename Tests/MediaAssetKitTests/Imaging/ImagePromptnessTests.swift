import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// How soon images come and how soon work on them ends (N1, R1, M5); measured alone.
@Suite struct ImagePromptnessTests {
  @Test func n1SilentServerEndsAtTheDeadline() async throws {
    let server = try SilentServer()
    let generator = ImageGenerator(asset: try MediaAsset.served(server.url(), deadline: .seconds(1)))
    let clock = ContinuousClock()
    let start = clock.now
    #expect(await errorCode { _ = try await generator.image(at: .zero) } == .timedOut)
    let elapsed = clock.now - start
    #expect(elapsed > .milliseconds(500) && elapsed < .within(.milliseconds(1500)), "\(elapsed)")
  }

  @Test func n1CancellationLeavesAtOnce() async throws {
    let server = try SilentServer()
    let generator = ImageGenerator(asset: try MediaAsset.served(server.url()))
    let clock = ContinuousClock()
    let single = Task { try await generator.image(at: .zero) }
    let batch = Task {
      var errors: [any Error] = []
      for await element in generator.images(for: [.zero, .ms(40)]) {
        if case .failure(_, let error) = element { errors.append(error) }
      }
      return errors
    }
    while server.connectionCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(50))
    var start = clock.now
    single.cancel()
    await #expect(throws: CancellationError.self) { try await single.value }
    #expect(clock.now - start < .within(.milliseconds(200)))
    start = clock.now
    batch.cancel()
    let errors = await batch.value
    #expect(errors.count == 2 && errors.allSatisfy { $0 is CancellationError })
    #expect(clock.now - start < .within(.milliseconds(200)))
  }

  /// The server stops in the middle of the media: opening works, a picture waits, cancelling ends it.
  @Test func silenceInTheMiddleOfTheMedia() async throws {
    let url = try await AcceptanceCase.file("N3", "n3.mp4")
    let size = try Data(contentsOf: url).count
    let server = try SlowServer(url, ServerBehaviour { $0.bytesPerSecond = size / 60 })
    let generator = ImageGenerator.exact(try MediaAsset.served(server.url()))
    let task = Task { try await generator.image(at: .ms(2000)) }
    while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
    try await Task.sleep(for: .milliseconds(300))
    let clock = ContinuousClock()
    let start = clock.now
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now - start < .within(.milliseconds(200)))
  }

  @Test func cancelledTaskGetsCancellationForTheRest() async throws {
    // Pictures so large that the budget holds a few of them: most are still to be drawn when the task is cancelled.
    let generator = ImageGenerator.exact(try await ImageBatchTests.big())
    let times = (0..<500).map { ImageBatchTests.time($0 * 37 % 50) }
    let clock = ContinuousClock()
    let cancellation = Monitor(clock.now)
    let task = Task {
      var (images, cancelled) = (0, 0)
      for await element in generator.images(for: times) {
        do {
          _ = try element.image
          images += 1
        } catch {
          #expect(error is CancellationError)
          cancelled += 1
        }
        if images == 5, cancelled == 0 {
          cancellation.withLock { $0 = clock.now }
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
      return (images, cancelled)
    }
    let (images, cancelled) = await task.value
    #expect(images + cancelled == times.count && images >= 5 && cancelled > 0)
    #expect(clock.now - cancellation.withLock { $0 } < .within(.milliseconds(500)))
  }

  @Test func droppedIteratorStopsTheWorkAndFreesTheSessions() async throws {
    let url = try await ImageBatchTests.big()
    var source: ImageSource?
    weak var watched: ImageSource?
    do {
      let generator = ImageGenerator.exact(url)
      source = try await generator.source()
      watched = source
      var iterator = generator.images(for: (0..<50).map(ImageBatchTests.time)).makeAsyncIterator()
      #expect(try await iterator.next()?.image.width == 1280)
    }
    let clock = ContinuousClock()
    let start = clock.now
    source = nil
    while watched != nil, clock.now - start < .seconds(5) { try await Task.sleep(for: .milliseconds(5)) }
    #expect(watched == nil)
    #expect(clock.now - start < .within(.seconds(1)))
  }

  @Test func r1WithoutIndex() async throws {
    let generator = ImageGenerator(
      asset: MediaAsset(url: try await AcceptanceCase.file("R1", "r1.mp4")))
    let clock = ContinuousClock()
    let start = clock.now
    do {
      _ = try await generator.image(at: .zero)
      Issue.record("An image of a file without an index.")
    } catch let error as MediaError {
      #expect(error.code == .fileFailedToParse)
      #expect(error.description.contains("moov"))
    }
    #expect(clock.now - start < .within(.seconds(1)))
  }

  @Test func m5ManyChaptersOpenAtOnce() async throws {
    let url = try await AcceptanceCase.file("M5", "m5.mp4")
    let clock = ContinuousClock()
    let start = clock.now
    let (image, _) = try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero)
    #expect(clock.now - start < .within(.seconds(1)))
    #expect(image.size == PixelSize(width: 16, height: 16))
  }
}

extension MediaAsset {
  /// What opens servers on this machine.
  static func policy(deadline: Duration = .seconds(20)) -> ResourcePolicy {
    var policy = ResourcePolicy()
    policy.allowsNetwork = true
    policy.allowsLoopbackForAsset = true
    policy.deadline = deadline
    return policy
  }

  static func served(_ address: String, deadline: Duration = .seconds(20)) throws -> MediaAsset {
    var options = MediaAsset.Options()
    options.policy = policy(deadline: deadline)
    return MediaAsset(url: try #require(URL(string: address)), options: options)
  }
}
