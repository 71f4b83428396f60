import ISOMedia
import LibAV

extension AsyncProperty where Root == AssetTrack, Value == [FormatDescription] {
  /// One description for each kind of sample in the track.
  ///
  /// From the header and the codec's parameter sets; one picture is decoded where these do not tell the pixel format.
  public static var formatDescriptions: Self {
    Self("formatDescriptions") { try await $0.details().descriptions }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Bool {
  /// Whether this FFmpeg has a decoder for the codec.
  public static var isDecodable: Self { Self("isDecodable") { $0.track.isDecodable } }
  /// Whether the track can be shown or heard.
  public static var isPlayable: Self {
    Self("isPlayable") { track in
      track.track.isDecodable
        && track.track.iso?.sampleDescriptions.contains(where: \.isProtected) != true
    }
  }
  /// Whether the track takes part in normal play.
  public static var isEnabled: Self { Self("isEnabled") { $0.track.isEnabled } }
  /// Whether all samples lie in the file itself.
  public static var isSelfContained: Self { Self("isSelfContained") { $0.track.isSelfContained } }
  /// Whether pictures are stored in another order than they are shown.
  public static var requiresFrameReordering: Self {
    Self("requiresFrameReordering") { track in
      guard track.mediaType == .video else { return false }
      if let iso = track.track.iso, !(try await track.asset.header()).containsFragments {
        return iso.samples.compositionOffsets != nil
      }
      return (track.track.stream?.reorderDelay ?? 0) > 0
    }
  }
  /// Whether sound samples lean on samples before them (pre-roll).
  public static var hasAudioSampleDependencies: Self {
    Self("hasAudioSampleDependencies") {
      $0.mediaType == .audio && $0.track.iso?.samples.syncSamples != nil
    }
  }
  /// Whether sample cursors exist for the track.
  public static var canProvideSampleCursors: Self {
    Self("canProvideSampleCursors") { $0.track.stream != nil || $0.track.iso != nil }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Int64 {
  /// Bytes of all samples; 0 where the container does not list them.
  public static var totalSampleDataLength: Self {
    Self("totalSampleDataLength") { track in
      guard let iso = track.track.iso, let movie = try await track.asset.header().movie else {
        return 0
      }
      return Int64(clamping: movie.totalSampleSize(of: iso))
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [MediaCharacteristic] {
  /// What the track offers: inferred from its media, from the container's dispositions, and tagged (`tagc`).
  public static var mediaCharacteristics: Self {
    Self("mediaCharacteristics") { try await $0.characteristics() }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == MediaTimeRange {
  /// When the track is presented, on the asset's timeline; starts later than 0 behind an empty edit, or where the first
  /// sample does.
  ///
  /// From the header where that tells. Where it does not (Matroska, FLV), the beginning of the file is read for the start;
  /// fragments of a local file are walked; the end is then the asset's unless the track has its own.
  public static var timeRange: Self {
    Self("timeRange") { track in
      let (start, end) = try await track.asset.range(of: track.track)
      guard let end else { return MediaTimeRange(start: MediaTime(start), duration: .indefinite) }
      return MediaTimeRange(
        start: MediaTime(start), duration: MediaTime(end < start ? .zero : end - start))
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Int32 {
  /// Ticks a second of the track's stored times.
  public static var naturalTimeScale: Self {
    Self("naturalTimeScale") { track in
      if let iso = track.track.iso { return Int32(clamping: iso.mediaTimescale) }
      let base = track.track.timeline.timeBase
      return Int32(clamping: base.numerator == 0 ? 0 : base.denominator / base.numerator)
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Float {
  /// Bits a second: stated by the header, else stored bytes over the duration; 0 when unknown.
  public static var estimatedDataRate: Self {
    Self("estimatedDataRate") { Float(try await $0.bitRate() ?? 0) }
  }
  /// Pictures a second: samples over the media's duration where the container lists them, else its nominal rate; 0 when unknown.
  public static var nominalFrameRate: Self {
    Self("nominalFrameRate") { Float(try await $0.frameRate()?.doubleValue ?? 0) }
  }
  /// The natural volume, 0 to 1.
  public static var preferredVolume: Self {
    Self("preferredVolume") { track in
      track.track.iso.map { Float($0.volume) / 256 } ?? (track.mediaType == .audio ? 1 : 0)
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == MediaTime {
  /// The shortest time between two pictures in the order of presentation; invalid when unknown.
  ///
  /// Costs a walk through the sample table where pictures are reordered. Where samples are not listed it is what was
  /// found while counting them, else one picture's time at the nominal rate.
  public static var minFrameDuration: Self {
    Self("minFrameDuration") { try await $0.shortestFrame().map { MediaTime($0) } ?? .invalid }
  }
  /// One picture's time at the nominal frame rate, exactly; invalid when unknown.
  public static var nominalFrameDuration: Self {
    Self("nominalFrameDuration") {
      try await $0.frameRate()?.reciprocal.map { MediaTime($0) } ?? .invalid
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == String? {
  /// ISO 639-2/T (`deu`); nil when undetermined.
  public static var languageCode: Self { Self("languageCode") { $0.track.language } }
  /// BCP 47 (`en-GB`), where the container has one.
  public static var extendedLanguageTag: Self {
    Self("extendedLanguageTag") { $0.track.extendedLanguage }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == PixelSize {
  /// The picture's size with the clean aperture and the sample aspect ratio applied, before the preferred transform.
  public static var naturalSize: Self {
    Self("naturalSize") { $0.geometry()?.naturalSize ?? .zero }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == PictureTransform {
  /// The track's matrix for its natural size, with the translation that brings the picture into the positive quadrant.
  public static var preferredTransform: Self {
    Self("preferredTransform") { track in
      track.geometry().map { track.transform(for: $0.naturalSize) } ?? .identity
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [AssetTrackSegment] {
  /// The edits as stored, with their rates; one segment where the container has none.
  public static var segments: Self {
    Self("segments") { track in
      let end = try await track.asset.range(of: track.track).end
      return track.track.timeline.segments.map { AssetTrackSegment($0, end: end) }
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == [AssetTrack.AssociationType] {
  /// The kinds of associations that the track has with others (`tref`).
  public static var availableTrackAssociationTypes: Self {
    Self("availableTrackAssociationTypes") { track in
      (track.track.iso?.references ?? []).map {
        AssetTrack.AssociationType(rawValue: $0.type.description)
      }
    }
  }
}

extension AsyncProperty where Root == AssetTrack, Value == Int? {
  /// The number of samples, where the container lists them or they were counted for the duration; nil elsewhere.
  public static var sampleCount: Self { Self("sampleCount") { try await $0.sampleCount() } }
  /// The programme that a track of a transport stream belongs to.
  public static var programNumber: Self { Self("programNumber") { $0.track.program } }
}

extension AssetTrack {
  /// A kind of association between tracks; the raw value is QuickTime's reference type.
  public struct AssociationType: RawRepresentable, Hashable, Sendable {
    /// Four characters, such as `chap`.
    public let rawValue: String
    /// An association type by its four characters.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The same sound in a format that more players can decode.
    public static let audioFallback = Self(rawValue: "fall")
    /// A track that carries the chapters of this one.
    public static let chapterList = Self(rawValue: "chap")
    /// Forced subtitles that belong to full ones.
    public static let forcedSubtitlesOnly = Self(rawValue: "forc")
    /// A track that is selected together with this one, such as subtitles in the language of a dubbed sound.
    public static let selectionFollower = Self(rawValue: "folw")
    /// A timecode track.
    public static let timecode = Self(rawValue: "tmcd")
    /// A track that metadata describes.
    public static let metadataReferent = Self(rawValue: "cdsc")
    /// Metadata that is needed to render the track.
    public static let renderMetadataSource = Self(rawValue: "rndr")
  }

  /// The tracks that this one refers to by a type.
  public func loadAssociatedTracks(ofType type: AssociationType) async throws -> [AssetTrack] {
    let ids = (track.iso?.references ?? []).filter { $0.type.description == type.rawValue }.flatMap(
      \.trackIDs)
    let tracks = try await asset.load(.tracks)
    return ids.compactMap { id in tracks.first { $0.trackID == Int32(clamping: id) } }
  }

  /// The segment that holds a time of the asset, or the closest one; nil when the track has none.
  public func loadSegment(forTrackTime time: MediaTime) async throws -> AssetTrackSegment? {
    let segments = try await load(.segments)
    if let holder = segments.first(where: { $0.timeMapping.target.containsTime(time) }) {
      return holder
    }
    return segments.first.map {
      time < $0.timeMapping.target.start ? $0 : segments[segments.count - 1]
    }
  }

  /// The stored presentation time shown at a time of the asset; invalid outside the track or in an empty edit.
  public func loadSamplePresentationTime(forTrackTime time: MediaTime) async throws -> MediaTime {
    let segments = try await load(.segments)
    guard let holder = segments.first(where: { $0.timeMapping.target.containsTime(time) }),
      !holder.isEmpty
    else { return .invalid }
    return holder.timeMapping.sourceTime(ofTarget: time)
  }

  /// Whether the track has a characteristic.
  public func hasMediaCharacteristic(_ characteristic: MediaCharacteristic) async throws -> Bool {
    try await load(.mediaCharacteristics).contains(characteristic)
  }
}

extension MediaTime {
  /// An exact fraction of a second as a time in lowest terms.
  init(_ value: Rational) {
    self.init(reducing: Int128(value.numerator), over: Int128(value.denominator))
  }
}
