extension Writer {
  /// What players the segments are for.
  public enum FileTypeProfile: Sendable, Hashable {
    /// Fragmented MPEG-4 for HTTP Live Streaming: any number of tracks together.
    case mpeg4AppleHLS
    /// The Common Media Application Format (ISO/IEC 23000-19): one track, whose segments carry an index.
    case mpeg4CMAFCompliant
  }

  /// A part of the output: what all others need first, or a stretch of media that can be decoded by itself.
  public struct Segment: Sendable {
    /// What a segment is.
    public enum Kind: String, Sendable, Hashable {
      /// The header (`ftyp` and `moov`); comes once, first.
      case initialization
      /// Media (`moof` and `mdat`), beginning with a sync sample.
      case separable
    }

    /// What it is.
    public let kind: Kind
    /// Its bytes.
    public let data: [UInt8]
    /// What is in it; nil for the header.
    public let report: SegmentReport?
  }

  /// What a media segment holds, in the time of the output: the session's start is zero.
  public struct SegmentReport: Sendable, Hashable {
    /// The tracks that have samples in the segment, in the order of the inputs.
    public let trackReports: [TrackReport]

    /// What a media segment holds of one track.
    public struct TrackReport: Sendable, Hashable {
      /// The number of the track in the output.
      public let trackID: Int32
      /// The kind of media.
      public let mediaType: MediaType
      /// When its first presented sample is shown or heard.
      public let earliestPresentationTimeStamp: MediaTime
      /// From there to the end of the last one; for the track that decides the cuts to the next segment's start.
      public let duration: MediaTime
      /// The number of samples, hidden ones too.
      public let sampleCount: Int
      /// The first picture in decode order; nil for other media.
      public let firstVideoSampleInformation: SampleInformation?
    }

    /// Where a sample lies.
    public struct SampleInformation: Sendable, Hashable {
      /// When it is shown.
      public let presentationTimeStamp: MediaTime
      /// The first byte, from the segment's start.
      public let offset: Int
      /// The number of bytes.
      public let length: Int
      /// Whether decoding can begin with it.
      public let isSyncSample: Bool
    }
  }

  /// The segments of a writer in order, as an asynchronous sequence; for one task, once.
  ///
  /// Two segments wait at most: then writing waits for the consumer. So consume in another task than the one that appends.
  /// Throws what writing failed with. A consumer that is cancelled, or drops its iterator before the end, cancels the writer.
  public struct Segments: AsyncSequence, Sendable {
    /// One segment.
    public typealias Element = Segment

    let writer: Writer

    /// The iterator; belongs to one task.
    public func makeAsyncIterator() -> Iterator { Iterator(writer: writer) }

    /// The iterator; belongs to one task.
    public struct Iterator: AsyncIteratorProtocol {
      private let consumer: Consumer

      init(writer: Writer) { consumer = Consumer(writer) }

      /// The next segment; nil after the last.
      ///
      /// - Throws: ``MediaError`` that writing failed with; `CancellationError` when the writer or the task is cancelled.
      public mutating func next() async throws -> Segment? { try await consumer.next() }

      /// ``next()`` for loops: they stay on the caller's actor, and leave it only where there is something to wait for.
      public mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Segment? {
        try await next()
      }
    }

    /// Lets go of the writer when nobody asks for segments any more: it would wait forever.
    private final class Consumer: Sendable {
      private let writer: Writer
      private let hasEnded = Monitor(false)

      init(_ writer: Writer) { self.writer = writer }

      func next() async throws -> Segment? {
        guard let channel = writer.core.segments else { return nil }
        let core = writer.core
        let segment = try await withTaskCancellationHandler {
          try await channel.next()
        } onCancel: {
          core.cancelWithoutWaiting()
        }
        if segment == nil { hasEnded.withLock { $0 = true } }
        return segment
      }

      deinit { if !hasEnded.withLock({ $0 }) { writer.core.cancelWithoutWaiting() } }
    }
  }
}
