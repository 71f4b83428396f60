import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Every picture of every kind of clip, by its time, in random order, against the picture's own luma.
@Suite struct ExactFrameTests {
  private static func exact(_ asset: MediaAsset) -> ImageGenerator {
    var generator = ImageGenerator(asset: asset)
    generator.requestedTimeToleranceBefore = .zero
    generator.requestedTimeToleranceAfter = .zero
    return generator
  }

  @Test(arguments: GeneratedClip.Kind.allCases)
  func everyFrameByItsTimeInRandomOrder(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let generator = Self.exact(MediaAsset(url: clip.url))
    var random = SeededGenerator(seed: 7)
    for frame in clip.frames.shuffled(using: &random) {
      let time = MediaTime(value: frame.time.value, timescale: Int32(frame.time.timescale))
      let (image, actual) = try await generator.image(at: time)
      let luma = Self.luma(image)
      #expect(
        abs(luma - GeneratedClip.grey(luma: frame.luma)) <= GeneratedClip.tolerance * 255 / 219 + 1,
        "\(kind) at \(time)")
      #expect(actual == time)
    }
  }

  @Test(arguments: GeneratedClip.Kind.allCases)
  func batchGivesTheSameFrames(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let generator = Self.exact(MediaAsset(url: clip.url))
    var random = SeededGenerator(seed: 11)
    let frames = clip.frames.shuffled(using: &random)
    let times = frames.map { MediaTime(value: $0.time.value, timescale: Int32($0.time.timescale)) }
    var index = 0
    for await element in generator.images(for: times) {
      #expect(element.requestedTime == times[index])
      let luma = Self.luma(try element.image)
      #expect(
        abs(luma - GeneratedClip.grey(luma: frames[index].luma)) <= GeneratedClip.tolerance * 255 / 219 + 1,
        "\(kind) at \(times[index])")
      #expect(try element.actualTime == times[index])
      index += 1
    }
    #expect(index == frames.count)
  }

  @Test(arguments: GeneratedClip.Kind.allCases)
  func framesInOrder(_ kind: GeneratedClip.Kind) async throws {
    let clip = try await GeneratedClip.make(kind)
    let track = try #require(try await MediaAsset(url: clip.url).loadDefaultTrack(withMediaType: .video))
    var times: [MediaTime] = []
    for try await frame in track.frames() { times.append(frame.time) }
    #expect(times == clip.frames.map { MediaTime(value: $0.time.value, timescale: Int32($0.time.timescale)) })
  }

  private static func luma(_ image: MediaImage) -> Double {
    var sum = 0
    for y in 0..<image.height { for x in 0..<image.width { sum += Int(image.pixel(x: x, y: y).green) } }
    return Double(sum) / Double(image.width * image.height)
  }
}
