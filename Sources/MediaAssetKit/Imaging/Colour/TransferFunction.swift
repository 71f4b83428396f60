#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The curve between a picture's stored components and light on the display.
///
/// Components and light are 0 to 1; for ``perceptualQuantizer`` 1 is 10 000 cd/m², for
/// ``hybridLogGamma`` it is the scene's light before the system gamma, for all others display white.
enum TransferFunction: Hashable, Sendable {
  /// SMPTE ST 2084, absolute.
  case perceptualQuantizer
  /// ARIB STD-B67, as in BT.2100.
  case hybridLogGamma
  /// A display with this exponent.
  case power(Double)
  /// IEC 61966-2-1.
  case sRGB
  /// Components are light.
  case linear

  /// BT.1886 with a black of zero: what a display makes of BT.601, BT.709 and BT.2020 video.
  static let bt1886 = TransferFunction.power(2.4)

  /// The curve by FFmpeg's name.
  ///
  /// Camera curves (BT.709 and its relatives) are shown on a BT.1886 display, so that is how they
  /// are read. Unknown, unspecified and the logarithmic ones count as BT.709.
  init(name: String) {
    self =
      switch name {
      case "smpte2084": .perceptualQuantizer
      case "arib-std-b67": .hybridLogGamma
      case "iec61966-2-1": .sRGB
      case "linear": .linear
      case "bt470m", "gamma22": .power(2.2)
      case "bt470bg", "gamma28": .power(2.8)
      case "smpte428": .power(2.6)
      default: .bt1886
      }
  }

  /// Whether the dynamic range is high.
  var isHDR: Bool { self == .perceptualQuantizer || self == .hybridLogGamma }

  /// Light from a component.
  func decode(_ component: Double) -> Double {
    switch self {
    case .perceptualQuantizer:
      // SMPTE ST 2084, equations 4.1 and 4.2.
      let power = pow(component, 1 / PQ.m2)
      return pow(max(power - PQ.c1, 0) / (PQ.c2 - PQ.c3 * power), 1 / PQ.m1)
    case .hybridLogGamma:
      // BT.2100-2, table 5, inverse OETF.
      return component <= 0.5
        ? component * component / 3 : (exp((component - HLG.c) / HLG.a) + HLG.b) / 12
    case .power(let exponent): return pow(component, exponent)
    case .sRGB:
      return component <= 0.04045 ? component / 12.92 : pow((component + 0.055) / 1.055, 2.4)
    case .linear: return component
    }
  }

  /// The component for light; only curves of standard dynamic range are ever written.
  func encode(_ light: Double) -> Double {
    switch self {
    case .perceptualQuantizer:
      let power = pow(light, PQ.m1)
      return pow((PQ.c1 + PQ.c2 * power) / (1 + PQ.c3 * power), PQ.m2)
    case .hybridLogGamma:
      return light <= 1 / 12 ? sqrt(3 * light) : HLG.a * log(12 * light - HLG.b) + HLG.c
    case .power(let exponent): return pow(light, 1 / exponent)
    case .sRGB:
      return light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    case .linear: return light
    }
  }

  /// The constants of SMPTE ST 2084.
  private enum PQ {
    static let m1 = 2610.0 / 16384
    static let m2 = 2523.0 / 4096 * 128
    static let c1 = 3424.0 / 4096
    static let c2 = 2413.0 / 4096 * 32
    static let c3 = 2392.0 / 4096 * 32
  }

  /// The constants of BT.2100-2, table 5.
  private enum HLG {
    static let a = 0.178_832_77
    static let b = 1 - 4 * a
    static let c = 0.5 - a * log(4 * a)
  }
}
