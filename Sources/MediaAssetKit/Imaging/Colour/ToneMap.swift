/// Brings pictures of high dynamic range or of a wide gamut to 8 or 16 bits of BT.709.
///
/// The rules:
/// 1. The transfer function alone decides whether a picture is HDR (`smpte2084`, `arib-std-b67`).
///    Standard pictures of BT.709 or BT.601 primaries are not touched at all.
/// 2. Light is measured in units of 203 cd/m², the reference white of BT.2408. PQ is absolute; HLG
///    is shown on BT.2100's reference display of 1000 cd/m² with system gamma 1.2, which acts on the
///    luminance.
/// 3. The largest of R, G, B goes through ``curve(_:peak:)`` and takes the other two with it, so
///    ratios, and with them hue and saturation, stay. 203 cd/m² comes out at level 215, 1000 cd/m²
///    at 249, and what lies below 61 cd/m² keeps its light.
/// 4. Primaries are converted in linear light by a 3×3 matrix from the chromaticities.
/// 5. A colour outside of BT.709 moves on the straight line to the grey of its own luminance until
///    no component is below 0 or above 1 (``fit(_:luminance:)``): luminance and hue stay.
/// 6. HDR is written by the inverse of BT.1886 (exponent 2.4), the curve by which BT.709 video is
///    shown, linear light by sRGB's curve; all others by the curve they were read with, so that
///    greys stay what they are.
struct ToneMap: Sendable {
  /// What the pictures come in.
  let source: MediaImage.ColorSpace
  /// What they leave in: BT.709 primaries and the curve of rule 6.
  let target: MediaImage.ColorSpace

  let decoding: ComponentTable
  let encoding: EncodingTable
  let matrix: ColorMatrix
  let exposure: Exposure

  /// How light is scaled before the matrix.
  enum Exposure: Sendable {
    /// Not at all: standard range.
    case none
    /// By a factor that the largest component of the pixel decides.
    case byLargest(ComponentTable)
    /// By the system gamma of HLG and then by the curve.
    case hybridLogGamma(
      luminance: SIMD3<Float>, system: LightTable, curve: LightTable)
  }

  /// The light of BT.2408's reference white in cd/m².
  static let referenceWhite = 203.0
  /// The light of BT.2100's reference display for HLG in cd/m².
  static let hybridLogGammaPeak = 1000.0
  /// Where the curve reaches display white unless the content is brighter: ten times the reference.
  static let defaultPeak = 10 * referenceWhite

  /// Makes the conversion, or `nil` when pictures of this kind need none.
  ///
  /// - Parameter contentPeak: the brightest light in cd/m² that the content states (MaxCLL, else its
  ///   mastering display); the curve's white moves there when it is above 2030, up to 10 000.
  init?(from source: MediaImage.ColorSpace, contentPeak: Double? = nil) {
    guard Self.isNeeded(for: source) else { return nil }
    let curve = TransferFunction(name: source.transfer)
    self.source = source
    target = MediaImage.ColorSpace(
      primaries: "bt709", transfer: Self.targetTransfer(for: curve, name: source.transfer))
    decoding = .decoding(curve)
    encoding = .encoding(TransferFunction(name: target.transfer))
    matrix = ColorPrimaries(name: source.primaries).matrix(to: .bt709)
    let stated = contentPeak.flatMap { $0.isFinite ? $0 : nil } ?? 0
    let peak = min(max(stated, Self.defaultPeak), 10_000) / Self.referenceWhite
    exposure =
      switch curve {
      case .perceptualQuantizer:
        .byLargest(
          ComponentTable { component in
            let unit = 10_000 / Self.referenceWhite
            return unit * Self.gain(unit * curve.decode(component), peak: peak)
          })
      case .hybridLogGamma:
        .hybridLogGamma(
          luminance: SIMD3<Float>(ColorPrimaries(name: source.primaries).luminance),
          system: Self.systemGamma,
          curve: LightTable { Self.gain($0, peak: peak) })
      default: .none
      }
  }

  /// Whether pictures of this kind must be converted to be shown as BT.709.
  static func isNeeded(for source: MediaImage.ColorSpace) -> Bool {
    source.isHDR || source.transfer == "linear"
      || ColorPrimaries(name: source.primaries) != .bt709
  }

  private static func targetTransfer(for curve: TransferFunction, name: String) -> String {
    switch curve {
    case .perceptualQuantizer, .hybridLogGamma, .bt1886: "bt709"
    case .linear: "iec61966-2-1"
    case .sRGB, .power: name
    }
  }
}

// MARK: - The curve

extension ToneMap {
  /// Display light, 0 to 1, for the light of the scene in units of reference white.
  ///
  /// The Möbius curve of FFmpeg's `tonemap` filter: below the knee of 0.3 it is the identity, then
  /// a hyperbola that continues with slope 1 and reaches 1 at `peak`, which is above 1.
  static func curve(_ light: Double, peak: Double) -> Double {
    let knee = 0.3
    if light <= knee { return light }
    if light >= peak { return 1 }
    let a = -knee * knee * (peak - 1) / (knee * knee - 2 * knee + peak)
    let b = (knee * knee - 2 * knee * peak + peak) / (peak - 1)
    let scale = (b * b + 2 * b * knee + knee * knee) / (b - a)
    return scale * (light + a) / (light + b)
  }

  /// What the curve multiplies light by.
  static func gain(_ light: Double, peak: Double) -> Double {
    light > 0 ? curve(light, peak: peak) / light : 1
  }

  /// What the system gamma of HLG (BT.2100-2, table 5, OOTF for 1000 cd/m²) multiplies scene light
  /// of a luminance by, to give display light in units of reference white.
  private static let systemGamma = LightTable { luminance in
    let exponent = 1.2 - 1
    return hybridLogGammaPeak / referenceWhite * power(luminance, exponent)
  }

  private static func power(_ base: Double, _ exponent: Double) -> Double {
    TransferFunction.power(exponent).decode(base)
  }

  /// The weights of the luminance of the target.
  static let luminance = SIMD4<Float>(SIMD4(ColorPrimaries.bt709.luminance, 0))

  /// A colour moved towards the grey of its luminance until it is inside of 0…1.
  ///
  /// `luminance` holds the weights of BT.709; the luminance itself must be 0 to 1, which it is for
  /// every colour that came from components of 0 to 1.
  @inline(__always)
  static func fit(_ color: SIMD4<Float>, luminance: SIMD4<Float>) -> SIMD4<Float> {
    let weighted = color * luminance
    let grey = min(max(weighted.x + weighted.y + weighted.z, 0), 1)
    let highest = max(max(color.x, color.y), max(color.z, 1))
    let lowest = min(min(color.x, color.y), min(color.z, 0))
    // The least distances keep the quotients defined where the grey is black or white itself.
    let part = min(
      (1 - grey) / max(highest - grey, .leastNormalMagnitude),
      grey / max(grey - lowest, .leastNormalMagnitude))
    let moved = SIMD4(repeating: grey) + (color - grey) * min(part, 1)
    // Rounding may leave the range by a little; comparing inlines better than `clamped`.
    return moved.replacing(with: 0, where: moved .< 0).replacing(with: 1, where: moved .> 1)
  }
}
