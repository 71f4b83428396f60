/// What a file's first bytes say of it.
enum MediaSignature: Equatable {
  case media(MediaLibrary.Kind)
  /// Media of some kind; its header tells.
  case container
  case nothing

  /// How many bytes are looked at: three packets of a transport stream, and MPEG sound's first two frames.
  static let length = 4096

  init(_ head: [UInt8]) {
    func has(_ text: String, at offset: Int = 0) -> Bool {
      head.dropFirst(offset).starts(with: text.utf8)
    }
    func has(_ bytes: [UInt8], at offset: Int = 0) -> Bool {
      head.dropFirst(offset).starts(with: bytes)
    }

    if has("ftyp", at: 4) {
      // The major brand; one of a picture's may also be among the compatible ones of a video.
      let brand = String(decoding: head.dropFirst(8).prefix(4), as: UTF8.self)
      switch brand {
      case "heic", "heix", "heim", "heis", "mif1", "msf1", "hevc", "avif", "avis":
        self = .media(.image)
      case "M4A ", "M4B ", "M4P ": self = .media(.audio)
      default: self = .container
      }
    } else if ["moov", "mdat", "wide", "pnot"].contains(where: { has($0, at: 4) })
      || has([0x1A, 0x45, 0xDF, 0xA3]) || has("OggS") || has([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66])
      || Self.isTransportStream(head)
    {
      self = .container
    } else if (has("RIFF") || has("RF64")) && has("WAVE", at: 8)
      || has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8))
      || ["fLaC", "ID3", "caff", "#!AMR", ".snd", "wvpk", "MAC ", "TTA1", "MPCK"].contains(
        where: { has($0) })
      || has([0x0B, 0x77]) && head.count > 64 || has([0x7F, 0xFE, 0x80, 0x01])
      || Self.isMPEGSound(head)
    {
      self = .media(.audio)
    } else if has("RIFF") && has("AVI ", at: 8) || has([0, 0, 1, 0xBA]) || has([0, 0, 1, 0xB3])
      || has("YUV4MPEG2 ") || has("DKIF")
    {
      self = .media(.video)
    } else if has("FLV\u{1}") && head.count > 4 {
      self = .media(head[4] & 1 == 1 ? .video : .audio)
    } else if has("RIFF") && has("WEBP", at: 8) || has("GIF8") || has([0xFF, 0xD8, 0xFF])
      || has([0x89, 0x50, 0x4E, 0x47]) || has([0x49, 0x49, 0x2A, 0]) || has([0x4D, 0x4D, 0, 0x2A])
      || has("BM") && [12, 40, 108, 124].contains(head.dropFirst(14).first ?? 0)
      || has([0xFF, 0x0A]) || has("JXL ", at: 4) || has("jP  ", at: 4)
    {
      self = .media(.image)
    } else {
      self = .nothing
    }
  }

  /// ISO/IEC 13818-1: 0x47 every 188 bytes, behind four more bytes each on Blu-ray.
  private static func isTransportStream(_ head: [UInt8]) -> Bool {
    [(0, 188), (4, 192)].contains { first, step in
      head.count >= first + 3 * step
        && (0..<3).allSatisfy { head[first + $0 * step] == 0x47 }
    }
  }

  /// Two frames of MPEG sound in a row, since twelve bits alone occur by chance.
  private static func isMPEGSound(_ head: [UInt8]) -> Bool {
    guard let length = frameLength(head[...]), length < head.count else { return false }
    return frameLength(head[length...]) != nil
  }

  /// The length of a frame of ADTS (ISO/IEC 13818-7, 6.2) or of layer III (ISO/IEC 11172-3, 2.4.2.3).
  private static func frameLength(_ bytes: ArraySlice<UInt8>) -> Int? {
    let head = Array(bytes.prefix(6))
    guard head.count == 6, head[0] == 0xFF else { return nil }
    if head[1] & 0xF6 == 0xF0 {
      let length = Int(head[3] & 3) << 11 | Int(head[4]) << 3 | Int(head[5]) >> 5
      return length > 7 && head[2] >> 2 & 15 < 13 ? length : nil
    }
    guard head[1] & 0xE6 == 0xE2, head[1] & 0x18 != 0x08 else { return nil }
    let isVersion1 = head[1] & 0x18 == 0x18
    let rates =
      isVersion1
      ? [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
      : [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
    let (rate, frequency) = (Int(head[2] >> 4), Int(head[2] >> 2 & 3))
    guard (1..<15).contains(rate), frequency < 3 else { return nil }
    let halvings = isVersion1 ? 1 : head[1] & 0x18 == 0x10 ? 2 : 4
    let samplingFrequency = [44_100, 48_000, 32_000][frequency] / halvings
    let padding = Int(head[2] >> 1 & 1)
    return (isVersion1 ? 144 : 72) * rates[rate] * 1000 / samplingFrequency + padding
  }
}
