import FoundationEssentials

extension TimelineMaker {
  /// An overlay that is no track.
  func made(_ overlay: Timeline.Overlay, _ name: String) async throws -> VideoComposition.Overlay {
    let place = overlay.place ?? Timeline.Place()
    try check(place, "\(name).place")
    try check(overlay.from, "\(name).from")
    try check(overlay.to, "\(name).to")
    var made: VideoComposition.Overlay
    switch (overlay.image, overlay.text) {
    case (let image?, nil):
      let url = try url(image)
      made = VideoComposition.Overlay(image: url)
      if place.width != nil || place.height != nil {
        guard let track = try await assets.asset(url).loadDefaultTrack(withMediaType: .video) else {
          throw refuse(name, "\(image) has no picture")
        }
        let (size, turn) = try await track.load(.naturalSize, .preferredTransform)
        var upright = place
        upright.rotation = nil
        made.size = upright.transform(of: size, turned: turn).applied(to: size)
      }
    case (nil, let text?):
      guard place.width == nil, place.height == nil else {
        throw refuse(name, "a text is as large as its font says: its own width is where lines are wrapped")
      }
      made = VideoComposition.Overlay(text: try at("\(name).text") { try text.overlay() })
    default: throw refuse(name, "it has either an image or a text")
    }
    made.blendMode = overlay.blend ?? .normal
    if overlay.from != nil || overlay.to != nil {
      let (start, end) = (overlay.from?.time ?? .zero, overlay.to?.time ?? composition.duration)
      guard end > start else { throw refuse(name, "it is shown for no time") }
      made.timeRange = MediaTimeRange(start: start, end: end)
    }
    made.position.initial = VideoComposition.Point(x: place.x ?? 0, y: place.y ?? 0)
    made.rotation.initial = place.rotation ?? 0
    for (index, move) in (overlay.position ?? []).enumerated() {
      let name = "\(name).position[\(index)]"
      for (field, time) in [("at", move.at), ("from", move.from), ("to", move.to)] {
        try check(time, "\(name).\(field)")
      }
      func point(_ numbers: [Double]?) throws -> VideoComposition.Point {
        guard let numbers, numbers.count == 2 else { throw refuse(name, "a place is two numbers") }
        return VideoComposition.Point(x: numbers[0], y: numbers[1])
      }
      if let at = move.at?.time {
        try self.at(name) { try made.position.set(try point(move.value), at: at) }
      } else if let from = move.from?.time, let to = move.to?.time {
        guard to >= from else { throw refuse(name, "it ends before it begins") }
        try self.at(name) {
          try made.position.setRamp(
            from: try point(move.start), to: try point(move.end), timeRange: MediaTimeRange(start: from, end: to))
        }
      } else {
        throw refuse(name, "a change has neither at and value, nor from, to, start and end")
      }
    }
    made.scale = try animated(made.scale, overlay.scale, "\(name).scale")
    made.rotation = try animated(made.rotation, overlay.rotation, "\(name).rotation")
    made.opacity = try animated(made.opacity, overlay.opacity, "\(name).opacity")
    return made
  }

  private func animated(
    _ value: VideoComposition.Animated<Double>, _ changes: [Timeline.Change]?, _ name: String
  ) throws -> VideoComposition.Animated<Double> {
    var made = value
    for (index, change) in (changes ?? []).enumerated() {
      try apply(change, "\(name)[\(index)]") { value, time in
        try made.set(value, at: time)
      } ramp: { start, end, range in
        try made.setRamp(from: start, to: end, timeRange: range)
      }
    }
    return made
  }
}
