/// What a metadata key means: the same key names different things in ID3 and in iTunes' items.
///
/// Raw values are AVFoundation's; those that it has no name for are marked as ours.
public struct MetadataKeySpace: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The key space's name, such as `itsk`.
  public let rawValue: String
  /// A key space by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }

  /// Keys that mean the same in every container; made from the others.
  public static let common = Self(rawValue: "comn")
  /// `udta` of QuickTime movies.
  public static let quickTimeUserData = Self(rawValue: "udta")
  /// `udta` of MP4 and 3GPP.
  public static let isoUserData = Self(rawValue: "uiso")
  /// QuickTime's keyed metadata.
  public static let quickTimeMetadata = Self(rawValue: "mdta")
  /// iTunes' items.
  public static let iTunes = Self(rawValue: "itsk")
  /// iTunes' freeform items (`----`); the key is `mean.name`.
  public static let iTunesFreeform = Self(rawValue: "itlk")
  /// ID3; also of tags of version 1 and 2.2, whose keys are translated to those of later versions.
  public static let id3 = Self(rawValue: "org.id3")
  /// Shoutcast headers.
  public static let icy = Self(rawValue: "icy")
  /// Date ranges of HTTP Live Streaming.
  public static let hlsDateRange = Self(rawValue: "lsdr")
  /// Information chunks of Core Audio files and AIFF.
  public static let audioFile = Self(rawValue: "caaf")
  /// Vorbis comments (FLAC, Ogg); keys in capitals. Ours.
  public static let vorbisComment = Self(rawValue: "vorb")
  /// Tags of Matroska and WebM; keys as in the registry (`TITLE`, `DATE_RELEASED`). Ours.
  public static let matroska = Self(rawValue: "mkvt")
  /// `INFO` chunks of RIFF (WAV, AVI). Ours.
  public static let riffInfo = Self(rawValue: "riff")
  /// Fields of a broadcast wave file's `bext` chunk. Ours.
  public static let broadcastWave = Self(rawValue: "bext")
  /// APE tags. Ours.
  public static let ape = Self(rawValue: "ape")
  /// Containers that are read by FFmpeg's names alone (FLV, ASF, …). Ours.
  public static let container = Self(rawValue: "cont")

  /// What identifiers of the key space begin with, before the slash.
  var identifierPrefix: String {
    switch self {
    case .common: "common"
    case .id3: "id3"
    default: rawValue
    }
  }

  init(identifierPrefix: Substring) {
    switch identifierPrefix {
    case "common": self = .common
    case "id3": self = .id3
    default: self.init(rawValue: String(identifierPrefix))
    }
  }
}

/// The form in which a container stores metadata.
public struct MetadataFormat: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The format's name, such as `com.apple.itunes`.
  public let rawValue: String
  /// A format by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The name.
  public var description: String { rawValue }

  /// QuickTime user data.
  public static let quickTimeUserData = Self(rawValue: "com.apple.quicktime.udta")
  /// MP4 and 3GPP user data.
  public static let isoUserData = Self(rawValue: "org.mp4ra")
  /// QuickTime's keyed metadata.
  public static let quickTimeMetadata = Self(rawValue: "com.apple.quicktime.mdta")
  /// iTunes' items, the freeform ones included.
  public static let iTunesMetadata = Self(rawValue: "com.apple.itunes")
  /// ID3 tags.
  public static let id3Metadata = Self(rawValue: "org.id3")
  /// Date ranges of HTTP Live Streaming.
  public static let hlsMetadata = Self(rawValue: "com.apple.quicktime.HLS")
  /// Vorbis comments.
  public static let vorbisComment = Self(rawValue: "org.xiph.vorbis-comment")
  /// Matroska tags.
  public static let matroska = Self(rawValue: "org.matroska.tags")
  /// RIFF information and broadcast extension.
  public static let riffInfo = Self(rawValue: "com.microsoft.riff.info")
  /// APE tags.
  public static let ape = Self(rawValue: "org.monkeysaudio.ape")
  /// Every other form.
  public static let unknown = Self(rawValue: "public.unknown")

  /// The format that items of a key space come from.
  public init(keySpace: MetadataKeySpace) {
    switch keySpace {
    case .quickTimeUserData: self = .quickTimeUserData
    case .isoUserData: self = .isoUserData
    case .quickTimeMetadata: self = .quickTimeMetadata
    case .iTunes, .iTunesFreeform: self = .iTunesMetadata
    case .id3: self = .id3Metadata
    case .hlsDateRange: self = .hlsMetadata
    case .vorbisComment: self = .vorbisComment
    case .matroska: self = .matroska
    case .riffInfo, .broadcastWave: self = .riffInfo
    case .ape: self = .ape
    default: self = .unknown
    }
  }
}

/// A key that means the same in every container; raw values are AVFoundation's.
public struct MetadataCommonKey: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The key, such as `title`.
  public let rawValue: String
  /// A common key by its name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The key.
  public var description: String { rawValue }

  /// The title.
  public static let title = Self(rawValue: "title")
  /// Who made it; a composer in music.
  public static let creator = Self(rawValue: "creator")
  /// The subject.
  public static let subject = Self(rawValue: "subject")
  /// A description.
  public static let description = Self(rawValue: "description")
  /// The publisher.
  public static let publisher = Self(rawValue: "publisher")
  /// Who else took part.
  public static let contributor = Self(rawValue: "contributor")
  /// When it was made.
  public static let creationDate = Self(rawValue: "creationDate")
  /// When it was last changed.
  public static let lastModifiedDate = Self(rawValue: "lastModifiedDate")
  /// The genre.
  public static let type = Self(rawValue: "type")
  /// The format.
  public static let format = Self(rawValue: "format")
  /// What identifies it.
  public static let identifier = Self(rawValue: "identifier")
  /// What it was made from.
  public static let source = Self(rawValue: "source")
  /// The language.
  public static let language = Self(rawValue: "language")
  /// What it belongs to.
  public static let relation = Self(rawValue: "relation")
  /// Where it was made.
  public static let location = Self(rawValue: "location")
  /// Who holds the rights.
  public static let copyrights = Self(rawValue: "copyrights")
  /// The album.
  public static let albumName = Self(rawValue: "albumName")
  /// The author of the words.
  public static let author = Self(rawValue: "author")
  /// The artist.
  public static let artist = Self(rawValue: "artist")
  /// A picture.
  public static let artwork = Self(rawValue: "artwork")
  /// The maker of the camera.
  public static let make = Self(rawValue: "make")
  /// The model of the camera.
  public static let model = Self(rawValue: "model")
  /// The software that made it.
  public static let software = Self(rawValue: "software")
  /// A description for those who can't see it.
  public static let accessibilityDescription = Self(rawValue: "accessibilityDescription")
}
