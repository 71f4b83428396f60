/// The pictures of a video track: sizes, pixels, colour.
///
/// Unknown values are nil, never guessed; the rules for untagged colour apply only when pictures are converted.
public struct VideoFormat: Sendable, Hashable {
  /// The stored picture after the codec's own cropping, in pixels.
  public var encodedSize: PixelSize
  /// After the container's clean aperture (`clap`), in pixels.
  public var cleanSize: PixelSize
  /// The clean aperture's place in the encoded picture.
  public var cleanAperture: PixelRect
  /// The clean size with the sample aspect ratio applied (the width is scaled, rounded to nearest), before any turning.
  public var naturalSize: PixelSize
  /// Width to height of one sample; 1:1 where nothing else is said.
  public var sampleAspectRatio: PixelAspectRatio
  /// FFmpeg's name of the stored pixel format (`yuv420p`).
  public var pixelFormat: String?
  /// Bits of one component.
  public var bitDepth: Int?
  /// Progressive, or the field shown first; nil when unknown.
  public var fieldOrder: FieldOrder?
  /// Colour tags as stored.
  public var colour: ColourProperties
  /// High dynamic range, decided by the transfer function alone; nil for standard range.
  public var hdr: HDRProperties?
  /// Whether pictures have transparent parts.
  public var hasAlpha: Bool

  /// The order of fields.
  public enum FieldOrder: String, Sendable, Hashable, Codable {
    /// Whole frames.
    case progressive
    /// Two fields, the top one first.
    case topFirst
    /// Two fields, the bottom one first.
    case bottomFirst
  }

  /// A format of given parts.
  public init(
    encodedSize: PixelSize, cleanAperture: PixelRect, naturalSize: PixelSize,
    sampleAspectRatio: PixelAspectRatio,
    pixelFormat: String? = nil, bitDepth: Int? = nil, fieldOrder: FieldOrder? = nil,
    colour: ColourProperties = .init(),
    hdr: HDRProperties? = nil, hasAlpha: Bool = false
  ) {
    self.encodedSize = encodedSize
    self.cleanSize = PixelSize(width: cleanAperture.width, height: cleanAperture.height)
    self.cleanAperture = cleanAperture
    self.naturalSize = naturalSize
    self.sampleAspectRatio = sampleAspectRatio
    self.pixelFormat = pixelFormat
    self.bitDepth = bitDepth
    self.fieldOrder = fieldOrder
    self.colour = colour
    self.hdr = hdr
    self.hasAlpha = hasAlpha
  }
}

/// Colour tags by FFmpeg's names (`bt709`, `smpte2084`, `bt2020nc`); nil where untagged.
public struct ColourProperties: Sendable, Hashable, Codable {
  /// The primaries.
  public var primaries: String?
  /// The transfer function.
  public var transfer: String?
  /// The matrix between RGB and stored components.
  public var matrix: String?
  /// `limited` or `full`.
  public var range: Range?

  /// The span of stored values.
  public enum Range: String, Sendable, Hashable, Codable {
    /// 16 to 235 at 8 bits (luma).
    case limited
    /// 0 to 255 at 8 bits.
    case full
  }

  /// Tags; nil means untagged.
  public init(
    primaries: String? = nil, transfer: String? = nil, matrix: String? = nil, range: Range? = nil
  ) {
    self.primaries = primaries
    self.transfer = transfer
    self.matrix = matrix
    self.range = range
  }
}

/// What makes a picture high dynamic range, and its mastering.
public struct HDRProperties: Sendable, Hashable {
  /// The kind of high dynamic range.
  public enum Kind: String, Sendable, Hashable {
    /// PQ (SMPTE ST 2084).
    case hdr10
    /// Hybrid log-gamma (ARIB STD-B67).
    case hlg
    /// Dolby Vision.
    case dolbyVision
  }

  /// The kind.
  public var kind: Kind
  /// SMPTE ST 2086 mastering display; nil where the stream does not say.
  public var masteringDisplay: MasteringDisplayColour?
  /// CTA-861.3 MaxCLL in cd/m².
  public var maxContentLight: Int?
  /// CTA-861.3 MaxFALL in cd/m².
  public var maxFrameAverageLight: Int?

  /// Properties of given parts.
  public init(
    kind: Kind, masteringDisplay: MasteringDisplayColour? = nil, maxContentLight: Int? = nil,
    maxFrameAverageLight: Int? = nil
  ) {
    self.kind = kind
    self.masteringDisplay = masteringDisplay
    self.maxContentLight = maxContentLight
    self.maxFrameAverageLight = maxFrameAverageLight
  }
}

/// The display on which a picture was mastered (SMPTE ST 2086).
public struct MasteringDisplayColour: Sendable, Hashable {
  /// CIE 1931 x and y of red, green and blue, six numbers; empty where unknown.
  public var primaries: [Double]
  /// CIE 1931 x and y of white; empty where unknown.
  public var whitePoint: [Double]
  /// The darkest luminance in cd/m².
  public var minimumLuminance: Double?
  /// The brightest luminance in cd/m².
  public var maximumLuminance: Double?

  /// A display of given parts.
  public init(
    primaries: [Double] = [], whitePoint: [Double] = [], minimumLuminance: Double? = nil,
    maximumLuminance: Double? = nil
  ) {
    self.primaries = primaries
    self.whitePoint = whitePoint
    self.minimumLuminance = minimumLuminance
    self.maximumLuminance = maximumLuminance
  }
}
