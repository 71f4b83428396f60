/// A composition is asked as an asset is. It knows its own properties, so nothing is read for them and nothing is ever
/// loading; what is read from its sources says so.
///
/// ``Reader``, ``ImageGenerator`` and ``ExportSession`` take a composition in place of an asset. It is no ``MediaAsset``,
/// because it is a value: a copy that is edited leaves readers of the other one alone.
extension Composition {
  /// One property.
  ///
  /// - Throws: ``MediaError`` for what sources have to be read for; `CancellationError`.
  public func load<Value>(_ property: AsyncProperty<Composition, Value>) async throws -> Value {
    try Task.checkCancellation()
    return try await property.load(self)
  }

  /// Several properties.
  public func load<First, Second, each Value>(
    _ first: AsyncProperty<Composition, First>, _ second: AsyncProperty<Composition, Second>,
    _ property: repeat AsyncProperty<Composition, each Value>
  ) async throws -> (First, Second, repeat each Value) {
    (try await load(first), try await load(second), repeat try await load(each property))
  }

  /// The track of a number; nil when there is none.
  public func loadTrack(withTrackID trackID: Int32) async throws -> Track? { track(withTrackID: trackID) }

  /// The tracks of a kind, in order; none is no error.
  public func loadTracks(withMediaType mediaType: MediaType) async throws -> [Track] {
    tracks(withMediaType: mediaType)
  }

  /// The tracks that can be seen, heard or read, in order; none for other characteristics, which no edit keeps.
  public func loadTracks(withMediaCharacteristic characteristic: MediaCharacteristic) async throws -> [Track] {
    tracks.filter { $0.hasMediaCharacteristic(characteristic) }
  }

  /// A track number that no track uses, at least 1.
  public func findUnusedTrackID() async throws -> Int32 { unusedTrackID }

  /// The chapters that a file of the composition gets: its own, and those of the sources that are seen or heard.
  ///
  /// Reads the sources' headers and chapters.
  ///
  /// - Throws: What opening the sources throws.
  public func loadChapterMetadataGroups(
    bestMatchingPreferredLanguages languages: [String] = [], assetOptions: MediaAsset.Options = .init()
  ) async throws -> [TimedMetadataGroup] {
    let list = try await chapterList(CompositionAssets(options: assetOptions), keepsSources: true)
    return list.closed(at: duration.rational).compactMap { chapter in
      TimedMetadataGroup(chapter, language: nil, includesArtwork: true) { titles in
        let best = LanguageTag.best(titles.map(\.language), for: languages)
        return best.map { titles[$0] } ?? titles.first ?? .init(text: "", language: nil)
      }
    }
  }

  /// The first track that can be inserted into another composition's track so that it looks as its own pictures do; nil
  /// when there is none.
  public func compatibleTrack(for track: Track) async throws -> Track? { tracks.first { track.isCompatible(with: $0) } }

  /// The number of a track into which all of another composition's track can be inserted; nil when there is none.
  public func mutableTrack(compatibleWith track: Track) -> Int32? { tracks.first { $0.isCompatible(with: track) }?.id }
}

extension Composition.Track {
  /// One property.
  ///
  /// - Throws: ``MediaError`` for what sources have to be read for; `CancellationError`.
  public func load<Value>(_ property: AsyncProperty<Composition.Track, Value>) async throws -> Value {
    try Task.checkCancellation()
    return try await property.load(self)
  }

  /// Several properties.
  public func load<First, Second, each Value>(
    _ first: AsyncProperty<Composition.Track, First>, _ second: AsyncProperty<Composition.Track, Second>,
    _ property: repeat AsyncProperty<Composition.Track, each Value>
  ) async throws -> (First, Second, repeat each Value) {
    (try await load(first), try await load(second), repeat try await load(each property))
  }

  /// Whether the track can be seen, heard or read.
  public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) -> Bool {
    switch characteristic {
    case .visual: mediaType == .video || mediaType.holdsText
    case .audible: mediaType == .audio
    case .legible: mediaType.holdsText
    case .frameBased: mediaType == .video
    default: false
    }
  }

  /// Inserts a range of another composition's track, segment by segment; what is there or later moves back.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for a track of another kind, and a range outside of it.
  public mutating func insertTimeRange(_ range: MediaTimeRange, of other: Composition.Track, at time: MediaTime) throws
  {
    guard other.mediaType == mediaType else {
      throw refuse("it holds \(mediaType), and the other track holds \(other.mediaType)")
    }
    guard time.isNumeric && time >= .zero || !time.isValid else { throw refuse("\(time) is no place in it") }
    let range = try Composition.resolve(range, duration: other.timeRange.end, subject: other.subject)
    let place = time.isValid ? time : timeRange.end
    var edited = self
    if edited.segments.isEmpty { edited.take(other, isNew: false) }
    edited.timeline.insertEmpty(MediaTimeRange(start: place, duration: range.duration))
    edited.timeline.overwrite(other.timeline.pieces(in: range), at: place)
    self = edited
  }

  func isCompatible(with track: Composition.Track) -> Bool {
    guard track.mediaType == mediaType else { return false }
    guard mediaType == .video, !segments.isEmpty else { return true }
    return track.preferredTransform.orientation == preferredTransform.orientation
  }
}

// MARK: - Properties

extension AsyncProperty where Root == Composition, Value == MediaTime {
  /// The end of the longest track.
  public static var duration: Self { Self("duration") { $0.duration } }
}

extension AsyncProperty where Root == Composition, Value == [Composition.Track] {
  /// The tracks in order.
  public static var tracks: Self { Self("tracks") { $0.tracks } }
}

extension AsyncProperty where Root == Composition, Value == PixelSize {
  /// The size of the pictures.
  public static var naturalSize: Self { Self("naturalSize") { $0.naturalSize } }
}

extension AsyncProperty where Root == Composition, Value == PictureTransform {
  /// None: tracks have turns of their own.
  public static var preferredTransform: Self { Self("preferredTransform") { _ in .identity } }
}

extension AsyncProperty where Root == Composition, Value == [MetadataItem] {
  /// None: no file is the film. ``ExportSession/Options/metadata`` is what a file of it gets.
  public static var metadata: Self { Self("metadata") { _ in [] } }
  /// None, as `metadata`.
  public static var commonMetadata: Self { Self("commonMetadata") { _ in [] } }
}

extension AsyncProperty where Root == Composition, Value == Bool {
  /// True: every edit is exact.
  public static var providesPreciseDurationAndTiming: Self { Self("providesPreciseDurationAndTiming") { _ in true } }
  /// Whether there is anything to see or hear. Whether the sources are there shows when they are read.
  public static var isPlayable: Self { Self("isPlayable") { $0.hasMedia } }
  /// As `isPlayable`.
  public static var isReadable: Self { Self("isReadable") { $0.hasMedia } }
  /// As `isPlayable`.
  public static var isExportable: Self { Self("isExportable") { $0.hasMedia } }
  /// True: compositions can be put into compositions.
  public static var isComposable: Self { Self("isComposable") { _ in true } }
  /// False: sources that are protected can't be put into a composition's file.
  public static var hasProtectedContent: Self { Self("hasProtectedContent") { _ in false } }
}

extension Composition {
  fileprivate var hasMedia: Bool {
    tracks.contains { [.video, .audio].contains($0.mediaType) && !$0.segments.isEmpty }
  }
}

extension AsyncProperty where Root == Composition.Track, Value == MediaTimeRange {
  /// From zero to the end of the last segment.
  public static var timeRange: Self { Self("timeRange") { $0.timeRange } }
}

extension AsyncProperty where Root == Composition.Track, Value == [Composition.Segment] {
  /// The segments in order.
  public static var segments: Self { Self("segments") { $0.segments } }
}

extension AsyncProperty where Root == Composition.Track, Value == Int32 {
  /// Ticks a second of the track's times.
  public static var naturalTimeScale: Self { Self("naturalTimeScale") { $0.naturalTimeScale } }
}

extension AsyncProperty where Root == Composition.Track, Value == String? {
  /// ISO 639-2/T.
  public static var languageCode: Self { Self("languageCode") { $0.languageCode } }
  /// BCP 47.
  public static var extendedLanguageTag: Self { Self("extendedLanguageTag") { $0.extendedLanguageTag } }
}

extension AsyncProperty where Root == Composition.Track, Value == Float {
  /// The volume of the track's sound.
  public static var preferredVolume: Self { Self("preferredVolume") { $0.preferredVolume } }
}

extension AsyncProperty where Root == Composition.Track, Value == Bool {
  /// Whether the track is seen or heard.
  public static var isEnabled: Self { Self("isEnabled") { $0.isEnabled } }
}

extension AsyncProperty where Root == Composition.Track, Value == PixelSize {
  /// The size of the track's pictures, before they are turned.
  public static var naturalSize: Self { Self("naturalSize") { $0.naturalSize } }
}

extension AsyncProperty where Root == Composition.Track, Value == PictureTransform {
  /// The turn that shows the track's pictures upright.
  public static var preferredTransform: Self { Self("preferredTransform") { $0.preferredTransform } }
}

extension AsyncProperty where Root == Composition.Track, Value == [FormatDescription] {
  /// The descriptions of the track's sources, each once, in the order of their first use. Reads the sources, with the
  /// default options.
  public static var formatDescriptions: Self {
    Self("formatDescriptions") { track in
      let assets = CompositionAssets(options: .init())
      var found: [FormatDescription] = []
      for source in track.sources {
        try Task.checkCancellation()
        for description in try await assets.track(source, track.mediaType).load(.formatDescriptions)
        where !found.contains(description) { found.append(description) }
      }
      return found
    }
  }
}
