import LibAV

/// A master playlist of HTTP Live Streaming (RFC 8216): the renditions that a player chooses from, as text.
public struct HLSMasterPlaylist: Sendable, Hashable {
  /// Pictures, or sound alone where there are none.
  public struct Variant: Sendable, Hashable {
    /// The address of the media playlist, relative to this one's.
    public var uri: String
    /// Bits a second at most, of everything that plays together.
    public var peakBandwidth: Int
    /// Bits a second on average, of everything that plays together.
    public var averageBandwidth: Int
    /// The codecs of everything that plays together, as RFC 6381 spells them.
    public var codecs: [String]
    /// The size of the picture as shown.
    public var resolution: PixelSize?
    /// Pictures a second, exact.
    public var frameDuration: MediaTime?
    /// `SDR`, `PQ` or `HLG`.
    public var videoRange: String?
    /// The group of sound that plays along.
    public var audioGroup: String?
    /// The group of subtitles to choose from.
    public var subtitleGroup: String?

    /// A variant.
    public init(uri: String, peakBandwidth: Int, averageBandwidth: Int, codecs: [String]) {
      self.uri = uri
      self.peakBandwidth = peakBandwidth
      self.averageBandwidth = averageBandwidth
      self.codecs = codecs
    }
  }

  /// Sound that plays along with the pictures.
  public struct AudioRendition: Sendable, Hashable {
    /// The group that variants name.
    public var group: String
    /// What users see.
    public var name: String
    /// BCP 47; nil when unknown.
    public var language: String?
    /// Whether it plays unless the user chooses otherwise.
    public var isDefault: Bool
    /// The number of channels; nil when unknown.
    public var channels: Int?
    /// The address of the media playlist.
    public var uri: String

    /// A rendition.
    public init(group: String, name: String, isDefault: Bool, uri: String) {
      self.group = group
      self.name = name
      self.isDefault = isDefault
      self.uri = uri
    }
  }

  /// Subtitles that can be shown with the pictures.
  public struct SubtitleRendition: Sendable, Hashable {
    /// The group that variants name.
    public var group: String
    /// What users see; no two of a group are called the same.
    public var name: String
    /// BCP 47; nil when unknown.
    public var language: String?
    /// Whether they are shown unless the user chooses otherwise; one of a group at most.
    public var isDefault = false
    /// Whether they hold only what has to be read to understand the programme.
    public var isForced = false
    /// Whom they are for, such as `public.accessibility.transcribes-spoken-dialog`.
    public var characteristics: [String] = []
    /// The address of the media playlist.
    public var uri: String

    /// A rendition.
    public init(group: String, name: String, uri: String) {
      self.group = group
      self.name = name
      self.uri = uri
    }
  }

  /// Sync pictures for fast playback.
  public struct IFrameVariant: Sendable, Hashable {
    /// The address of the media playlist.
    public var uri: String
    /// Bits a second at most.
    public var peakBandwidth: Int
    /// Bits a second on average.
    public var averageBandwidth: Int
    /// The codec of the pictures.
    public var codecs: [String]
    /// The size of the picture as shown.
    public var resolution: PixelSize?

    /// A variant.
    public init(uri: String, peakBandwidth: Int, averageBandwidth: Int, codecs: [String], resolution: PixelSize?) {
      self.uri = uri
      self.peakBandwidth = peakBandwidth
      self.averageBandwidth = averageBandwidth
      self.codecs = codecs
      self.resolution = resolution
    }
  }

  /// Sound of its own.
  public var audio: [AudioRendition] = []
  /// Subtitles.
  public var subtitles: [SubtitleRendition] = []
  /// The variants; players begin with the first one.
  public var variants: [Variant] = []
  /// For fast playback.
  public var iFrames: [IFrameVariant] = []

  /// An empty playlist.
  public init() {}

  /// The playlist's text.
  public var text: String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-INDEPENDENT-SEGMENTS"]
    for rendition in audio {
      var values = ["TYPE=AUDIO", "GROUP-ID=\(quoted(rendition.group))", "NAME=\(quoted(rendition.name))"]
      if let language = rendition.language { values.append("LANGUAGE=\(quoted(language))") }
      values += ["DEFAULT=\(rendition.isDefault ? "YES" : "NO")", "AUTOSELECT=YES"]
      if let channels = rendition.channels { values.append("CHANNELS=\"\(channels)\"") }
      values.append("URI=\(quoted(rendition.uri))")
      lines.append("#EXT-X-MEDIA:" + values.joined(separator: ","))
    }
    for rendition in subtitles {
      var values = ["TYPE=SUBTITLES", "GROUP-ID=\(quoted(rendition.group))", "NAME=\(quoted(rendition.name))"]
      if let language = rendition.language { values.append("LANGUAGE=\(quoted(language))") }
      values += ["DEFAULT=\(rendition.isDefault ? "YES" : "NO")", "AUTOSELECT=YES"]
      values.append("FORCED=\(rendition.isForced ? "YES" : "NO")")
      if !rendition.characteristics.isEmpty {
        values.append("CHARACTERISTICS=\(quoted(rendition.characteristics.joined(separator: ",")))")
      }
      values.append("URI=\(quoted(rendition.uri))")
      lines.append("#EXT-X-MEDIA:" + values.joined(separator: ","))
    }
    for variant in variants {
      var values = rates(variant.peakBandwidth, variant.averageBandwidth, variant.codecs, variant.resolution)
      if let rate = variant.frameDuration.flatMap(frameRate) { values.append("FRAME-RATE=\(rate)") }
      if let range = variant.videoRange { values.append("VIDEO-RANGE=\(range)") }
      if let group = variant.audioGroup { values.append("AUDIO=\(quoted(group))") }
      if let group = variant.subtitleGroup { values.append("SUBTITLES=\(quoted(group))") }
      lines += ["#EXT-X-STREAM-INF:" + values.joined(separator: ","), variant.uri]
    }
    for variant in iFrames {
      let values = rates(variant.peakBandwidth, variant.averageBandwidth, variant.codecs, variant.resolution)
      lines.append("#EXT-X-I-FRAME-STREAM-INF:" + (values + ["URI=\(quoted(variant.uri))"]).joined(separator: ","))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func rates(_ peak: Int, _ average: Int, _ codecs: [String], _ size: PixelSize?) -> [String] {
    var values = ["BANDWIDTH=\(peak)", "AVERAGE-BANDWIDTH=\(average)"]
    if !codecs.isEmpty { values.append("CODECS=\(quoted(codecs.joined(separator: ",")))") }
    if let size { values.append("RESOLUTION=\(size.width)x\(size.height)") }
    return values
  }

  /// Three decimals, rounded to the nearest.
  private func frameRate(_ duration: MediaTime) -> String? {
    guard duration > .zero, let rate = duration.rational?.reciprocal,
      let thousandths = rate.multiplied(by: Rational(1000))?.rounded()
    else { return nil }
    return "\(thousandths / 1000).\(String(thousandths % 1000 + 1000).dropFirst())"
  }

  /// Quoted strings hold neither quotes nor line ends.
  private func quoted(_ text: String) -> String {
    "\"" + String(text.map { $0 == "\"" || $0.isNewline ? "'" : $0 }) + "\""
  }
}
