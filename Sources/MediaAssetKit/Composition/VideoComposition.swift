/// How the pictures of several tracks become one, over time.
///
/// ```swift
/// var video = try await VideoComposition(propertiesOf: film)
/// var layer = VideoComposition.LayerInstruction(trackID: 2)
/// try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range)
/// video.instructions[0].layerInstructions.insert(layer, at: 0)
/// ```
public struct VideoComposition: Sendable, Hashable, Codable {
  /// The size of the pictures that come out, in square pixels.
  public var renderSize: PixelSize
  /// The time of one picture; invalid: a picture for every change of a source.
  public var frameDuration: MediaTime
  /// What is drawn when: in order, each beginning where the one before ends.
  public var instructions: [Instruction]
  /// The colour tags of the pictures that come out; what is nil follows the first source.
  public var colour: ColourProperties

  /// A composition of given parts.
  public init(
    renderSize: PixelSize, frameDuration: MediaTime = .invalid, instructions: [Instruction] = [],
    colour: ColourProperties = ColourProperties()
  ) {
    self.renderSize = renderSize
    self.frameDuration = frameDuration
    self.instructions = instructions
    self.colour = colour
  }

  /// A solid colour: red, green and blue from 0 to 1, as the pictures' own RGB.
  public struct Color: Sendable, Hashable, Codable {
    /// Red.
    public var red: Double
    /// Green.
    public var green: Double
    /// Blue.
    public var blue: Double
    /// A colour of three parts.
    public init(red: Double, green: Double, blue: Double) { (self.red, self.green, self.blue) = (red, green, blue) }
    /// Black.
    public static let black = Color(red: 0, green: 0, blue: 0)
    /// White.
    public static let white = Color(red: 1, green: 1, blue: 1)
  }

  /// What is drawn for a while.
  public struct Instruction: Sendable, Hashable, Codable {
    /// When.
    public var timeRange: MediaTimeRange
    /// What lies behind the layers; black by default.
    public var backgroundColor: Color
    /// The layers, topmost first.
    public var layerInstructions: [LayerInstruction]

    /// An instruction of given parts.
    public init(
      timeRange: MediaTimeRange, backgroundColor: Color = .black, layerInstructions: [LayerInstruction] = []
    ) {
      self.timeRange = timeRange
      self.backgroundColor = backgroundColor
      self.layerInstructions = layerInstructions
    }

    /// The tracks that are drawn, bottom first, each once.
    public var requiredSourceTrackIDs: [Int32] {
      var seen: Set<Int32> = []
      return layerInstructions.reversed().map(\.trackID).filter { seen.insert($0).inserted }
    }
    /// Whether something moves or fades.
    public var containsTweening: Bool { layerInstructions.contains(where: \.containsTweening) }
  }

  /// A change from one value to another, even over its range; at once where that is empty. Before the first change of a
  /// layer holds what a layer is without any, behind each what it ends with.
  public struct Ramp<Value: Sendable & Hashable & Codable>: Sendable, Hashable, Codable {
    /// What holds at the beginning.
    public var start: Value
    /// What holds at the end and behind it.
    public var end: Value
    /// The range.
    public var timeRange: MediaTimeRange
  }

  /// How one track is drawn: where, how opaque, which part of it.
  public struct LayerInstruction: Sendable, Hashable, Codable {
    /// The track's number.
    public var trackID: Int32
    /// Changes of the map from the source's picture, as shown with square pixels and origin at its top left, to the
    /// output; the identity before the first.
    public private(set) var transformRamps: [Ramp<PictureTransform>] = []
    /// Changes of the opacity, 0 to 1; 1 before the first.
    public private(set) var opacityRamps: [Ramp<Double>] = []
    /// Changes of the part of the source that is drawn, in its own pixels as shown; all of it before the first.
    public private(set) var cropRectangleRamps: [Ramp<PixelRect>] = []

    /// A layer that is drawn as it is.
    public init(trackID: Int32) { self.trackID = trackID }

    /// Sets the map from a time on, until the next change.
    public mutating func setTransform(_ transform: PictureTransform, at time: MediaTime) throws {
      try setTransformRamp(fromStart: transform, toEnd: transform, timeRange: .init(start: time, duration: .zero))
    }
    /// Changes the map evenly over a range, number by number.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is none or overlaps another ramp, and for maps of
    ///   anything but numbers.
    public mutating func setTransformRamp(
      fromStart start: PictureTransform, toEnd end: PictureTransform, timeRange: MediaTimeRange
    ) throws {
      guard start.isFinite, end.isFinite else { throw refuse("a transform is no map of numbers") }
      transformRamps = try adding(Ramp(start: start, end: end, timeRange: timeRange), to: transformRamps)
    }
    /// Sets the opacity from a time on, until the next change.
    public mutating func setOpacity(_ opacity: Double, at time: MediaTime) throws {
      try setOpacityRamp(
        fromStartOpacity: opacity, toEndOpacity: opacity, timeRange: .init(start: time, duration: .zero))
    }
    /// Changes the opacity evenly over a range.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for opacities outside of 0 to 1, a range that is none or overlaps
    ///   another ramp.
    public mutating func setOpacityRamp(
      fromStartOpacity start: Double, toEndOpacity end: Double, timeRange: MediaTimeRange
    ) throws {
      guard (0...1).contains(start), (0...1).contains(end) else { throw refuse("an opacity is outside 0 to 1") }
      opacityRamps = try adding(Ramp(start: start, end: end, timeRange: timeRange), to: opacityRamps)
    }
    /// Sets the part that is drawn from a time on, until the next change.
    public mutating func setCropRectangle(_ rectangle: PixelRect, at time: MediaTime) throws {
      try setCropRectangleRamp(
        fromStartCropRectangle: rectangle, toEndCropRectangle: rectangle,
        timeRange: .init(start: time, duration: .zero))
    }
    /// Changes the part that is drawn evenly over a range, to whole pixels.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is none or overlaps another ramp.
    public mutating func setCropRectangleRamp(
      fromStartCropRectangle start: PixelRect, toEndCropRectangle end: PixelRect, timeRange: MediaTimeRange
    ) throws {
      cropRectangleRamps = try adding(Ramp(start: start, end: end, timeRange: timeRange), to: cropRectangleRamps)
    }

    /// The map at a time.
    public func transform(at time: MediaTime) -> PictureTransform {
      value(transformRamps, at: time, default: .identity) { $0.mixed(with: $1, $2) }
    }
    /// The opacity at a time.
    public func opacity(at time: MediaTime) -> Double {
      min(1, max(0, value(opacityRamps, at: time, default: 1) { $0 + ($1 - $0) * $2 }))
    }
    /// The part that is drawn at a time; nil: all.
    public func cropRectangle(at time: MediaTime) -> PixelRect? {
      value(cropRectangleRamps.map { Ramp(start: $0.start, end: $0.end, timeRange: $0.timeRange) }, at: time)
    }

    var containsTweening: Bool {
      transformRamps.contains { $0.start != $0.end } || opacityRamps.contains { $0.start != $0.end }
        || cropRectangleRamps.contains { $0.start != $0.end }
    }

    // MARK: Ramps

    private func value<Value>(
      _ ramps: [Ramp<Value>], at time: MediaTime, default start: Value, mix: (Value, Value, Double) -> Value
    ) -> Value {
      guard let ramp = ramps.last(where: { $0.timeRange.start <= time }) else { return start }
      let share = ramp.share(at: time)
      return share >= 1 ? ramp.end : share <= 0 ? ramp.start : mix(ramp.start, ramp.end, share)
    }

    private func value(_ ramps: [Ramp<PixelRect>], at time: MediaTime) -> PixelRect? {
      guard ramps.contains(where: { $0.timeRange.start <= time }) else { return nil }
      return value(ramps, at: time, default: PixelRect(.zero)) { $0.mixed(with: $1, $2) }
    }

    private func adding<Value>(_ ramp: Ramp<Value>, to ramps: [Ramp<Value>]) throws -> [Ramp<Value>] {
      guard ramp.timeRange.isNumeric else { throw refuse("\(ramp.timeRange) is no range of time") }
      var others = ramps
      if ramp.timeRange.isEmpty {
        others.removeAll { $0.timeRange.isEmpty && $0.timeRange.start == ramp.timeRange.start }
      }
      if let other = others.first(where: { $0.overlaps(ramp) }) {
        throw refuse("a ramp over \(ramp.timeRange) overlaps the one over \(other.timeRange)")
      }
      others.insert(ramp, at: others.firstIndex { $0.timeRange.start > ramp.timeRange.start } ?? others.endIndex)
      return others
    }

    private func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "compose", subject: "the layer of track \(trackID)", reason: reason)
    }
  }
}

extension VideoComposition.Ramp {
  /// How far the change is at a time.
  func share(at time: MediaTime) -> Double {
    guard timeRange.duration > .zero, time < timeRange.end else { return 1 }
    let (passed, whole) = ((time - timeRange.start).rational ?? .zero, timeRange.duration.rational ?? .one)
    return passed.divided(by: whole)?.doubleValue ?? 1
  }

  func overlaps(_ other: VideoComposition.Ramp<Value>) -> Bool {
    let (a, b) = (timeRange, other.timeRange)
    if a.isEmpty { return b.containsTime(a.start) && b.start != a.start }
    if b.isEmpty { return a.containsTime(b.start) && b.start != a.start }
    return a.start < b.end && b.start < a.end
  }
}

extension PictureTransform {
  var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy { $0.isFinite && abs($0) < 1e9 } }

  /// Each number between this map's and another's.
  func mixed(with other: PictureTransform, _ share: Double) -> PictureTransform {
    func mix(_ from: Double, _ to: Double) -> Double { from + (to - from) * share }
    return PictureTransform(
      a: mix(a, other.a), b: mix(b, other.b), c: mix(c, other.c), d: mix(d, other.d), tx: mix(tx, other.tx),
      ty: mix(ty, other.ty))
  }

  /// A shift.
  public static func translation(x: Double, y: Double) -> PictureTransform {
    PictureTransform(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y)
  }

  /// A scaling around the origin.
  public static func scale(x: Double, y: Double) -> PictureTransform {
    PictureTransform(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0)
  }

  /// The map that shows a picture of `size`, turned by this map, as large as it fits into a box, in its middle.
  func fitted(_ size: PixelSize, into box: PixelSize) -> PictureTransform {
    let upright = normalized(for: size)
    let shown = upright.applied(to: size)
    guard !shown.isEmpty else { return upright }
    let scale = min(Double(box.width) / Double(shown.width), Double(box.height) / Double(shown.height))
    let (width, height) = ((Double(shown.width) * scale).rounded(), (Double(shown.height) * scale).rounded())
    return
      upright
      .concatenating(.scale(x: width / Double(shown.width), y: height / Double(shown.height)))
      .concatenating(
        .translation(
          x: ((Double(box.width) - width) / 2).rounded(.down), y: ((Double(box.height) - height) / 2).rounded(.down)))
  }
}

extension PixelRect {
  func mixed(with other: PixelRect, _ share: Double) -> PixelRect {
    func mix(_ from: Int, _ to: Int) -> Int {
      Int(rounding: Double(from) + (Double(to) - Double(from)) * share) ?? from
    }
    return PixelRect(
      x: mix(x, other.x), y: mix(y, other.y), width: mix(width, other.width), height: mix(height, other.height))
  }
}
