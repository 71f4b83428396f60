/// `avcC`: an AVC decoder configuration record, which Matroska stores too.
package struct AVCConfiguration: Hashable, Sendable {
  package var profile: UInt8
  package var constraints: UInt8
  package var level: UInt8
  /// Bytes of the length before each NAL unit: 1, 2 or 4.
  package var lengthSize: Int
  /// The parameter sets with their NAL headers, as ranges of the bytes given.
  package var sequenceParameterSets: [Range<Int>] = []
  package var pictureParameterSets: [Range<Int>] = []

  /// Reads a record; nil when it is too short for its first fields. Lists that are cut off keep
  /// what is there.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    let version = reader.uint8()
    profile = reader.uint8()
    constraints = reader.uint8()
    level = reader.uint8()
    lengthSize = Int(reader.uint8() & 3) + 1
    guard !reader.isExhausted, version == 1 else { return nil }
    for isPicture in [false, true] {
      guard reader.remaining > 0 else { return }
      let count = Int(reader.uint8() & (isPicture ? 0xFF : 0x1F))
      for _ in 0..<count {
        let set = reader.range(Int(reader.uint16()))
        guard !reader.isExhausted else { return }
        if isPicture {
          pictureParameterSets.append(set)
        } else {
          sequenceParameterSets.append(set)
        }
      }
    }
  }

  /// `avc1.64001F`: profile, constraints, level (RFC 6381, 3.3).
  package func codecString(format: FourCharacterCode = .avc1) -> String {
    "\(format).\(hexByte(profile))\(hexByte(constraints))\(hexByte(level))"
  }

  /// The first sequence parameter set, read.
  package func sequenceParameters(in bytes: [UInt8]) -> AVCSequenceParameters? {
    sequenceParameterSets.first.flatMap { AVCSequenceParameters(nalUnit: bytes, in: $0) }
  }
}
