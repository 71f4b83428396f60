extension Timeline {
  /// The form of a timeline's file: every field, and what may stand there.
  static let shape = JSONShape.object(
    [
      "renderSize": .list(.integer(1...1 << 15), count: 2),
      "frameDuration": .time,
      "background": .text,
      "tracks": .list(track, count: nil),
      "overlays": .list(overlay, count: nil),
      "filter": .text,
      "limitsPeaks": .flag,
    ], required: ["tracks"])

  private static let track = JSONShape.object(
    [
      "media": .word(["video", "audio"]),
      "segments": .list(segment, count: nil),
      "place": place,
      "opacity": .list(change(in: 0...1), count: nil),
      "volume": .list(change(in: 0...1e6), count: nil),
      "blend": blend,
      "filter": .text,
      "varispeed": .flag,
    ], required: ["media", "segments"])

  private static let segment = JSONShape.object(
    [
      "file": .text, "track": .integer(0...Int64(Int32.max)), "from": .time, "to": .time, "at": .time,
      "duration": .time, "reversed": .flag,
    ], required: ["file"])

  private static let overlay = JSONShape.object(
    [
      "image": .text, "text": text, "place": place, "from": .time, "to": .time,
      "opacity": .list(change(in: 0...1), count: nil),
      "position": .list(move, count: nil),
      "scale": .list(change(in: 0...1e4), count: nil),
      "rotation": .list(change(in: -1e6...1e6), count: nil),
      "blend": blend,
    ], required: [])

  private static let text = JSONShape.object(
    [
      "string": .text, "markup": .flag, "font": .text, "size": .number(1...2000), "color": .text,
      "align": .word(["leading", "center", "trailing"]), "width": .integer(1...16_384),
      "lineSpacing": .number(-4096...4096),
      "outline": .object(["width": .number(0...4096), "color": .text], required: ["width"]),
      "shadow": .object(
        ["x": .number(-4096...4096), "y": .number(-4096...4096), "color": .text], required: ["x", "y"]),
      "background": .object(
        ["color": .text, "padding": .number(0...4096), "cornerRadius": .number(0...4096)], required: ["color"]),
    ], required: ["string"])

  private static let place = JSONShape.object(
    [
      "x": .number(-Place.maximumOffset...Place.maximumOffset),
      "y": .number(-Place.maximumOffset...Place.maximumOffset),
      "width": .number(Place.sides), "height": .number(Place.sides), "rotation": .number(-1e6...1e6),
    ], required: [])

  private static let move = JSONShape.object(
    [
      "at": .time, "value": point, "from": .time, "to": .time, "start": point, "end": point,
    ], required: [])

  private static let point = JSONShape.list(.number(-Place.maximumOffset...Place.maximumOffset), count: 2)
  private static let blend = JSONShape.word(BlendMode.allCases.map(\.rawValue))

  private static func change(in range: ClosedRange<Double>) -> JSONShape {
    let value = JSONShape.number(range)
    return .object(
      ["at": .time, "value": value, "from": .time, "to": .time, "start": value, "end": value], required: [])
  }
}
