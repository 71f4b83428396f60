/// Clips one after another as editing programs exchange them: cuts, and dissolves between neighbours.
struct TimelineCuts {
  /// One clip on the record side.
  struct Clip {
    var file: String
    /// The time of the file that is shown at `start`.
    var source: MediaTime
    var start: MediaTime
    var end: MediaTime
    /// How fast it plays.
    var rate = Rational.one
    /// When it takes over from the clip before, evenly; nil: at once.
    var dissolve: MediaTimeRange?
  }

  private(set) var clips: [Clip] = []

  mutating func add(_ clip: Clip) { clips.append(clip) }

  /// Why the clips can't be shown; nil where they can. A dissolve needs the clips that it joins for as long as it lasts.
  var fault: String? {
    for (index, clip) in clips.enumerated() {
      guard let dissolve = clip.dissolve else { continue }
      let place =
        "the dissolve at \(dissolve.start.seconds) s lasts \(dissolve.duration.seconds) s, longer than the clip"
      if dissolve.end > clip.end { return "\(place) that it leads to" }
      if index > 0, clips[index - 1].end >= clip.start, dissolve.start < clips[index - 1].start {
        return "\(place) that it comes from"
      }
    }
    return nil
  }

  /// The tracks: one, or two that take turns where clips dissolve into each other.
  func tracks(_ media: Timeline.Track.Media) -> [Timeline.Track] {
    guard !clips.isEmpty else { return [] }
    var lanes = [Timeline.Track(media: media, segments: []), Timeline.Track(media: media, segments: [])]
    var lane = 0
    for (index, clip) in clips.enumerated() {
      let start = clip.dissolve.map { min($0.start, clip.start) } ?? clip.start
      // Behind a gap there is nothing to go on with.
      let next = index + 1 < clips.count ? clips[index + 1] : nil
      let following = next.flatMap { $0.start <= clip.end ? $0.dissolve?.end : nil }
      let end = max(clip.end, following ?? clip.end)
      if let dissolve = clip.dissolve, index > 0 {
        lane = 1 - lane
        change(&lanes, media, incoming: lane, dissolve)
      }
      let rate = clip.rate
      func source(at time: MediaTime) -> MediaTime {
        clip.source + MediaTime(((time - clip.start).rational ?? .zero) * rate)
      }
      // A clip has nothing before its own beginning.
      let from = max(.zero, source(at: start))
      let shown = source(at: start) < .zero ? clip.start : start
      var segment = Timeline.Segment(file: clip.file)
      segment.from = .init(shown == start ? from : clip.source)
      segment.to = .init(source(at: end))
      segment.at = .init(shown)
      if rate != .one { segment.duration = .init(end - shown) }
      lanes[lane].segments.append(segment)
    }
    return lanes.filter { !$0.segments.isEmpty }
  }

  private func change(
    _ lanes: inout [Timeline.Track], _ media: Timeline.Track.Media, incoming: Int, _ range: MediaTimeRange
  ) {
    func ramp(_ start: Double, _ end: Double) -> Timeline.Change {
      Timeline.Change(from: .init(range.start), to: .init(range.end), start: start, end: end)
    }
    switch media {
    case .audio:
      lanes[incoming].volume = (lanes[incoming].volume ?? []) + [ramp(0, 1)]
      lanes[1 - incoming].volume = (lanes[1 - incoming].volume ?? []) + [ramp(1, 0)]
    case .video:
      // The upper one comes over the lower one, or goes away over it.
      lanes[1].opacity = (lanes[1].opacity ?? []) + [incoming == 1 ? ramp(0, 1) : ramp(1, 0)]
    }
  }
}
