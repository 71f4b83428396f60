import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Many times of a file whose list of key pictures lies apart: planned by it, each group decoded once.
@Suite struct ListedKeysTests {
  @Test(arguments: [("keys.mkv", "libx264"), ("keys.webm", "libvpx-vp9"), ("keys.avi", "mjpeg")])
  func batchesPlanByTheList(_ name: String, _ codec: String) async throws {
    let url = try await madeClip(
      name,
      [
        "-f", "lavfi", "-i", "color=gray:s=64x48:r=25:d=4,format=yuv420p,geq=lum=16+2*N:cb=128:cr=128", "-c:v", codec,
        "-g", "25", "-pix_fmt", codec == "mjpeg" ? "yuvj420p" : "yuv420p",
      ])
    let keys = try await FFmpegJudge(url).packets().filter(\.isKey).compactMap { $0.presentation ?? $0.decoding }
    #expect(keys.count == (codec == "mjpeg" ? 100 : 4))
    let generator = ImageGenerator.exact(url)
    // One image needs no list.
    _ = try await generator.image(at: .zero)
    #expect(try await generator.source().opener.keyTimes.isEmpty)
    // From the last to the first, so that nothing is met by going on.
    let numbers = [90, 70, 65, 30, 10, 5]
    for await element in generator.images(for: numbers.map { MediaTime(value: Int64($0), timescale: 25) }) {
      let (requested, actual) = (element.requestedTime, try element.actualTime)
      #expect(abs((actual - requested).seconds) <= 0.001)
      #expect(try abs(element.image.luma - (16 + 2 * requested.seconds * 25)) <= 4)
    }
    let source = try await generator.source()
    #expect(source.opener.keyTimes == keys)
    let groups = try numbers.map {
      source.group(of: try generator.plan(MediaTime(value: Int64($0), timescale: 25), source))
    }
    #expect(groups == (codec == "mjpeg" ? numbers : [3, 2, 2, 1, 0, 0]))
  }
}
