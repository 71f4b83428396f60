import LibAV

/// Makes a plan from facts, a preset and a file type. Pure: no media is touched.
struct ExportPlanner {
  let facts: ExportFacts
  let preset: ExportPreset
  let options: ExportSession.Options
  let container: WritableContainer

  init(_ facts: ExportFacts, _ preset: ExportPreset, _ options: ExportSession.Options, fileType: FileType) throws {
    guard let container = WritableContainer.container(for: fileType) else {
      throw MediaError(
        .operationNotSupported, operation: "export", subject: facts.subject,
        reason: "files of type \(fileType) can't be written",
        remedy: "Use one of \(WritableContainer.types.map(\.rawValue).joined(separator: ", "))")
    }
    self.facts = facts
    self.preset = preset
    self.options = options
    self.container = container
  }

  /// - Throws: ``MediaError`` with the reason where nothing would be left in the file.
  func makePlan() throws -> ExportPlan {
    if let reason = preset.reasonAgainst {
      throw error(.encoderNotFound, reason, "Install an FFmpeg that has one, or use another preset")
    }
    var tracks = facts.tracks.map { planTrack($0) }
    limitToOne(&tracks)
    guard tracks.contains(where: { $0.action != .drop }) else {
      let reasons = tracks.map { "track \($0.trackID) (\($0.mediaType)): \($0.reason)" }
      throw error(
        tracks.isEmpty ? .noSourceTrack : .operationNotSupported,
        tracks.isEmpty ? "the asset has no tracks" : "nothing of it would be left: \(reasons.joined(separator: "; "))",
        "Use another preset or file type")
    }
    var plan = ExportPlan(
      preset: preset.name, fileType: container.type, timeRange: facts.timeRange, presentedRange: facts.timeRange,
      isCutAtEnd: facts.isCutAtEnd, tracks: tracks, expectedFileLength: nil, certainty: .unknown)
    setPresentedRange(&plan)
    ExportEstimate(facts: facts, container: container).fill(&plan)
    return plan
  }

  private func error(_ code: MediaError.Code, _ reason: String, _ remedy: String = "") -> MediaError {
    MediaError(code, operation: "export", subject: facts.subject, reason: reason, remedy: remedy)
  }

  // MARK: Tracks

  private func planTrack(_ fact: ExportFacts.Track) -> ExportPlan.Track {
    var track = ExportPlan.Track(trackID: fact.id, mediaType: fact.mediaType, sourceCodec: fact.codec)
    track.notes = fact.notes
    func drop(_ reason: String, isIntended: Bool = false) -> ExportPlan.Track {
      var dropped = track
      dropped.reason = reason
      dropped.isDropIntended = isIntended
      return dropped
    }
    if let chosen = options.trackIDs, !chosen.contains(fact.id) {
      return drop("it was not asked for", isIntended: true)
    }
    if let reason = fact.reasonToDrop { return drop(reason, isIntended: true) }
    if !fact.isListed { return drop("FFmpeg does not list it") }
    if fact.isEmpty { return drop("it has no samples") }
    if fact.isProtected { return drop("its samples are encrypted") }
    if isOutside(fact) { return drop("nothing of it lies in the time range") }
    switch fact.mediaType {
    case .video: return video(fact, track)
    case .audio: return sound(fact, track)
    case .subtitle, .text, .closedCaption:
      return preset.keepsText ? text(fact, track) : drop("the preset keeps no text", isIntended: true)
    default:
      guard preset.keepsTimecode else {
        return drop("the preset keeps no timecode or timed metadata", isIntended: true)
      }
      if fact.mediaType == .metadata, let reason = options.metadataFilter.reasonAgainstTimedMetadata {
        return drop(reason, isIntended: true)
      }
      if let reason = reasonAgainstCopying(fact) { return drop(reason) }
      track.copy("the file type holds it as stored")
      return track
    }
  }

  private func isOutside(_ fact: ExportFacts.Track) -> Bool {
    let range = fact.timeRange
    guard range.start.isNumeric, facts.isCutAtStart || facts.isCutAtEnd else { return false }
    if facts.timeRange.end.isNumeric, range.start >= facts.timeRange.end { return true }
    return facts.isCutAtStart && range.end.isNumeric && range.end <= facts.timeRange.start
  }

  func reasonAgainstCopying(_ fact: ExportFacts.Track) -> String? {
    if let reason = fact.reasonAgainstCopying { return reason }
    // FFmpeg's name for what it has no codec for.
    if let reason = container.reasonAgainst(codec: fact.codec ?? "none", mediaType: fact.mediaType) { return reason }
    if !fact.hasTimes { return "its samples are stored without the times at which they are presented" }
    return nil
  }

  private func video(_ fact: ExportFacts.Track, _ start: ExportPlan.Track) -> ExportPlan.Track {
    var track = start
    let reason = reasonAgainstCopying(fact)
    let isLate = !container.isMovie && fact.syncStart.map { $0 < facts.timeRange.start } ?? false
    let (edges, against) = exactCut(fact, isLate: isLate)
    let copies: Bool
    switch preset.video {
    case .none:
      track.reason = "the preset keeps no pictures"
      track.isDropIntended = true
      return track
    case .copy: copies = against == nil
    case .copyOrEncode: copies = reason == nil && against == nil
    case .match(let settings): copies = reason == nil && matches(fact, settings) && against == nil
    case .encode: copies = false
    }
    var notJoined = ""
    switch splice(fact, track) {
    case .success(let spliced?): return spliced
    case .success(nil): break
    case .failure(let refusal): notJoined = "; clips can't be copied among encoded ones, because \(refusal.reason)"
    }
    if copies {
      if let reason {
        track.reason = reason
        return track
      }
      track.copy("the file type holds \(fact.codec ?? "it") as stored")
      track.size = fact.video?.encodedSize
      track.transform = fact.transform
      track.isCutExact = !isLate || edges != nil
      if let edges {
        track.edges = edges.edges
        track.video = edges.settings
        track.reason += edges.summary
      } else if isLate {
        track.notes.append("it begins at the sync sample before the range: the file type has no edit lists")
      }
      if !container.isMovie, fact.transform.orientation != .up {
        track.notes.append("the turn that shows it upright is lost: the file type does not hold it")
      }
      return track
    }
    guard fact.isDecodable else {
      track.reason = "this FFmpeg has no decoder for \(fact.codec ?? "it")"
      return track
    }
    let why: String
    if let reason, preset.video.settings != nil, !preset.video.mustEncode {
      why = reason
    } else {
      why =
        !preset.video.mustEncode || matches(fact, preset.video.settings)
        ? against.map { "the cut is to be exact, and \($0)" } ?? "the preset encodes pictures"
        : "the preset encodes pictures"
    }
    return ExportPictures(self, fact).encode(track, why: why + notJoined)
  }

  /// A composition's pictures where some clips can be copied, and others have to be encoded; nil where all have to.
  private func splice(
    _ fact: ExportFacts.Track, _ start: ExportPlan.Track
  ) -> Result<ExportPlan.Track?, EdgeRefusal> {
    guard let spliced = fact.spliced, !preset.frameDuration.isNumeric else { return .success(nil) }
    var like = fact
    (like.codec, like.video, like.profile) = (spliced.codec, spliced.video, spliced.profile)
    switch preset.video {
    case .none, .encode: return .success(nil)
    case .match(let settings): guard matches(like, settings) else { return .success(nil) }
    case .copy, .copyOrEncode: break
    }
    if let reason = container.reasonAgainst(codec: like.codec ?? "none", mediaType: .video) {
      return .failure(EdgeRefusal(reason: reason))
    }
    return ExportPictures(self, like).edgeSettings().map { settings in
      var track = start
      track.sourceCodec = like.codec
      track.copy("\(spliced.summary); the file type holds \(like.codec ?? "it") as stored")
      (track.parts, track.video, track.size) = (spliced.parts, settings, like.video?.encodedSize)
      return track
    }
  }

  /// What is copied of pictures that are cut exactly, and how the others are encoded.
  struct EdgeCut {
    var edges: ExportPlan.Edges
    /// nil where nothing has to be encoded.
    var settings: VideoSettings?

    var summary: String {
      if edges.copyStart >= edges.copyEnd {
        return "; it lies within a group of pictures, and is encoded to be cut exactly"
      }
      return switch (edges.encodesHead, edges.encodesTail) {
      case (true, true): "; the pictures at both ends are encoded, so that it is cut exactly"
      case (true, false): "; the pictures at the beginning are encoded, so that it is cut exactly"
      case (false, true): "; the last pictures are encoded, so that it is cut exactly"
      case (false, false): ""
      }
    }
  }

  /// nil without a reason: a plain copy is as exact as was asked for.
  private func exactCut(_ fact: ExportFacts.Track, isLate: Bool) -> (EdgeCut?, reasonAgainst: String?) {
    guard facts.isCutAtStart || facts.isCutAtEnd else { return (nil, nil) }
    guard options.cut == .clean || options.cut == .exact && !container.isMovie else { return (nil, nil) }
    guard let edges = fact.edges else {
      let reason = fact.reasonAgainstEdges ?? (isLate ? "copies have to begin at a sync sample" : nil)
      return (nil, reason)
    }
    guard edges.encodesHead || edges.encodesTail else { return (EdgeCut(edges: edges), nil) }
    switch ExportPictures(self, fact).edgeSettings() {
    case .success(let settings): return (EdgeCut(edges: edges, settings: settings), nil)
    case .failure(let refusal): return (nil, refusal.reason)
    }
  }

  /// What pictures are encoded with in this container.
  func videoSettings(for fact: ExportFacts.Track) -> VideoSettings {
    let usual = UsualCodecs(container.type)
    switch preset.video {
    case .encode(let settings), .match(let settings): return settings
    case .copyOrEncode(let settings):
      if container.reasonAgainst(codec: settings.codec, mediaType: .video) == nil { return settings }
      return ExportPreset.picture(usual.video, factor: usual.factor)
    case .none, .copy:
      // An exact cut of what would be copied: in its own codec where that can be encoded.
      let codec = fact.codec.flatMap { EncoderChoice.encoder(codec: $0, named: nil) != nil ? $0 : nil } ?? usual.video
      return ExportPreset.picture(codec, factor: UsualCodecs.factor(codec))
    }
  }

  private func matches(_ fact: ExportFacts.Track, _ settings: VideoSettings?) -> Bool {
    guard let settings, fact.codec == settings.codec, settings.size == nil, !preset.frameDuration.isNumeric else {
      return false
    }
    guard let size = fact.video?.naturalSize else { return false }
    let box = preset.maximumSize
    return (box.width == 0 || size.width <= box.width) && (box.height == 0 || size.height <= box.height)
  }

  // MARK: Text

  private func text(_ fact: ExportFacts.Track, _ start: ExportPlan.Track) -> ExportPlan.Track {
    var track = start
    let reason = reasonAgainstCopying(fact)
    let own = UsualCodecs(container.type).text
    // Cues that began before the cut are stored before it: as text they are cut like everything else.
    if reason == nil, !facts.isCutAtStart || own == nil || !TextFormat.isText(fact.codec) {
      track.copy("the file type holds it as stored")
      return track
    }
    guard let own, container.reasonAgainst(codec: own, mediaType: .subtitle) == nil else {
      track.reason = reason ?? "\(container.type) holds no text"
      return track
    }
    guard fact.isDecodable, TextFormat.isText(fact.codec) else {
      track.reason = (reason ?? "it is no text") + ", and it can't be turned into text"
      return track
    }
    track.action = .convert
    track.codec = own
    track.reason =
      (reason ?? "cues that reach over the cut are cut with it") + "; placement and styles are not kept"
    return track
  }

  // MARK: Several tracks

  /// One picture track is encoded; alternatives of sound are kept where that was asked for or costs nothing.
  private func limitToOne(_ tracks: inout [ExportPlan.Track]) {
    func keepOne(_ indices: [Int], _ reason: String) {
      guard indices.count > 1 else { return }
      let chosen =
        indices.first { facts.tracks[$0].isDefault } ?? indices.first { facts.tracks[$0].isEnabled } ?? indices[0]
      for index in indices where index != chosen { tracks[index].drop(reason) }
    }
    func kept(_ type: MediaType) -> [Int] {
      tracks.indices.filter { tracks[$0].mediaType == type && tracks[$0].action != .drop }
    }
    if preset.video.mustEncode, options.trackIDs == nil {
      keepOne(kept(.video), "one track of pictures is encoded, the default one")
    }
    if preset.audio.mustEncode, options.trackIDs == nil {
      for index in kept(.audio) where !facts.tracks[index].isEnabled && !facts.tracks[index].isDefault {
        if !options.audioTrackGroupHandling.contains(.preserveAlternateTracks) { tracks[index].drop("it is disabled") }
      }
      if !options.audioTrackGroupHandling.contains(.preserveAlternateTracks) {
        let groups = Swift.Dictionary(grouping: kept(.audio)) { facts.tracks[$0].alternateGroup }
        for (group, indices) in groups where group != 0 {
          keepOne(indices, "it is an alternative to another track of sound")
        }
      }
    }
    if preset.video == .none, !preset.keepsText { keepOne(kept(.audio), "a file of sound holds one track of it") }
    if container.isSingle {
      let all = tracks.indices.filter { tracks[$0].action != .drop }
      keepOne(all, "\(container.type) holds one track")
    }
  }

  private func setPresentedRange(_ plan: inout ExportPlan) {
    let late = plan.tracks.indices.filter { !plan.tracks[$0].isCutExact && plan.tracks[$0].mediaType == .video }
    let starts = late.compactMap { facts.tracks[$0].syncStart }
    guard let first = starts.min(), first < plan.timeRange.start else { return }
    plan.presentedRange =
      plan.timeRange.end.isNumeric
      ? MediaTimeRange(start: first, end: plan.timeRange.end)
      : MediaTimeRange(start: first, duration: .positiveInfinity)
  }
}

extension ExportPlan.Track {
  /// Samples go on as they are.
  mutating func copy(_ reason: String) {
    (action, codec, self.reason) = (.copy, sourceCodec, reason)
  }

  mutating func drop(_ reason: String) {
    self = ExportPlan.Track(trackID: trackID, mediaType: mediaType, sourceCodec: sourceCodec)
    self.reason = reason
  }
}
