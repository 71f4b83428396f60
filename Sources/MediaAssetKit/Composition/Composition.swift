/// Media of several assets arranged in time, without copying any: what a film editor calls a timeline.
///
/// A value: tracks of segments, each a range of another asset's track. Edits are exact fractions of a second, and each
/// segment lies where it was put, so a thousand joints drift by nothing. `Codable`: a timeline file.
///
/// ```swift
/// var film = Composition()
/// try await film.insertTimeRange(.init(start: .zero, duration: .positiveInfinity), of: first, at: .zero)
/// try await film.insertTimeRange(.init(start: .zero, duration: .positiveInfinity), of: second, at: film.duration)
/// try await ExportSession(composition: film, preset: .automatic).export(to: url)
/// ```
///
/// Differences from AVMutableComposition, on purpose: it is a value, so there is no mutable and immutable half; tracks that
/// an insertion adds take turn, language and volume over from their source; a call that can't be done throws instead of
/// doing nothing.
public struct Composition: Sendable, Hashable, Codable {
  /// The tracks in order: of pictures, the first lies at the bottom.
  public private(set) var tracks: [Track] = []
  /// Its own chapters, which a file of it gets beside those of the sources. Edits of the tracks don't move them.
  public var chapters: [Chapter] = []
  /// The size of the pictures; zero sides: that of the first track of pictures, upright.
  private var chosenSize = PixelSize.zero

  /// A composition of nothing.
  public init() {}

  private enum CodingKeys: String, CodingKey {
    case tracks, chapters, chosenSize
  }

  /// Reads what `encode(to:)` writes; chapters and size may be missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    tracks = try values.decode([Track].self, forKey: .tracks)
    chapters = try values.decodeIfPresent([Chapter].self, forKey: .chapters) ?? []
    chosenSize = try values.decodeIfPresent(PixelSize.self, forKey: .chosenSize) ?? .zero
  }

  /// The end of the longest track.
  public var duration: MediaTime { tracks.map(\.timeRange.end).max() ?? .zero }

  /// The size of the pictures: that of the first track of pictures, before it is turned, unless another is set; setting
  /// ``PixelSize/zero`` goes back to it.
  public var naturalSize: PixelSize {
    get { chosenSize == .zero ? tracks.first { $0.mediaType == .video }?.naturalSize ?? .zero : chosenSize }
    set { chosenSize = newValue }
  }

  /// Whether a size was set.
  var hasOwnSize: Bool { chosenSize != .zero }

  // MARK: Tracks

  /// Adds an empty track.
  ///
  /// - Parameters:
  ///   - mediaType: The kind of media.
  ///   - preferredTrackID: Its number; one that is free where it is taken or not above 0.
  /// - Returns: The track's number.
  @discardableResult
  public mutating func addMutableTrack(withMediaType mediaType: MediaType, preferredTrackID: Int32 = 0) -> Int32 {
    let isFree = preferredTrackID > 0 && track(withTrackID: preferredTrackID) == nil
    let id = isFree ? preferredTrackID : unusedTrackID
    tracks.append(Track(id: id, mediaType: mediaType))
    return id
  }

  /// The lowest number that no track has.
  var unusedTrackID: Int32 {
    let used = Set(tracks.map(\.id))
    return (1...Int32.max).first { !used.contains($0) } ?? 1
  }

  /// Removes a track, and what ties others to it. Does nothing when there is none of that number.
  public mutating func removeTrack(withTrackID trackID: Int32) {
    tracks.removeAll { $0.id == trackID }
    for index in tracks.indices { tracks[index].associations.removeAll { $0.trackID == trackID } }
  }

  /// The track of a number; nil when there is none.
  public func track(withTrackID trackID: Int32) -> Track? { tracks.first { $0.id == trackID } }

  /// The tracks of a kind, in order.
  public func tracks(withMediaType mediaType: MediaType) -> [Track] { tracks.filter { $0.mediaType == mediaType } }

  /// A track of the composition, to look at or to change. There must be one of that number.
  public subscript(trackID: Int32) -> Track {
    get {
      guard let track = track(withTrackID: trackID) else {
        preconditionFailure("the composition has no track \(trackID)")
      }
      return track
    }
    set {
      precondition(newValue.id == trackID, "a track keeps its number")
      guard let index = tracks.firstIndex(where: { $0.id == trackID }) else {
        preconditionFailure("the composition has no track \(trackID)")
      }
      precondition(newValue.mediaType == tracks[index].mediaType, "a track keeps its kind of media")
      tracks[index] = newValue
    }
  }

  // MARK: All tracks

  /// Makes room in all tracks: what is at the range's start or later moves back by its length.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
  public mutating func insertEmptyTimeRange(_ range: MediaTimeRange) throws {
    try editAll { try $0.insertEmptyTimeRange(range) }
  }

  /// Removes a range from all tracks; what is behind it moves forward. No track goes away.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
  public mutating func removeTimeRange(_ range: MediaTimeRange) throws {
    try editAll { try $0.removeTimeRange(range) }
  }

  /// Plays a range of all tracks in another length, faster or slower; what is behind it moves.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` unless both lengths are above zero.
  public mutating func scaleTimeRange(_ range: MediaTimeRange, toDuration duration: MediaTime) throws {
    try editAll { try $0.scaleTimeRange(range, toDuration: duration) }
  }

  /// Plays a range of all tracks backwards; nothing else moves.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a range that is no stretch of time from zero on.
  public mutating func reverseTimeRange(_ range: MediaTimeRange) throws {
    try editAll { try $0.reverseTimeRange(range) }
  }

  /// Inserts a range of another composition, track by track, each into one of its kind; what is later moves back in all.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a range that does not lie in the other composition.
  public mutating func insertTimeRange(_ range: MediaTimeRange, of other: Composition, at time: MediaTime) throws {
    let range = try other.resolve(range, duration: other.duration)
    let sources = other.tracks.map { track in
      InsertedTrack(like: track, pieces: track.timeline.pieces(in: range))
    }
    try insert(sources, duration: range.duration, at: time)
  }

  private mutating func editAll(_ edit: (inout Track) throws -> Void) throws {
    var edited = tracks
    for index in edited.indices { try edit(&edited[index]) }
    tracks = edited
  }

  // MARK: Inserting

  /// What an insertion brings for one track.
  struct InsertedTrack {
    /// What a new track is like.
    var like: Track
    var pieces: [Segment]
  }

  /// Puts each into the next track of its kind, adding tracks as needed; all tracks stay in step.
  mutating func insert(_ inserted: [InsertedTrack], duration: MediaTime, at time: MediaTime) throws {
    let place = time.isValid ? time : self.duration
    guard place.isNumeric, place >= .zero else {
      throw MediaError(
        .invalidArgument, operation: "compose", subject: "a composition", reason: "\(time) is no place in it")
    }
    var edited = self
    try edited.insertEmptyTimeRange(MediaTimeRange(start: place, duration: duration))
    var taken: Set<Int32> = []
    for source in inserted where source.pieces.contains(where: { $0.source != nil }) {
      let found = edited.tracks.first { $0.mediaType == source.like.mediaType && !taken.contains($0.id) }
      let id = found?.id ?? edited.addMutableTrack(withMediaType: source.like.mediaType)
      taken.insert(id)
      edited[id].take(source.like, isNew: found == nil)
      edited[id].timeline.overwrite(source.pieces, at: place)
    }
    self = edited
  }

  /// A range cut to what is there; an infinite length reaches to the end.
  func resolve(_ range: MediaTimeRange, duration: MediaTime) throws -> MediaTimeRange {
    try Self.resolve(range, duration: duration, subject: "a composition")
  }

  static func resolve(_ range: MediaTimeRange, duration: MediaTime, subject: String) throws -> MediaTimeRange {
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "compose", subject: subject, reason: reason)
    }
    guard range.start.isNumeric, range.start >= .zero else { throw refuse("the range \(range) begins nowhere in it") }
    var resolved = range
    if range.duration.isPositiveInfinity {
      guard duration.isNumeric else { throw refuse("how long it is is not known; name a range") }
      resolved = MediaTimeRange(start: range.start, end: max(duration, range.start))
    }
    guard resolved.duration.isNumeric, resolved.duration > .zero else { throw refuse("the range \(range) is empty") }
    if duration.isNumeric, resolved.end > duration {
      throw refuse("the range \(range) reaches behind its end at \(duration)")
    }
    return resolved
  }
}

extension Composition.Track {
  /// Takes over what describes the media, where there was none.
  mutating func take(_ other: Composition.Track, isNew: Bool) {
    if segments.isEmpty { (naturalTimeScale, naturalSize) = (other.naturalTimeScale, other.naturalSize) }
    guard isNew else { return }
    (preferredTransform, preferredVolume, isEnabled) = (
      other.preferredTransform, other.preferredVolume, other.isEnabled
    )
    (languageCode, extendedLanguageTag) = (other.languageCode, other.extendedLanguageTag)
  }
}

extension CompositionTimeline {
  typealias Placed = Segment

  /// What lies in a range; targets count from its start.
  func pieces(in range: MediaTimeRange) -> [Placed] {
    segments.compactMap { segment in
      let shown = segment.timeRange.intersection(range)
      guard shown.duration > .zero else { return nil }
      return segment.part(shown).moved(
        to: MediaTimeRange(start: shown.start - range.start, duration: shown.duration))
    }
  }

  /// Puts pieces where nothing is, each at its place behind `time`.
  mutating func overwrite(_ pieces: [Placed], at time: MediaTime) {
    for piece in pieces where !piece.isEmpty {
      let range = piece.timeRange
      put(piece.moved(to: MediaTimeRange(start: time + range.start, duration: range.duration)))
    }
    trim()
  }
}
