extension MediaImage {
  /// What the fourth component of a pixel means.
  public enum AlphaMode: String, Hashable, Sendable, Codable {
    /// Nothing: every pixel covers fully, the component is at its maximum.
    case opaque
    /// Coverage; the colour components are not multiplied by it. The library's own pictures with
    /// transparency are of this kind.
    case straight
    /// Coverage, already multiplied into the colour components.
    case premultiplied
  }

  /// What the numbers of a picture mean as colours, by FFmpeg's names.
  ///
  /// A picture is always RGB of full range, so primaries and transfer say everything.
  public struct ColorSpace: Hashable, Sendable, Codable {
    /// The chromaticities of red, green, blue and white: `bt709`, `smpte432`, `bt2020`, …
    public var primaries: String
    /// The transfer function: `bt709`, `iec61966-2-1`, `smpte2084`, `arib-std-b67`, …
    public var transfer: String

    /// Makes a colour space by FFmpeg's names.
    public init(primaries: String, transfer: String) {
      self.primaries = primaries
      self.transfer = transfer
    }

    /// IEC 61966-2-1, what screens and picture files mean unless they say otherwise.
    public static let sRGB = ColorSpace(primaries: "bt709", transfer: "iec61966-2-1")
    /// BT.709 video as shown on a BT.1886 display.
    public static let bt709 = ColorSpace(primaries: "bt709", transfer: "bt709")
    /// P3 primaries, D65 white, the curve of sRGB.
    public static let displayP3 = ColorSpace(primaries: "smpte432", transfer: "iec61966-2-1")
    /// BT.2020 video of standard dynamic range.
    public static let bt2020 = ColorSpace(primaries: "bt2020", transfer: "bt2020-10")
    /// BT.2100 with the perceptual quantizer (SMPTE ST 2084), as in HDR10.
    public static let bt2020PQ = ColorSpace(primaries: "bt2020", transfer: "smpte2084")
    /// BT.2100 with hybrid log-gamma (ARIB STD-B67).
    public static let bt2020HLG = ColorSpace(primaries: "bt2020", transfer: "arib-std-b67")

    /// Whether the dynamic range is high; the transfer function alone decides.
    public var isHDR: Bool { transfer == "smpte2084" || transfer == "arib-std-b67" }
  }

  /// A colour in 8 bits per component, alpha not multiplied in.
  public struct RGBA: Hashable, Sendable, CustomStringConvertible {
    /// Red, 0 to 255.
    public var red: UInt8
    /// Green, 0 to 255.
    public var green: UInt8
    /// Blue, 0 to 255.
    public var blue: UInt8
    /// Coverage, 0 (none) to 255 (full).
    public var alpha: UInt8

    /// Makes a colour, opaque unless told.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }

    /// Black.
    public static let black = RGBA(red: 0, green: 0, blue: 0)
    /// White.
    public static let white = RGBA(red: 255, green: 255, blue: 255)
    /// No colour and no coverage.
    public static let clear = RGBA(red: 0, green: 0, blue: 0, alpha: 0)

    /// The components as `(255, 0, 0, 255)`.
    public var description: String { "(\(red), \(green), \(blue), \(alpha))" }
  }
}
