import Foundation
import Testing

@testable import MediaAssetKit

@Suite struct ToneMapTests {
  struct Kind: Sendable, CustomTestStringConvertible {
    let space: MediaImage.ColorSpace
    let curve: ToneMapOracle.Curve
    let primaries: [[Double]]
    var testDescription: String { "\(space.primaries) \(space.transfer)" }
    var oracle: ToneMapOracle { ToneMapOracle(curve: curve, primaries: primaries) }
  }

  static let kinds = [
    Kind(space: .bt2020PQ, curve: .pq, primaries: ToneMapOracle.bt2020),
    Kind(space: .bt2020HLG, curve: .hlg, primaries: ToneMapOracle.bt2020),
    Kind(
      space: .init(primaries: "smpte432", transfer: "smpte2084"), curve: .pq,
      primaries: ToneMapOracle.p3),
    Kind(
      space: .init(primaries: "bt709", transfer: "arib-std-b67"), curve: .hlg,
      primaries: ToneMapOracle.bt709),
    Kind(space: .bt2020, curve: .bt1886, primaries: ToneMapOracle.bt2020),
    Kind(space: .displayP3, curve: .sRGB, primaries: ToneMapOracle.p3),
    Kind(
      space: .init(primaries: "smpte432", transfer: "gamma22"), curve: .gamma22,
      primaries: ToneMapOracle.p3),
  ]

  /// A row of 16-bit pixels.
  static func image(
    _ pixels: [[UInt16]], _ space: MediaImage.ColorSpace = .bt2020PQ
  ) throws -> MediaImage {
    let bytes = pixels.flatMap { $0.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] } }
    return try MediaImage(
      width: pixels.count, height: 1, bytesPerRow: bytes.count, bitsPerComponent: 16,
      alphaMode: .straight, colorSpace: space, copying: bytes.span)
  }

  static func component(_ value: Double) -> UInt16 { UInt16((value * 65_535).rounded()) }

  /// All colours of a 17³ grid, in steps that are no round numbers of 8 bits.
  static let grid: [[UInt16]] = (0..<17 * 17 * 17).map { index in
    let steps = [index / 289, index / 17 % 17, index % 17]
    return steps.map { UInt16($0 * 4095) } + [65_535]
  }

  @Test(arguments: kinds)
  func agreesWithTheStandardsToOneLevel(kind: Kind) throws {
    let map = try #require(ToneMap(from: kind.space))
    let source = try Self.image(Self.grid, kind.space)
    let narrow = try map.convert(source)
    let wide = try map.convert(source, toBitsPerComponent: 16)
    #expect(narrow.bitsPerComponent == 8 && wide.bitsPerComponent == 16)
    for (x, pixel) in Self.grid.enumerated() {
      let expected = kind.oracle.levels(pixel[0..<3].map { Double($0) / 65_535 })
      let (seen, seen16) = (narrow.pixel(x: x, y: 0), wide.pixel16(x: x, y: 0))
      for (level, value) in zip([seen.red, seen.green, seen.blue], expected) {
        #expect(abs(Double(level) - value) <= 1, "\(pixel): \(seen), not \(expected)")
      }
      for index in 0..<3 {
        #expect(
          abs(Double(seen16[index]) / 257 - expected[index]) <= 0.25,
          "\(pixel): \(seen16), not \(expected)")
      }
    }
  }

  /// Case C6: 203 and 1000 cd/m² at the code values of 10-bit limited range.
  @Test func patchesOfHDR10() throws {
    let codes = [64.0, 573, 723].map { Self.component(($0 - 64) / 876) }
    let map = try #require(ToneMap(from: .bt2020PQ, contentPeak: 1000))
    let result = try map.convert(try Self.image(codes.map { [$0, $0, $0, 65_535] }))
    for (x, expected) in [0.0, 215, 249].enumerated() {
      let pixel = result.pixel(x: x, y: 0)
      for level in [pixel.red, pixel.green, pixel.blue] {
        #expect(abs(Double(level) - expected) <= 1)
      }
    }
    #expect(result.colorSpace == .bt709)
  }

  /// HLG's 75 % is reference white: BT.2408 puts it at 203 cd/m², its peak at 1000.
  @Test func patchesOfHLG() throws {
    let codes = [0, 0.75, 1].map(Self.component)
    let map = try #require(ToneMap(from: .bt2020HLG))
    let result = try map.convert(try Self.image(codes.map { [$0, $0, $0, 65_535] }))
    for (x, expected) in [0.0, 215, 249].enumerated() {
      #expect(abs(Double(result.pixel(x: x, y: 0).green) - expected) <= 1)
    }
  }

  @Test(arguments: kinds)
  func greysStayNeutralAndAscend(kind: Kind) throws {
    let map = try #require(ToneMap(from: kind.space))
    let greys = (0..<1024).map { UInt16($0 * 64) }.map { [$0, $0, $0, 65_535] }
    let result = try map.convert(try Self.image(greys, kind.space))
    var last = 0
    for x in greys.indices {
      let pixel = result.pixel(x: x, y: 0)
      #expect(pixel.red == pixel.green && pixel.green == pixel.blue)
      #expect(Int(pixel.green) >= last)
      last = Int(pixel.green)
    }
    #expect(result.pixel(x: 0, y: 0) == .black)
  }

  @Test(arguments: kinds.filter { !$0.space.isHDR })
  func greysOfStandardRangeAreUnchanged(kind: Kind) throws {
    let map = try #require(ToneMap(from: kind.space))
    let greys: [UInt8] = (0..<256).flatMap { (level: Int) -> [UInt8] in
      let grey = UInt8(level)
      return [grey, grey, grey, 255 - grey]
    }
    let image = try MediaImage(
      width: 256, height: 1, bytesPerRow: 1024, alphaMode: .straight, colorSpace: kind.space,
      copying: greys.span)
    let result = try map.convert(image)
    for x in 0..<256 { #expect(result.pixel(x: x, y: 0) == image.pixel(x: x, y: 0)) }
    #expect(result.colorSpace.primaries == "bt709")
    #expect(
      result.colorSpace.transfer
        == (kind.curve == .bt1886 ? "bt709" : kind.space.transfer))
  }

  @Test(arguments: kinds.filter { !$0.space.isHDR })
  func greysOfSixteenBitsAreUnchangedToTwoLevels(kind: Kind) throws {
    let map = try #require(ToneMap(from: kind.space))
    let greys = (0..<4096).map { UInt16($0 * 16 + $0 / 256) }.map { [$0, $0, $0, $0] }
    let result = try map.convert(try Self.image(greys, kind.space), toBitsPerComponent: 16)
    for (x, grey) in greys.enumerated() {
      let seen = result.pixel16(x: x, y: 0)
      #expect(seen.w == grey[3])
      for index in 0..<3 { #expect(abs(Int(seen[index]) - Int(grey[0])) <= 2) }
    }
  }

  @Test(arguments: [
    ("bt709", "bt709"), ("bt709", "iec61966-2-1"), ("smpte170m", "smpte170m"),
    ("bt470bg", "bt470bg"), ("unknown", "unknown"), ("bt709", "log100"), ("", ""),
  ])
  func standardPicturesAreNotTouched(primaries: String, transfer: String) {
    #expect(ToneMap(from: .init(primaries: primaries, transfer: transfer)) == nil)
  }

  /// The transfer alone decides; brighter content moves the white of the curve, nonsense doesn't.
  @Test func contentPeakMovesWhite() throws {
    let peak = Self.component(1)  // 10 000 cd/m²
    let code4000 = Self.component(0.9026)  // 4000 cd/m²
    let image = try Self.image([[peak, peak, peak, 0], [code4000, code4000, code4000, 0]])
    for (stated, bright) in [(nil, 255), (1000, 255), (.nan, 255), (.infinity, 255), (-5, 255)]
      as [(Double?, UInt8)]
    {
      let map = try #require(ToneMap(from: .bt2020PQ, contentPeak: stated))
      #expect(try map.convert(image).pixel(x: 1, y: 0).red == bright)
    }
    let map = try #require(ToneMap(from: .bt2020PQ, contentPeak: 10_000))
    let result = try map.convert(image)
    #expect(result.pixel(x: 0, y: 0).red == 255)
    #expect((250..<255).contains(result.pixel(x: 1, y: 0).red))
    #expect(result.pixel(x: 1, y: 0).alpha == 0)
  }

  /// Saturated colours keep luminance and hue: they stay on the line between grey and themselves.
  @Test(arguments: kinds.filter { $0.primaries != ToneMapOracle.bt709 })
  func saturatedColoursKeepLuminanceAndHue(kind: Kind) throws {
    let map = try #require(ToneMap(from: kind.space))
    let full: UInt16 = 40_000
    let colors: [[UInt16]] = [
      [full, 0, 0], [0, full, 0], [0, 0, full], [full, full, 0], [0, full, full], [full, 0, full],
      [65_535, 0, 0], [0, 65_535, 0], [0, 0, 65_535], [65_535, 30_000, 0],
    ]
    let result = try map.convert(
      try Self.image(colors.map { $0 + [65_535] }, kind.space), toBitsPerComponent: 16)
    let decoding = TransferFunction(name: map.target.transfer)
    for (x, color) in colors.enumerated() {
      let pixel = result.pixel16(x: x, y: 0)
      let seen = (0..<3).map { decoding.decode(Double(pixel[$0]) / 65_535) }
      let exact = kind.oracle.light(color.map { Double($0) / 65_535 })
      let grey = ToneMapOracle.luminance(exact)
      #expect(abs(ToneMapOracle.luminance(seen) - grey) < 0.002)
      let distances = zip(seen, exact).map { (seen: $0 - grey, exact: $1 - grey) }
      let part =
        distances.map(\.seen).reduce(0) { $0 + abs($1) }
        / distances.map(\.exact).reduce(0) { $0 + abs($1) }
      #expect(part > 0 && part <= 1.002)
      for distance in distances { #expect(abs(distance.seen - part * distance.exact) < 0.003) }
    }
  }

  /// As ITU-R BT.2407-0 prints it.
  @Test func matrixOfTheStandard() {
    let matrix = ColorPrimaries.bt2020.matrix(to: .bt709)
    let columns = [matrix.first, matrix.second, matrix.third]
    let printed = [
      [1.6605, -0.1246, -0.0182], [-0.5876, 1.1329, -0.1006], [-0.0728, -0.0083, 1.1187],
    ]
    for (column, values) in zip(columns, printed) {
      for index in 0..<3 { #expect(abs(column[index] - values[index]) < 0.0001) }
    }
  }

  @Test(arguments: ["bt2020", "smpte432", "smpte431"])
  func whiteStaysWhite(primaries: String) {
    let white = ColorPrimaries(name: primaries).matrix(to: .bt709) * SIMD3(1, 1, 1)
    for index in 0..<3 { #expect(abs(white[index] - 1) < 1e-4) }
  }

  /// Code values of BT.2408 (203 cd/m² is 58 %) and the known ones of PQ.
  @Test(arguments: [(0.0, 0.0), (0.5081, 100), (0.5807, 203), (0.7518, 1000), (1, 10_000)])
  func perceptualQuantizer(code: Double, light: Double) {
    let decoded = 10_000 * TransferFunction.perceptualQuantizer.decode(code)
    #expect(abs(decoded - light) <= light / 500)
  }

  @Test func curvesInvert() {
    for curve in [
      TransferFunction.perceptualQuantizer, .hybridLogGamma, .bt1886, .sRGB, .linear,
      .power(2.8),
    ] {
      for step in 0...100 {
        let value = Double(step) / 100
        #expect(abs(curve.encode(curve.decode(value)) - value) < 1e-6)
      }
    }
  }

  @Test func namesOfFFmpeg() {
    let names = ["bt709", "smpte170m", "smpte240m", "bt2020-10", "bt2020-12", "log100", "unknown"]
    #expect(names.allSatisfy { TransferFunction(name: $0) == .bt1886 })
    #expect(TransferFunction(name: "bt470m") == .power(2.2))
    #expect(TransferFunction(name: "bt470bg") == .power(2.8))
    #expect(TransferFunction(name: "smpte2084").isHDR)
    #expect(TransferFunction(name: "arib-std-b67").isHDR)
  }

  @Test func tablesAreMadeOnceForAllTasks() async throws {
    let image = try Self.image(Self.grid)
    let results = try await withThrowingTaskGroup(of: MediaImage.self) { group in
      for _ in 0..<8 {
        group.addTask { try #require(ToneMap(from: .bt2020PQ)).convert(image) }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(results.count == 1)
  }
}
