/// Decides which of the queued samples is written next, and which track runs ahead of the others. Pure: no media, no clock.
///
/// Samples are written in the order of their decode times. A track that has nothing queued holds the others up, because
/// its next sample may come first; one that is finished, sparse (subtitles, timecode) or starved does not.
/// A track that asks for chunks of some length goes on alone until its chunk is as long.
struct Interleaver<Element> {
  struct Limits: Sendable, Hashable {
    /// Microseconds of media that a track may have queued.
    var span: Int64 = 4_000_000
    /// Bytes that a track may have queued.
    var bytes = 32 << 20
  }

  private struct Entry {
    var time: Int64
    var bytes: Int
    /// nil once it was taken: its memory is not kept until the queue is tidied up.
    var element: Element?
  }

  private struct Track {
    var entries: [Entry] = []
    var head = 0
    var bytes = 0
    var isSparse: Bool
    /// Microseconds that are written together; 0: what the order gives.
    var chunk: Int64
    var isFinished = false
    /// Nothing came for so long that the others no longer wait.
    var isStarved = false

    var isEmpty: Bool { head == entries.count }
    var first: Entry? { isEmpty ? nil : entries[head] }

    mutating func pop() -> Element? {
      guard !isEmpty else { return nil }
      let element = entries[head].element.take()
      bytes -= entries[head].bytes
      head += 1
      // Now and then, so that a queue costs constant time.
      if head == entries.count || head > 256 {
        entries.removeFirst(head)
        head = 0
      }
      return element
    }
  }

  private var tracks: [Track] = []
  /// The track whose chunk is being written, and from when on it is long enough.
  private var chunk: (track: Int, end: Int64)?
  let limits: Limits

  init(limits: Limits = .init()) { self.limits = limits }

  var trackCount: Int { tracks.count }
  var isEmpty: Bool { tracks.allSatisfy(\.isEmpty) }

  /// - Parameters:
  ///   - isSparse: Its samples come seldom, so nobody waits for them.
  ///   - chunk: Microseconds of it that lie together in the file; half of what may be queued at most, since the others
  ///     wait meanwhile.
  mutating func addTrack(isSparse: Bool, chunk: Int64 = 0) {
    tracks.append(Track(isSparse: isSparse, chunk: max(0, min(chunk, limits.span / 2))))
  }

  /// Queues a sample. `time`: its decode time in microseconds.
  mutating func append(_ element: Element, to track: Int, time: Int64, bytes: Int) {
    tracks[track].entries.append(Entry(time: time, bytes: bytes, element: element))
    tracks[track].bytes += bytes
    tracks[track].isStarved = false
  }

  mutating func finish(_ track: Int) { tracks[track].isFinished = true }

  /// The sample that a track has queued first.
  func first(of track: Int) -> Element? { tracks[track].first?.element }

  /// Whether a track has to wait until some of what it queued is written.
  func isAhead(_ track: Int) -> Bool {
    let track = tracks[track]
    guard let first = track.first, let last = track.entries.last else { return false }
    return track.bytes > limits.bytes || last.time - first.time > limits.span
  }

  /// Whether a track may queue about as much again as it has.
  func hasMuchRoom(_ track: Int) -> Bool {
    let track = tracks[track]
    guard let first = track.first, let last = track.entries.last else { return true }
    return track.bytes <= limits.bytes / 2 && last.time - first.time <= limits.span / 2
  }

  /// Tracks that hold up the others.
  var missing: [Int] {
    guard !isEmpty else { return [] }
    return tracks.indices.filter { isMissing(tracks[$0]) }
  }

  private func isMissing(_ track: Track) -> Bool {
    track.isEmpty && !track.isFinished && !track.isSparse && !track.isStarved
  }

  /// Lets the others go on without a track until it has a sample again.
  mutating func setStarved(_ track: Int) {
    if tracks[track].isEmpty { tracks[track].isStarved = true }
  }

  /// The next sample to write; nil while one is missing.
  mutating func next() -> (track: Int, element: Element)? {
    var best: Int?
    var time = Int64.max
    for index in tracks.indices {
      guard let first = tracks[index].first else {
        if isMissing(tracks[index]) { return nil }
        continue
      }
      if best == nil || first.time < time { (best, time) = (index, first.time) }
    }
    if let chunk, let first = tracks[chunk.track].first, first.time < chunk.end {
      best = chunk.track
    } else {
      chunk = best.flatMap { tracks[$0].chunk > 0 ? ($0, time + tracks[$0].chunk) : nil }
    }
    guard let best, let element = tracks[best].pop() else { return nil }
    return (best, element)
  }

  /// Forgets everything that is queued.
  mutating func removeAll() {
    for index in tracks.indices {
      tracks[index].entries = []
      tracks[index].head = 0
      tracks[index].bytes = 0
    }
  }
}
