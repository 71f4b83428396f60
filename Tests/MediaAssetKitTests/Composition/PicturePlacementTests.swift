import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// Layers that are turned and scaled at once, against arithmetic.
@Suite struct PicturePlacementTests {
  /// A slope in both directions, of which bilinear sampling gives the exact value between its pixels.
  private func slope() async throws -> URL {
    try await madeClip(
      "slope.mkv",
      [
        "-f", "lavfi", "-i", "color=black:s=64x48:r=25:d=1,format=yuv420p,geq='40+2*X+Y':'100+X':'140-Y'", "-c:v",
        "ffv1",
      ])
  }

  @Test(arguments: [(17.0, 0.8), (45, 0.5), (-120, 1.5), (3, 1)]) func isTurned(degrees: Double, scale: Double)
    async throws
  {
    var stack = try await LayerStack(greys: [0])
    try await stack.add(try await slope())
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    let map = PictureTransform.translation(x: -32, y: -24).concatenating(.scale(x: scale, y: scale))
      .concatenating(.rotation(degrees: degrees)).concatenating(.translation(x: 30, y: 23))
    try top.setTransform(map, at: .zero)
    let picture = try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[0].pixelBuffer
    let back = try #require(map.inverted)
    var (inside, outside) = (0, 0)
    for y in 0..<48 {
      for x in 0..<64 {
        let (px, py) = (Double(x) + 0.5, Double(y) + 0.5)
        let (u, v) = (back.a * px + back.c * py + back.tx, back.b * px + back.d * py + back.ty)
        // At the edges the pixels around are the nearest ones, and a smaller picture is made first.
        let margin = 2 / min(1, scale)
        if u > margin, u < 64 - margin, v > margin, v < 48 - margin {
          let right = 40 + 2 * (u - 0.5) + (v - 0.5)
          #expect(abs(Double(picture.value(0, x, y)) - right) <= 2)
          inside += 1
        } else if u < -margin || u > 64 + margin || v < -margin || v > 48 + margin {
          #expect(picture.value(0, x, y) == 40)
          outside += 1
        }
      }
    }
    #expect(inside > 300 && (scale >= 1 || outside > 50))
    // Colour in the middle: of the four pixels that share it.
    let (px, py) = (32.0, 24.0)
    let (u, v) = (back.a * px + back.c * py + back.tx, back.b * px + back.d * py + back.ty)
    #expect(abs(Double(picture.value(1, 15, 11)) - (100 + (u / 2 - 0.5) - 0.7)) <= 3)
    #expect(abs(Double(picture.value(2, 15, 11)) - (140 - (v / 2 - 0.5) + 0.7)) <= 3)
  }

  /// An edge at 45 degrees covers half of the pixels it runs through; with half the opacity a quarter.
  @Test(arguments: [1.0, 0.5]) func edgesAreSmooth(opacity: Double) async throws {
    let stack = try await LayerStack(greys: [0, 10])
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    let map = PictureTransform.rotation(degrees: 45).concatenating(.translation(x: 32, y: 8))
    try top.setTransform(map, at: .zero)
    try top.setOpacity(opacity, at: .zero)
    let picture = try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[0].pixelBuffer
    // The upper edge goes down to the right from (32, 8), through the middles of pixels.
    for step in [4, 9, 15] {
      let value = Double(picture.value(0, 32 + step, 8 + step))
      #expect(abs(value - (40 + 150 * opacity / 2)) <= 2)
      #expect(abs(Double(picture.value(0, 32 + step - 2, 8 + step + 1)) - (40 + 150 * opacity)) <= 2)
      #expect(picture.value(0, 32 + step + 2, 8 + step - 1) == 40)
    }
  }
}
