import MediaAssetKit
import Testing

@Suite struct AffineTransformTests {
  static let quarter = PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0)

  @Test func identityLeavesSizesAndRectangles() {
    #expect(PictureTransform.identity.isIdentity)
    #expect(!Self.quarter.isIdentity)
    let rect = PixelRect(x: 3, y: 5, width: 7, height: 9)
    #expect(PictureTransform.identity.applied(to: rect) == rect)
  }

  @Test func concatenatingAppliesTheReceiverFirst() {
    // (x, y) → (x + 10, y) → (−y, x + 10)
    let shift = PictureTransform(a: 1, b: 0, c: 0, d: 1, tx: 10, ty: 0)
    let turn = PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
    #expect(
      shift.concatenating(turn) == PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 10))
    #expect(
      turn.concatenating(shift) == PictureTransform(a: 0, b: 1, c: -1, d: 0, tx: 10, ty: 0))
  }

  @Test func invertedUndoes() throws {
    let map = PictureTransform(a: 2, b: 1, c: 0, d: 4, tx: 3, ty: -5)
    #expect(map.concatenating(try #require(map.inverted)).isIdentity)
    #expect(PictureTransform(a: 1, b: 2, c: 2, d: 4, tx: 0, ty: 0).inverted == nil)
    #expect(PictureTransform(a: .nan, b: 0, c: 0, d: 1, tx: 0, ty: 0).inverted == nil)
  }

  @Test func aQuarterTurnMovesARectangle() {
    // (x, y) → (48 − y, x): columns 4..<10 become rows, rows 6..<26 columns 22..<42.
    let rect = PixelRect(x: 4, y: 6, width: 6, height: 20)
    #expect(Self.quarter.applied(to: rect) == PixelRect(x: 22, y: 4, width: 20, height: 6))
    #expect(
      Self.quarter.applied(to: PixelSize(width: 64, height: 48)) == .init(width: 48, height: 64))
  }

  /// Case G3: the shift in the file is wrong; it follows from the size.
  @Test(
    arguments: [
      ([0, 1, -1, 0], [48, 0]), ([0, -1, 1, 0], [0, 64]), ([-1, 0, 0, -1], [64, 48]),
      ([1, 0, 0, 1], [0, 0]), ([-1, 0, 0, 1], [64, 0]), ([1, 0, 0, -1], [0, 48]),
      ([0, 1, 1, 0], [0, 0]), ([0, -1, -1, 0], [48, 64]),
    ] as [([Double], [Double])])
  func normalizedDerivesTheShift(turn: [Double], shift: [Double]) {
    for wrong in [0.0, 7, -1920] {
      let map = PictureTransform(
        a: turn[0], b: turn[1], c: turn[2], d: turn[3], tx: wrong, ty: -wrong)
      let right = map.normalized(for: PixelSize(width: 64, height: 48))
      #expect([right.tx, right.ty] == shift)
      #expect([right.a, right.b, right.c, right.d] == turn)
    }
  }

  @Test func mapsWithoutNumbersLeaveSizes() {
    let size = PixelSize(width: 64, height: 48)
    for value in [Double.nan, .infinity, 1e300] {
      let map = PictureTransform(a: value, b: 0, c: 0, d: 1, tx: 0, ty: 0)
      #expect(map.applied(to: size) == size)
      #expect(map.applied(to: PixelRect(size)) == PixelRect(size))
      #expect(value == 1e300 || map.orientation == nil)
    }
  }
}
