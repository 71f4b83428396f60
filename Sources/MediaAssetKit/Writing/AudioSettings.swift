/// How sound is encoded. What is nil follows the source or the encoder's own choice.
public struct AudioSettings: Sendable, Hashable, Codable {
  /// The codec by FFmpeg's name: `aac`, `alac`, `flac`, `opus`, `mp3`, `ac3`, `pcm_s16le`, … Whatever this FFmpeg encodes.
  public var codec: String
  /// FFmpeg's name of the encoder (`libopus`); nil for the usual one of the codec.
  public var encoder: String?
  /// Samples a second; nil: the source's. Rounded to the next one that the encoder takes when it is nil only.
  public var sampleRate: Int?
  /// The number of channels, 1 to 64; nil: the source's.
  public var channels: Int?
  /// FFmpeg's name of the layout (`stereo`, `5.1(side)`); decides the number of channels too.
  public var layout: String?
  /// Bits a second of all channels together; nil: the encoder's choice.
  public var bitRate: Int?
  /// Of the encoder's own scale (MP3: 0 best to 9, FLAC has none), for variable bit rates. Not together with ``bitRate``.
  public var quality: Double?
  /// Bits of a sample for FLAC and ALAC: 16 or 24; nil: 24 where the source has more than 16, else 16.
  public var bitDepth: Int?
  /// The encoder's own options by FFmpeg's names. Unknown ones are refused when it opens.
  public var encoderOptions: [String: String]

  /// Settings; the defaults leave everything but the codec to the source and the encoder.
  public init(
    codec: String, sampleRate: Int? = nil, channels: Int? = nil, layout: String? = nil, bitRate: Int? = nil,
    encoderOptions: [String: String] = [:]
  ) {
    self.codec = codec
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.bitRate = bitRate
    self.encoderOptions = encoderOptions
  }
}
