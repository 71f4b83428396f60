/// One subtitle or caption: text and when it is on show.
///
/// Of AVFoundation's captions (`AVCaption` and its groups, conformers and renderers, for SCC and iTT files) this is what
/// applies here: text in SRT, WebVTT, ASS and MP4, read and written. Regions, ruby and conversions to CEA-608 are left out.
public struct TextCue: Sendable, Hashable {
  /// When it appears, on the asset's timeline.
  public var time: MediaTime
  /// How long it is on show.
  public var duration: MediaTime
  /// The text without any style, lines divided by `\n`.
  public var text: String
  /// The text with override tags as ASS has them (`{\i1}…{\i0}`, `\N` between lines).
  public var styledText: String
  /// ASS: what is drawn above what.
  public var layer: Int
  /// ASS: the name of the style; `Default` mostly.
  public var style: String
  /// ASS: name, left, right and vertical margin, effect, as they stand in an event; `,0,0,0,` mostly.
  public var placement: String

  /// When it disappears.
  public var end: MediaTime { time + duration }

  /// A cue of plain text.
  public init(time: MediaTime, duration: MediaTime, text: String) {
    self.init(
      time: time, duration: duration,
      styledText: text.replacing("{", with: "\\{").replacing("\n", with: "\\N"), layer: 0, style: "Default",
      placement: ",0,0,0,")
  }

  init(
    time: MediaTime, duration: MediaTime, styledText: String, layer: Int, style: String, placement: String
  ) {
    self.time = time
    self.duration = duration
    self.styledText = styledText
    self.layer = layer
    self.style = style
    self.placement = placement
    text = StyledText(styledText).plain
  }

  /// Of an event `ReadOrder,Layer,Style,Name,MarginL,MarginR,MarginV,Effect,Text`; nil when it is none.
  init?(event: String, time: MediaTime, duration: MediaTime) {
    let fields = event.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
    guard fields.count == 9 else { return nil }
    self.init(
      time: time, duration: duration, styledText: String(fields[8]), layer: Int(fields[1]) ?? 0,
      style: fields[2].isEmpty ? "Default" : String(fields[2]), placement: fields[3...7].joined(separator: ","))
  }

  /// Whether nothing would be seen.
  public var isEmpty: Bool { text.allSatisfy(\.isWhitespace) }

  /// The same cue at another time.
  func retimed(_ time: MediaTime, _ duration: MediaTime) -> TextCue {
    var copy = self
    copy.time = time
    copy.duration = duration
    return copy
  }
}

/// ASS text cut into runs with the styles that SRT and WebVTT have as well.
struct StyledText {
  struct Style: Hashable {
    var isBold = false
    var isItalic = false
    var isUnderlined = false
    /// `#rrggbb`.
    var colour: String?
  }

  private(set) var runs: [(text: String, style: Style)] = []

  /// Tags are read once from left to right; unknown ones are left out.
  init(_ source: String) {
    var style = Style()
    var text = ""
    var isDrawing = false
    var rest = source.unicodeScalars[...]
    func flush(_ runs: inout [(text: String, style: Style)]) {
      if !text.isEmpty { runs.append((text, style)) }
      text = ""
    }
    while let scalar = rest.popFirst() {
      switch scalar {
      case "{":
        // An opening brace that nothing closes is text.
        guard rest.first == "\\" || rest.contains("}"), let close = rest.firstIndex(of: "}") else {
          text.unicodeScalars.append(scalar)
          continue
        }
        flush(&runs)
        let tags = String(rest[..<close])
        rest = rest[rest.index(after: close)...]
        Self.apply(tags, to: &style, &isDrawing)
      case "\\":
        switch rest.first {
        case "N"?, "n"?:
          rest.removeFirst()
          if !isDrawing { text += "\n" }
        case "h"?:
          rest.removeFirst()
          if !isDrawing { text += "\u{A0}" }
        case "{"?, "}"?:
          if let brace = rest.popFirst(), !isDrawing { text.unicodeScalars.append(brace) }
        default: if !isDrawing { text.unicodeScalars.append(scalar) }
        }
      case "\r": continue
      default: if !isDrawing { text.unicodeScalars.append(scalar) }
      }
    }
    flush(&runs)
  }

  var plain: String { runs.map(\.text).joined() }

  private static func apply(_ tags: String, to style: inout Style, _ isDrawing: inout Bool) {
    for tag in tags.split(separator: "\\").dropFirst(tags.hasPrefix("\\") ? 0 : 1) {
      switch tag {
      case "i1": style.isItalic = true
      case "i0", "i": style.isItalic = false
      case "b0", "b": style.isBold = false
      case "u1": style.isUnderlined = true
      case "u0", "u": style.isUnderlined = false
      case "r": style = Style()
      case "c", "1c": style.colour = nil
      default:
        if tag.first == "b", let weight = Int(tag.dropFirst()) { style.isBold = weight == 1 || weight >= 600 }
        if tag.first == "p", let scale = Int(tag.dropFirst()) { isDrawing = scale > 0 }
        let colour = tag.hasPrefix("1c&H") ? tag.dropFirst(4) : tag.hasPrefix("c&H") ? tag.dropFirst(3) : nil
        if let colour { style.colour = hexadecimal(colour.prefix { $0 != "&" }) }
        if tag.first == "r", tag.count > 1 { style = Style() }
      }
    }
  }

  /// `BBGGRR` to `#rrggbb`; nil for white, which is the default.
  private static func hexadecimal(_ text: Substring) -> String? {
    guard let value = UInt32(text, radix: 16) else { return nil }
    let turned = value << 16 & 0xFF0000 | value & 0xFF00 | value >> 16 & 0xFF
    guard turned != 0xFFFFFF else { return nil }
    let digits = String(turned, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }
}
