import ISOMedia
import LibAV

/// RFC 6381 codec strings for containers other than ISO media: the same configuration bytes, other wrapping.
enum CodecStrings {
  static func string(for stream: StreamInfo) -> String? {
    let bytes = stream.extradata
    switch stream.codecName {
    case "h264":
      if let configuration = AVCConfiguration(bytes) { return configuration.codecString() }
      // Annex B: the first sequence parameter set, behind its start code.
      return nal(in: bytes) { $0 & 0x1F == 7 }.flatMap {
        AVCSequenceParameters(nalUnit: bytes, in: $0)
      }.map {
        "avc1." + hex($0.profile) + hex($0.constraints) + hex($0.level)
      }
    case "hevc": return ParameterSets.hevc(bytes)?.codecString()
    case "av1": return AV1Configuration(bytes)?.codecString()
    case "vp9": return (VPConfiguration(matroska: bytes) ?? VPConfiguration(bytes))?.codecString()
    case "vp8": return "vp8"
    case "aac": return AudioSpecificConfiguration(bytes)?.codecString ?? "mp4a.40.2"
    case "mp3": return "mp4a.6B"
    case "mp2": return "mp4a.6B"
    case "ac3": return "ac-3"
    case "eac3": return "ec-3"
    case "opus": return "opus"
    case "vorbis": return "vorbis"
    case "flac": return "flac"
    case "alac": return "alac"
    default: return nil
    }
  }

  private static func hex(_ byte: UInt8) -> String {
    let text = String(byte, radix: 16, uppercase: true)
    return byte < 16 ? "0" + text : text
  }

  /// The first NAL unit of a kind in a byte stream (H.264 and HEVC Annex B).
  static func nal(in bytes: [UInt8], where isWanted: (UInt8) -> Bool) -> Range<Int>? {
    var index = 0
    var start: Int?
    while index + 2 < bytes.count {
      if bytes[index] == 0, bytes[index + 1] == 0, bytes[index + 2] == 1 {
        if let start, start < index, isWanted(bytes[start]) { return start..<index }
        start = index + 3
        index += 3
      } else {
        index += 1
      }
    }
    if let start, start < bytes.count, isWanted(bytes[start]) { return start..<bytes.count }
    return nil
  }
}
