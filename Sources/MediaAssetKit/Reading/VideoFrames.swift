import LibAV

/// The presented pictures of a track in order, as an asynchronous sequence; none dropped, none repeated.
///
/// Pictures that edits hide are decoded and not shown. Damaged ones are passed over. Single pass; pictures are decoded
/// as they are asked for, a few ahead on other cores. Cancelling the task ends it within one picture.
public struct VideoFrames: AsyncSequence, Sendable {
  /// One picture.
  public typealias Element = VideoFrame

  let track: AssetTrack
  let range: MediaTimeRange?

  /// Nothing is opened before the first picture is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(track: track, range: range) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let track: AssetTrack
    private let range: MediaTimeRange?
    private var run: FrameRun?

    init(track: AssetTrack, range: MediaTimeRange?) {
      self.track = track
      self.range = range
    }

    /// The next picture; nil after the last.
    public mutating func next() async throws -> VideoFrame? {
      if run == nil { run = try await FrameRun(track: track, range: range) }
      return try await run?.next()
    }
  }
}

extension AssetTrack {
  /// The track's presented pictures in order, within a range of the asset's time or all.
  ///
  /// The first picture of a range is the one on show at its start, cut to the range, as is the last.
  public func frames(in range: MediaTimeRange? = nil) -> VideoFrames {
    VideoFrames(track: self, range: range)
  }
}
