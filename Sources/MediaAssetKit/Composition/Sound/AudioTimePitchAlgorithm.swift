/// How sound that plays at another speed keeps its pitch, or doesn't; raw values are AVFoundation's.
public struct AudioTimePitchAlgorithm: RawRepresentable, Sendable, Hashable, Codable {
  /// AVFoundation's name.
  public let rawValue: String
  /// An algorithm by AVFoundation's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The pitch stays. As ``timeDomain`` here: one algorithm serves speech and music, at speeds of 1/32 to 32.
  public static let spectral = Self(rawValue: "Spectral")
  /// The pitch stays (waveform-similarity overlap-add).
  public static let timeDomain = Self(rawValue: "TimeDomain")
  /// The pitch follows the speed, as of a tape.
  public static let varispeed = Self(rawValue: "Varispeed")
}
