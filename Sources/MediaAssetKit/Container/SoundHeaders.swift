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
}
