import LibAV

/// How a track's text is coded, and what of it a decoder of libavcodec takes.
struct TextCoding: Sendable {
  /// FFmpeg's name of the decoder.
  var codec: String
  var extradata: [UInt8] = []
  /// WebVTT in boxes (ISO/IEC 14496-30), which libav hands out as they are.
  var isBoxed = false
  /// QuickTime and 3GPP text: a length, the text, boxes of styles.
  var isTimedText = false
  /// Captions build up from many packets.
  var isStateful: Bool { codec == "eia_608" }

  init(codec: String, extradata: [UInt8], isBoxed: Bool, isTimedText: Bool) {
    self.codec = codec
    self.extradata = extradata
    self.isBoxed = isBoxed
    self.isTimedText = isTimedText
  }

  /// - Throws: `operationNotSupported` for subtitles that are pictures, `decoderNotFound`.
  init(_ track: AssetTrack) throws {
    let fourCC = track.track.fourCharacterCode
    if fourCC == "wvtt" {
      (codec, isBoxed) = ("webvtt", true)
      return
    }
    guard let name = track.track.stream?.codecName ?? track.track.codec,
      let isPicture = SubtitleDecoder.storesPictures(codec: name)
    else {
      throw MediaError(
        .decoderNotFound, operation: "decode", subject: track.subject,
        reason: "FFmpeg has no decoder for \(fourCC ?? "its text")", remedy: "Read its samples as stored")
    }
    guard !isPicture else {
      throw MediaError(
        .operationNotSupported, operation: "decode", subject: track.subject,
        reason: "its subtitles (\(name)) are pictures, not text")
    }
    guard Formats.hasDecoder(codec: name) else {
      throw MediaError(
        .decoderNotFound, operation: "decode", subject: track.subject,
        reason: "this FFmpeg has no decoder for \(name)", remedy: "Read its samples as stored")
    }
    codec = name
    isTimedText = name == "mov_text"
    extradata = track.track.stream?.extradata ?? []
  }

  /// What the decoder is given of a packet, one entry a cue; one empty entry for a gap.
  func payloads(_ bytes: [UInt8]) -> [[UInt8]] {
    if isBoxed { return Self.boxedCues(bytes) }
    return [isTimedText ? Self.timedText(bytes) : bytes].filter { !$0.isEmpty }
  }

  /// The text of every `vttc` box; none for `vtte`.
  private static func boxedCues(_ bytes: [UInt8]) -> [[UInt8]] {
    boxes(bytes, 0..<bytes.count).filter { $0.type == "vttc" }.flatMap { cue in
      boxes(bytes, cue.range).filter { $0.type == "payl" && !$0.range.isEmpty }.map { Array(bytes[$0.range]) }
    }
  }

  private static func boxes(_ bytes: [UInt8], _ range: Range<Int>) -> [(type: String, range: Range<Int>)] {
    var list: [(String, Range<Int>)] = []
    var position = range.lowerBound
    while range.upperBound - position >= 8 {
      let size = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
      guard size >= 8, size <= range.upperBound - position else { break }
      let type = String(decoding: bytes[position + 4..<position + 8], as: UTF8.self)
      list.append((type, position + 8..<position + size))
      position += size
    }
    return list
  }

  /// 3GPP text may be UTF-16 (TS 26.245, 5.2), which libav takes for UTF-8; its styles count other units then.
  private static func timedText(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 4 else { return [] }
    let length = min(bytes.count - 2, Int(bytes[0]) << 8 | Int(bytes[1]))
    guard length > 0 else { return [] }
    guard length >= 2, let isBig = [[0xFE, 0xFF]: true, [0xFF, 0xFE]: false][Array(bytes[2..<4])] else {
      return bytes
    }
    let units = stride(from: 4, to: 2 + length - 1, by: 2).map { index in
      let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
      return isBig ? first << 8 | second : second << 8 | first
    }
    let text = Array(String(decoding: units, as: UTF16.self).utf8.prefix(0xFFFF))
    return [UInt8(text.count >> 8), UInt8(text.count & 0xFF)] + text
  }

  /// A decoder's event as text. Braces of codings that know no tags are text, which ASS writes as `\{`.
  func event(_ bytes: [UInt8]) -> String {
    var text = Self.string(bytes)
    guard !["ass", "ssa"].contains(codec) else { return text }
    // Later FFmpegs put an empty tag behind an escaped brace, and a word joiner behind a backslash that is text.
    text = text.replacing("\\{{}", with: "\\{").replacing("\\\u{2060}", with: "\\")
    guard text.contains("{") else { return text }
    var escaped = ""
    var rest = text[...]
    while let brace = rest.firstIndex(of: "{") {
      let next = rest.index(after: brace)
      escaped += rest[..<brace]
      let isEscaped = escaped.hasSuffix("\\")
      escaped += isEscaped || next < rest.endIndex && rest[next] == "\\" ? "{" : "\\{"
      rest = rest[next...]
    }
    return escaped + rest
  }

  /// Text that is no UTF-8 is taken for Windows-1252, in which most old subtitles are.
  static func string(_ bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    for byte in bytes {
      let scalar = (0x80...0x9F).contains(byte) ? windows[Int(byte) - 0x80] : Unicode.Scalar(byte)
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  private static let windows: [Unicode.Scalar] = [
    "€", "\u{81}", "‚", "ƒ", "„", "…", "†", "‡", "ˆ", "‰", "Š", "‹", "Œ", "\u{8D}", "Ž", "\u{8F}", "\u{90}", "‘", "’",
    "“", "”", "•", "–", "—", "˜", "™", "š", "›", "œ", "\u{9D}", "ž", "Ÿ",
  ]
}
