public import FoundationEssentials

extension Composition {
  /// A stretch of a composition's track: a range of another asset's track, or nothing for a while.
  public struct Segment: Sendable, Hashable, Codable {
    /// Where a segment's media comes from.
    public struct Source: Sendable, Hashable, Codable {
      /// The asset.
      public var url: URL
      /// The number of its track.
      public var trackID: Int32

      /// A track of an asset.
      public init(url: URL, trackID: Int32) {
        self.url = url
        self.trackID = trackID
      }
    }

    /// Where the media comes from; nil for an empty segment.
    public let source: Source?
    /// From the source asset's timeline to the composition's; the source is invalid for an empty segment.
    public let timeMapping: MediaTimeMapping
    /// Whether the source's range is played from its end to its start.
    public let isReversed: Bool

    /// A range of a track, played in a range of the composition: faster or slower where their lengths differ, and
    /// backwards where asked.
    public init(
      url: URL, trackID: Int32, sourceTimeRange: MediaTimeRange, targetTimeRange: MediaTimeRange,
      isReversed: Bool = false
    ) {
      self.init(
        source: Source(url: url, trackID: trackID),
        timeMapping: MediaTimeMapping(source: sourceTimeRange, target: targetTimeRange), isReversed: isReversed)
    }

    /// A range of the composition with nothing in it.
    public init(timeRange: MediaTimeRange) {
      self.init(source: nil, timeMapping: MediaTimeMapping(emptyTarget: timeRange))
    }

    init(source: Source?, timeMapping: MediaTimeMapping, isReversed: Bool = false) {
      self.source = source
      self.isReversed = isReversed
      self.timeMapping = timeMapping
    }

    /// Whether there is nothing in it.
    public var isEmpty: Bool { source == nil }
    /// The range of the composition.
    public var timeRange: MediaTimeRange { timeMapping.target }
    /// How fast the media plays, below 0 backwards; 0 for an empty segment.
    public var rate: Double { isReversed ? -timeMapping.rate : timeMapping.rate }
    /// Whether the media plays at another speed than its own, or backwards.
    public var isScaled: Bool {
      !isEmpty && (isReversed || timeMapping.source.duration != timeMapping.target.duration)
    }

    /// The same media in another range of the composition.
    func moved(to target: MediaTimeRange) -> Segment {
      Segment(
        source: source,
        timeMapping: isEmpty
          ? MediaTimeMapping(emptyTarget: target) : MediaTimeMapping(source: timeMapping.source, target: target),
        isReversed: isReversed)
    }

    /// The same media the other way round, in another range of the composition.
    func reversed(to target: MediaTimeRange) -> Segment {
      let moved = moved(to: target)
      return Segment(source: source, timeMapping: moved.timeMapping, isReversed: !isEmpty && !isReversed)
    }

    /// The part of the segment within a range of the composition that lies in its own.
    func part(_ range: MediaTimeRange) -> Segment {
      guard range != timeRange, !isEmpty else { return moved(to: range) }
      var source = MediaTimeRange(
        start: timeMapping.sourceTime(ofTarget: range.start), end: timeMapping.sourceTime(ofTarget: range.end))
      if isReversed { source = timeMapping.source.mirrored(source) }
      return Segment(
        source: self.source, timeMapping: MediaTimeMapping(source: source, target: range), isReversed: isReversed)
    }

    private enum CodingKeys: String, CodingKey {
      case source, sourceTimeRange, timeRange, isReversed
    }

    /// Reads `timeRange`, and `source` and `sourceTimeRange` unless the segment is empty.
    public init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      let target = try values.decode(MediaTimeRange.self, forKey: .timeRange)
      let source = try values.decodeIfPresent(Source.self, forKey: .source)
      guard let source else {
        self.init(timeRange: target)
        return
      }
      let range = try values.decodeIfPresent(MediaTimeRange.self, forKey: .sourceTimeRange)
      self.init(
        source: source,
        timeMapping: MediaTimeMapping(
          source: range ?? MediaTimeRange(start: .zero, duration: target.duration), target: target),
        isReversed: try values.decodeIfPresent(Bool.self, forKey: .isReversed) ?? false)
    }

    /// Writes what ``init(from:)`` reads.
    public func encode(to encoder: any Encoder) throws {
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(timeMapping.target, forKey: .timeRange)
      guard let source else { return }
      try values.encode(source, forKey: .source)
      try values.encode(timeMapping.source, forKey: .sourceTimeRange)
      if isReversed { try values.encode(true, forKey: .isReversed) }
    }
  }
}

extension MediaTimeRange {
  /// Where a part of this range lies when the range is turned round.
  func mirrored(_ part: MediaTimeRange) -> MediaTimeRange {
    MediaTimeRange(start: start + (end - part.end), end: start + (end - part.start))
  }
}
