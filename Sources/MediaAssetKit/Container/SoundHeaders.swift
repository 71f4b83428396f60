import ISOMedia
import LibAV

/// Sound parameters that stand in a codec's configuration or first frame, but not in what libav makes of the header.
extension StreamInfo {
  /// Fills what the configuration tells, so that no packet needs to be read for it.
  mutating func complete() {
    guard codecName == "flac", extradata.count >= 18 else { return }
    // STREAMINFO: 20 bits of rate, 3 of channels less one, 5 of bits less one (RFC 9639, 8.2).
    var bits = BitReader(extradata, in: 10..<extradata.count)
    let (rate, count, depth) = (bits.bits(20), bits.bits(3) + 1, bits.bits(5) + 1)
    if sampleRate == 0 { sampleRate = Int(rate) }
    if channels == 0 { channels = Int(count) }
    if bitsPerRawSample == 0 { bitsPerRawSample = Int(depth) }
  }

  /// Fills what the first frame of an MPEG audio file tells.
  mutating func complete(_ header: MPEGAudioHeader) {
    codecName = header.frame.codecName
    sampleRate = header.frame.sampleRate
    channels = header.frame.channels
    channelLayout = header.frame.channels == 1 ? "mono" : "stereo"
    if bitRate == 0 {
      if let bytes = header.tag?.byteCount, let samples = header.presentedSamples, samples > 0 {
        bitRate = Int64(bytes) * 8 * Int64(header.frame.sampleRate) / samples
      } else if header.tag?.isConstantRate == true {
        bitRate = Int64(header.frame.bitRate)
      }
    }
  }

  /// Fills what a packet of a stream tells that libav could not probe: too little of it is left.
  mutating func complete(fromPacket bytes: [UInt8]) {
    guard codecName == "ac3" || codecName == "eac3", bytes.count >= 8, bytes[0] == 0x0B,
      bytes[1] == 0x77
    else { return }
    // ETSI TS 102 366, 4.3 and E.1.2: the rate's code stands in the same place in both.
    let rates = [48_000, 44_100, 32_000]
    let code = Int(bytes[4] >> 6)
    if sampleRate == 0, code < 3 { sampleRate = rates[code] }
  }

  /// Samples at 48 kHz before the sound of an Opus stream (RFC 7845, 5.1); nil for other codecs.
  var opusPreSkip: Int64? {
    guard codecName == "opus", extradata.count >= 12, extradata.starts(with: Array("OpusHead".utf8))
    else { return nil }
    return Int64(extradata[10]) | Int64(extradata[11]) << 8
  }

  /// FFmpeg's name of the speaker layout, where libav has not read it but the codec's rules give it; nil where only
  /// the count is known.
  func layout(of description: SampleDescription?, in movie: [UInt8]) -> String? {
    if let channelLayout { return channelLayout }
    if channels == 1 { return "mono" }
    if channels == 2 { return "stereo" }
    let names: [Int: String]
    switch codecName {
    case "aac":
      // ISO/IEC 14496-3, table 1.19; configuration 7 as encoders mean it, not as the table has it.
      guard let configuration = AudioSpecificConfiguration(extradata),
        configuration.channelCount == channels
      else { return nil }
      let byConfiguration: [UInt8: String] = [
        3: "3.0", 4: "4.0", 5: "5.0", 6: "5.1", 7: "7.1", 11: "6.1(back)", 12: "7.1",
      ]
      return byConfiguration[configuration.channelConfiguration]
    case "opus", "vorbis":
      // RFC 7845, 5.1.1.2.
      names = [3: "3.0", 4: "quad", 5: "5.0", 6: "5.1", 7: "6.1", 8: "7.1"]
    case "flac":
      // RFC 9639, 9.1.3.
      names = [3: "3.0", 4: "quad", 5: "5.0(side)", 6: "5.1(side)", 7: "6.1", 8: "7.1"]
    case "ac3":
      guard let range = description?.payload(of: "dac3") else { return nil }
      return Self.layout(dac3: BitReader(movie, in: range))
    default: return nil
    }
    return names[channels]
  }

  /// The coding mode and the low-frequency bit of `dac3` (ETSI TS 102 366, F.4).
  private static func layout(dac3 bits: BitReader) -> String? {
    var bits = bits
    bits.skip(10)
    let mode = Int(bits.bits(3))
    let hasLowFrequency = bits.flag()
    guard !bits.isExhausted else { return nil }
    let plain = [nil, "mono", "stereo", "3.0", "3.0(back)", "4.0", "quad(side)", "5.0(side)"][mode]
    let low = [nil, nil, "2.1", "3.1", nil, "4.1", nil, "5.1(side)"][mode]
    return hasLowFrequency ? low : plain
  }
}
