/// The sound of a track.
public struct AudioFormat: Sendable, Hashable {
  /// Samples a second for each channel.
  public var sampleRate: Int
  /// The number of channels.
  public var channels: Int
  /// FFmpeg's name of the layout (`stereo`, `5.1(side)`); nil where only the count is known.
  public var layout: String?
  /// FFmpeg's name of the decoded sample format (`fltp`, `s16`); nil when unknown.
  public var sampleFormat: String?

  /// Bits of a stored sample; nil for codings that have none (AAC, Opus, …).
  public var bitDepth: Int?

  /// A format of given parts.
  public init(
    sampleRate: Int, channels: Int, layout: String? = nil, sampleFormat: String? = nil,
    bitDepth: Int? = nil
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.sampleFormat = sampleFormat
    self.bitDepth = bitDepth
  }
}
