import MediaAssetKit
import Testing

@Suite struct OrientationTests {
  /// Every source pixel must land where the orientation's matrix puts its centre.
  ///
  /// Sizes below, at and around the tile of 16 and the blocks of 4 and 2, odd and even.
  @Test(
    arguments: Orientation.allCases,
    [(1, 1), (2, 3), (4, 4), (5, 7), (16, 16), (17, 15), (33, 20), (64, 48), (3, 40), (31, 37)])
  func everyPixelLandsWhereTheMatrixPutsIt(orientation: Orientation, side: (Int, Int)) throws {
    for bits in [8, 16] {
      let size = PixelSize(width: side.0, height: side.1)
      let image = try Self.numbered(size, bits: bits)
      let turned = try image.oriented(orientation)
      let map = orientation.transform(for: size)
      #expect(turned.size == map.applied(to: size))
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (u, v) = (Double(x) + 0.5, Double(y) + 0.5)
          let column = Int(map.a * u + map.c * v + map.tx)
          let row = Int(map.b * u + map.d * v + map.ty)
          #expect(turned.pixel16(x: column, y: row) == image.pixel16(x: x, y: y))
        }
      }
    }
  }

  /// Case G1: the corners of the quadrant picture.
  @Test(arguments: [
    (Orientation.right, "BRWG"), (.down, "WBGR"), (.left, "GWRB"), (.up, "RGBW"),
  ])
  func cornersOfTheQuadrants(orientation: Orientation, corners: String) throws {
    let colors: [Character: MediaImage.RGBA] = [
      "R": .init(red: 255, green: 0, blue: 0), "G": .init(red: 0, green: 255, blue: 0),
      "B": .init(red: 0, green: 0, blue: 255), "W": .white,
    ]
    var quad = try MediaImage(width: 64, height: 48, fill: .white)
    for (name, x, y) in [("R", 0, 0), ("G", 32, 0), ("B", 0, 24)] as [(Character, Int, Int)] {
      try quad.fill(
        PixelRect(x: x, y: y, width: 32, height: 24), with: try #require(colors[name]))
    }
    let turned = try quad.oriented(orientation)
    let (right, bottom) = (turned.width - 5, turned.height - 5)
    let seen = [(4, 4), (right, 4), (4, bottom), (right, bottom)].map { turned.pixel(x: $0, y: $1) }
    #expect(seen == corners.compactMap { colors[$0] })
  }

  @Test(arguments: Orientation.allCases)
  func theMatrixTellsTheOrientation(orientation: Orientation) {
    let map = orientation.transform(for: PixelSize(width: 1920, height: 1080))
    #expect(map.orientation == orientation)
    // As 16.16 numbers of files and angle arithmetic give it.
    let rough = PictureTransform(
      a: map.a * 0.99998 + 6e-17, b: map.b * 0.99998, c: map.c * 1.00002, d: map.d - 1e-5, tx: 0,
      ty: 0)
    #expect(rough.orientation == orientation)
  }

  @Test(arguments: [
    (0.7071, 0.7071, -0.7071, 0.7071), (1, 0.5, 0, 1), (0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 1),
    (.nan, 0, 0, 1), (.infinity, 0, 0, 1),
  ])
  func otherMapsHaveNone(a: Double, b: Double, c: Double, d: Double) {
    #expect(PictureTransform(a: a, b: b, c: c, d: d, tx: 0, ty: 0).orientation == nil)
  }

  @Test func rotationIsClockwiseAndNilWhenMirrored() {
    #expect(PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 1080, ty: 0).orientation == .right)
    #expect(Orientation.right.clockwiseRotation == 90)
    #expect(
      Orientation.allCases.map(\.clockwiseRotation) == [0, nil, 180, nil, nil, 90, nil, 270])
  }

  /// A picture whose pixels all differ.
  static func numbered(_ size: PixelSize, bits: Int) throws -> MediaImage {
    var image = try MediaImage(
      width: size.width, height: size.height, bitsPerComponent: bits, fill: .black)
    for y in 0..<size.height {
      try image.withMutableRow(y) { row in
        for index in row.indices {
          let number = y * size.width + index * 8 / bits / 4
          row[index] = UInt8(truncatingIfNeeded: number >> (index % 4 * 4) &+ index % 8 &* 31)
        }
      }
    }
    return image
  }
}
