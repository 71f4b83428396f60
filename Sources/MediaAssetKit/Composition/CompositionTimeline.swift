/// Segments one after another from zero on, and what edits make of them. Pure, exact arithmetic: every place is computed
/// from the times asked for, never by adding up lengths of media.
struct CompositionTimeline: Sendable {
  typealias Segment = Composition.Segment

  /// What is inserted: media, or nothing for a while.
  struct Piece {
    var source: Segment.Source?
    var range: MediaTimeRange
  }

  private(set) var segments: [Segment]

  init(segments: [Segment]) { self.segments = segments }

  /// Where the last segment ends.
  var end: MediaTime { segments.last?.timeRange.end ?? .zero }

  /// The segment that contains a time; nil before zero and from the end on.
  func index(at time: MediaTime) -> Int? {
    // The first segment that ends behind the time.
    var (low, high) = (0, segments.count)
    while low < high {
      let middle = (low + high) / 2
      if segments[middle].timeRange.end > time { high = middle } else { low = middle + 1 }
    }
    return low < segments.count && segments[low].timeRange.start <= time ? low : nil
  }

  /// Puts pieces one after another at a time; what is there or later moves back.
  mutating func insert(_ pieces: [Piece], at time: MediaTime) {
    fill(to: time)
    let place = split(at: time)
    var made: [Segment] = []
    var start = time
    for piece in pieces {
      let target = MediaTimeRange(start: start, duration: piece.range.duration)
      let mapping =
        piece.source == nil
        ? MediaTimeMapping(emptyTarget: target) : MediaTimeMapping(source: piece.range, target: target)
      made.append(Segment(source: piece.source, timeMapping: mapping))
      start = target.end
    }
    move(from: place, by: start - time)
    segments.insert(contentsOf: made, at: place)
    trim()
  }

  mutating func insertEmpty(_ range: MediaTimeRange) {
    guard range.duration > .zero, range.start < end else { return }
    let place = split(at: range.start)
    move(from: place, by: range.duration)
    segments.insert(Segment(timeRange: range), at: place)
    trim()
  }

  mutating func remove(_ range: MediaTimeRange) {
    guard range.duration > .zero, range.start < end else { return }
    let first = split(at: range.start)
    let last = split(at: range.end)
    segments.removeSubrange(first..<last)
    move(from: first, by: .zero - range.duration)
    trim()
  }

  /// Puts a segment in the place of what is there; nothing moves.
  mutating func put(_ segment: Segment) {
    let range = segment.timeRange
    fill(to: range.start)
    let first = split(at: range.start)
    let last = split(at: range.end)
    segments.replaceSubrange(first..<last, with: [segment])
  }

  mutating func scale(_ range: MediaTimeRange, to duration: MediaTime) {
    guard range.start < end else { return }
    let first = split(at: range.start)
    let last = split(at: range.end)
    let target = MediaTimeRange(start: range.start, duration: duration)
    for index in first..<last {
      let old = segments[index].timeRange
      segments[index] = segments[index].moved(
        to: MediaTimeRange(
          start: old.start.mapped(from: range, to: target), end: old.end.mapped(from: range, to: target)))
    }
    move(from: last, by: duration - range.duration)
  }

  /// Turns a range round: what was last in it comes first, backwards. Nothing moves out of it or into it.
  mutating func reverse(_ range: MediaTimeRange) {
    guard range.duration > .zero, range.start < end else { return }
    fill(to: range.end)
    let first = split(at: range.start)
    let last = split(at: range.end)
    let turned = segments[first..<last].reversed().map { $0.reversed(to: range.mirrored($0.timeRange)) }
    segments.replaceSubrange(first..<last, with: turned)
    trim()
  }

  /// What ends with nothing ends with the media before it; one stretch of nothing is one segment.
  mutating func trim() {
    while segments.last?.isEmpty == true { segments.removeLast() }
    guard segments.contains(where: \.isEmpty) else { return }
    var joined: [Segment] = []
    for segment in segments {
      if segment.isEmpty, let last = joined.last, last.isEmpty {
        joined[joined.count - 1] = Segment(
          timeRange: MediaTimeRange(start: last.timeRange.start, end: segment.timeRange.end))
      } else {
        joined.append(segment)
      }
    }
    segments = joined
  }

  // MARK: Parts

  private mutating func fill(to time: MediaTime) {
    let end = end
    if time > end { segments.append(Segment(timeRange: MediaTimeRange(start: end, end: time))) }
  }

  /// The index of the segment that begins at a time, after cutting the one that contains it.
  private mutating func split(at time: MediaTime) -> Int {
    guard let index = index(at: time) else { return time < .zero ? 0 : segments.count }
    let range = segments[index].timeRange
    guard range.start < time else { return index }
    let whole = segments[index]
    segments[index] = whole.part(MediaTimeRange(start: range.start, end: time))
    segments.insert(whole.part(MediaTimeRange(start: time, end: range.end)), at: index + 1)
    return index + 1
  }

  private mutating func move(from place: Int, by offset: MediaTime) {
    guard offset != .zero else { return }
    for index in place..<segments.count {
      let range = segments[index].timeRange
      segments[index] = segments[index].moved(
        to: MediaTimeRange(start: range.start + offset, duration: range.duration))
    }
  }
}
