extension Timeline {
  /// An image or a text over the pictures.
  public struct Overlay: Sendable, Hashable, Codable {
    /// The image's file; nil for a text.
    public var image: String?
    /// The text; nil for an image.
    public var text: Text?
    /// Where. Texts have no width or height there.
    public var place: Place?
    /// From this time; nil: the beginning.
    public var from: Time?
    /// Before this time; nil: the end of the pictures.
    public var to: Time?
    /// Changes of its opacity.
    public var opacity: [Change]?
    /// Changes of its place, from that of `place` on.
    public var position: [Move]?
    /// Changes of how much larger it is, around its middle.
    public var scale: [Change]?
    /// Changes of the degrees by which it is turned clockwise, around its middle.
    public var rotation: [Change]?
    /// How its colours and those below become one.
    public var blend: BlendMode?

    /// An image at a place, all the time.
    public init(image: String, place: Place? = nil) { (self.image, self.place) = (image, place) }
    /// A text at a place, all the time.
    public init(text: Text, place: Place? = nil) { (self.text, self.place) = (text, place) }

    var moves: Bool {
      text != nil || blend != nil || position?.isEmpty == false || scale?.isEmpty == false || rotation?.isEmpty == false
    }
  }

  /// A change of place: at once (`at` and `value`), or even from `from` to `to` (`start` and `end`); places are two numbers.
  public struct Move: Sendable, Hashable, Codable {
    /// When it changes at once.
    public var at: Time?
    /// To where.
    public var value: [Double]?
    /// When an even change begins.
    public var from: Time?
    /// When it ends.
    public var to: Time?
    /// Where it begins.
    public var start: [Double]?
    /// Where it ends.
    public var end: [Double]?

    /// A change at once.
    public init(at: Time, value: [Double]) { (self.at, self.value) = (at, value) }
    /// An even change.
    public init(from: Time, to: Time, start: [Double], end: [Double]) {
      (self.from, self.to, self.start, self.end) = (from, to, start, end)
    }
  }

  /// Text, as ``TextOverlay`` has it; colours are `#rrggbb` or `#rrggbbaa`.
  public struct Text: Sendable, Hashable, Codable {
    /// The text.
    public var string: String
    /// Whether it is Pango's markup.
    public var markup: Bool?
    /// The font, without a size.
    public var font: String?
    /// The size in pixels; nil: 48.
    public var size: Double?
    /// The colour; nil: white.
    public var color: String?
    /// Where short lines lie.
    public var align: TextOverlay.Alignment?
    /// The width at which lines are wrapped.
    public var width: Int?
    /// Pixels between lines.
    public var lineSpacing: Double?
    /// A line around the letters.
    public var outline: Edge?
    /// A shadow.
    public var shadow: Shade?
    /// A box behind.
    public var background: Box?

    /// White text.
    public init(_ string: String) { self.string = string }

    /// A line around letters.
    public struct Edge: Sendable, Hashable, Codable {
      /// Its width in pixels.
      public var width: Double
      /// Its colour; nil: black.
      public var color: String?
    }
    /// A shadow.
    public struct Shade: Sendable, Hashable, Codable {
      /// To the right.
      public var x: Double
      /// Down.
      public var y: Double
      /// Its colour; nil: half-opaque black.
      public var color: String?
    }
    /// A box.
    public struct Box: Sendable, Hashable, Codable {
      /// Its colour.
      public var color: String
      /// How far it reaches beyond the lines.
      public var padding: Double?
      /// The radius of its corners.
      public var cornerRadius: Double?
    }
  }
}

extension Timeline.Text {
  func overlay() throws -> TextOverlay {
    var made = TextOverlay(string, size: size ?? 48)
    made.isMarkup = markup ?? false
    if let font { made.font = font }
    if let color { made.color = try Self.paint(color) }
    made.alignment = align ?? .leading
    made.width = width
    made.lineSpacing = lineSpacing ?? 0
    made.outline = try outline.map { .init(width: $0.width, color: try Self.paint($0.color ?? "#000000")) }
    made.shadow = try shadow.map { .init(x: $0.x, y: $0.y, color: try Self.paint($0.color ?? "#00000080")) }
    made.background = try background.map {
      .init(color: try Self.paint($0.color), padding: $0.padding ?? 0, cornerRadius: $0.cornerRadius ?? 0)
    }
    return made
  }

  /// A colour from `#rrggbb` or `#rrggbbaa`.
  static func paint(_ text: String) throws -> TextOverlay.Paint {
    let digits = text.dropFirst()
    guard text.hasPrefix("#"), [6, 8].contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit),
      let value = UInt32(digits.utf8.count == 6 ? digits + "ff" : digits, radix: 16)
    else {
      throw MediaError(
        .invalidArgument, operation: "compose", subject: "a timeline",
        reason: "“\(text)” is no colour such as #ff8000 or #ff800080")
    }
    func part(_ shift: UInt32) -> Double { Double(value >> shift & 255) / 255 }
    return .init(.init(red: part(24), green: part(16), blue: part(8)), opacity: part(0))
  }
}
