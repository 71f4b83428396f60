/// A container format by its uniform type identifier; raw values are AVFoundation's where it has one.
public struct FileType: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The identifier, such as `public.mpeg-4`.
  public let rawValue: String
  /// A file type by its identifier.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The identifier.
  public var description: String { rawValue }

  /// QuickTime movie.
  public static let mov = Self(rawValue: "com.apple.quicktime-movie")
  /// MPEG-4 file.
  public static let mp4 = Self(rawValue: "public.mpeg-4")
  /// iTunes video.
  public static let m4v = Self(rawValue: "com.apple.m4v-video")
  /// iTunes sound.
  public static let m4a = Self(rawValue: "com.apple.m4a-audio")
  /// 3GPP.
  public static let mobile3GPP = Self(rawValue: "public.3gpp")
  /// 3GPP2.
  public static let mobile3GPP2 = Self(rawValue: "public.3gpp2")
  /// Core Audio format.
  public static let caf = Self(rawValue: "com.apple.coreaudio-format")
  /// RIFF WAVE.
  public static let wav = Self(rawValue: "com.microsoft.waveform-audio")
  /// AIFF.
  public static let aiff = Self(rawValue: "public.aiff-audio")
  /// AIFF-C.
  public static let aifc = Self(rawValue: "public.aifc-audio")
  /// MPEG layer III sound.
  public static let mp3 = Self(rawValue: "public.mp3")
  /// AAC in ADTS frames.
  public static let adts = Self(rawValue: "public.aac-audio")
  /// AMR.
  public static let amr = Self(rawValue: "org.3gpp.adaptive-multi-rate-audio")
  /// Sun/NeXT sound.
  public static let au = Self(rawValue: "public.au-audio")
  /// AC-3.
  public static let ac3 = Self(rawValue: "public.ac3-audio")
  /// Enhanced AC-3.
  public static let eac3 = Self(rawValue: "public.enhanced-ac3-audio")
  /// FLAC.
  public static let flac = Self(rawValue: "org.xiph.flac")
  /// Ogg.
  public static let ogg = Self(rawValue: "org.xiph.ogg")
  /// Matroska.
  public static let mkv = Self(rawValue: "org.matroska.mkv")
  /// WebM.
  public static let webm = Self(rawValue: "org.webmproject.webm")
  /// MPEG-2 transport stream.
  public static let mpegTS = Self(rawValue: "public.mpeg-2-transport-stream")
  /// MPEG program stream.
  public static let mpegPS = Self(rawValue: "public.mpeg")
  /// AVI.
  public static let avi = Self(rawValue: "public.avi")
  /// Flash video.
  public static let flv = Self(rawValue: "com.adobe.flash.video")
  /// GIF.
  public static let gif = Self(rawValue: "com.compuserve.gif")
  /// PNG.
  public static let png = Self(rawValue: "public.png")
  /// JPEG.
  public static let jpeg = Self(rawValue: "public.jpeg")
  /// WebP.
  public static let webp = Self(rawValue: "org.webmproject.webp")
  /// HEIC.
  public static let heic = Self(rawValue: "public.heic")
  /// A folder of segments and playlists for HTTP Live Streaming.
  public static let hls = Self(rawValue: "public.m3u-playlist")
  /// AVIF.
  public static let avif = Self(rawValue: "public.avif")
}
