extension Composition {
  /// One track of a composition: segments one after another from zero on, without holes.
  ///
  /// A track ends with its last segment that holds media: nothing behind it is kept. Its media is described as its sources
  /// are, and no description can be put in their place (`replaceFormatDescription`): it would say what is not there.
  public struct Track: Sendable, Hashable, Codable, Identifiable {
    /// The track's number in its composition, above 0.
    public let id: Int32
    /// The kind of media; nothing else can be inserted.
    public let mediaType: MediaType
    /// The segments in order; each begins where the one before ends, the first at zero.
    public internal(set) var segments: [Segment] = []
    /// Whether the track is heard or seen; true by default.
    public var isEnabled = true
    /// The turn that shows its pictures upright.
    public var preferredTransform = PictureTransform.identity
    /// The volume of its sound, 0 to 1; 1 by default.
    public var preferredVolume: Float = 1
    /// ISO 639-2/T (`deu`).
    public var languageCode: String?
    /// BCP 47 (`en-GB`).
    public var extendedLanguageTag: String?
    /// Ticks a second of the track's times, as a hint; 600 where nothing was inserted.
    public var naturalTimeScale: Int32 = 600
    /// The size of its pictures as shown, before they are turned: that of what was inserted first.
    public var naturalSize = PixelSize.zero
    /// What ties the track to others.
    public var associations: [Association] = []

    /// A tie to another track, as QuickTime's track references.
    public struct Association: Sendable, Hashable, Codable {
      /// The other track's number.
      public var trackID: Int32
      /// Four characters: `chap`, `folw`, `fall`, …
      public var kind: String

      /// A tie.
      public init(trackID: Int32, kind: String) {
        self.trackID = trackID
        self.kind = kind
      }
    }

    init(id: Int32, mediaType: MediaType) {
      self.id = id
      self.mediaType = mediaType
    }

    /// From zero to the end of the last segment.
    public var timeRange: MediaTimeRange { MediaTimeRange(start: .zero, duration: timeline.end) }

    /// The segment at a time; nil behind the end.
    public func segment(forTrackTime time: MediaTime) -> Segment? {
      timeline.index(at: time).map { segments[$0] }
    }

    /// Ties the track to another one; does nothing when it is tied so already.
    public mutating func addAssociation(to trackID: Int32, kind: String) {
      let association = Association(trackID: trackID, kind: kind)
      if !associations.contains(association) { associations.append(association) }
    }

    /// Removes a tie.
    public mutating func removeAssociation(to trackID: Int32, kind: String) {
      associations.removeAll { $0 == Association(trackID: trackID, kind: kind) }
    }

    var timeline: CompositionTimeline {
      get { CompositionTimeline(segments: segments) }
      set { segments = newValue.segments }
    }

    var subject: String { "track \(id) of a composition" }

    // MARK: Editing

    /// Inserts a range of another asset's track, named by its place. Reads nothing: whether it is there shows when the
    /// composition is read.
    ///
    /// - Parameters:
    ///   - range: The range of the source asset's time; both start and length numbers, the length above zero.
    ///   - source: The track.
    ///   - time: Where; what is there or later moves back. Behind the end there is nothing in between. Invalid: at the end.
    /// - Throws: ``MediaError`` with `invalidArgument` for anything else.
    public mutating func insertTimeRange(_ range: MediaTimeRange, of source: Segment.Source, at time: MediaTime) throws
    {
      try insertTimeRanges([(range, source)], at: time)
    }

    /// Inserts ranges one after another, all or none; without a source nothing is there for a range's length.
    ///
    /// - Throws: ``MediaError`` as ``insertTimeRange(_:of:at:)-(_,Composition.Segment.Source,_)``.
    public mutating func insertTimeRanges(
      _ ranges: [(range: MediaTimeRange, source: Segment.Source?)], at time: MediaTime
    ) throws {
      let pieces = try ranges.map { range, source in
        guard range.isNumeric, range.duration > .zero, range.start >= .zero || source == nil else {
          throw refuse("the range \(range) can't be inserted")
        }
        return CompositionTimeline.Piece(source: source, range: range)
      }
      try check(time, allowsInvalid: true)
      timeline.insert(pieces, at: time.isNumeric ? time : timeline.end)
    }

    /// Makes room: what is at the range's start or later moves back by its length. Behind the end it does nothing.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
    public mutating func insertEmptyTimeRange(_ range: MediaTimeRange) throws {
      try check(range)
      timeline.insertEmpty(range)
    }

    /// Removes a range; what is behind it moves forward.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
    public mutating func removeTimeRange(_ range: MediaTimeRange) throws {
      try check(range)
      timeline.remove(range)
    }

    /// Plays a range in another length, faster or slower; what is behind it moves.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` unless both lengths are above zero.
    public mutating func scaleTimeRange(_ range: MediaTimeRange, toDuration duration: MediaTime) throws {
      try check(range)
      guard range.duration > .zero, duration.isNumeric, duration > .zero else {
        throw refuse("a range of \(range.duration) can't be brought to \(duration)")
      }
      timeline.scale(range, to: duration)
    }

    /// Plays a range backwards, pictures and sound; nothing else moves.
    ///
    /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
    public mutating func reverseTimeRange(_ range: MediaTimeRange) throws {
      try check(range)
      timeline.reverse(range)
    }

    /// Replaces all segments.
    ///
    /// - Throws: What ``validateSegments(_:)`` does.
    public mutating func setSegments(_ segments: [Segment]) throws {
      try validateSegments(segments)
      self.segments = segments
      timeline.trim()
    }

    /// Checks segments: contiguous from zero, each of a length above zero, with a source range that is there.
    ///
    /// - Throws: ``MediaError`` with which segment and why: `compositionTrackSegmentsNotContiguous`,
    ///   `invalidCompositionTrackSegmentDuration`, `invalidCompositionTrackSegmentSourceStartTime`,
    ///   `invalidCompositionTrackSegmentSourceDuration`.
    public func validateSegments(_ segments: [Segment]) throws {
      var end = MediaTime.zero
      for (index, segment) in segments.enumerated() {
        let (target, source) = (segment.timeMapping.target, segment.timeMapping.source)
        func refuse(_ code: MediaError.Code, _ reason: String) -> MediaError {
          MediaError(code, operation: "compose", subject: subject, reason: "segment \(index + 1) \(reason)")
        }
        guard target.isNumeric, target.duration > .zero else {
          throw refuse(.invalidCompositionTrackSegmentDuration, "lasts \(target.duration)")
        }
        guard target.start == end else {
          throw refuse(
            .compositionTrackSegmentsNotContiguous, "begins at \(target.start), not at \(end) where it joins on")
        }
        if !segment.isEmpty {
          guard source.start.isNumeric, source.start >= .zero else {
            throw refuse(.invalidCompositionTrackSegmentSourceStartTime, "takes media from \(source.start)")
          }
          guard source.duration.isNumeric, source.duration > .zero else {
            throw refuse(.invalidCompositionTrackSegmentSourceDuration, "takes \(source.duration) of media")
          }
        }
        end = target.end
      }
    }

    // MARK: Checks

    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "compose", subject: subject, reason: reason)
    }

    private func check(_ time: MediaTime, allowsInvalid: Bool) throws {
      guard time.isNumeric && time >= .zero || allowsInvalid && !time.isValid else {
        throw refuse("\(time) is no place in it")
      }
    }

    private func check(_ range: MediaTimeRange) throws {
      guard range.isNumeric, range.start >= .zero else { throw refuse("\(range) is no range of it") }
    }
  }
}
