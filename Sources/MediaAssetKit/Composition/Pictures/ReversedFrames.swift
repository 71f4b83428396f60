import LibAV

/// The pictures of a track within a range, from the last to the first.
///
/// Decoders go forward only: the range is decoded in pieces from its end on, each as long as fits into a bounded number of
/// bytes, and given backwards. Times are the asset's own.
struct ReversedFrames: AsyncSequence, Sendable {
  typealias Element = VideoFrame

  let track: AssetTrack
  let range: MediaTimeRange
  /// What the pictures of a piece may hold together.
  var maximumBytes = 192 << 20

  func makeAsyncIterator() -> Iterator { Iterator(frames: self, end: range.end) }

  struct Iterator: AsyncIteratorProtocol {
    let frames: ReversedFrames
    /// Everything from here on was given.
    var end: MediaTime
    private var pending: [VideoFrame] = []
    private var length: MediaTime?
    private var usual: MediaTime?

    init(frames: ReversedFrames, end: MediaTime) { (self.frames, self.end) = (frames, end) }

    mutating func next() async throws -> VideoFrame? {
      while pending.isEmpty {
        guard end > frames.range.start else { return nil }
        try await fill()
      }
      return pending.removeLast()
    }

    mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> VideoFrame? {
      try await next()
    }

    private mutating func fill() async throws {
      let usual = try await usualLength()
      let length = length ?? usual
      let start = Swift.max(frames.range.start, end - length)
      let piece = MediaTimeRange(start: start, end: end)
      var bytes = 0
      var read: [VideoFrame] = []
      for try await frame in frames.track.frames(in: piece) {
        read.append(frame)
        bytes += (try? frame.pixelBuffer.frame.packedSize) ?? 0
        // Denser than its track says: a shorter piece, though one picture at least.
        guard bytes <= 2 * frames.maximumBytes || read.count <= 2 else { break }
      }
      if bytes > 2 * frames.maximumBytes, read.count > 3 {
        self.length = length.multiplied(by: 1, dividedBy: 4)
        return
      }
      guard start > frames.range.start else {
        end = start
        pending = read
        return
      }
      // The first one may have begun before the piece does: it comes whole with the next piece.
      guard read.count > 1 else {
        self.length = length.multiplied(by: 4, dividedBy: 1)
        return
      }
      read.removeFirst()
      end = read[0].time
      pending = read
      self.length = usual
    }

    /// How long a piece is, by the track's size and rate.
    private mutating func usualLength() async throws -> MediaTime {
      if let usual { return usual }
      let (size, duration) = try await frames.track.load(.naturalSize, .nominalFrameDuration)
      let (product, overflow) = Swift.max(1, size.width).multipliedReportingOverflow(by: Swift.max(1, size.height))
      let count = overflow ? 2 : Swift.min(256, Swift.max(2, frames.maximumBytes / Swift.max(1, product * 3 / 2)))
      let frame = duration.isNumeric && duration > .zero ? duration : MediaTime(value: 1, timescale: 25)
      let made = frame.multiplied(by: Int32(clamping: count), dividedBy: 1)
      usual = made
      return made
    }
  }
}
