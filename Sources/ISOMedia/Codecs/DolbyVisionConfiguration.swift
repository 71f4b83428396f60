/// `dvcC`, `dvvC` or `dvwC`: a Dolby Vision decoder configuration record.
package struct DolbyVisionConfiguration: Hashable, Sendable {
  package var majorVersion: UInt8
  package var minorVersion: UInt8
  package var profile: UInt8
  package var level: UInt8
  package var hasMetadata: Bool
  package var hasEnhancementLayer: Bool
  package var hasBaseLayer: Bool
  /// What the base layer is to other decoders: 1 HDR10, 2 SDR, 4 HLG, 0 nothing.
  package var baseLayerCompatibility: UInt8

  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = BitReader(bytes, in: range)
    majorVersion = UInt8(reader.bits(8))
    minorVersion = UInt8(reader.bits(8))
    profile = UInt8(reader.bits(7))
    level = UInt8(reader.bits(6))
    hasMetadata = reader.flag()
    hasEnhancementLayer = reader.flag()
    hasBaseLayer = reader.flag()
    guard !reader.isExhausted else { return nil }
    baseLayerCompatibility = UInt8(reader.bits(4))
  }

  /// `dvh1.08.04` and the like, for a base layer's sample entry type.
  package func codecString(baseFormat: FourCharacterCode) -> String {
    let prefix: FourCharacterCode =
      switch baseFormat {
      case .hvc1: .dvh1
      case .hev1: .dvhe
      case .avc1: .dva1
      case .avc3: .dvav
      case .av01: .dav1
      default: baseFormat
      }
    return "\(prefix).\(twoDigits(profile)).\(twoDigits(level))"
  }
}

/// A number with at least two decimal digits.
func twoDigits(_ value: some BinaryInteger) -> String { value < 10 ? "0\(value)" : "\(value)" }

/// A byte as two upper-case hexadecimal digits.
func hexByte(_ value: UInt8) -> String {
  let text = String(value, radix: 16, uppercase: true)
  return value < 16 ? "0" + text : text
}
