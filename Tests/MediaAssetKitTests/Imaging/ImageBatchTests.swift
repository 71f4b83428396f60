import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Batches: order, duplicates, errors of single times, cancellation, memory.
@Suite struct ImageBatchTests {
  static func clip() async throws -> GeneratedClip { try await .make(.h264ClosedGroups) }

  static func time(_ k: Int) -> MediaTime { .ms(Int64(40 * k)) }

  @Test func inTheOrderAskedWithDuplicatesAndErrors() async throws {
    let generator = ImageGenerator.exact(try await Self.clip().url)
    var random = SeededGenerator(seed: 5)
    var times = (0..<60).map { _ in Self.time(Int.random(in: 0..<100, using: &random)) }
    times += [.ms(9000), Self.time(3), Self.time(3), .invalid, .ms(-1), Self.time(3)]
    times.shuffle(using: &random)
    var number = 0
    for await element in generator.images(for: times) {
      let time = times[number]
      number += 1
      // Invalid times are equal to nothing but themselves by fields.
      #expect(element.requestedTime == time)
      if time.isNumeric, time >= .zero, time < .ms(4000) {
        #expect(try element.actualTime == time)
        let k = Double(time.value) / 40
        #expect(try abs(element.image.luma - (16 + 2 * k)) <= 2)
      } else {
        let code = await errorCode { _ = try element.image }
        #expect(code == (time.isNumeric ? .noImageAtTime : .invalidArgument))
      }
    }
    #expect(number == times.count)
  }

  @Test func asCompletedGivesEveryTimeOnce() async throws {
    let generator = ImageGenerator.exact(try await Self.clip().url)
    let times = (0..<100).reversed().map(Self.time) + [Self.time(7), .ms(9000)]
    var counts: [MediaTime: Int] = [:]
    for await element in generator.images(for: times, order: .asCompleted) {
      counts[element.requestedTime, default: 0] += 1
      if case .success(let time, let image, let actual) = element {
        #expect(time == actual)
        #expect(abs(image.luma - (16 + 2 * Double(time.value) / 40)) <= 2)
      } else {
        #expect(element.requestedTime == .ms(9000))
      }
    }
    #expect(counts.count == 101 && counts[Self.time(7)] == 2 && counts.values.reduce(0, +) == 102)
  }

  @Test func nothingAskedNothingGiven() async throws {
    let generator = ImageGenerator(asset: MediaAsset(url: URL(fileURLWithPath: "/nowhere/none.mp4")))
    for await _ in generator.images(for: []) { Issue.record("An image of nothing.") }
    var count = 0
    for await element in generator.images(for: [.zero, .zero]) {
      count += 1
      #expect(await errorCode { _ = try element.image } == .fileNotFound)
    }
    #expect(count == 2)
  }

  @Test func laterChangesOfTheGeneratorDoNotMatter() async throws {
    var generator = ImageGenerator.exact(try await Self.clip().url)
    generator.maximumSize = PixelSize(width: 32, height: 32)
    let images = generator.images(for: (0..<10).map(Self.time))
    generator.maximumSize = PixelSize(width: 16, height: 16)
    generator.requestedTimeToleranceBefore = .positiveInfinity
    for await element in images { #expect(try element.image.width == 32) }
    #expect(try await generator.image(at: .zero).image.width == 16)
  }

  /// 1280x720, 50 frames, one group of pictures.
  static func big() async throws -> URL {
    try await madeFile(
      "big.mp4",
      [
        "-f", "lavfi", "-i", "testsrc2=s=1280x720:r=25:d=2", "-c:v", "libx264", "-preset", "ultrafast", "-g", "50",
        "-pix_fmt", "yuv420p",
      ])
  }

  /// A slow consumer: no more pictures are drawn than the budget holds.
  @Test(arguments: [Images.Order.asRequested, .asCompleted])
  func picturesThatNobodyTookStayWithinTheBudget(_ order: Images.Order) async throws {
    let url = try await Self.big()
    let generator = ImageGenerator.exact(url)
    let source = try await generator.source()
    let renderer = try generator.renderer(source)
    // 1280 x 720 x 4 bytes: 36 of them in half of 256 MiB.
    let part = ImageBatch.partSize(renderer)
    #expect(part == MediaConfiguration().imageMemoryBudget / 2 / (1280 * 720 * 4))
    let times = (0..<400).map { Self.time($0 % 50) }
    let batch = ImageBatch(generator: generator, times: times, order: order)
    batch.start()
    var most = 0
    for taken in 0..<3 {
      for _ in 0..<30 {
        try await Task.sleep(for: .milliseconds(20))
        most = max(most, batch.readyCount)
      }
      #expect(batch.readyCount <= 2 * part, "after \(taken)")
      for _ in 0..<20 { #expect(await batch.next() != nil) }
    }
    #expect(most > part)
    batch.abandon()
    #expect(batch.readyCount == 0)
  }

  @Test func reversedAndHugeRequestsEnd() async throws {
    var generator = ImageGenerator.exact(try await Self.clip().url)
    generator.maximumSize = PixelSize(width: 8, height: 8)
    let times = (0..<20_000).map { Self.time(99 - $0 % 100) }
    var count = 0
    for await element in generator.images(for: times) {
      if case .success(_, let image, _) = element, image.width == 8 { count += 1 }
    }
    #expect(count == times.count)
  }

  @Test func manyBatchesAtOnce() async throws {
    let clip = try await Self.clip()
    let generator = ImageGenerator.exact(clip.url)
    try await withThrowingTaskGroup(of: Int.self) { tasks in
      for number in 0..<24 {
        tasks.addTask {
          let times = (0..<20).map { Self.time(($0 * 7 + number * 3) % 100) }
          var count = 0
          for await element in generator.images(for: times, order: number % 2 == 0 ? .asRequested : .asCompleted) {
            let time = element.requestedTime
            if try abs(element.image.luma - (16 + 2 * Double(time.value) / 40)) <= 2 { count += 1 }
          }
          return count
        }
      }
      for try await count in tasks { #expect(count == 20) }
    }
    // What waits in the pool afterwards is bounded too.
    let owner = ObjectIdentifier(try await generator.source())
    #expect(SessionPool.shared.count(of: owner) <= 2 * max(2, MediaConfiguration.current.threadBudget))
  }

  /// P1: 32 tasks with 100 random times each, on one asset and on 32.
  @Test(arguments: [true, false])
  func p1ManyTasks(_ sharesOneAsset: Bool) async throws {
    let url = try await AcceptanceCase.file("P1", "base.mp4")
    let shared = MediaAsset(url: url)
    let before = try ProcessUsage.current().threadCount
    let isDone = Monitor(false)
    // The cooperative pool stays free: short sleeps stay short.
    let heartbeat = Task {
      var slowest = Duration.zero
      let clock = ContinuousClock()
      while !isDone.withLock({ $0 }) {
        let start = clock.now
        try await Task.sleep(for: .milliseconds(10))
        slowest = max(slowest, clock.now - start)
      }
      return slowest
    }
    var most = 0
    try await withThrowingTaskGroup(of: Int.self) { tasks in
      for number in 0..<32 {
        tasks.addTask {
          let generator = ImageGenerator.exact(sharesOneAsset ? shared : MediaAsset(url: url))
          var random = SeededGenerator(seed: UInt64(number))
          var right = 0
          for _ in 0..<100 {
            let k = Int.random(in: 0..<100, using: &random)
            let (image, actual) = try await generator.image(at: Self.time(k))
            if abs(image.luma - Double(16 + 2 * k)) <= 2, actual == Self.time(k) { right += 1 }
          }
          return right
        }
      }
      for try await right in tasks {
        #expect(right == 100)
        most = max(most, try ProcessUsage.current().threadCount)
      }
    }
    isDone.withLock { $0 = true }
    #expect(try await heartbeat.value < .milliseconds(500))
    // Other tests run in this process too, so that the bound is a coarse one.
    let cores = ProcessInfo.processInfo.activeProcessorCount
    #expect(most - before <= 24 + 12 * cores, "\(most) threads, \(before) before")
  }
}
