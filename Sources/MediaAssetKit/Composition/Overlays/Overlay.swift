public import FoundationEssentials

extension VideoComposition {
  /// A place in pixels, from the top left corner.
  public struct Point: Sendable, Hashable, Codable {
    /// To the right.
    public var x: Double
    /// Down.
    public var y: Double
    /// A place.
    public init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  /// A value that changes over time: evenly over ramps, held behind each.
  public struct Animated<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// What holds before the first change.
    public var initial: Value
    /// The changes, in order.
    public private(set) var ramps: [Ramp<Value>] = []

    /// A value that does not change.
    public init(_ initial: Value) { self.initial = initial }

    /// Sets the value from a time on, until the next change.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a time within a ramp.
    public mutating func set(_ value: Value, at time: MediaTime) throws {
      try setRamp(from: value, to: value, timeRange: MediaTimeRange(start: time, duration: .zero))
    }

    /// Changes the value evenly over a range.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is none or overlaps another ramp.
    public mutating func setRamp(from start: Value, to end: Value, timeRange: MediaTimeRange) throws {
      ramps = try ramps.adding(Ramp(start: start, end: end, timeRange: timeRange), to: "an overlay")
    }

    func value(at time: MediaTime, _ mix: (Value, Value, Double) -> Value) -> Value {
      ramps.value(at: time, default: initial, mix: mix)
    }
  }

  /// An image or a text over all layers, which may move, grow, turn and fade: what Core Animation's layers are used for.
  ///
  /// ```swift
  /// var title = VideoComposition.Overlay(text: TextOverlay("Day one", size: 96))
  /// title.position = .init(.init(x: 80, y: 600))
  /// try title.opacity.setRamp(from: 0, to: 1, timeRange: firstSecond)
  /// video.overlays.append(title)
  /// ```
  public struct Overlay: Sendable, Hashable, Codable {
    /// What is drawn.
    public enum Content: Sendable, Hashable, Codable {
      /// Text.
      case text(TextOverlay)
      /// The first picture of a file, as large as it is, upright.
      case image(URL)
    }

    /// What is drawn.
    public var content: Content
    /// When; nil: all the time.
    public var timeRange: MediaTimeRange?
    /// Where its top left corner lies while it is neither scaled nor turned, in pixels of the output; of text that of the
    /// lines' box with its padding.
    public var position = Animated(Point(x: 0, y: 0))
    /// The size that an image is brought to first; nil: as large as it is. Texts have their own.
    public var size: PixelSize?
    /// How much larger it is, around its middle.
    public var scale = Animated(1.0)
    /// By how many degrees it is turned clockwise, around its middle.
    public var rotation = Animated(0.0)
    /// From 0 to 1.
    public var opacity = Animated(1.0)
    /// How its colours and those below become one.
    public var blendMode = BlendMode.normal

    /// Text in the top left corner.
    public init(text: TextOverlay) { content = .text(text) }
    /// An image in the top left corner.
    public init(image: URL) { content = .image(image) }

    func isShown(at time: MediaTime) -> Bool { timeRange?.containsTime(time) ?? true }
    func isOver(at time: MediaTime) -> Bool { timeRange.map { $0.end <= time } ?? false }

    /// The map of its box to the output.
    func transform(at time: MediaTime, box: PixelSize) -> PictureTransform {
      let place = position.value(at: time) { from, to, share in
        Point(x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share)
      }
      let (scale, angle) = (scale.value(at: time), rotation.value(at: time))
      let shift = PictureTransform.translation(x: place.x, y: place.y)
      guard scale != 1 || angle != 0 else { return shift }
      let (x, y) = (Double(box.width) / 2, Double(box.height) / 2)
      return PictureTransform.translation(x: -x, y: -y).concatenating(.scale(x: scale, y: scale))
        .concatenating(.rotation(degrees: angle)).concatenating(.translation(x: x, y: y)).concatenating(shift)
    }

    /// What can't be drawn.
    var defect: String? {
      let numbers =
        scale.numbers + rotation.numbers + opacity.numbers
        + ([position.initial] + position.ramps.flatMap { [$0.start, $0.end] }).flatMap { [$0.x, $0.y] }
      if !numbers.allSatisfy({ $0.isFinite && abs($0) < 1e6 }) { return "is at no place of numbers" }
      if !opacity.numbers.allSatisfy((0...1).contains) { return "has an opacity outside 0 to 1" }
      if !scale.numbers.allSatisfy({ $0 >= 0 }) { return "has a scale below 0" }
      if let size, size.width < 1 || size.height < 1 || size.width > 1 << 15 || size.height > 1 << 15 {
        return "has the size \(size)"
      }
      if let timeRange, !timeRange.isNumeric { return "has the range \(timeRange)" }
      return nil
    }
  }
}

extension VideoComposition.Animated where Value == Double {
  func value(at time: MediaTime) -> Double { value(at: time) { $0 + ($1 - $0) * $2 } }
  var numbers: [Double] { [initial] + ramps.flatMap { [$0.start, $0.end] } }
}

extension Array {
  /// What ramps in order give at a time.
  func value<Value>(
    at time: MediaTime, default start: Value, mix: (Value, Value, Double) -> Value
  ) -> Value where Element == VideoComposition.Ramp<Value> {
    guard let ramp = last(where: { $0.timeRange.start <= time }) else { return start }
    let share = ramp.share(at: time)
    return share >= 1 ? ramp.end : share <= 0 ? ramp.start : mix(ramp.start, ramp.end, share)
  }

  /// The ramps with another one at its place.
  func adding<Value>(
    _ ramp: VideoComposition.Ramp<Value>, to subject: String
  ) throws -> Self where Element == VideoComposition.Ramp<Value> {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "compose", subject: subject, reason: reason)
    }
    guard ramp.timeRange.isNumeric else { throw refuse("\(ramp.timeRange) is no range of time") }
    var others = self
    if ramp.timeRange.isEmpty {
      others.removeAll { $0.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start }
    }
    if let other = others.first(where: { $0.overlaps(ramp) }) {
      throw refuse("a ramp over \(ramp.timeRange) overlaps the one over \(other.timeRange)")
    }
    others.insert(ramp, at: others.firstIndex { $0.timeRange.start > ramp.timeRange.start } ?? others.endIndex)
    return others
  }
}
