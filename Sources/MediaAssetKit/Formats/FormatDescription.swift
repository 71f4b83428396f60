/// How the samples of a track are stored: the codec and what it takes to show or play them.
public struct FormatDescription: Sendable, Hashable {
  /// The kind of media.
  public var mediaType: MediaType
  /// FFmpeg's name of the codec (`h264`); nil where FFmpeg does not know it.
  public var codec: String?
  /// The container's four characters for the codec (`avc1`); nil where the container has none.
  public var fourCharacterCode: String?
  /// The codec string of RFC 6381 (`avc1.64001F`); nil where none is defined.
  public var codecString: String?
  /// The picture's side; nil for other media.
  public var video: VideoFormat?
  /// The sound's side; nil for other media.
  public var audio: AudioFormat?
  /// The codec's set-up bytes as stored (`avcC`, `hvcC`, AudioSpecificConfig, …); empty where there are none.
  public var parameterSets: [UInt8]
  /// What a track of timed metadata may hold; empty for other media.
  public var metadataKeys: [TimedMetadataKey] = []

  /// A description of given parts.
  public init(
    mediaType: MediaType, codec: String? = nil, fourCharacterCode: String? = nil,
    codecString: String? = nil,
    video: VideoFormat? = nil, audio: AudioFormat? = nil, parameterSets: [UInt8] = []
  ) {
    self.mediaType = mediaType
    self.codec = codec
    self.fourCharacterCode = fourCharacterCode
    self.codecString = codecString
    self.video = video
    self.audio = audio
    self.parameterSets = parameterSets
  }
}
