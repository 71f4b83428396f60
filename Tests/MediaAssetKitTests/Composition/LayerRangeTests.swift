import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Layers of high and standard range in one picture, by BT.2408's numbers.
@Suite struct LayerRangeTests {
  private func clip(_ luma: Int, _ transfer: String) async throws -> URL {
    try await madeClip(
      "range-\(luma)-\(transfer).mkv",
      [
        "-f", "lavfi", "-i",
        "color=black:s=64x48:r=25:d=1,format=yuv420p10,geq=\(luma):512:512,"
          // Later versions of ffmpeg go by the pictures' own colour.
          + "setparams=color_primaries=bt2020:colorspace=bt2020nc:color_trc=\(transfer)", "-c:v", "ffv1",
        "-color_primaries", "bt2020", "-colorspace", "bt2020nc", "-color_trc", transfer,
      ])
  }

  /// The code of a grey in limited range of ten bits.
  private func code(_ part: Double) -> Int { Int((64 + 876 * part).rounded()) }

  private func picture(below: URL, above: URL, opacity: Double = 1) async throws -> PixelBuffer {
    var stack = try await LayerStack(greys: [])
    try await stack.add(below)
    try await stack.add(above)
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    // Half of the picture, so that both are seen.
    try top.setTransform(.translation(x: 32, y: 0), at: .zero)
    try top.setOpacity(opacity, at: .zero)
    return try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[0].pixelBuffer
  }

  /// White of standard range is 203 cd/m²: 58 % of PQ and 75 % of HLG; black stays black.
  @Test(arguments: [("smpte2084", 0.58), ("arib-std-b67", 0.75)]) func whiteIsRaised(transfer: String, part: Double)
    async throws
  {
    let below = try await clip(code(0.3), transfer)
    let white = try await picture(below: below, above: try await greyClip(13))
    #expect(white.colour.transfer == transfer)
    #expect(white.deepValue(0, 10, 10) == code(0.3))
    #expect(abs(white.deepValue(0, 40, 10) - code(part)) <= 4)
    #expect(abs(white.deepValue(1, 20, 5) - 512) <= 2 && abs(white.deepValue(2, 20, 5) - 512) <= 2)
    let half = try await picture(below: below, above: try await greyClip(13), opacity: 0.5)
    #expect(abs(half.deepValue(0, 40, 10) - (code(part) + code(0.3)) / 2) <= 4)
  }

  /// 203 cd/m² is level 215 of 255, as in stills.
  @Test func hdrIsToneMapped() async throws {
    let picture = try await picture(below: try await greyClip(2), above: try await clip(code(0.5807), "smpte2084"))
    #expect(picture.colour.transfer != "smpte2084")
    let levels = picture.pixelFormat == "yuv420p" ? 1 : 4
    func value(_ x: Int) -> Double {
      Double(levels == 1 ? picture.value(0, x, 10) : picture.deepValue(0, x, 10)) / Double(levels)
    }
    #expect(abs(value(10) - 70) <= 1)
    #expect(abs(value(40) - (16 + 215 * 219 / 255.0)) <= 2)
  }
}
