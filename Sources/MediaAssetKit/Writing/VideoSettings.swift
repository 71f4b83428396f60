/// How pictures are encoded. What is nil follows the source or the encoder's own choice.
public struct VideoSettings: Sendable, Hashable, Codable {
  /// The codec by FFmpeg's name: `h264`, `hevc`, `vp9`, `av1`, `prores`, `mjpeg`, … Whatever this FFmpeg encodes.
  public var codec: String
  /// FFmpeg's name of the encoder (`libx264`); nil for the usual one of the codec.
  public var encoder: String?
  /// The size in pixels, even for codecs that halve the chroma: odd sides are rounded down. nil: the source's.
  public var size: PixelSize?
  /// How pictures of another size come to ``size``.
  public var scalingMode: ScalingMode
  /// FFmpeg's name of the pixel format; nil: 4:2:0 for codecs of delivery, else the nearest to the source's.
  public var pixelFormat: String?
  /// Bits a second on average; nil leaves the rate to ``quality`` or to the encoder.
  public var averageBitRate: Int?
  /// 0 (worst) to 1 (best); mapped to the encoder's own scale. Not together with ``averageBitRate``.
  public var quality: Double?
  /// The encoder's constant rate factor (x264: 0 to 51), for those who know it. Not together with ``quality``.
  public var constantRateFactor: Double?
  /// Pictures between two sync samples at most; 1 makes all of them sync samples.
  public var maximumKeyFrameInterval: Int?
  /// Time between two sync samples at most.
  public var maximumKeyFrameIntervalDuration: MediaTime?
  /// The encoder's name of the profile (`baseline`, `main`, `high`, `main10`; ProRes: `proxy`, `lt`, `standard`, `hq`, `4444`).
  public var profile: String?
  /// The encoder's name of the level (`4.1`).
  public var level: String?
  /// Whether pictures may be stored in another order than they are shown; true by default.
  public var allowsFrameReordering: Bool
  /// The most pictures in a row that lean on later ones; nil: the encoder's choice.
  public var maximumBFrames: Int?
  /// Pictures a second, as a hint for the encoder's rate control; nil: from the first two pictures.
  public var expectedFrameRate: Int?
  /// The shape of a pixel; nil: the source's.
  public var pixelAspectRatio: PixelAspectRatio?
  /// The part that is shown (`clap`), in QuickTime and MPEG-4 files; nil: all.
  public var cleanAperture: PixelRect?
  /// Colour tags; what is nil follows the source. Pixels are not converted to other primaries.
  public var colour: ColourProperties
  /// Fields; nil: the source's.
  public var fieldOrder: VideoFormat.FieldOrder?
  /// The encoder's own options by FFmpeg's names (`preset`: `veryfast`). Unknown ones are refused when it opens.
  public var encoderOptions: [String: String]
  /// Threads of the encoder; nil: as many as the process's budget.
  public var threads: Int?

  /// How a picture fills another size.
  public enum ScalingMode: String, Sendable, Hashable, Codable {
    /// Stretched.
    case resize
    /// Whole, with black bars.
    case resizeAspect
    /// Filled, with the edges cut off.
    case resizeAspectFill
  }

  /// Settings; the defaults leave everything but the codec to the source and the encoder.
  public init(
    codec: String, size: PixelSize? = nil, averageBitRate: Int? = nil, quality: Double? = nil,
    constantRateFactor: Double? = nil, encoderOptions: [String: String] = [:]
  ) {
    self.codec = codec
    self.size = size
    scalingMode = .resize
    self.averageBitRate = averageBitRate
    self.quality = quality
    self.constantRateFactor = constantRateFactor
    allowsFrameReordering = true
    colour = ColourProperties()
    self.encoderOptions = encoderOptions
  }
}
