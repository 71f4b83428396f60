/// A `tmcd` entry: how a timecode track counts.
package struct TimecodeSampleDescription: Hashable, Sendable {
  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let dropFrame = Flags(rawValue: 1)
    package static let wrapsAt24Hours = Flags(rawValue: 2)
    package static let allowsNegativeTimes = Flags(rawValue: 4)
    package static let isCounter = Flags(rawValue: 8)
  }

  package var flags: Flags
  /// Ticks a second of ``frameDuration``.
  package var timescale: UInt32
  package var frameDuration: UInt32
  /// Frames a second as counted: 30 for 29.97.
  package var numberOfFrames: UInt8
}

/// A text or subtitle entry.
package struct TextSampleDescription: Hashable, Sendable {
  /// `tx3g` and `text`: as stored.
  package var displayFlags: UInt32?
  /// `stpp`: the XML namespace; `sbtt`, `stxt`: the MIME type.
  package var kind: String?

  /// `tx3g`: some samples are forced, or all are (3GPP TS 26.245, Apple's extension).
  package var someSamplesAreForced: Bool { (displayFlags ?? 0) & 0x4000_0000 != 0 }
  package var allSamplesAreForced: Bool { (displayFlags ?? 0) & 0x8000_0000 != 0 }
}
