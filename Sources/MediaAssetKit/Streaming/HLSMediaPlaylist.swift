import LibAV

/// A media playlist of HTTP Live Streaming (RFC 8216): the segments of one rendition, as text.
public struct HLSMediaPlaylist: Sendable, Hashable {
  /// What may become of the playlist.
  public enum Kind: String, Sendable, Hashable {
    /// Complete; nothing changes any more.
    case onDemand = "VOD"
    /// Segments are added at the end.
    case event = "EVENT"
  }

  /// A part of a file.
  public struct ByteRange: Sendable, Hashable {
    /// The first byte.
    public var offset: Int
    /// The number of bytes.
    public var length: Int

    /// A part of a file.
    public init(offset: Int, length: Int) { (self.offset, self.length) = (offset, length) }
  }

  /// One segment.
  public struct Segment: Sendable, Hashable {
    /// Its address, relative to the playlist's.
    public var uri: String
    /// How long it lasts.
    public var duration: MediaTime
    /// Its size in bytes; for bit rates only.
    public var size: Int
    /// The part of the file that it is; nil for all.
    public var byteRange: ByteRange?

    /// A segment.
    public init(uri: String, duration: MediaTime, size: Int, byteRange: ByteRange? = nil) {
      self.uri = uri
      self.duration = duration
      self.size = size
      self.byteRange = byteRange
    }
  }

  /// What may become of it.
  public var kind: Kind
  /// The address of the initialization segment; nil for segments of text.
  public var initializationURI: String?
  /// The segments in order.
  public var segments: [Segment]
  /// Whether no more segments come.
  public var isEnded: Bool
  /// Whether it lists sync pictures alone, for fast playback.
  public var isIFramesOnly: Bool

  /// A playlist.
  public init(
    kind: Kind = .onDemand, initializationURI: String?, segments: [Segment] = [], isEnded: Bool = true,
    isIFramesOnly: Bool = false
  ) {
    self.kind = kind
    self.initializationURI = initializationURI
    self.segments = segments
    self.isEnded = isEnded
    self.isIFramesOnly = isIFramesOnly
  }

  /// The sum of the segments' durations.
  public var duration: MediaTime { segments.reduce(.zero) { $0 + $1.duration } }

  /// The longest segment's duration, rounded to the nearest second; at least 1.
  public var targetDuration: Int64 {
    segments.map { $0.duration.ticks(in: .one) ?? 0 }.reduce(1, max)
  }

  /// Bits a second on average; 0 without segments.
  public var averageBandwidth: Int { Self.bandwidth(segments.reduce(0) { $0 + $1.size }, duration) }

  /// The largest bit rate of any run of segments that lasts between half and one and a half target durations; the average
  /// where there is none.
  public var peakBandwidth: Int {
    let (shortest, longest) = (
      MediaTime(value: targetDuration, timescale: 2), MediaTime(value: 3 * targetDuration, timescale: 2)
    )
    var peak = 0
    for first in segments.indices {
      var (size, duration) = (0, MediaTime.zero)
      for segment in segments[first...] {
        size += segment.size
        duration = duration + segment.duration
        if duration > longest { break }
        if duration >= shortest { peak = max(peak, Self.bandwidth(size, duration)) }
      }
    }
    return max(peak, averageBandwidth)
  }

  private static func bandwidth(_ bytes: Int, _ duration: MediaTime) -> Int {
    guard let seconds = duration.rational, seconds.numerator > 0 else { return 0 }
    let bits = Rational(Int64(bytes)).multiplied(by: Rational(8))?.divided(by: seconds)
    return Int(bits?.rounded(.up) ?? 0)
  }

  /// The playlist's text. Durations are rounded so that any number of them together is off by half a microsecond at most.
  public var text: String {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(targetDuration)"]
    lines += ["#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:\(kind.rawValue)"]
    if isIFramesOnly { lines.append("#EXT-X-I-FRAMES-ONLY") } else { lines.append("#EXT-X-INDEPENDENT-SEGMENTS") }
    if let initializationURI { lines.append("#EXT-X-MAP:URI=\"\(initializationURI)\"") }
    var time = MediaTime.zero
    var written: Int64 = 0
    for segment in segments {
      time = time + segment.duration
      let end = time.ticks(in: Self.microsecond) ?? written
      let length = max(0, end - written)
      written += length
      let fraction = String(length % 1_000_000 + 1_000_000).dropFirst()
      lines.append("#EXTINF:\(length / 1_000_000).\(fraction),")
      if let range = segment.byteRange { lines.append("#EXT-X-BYTERANGE:\(range.length)@\(range.offset)") }
      lines.append(segment.uri)
    }
    if isEnded { lines.append("#EXT-X-ENDLIST") }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let microsecond = Rational(1, 1_000_000) ?? .one
}
