import FoundationEssentials

extension Composition {
  /// Inserts a range of an asset: pictures, sound and text, each track into one of its kind, adding tracks as needed; what
  /// is later moves back in all tracks.
  ///
  /// The asset must have a URL, which is what the composition keeps. Reads the asset's header. Where a track is shorter
  /// than the range, nothing is there.
  ///
  /// - Parameters:
  ///   - range: A range of the asset's time; an infinite length reaches to its end.
  ///   - asset: The asset.
  ///   - time: Where, behind the end too; invalid: at the end.
  /// - Throws: ``MediaError`` with `invalidArgument` for a range that does not lie in the asset, and for an asset without
  ///   a URL; `noSourceTrack` where nothing of it can be inserted; what opening throws.
  public mutating func insertTimeRange(_ range: MediaTimeRange, of asset: MediaAsset, at time: MediaTime) async throws {
    try await insertTimeRange(range, of: try await asset.load(.tracks), in: asset, at: time)
  }

  /// Inserts a range of an asset's default tracks of pictures and sound; as ``insertTimeRange(_:of:at:)-(_,MediaAsset,_)``.
  public mutating func insertDefaultTracks(
    _ range: MediaTimeRange, of asset: MediaAsset, at time: MediaTime
  ) async throws {
    var tracks: [AssetTrack] = []
    for type in [MediaType.video, .audio] {
      if let track = try await asset.loadDefaultTrack(withMediaType: type) { tracks.append(track) }
    }
    try await insertTimeRange(range, of: tracks, in: asset, at: time)
  }

  /// Puts an asset's default tracks of pictures and sound behind everything else.
  ///
  /// Where the sound begins or ends within a tenth of a second of the pictures, as most files have it, the pictures decide
  /// where the clip does: nothing black flashes between two clips.
  ///
  /// - Throws: ``MediaError`` as ``insertDefaultTracks(_:of:at:)``.
  public mutating func append(_ asset: MediaAsset) async throws {
    let duration = try await asset.load(.duration)
    var range = MediaTimeRange(start: .zero, duration: .positiveInfinity)
    if let pictures = try await asset.loadDefaultTrack(withMediaType: .video) {
      let shown = try await pictures.load(.timeRange)
      let near = MediaTime(value: 1, timescale: 10)
      if shown.start.isNumeric, shown.start > .zero, shown.start < near { range.start = shown.start }
      if shown.isNumeric {
        let end = duration.isNumeric && duration - shown.end > near ? duration : shown.end
        range = MediaTimeRange(start: range.start, end: end)
      }
    }
    try await insertDefaultTracks(range, of: asset, at: .invalid)
  }

  /// Whether tracks of a kind have a place in compositions.
  static func holds(_ mediaType: MediaType) -> Bool { [.video, .audio].contains(mediaType) || mediaType.holdsText }

  private mutating func insertTimeRange(
    _ range: MediaTimeRange, of tracks: [AssetTrack], in asset: MediaAsset, at time: MediaTime
  ) async throws {
    let url = try asset.composableURL
    let range = try Self.resolve(range, duration: try await asset.load(.duration), subject: asset.subject)
    var inserted: [InsertedTrack] = []
    for track in tracks where Self.holds(track.mediaType) {
      let own = try await track.load(.timeRange)
      let shown = own.duration.isNumeric ? own.intersection(range) : range
      guard shown.duration > .zero else { continue }
      let target = MediaTimeRange(start: shown.start - range.start, duration: shown.duration)
      inserted.append(
        InsertedTrack(
          like: try await Track(describing: track),
          pieces: [
            Segment(url: url, trackID: track.trackID, sourceTimeRange: shown, targetTimeRange: target)
          ]))
    }
    guard !inserted.isEmpty else {
      throw MediaError(
        .noSourceTrack, operation: "compose", subject: asset.subject,
        reason: "it has no pictures, sound or text in the range \(range)")
    }
    try insert(inserted, duration: range.duration, at: time)
  }

  /// The number of a track into which all of an asset's track can be inserted: of the same kind, and turned the same way
  /// where it holds pictures. nil when there is none.
  public func mutableTrack(compatibleWith track: AssetTrack) async throws -> Int32? {
    for own in tracks where try await own.isCompatible(with: track) { return own.id }
    return nil
  }
}

extension MediaAsset {
  /// The first track that can be inserted into a composition's track so that it looks as its own pictures do: of the same
  /// kind, and turned the same way. nil when there is none.
  public func compatibleTrack(for compositionTrack: Composition.Track) async throws -> AssetTrack? {
    for track in try await load(.tracks) where try await compositionTrack.isCompatible(with: track) { return track }
    return nil
  }

  /// What a composition keeps of an asset.
  var composableURL: URL {
    get throws {
      if let url { return url }
      throw MediaError(
        .invalidArgument, operation: "compose", subject: subject, reason: "the asset has no URL",
        remedy: "Write it to a file first")
    }
  }
}

extension Composition.Track {
  /// Inserts a range of an asset's track; as ``insertTimeRange(_:of:at:)-(_,Composition.Segment.Source,_)``, with a look
  /// at the asset's header.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a track of another kind, a range outside of it, an asset without
  ///   a URL; what opening throws.
  public mutating func insertTimeRange(_ range: MediaTimeRange, of track: AssetTrack, at time: MediaTime) async throws {
    try await insertTimeRanges([(range, track)], at: time)
  }

  /// Inserts ranges one after another, all or none; without a track nothing is there for a range's length.
  ///
  /// - Throws: ``MediaError`` as ``insertTimeRange(_:of:at:)-(_,AssetTrack,_)``.
  public mutating func insertTimeRanges(
    _ ranges: [(range: MediaTimeRange, track: AssetTrack?)], at time: MediaTime
  ) async throws {
    var edited = self
    var resolved: [(range: MediaTimeRange, source: Composition.Segment.Source?)] = []
    for (range, track) in ranges {
      guard let track else {
        resolved.append((range, nil))
        continue
      }
      guard track.mediaType == mediaType else {
        throw refuse("it holds \(mediaType), and \(track.subject) holds \(track.mediaType)")
      }
      let own = try await track.load(.timeRange)
      let whole = try Composition.resolve(range, duration: own.end, subject: track.subject)
      resolved.append((whole, .init(url: try track.asset.composableURL, trackID: track.trackID)))
      if edited.segments.isEmpty, resolved.allSatisfy({ $0.source == nil || $0.source?.trackID == track.trackID }) {
        let description = try await Composition.Track(describing: track)
        (edited.naturalTimeScale, edited.naturalSize) = (description.naturalTimeScale, description.naturalSize)
      }
    }
    try edited.insertTimeRanges(resolved, at: time)
    self = edited
  }

  /// What describes an asset's track.
  init(describing track: AssetTrack) async throws {
    self.init(id: 0, mediaType: track.mediaType)
    isEnabled = try await track.load(.isEnabled)
    languageCode = try await track.load(.languageCode)
    extendedLanguageTag = try await track.load(.extendedLanguageTag)
    naturalTimeScale = try await track.load(.naturalTimeScale)
    guard mediaType == .video else {
      if mediaType == .audio { preferredVolume = try await track.load(.preferredVolume) }
      return
    }
    preferredTransform = try await track.load(.preferredTransform)
    naturalSize = try await track.load(.naturalSize)
  }

  func isCompatible(with track: AssetTrack) async throws -> Bool {
    guard track.mediaType == mediaType else { return false }
    guard mediaType == .video, !segments.isEmpty else { return true }
    return try await track.load(.preferredTransform).orientation == preferredTransform.orientation
  }
}
