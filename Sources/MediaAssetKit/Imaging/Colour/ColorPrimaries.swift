/// The chromaticities of red, green, blue and white (CIE 1931 x and y).
struct ColorPrimaries: Hashable, Sendable {
  /// A point of the CIE 1931 chromaticity diagram.
  struct Chromaticity: Hashable, Sendable {
    let x: Double
    let y: Double

    /// The tristimulus values of this chromaticity with Y = 1.
    var xyz: SIMD3<Double> { SIMD3(x / y, 1, (1 - x - y) / y) }
  }

  let red: Chromaticity
  let green: Chromaticity
  let blue: Chromaticity
  let white: Chromaticity

  private init(
    _ red: (Double, Double), _ green: (Double, Double), _ blue: (Double, Double),
    white: (Double, Double)
  ) {
    self.red = Chromaticity(x: red.0, y: red.1)
    self.green = Chromaticity(x: green.0, y: green.1)
    self.blue = Chromaticity(x: blue.0, y: blue.1)
    self.white = Chromaticity(x: white.0, y: white.1)
  }

  private static let d65 = (0.3127, 0.3290)

  /// BT.709 and sRGB.
  static let bt709 = ColorPrimaries((0.640, 0.330), (0.300, 0.600), (0.150, 0.060), white: d65)
  /// BT.2020 and BT.2100.
  static let bt2020 = ColorPrimaries((0.708, 0.292), (0.170, 0.797), (0.131, 0.046), white: d65)
  /// SMPTE EG 432-1: P3 with D65 white.
  static let smpte432 = ColorPrimaries((0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: d65)
  /// SMPTE RP 431-2: P3 with the white of the cinema.
  static let smpte431 = ColorPrimaries(
    (0.680, 0.320), (0.265, 0.690), (0.150, 0.060), white: (0.314, 0.351))

  /// The primaries by FFmpeg's name.
  ///
  /// BT.601's (`smpte170m`, `smpte240m`, `bt470bg`), unknown and unspecified ones count as
  /// BT.709: they differ so little that players don't convert them, and neither do we.
  init(name: String) {
    self =
      switch name {
      case "bt2020": .bt2020
      case "smpte432": .smpte432
      case "smpte431": .smpte431
      default: .bt709
      }
  }

  /// Linear RGB to CIE XYZ, white having Y = 1.
  var toXYZ: ColorMatrix {
    let columns = ColorMatrix(red.xyz, green.xyz, blue.xyz)
    let scale = columns.inverted * white.xyz
    return ColorMatrix(
      columns.first * scale.x, columns.second * scale.y, columns.third * scale.z)
  }

  /// Linear RGB of these primaries to that of others; white stays white.
  ///
  /// A white other than the target's is adapted by Bradford's cone responses (ICC.1, annex E).
  func matrix(to target: ColorPrimaries) -> ColorMatrix {
    if self == target { return .identity }
    var xyz = toXYZ
    if white != target.white {
      let from = ColorMatrix.bradford * white.xyz
      let to = ColorMatrix.bradford * target.white.xyz
      let ratio = to / from
      let scaling = ColorMatrix(
        SIMD3(ratio.x, 0, 0), SIMD3(0, ratio.y, 0), SIMD3(0, 0, ratio.z))
      xyz = ColorMatrix.bradford.inverted * (scaling * (ColorMatrix.bradford * xyz))
    }
    return target.toXYZ.inverted * xyz
  }

  /// What red, green and blue add to the luminance Y of linear light.
  var luminance: SIMD3<Double> {
    let matrix = toXYZ
    return SIMD3(matrix.first.y, matrix.second.y, matrix.third.y)
  }
}

/// A 3×3 matrix by its columns.
struct ColorMatrix: Hashable, Sendable {
  var first: SIMD3<Double>
  var second: SIMD3<Double>
  var third: SIMD3<Double>

  init(_ first: SIMD3<Double>, _ second: SIMD3<Double>, _ third: SIMD3<Double>) {
    self.first = first
    self.second = second
    self.third = third
  }

  static let identity = ColorMatrix(SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1))

  /// Bradford's cone responses from CIE XYZ.
  static let bradford = ColorMatrix(
    SIMD3(0.8951, -0.7502, 0.0389), SIMD3(0.2664, 1.7135, -0.0685),
    SIMD3(-0.1614, 0.0367, 1.0296))

  static func * (matrix: ColorMatrix, vector: SIMD3<Double>) -> SIMD3<Double> {
    matrix.first * vector.x + matrix.second * vector.y + matrix.third * vector.z
  }

  static func * (left: ColorMatrix, right: ColorMatrix) -> ColorMatrix {
    ColorMatrix(left * right.first, left * right.second, left * right.third)
  }

  /// The inverse; the matrices here are never singular.
  var inverted: ColorMatrix {
    func cross(_ u: SIMD3<Double>, _ v: SIMD3<Double>) -> SIMD3<Double> {
      SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
    }
    let rows = (cross(second, third), cross(third, first), cross(first, second))
    let determinant = (first * rows.0).sum()
    return ColorMatrix(
      SIMD3(rows.0.x, rows.1.x, rows.2.x) / determinant,
      SIMD3(rows.0.y, rows.1.y, rows.2.y) / determinant,
      SIMD3(rows.0.z, rows.1.z, rows.2.z) / determinant)
  }
}
