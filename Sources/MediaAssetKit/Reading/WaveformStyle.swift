/// How a waveform is drawn.
public struct WaveformStyle: Sendable, Hashable {
  /// Which way the picture stands out.
  public enum Appearance: String, Sendable, Hashable, CaseIterable {
    /// Dark shapes on white.
    case light
    /// Light shapes on near black.
    case dark
  }

  /// What stands for the sound.
  public enum Shape: String, Sendable, Hashable, CaseIterable {
    /// A filled outline of the peaks, the effective value darker inside it.
    case filled
    /// Bars with round ends.
    case bars
  }

  /// Pixels in a row, at least 1.
  public var width: Int
  /// Rows, at least 1.
  public var height: Int
  /// The shape.
  public var shape: Shape
  /// Behind everything.
  public var background: MediaImage.RGBA
  /// The peaks.
  public var foreground: MediaImage.RGBA
  /// The effective value, drawn over the peaks of a filled shape.
  public var accent: MediaImage.RGBA
  /// The line at zero.
  public var centerLine: MediaImage.RGBA
  /// Pixels left free at every edge.
  public var padding: Int
  /// Pixels from bar to bar, at least the width of one.
  public var barSpacing: Int
  /// A bar's own width.
  public var barWidth: Int

  /// A style of one of the appearances; padding is a fifteenth of the height, at most 24 pixels.
  public init(
    width: Int, height: Int, appearance: Appearance = .light, shape: Shape = .filled
  ) {
    self.width = width
    self.height = height
    self.shape = shape
    padding = min(24, max(0, height) / 15)
    barWidth = 4
    barSpacing = 6
    switch appearance {
    case .light:
      background = .white
      foreground = MediaImage.RGBA(red: 0x8F, green: 0xB8, blue: 0xF6)
      accent = MediaImage.RGBA(red: 0x25, green: 0x63, blue: 0xEB)
      centerLine = MediaImage.RGBA(red: 0xD5, green: 0xDB, blue: 0xE3)
    case .dark:
      background = MediaImage.RGBA(red: 0x10, green: 0x14, blue: 0x1B)
      foreground = MediaImage.RGBA(red: 0x2F, green: 0x62, blue: 0xB8)
      accent = MediaImage.RGBA(red: 0x8C, green: 0xBB, blue: 0xFF)
      centerLine = MediaImage.RGBA(red: 0x2B, green: 0x33, blue: 0x3F)
    }
  }
}
