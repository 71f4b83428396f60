import Foundation
import MediaTestSupport
import Testing

@testable import MediaAssetKit

/// The formulas of W3C's "Compositing and Blending Level 1", written here once more in doubles.
@Suite struct BlendModeTests {
  private func formula(_ mode: BlendMode, _ b: Double, _ s: Double) -> Double {
    switch mode {
    case .normal: s
    case .multiply: b * s
    case .screen: b + s - b * s
    case .overlay: formula(.hardLight, s, b)
    case .darken: min(b, s)
    case .lighten: max(b, s)
    case .colorDodge: b <= 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s))
    case .colorBurn: b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s)
    case .hardLight: s <= 0.5 ? b * 2 * s : formula(.screen, b, 2 * s - 1)
    case .softLight:
      s <= 0.5
        ? b - (1 - 2 * s) * b * (1 - b)
        : b + (2 * s - 1) * ((b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()) - b)
    case .difference: abs(b - s)
    case .exclusion: b + s - 2 * b * s
    case .add: min(1, b + s)
    case .subtract: max(0, b - s)
    case .hue, .saturation, .color, .luminosity: .nan
    }
  }

  // Section 13 of the specification.
  private func lum(_ c: [Double]) -> Double { 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2] }
  private func sat(_ c: [Double]) -> Double { (c.max() ?? 0) - (c.min() ?? 0) }

  private func clipColor(_ c: [Double]) -> [Double] {
    let (l, n, x) = (lum(c), c.min() ?? 0, c.max() ?? 0)
    var c = c
    if n < 0 { c = c.map { l + ($0 - l) * l / (l - n) } }
    if x > 1 { c = c.map { l + ($0 - l) * (1 - l) / (x - l) } }
    return c
  }

  private func setLum(_ c: [Double], _ l: Double) -> [Double] {
    let d = l - lum(c)
    return clipColor(c.map { $0 + d })
  }

  private func setSat(_ c: [Double], _ s: Double) -> [Double] {
    let order = [0, 1, 2].sorted { c[$0] < c[$1] }
    let (low, middle, high) = (order[0], order[1], order[2])
    var made = [0.0, 0, 0]
    if c[high] > c[low] {
      made[middle] = (c[middle] - c[low]) * s / (c[high] - c[low])
      made[high] = s
    }
    return made
  }

  private func mixed(_ mode: BlendMode, _ b: [Double], _ s: [Double]) -> [Double] {
    switch mode {
    case .hue: setLum(setSat(s, sat(b)), lum(b))
    case .saturation: setLum(setSat(b, sat(s)), lum(b))
    case .color: setLum(s, lum(b))
    case .luminosity: setLum(b, lum(s))
    default: zip(b, s).map { formula(mode, $0, $1) }
    }
  }

  /// BT.601 in limited range, as pictures below 720 lines are.
  private func colour(_ codes: [Double]) -> [Double] {
    let (y, u, v) = ((codes[0] - 16) / 219, (codes[1] - 128) / 224, (codes[2] - 128) / 224)
    return [y + 1.402 * v, y - 0.344136 * u - 0.714136 * v, y + 1.772 * u].map { min(1, max(0, $0)) }
  }

  private func codes(_ c: [Double]) -> [Double] {
    let y = 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2]
    return [16 + 219 * y, 128 + 224 * (c[2] - y) / 1.772, 128 + 224 * (c[0] - y) / 1.402]
  }

  private func expected(_ mode: BlendMode, _ below: [Double], _ above: [Double], _ opacity: Double) -> [Double] {
    let made = codes(mixed(mode, colour(below), colour(above)))
    return zip(below, made).map { $0 + ($1 - $0) * opacity }
  }

  @Test(arguments: BlendMode.allCases, [1.0, 0.4]) func arithmetic(_ mode: BlendMode, opacity: Double) async throws {
    let pairs: [((Int, Int, Int), (Int, Int, Int))] = [
      ((150, 100, 150), (120, 140, 110)), ((60, 128, 128), (200, 128, 128)), ((210, 120, 132), (90, 150, 120)),
      // Light, and as colourful as can be: what is made lies outside of the colours that there are, and is clipped.
      ((215, 60, 140), (81, 90, 240)), ((41, 240, 110), (210, 16, 146)),
    ]
    for (below, above) in pairs {
      let stack = try await LayerStack(codes: [below, above])
      var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
      try top.setOpacity(opacity, at: .zero)
      top.blendMode = mode
      let video = stack.video([top, .init(trackID: stack.ids[0])])
      let output = try Reader.VideoCompositionOutput(composition: stack.film, videoComposition: video)
      var frames = output.makeAsyncIterator()
      let picture = try #require(try await frames.next()).pixelBuffer
      let right = expected(
        mode, [below.0, below.1, below.2].map { Double($0) }, [above.0, above.1, above.2].map { Double($0) }, opacity)
      for (x, y) in [(0, 0), (31, 17), (63, 47)] {
        #expect(abs(Double(picture.value(0, x, y)) - right[0]) <= 2)
        #expect(abs(Double(picture.value(1, x / 2, y / 2)) - right[1]) <= 2)
        #expect(abs(Double(picture.value(2, x / 2, y / 2)) - right[2]) <= 2)
      }
    }
  }

  /// Ten bits, and a grey, which has no hue and no saturation to give.
  @Test(arguments: [BlendMode.hue, .saturation, .color, .luminosity]) func greysAndDepth(_ mode: BlendMode) async throws
  {
    func clip(_ codes: [Int]) async throws -> URL {
      try await madeClip(
        "deep-\(codes).mkv",
        [
          "-f", "lavfi", "-i",
          "color=black:s=64x48:r=25:d=1,format=yuv420p10,geq=\(codes[0]):\(codes[1]):\(codes[2])", "-c:v", "ffv1",
        ])
    }
    let (below, above) = ([600, 400, 600], [300, 512, 512])
    var stack = try await LayerStack(greys: [])
    try await stack.add(try await clip(below))
    try await stack.add(try await clip(above))
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    top.blendMode = mode
    let picture = try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[0].pixelBuffer
    let right = expected(mode, below.map { Double($0) / 4 }, above.map { Double($0) / 4 }, 1)
    for plane in 0..<3 { #expect(abs(Double(picture.deepValue(plane, 10, 10)) - 4 * right[plane]) <= 2) }
  }

  /// Only where the layer is, at odd pixels, and through a map that turns.
  @Test(arguments: [0.0, 30]) func placed(degrees: Double) async throws {
    let stack = try await LayerStack(codes: [(150, 128, 128), (130, 128, 128)])
    var top = VideoComposition.LayerInstruction(trackID: stack.ids[1])
    let map = PictureTransform.translation(x: -32, y: -24).concatenating(.scale(x: 0.25, y: 0.25))
      .concatenating(.rotation(degrees: degrees)).concatenating(.translation(x: 33, y: 25))
    try top.setTransform(map, at: .zero)
    top.blendMode = .multiply
    let picture = try await stack.film.composed(stack.video([top, .init(trackID: stack.ids[0])]))[3].pixelBuffer
    let right = expected(.multiply, [150, 128, 128], [130, 128, 128], 1)[0]
    #expect(abs(Double(picture.value(0, 33, 25)) - right) <= 2)
    #expect(abs(Double(picture.value(0, 35, 26)) - right) <= 2)
    for (x, y) in [(15, 25), (51, 25), (33, 14), (33, 36), (0, 0), (63, 47)] {
      #expect(picture.value(0, x, y) == 150)
    }
  }

  @Test func areReadAndWritten() throws {
    var layer = VideoComposition.LayerInstruction(trackID: 3)
    layer.blendMode = .softLight
    let video = VideoComposition(
      renderSize: PixelSize(width: 2, height: 2),
      instructions: [.init(timeRange: .init(start: .zero, duration: .zero), layerInstructions: [layer])])
    #expect(try JSONDecoder().decode(VideoComposition.self, from: JSONEncoder().encode(video)) == video)
  }
}
