import LibAV

/// How one PCM sample is stored in memory: native-endian.
public enum AudioSampleFormat: String, Sendable, Hashable, CaseIterable {
  /// 16-bit signed integers.
  case int16
  /// 32-bit signed integers; 24-bit sound is left-justified in them.
  case int32
  /// 32-bit floating point, full scale from -1 to 1.
  case float32

  /// Bytes of one sample.
  public var bytesPerSample: Int { self == .int16 ? 2 : 4 }

  func identifier(isPlanar: Bool) -> SampleFormatID {
    switch self {
    case .int16: isPlanar ? .s16Planar : .s16
    case .int32: isPlanar ? .s32Planar : .s32
    case .float32: isPlanar ? .f32Planar : .f32
    }
  }
}

/// What kind of PCM a reader gives; nil parts are as stored.
public struct AudioOutputSettings: Sendable, Hashable {
  /// Samples a second for each channel.
  public var sampleRate: Int?
  /// The number of channels; mixed down or up by FFmpeg's matrices, normalised so that nothing clips: the level does not
  /// depend on the sample format (5.1 to stereo: the centre comes out at 0.29 of itself in each).
  public var channels: Int?
  /// FFmpeg's name of the layout (`stereo`, `5.1(side)`); decides the number of channels too.
  public var layout: String?
  /// How a sample is stored.
  public var format: AudioSampleFormat
  /// One plane a channel, or all channels interleaved in one plane.
  public var isPlanar: Bool

  /// Settings; the defaults keep rate and channels.
  public init(
    sampleRate: Int? = nil, channels: Int? = nil, layout: String? = nil, format: AudioSampleFormat = .float32,
    isPlanar: Bool = true
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.layout = layout
    self.format = format
    self.isPlanar = isPlanar
  }
}
