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
  let settings: VideoOutputSettings?

  /// Nothing is opened before the first picture is asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// The iterator; belongs to one task.
  public struct Iterator: AsyncIteratorProtocol {
    private let frames: VideoFrames
    private var run: FrameRun?

    init(_ frames: VideoFrames) { self.frames = frames }

    /// The next picture; nil after the last.
    public mutating func next() async throws -> VideoFrame? {
      if run == nil {
        run = try await FrameRun(track: frames.track, range: frames.range, settings: frames.settings)
      }
      return try await run?.nextFrame()
    }

    /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> VideoFrame? {
      try await next()
    }
  }
}

extension AssetTrack {
  /// The track's presented pictures in order, within a range of the asset's time or all.
  ///
  /// The first picture of a range is the one on show at its start, cut to the range, as is the last. Without settings
  /// pictures come as stored.
  public func frames(in range: MediaTimeRange? = nil, settings: VideoOutputSettings? = nil) -> VideoFrames {
    VideoFrames(track: self, range: range, settings: settings)
  }
}
