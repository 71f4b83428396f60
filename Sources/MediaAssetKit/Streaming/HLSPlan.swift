import LibAV

/// Which tracks of an asset go into a package, and how.
struct HLSPlan: Sendable {
  /// Pictures first.
  private(set) var sources: [HLSSource] = []
  private(set) var subtitles: [HLSSubtitles] = []
  private(set) var dropped: [(trackID: Int32, reason: String)] = []
  /// One picture's time, of the pictures.
  private(set) var frameDuration: MediaTime?
  /// Where the package begins in the asset's time.
  let start: MediaTime
  /// Where it ends; nil: with its tracks.
  let end: MediaTime?

  init(asset: MediaAsset, options: HLSPackager.Options) async throws {
    let range = options.timeRange
    start = range?.start ?? .zero
    end = range.flatMap { $0.end.isNumeric ? $0.end : nil }
    if let range {
      guard range.start.isNumeric, range.duration > .zero else {
        throw MediaError(
          .invalidArgument, operation: "package", subject: asset.subject, reason: "the time range is not valid")
      }
    }
    func isWanted(_ track: AssetTrack) -> Bool { options.trackIDs.map { $0.contains(track.trackID) } ?? true }
    let pictures = try await asset.loadTracks(withMediaType: .video).filter(isWanted)
    let usual = try await asset.loadDefaultTrack(withMediaType: .video)
    if let track = pictures.first(where: { $0 == usual }) ?? pictures.first {
      let nominal = try await track.load(.nominalFrameDuration)
      let shortest = try await track.load(.minFrameDuration)
      // Coarse clocks make single pictures a little shorter; where rates really differ the highest one counts.
      let isUneven = shortest.isNumeric && nominal.isNumeric && shortest * 5 < nominal * 4 && shortest > .zero
      frameDuration = isUneven ? shortest : nominal.isNumeric ? nominal : nil
      let rate = frameDuration.map { $0 > .zero ? 1 / $0.seconds : 30 } ?? 30
      sources.append(
        try await HLSSource(pictures: track, makesLadder: options.makesLadder, frameRate: rate, range: range))
      for other in pictures where other != track {
        dropped.append((other.trackID, "a package has one track of pictures"))
      }
    }
    let sounds = try await asset.loadTracks(withMediaType: .audio).filter(isWanted)
    let usualSound = try await asset.loadDefaultTrack(withMediaType: .audio)
    let first = sounds.first { $0 == usualSound }
    for track in [first].compactMap(\.self) + sounds.filter({ $0 != first }) {
      let isDecodable = try await track.load(.isDecodable)
      let isUsable = isDecodable ? true : try await HLSSource.canCopy(track, in: range)
      guard isUsable else {
        dropped.append((track.trackID, "there is no decoder for its sound"))
        continue
      }
      let number = sources.filter { $0.track.mediaType == .audio }.count + 1
      sources.append(try await HLSSource(sound: track, number: number, range: range))
    }
    guard !sources.isEmpty else {
      throw MediaError(
        .noSourceTrack, operation: "package", subject: asset.subject, reason: "it has neither pictures nor sound",
        remedy: "Use another file")
    }
    for kind in [MediaType.subtitle, .closedCaption, .text] {
      for track in try await asset.loadTracks(withMediaType: kind) {
        do {
          _ = try TextCoding(track)
          subtitles.append(try await HLSSubtitles(track: track, before: subtitles))
        } catch let error as MediaError where [.operationNotSupported, .decoderNotFound].contains(error.code) {
          dropped.append((track.trackID, error.reason))
        }
      }
    }
  }
}

/// A track on its way into one or several renditions.
struct HLSSource: Sendable {
  let track: AssetTrack
  let title: String
  let language: String?
  private let baseName: String
  /// Whether samples go on as they are stored.
  let copies: Bool
  private let range: MediaTimeRange?
  private(set) var rungs: [HLSLadder.Rung] = []
  private var isLadder = false
  private var transform = PictureTransform.identity
  private var channels = 2

  static let copied: Set<String> = [
    "h264", "hevc", "av1", "aac", "ac3", "eac3", "mp3", "alac", "flac",
  ]

  /// Whether players take the track as it is stored.
  static func canCopy(_ track: AssetTrack, in range: MediaTimeRange?) async throws -> Bool {
    guard let codec = track.track.codec, copied.contains(codec) else { return false }
    // Packets of sound reach over a beginning between them.
    guard track.mediaType == .video else { return range.map { $0.start == .zero } ?? true }
    // Segments begin with sync samples, and so does the first. One that an edit list hides would be shown by browsers, or
    // all up to the next one would not.
    for try await sample in try Reader(asset: track.asset, timeRange: range).output(for: track) {
      return sample.isSync && !sample.isHidden && sample.presentationTime >= range?.start ?? .zero
    }
    return false
  }

  init(pictures track: AssetTrack, makesLadder: Bool, frameRate: Double, range: MediaTimeRange?) async throws {
    self.track = track
    self.range = range
    (title, language, baseName) = ("video", nil, "video")
    copies = makesLadder ? false : try await Self.canCopy(track, in: range)
    guard !copies else { return }
    transform = try await track.load(.preferredTransform)
    guard let format = try await track.load(.formatDescriptions).first?.video else {
      throw MediaError(
        .operationNotSupported, operation: "package", subject: track.subject,
        reason: "the size of its pictures is unknown", remedy: "Use another file")
    }
    let shown = PixelFitting.displaySize(format.encodedSize, format.sampleAspectRatio)
    // Stretching narrow pixels would be larger than the source.
    let size =
      shown.width <= format.encodedSize.width && shown.height <= format.encodedSize.height
      ? shown
      : PixelSize(
        width: format.encodedSize.width,
        height: max(2, format.encodedSize.width * shown.height / max(1, shown.width)))
    rungs = HLSLadder.rungs(source: size, frameRate: frameRate)
    isLadder = makesLadder
    if !makesLadder { rungs = Array(rungs.prefix(1)) }
  }

  init(sound track: AssetTrack, number: Int, range: MediaTimeRange?) async throws {
    self.track = track
    self.range = range
    baseName = number == 1 ? "audio" : "audio-\(number)"
    let tag = try await track.load(.extendedLanguageTag)
    let code = try await track.load(.languageCode)
    // RFC 5646 wants the shortest name of a language.
    language = LanguageTag.canonical(tag ?? code)
    title = (language ?? "audio") + (number == 1 ? "" : " \(number)")
    copies = try await Self.canCopy(track, in: range)
    channels = try await track.load(.formatDescriptions).first?.audio?.channels ?? 2
  }

  /// The inputs of the renditions, by name.
  func inputs() async throws -> [(String, Writer.Input)] {
    if copies { return [(baseName, try await .passthrough(of: track))] }
    var properties = Writer.Input.Properties()
    properties.languageCode = try await track.load(.languageCode)
    properties.extendedLanguageTag = try await track.load(.extendedLanguageTag)
    guard track.mediaType == .video else {
      let settings = AudioSettings(codec: "aac", bitRate: 64_000 * max(1, min(channels, 8)))
      return [(baseName, Writer.Input(audio: settings, properties: properties))]
    }
    return rungs.map { rung in
      var settings = VideoSettings(codec: "h264", size: rung.size, quality: 0.57)
      settings.pixelAspectRatio = PixelAspectRatio(horizontal: 1, vertical: 1)
      // Sync samples where segments begin only: players change between sizes there.
      settings.encoderOptions = [
        "sc_threshold": "0", "maxrate": String(rung.maximumBitRate), "bufsize": String(2 * rung.maximumBitRate),
      ]
      properties.transform = transform.normalized(for: rung.size)
      let name = isLadder ? "\(baseName)-\(rung.size)" : baseName
      return (name, Writer.Input(video: settings, properties: properties))
    }
  }

  /// Reads the track once for all its renditions.
  func feed(_ targets: [HLSRendition], progress: (@Sendable (MediaTime) -> Void)?) async throws {
    let kind: TrackOutput.Settings =
      copies ? .stored : track.mediaType == .video ? .video() : .audio(AudioOutputSettings())
    let start = range?.start ?? .zero
    var latest = start
    for try await sample in try Reader(asset: track.asset, timeRange: range).output(for: track, settings: kind) {
      for target in targets { try await target.input.append(sample) }
      if sample.presentationTime.isNumeric, sample.presentationTime > latest {
        latest = sample.presentationTime
        progress?(latest - start)
      }
    }
    for target in targets { try await target.writer.finishWriting() }
  }
}
