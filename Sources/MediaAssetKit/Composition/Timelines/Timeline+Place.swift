extension Timeline.Place {
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
