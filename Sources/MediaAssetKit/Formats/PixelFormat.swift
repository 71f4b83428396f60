import LibAV

/// How the pixels of a picture are stored, by FFmpeg's name (`yuv420p`, `nv12`, `bgra`).
public struct PixelFormat: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral,
  CustomStringConvertible
{
  /// FFmpeg's name.
  public let rawValue: String

  /// A format by FFmpeg's name; any text is taken, ``isKnown`` tells whether this FFmpeg has it.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// A format by FFmpeg's name.
  public init(stringLiteral value: String) { rawValue = value }

  /// FFmpeg's name.
  public var description: String { rawValue }

  /// 8-bit blue, green, red, alpha in one plane (AVFoundation's `32BGRA`).
  public static let bgra: PixelFormat = "bgra"
  /// 8-bit red, green, blue, alpha in one plane.
  public static let rgba: PixelFormat = "rgba"
  /// 8-bit alpha, red, green, blue in one plane (`32ARGB`).
  public static let argb: PixelFormat = "argb"
  /// 8-bit red, green, blue in one plane.
  public static let rgb24: PixelFormat = "rgb24"
  /// 16-bit red, green, blue, alpha in one plane, native-endian.
  public static let rgba64: PixelFormat = "rgba64"
  /// 8-bit Y'CbCr 4:2:0 in three planes.
  public static let yuv420p: PixelFormat = "yuv420p"
  /// 8-bit Y'CbCr 4:2:2 in three planes.
  public static let yuv422p: PixelFormat = "yuv422p"
  /// 8-bit Y'CbCr 4:4:4 in three planes.
  public static let yuv444p: PixelFormat = "yuv444p"
  /// 8-bit Y'CbCr 4:2:0 in two planes (`420v`, `420f`).
  public static let nv12: PixelFormat = "nv12"
  /// 10-bit Y'CbCr 4:2:0 in two planes, in the upper bits of 16, native-endian (`x420`).
  public static let p010: PixelFormat = "p010"
  /// 10-bit Y'CbCr 4:2:0 in three planes, native-endian.
  public static let yuv420p10: PixelFormat = "yuv420p10"
  /// 8-bit Cb, Y', Cr, Y' in one plane (`2vuy`).
  public static let uyvy422: PixelFormat = "uyvy422"
  /// 8-bit grey.
  public static let gray: PixelFormat = "gray"

  /// Whether this FFmpeg has a format of this name.
  public var isKnown: Bool { identifier != .none }
  /// Whether pictures can be converted to this format.
  public var isConvertible: Bool { isKnown && identifier.isWritable }

  /// libav's number; names without an ending for the byte order mean the native one.
  var identifier: PixelFormatID { .named(rawValue) }
}
