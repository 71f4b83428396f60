/// Text as it is drawn into pictures: by Pango, with every script, right to left and emoji, in the fonts of the system.
///
/// What the font lacks comes from the others that are installed; what none has is drawn as a box, with the character's
/// number in it where there is a font for that. Without any font there is an error (`libraryMissing`).
///
/// Needs `libpangocairo-1.0` when it is drawn, which is loaded on first use; nothing else does.
public struct TextOverlay: Sendable, Hashable, Codable {
  /// The text; lines end with a line feed. Never more than 10 000 bytes of UTF-8.
  public var text: String
  /// Whether the text is Pango's markup, and an error (`invalidArgument`) where it is none; false: every character is drawn
  /// as it is.
  public var isMarkup = false
  /// The font by Pango's description without a size: families, then style, weight and stretch, such as "DejaVu Sans Bold".
  public var font = "Sans"
  /// The size of the font in pixels, 1 to 2000.
  public var size: Double
  /// The colour of the letters.
  public var color = Paint(.white)
  /// Where lines lie that are shorter than the others.
  public var alignment = Alignment.leading
  /// The width in pixels at which lines are wrapped and within which they are aligned; nil: that of the longest line.
  public var width: Int?
  /// Pixels between two lines, beyond the font's own.
  public var lineSpacing = 0.0
  /// A line around the letters.
  public var outline: Outline?
  /// The letters once more, beneath and to the side.
  public var shadow: Shadow?
  /// A box behind all lines.
  public var background: Background?

  /// White text of a size.
  public init(_ text: String, size: Double = 48) { (self.text, self.size) = (text, size) }

  /// A colour and how opaque it is.
  public struct Paint: Sendable, Hashable, Codable {
    /// The colour.
    public var color: VideoComposition.Color
    /// From 0 to 1.
    public var opacity: Double
    /// A colour.
    public init(_ color: VideoComposition.Color, opacity: Double = 1) { (self.color, self.opacity) = (color, opacity) }
  }

  /// Where lines lie within the width; leading is left, or right for text from right to left.
  public enum Alignment: String, Sendable, Hashable, Codable {
    /// Where reading begins.
    case leading
    /// In the middle.
    case center
    /// Where reading ends.
    case trailing
  }

  /// A line around letters.
  public struct Outline: Sendable, Hashable, Codable {
    /// Its width in pixels, outside of the letters.
    public var width: Double
    /// Its colour.
    public var color: Paint
    /// A line.
    public init(width: Double, color: Paint = Paint(.black)) { (self.width, self.color) = (width, color) }
  }

  /// A shadow with sharp edges.
  public struct Shadow: Sendable, Hashable, Codable {
    /// How far to the right, in pixels.
    public var x: Double
    /// How far down.
    public var y: Double
    /// Its colour.
    public var color: Paint
    /// A shadow.
    public init(x: Double, y: Double, color: Paint = Paint(.black, opacity: 0.5)) {
      (self.x, self.y, self.color) = (x, y, color)
    }
  }

  /// A box behind text.
  public struct Background: Sendable, Hashable, Codable {
    /// Its colour.
    public var color: Paint
    /// How far it reaches beyond the lines, in pixels.
    public var padding: Double
    /// The radius of its corners.
    public var cornerRadius: Double
    /// A box.
    public init(color: Paint, padding: Double = 0, cornerRadius: Double = 0) {
      (self.color, self.padding, self.cornerRadius) = (color, padding, cornerRadius)
    }
  }
}
