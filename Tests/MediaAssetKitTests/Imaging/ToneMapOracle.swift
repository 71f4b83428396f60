import Foundation

/// The tone map straight from the standards, one colour at a time in `Double`.
///
/// Written apart from the library: formulas of SMPTE ST 2084, BT.2100-2 table 5, BT.1886,
/// IEC 61966-2-1, and matrices by solving the equations of SMPTE RP 177.
struct ToneMapOracle {
  enum Curve { case pq, hlg, bt1886, sRGB, gamma22 }

  let curve: Curve
  let primaries: [[Double]]
  var peak = 2030.0 / 203

  static let bt709 = [[0.64, 0.33], [0.30, 0.60], [0.15, 0.06]]
  static let bt2020 = [[0.708, 0.292], [0.170, 0.797], [0.131, 0.046]]
  static let p3 = [[0.680, 0.320], [0.265, 0.690], [0.150, 0.060]]

  /// Levels of 0 to 255, not rounded, for components of 0 to 1.
  func levels(_ components: [Double]) -> [Double] {
    fitted(light(components)).map { 255 * encode($0) }
  }

  /// BT.709 light before the gamut rule.
  func light(_ components: [Double]) -> [Double] {
    var light = components.map(decode)
    if curve == .hlg {
      let weights = Self.rgbToXYZ(primaries)[1]
      let luminance = zip(weights, light).map(*).reduce(0, +)
      light = light.map { 1000 * pow(luminance, 0.2) * $0 / 203 }
    }
    if curve == .pq || curve == .hlg {
      let largest = light.max() ?? 0
      if largest > 0 { light = light.map { $0 * mobius(largest) / largest } }
    }
    let xyz = Self.multiply(Self.rgbToXYZ(primaries), light)
    return Self.solve(Self.rgbToXYZ(Self.bt709), xyz)
  }

  static func luminance(_ light: [Double]) -> Double { multiply(rgbToXYZ(bt709), light)[1] }

  /// On the line to the grey of the same luminance, as far as needed: by bisection.
  func fitted(_ light: [Double]) -> [Double] {
    let grey = Self.luminance(light)
    func at(_ part: Double) -> [Double] { light.map { grey + part * ($0 - grey) } }
    func isInside(_ part: Double) -> Bool { at(part).allSatisfy { $0 >= 0 && $0 <= 1 } }
    var (low, high) = (0.0, 1.0)
    if !isInside(high) {
      for _ in 0..<60 {
        let middle = (low + high) / 2
        if isInside(middle) { low = middle } else { high = middle }
      }
      high = low
    }
    return at(high).map { min(max($0, 0), 1) }
  }

  private func mobius(_ x: Double) -> Double {
    let j = 0.3
    if x <= j { return x }
    if x >= peak { return 1 }
    let a = -(j * j) * (peak - 1) / (j * j - 2 * j + peak)
    let b = (j * j - 2 * j * peak + peak) / (peak - 1)
    return (b * b + 2 * b * j + j * j) / (b - a) * (x + a) / (x + b)
  }

  /// Light, 203 cd/m² being 1 for PQ.
  private func decode(_ e: Double) -> Double {
    switch curve {
    case .pq:
      let p = pow(e, 1 / 78.84375)
      return 10_000 / 203
        * pow(max(p - 0.8359375, 0) / (18.8515625 - 18.6875 * p), 1 / 0.1593017578125)
    case .hlg:
      return e <= 0.5 ? e * e / 3 : (exp((e - 0.55991073) / 0.17883277) + 0.28466892) / 12
    case .bt1886: return pow(e, 2.4)
    case .gamma22: return pow(e, 2.2)
    case .sRGB: return e <= 0.04045 ? e / 12.92 : pow((e + 0.055) / 1.055, 2.4)
    }
  }

  private func encode(_ light: Double) -> Double {
    switch curve {
    case .pq, .hlg, .bt1886: pow(light, 1 / 2.4)
    case .gamma22: pow(light, 1 / 2.2)
    case .sRGB: light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }
  }

  /// Rows X, Y, Z (SMPTE RP 177, D65).
  static func rgbToXYZ(_ primaries: [[Double]]) -> [[Double]] {
    func xyz(_ c: [Double]) -> [Double] { [c[0] / c[1], 1, (1 - c[0] - c[1]) / c[1]] }
    let columns = primaries.map(xyz)
    let rows = (0..<3).map { row in columns.map { $0[row] } }
    let scale = solve(rows, xyz([0.3127, 0.3290]))
    return rows.map { zip($0, scale).map(*) }
  }

  static func multiply(_ rows: [[Double]], _ vector: [Double]) -> [Double] {
    rows.map { zip($0, vector).map(*).reduce(0, +) }
  }

  /// Cramer's rule.
  static func solve(_ rows: [[Double]], _ right: [Double]) -> [Double] {
    func determinant(_ m: [[Double]]) -> Double {
      m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1])
        - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0])
        + m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0])
    }
    return (0..<3).map { column in
      var replaced = rows
      for row in 0..<3 { replaced[row][column] = right[row] }
      return determinant(replaced) / determinant(rows)
    }
  }
}
