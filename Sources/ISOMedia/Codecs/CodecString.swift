extension SampleDescription {
  /// The RFC 6381 codec string of the entry; the bare four characters where no rule adds to them
  /// or the configuration is missing or damaged. Protection is looked through.
  ///
  /// - Parameter bytes: The movie's bytes, from which this entry was parsed.
  package func codecString(in bytes: [UInt8]) -> String {
    switch codec {
    case .avc1, .avc2, .avc3, .avc4, .dva1, .dvav: return avcString(bytes)
    case .hvc1, .hev1, .dvh1, .dvhe: return hevcString(bytes)
    case .av01:
      guard let range = payload(of: .av1C), let record = AV1Configuration(bytes, in: range) else {
        break
      }
      return record.codecString(color: video?.color)
    case .dav1:
      if let vision = video?.dolbyVision { return vision.codecString(baseFormat: codec) }
    case .vp08, .vp09:
      guard let range = payload(of: .vpcC), let record = VPConfiguration(bytes, in: range) else {
        break
      }
      return record.codecString(format: codec)
    case .mp4a, .mp4v:
      guard let range = payload(of: .esds),
        let descriptor = ElementaryStreamDescriptor(bytes, in: range)
      else { break }
      return descriptor.codecString(format: codec, in: bytes)
    case .s263:
      guard let range = payload(of: .d263), range.count >= 7 else { break }
      // Vendor (4), decoder version, level, profile (3GPP TS 26.244, 6.8).
      return "s263.\(bytes[range.lowerBound + 6]).\(bytes[range.lowerBound + 5])"
    case .ac4:
      if let range = payload(of: .dac4) { return CodecString.ac4(bytes, in: range) }
    default: break
    }
    return trimmed(codec)
  }

  /// The Dolby Vision string beside that of a base layer which other decoders understand.
  package var supplementalCodecString: String? {
    guard [.hvc1, .hev1, .avc1, .avc3, .av01].contains(codec) else { return nil }
    return video?.dolbyVision?.codecString(baseFormat: codec)
  }

  private func avcString(_ bytes: [UInt8]) -> String {
    if codec == .dva1 || codec == .dvav, let vision = video?.dolbyVision {
      return vision.codecString(baseFormat: codec)
    }
    guard let range = payload(of: .avcC), let record = AVCConfiguration(bytes, in: range) else {
      return trimmed(codec)
    }
    return record.codecString(format: codec)
  }

  private func hevcString(_ bytes: [UInt8]) -> String {
    if codec == .dvh1 || codec == .dvhe, let vision = video?.dolbyVision {
      return vision.codecString(baseFormat: codec)
    }
    guard let range = payload(of: .hvcC), let record = HEVCConfiguration(bytes, in: range) else {
      return trimmed(codec)
    }
    return record.codecString(format: codec)
  }

  /// Codec strings have no padding: `raw ` becomes `raw`.
  private func trimmed(_ code: FourCharacterCode) -> String {
    var text = code.description
    while text.last == " " { text.removeLast() }
    return text
  }
}

extension ElementaryStreamDescriptor {
  /// `mp4a.40.2`, `mp4a.6B`, `mp4v.20.9`: the object type in hexadecimal, and for MPEG-4 audio and
  /// video the audio object type or the visual profile and level (RFC 6381, 3.3).
  package func codecString(format: FourCharacterCode, in bytes: [UInt8]) -> String {
    let text = "\(format).\(hexByte(objectType))"
    guard let configuration = decoderConfiguration else { return text }
    if objectType == 0x40,
      let audio = AudioSpecificConfiguration(bytes, in: configuration)
    {
      return "\(text).\(audio.objectType)"
    }
    if objectType == 0x20, let level = CodecString.visualLevel(bytes, in: configuration) {
      return "\(text).\(level)"
    }
    return text
  }
}

/// Codec strings that need no record of their own.
package enum CodecString {
  /// The profile and level in an MPEG-4 visual object sequence header (00 00 01 B0).
  static func visualLevel(_ bytes: [UInt8], in range: Range<Int>) -> UInt8? {
    var reader = ByteReader(bytes, in: range.prefix(4096))
    while reader.remaining >= 5 {
      if bytes.bigEndianUInt32(at: reader.position) == 0x0000_01B0 {
        return bytes[reader.position + 4]
      }
      reader.skip(1)
    }
    return nil
  }

  /// `ac-4.02.01.03`: bitstream version, presentation version, compatibility (ETSI TS 103 190-2,
  /// E.13) of the first presentation in `dac4`.
  package static func ac4(_ bytes: [UInt8], in range: Range<Int>? = nil) -> String {
    var reader = BitReader(bytes, in: range)
    reader.skip(3)
    let version = reader.bits(7)
    reader.skip(5)
    let presentations = reader.bits(9)
    if version > 1, reader.flag() {
      reader.skip(16)
      if reader.flag() { reader.skip(128) }
    }
    reader.skip(66)
    reader.alignToByte()
    let presentationVersion = reader.bits(8)
    if reader.bits(8) == 255 { reader.skip(16) }
    let configuration = reader.bits(5)
    let compatibility = reader.bits(3)
    guard !reader.isExhausted, presentations > 0, presentationVersion >= 1, configuration != 6
    else { return "ac-4" }
    return
      "ac-4.\(twoDigits(version)).\(twoDigits(presentationVersion)).\(twoDigits(compatibility))"
  }
}
