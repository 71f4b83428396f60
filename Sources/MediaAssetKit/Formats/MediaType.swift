/// The kind of media in a track; raw values are AVFoundation's four characters.
public struct MediaType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// Four characters, such as `vide`.
  public let rawValue: String
  /// A media type by its four characters.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The four characters.
  public var description: String { rawValue }

  /// Pictures in sequence.
  public static let video = MediaType(rawValue: "vide")
  /// Sound.
  public static let audio = MediaType(rawValue: "soun")
  /// Text that is no subtitle.
  public static let text = MediaType(rawValue: "text")
  /// Closed captions (CEA-608 and -708).
  public static let closedCaption = MediaType(rawValue: "clcp")
  /// Subtitles, as text or pictures.
  public static let subtitle = MediaType(rawValue: "sbtl")
  /// Timecode.
  public static let timecode = MediaType(rawValue: "tmcd")
  /// Timed metadata.
  public static let metadata = MediaType(rawValue: "meta")
  /// Several kinds in one track; DV and transport streams are split into their own here.
  public static let muxed = MediaType(rawValue: "muxx")
  /// Depth maps; no container here tells such tracks from video.
  public static let depthData = MediaType(rawValue: "dpth")
}
