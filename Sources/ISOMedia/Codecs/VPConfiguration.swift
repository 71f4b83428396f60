/// `vpcC`: a VP8 or VP9 codec configuration.
package struct VPConfiguration: Hashable, Sendable {
  package var profile: UInt8
  /// Ten times the level: 41 for 4.1.
  package var level: UInt8
  package var bitDepth: UInt8
  /// 0 4:2:0 between, 1 4:2:0 with luma, 2 4:2:2, 3 4:4:4.
  package var chromaSubsampling: UInt8
  /// Nil where the record does not say (Matroska's CodecPrivate).
  package var color: ColorParameters?

  /// Reads the payload of `vpcC`, version and flags first; nil when it is too short.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    let version = reader.versionAndFlags().version
    profile = reader.uint8()
    level = reader.uint8()
    let format = reader.uint8()
    guard !reader.isExhausted else { return nil }
    bitDepth = format >> 4
    guard version > 0 else {
      // The draft of 2013 had its own colour table; the shape is all that is taken from it.
      chromaSubsampling = reader.uint8() >> 4
      return
    }
    chromaSubsampling = format >> 1 & 7
    let values = (reader.uint8(), reader.uint8(), reader.uint8())
    guard !reader.isExhausted else { return nil }
    color = ColorParameters(
      primaries: UInt16(values.0), transfer: UInt16(values.1), matrix: UInt16(values.2),
      isFullRange: format & 1 != 0)
  }

  /// Reads Matroska's VP9 CodecPrivate: features as id, length, value; nil without a profile.
  package init?(matroska bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    var values: [UInt8: UInt8] = [:]
    while reader.remaining >= 3 {
      let id = reader.uint8()
      let payload = reader.range(Int(reader.uint8()))
      guard !reader.isExhausted else { return nil }
      if payload.count == 1 { values[id] = bytes[payload.lowerBound] }
    }
    guard let profile = values[1] else { return nil }
    self.profile = profile
    level = values[2] ?? 0
    bitDepth = values[3] ?? 8
    chromaSubsampling = values[4] ?? 0
  }

  /// The mandatory fields: `vp09.00.10.08` (VP codec ISO media file format binding).
  package func shortCodecString(format: FourCharacterCode = .vp09) -> String {
    "\(format).\(twoDigits(profile)).\(twoDigits(level)).\(twoDigits(bitDepth))"
  }

  /// The full form, `vp09.02.10.10.01.09.16.09.01`; short when all optional fields have the values
  /// that their absence means (4:2:0 with luma, BT.709, limited) or are not known.
  package func codecString(format: FourCharacterCode = .vp09) -> String {
    let short = shortCodecString(format: format)
    guard let color else { return short }
    let tail =
      "\(twoDigits(chromaSubsampling)).\(twoDigits(color.primaries))."
      + "\(twoDigits(color.transfer)).\(twoDigits(color.matrix))."
      + (color.isFullRange == true ? "01" : "00")
    return tail == "01.01.01.01.00" ? short : "\(short).\(tail)"
  }
}
