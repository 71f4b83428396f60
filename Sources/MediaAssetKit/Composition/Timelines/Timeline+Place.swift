extension Timeline.Place {
  /// How far from the corner a picture may lie, in pixels.
  static let maximumOffset = 1_000_000.0
  /// How wide and high it may be made.
  static let sides = 1e-3...1_000_000.0

  /// What is out of its range: the field and why; nil where nothing is.
  var fault: (field: String, reason: String)? {
    func number(_ value: Double?, _ range: ClosedRange<Double>) -> String? {
      guard let value, !range.contains(value) else { return nil }
      return "\(value) is no number of pixels from \(range.lowerBound) to \(range.upperBound)"
    }
    let offsets = -Self.maximumOffset...Self.maximumOffset
    let found = [
      ("x", number(x, offsets)), ("y", number(y, offsets)), ("width", number(width, Self.sides)),
      ("height", number(height, Self.sides)),
      ("rotation", rotation.flatMap { abs($0) <= 1e6 ? nil : "\($0) is no number of degrees" }),
    ]
    return found.lazy.compactMap { field, reason in reason.map { (field, $0) } }.first
  }

  /// The map of a picture of a size to its place.
  func transform(of size: PixelSize, turned turn: PictureTransform) -> PictureTransform {
    var map = turn.normalized(for: size)
    let shown = map.applied(to: size)
    guard !shown.isEmpty else { return map }
    let (across, down) = (width.map { $0 / Double(shown.width) }, height.map { $0 / Double(shown.height) })
    let (sx, sy) = (across ?? down ?? 1, down ?? across ?? 1)
    map = map.concatenating(.scale(x: sx, y: sy))
    let (boxWidth, boxHeight) = (Double(shown.width) * sx, Double(shown.height) * sy)
    if let rotation, rotation != 0 {
      map =
        map
        .concatenating(.translation(x: -boxWidth / 2, y: -boxHeight / 2))
        .concatenating(.rotation(degrees: rotation))
        .concatenating(.translation(x: boxWidth / 2, y: boxHeight / 2))
    }
    return map.concatenating(.translation(x: x ?? 0, y: y ?? 0))
  }
}
