/// `hvcC`: an HEVC decoder configuration record, which Matroska stores too.
package struct HEVCConfiguration: Hashable, Sendable {
  package var profileSpace: UInt8
  package var isHighTier: Bool
  package var profile: UInt8
  package var compatibility: UInt32
  /// The 48 bits of constraint flags, first byte first.
  package var constraints: [UInt8]
  package var level: UInt8
  /// 0 monochrome, 1 4:2:0, 2 4:2:2, 3 4:4:4.
  package var chromaFormat: UInt8
  package var lumaBitDepth: UInt8
  package var chromaBitDepth: UInt8
  package var lengthSize: Int
  /// The parameter sets with their NAL headers, as ranges of the bytes given.
  package var nalUnits: [NALUnit] = []

  package struct NALUnit: Hashable, Sendable {
    /// 32 VPS, 33 SPS, 34 PPS, 39 SEI.
    package var type: UInt8
    package var range: Range<Int>
  }

  /// Reads a record; nil when it is too short for its first fields. Lists that are cut off keep
  /// what is there.
  package init?(_ bytes: [UInt8], in range: Range<Int>? = nil) {
    var reader = ByteReader(bytes, in: range)
    let version = reader.uint8()
    let head = reader.uint8()
    profileSpace = head >> 6
    isHighTier = head & 0x20 != 0
    profile = head & 31
    compatibility = reader.uint32()
    constraints = Array(bytes[reader.range(6)])
    level = reader.uint8()
    reader.skip(3)
    chromaFormat = reader.uint8() & 3
    lumaBitDepth = (reader.uint8() & 7) + 8
    chromaBitDepth = (reader.uint8() & 7) + 8
    reader.skip(2)
    lengthSize = Int(reader.uint8() & 3) + 1
    // Version 0 is what early writers put there.
    guard !reader.isExhausted, version <= 1 else { return nil }
    guard reader.remaining > 0 else { return }
    for _ in 0..<reader.uint8() {
      let type = reader.uint8() & 0x3F
      for _ in 0..<reader.uint16() {
        let unit = reader.range(Int(reader.uint16()))
        guard !reader.isExhausted else { return }
        nalUnits.append(NALUnit(type: type, range: unit))
      }
    }
  }

  /// The fields of a record that a sequence parameter set gives, for streams without one; nil when the NAL unit, with
  /// its two-byte header, is none of the base layer or too short.
  package init?(sequenceParameterSet bytes: [UInt8], in range: Range<Int>) {
    guard let set = HEVCSequenceParameters(nalUnit: bytes, in: range) else { return nil }
    // Behind the first byte the profile, tier and level stand byte by byte (7.3.3).
    let head = rawPayload(bytes, in: range.dropFirst(2).prefix(64))
    guard head.count >= 13 else { return nil }
    profileSpace = head[1] >> 6
    isHighTier = head[1] & 0x20 != 0
    profile = head[1] & 31
    compatibility = head.bigEndianUInt32(at: 2)
    constraints = Array(head[6..<12])
    level = head[12]
    chromaFormat = set.chromaFormat
    lumaBitDepth = set.lumaBitDepth
    chromaBitDepth = set.chromaBitDepth
    lengthSize = 0
    nalUnits = [NALUnit(type: 33, range: range)]
  }

  /// `hvc1.1.6.L93.B0`: space and profile, reversed compatibility, tier and level, constraints
  /// without trailing zeros (ISO/IEC 14496-15, annex E).
  package func codecString(format: FourCharacterCode = .hvc1) -> String {
    var reversed: UInt32 = 0
    for bit in 0..<32 where compatibility >> UInt32(bit) & 1 == 1 {
      reversed |= 1 << UInt32(31 - bit)
    }
    let space = profileSpace == 0 ? "" : ["A", "B", "C"][Int(profileSpace) - 1]
    var text = "\(format).\(space)\(profile)"
    text += "." + String(reversed, radix: 16, uppercase: true)
    text += ".\(isHighTier ? "H" : "L")\(level)"
    let used = (constraints.lastIndex { $0 != 0 } ?? -1) + 1
    for byte in constraints[..<used] { text += "." + String(byte, radix: 16, uppercase: true) }
    return text
  }

  /// The first sequence parameter set of the base layer, read.
  package func sequenceParameters(in bytes: [UInt8]) -> HEVCSequenceParameters? {
    for unit in nalUnits where unit.type == 33 {
      if let set = HEVCSequenceParameters(nalUnit: bytes, in: unit.range) { return set }
    }
    return nil
  }
}
