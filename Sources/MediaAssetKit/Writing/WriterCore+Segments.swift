/// Where segments begin.
extension WriterCore {
  /// The track at whose sync samples segments begin.
  var referenceTrack: Int { state.withLock { Self.referenceTrack($0) } }

  private static func referenceTrack(_ state: State) -> Int {
    state.tracks.firstIndex { $0.mediaType == .video && !($0.isFinished && !$0.hasSamples) } ?? 0
  }

  /// Which segment a time belongs into; nil for a writer of a file, and before the session.
  func segmentCell(of time: MediaTime) -> Int64? {
    guard profile != nil, time.isNumeric else { return nil }
    return state.withLock { state in
      guard let start = state.start else { return nil }
      var grid = SegmentGrid(
        origin: options.initialSegmentStartTime.isNumeric ? options.initialSegmentStartTime : start)
      grid.interval = options.preferredOutputSegmentInterval.rational
      if grid.interval == nil { grid.cuts = state.cuts }
      return grid.cell(of: max(time, start))
    }
  }

  func flushSegment() throws {
    try state.withLock { state in
      guard state.status == .writing, state.start != nil else { throw wrongState(state, "end a segment") }
      state.isFlushing = true
    }
  }

  /// Whether a sample that is appended now is to begin a segment. Remembers its time for the encoder and the cut.
  func takeFlush(_ track: Int, _ time: MediaTime) -> Bool {
    guard profile != nil else { return false }
    return state.withLock { state in
      guard state.isFlushing, track == Self.referenceTrack(state) else { return false }
      state.isFlushing = false
      // The first sample begins one anyway.
      if time.isNumeric { state.cuts.append(time) }
      return true
    }
  }

  func setDelivering(_ isDelivering: Bool) { state.withLock { $0.isDelivering = isDelivering } }
}
