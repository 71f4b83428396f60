/// `av1C`: an AV1 codec configuration record, which Matroska stores too.
package struct AV1Configuration: Hashable, Sendable {
  package var profile: UInt8
  package var level: UInt8
  package var isHighTier: Bool
  package var bitDepth: UInt8
  package var isMonochrome: Bool
  /// Chroma is halved in this direction.
  package var subsamplingX: Bool
  package var subsamplingY: Bool
  /// 0 unknown, 1 left, 2 top left.
  package var chromaSamplePosition: UInt8
  /// The sequence header among the record's OBUs.
  package var sequenceHeader: AV1SequenceHeader?

  /// Reads a record; nil when it is too short or no version 1.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    let version = reader.uint8()
    let levels = reader.uint8()
    let format = reader.uint8()
    reader.skip(1)
    guard !reader.isExhausted, version == 0x81 else { return nil }
    profile = levels >> 5
    level = levels & 31
    isHighTier = format & 0x80 != 0
    bitDepth = format & 0x40 == 0 ? 8 : format & 0x20 == 0 ? 10 : 12
    isMonochrome = format & 0x10 != 0
    subsamplingX = format & 8 != 0
    subsamplingY = format & 4 != 0
    chromaSamplePosition = format & 3
    sequenceHeader = AV1SequenceHeader(units: bytes, in: reader.rest)
  }

  /// The mandatory fields: `av01.0.05M.10` (AV1 ISO Media File Format, section 5).
  package func shortCodecString(format: FourCharacterCode = .av01) -> String {
    "\(format).\(profile).\(twoDigits(level))\(isHighTier ? "H" : "M").\(twoDigits(bitDepth))"
  }

  /// The full form, `av01.0.05M.10.0.112.09.16.09.0`; short when all optional fields have the
  /// values that their absence means (4:2:0, BT.709, limited).
  ///
  /// - Parameter color: What `colr` says; without it the sequence header counts, and without
  ///   either the short form is returned.
  package func codecString(
    format: FourCharacterCode = .av01, color: ColorParameters? = nil
  ) -> String {
    let short = shortCodecString(format: format)
    guard let color = color ?? sequenceHeader?.color else { return short }
    let position = subsamplingX && subsamplingY ? chromaSamplePosition : 0
    let tail =
      "\(isMonochrome ? 1 : 0).\(subsamplingX ? 1 : 0)\(subsamplingY ? 1 : 0)\(position)."
      + "\(twoDigits(color.primaries)).\(twoDigits(color.transfer)).\(twoDigits(color.matrix))."
      + "\(color.isFullRange == true ? 1 : 0)"
    return tail == "0.110.01.01.01.0" ? short : "\(short).\(tail)"
  }
}
