extension VideoComposition {
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

    /// How its colours and those below it become one.
    public var blendMode = BlendMode.normal
    /// What the track's pictures go through before they are drawn, as they are decoded.
    public var filter: VideoFilter?

    /// A layer that is drawn as it is.
    public init(trackID: Int32) { self.trackID = trackID }

    /// Reads what is there; what is missing is as for a new layer.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      trackID = try values.decode(Int32.self, forKey: .trackID)
      transformRamps = try values.decodeIfPresent([Ramp<PictureTransform>].self, forKey: .transformRamps) ?? []
      opacityRamps = try values.decodeIfPresent([Ramp<Double>].self, forKey: .opacityRamps) ?? []
      cropRectangleRamps = try values.decodeIfPresent([Ramp<PixelRect>].self, forKey: .cropRectangleRamps) ?? []
      blendMode = try values.decodeIfPresent(BlendMode.self, forKey: .blendMode) ?? .normal
      filter = try values.decodeIfPresent(VideoFilter.self, forKey: .filter)
    }

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
      transformRamps.value(at: time, default: .identity) { $0.mixed(with: $1, $2) }
    }
    /// The opacity at a time.
    public func opacity(at time: MediaTime) -> Double {
      min(1, max(0, opacityRamps.value(at: time, default: 1) { $0 + ($1 - $0) * $2 }))
    }
    /// The part that is drawn at a time; nil: all.
    public func cropRectangle(at time: MediaTime) -> PixelRect? {
      guard cropRectangleRamps.contains(where: { $0.timeRange.start <= time }) else { return nil }
      return cropRectangleRamps.value(at: time, default: PixelRect(.zero)) { $0.mixed(with: $1, $2) }
    }

    /// The change of the map that holds at a time, running or over; nil before the first.
    public func transformRamp(at time: MediaTime) -> Ramp<PictureTransform>? {
      transformRamps.last { $0.timeRange.start <= time }
    }
    /// The change of the opacity that holds at a time, running or over; nil before the first.
    public func opacityRamp(at time: MediaTime) -> Ramp<Double>? { opacityRamps.last { $0.timeRange.start <= time } }
    /// The change of the part that is drawn that holds at a time, running or over; nil before the first.
    public func cropRectangleRamp(at time: MediaTime) -> Ramp<PixelRect>? {
      cropRectangleRamps.last { $0.timeRange.start <= time }
    }

    var containsTweening: Bool {
      transformRamps.contains { $0.start != $0.end } || opacityRamps.contains { $0.start != $0.end }
        || cropRectangleRamps.contains { $0.start != $0.end }
    }

    private func adding<Value>(_ ramp: Ramp<Value>, to ramps: [Ramp<Value>]) throws -> [Ramp<Value>] {
      try ramps.adding(ramp, to: "the layer of track \(trackID)")
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
