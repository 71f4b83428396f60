import LibAV

/// From the codec strings of RFC 6381 to FFmpeg's decoders.
enum CodecSupport {
  /// Whether a codec may be in a container of this kind, and this FFmpeg can decode it.
  static func canDecode(_ string: String, in container: ContainerSupport) -> Bool {
    guard let codec = codec(of: string) else { return false }
    guard container.codecs?.contains(codec) ?? true else { return false }
    return hasDecoder(codec)
  }

  static func hasDecoder(_ codec: String) -> Bool {
    switch codec {
    // FFmpeg's own AV1 decoder needs hardware that does the work.
    case "av1": ["libdav1d", "libaom-av1", "libgav1"].contains { Formats.hasDecoder(named: $0) }
    default: Formats.hasDecoder(codec: codec)
    }
  }

  /// FFmpeg's name of the codec that a string stands for; nil for an unknown or malformed one.
  static func codec(of string: String) -> String? {
    let parts = string.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard let first = parts.first else { return nil }
    switch first {
    case "avc1", "avc2", "avc3", "avc4":
      // Profile, constraints and level in six digits (RFC 6381, 3.3), or as two numbers in old files.
      let isDecimal = parts.count == 3 && parts.dropFirst().allSatisfy { Int($0) != nil }
      return parts.count == 1 || isDecimal || parts.count == 2 && isHexadecimal(parts[1], digits: 6)
        ? "h264" : nil
    case "mp4a", "mp4v", "enca", "encv": return registered(parts)
    default: break
    }
    return known[first] ?? known[first.lowercased()]
  }

  private static func isHexadecimal(_ text: String, digits: Int) -> Bool {
    text.utf8.count == digits && UInt32(text, radix: 16) != nil
  }

  /// `mp4a.40.2`: the object type of the MPEG-4 registration authority, and for MPEG-4 itself what is in it.
  private static func registered(_ parts: [String]) -> String? {
    guard parts[0] == "mp4a" || parts[0] == "mp4v" else { return nil }
    guard parts.count > 1 else { return parts[0] == "mp4a" ? "aac" : "mpeg4" }
    guard parts.count <= 3, isHexadecimal(parts[1], digits: 2) else { return nil }
    let objectType = UInt8(parts[1], radix: 16) ?? 0
    if objectType == 0x40 {
      guard parts.count == 3 else { return "aac" }
      // Audio object types of ISO/IEC 14496-3, table 1.17.
      switch Int(parts[2]) {
      case 1, 2, 3, 4, 5, 17, 23, 29, 39: return "aac"
      case 34: return "mp3"
      case 33: return "mp2"
      case 32: return "mp1"
      case 36: return "mp4als"
      // xHE-AAC: FFmpeg decodes it from 7.1 on (libavformat 61.7).
      case 42: return isAtLeast(major: 61, minor: 7) ? "aac" : nil
      default: return nil
      }
    }
    return objectTypes[objectType]
  }

  private static func isAtLeast(major: Int, minor: Int) -> Bool {
    let numbers = Formats.libavformatVersion.split(separator: ".").compactMap { Int($0) }
    guard numbers.count >= 2 else { return false }
    return (numbers[0], numbers[1]) >= (major, minor)
  }

  private static let objectTypes: [UInt8: String] = [
    0x20: "mpeg4", 0x21: "h264", 0x23: "hevc",
    0x60: "mpeg2video", 0x61: "mpeg2video", 0x62: "mpeg2video", 0x63: "mpeg2video",
    0x64: "mpeg2video", 0x65: "mpeg2video", 0x66: "aac", 0x67: "aac", 0x68: "aac", 0x69: "mp3",
    0x6A: "mpeg1video", 0x6B: "mp3", 0x6C: "mjpeg", 0x6D: "png", 0x6E: "jpeg2000",
    0xA5: "ac3", 0xA6: "eac3", 0xA9: "dts", 0xAA: "dts", 0xAB: "dts", 0xAC: "dts", 0xAD: "opus",
    0xAE: "ac4", 0xB1: "vp9", 0xDD: "vorbis", 0xE1: "qcelp",
  ]

  /// Sample entries of ISO media, Matroska's and Ogg's usual names, and the numbers of WAVE (RFC 2361).
  private static let known: [String: String] = [
    "hvc1": "hevc", "hev1": "hevc", "hvc2": "hevc", "hev2": "hevc", "dvh1": "hevc", "dvhe": "hevc",
    "dva1": "h264", "dvav": "h264", "av01": "av1", "dav1": "av1", "vp08": "vp8", "vp8": "vp8",
    "vp09": "vp9", "vp9": "vp9", "vp8.0": "vp8", "vp9.0": "vp9", "s263": "h263", "h263": "h263",
    "theora": "theora", "mjpa": "mjpeg", "mjpg": "mjpeg", "jpeg": "mjpeg", "mjp2": "jpeg2000",
    "apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores",
    "ap4x": "prores", "avdh": "dnxhd", "ffv1": "ffv1", "vc-1": "vc1",
    "ac-3": "ac3", "ec-3": "eac3", "ac-4": "ac4", "opus": "opus", "vorbis": "vorbis",
    "flac": "flac", "alac": "alac", "mp3": "mp3", ".mp3": "mp3", "samr": "amr_nb", "sawb": "amr_wb",
    "dtsc": "dts", "dtsh": "dts", "dtsl": "dts", "dtse": "dts", "mlpa": "truehd", "speex": "speex",
    "sowt": "pcm_s16le", "twos": "pcm_s16be", "lpcm": "pcm_s16le", "ipcm": "pcm_s16le",
    "fpcm": "pcm_f32le", "ulaw": "pcm_mulaw", "alaw": "pcm_alaw",
    "1": "pcm_s16le", "3": "pcm_f32le", "6": "pcm_alaw", "7": "pcm_mulaw", "55": "mp3",
    "wvtt": "webvtt", "tx3g": "mov_text", "stpp": "ttml", "c608": "eia_608",
  ]
}
