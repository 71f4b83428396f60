/// How a layer's colours and those below it become one, where the layer is: the blend modes of W3C's "Compositing and
/// Blending", taken on R'G'B' from 0 to 1.
///
/// With B for the formula, Cb for what lies below, Cs for the layer and a for its opacity, edges and alpha included, the
/// result is (1 - a) · Cb + a · B(Cb, Cs). All but the last four take each of the three colours by itself; those take them
/// together, with W3C's luminosity Lum = 0.3 R' + 0.59 G' + 0.11 B' whatever the picture's matrix says, and W3C's SetLum
/// and SetSat. All are computed for every pixel of Y'CbCr 4:2:0 with the two colour differences that it shares with its
/// neighbours, whose new ones are then the mean of what the pixels would have.
public enum BlendMode: String, Sendable, Hashable, Codable, CaseIterable {
  /// The layer hides what is below it: Cs.
  case normal
  /// Cb · Cs.
  case multiply
  /// Cb + Cs - Cb · Cs.
  case screen
  /// Multiplies dark places of what is below and screens light ones.
  case overlay
  /// The smaller one.
  case darken
  /// The larger one.
  case lighten
  /// min(1, Cb / (1 - Cs)); 0 where Cb is 0, 1 where Cs is 1.
  case colorDodge
  /// 1 - min(1, (1 - Cb) / Cs); 1 where Cb is 1, 0 where Cs is 0.
  case colorBurn
  /// Multiplies where the layer is dark and screens where it is light.
  case hardLight
  /// Darkens or lightens softly.
  case softLight
  /// |Cb - Cs|.
  case difference
  /// Cb + Cs - 2 · Cb · Cs.
  case exclusion
  /// min(1, Cb + Cs): light added to light.
  case add
  /// max(0, Cb - Cs).
  case subtract
  /// The hue of the layer, saturation and luminosity of what is below: SetLum(SetSat(Cs, Sat(Cb)), Lum(Cb)).
  case hue
  /// The saturation of the layer, hue and luminosity of what is below: SetLum(SetSat(Cb, Sat(Cs)), Lum(Cb)).
  case saturation
  /// Hue and saturation of the layer, luminosity of what is below: SetLum(Cs, Lum(Cb)).
  case color
  /// The luminosity of the layer, hue and saturation of what is below: SetLum(Cb, Lum(Cs)).
  case luminosity

  /// The formula, for four pixels.
  @inline(__always)
  func mixed(_ below: PixelColours, _ above: PixelColours) -> PixelColours {
    switch self {
    case .hue: above.withSaturation(below.saturation).withLuminosity(below.luminosity)
    case .saturation: below.withSaturation(above.saturation).withLuminosity(below.luminosity)
    case .color: above.withLuminosity(below.luminosity)
    case .luminosity: below.withLuminosity(above.luminosity)
    default:
      PixelColours(r: mixed(below.r, above.r), g: mixed(below.g, above.g), b: mixed(below.b, above.b))
    }
  }

  /// The formula of a mode that takes each colour by itself, for one of the three colours of four pixels.
  @inline(__always)
  func mixed(_ below: SIMD4<Float>, _ above: SIMD4<Float>) -> SIMD4<Float> {
    typealias Pixels = SIMD4<Float>
    let one = Pixels(repeating: 1)
    func screened(_ a: Pixels, _ b: Pixels) -> Pixels { a + b - a * b }
    func hard(_ below: Pixels, _ above: Pixels) -> Pixels {
      (below * above * 2).replacing(with: screened(below, above * 2 - one), where: above .> 0.5)
    }
    switch self {
    case .normal: return above
    case .multiply: return below * above
    case .screen: return screened(below, above)
    case .overlay: return hard(above, below)
    case .darken: return Pixels.smaller(below, above)
    case .lighten: return Pixels.larger(below, above)
    case .colorDodge:
      let rest = Pixels.larger(one - above, Pixels(repeating: 1e-6))
      return Pixels.smaller(one, below / rest).replacing(with: 0, where: below .<= 0)
    case .colorBurn:
      let share = Pixels.smaller(one, (one - below) / Pixels.larger(above, Pixels(repeating: 1e-6)))
      return (one - share).replacing(with: 1, where: below .>= 1)
    case .hardLight: return hard(below, above)
    case .softLight:
      let low = ((below * 16 - 12) * below + 4) * below
      let lifted = below.squareRoot().replacing(with: low, where: below .<= 0.25)
      let darker = below - (one - above * 2) * below * (one - below)
      return darker.replacing(with: below + (above * 2 - one) * (lifted - below), where: above .> 0.5)
    case .difference: return Pixels.larger(below, above) - Pixels.smaller(below, above)
    case .exclusion: return below + above - below * above * 2
    case .add: return Pixels.smaller(one, below + above)
    case .subtract: return Pixels.larger(Pixels.zero, below - above)
    // Those take all three together.
    case .hue, .saturation, .color, .luminosity: return above
    }
  }
}
