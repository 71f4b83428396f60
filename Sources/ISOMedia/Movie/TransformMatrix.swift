/// A stored 3 by 3 matrix, row by row: a b u, c d v, x y w.
///
/// a, b, c, d, x, y are 16.16 fixed point, u, v, w are 2.30.
package struct TransformMatrix: Hashable, Sendable {
  package var a, b, u, c, d, v, x, y, w: Int32

  package init(
    a: Int32, b: Int32, u: Int32, c: Int32, d: Int32, v: Int32, x: Int32, y: Int32, w: Int32
  ) {
    (self.a, self.b, self.u, self.c, self.d, self.v, self.x, self.y, self.w) = (
      a, b, u, c, d, v, x, y, w
    )
  }

  package static let identity = TransformMatrix(
    a: 0x10000, b: 0, u: 0, c: 0, d: 0x10000, v: 0, x: 0, y: 0, w: 0x4000_0000)
}

extension ByteReader {
  mutating func matrix() -> TransformMatrix {
    TransformMatrix(
      a: int32(), b: int32(), u: int32(), c: int32(), d: int32(), v: int32(), x: int32(),
      y: int32(), w: int32())
  }
}
