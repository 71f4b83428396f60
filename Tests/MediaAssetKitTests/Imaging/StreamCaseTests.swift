import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The image halves of the acceptance cases about streams, files, damage and size.
@Suite struct StreamCaseTests {
  @Test func s1CoverArtIsNoVideo() async throws {
    let asset = MediaAsset(url: try await AcceptanceCase.file("S1", "s1.mp3"))
    let artwork = try await asset.loadArtwork()
    #expect(artwork.count == 1)
    let cover = try #require(artwork.first)
    #expect(cover.size == PixelSize(width: 32, height: 32))
    #expect(cover.isNear(16, 16, (255, 0, 0), by: 2))
    #expect(cover.alphaMode == .opaque)
    let generator = ImageGenerator(asset: asset)
    #expect(await errorCode { _ = try await generator.image(at: .zero) } == .noSourceTrack)
    #expect(
      await errorCode { _ = try await generator.evenlySpacedTimes(count: 3) } == .noSourceTrack)
    var count = 0
    for await element in generator.images(for: [.zero, .ms(500), .zero]) {
      count += 1
      #expect(await errorCode { _ = try element.image } == .noSourceTrack)
    }
    #expect(count == 3)
  }

  @Test func s3FirstProgrammeIsTheDefault() async throws {
    let generator = ImageGenerator(
      asset: MediaAsset(url: try await AcceptanceCase.file("S3", "s3.ts")))
    let (image, _) = try await generator.image(at: .zero)
    #expect(image.size == PixelSize(width: 64, height: 48))
    #expect(image.isNear(32, 24, (253, 0, 0), by: 4))
  }

  @Test func s5UnknownCodec() async throws {
    let generator = ImageGenerator(
      asset: MediaAsset(url: try await AcceptanceCase.file("S5", "s5.mp4")))
    #expect(await errorCode { _ = try await generator.image(at: .zero) } == .decoderNotFound)
  }

  @Test(arguments: ["a:b.mp4", "-x.mp4", "100%d.mp4", "sp ace#?&.mp4"])
  func f1NamesAreNames(_ name: String) async throws {
    let folder = try await AcceptanceCase.make("F1").appendingPathComponent("n", isDirectory: true)
    let url = folder.appendingPathComponent(name)
    let percentEncoded = try #require(URL(string: url.absoluteString))
    let relative = URL(fileURLWithPath: name, relativeTo: folder)
    for url in [url, percentEncoded, relative] {
      let asset = MediaAsset(url: url)
      #expect(try await asset.load(.duration) == .ms(4000))
      let (image, actual) = try await ImageGenerator.exact(asset).image(at: .ms(2000))
      #expect(abs(image.luma - 116) <= 2 && actual == .ms(2000))
    }
    try await withTemporaryFolder { output in
      let (image, _) = try await ImageGenerator(asset: MediaAsset(url: url)).image(at: .zero)
      let written = output.appendingPathComponent(name.replacing(".mp4", with: ".png"))
      try await image.write(to: written)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: output.path) == [
          written.lastPathComponent
        ])
    }
  }

  @Test func f3PatternsAreNames() async throws {
    let folder = try await AcceptanceCase.make("F3")
    let url = folder.appendingPathComponent("shot%02d.png")
    let asset = MediaAsset(url: url)
    let (image, _) = try await ImageGenerator(asset: asset).image(at: .zero)
    #expect(image.size == PixelSize(width: 64, height: 48))
    #expect(image.isNear(32, 24, (0, 0, 255), by: 1))
    let track = try #require(try await asset.loadDefaultTrack(withMediaType: .video))
    var count = 0
    for try await _ in track.frames() { count += 1 }
    #expect(count == 1)
    try await withTemporaryFolder { output in
      for name in ["out%02d.png", "a:b.jpg", "%d.webp"] {
        try await image.write(to: output.appendingPathComponent(name))
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: output.path).sorted()
      #expect(names == ["%d.webp", "a:b.jpg", "out%02d.png"])
    }
  }

  /// Pictures of the kind that this FFmpeg reads give an image, others a typed error, never a trap or nothing.
  @Test func stillPicturesOfNewerKinds() async throws {
    let avif = try? await madeFile(
      "still.avif",
      [
        "-f", "lavfi", "-i", "color=red:s=64x48,format=yuv420p", "-frames:v", "1", "-c:v",
        "libaom-av1", "-still-picture", "1",
      ])
    if let avif {
      do {
        let (image, _) = try await ImageGenerator(asset: MediaAsset(url: avif)).image(at: .zero)
        #expect(
          image.size == PixelSize(width: 64, height: 48) && image.isNear(32, 24, (253, 0, 0), by: 4)
        )
      } catch let error as MediaError {
        #expect(
          [.fileFormatNotRecognized, .fileFailedToParse, .noSourceTrack].contains(error.code),
          "\(error)")
      }
    }
  }
}
