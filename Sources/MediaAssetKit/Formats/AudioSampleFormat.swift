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
