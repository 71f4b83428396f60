import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The image halves of the acceptance cases about time.
@Suite struct TimingCaseTests {
  private static func expect(
    _ generator: ImageGenerator, at time: MediaTime, luma: Double, actual: MediaTime,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let (image, found) = try await generator.image(at: time)
    #expect(abs(image.luma - luma) <= 2, "\(image.luma) at \(time)", sourceLocation: location)
    #expect(found == actual, "at \(time)", sourceLocation: location)
  }

  @Test func t1VariableRateIsLookedUpByTime() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("T1", "t1.mp4"))
    try await Self.expect(generator, at: .ms(700), luma: 38, actual: .ms(600))
    try await Self.expect(generator, at: .ms(1190), luma: 42, actual: .ms(1000))
    try await Self.expect(generator, at: .ms(390), luma: 34, actual: .ms(360))
    try await Self.expect(generator, at: .ms(1239), luma: 44, actual: .ms(1200))
    let code = await errorCode { _ = try await generator.image(at: .ms(1240)) }
    #expect(code == .noImageAtTime)
  }

  @Test func t3FirstPictureLaterThanZero() async throws {
    let url = try await AcceptanceCase.file("T3", "t3.mp4")
    try await Self.expect(
      ImageGenerator(asset: MediaAsset(url: url)), at: .zero, luma: 16, actual: .ms(80))
    let exact = ImageGenerator.exact(url)
    for k in Int64(0)..<100 {
      try await Self.expect(
        exact, at: .ms(80 + 40 * k), luma: Double(16 + 2 * k), actual: .ms(80 + 40 * k))
    }
    let code = await errorCode { _ = try await exact.image(at: .zero) }
    #expect(code == .noImageAtTime)
  }

  @Test func t5EmptyEditBeforeTheFirstPicture() async throws {
    let url = try await AcceptanceCase.file("T5", "t5.mp4")
    try await Self.expect(
      ImageGenerator(asset: MediaAsset(url: url)), at: .zero, luma: 16, actual: .ms(500))
    let code = await errorCode { _ = try await ImageGenerator.exact(url).image(at: .zero) }
    #expect(code == .noImageAtTime)
  }

  @Test func t7OpenGroupsInATransportStream() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("T7", "t7.ts"))
    var random = SeededGenerator(seed: 3)
    for k in (Int64(0)..<100).shuffled(using: &random) {
      try await Self.expect(
        generator, at: .ms(40 * k), luma: Double(16 + 2 * k), actual: .ms(40 * k))
    }
  }

  @Test func t9PacketsWithoutPresentationTimes() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("T9", "t9.avi"))
    let times = (Int64(0)..<100).map { MediaTime.ms(40 * $0) }
    var k = 0
    for await element in generator.images(for: times) {
      #expect(try abs(element.image.luma - Double(16 + 2 * k)) <= 2, "frame \(k)")
      #expect(try element.actualTime == times[k])
      k += 1
    }
    #expect(k == 100)
    try await Self.expect(generator, at: .ms(2000), luma: 116, actual: .ms(2000))
  }

  @Test func t11ClockThatStartsAnywhere() async throws {
    let url = try await AcceptanceCase.file("T11", "t11.ts")
    let generator = ImageGenerator.exact(url)
    #expect(try await generator.asset.load(.duration) == .ms(4000))
    try await Self.expect(generator, at: .zero, luma: 16, actual: .zero)
    try await Self.expect(generator, at: .ms(2000), luma: 116, actual: .ms(2000))
    try await Self.expect(generator, at: .ms(3990), luma: 214, actual: .ms(3960))
    // Beyond the end the last picture, not the last key picture.
    try await Self.expect(
      ImageGenerator(asset: MediaAsset(url: url)), at: .ms(9000), luma: 214, actual: .ms(3960))
  }

  @Test func t13VideoShorterThanSound() async throws {
    let url = try await AcceptanceCase.file("T13", "t13.mp4")
    try await Self.expect(
      ImageGenerator(asset: MediaAsset(url: url)), at: .ms(2900), luma: 114, actual: .ms(1960))
    let code = await errorCode { _ = try await ImageGenerator.exact(url).image(at: .ms(2900)) }
    #expect(code == .noImageAtTime)
  }

  @Test func t15EveryExactTimeOfNTSC() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("T15", "t15.mp4"))
    #expect(
      try await generator.asset.load(.duration) == MediaTime(value: 90090, timescale: 30000))
    for k in Int64(0)..<90 {
      let time = MediaTime(value: k * 1001, timescale: 30000)
      try await Self.expect(generator, at: time, luma: Double(16 + 2 * k), actual: time)
      guard k > 0 else { continue }
      try await Self.expect(
        generator, at: MediaTime(value: k * 1001 - 1, timescale: 30000),
        luma: Double(14 + 2 * k), actual: MediaTime(value: (k - 1) * 1001, timescale: 30000))
    }
  }

  @Test func t17TwoPicturesOfOneTime() async throws {
    let url = try await AcceptanceCase.file("T17", "t17.mkv")
    var found: Set<UInt8> = []
    for _ in 0..<3 {
      let (image, actual) = try await ImageGenerator.exact(url).image(at: .ms(360))
      #expect(actual == .ms(360))
      #expect(image.luma > 32 && image.luma < 38)
      found.insert(image.pixel(x: 32, y: 24).green)
    }
    #expect(found.count == 1)
    try await Self.expect(
      ImageGenerator.exact(url), at: .ms(440), luma: 38, actual: .ms(440))
  }

  @Test func d1NoDurationAndNoIndex() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("D1", "d1.webm"))
    try await Self.expect(generator, at: .ms(2500), luma: 140, actual: .ms(2480))
    let times = try await generator.evenlySpacedTimes(count: 3)
    #expect(times == [.ms(500), .ms(1500), .ms(2500)])
    var count = 0
    for await element in generator.images(for: times) {
      #expect(throws: Never.self) { try element.image }
      count += 1
    }
    #expect(count == 3)
  }

  @Test func r3DamagedKeyPicture() async throws {
    let generator = ImageGenerator.exact(try await AcceptanceCase.file("R3", "r3.mp4"))
    try await Self.expect(generator, at: .ms(3000), luma: 166, actual: .ms(3000))
    for k in Array(Int64(0)..<25) + Array(50..<100) {
      try await Self.expect(
        generator, at: .ms(40 * k), luma: Double(16 + 2 * k), actual: .ms(40 * k))
    }
    // Between them a picture may be missing or damaged, but is never another time's under this time's name.
    for k in Int64(25)..<50 {
      do {
        let (_, actual) = try await generator.image(at: .ms(40 * k))
        #expect(actual == .ms(40 * k))
      } catch let error as MediaError {
        #expect(error.code == .decodeFailed)
      }
    }
  }
}
