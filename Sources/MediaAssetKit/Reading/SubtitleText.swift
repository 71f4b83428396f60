/// Cues as the text of a subtitle file.
public struct SubtitleText: Sendable, Hashable {
  /// A kind of subtitle file.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// SubRip: times to the millisecond; bold, italic, underlined and colours.
    case srt
    /// WebVTT: times to the millisecond; bold, italic and underlined.
    case vtt
    /// Advanced SubStation Alpha: times to the hundredth of a second; every style.
    case ass
  }

  /// The cues, in any order.
  public var cues: [TextCue]
  /// The head of an ASS file with the styles that cues name; a plain one when empty.
  public var header: String

  /// A text of given cues.
  public init(cues: [TextCue], header: String = "") {
    self.cues = cues
    self.header = header
  }

  /// The whole file: UTF-8 without a byte order mark, lines ended by `\n`, cues in order of time. Cues that overlap stay
  /// as they are, empty ones are left out, times are rounded to nearest.
  public func text(as format: Format) -> String {
    let shown = cues.filter { !$0.isEmpty && $0.duration > .zero }
    let ordered = shown.enumerated().sorted { left, right in
      left.element.time == right.element.time ? left.offset < right.offset : left.element.time < right.element.time
    }.map(\.element)
    switch format {
    case .srt:
      return ordered.enumerated().map { number, cue in
        "\(number + 1)\n\(Self.clock(cue.time, ",")) --> \(Self.clock(cue.end, ","))\n\(Self.srt(cue))\n\n"
      }.joined()
    case .vtt:
      return "WEBVTT\n\n"
        + ordered.map {
          "\(Self.clock($0.time, ".")) --> \(Self.clock($0.end, "."))\n\(Self.vtt($0))\n\n"
        }.joined()
    case .ass: return ass(ordered)
    }
  }

  // MARK: - Text

  private static func srt(_ cue: TextCue) -> String {
    lines(
      StyledText(cue.styledText).runs.map { run in
        var text = run.text
        if run.style.isUnderlined { text = "<u>\(text)</u>" }
        if run.style.isItalic { text = "<i>\(text)</i>" }
        if run.style.isBold { text = "<b>\(text)</b>" }
        if let colour = run.style.colour { text = "<font color=\"\(colour)\">\(text)</font>" }
        return text
      }.joined())
  }

  private static func vtt(_ cue: TextCue) -> String {
    lines(
      StyledText(cue.styledText).runs.map { run in
        var text = run.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        if run.style.isUnderlined { text = "<u>\(text)</u>" }
        if run.style.isItalic { text = "<i>\(text)</i>" }
        if run.style.isBold { text = "<b>\(text)</b>" }
        return text
      }.joined())
  }

  /// An empty line would end the cue.
  private static func lines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: true).joined(separator: "\n")
  }

  private func ass(_ ordered: [TextCue]) -> String {
    var head = header.replacing("\r\n", with: "\n")
    // A header may end with events of its own, which are the stream's.
    if let events = head.firstRange(of: "[Events]") { head = String(head[..<events.lowerBound]) }
    if head.allSatisfy(\.isWhitespace) {
      head = """
        [Script Info]
        ScriptType: v4.00+
        PlayResX: 384
        PlayResY: 288

        [V4+ Styles]
        Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, \
        Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, \
        MarginV, Encoding
        Style: Default,Arial,16,&Hffffff,&Hffffff,&H0,&H0,0,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1


        """
    }
    while head.hasSuffix("\n\n") { head.removeLast() }
    if !head.hasSuffix("\n") { head += "\n" }
    head += "\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    return head
      + ordered.map { cue in
        let text = cue.styledText.replacing("\r", with: "").replacing("\n", with: "\\N")
        return
          "Dialogue: \(cue.layer),\(Self.hundredths(cue.time)),\(Self.hundredths(cue.end)),\(cue.style),"
          + "\(cue.placement),\(text)\n"
      }.joined()
  }

  // MARK: - Times

  private static func clock(_ time: MediaTime, _ point: String) -> String {
    let total = max(0, time.convertScale(1000, method: .roundHalfAwayFromZero).value)
    let seconds = total / 1000
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))\(point)\(three(total % 1000))"
  }

  private static func hundredths(_ time: MediaTime) -> String {
    let total = max(0, time.convertScale(100, method: .roundHalfAwayFromZero).value)
    let seconds = total / 100
    return "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60)).\(two(total % 100))"
  }

  private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
  private static func three(_ value: Int64) -> String {
    value < 10 ? "00\(value)" : value < 100 ? "0\(value)" : "\(value)"
  }
}

extension AssetTrack {
  /// All cues of a text track, or of the captions in a video track's pictures, as a subtitle file has them.
  ///
  /// - Throws: ``MediaError``: `noSourceTrack` for other tracks, `operationNotSupported` for subtitles that are pictures,
  ///   `decoderNotFound`, `limitExceeded` for text that is larger than any subtitles, and what reading throws.
  public func subtitleText(in range: MediaTimeRange? = nil) async throws -> SubtitleText {
    guard mediaType.holdsText || mediaType == .video else {
      throw MediaError(.noSourceTrack, operation: "decode", subject: subject, reason: "it holds no text")
    }
    let run = try await TextRun(
      track: self, range: range ?? MediaTimeRange(start: .zero, duration: .positiveInfinity))
    var text = SubtitleText(cues: [])
    var size = 0
    while let cue = try await run.nextCue() {
      size += cue.styledText.utf8.count + 64
      guard size <= Self.maximumTextBytes else {
        throw MediaError(
          .limitExceeded, operation: "decode", subject: subject,
          reason: "its text is larger than \(Self.maximumTextBytes >> 20) MiB", remedy: "Read it cue by cue")
      }
      text.cues.append(cue)
    }
    text.header = try await run.header()
    return text
  }

  private static var maximumTextBytes: Int { 64 << 20 }
}
