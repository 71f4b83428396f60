import ISOMedia
import LibAV

/// A place among a track's stored samples that steps from sample to sample, without reading them.
///
/// A value: a copy stays where it is. Steps cost no reading; stepping by time is a binary search. Times are on the asset's
/// timeline, where the first segment of the edit list that presents a sample has it.
///
/// Samples from a place on are read by a ``Reader`` of a range that begins at its time. AVFoundation's
/// `AVSampleBufferGenerator` has no counterpart: it spares players on its system the reading of whole tracks, which a reader
/// does not do here.
public struct SampleCursor: Sendable {
  private let index: SampleIndex
  /// The place in decode order.
  private var position: Int

  init(index: SampleIndex, position: Int) {
    self.index = index
    self.position = position
  }

  /// What others say of a sample, and what it says of others; nil where the file does not tell.
  public struct Dependency: Sendable, Hashable {
    /// Whether it leans on other samples.
    public var dependsOnOthers: Bool?
    /// Whether others lean on it.
    public var hasDependents: Bool?
    /// Whether it holds the same picture a second time.
    public var hasRedundantCoding: Bool?
  }

  /// Where a sample's bytes lie in the file.
  public struct StorageRange: Sendable, Hashable {
    /// The first byte.
    public var offset: Int64
    /// The number of bytes.
    public var length: Int
  }

  /// How a step by time went.
  public struct TimeStep: Sendable, Hashable {
    /// How far the cursor moved.
    public var moved: MediaTime
    /// Whether an end of the track stopped it.
    public var wasPinned: Bool
  }

  // MARK: - The sample

  private var entry: SampleIndex.Entry { index.entries[position] }

  /// When the sample is presented; invalid where the file gives no time.
  public var presentationTime: MediaTime { time(entry.presentation) }
  /// When it is to be decoded; invalid where the file gives no time.
  public var decodeTime: MediaTime { time(entry.decode) }
  /// How long it lasts; invalid when unknown.
  public var duration: MediaTime {
    entry.duration > 0 ? MediaTime(index.timeline.timeBase * Rational(Int64(entry.duration))) : .invalid
  }
  /// Whether decoding can begin here.
  public var isSync: Bool { entry.isSync }
  /// Whether no other sample needs this one, as far as the file tells.
  public var isDisposable: Bool { entry.dependency.isDisposable }
  /// What the file says of dependencies (`sdtp`, sample flags).
  public var dependency: Dependency {
    func flag(_ bits: UInt8, _ yes: UInt8) -> Bool? { bits == yes ? true : bits == 3 - yes ? false : nil }
    let bits = entry.dependency
    return Dependency(
      dependsOnOthers: flag(bits.dependsOn, 1), hasDependents: flag(bits.isDependedOn, 1),
      hasRedundantCoding: flag(bits.hasRedundancy, 1))
  }
  /// The number of bytes.
  public var size: Int { Int(entry.size) }
  /// Where the bytes lie; nil where they are put together from several places or lie in another file.
  public var storageRange: StorageRange? { entry.offset.map { StorageRange(offset: $0, length: size) } }

  /// How many samples before this one in decode order a decoder needs for it: those from the sync sample on.
  ///
  /// A picture that is stored behind a sync sample and shown before it leans on the group before that one.
  public var samplesRequiredForDecoderRefresh: Int {
    if isSync { return 0 }
    let time = entry.presentation
    var start = position
    while start > 0 {
      start -= 1
      guard index.entries[start].isSync else { continue }
      if let time, let sync = index.entries[start].presentation, sync > time { continue }
      return position - start
    }
    return position
  }

  /// Whether a sample before this one in decode order may be presented later than `cursor`'s.
  public func maySamplesWithEarlierDecodeTimesHavePresentationTimes(laterThan cursor: SampleCursor) -> Bool {
    checkSame(cursor)
    guard let limit = cursor.entry.presentation else { return true }
    // Codecs reorder by 16 pictures, or 32 fields, at most.
    return index.entries[max(0, position - 33)..<position].contains { $0.presentation ?? .min > limit }
  }

  private func time(_ tick: Int64?) -> MediaTime {
    guard let tick, let segment = index.timeline.segment(presenting: entry.presentation ?? tick) else {
      return .invalid
    }
    return MediaTime(index.timeline.time(ofTick: tick, in: segment))
  }

  // MARK: - Steps

  /// Goes so many samples on (or back, when negative) in decode order.
  ///
  /// - Returns: How many it went; fewer than asked for where the track ends.
  @discardableResult
  public mutating func stepInDecodeOrder(byCount count: Int64) -> Int64 {
    let target = pinned(position, count)
    defer { position = target }
    return Int64(target - position)
  }

  /// Goes so many samples on (or back, when negative) in the order of presentation.
  ///
  /// - Returns: How many it went; fewer than asked for where the track ends.
  @discardableResult
  public mutating func stepInPresentationOrder(byCount count: Int64) -> Int64 {
    let rank = index.rank(position)
    let target = pinned(rank, count)
    position = index.position(rank: target)
    return Int64(target - rank)
  }

  private func pinned(_ place: Int, _ count: Int64) -> Int {
    let (sum, overflow) = Int64(place).addingReportingOverflow(count)
    return Int(min(max(overflow ? count : sum, 0), Int64(index.count - 1)))
  }

  /// Goes to the last sample with a decode time at or before the current one's plus `duration`.
  ///
  /// - Returns: How far it went. A duration that is not a number moves nothing.
  @discardableResult
  public mutating func step(byDecodeTime duration: MediaTime) -> TimeStep {
    let old = decodeTime
    guard let ticks = ticks(duration), let now = entry.decode ?? entry.presentation else {
      return TimeStep(moved: .zero, wasPinned: true)
    }
    let target = now.addingReportingOverflow(ticks)
    let tick = target.overflow ? ticks < 0 ? .min : .max : target.partialValue
    let found = index.position(decodedAt: tick)
    let last = index.entries[index.count - 1]
    position = found ?? 0
    return TimeStep(
      moved: decodeTime - old,
      wasPinned: found == nil
        || position == index.count - 1 && tick >= (last.decode ?? .max) &+ Int64(max(1, last.duration)))
  }

  /// Goes to the last sample with a presentation time at or before the current one's plus `duration`.
  ///
  /// - Returns: How far it went. A duration that is not a number moves nothing.
  @discardableResult
  public mutating func step(byPresentationTime duration: MediaTime) -> TimeStep {
    let old = presentationTime
    guard let ticks = ticks(duration), let now = entry.presentation ?? entry.decode else {
      return TimeStep(moved: .zero, wasPinned: true)
    }
    let target = now.addingReportingOverflow(ticks)
    let tick = target.overflow ? ticks < 0 ? .min : .max : target.partialValue
    let found = index.position(presentedAt: tick)
    let last = index.position(rank: index.count - 1)
    position = found ?? index.position(rank: 0)
    let end = (index.entries[last].presentation ?? .max) &+ Int64(max(1, index.entries[last].duration))
    return TimeStep(moved: presentationTime - old, wasPinned: found == nil || position == last && tick >= end)
  }

  /// Whole ticks at or below a duration; nil when it is not a number.
  private func ticks(_ duration: MediaTime) -> Int64? {
    if duration.isPositiveInfinity { return .max }
    if duration.isNegativeInfinity { return .min }
    return duration.rational.map { Rational.floor($0, in: index.timeline.timeBase) }
  }

  private func checkSame(_ other: SampleCursor) {
    precondition(index === other.index, "cursors can be compared within one track alone")
  }
}

extension SampleCursor: Comparable {
  /// Whether both stand at the same sample of the same track.
  public static func == (left: SampleCursor, right: SampleCursor) -> Bool {
    left.index === right.index && left.position == right.position
  }
  /// Whether the left one's sample is decoded before the right one's; both must be of one track.
  public static func < (left: SampleCursor, right: SampleCursor) -> Bool {
    left.checkSame(right)
    return left.position < right.position
  }
}

extension AssetTrack {
  /// A cursor at the sample on show at a time: the last one presented at or before it, or the first sample of all.
  ///
  /// The first cursor of a track lists its samples: from the file's tables (MP4, QuickTime), else by reading through all
  /// packets. Later ones cost nothing.
  ///
  /// - Returns: nil for a track without samples.
  /// - Throws: ``MediaError``: `invalidArgument` for a time that is not a number, `limitExceeded` for more than two million
  ///   samples, and what reading throws.
  public func makeSampleCursor(presentationTime time: MediaTime) async throws -> SampleCursor? {
    let isFarBack = time.isNegativeInfinity
    guard let moment = time.rational ?? (isFarBack || time.isPositiveInfinity ? .zero : nil) else {
      throw MediaError(
        .invalidArgument, operation: "read", subject: subject, reason: "the time \(time) is not a number")
    }
    let index = try await sampleIndex()
    guard index.count > 0 else { return nil }
    if time.isPositiveInfinity {
      return SampleCursor(index: index, position: index.position(rank: index.count - 1))
    }
    let shown = index.timeline.segments.filter { !$0.isEmpty }
    guard !isFarBack,
      let segment = shown.last(where: { $0.start <= moment }) ?? shown.first,
      let tick = index.timeline.tick(at: segment.end.map { min(moment, $0) } ?? moment, in: segment)
    else { return SampleCursor(index: index, position: index.position(rank: 0)) }
    return SampleCursor(
      index: index, position: index.position(presentedAt: tick) ?? index.position(rank: 0))
  }

  /// A cursor at the first sample in decode order; nil for a track without samples.
  ///
  /// - Throws: as ``makeSampleCursor(presentationTime:)``.
  public func makeSampleCursorAtFirstSampleInDecodeOrder() async throws -> SampleCursor? {
    let index = try await sampleIndex()
    return index.count > 0 ? SampleCursor(index: index, position: 0) : nil
  }

  /// A cursor at the last sample in decode order; nil for a track without samples.
  ///
  /// - Throws: as ``makeSampleCursor(presentationTime:)``.
  public func makeSampleCursorAtLastSampleInDecodeOrder() async throws -> SampleCursor? {
    let index = try await sampleIndex()
    return index.count > 0 ? SampleCursor(index: index, position: index.count - 1) : nil
  }
}

extension TrackTimeline {
  /// The first segment that presents a stored tick, else the first one that presents anything: what lies outside keeps
  /// its distance to it.
  func segment(presenting tick: Int64) -> Segment? {
    let stored = timeBase * Rational(tick)
    let shown = segments.lazy.filter { !$0.isEmpty }
    return shown.first { segment in
      guard let source = segment.source, stored >= source else { return false }
      return segment.duration.map { stored < source + $0 * segment.rate } ?? true
    } ?? shown.first
  }
}
