import ISOMedia

extension AsyncProperty where Root == MediaAsset, Value == MediaTime {
  /// The end of the longest presented track, measured from the asset's zero; indefinite when nothing tells.
  ///
  /// From the header where that says it. Where it does not, a local source of at most
  /// ``MediaConfiguration/scanLimit`` bytes is read through; with
  /// ``MediaAsset/Options/prefersPreciseDurationAndTiming`` every source is. ``durationQuality`` says which it was.
  public static var duration: Self { Self("duration") { try await $0.timing().duration } }

  /// The offset from live; always invalid, since live streams are not assets here.
  public static var minimumTimeOffsetFromLive: Self {
    Self("minimumTimeOffsetFromLive") { _ in .invalid }
  }

  /// The duration with all fragments, as `mehd` states it; invalid where it does not.
  public static var overallDurationHint: Self {
    Self("overallDurationHint") { asset in
      guard let movie = try await asset.header().movie,
        let hint = movie.movieExtends?.fragmentDuration, movie.timescale > 0
      else { return .invalid }
      return MediaTime(reducing: Int128(hint), over: Int128(movie.timescale))
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == DurationQuality {
  /// How sure the duration is.
  public static var durationQuality: Self {
    Self("durationQuality") { try await $0.timing().quality }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == [AssetTrack] {
  /// Every video, sound, subtitle, caption, timecode and metadata track in the file's order, also empty, broken and
  /// undecodable ones. Attached pictures and tracks that only carry chapters are not among them.
  public static var tracks: Self {
    Self("tracks", current: { $0.loadedHeader?.assetTracks(of: $0) }) { asset in
      try await asset.header().assetTracks(of: asset)
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == Float {
  /// The natural rate of play; 1 where the header says nothing.
  public static var preferredRate: Self {
    Self("preferredRate") {
      try await $0.header().movie.map { Float($0.preferredRate) / 65_536 } ?? 1
    }
  }
  /// The natural volume, 0 to 1; 1 where the header says nothing.
  public static var preferredVolume: Self {
    Self("preferredVolume") {
      try await $0.header().movie.map { Float($0.preferredVolume) / 256 } ?? 1
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == PictureTransform {
  /// The movie's matrix, nearly always the identity; each track has its own.
  public static var preferredTransform: Self {
    Self("preferredTransform") {
      try await $0.header().movie.map { PictureTransform($0.matrix) } ?? .identity
    }
  }
}

extension AsyncProperty where Root == MediaAsset, Value == Bool {
  /// Whether times are exact: the container lists its samples, or they were counted.
  public static var providesPreciseDurationAndTiming: Self {
    Self("providesPreciseDurationAndTiming") { try await $0.timing().quality == .exact }
  }
  /// Whether something is encrypted.
  public static var hasProtectedContent: Self {
    Self("hasProtectedContent") { try await $0.header().movie?.hasProtection ?? false }
  }
  /// Whether the header announces fragments (`mvex`).
  public static var canContainFragments: Self {
    Self("canContainFragments") { try await $0.header().movie?.movieExtends != nil }
  }
  /// Whether the file has at least one fragment (`moof`).
  public static var containsFragments: Self {
    Self("containsFragments") { try await $0.header().containsFragments }
  }
  /// Whether at least one picture or sound track can be decoded.
  public static var isPlayable: Self { Self("isPlayable") { try await $0.hasDecodableMedia() } }
  /// Whether samples can be read: some track is decodable or can be passed on as stored.
  public static var isReadable: Self {
    Self("isReadable") { asset in
      let header = try await asset.header()
      return header.movie?.hasProtection != true && !header.tracks.isEmpty
    }
  }
  /// Whether some export can work.
  public static var isExportable: Self { Self("isExportable") { try await $0.hasDecodableMedia() } }
  /// Whether its tracks can be used in a composition.
  public static var isComposable: Self { Self("isComposable") { try await $0.hasDecodableMedia() } }
}

extension AsyncProperty where Root == MediaAsset, Value == String {
  /// The container: `mp4 mov matroska webm mpegts mpegps ogg mp3 adts flac wav aiff caf avi flv gif`, or FFmpeg's name of another.
  public static var container: Self { Self("container") { try await $0.header().container } }
}

extension AsyncProperty where Root == MediaAsset, Value == FileType? {
  /// The container's uniform type identifier; nil where none is known.
  public static var fileType: Self { Self("fileType") { try await $0.header().fileType } }
}

extension AsyncProperty where Root == MediaAsset, Value == Int64? {
  /// The size in bytes; nil where the source does not tell.
  public static var fileSize: Self { Self("fileSize") { try await $0.header().size } }
}

extension MediaAsset {
  func hasDecodableMedia() async throws -> Bool {
    let header = try await header()
    return header.movie?.hasProtection != true
      && header.tracks.contains { $0.isDecodable && [.video, .audio].contains($0.mediaType) }
  }

  /// The track with a number of the container; nil when there is none.
  public func loadTrack(withTrackID trackID: Int32) async throws -> AssetTrack? {
    try await load(.tracks).first { $0.trackID == trackID }
  }

  /// The tracks of a kind, in the file's order; none is no error.
  public func loadTracks(withMediaType type: MediaType) async throws -> [AssetTrack] {
    try await load(.tracks).filter { $0.mediaType == type }
  }

  /// The tracks with a characteristic, in the file's order.
  public func loadTracks(withMediaCharacteristic characteristic: MediaCharacteristic) async throws
    -> [AssetTrack]
  {
    var found: [AssetTrack] = []
    for track in try await load(.tracks)
    where try await track.load(.mediaCharacteristics).contains(characteristic) {
      found.append(track)
    }
    return found
  }

  /// The default track of a kind: marked as default first, then the first programme, then the file's order.
  ///
  /// Sound comes from the programme of the default picture. Never the largest picture, as the ffmpeg command takes.
  public func loadDefaultTrack(withMediaType type: MediaType) async throws -> AssetTrack? {
    let header = try await header()
    let track = type == .audio ? header.defaultAudioTrack : header.defaultTrack(type)
    return track.map { AssetTrack(asset: self, track: $0) }
  }

  /// A track number that no track uses, at least 1.
  public func findUnusedTrackID() async throws -> Int32 {
    let header = try await header()
    let used = Set(
      header.tracks.map(\.id) + (header.movie?.tracks.map { Int32(clamping: $0.trackID) } ?? []))
    return (1...Int32.max).first { !used.contains($0) } ?? 0
  }
}

extension ContainerHeader {
  func assetTracks(of asset: MediaAsset) -> [AssetTrack] { tracks.map { AssetTrack(asset: asset, track: $0) } }
}
