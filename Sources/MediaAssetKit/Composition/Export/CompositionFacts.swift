import FoundationEssentials
import LibAV

/// What the plan of a composition's export is made from: one track of pictures and one of sound, drawn and mixed, or as
/// stored where the segments' samples join.
struct CompositionFacts {
  let composition: Composition
  let preset: ExportPreset
  let options: ExportSession.Options
  let assets: CompositionAssets

  /// Some months: what lasts longer is no film but a wrong number.
  private static let maximumDuration = MediaTime(value: 10_000_000, timescale: 1)

  /// The facts, and how the pictures are drawn where they are.
  func load() async throws -> (facts: ExportFacts, video: VideoComposition?) {
    try composition.validate()
    let range = try composition.readRange(options.timeRange)
    guard range.duration <= Self.maximumDuration else {
      throw MediaError(
        .limitExceeded, operation: "export", subject: "a composition",
        reason: "it lasts \(range.duration.seconds) seconds", remedy: "Export 10 million seconds at most at a time")
    }
    try await openSources()
    guard range.duration > .zero else {
      throw MediaError(
        .invalidArgument, operation: "export", subject: "a composition",
        reason: composition.duration == .zero ? "there is nothing in it" : "the time range is empty or behind its end")
    }
    var facts = ExportFacts(
      subject: "a composition", duration: composition.duration, timeRange: range, isCutAtEnd: false, fileSize: nil,
      tracks: [])
    var video: VideoComposition?
    if let pictures = composition.shownTracks(.video).first {
      let found = try await self.pictures(pictures, range)
      facts.tracks.append(found.fact)
      video = found.video
    }
    if let sound = composition.shownTracks(.audio).first {
      facts.tracks.append(try await self.sound(sound, range))
    }
    let shown = shownIDs
    for track in composition.tracks where ![.video, .audio].contains(track.mediaType) || !shown.contains(track.id) {
      if let fact = try await fact(of: track, isShown: shown.contains(track.id)) { facts.tracks.append(fact) }
    }
    let cutOff = try await cutOffSources()
    for index in facts.tracks.indices { facts.tracks[index].notes = notes(of: facts.tracks[index], cutOff) }
    return (facts, video)
  }

  /// What is wrong with the files that are cut off, each looked at once, whichever tracks it has. Those of disabled tracks
  /// need not even be there.
  private func cutOffSources() async throws -> [URL: String] {
    let shown = shownIDs
    var found: [URL: String] = [:]
    var seen: Set<URL> = []
    let tracks = composition.tracks.filter { shown.contains($0.id) }
    for source in tracks.flatMap(\.sources) where seen.insert(source.url).inserted {
      try Task.checkCancellation()
      found[source.url] = try await assets.asset(source.url).noteOfMissingBytes()
    }
    return found
  }

  /// Which of a track's files are cut off; the first few. What is drawn and mixed comes from all tracks of the kind.
  private func notes(of fact: ExportFacts.Track, _ cutOff: [URL: String]) -> [String] {
    let shown = shownIDs
    guard !cutOff.isEmpty, shown.contains(fact.id) else { return [] }
    var seen: Set<URL> = []
    let tracks = composition.tracks.filter { $0.mediaType == fact.mediaType && shown.contains($0.id) }
    let notes = tracks.flatMap(\.sources).compactMap { seen.insert($0.url).inserted ? cutOff[$0.url] : nil }
    return Array(notes.prefix(8))
  }

  /// Opens sources side by side, as many as are kept, before they are looked at one after another. What is wrong with one
  /// shows then.
  private func openSources() async throws {
    var seen: Set<Composition.Segment.Source> = []
    let sources = composition.tracks.filter(\.isEnabled).flatMap { track in
      track.sources.filter { seen.insert($0).inserted }.map { ($0, track.mediaType) }
    }
    guard sources.count > 2, seen.count <= CompositionAssets.capacity else { return }
    let assets = assets
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, (source, mediaType)) in sources.enumerated() {
        if index >= 4 { _ = try await group.next() }
        group.addTask {
          try Task.checkCancellation()
          _ = try? await assets.track(source, mediaType).load(.formatDescriptions)
        }
      }
      try await group.waitForAll()
    }
  }

  /// The tracks that are seen or heard.
  private var shownIDs: Set<Int32> {
    Set(composition.tracks.filter { $0.isEnabled && !$0.segments.isEmpty }.map(\.id))
  }

  /// A track that is neither drawn nor mixed; nil for an empty one.
  private func fact(of track: Composition.Track, isShown: Bool) async throws -> ExportFacts.Track? {
    guard !track.segments.isEmpty else { return nil }
    var fact = ExportFacts.Track(id: track.id, mediaType: track.mediaType, codec: nil, timeRange: track.timeRange)
    if !isShown {
      fact.reasonToDrop = "it is disabled"
      return fact
    }
    guard track.mediaType.holdsText else {
      fact.isDecodable = false
      fact.reasonAgainstCopying = "compositions are written with pictures, sound and text only"
      return fact
    }
    fact.language = track.languageCode
    for segment in track.segments {
      try Task.checkCancellation()
      guard let source = segment.source else { continue }
      let found = try await assets.track(source, track.mediaType)
      let (codec, own) = (found.track.codec, try await found.load(.timeRange))
      let isWhole =
        segment.timeMapping.source.start <= max(.zero, own.start) && segment.timeMapping.source.end >= own.end
      if fact.codec == nil { fact.codec = codec }
      if !found.track.isDecodable { fact.isDecodable = false }
      if codec != fact.codec {
        fact.reasonAgainstCopying = "its cues are coded in more than one way"
      } else if segment.isScaled || !isWhole {
        fact.reasonAgainstCopying = fact.reasonAgainstCopying ?? "cues that reach over a cut are cut with it"
      }
    }
    return fact
  }

  // MARK: Pictures

  private func pictures(
    _ track: Composition.Track, _ range: MediaTimeRange
  ) async throws -> (fact: ExportFacts.Track, video: VideoComposition?) {
    let sources = track.sources
    guard let first = sources.first else {
      return (ExportFacts.Track(id: track.id, mediaType: .video, codec: nil, timeRange: track.timeRange), nil)
    }
    let source = try await assets.track(first, .video)
    let description = try await source.load(.formatDescriptions).first
    var fact = ExportFacts.Track(
      id: track.id, mediaType: .video, codec: description?.codec, timeRange: track.timeRange)
    fact.language = track.languageCode
    fact.frameDuration = try await source.load(.nominalFrameDuration)
    fact.bitRate = try await source.load(.bitRate)
    let reason = try await reasonAgainstCopyingPictures(range)
    guard let reason else {
      fact.video = description?.video
      fact.transform = try await source.load(.preferredTransform)
      // A preset that encodes draws all the same.
      if !preset.video.mustEncode { return (fact, nil) }
      let video = try await drawing()
      fact.video = drawn(video, like: description?.video)
      fact.transform = .identity
      fact.codec = nil
      fact.reasonAgainstCopying = "the preset encodes pictures"
      return (fact, video)
    }
    let video = try await drawing()
    fact.video = drawn(video, like: description?.video)
    fact.spliced = try await spliced(track, range, video)
    fact.codec = nil
    if video.frameDuration.isNumeric { fact.frameDuration = video.frameDuration }
    fact.reasonAgainstCopying = reason
    return (fact, video)
  }

  /// What can be copied where something has to be encoded. A preset that copies everything encodes only for cuts that are
  /// asked to be exact.
  private func spliced(
    _ track: Composition.Track, _ range: MediaTimeRange, _ video: VideoComposition
  ) async throws -> SplicedFacts? {
    guard options.videoComposition == nil, options.customCompositor == nil, !preset.video.mustEncode,
      preset.video != .copy || options.cut != .automatic, composition.shownTracks(.video).count == 1
    else { return nil }
    return try await CompositionParts(track: track, range: range, size: video.renderSize, assets: assets).find()
  }

  private func drawing() async throws -> VideoComposition {
    if let video = options.videoComposition {
      try video.validate(for: composition, timeRange: options.timeRange)
      return video
    }
    let size = composition.hasOwnSize ? composition.naturalSize : nil
    let tracks = composition.shownTracks(.video)
    guard tracks.count == 1 else {
      return try await VideoComposition(propertiesOf: composition, assetOptions: assets.options)
    }
    return try await .fitting(composition, renderSize: size, assetOptions: assets.options)
  }

  private func drawn(_ video: VideoComposition, like source: VideoFormat?) -> VideoFormat {
    let size = video.renderSize
    let colour = ColourDescription(video.colour).filled(from: ColourDescription(source?.colour ?? ColourProperties()))
    return VideoFormat(
      encodedSize: size, cleanAperture: PixelRect(size), naturalSize: size, sampleAspectRatio: .square,
      pixelFormat: (source?.bitDepth ?? 8) > 8 ? "yuv420p10le" : "yuv420p",
      bitDepth: (source?.bitDepth ?? 8) > 8 ? 10 : 8,
      fieldOrder: .progressive, colour: ColourProperties(colour), hdr: LayerRange.isHDR(colour) ? source?.hdr : nil)
  }

  /// Why the segments' pictures can't be put one after another as stored; nil when they can.
  func reasonAgainstCopyingPictures(_ range: MediaTimeRange) async throws -> String? {
    if preset.video != .copy, options.videoComposition != nil || options.customCompositor != nil {
      return "its pictures are drawn"
    }
    let tracks = composition.shownTracks(.video)
    guard tracks.count == 1, let track = tracks.first else { return "several tracks of pictures are drawn into one" }
    if composition.hasOwnSize { return "its size is set" }
    var like: StoredPictureCoding?
    for segment in track.segments {
      try Task.checkCancellation()
      let shown = segment.timeRange.intersection(range)
      guard shown.duration > .zero else { continue }
      guard let source = segment.source else { return "there is nothing at \(segment.timeRange.start.seconds) s" }
      guard !segment.isScaled else { return segment.reasonAgainstCopying }
      let part = segment.part(shown).timeMapping.source
      let found = try await assets.track(source, .video)
      let coding = try await StoredPictureCoding(found)
      if let like, like != coding { return "the clips are coded differently" }
      like = coding
      if let reason = try await reasonAgainstCopying(found, part) { return reason }
    }
    return nil
  }

  /// Samples can begin where decoding can, and end where the next ones don't lean on what is shown before them.
  private func reasonAgainstCopying(_ track: AssetTrack, _ part: MediaTimeRange) async throws -> String? {
    guard track.track.canBeCopied(from: try await track.asset.header().container) else {
      return "its samples are stored without the times at which they are presented"
    }
    let start = Reader(asset: track.asset, timeRange: part)
    var samples = try start.output(for: track).makeAsyncIterator()
    guard let first = try await samples.next() else { return "a clip has no pictures" }
    guard first.isSync, !first.isHidden, first.presentationTime == part.start else {
      return "a clip begins between two sync samples"
    }
    let end = try await track.load(.timeRange).end
    guard end.isNumeric, part.end < end else { return nil }
    let behind = Reader(asset: track.asset, timeRange: MediaTimeRange(start: part.end, end: end))
    var following = try behind.output(for: track).makeAsyncIterator()
    guard let next = try await following.next(), next.isSync, next.presentationTime == part.end else {
      return "a clip ends between two sync samples"
    }
    return nil
  }

  // MARK: Sound

  private func sound(_ track: Composition.Track, _ range: MediaTimeRange) async throws -> ExportFacts.Track {
    let sources = track.sources
    var fact = ExportFacts.Track(id: track.id, mediaType: .audio, codec: nil, timeRange: track.timeRange)
    fact.language = track.languageCode
    guard let first = sources.first else { return fact }
    let source = try await assets.track(first, .audio)
    fact.codec = try await source.load(.formatDescriptions).first?.codec
    fact.bitRate = try await source.load(.bitRate)
    let format = try await composition.mixFormat(AudioOutputSettings(), assets)
    fact.audio = AudioFormat(
      sampleRate: format.sampleRate, channels: format.channels, layout: format.layout,
      sampleFormat: "fltp")
    if let reason = try await reasonAgainstCopyingSound(range) {
      fact.reasonAgainstCopying = reason
      fact.codec = nil
    }
    return fact
  }

  /// Why the segments' sound can't be put one after another as stored; nil when it can.
  func reasonAgainstCopyingSound(_ range: MediaTimeRange) async throws -> String? {
    if options.audioMix != nil, preset.audio != .copy { return "its sound is mixed" }
    let tracks = composition.shownTracks(.audio)
    guard tracks.count == 1, let track = tracks.first else { return "several tracks of sound are mixed into one" }
    if track.preferredVolume != 1 { return "its volume is changed" }
    var like: FormatDescription?
    var count = 0
    for segment in track.segments {
      try Task.checkCancellation()
      let shown = segment.timeRange.intersection(range)
      guard shown.duration > .zero else { continue }
      guard let source = segment.source else {
        if preset.audio == .copy, shown.duration < MediaTime(value: 1, timescale: 10) { continue }
        return "there is silence at \(segment.timeRange.start.seconds) s"
      }
      guard !segment.isScaled else { return segment.reasonAgainstCopying }
      count += 1
      let found = try await assets.track(source, .audio)
      var description = try await found.load(.formatDescriptions).first
      description?.codecString = nil
      if let like, like != description { return "the clips are coded differently" }
      like = description
      // Uncompressed samples are copied one by one.
      let codec = found.track.codec ?? ""
      if CopiedSegments.bytesOfSample(codec) != nil { continue }
      if codec.hasPrefix("pcm") { return "sound is joined on the sample" }
      // Packets end where they end: the joints would be off by up to half of one. Edit lists can say more, but most
      // players hear no edit but the first of a track to the sample, and what a packet leans on lies in the clip before.
      if count > 1, preset.audio != .copy {
        return "sound is joined on the sample, and packets of \(codec) are not cut"
      }
    }
    return nil
  }
}
