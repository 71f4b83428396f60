/// The pictures that a track presents, segment by segment, from the index of its samples.
///
/// A picture belongs to a segment when a part of its interval lies inside; one that began before the segment is
/// presented at the segment's start.
struct PresentedPictures: Sendable {
  /// The pictures of one segment by their rank in presentation order.
  struct Run: Sendable {
    var segment: TrackTimeline.Segment
    var ranks: ClosedRange<Int>
  }

  /// One picture in one segment.
  struct Position: Hashable, Sendable {
    var run: Int
    var rank: Int
  }

  let timeline: TrackTimeline
  let index: VideoIndex
  /// In order of time.
  let runs: [Run]
  /// The ranks of the key pictures, ascending.
  private let keys: [Int]

  init(timeline: TrackTimeline, index: VideoIndex) {
    self.timeline = timeline
    self.index = index
    runs = timeline.segments.compactMap { segment in
      Self.ranks(of: segment, timeline, index).map { Run(segment: segment, ranks: $0) }
    }
    keys = Array(
      Set(index.syncPositions.indices.compactMap { index.rank(onShowAt: index.time(sync: $0)) })
    ).sorted()
  }

  private static func ranks(
    of segment: TrackTimeline.Segment, _ timeline: TrackTimeline, _ index: VideoIndex
  ) -> ClosedRange<Int>? {
    guard let source = segment.source else { return nil }
    let first =
      index.rank(onShowAt: Rational.floor(source, in: timeline.timeBase)) ?? 0
    guard let duration = segment.duration else { return first...(index.count - 1) }
    if segment.rate == .zero { return first...first }
    guard duration > .zero else { return nil }
    let tick = TrackTimeline.lastTick(
      before: source + duration * segment.rate, in: timeline.timeBase)
    guard let last = index.rank(onShowAt: tick), last >= first else { return nil }
    return first...last
  }

  func tick(of position: Position) -> Int64 { index.time(rank: position.rank) }

  /// When a picture is presented.
  func time(of position: Position) -> Rational {
    let segment = runs[position.run].segment
    return max(segment.start, timeline.time(ofTick: tick(of: position), in: segment))
  }

  func isKey(_ position: Position) -> Bool {
    let number = keys.partitioningIndex { $0 >= position.rank }
    return number < keys.count && keys[number] == position.rank
  }

  // MARK: - By time

  /// The picture on show at a time; nil outside of the segments and before a segment's first picture.
  func onShow(at time: Rational) -> Position? {
    let number = runs.partitioningIndex { $0.segment.start > time } - 1
    guard number >= 0 else { return nil }
    let run = runs[number]
    guard run.segment.end.map({ time < $0 }) ?? true,
      let tick = timeline.tick(at: time, in: run.segment), let rank = index.rank(onShowAt: tick)
    else { return nil }
    return Position(run: number, rank: min(max(rank, run.ranks.lowerBound), run.ranks.upperBound))
  }

  /// The last picture that was presented before a time at which none is.
  func last(before time: Rational) -> Position? {
    var number = runs.partitioningIndex { $0.segment.start > time } - 1
    // Inside of a segment none is on show before its first picture only.
    if number >= 0, runs[number].segment.end.map({ time < $0 }) ?? true { number -= 1 }
    return number >= 0 ? Position(run: number, rank: runs[number].ranks.upperBound) : nil
  }

  /// The first picture that is presented after a time at which none is.
  func first(after time: Rational) -> Position? {
    var number = runs.partitioningIndex { $0.segment.start > time }
    if number > 0, runs[number - 1].segment.end.map({ time < $0 }) ?? true { number -= 1 }
    return number < runs.count ? Position(run: number, rank: runs[number].ranks.lowerBound) : nil
  }

  /// The first picture in the segment of another one whose time is not before `earliest`.
  func first(inRunOf position: Position, notBefore earliest: Rational) -> Position? {
    let run = runs[position.run]
    if earliest <= run.segment.start {
      return Position(run: position.run, rank: run.ranks.lowerBound)
    }
    guard let tick = timeline.tick(at: earliest, in: run.segment) else { return nil }
    var found = Position(
      run: position.run, rank: max(run.ranks.lowerBound, index.rank(onShowAt: tick) ?? 0))
    if time(of: found) < earliest { found.rank += 1 }
    return found.rank <= run.ranks.upperBound ? found : nil
  }

  // MARK: - Key pictures

  /// The last key picture at or before a position, in whatever segment.
  func key(atOrBefore position: Position) -> Position? {
    var rank = position.rank
    for number in stride(from: position.run, through: 0, by: -1) {
      let found = keys.partitioningIndex { $0 > rank } - 1
      if found >= 0, keys[found] >= runs[number].ranks.lowerBound {
        return Position(run: number, rank: keys[found])
      }
      if number > 0 { rank = runs[number - 1].ranks.upperBound }
    }
    return nil
  }

  /// The first key picture after a position, in whatever segment.
  func key(after position: Position) -> Position? {
    var rank = position.rank + 1
    for number in position.run..<runs.count {
      let found = keys.partitioningIndex { $0 >= rank }
      if found < keys.count, keys[found] <= runs[number].ranks.upperBound {
        return Position(run: number, rank: keys[found])
      }
      if number + 1 < runs.count { rank = runs[number + 1].ranks.lowerBound }
    }
    return nil
  }
}

extension Array {
  /// The first index whose element fulfils a condition that holds for all that follow.
  fileprivate func partitioningIndex(_ isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
