public import FoundationEssentials

/// One of the forms in which a multivariant playlist of HTTP Live Streaming offers the same media.
///
/// What AVFoundation's `AVAssetVariant` says. It has no qualifiers for downloads, which this library doesn't do.
public struct AssetVariant: Sendable, Hashable {
  /// The brightness range of the pictures, by AVFoundation's names.
  public struct VideoRange: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// AVFoundation's name, such as `AVVideoRangeSDR`.
    public let rawValue: String
    /// A range by its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }

    /// Standard range.
    public static let sdr = Self(rawValue: "AVVideoRangeSDR")
    /// Hybrid log-gamma.
    public static let hlg = Self(rawValue: "AVVideoRangeHLG")
    /// Perceptual quantiser.
    public static let pq = Self(rawValue: "AVVideoRangePQ")
  }

  /// What is said of the pictures.
  public struct VideoAttributes: Sendable, Hashable {
    /// The range; standard where the playlist says nothing.
    public var videoRange: VideoRange
    /// The codecs of pictures as RFC 6381 spells them.
    public var codecs: [String]
    /// The best size to show them in; nil when unknown.
    public var presentationSize: PixelSize?
    /// Pictures a second at most; nil when unknown.
    public var nominalFrameRate: Double?
  }

  /// What is said of the sound.
  public struct AudioAttributes: Sendable, Hashable {
    /// The codecs of sound as RFC 6381 spells them.
    public var codecs: [String]
    /// The renditions that play along; empty where the sound is with the pictures.
    public var renditions: [AudioRendition]
  }

  /// Sound that a variant can play along.
  public struct AudioRendition: Sendable, Hashable {
    /// What users see.
    public var name: String
    /// BCP 47; nil when unknown.
    public var language: String?
    /// Channels; nil when unknown.
    public var channelCount: Int?
    /// Whether it plays unless somebody chooses otherwise.
    public var isDefault: Bool
    /// What the playlist says of it (`CHARACTERISTICS`).
    public var characteristics: [MediaCharacteristic]
    /// Its playlist; nil where it is with the pictures.
    public var url: URL?
  }

  /// The address of the variant's playlist.
  public var url: URL?
  /// Bits a second at most; nil when unknown.
  public var peakBitRate: Double?
  /// Bits a second on average; nil when unknown.
  public var averageBitRate: Double?
  /// nil for sound alone.
  public var videoAttributes: VideoAttributes?
  /// nil where nothing tells of sound.
  public var audioAttributes: AudioAttributes?
}

extension AssetVariant {
  private static let pictureCodecs: Set<String> = [
    "avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "dvav", "dva1", "av01", "vp08", "vp09", "mp4v", "mjpg",
  ]
  private static let textCodecs: Set<String> = ["stpp", "wvtt"]

  /// The variants of a multivariant playlist in its order, each with its address as the playlist writes it.
  static func variants(in playlist: PlaylistText, base: URL?) -> [(variant: AssetVariant, address: String)] {
    var renditions: [String: [AudioRendition]] = [:]
    var found: [(variant: AssetVariant, address: String)] = []
    var pending: [PlaylistAttribute]?
    for case .tag("EXT-X-MEDIA", let text) in playlist.lines {
      let attributes = PlaylistAttribute.list(text)
      guard attributes["TYPE"] == "AUDIO", let group = attributes["GROUP-ID"] else { continue }
      renditions[group, default: []].append(AudioRendition(attributes, base: base))
    }
    for line in playlist.lines {
      switch line {
      case .tag("EXT-X-STREAM-INF", let text): pending = PlaylistAttribute.list(text)
      case .address(let address):
        guard let attributes = pending else { continue }
        pending = nil
        let sound = attributes["AUDIO"].flatMap { renditions[$0] } ?? []
        found.append((AssetVariant(attributes, renditions: sound, url: Self.url(address, base)), address))
      default: break
      }
    }
    return found
  }

  private init(_ attributes: [PlaylistAttribute], renditions: [AudioRendition], url: URL?) {
    self.url = url
    peakBitRate = attributes["BANDWIDTH"].flatMap { Double($0) }
    averageBitRate = attributes["AVERAGE-BANDWIDTH"].flatMap { Double($0) }
    let codecs = (attributes["CODECS"] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    func kind(_ codec: String) -> String { String(codec.prefix { $0 != "." }) }
    let pictures = codecs.filter { Self.pictureCodecs.contains(kind($0)) }
    let sound = codecs.filter { !Self.pictureCodecs.contains(kind($0)) && !Self.textCodecs.contains(kind($0)) }
    let size = attributes["RESOLUTION"].flatMap { text -> PixelSize? in
      let sides = text.split(separator: "x").map { Int($0) }
      guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 else { return nil }
      return PixelSize(width: width, height: height)
    }
    let rate = attributes["FRAME-RATE"].flatMap { Double($0) }
    if !pictures.isEmpty || size != nil || rate != nil {
      let range: VideoRange =
        switch attributes["VIDEO-RANGE"] {
        case "PQ": .pq
        case "HLG": .hlg
        default: .sdr
        }
      videoAttributes = VideoAttributes(
        videoRange: range, codecs: pictures, presentationSize: size, nominalFrameRate: rate)
    }
    if !sound.isEmpty || !renditions.isEmpty {
      audioAttributes = AudioAttributes(codecs: sound, renditions: renditions)
    }
  }

  fileprivate static func url(_ address: String, _ base: URL?) -> URL? {
    URL(string: address, relativeTo: base)?.absoluteURL
  }
}

extension AssetVariant.AudioRendition {
  fileprivate init(_ attributes: [PlaylistAttribute], base: URL?) {
    name = attributes["NAME"] ?? ""
    language = attributes["LANGUAGE"]
    channelCount = attributes["CHANNELS"].flatMap { Int($0.prefix { $0 != "/" }) }
    isDefault = attributes["DEFAULT"] == "YES"
    characteristics = (attributes["CHARACTERISTICS"] ?? "").split(separator: ",").map {
      MediaCharacteristic(rawValue: String($0))
    }
    url = attributes["URI"].flatMap { AssetVariant.url($0, base) }
  }
}
