/// How sound that plays at another speed keeps its pitch, or doesn't; raw values are AVFoundation's.
public struct AudioTimePitchAlgorithm: RawRepresentable, Sendable, Hashable, Codable {
  /// AVFoundation's name.
  public let rawValue: String
  /// An algorithm by AVFoundation's name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// The best quality, and the most work; suits music.
  public static let spectral = Self(rawValue: "Spectral")
  /// Less work; suits voices.
  public static let timeDomain = Self(rawValue: "TimeDomain")
  /// The pitch follows the speed, as of a tape.
  public static let varispeed = Self(rawValue: "Varispeed")
}
