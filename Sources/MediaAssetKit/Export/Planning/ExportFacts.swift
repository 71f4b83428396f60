import ISOMedia
import LibAV

/// What a plan is made from: the facts of an asset, as values.
struct ExportFacts: Sendable {
  struct Track: Sendable {
    var id: Int32
    var mediaType: MediaType
    var codec: String?
    var isListed: Bool
    var isDecodable: Bool
    var isEnabled: Bool
    var isDefault: Bool
    var isProtected: Bool
    /// Whether stored samples say when they are presented.
    var hasTimes: Bool
    var isEmpty: Bool
    var alternateGroup: Int
    var language: String?
    var video: VideoFormat?
    var audio: AudioFormat?
    var transform = PictureTransform.identity
    var frameDuration = MediaTime.invalid
    var timeRange: MediaTimeRange
    var bitRate: Int64?
    /// Stored bytes of what the asked range presents, counted; nil where nothing lists them.
    var bytes: Int64?
    /// Samples of the asked range, where ``bytes`` is known.
    var samples: Int?
    /// What can be copied of the asked range when it is cut exactly; nil where nothing is cut or nothing can be.
    var edges: ExportPlan.Edges?
    /// Why nothing can be copied of it so.
    var reasonAgainstEdges: String?
    /// Why its samples can't go on as stored, whatever the file type; nil where nothing forbids it.
    var reasonAgainstCopying: String?
    /// What of a composition's pictures can be copied where not all can; nil where nothing can.
    var spliced: SplicedFacts?
    /// What is wrong with its source, for whoever gets the file.
    var notes: [String] = []
    /// Why it is left out on purpose; nil where nothing says so.
    var reasonToDrop: String?
    /// H.264's number of the profile.
    var profile: Int?
    /// Where the asked range can begin at the latest, when samples are copied: its sync sample.
    var syncStart: MediaTime?

    init(id: Int32, mediaType: MediaType, codec: String?, timeRange: MediaTimeRange) {
      self.id = id
      self.mediaType = mediaType
      self.codec = codec
      self.timeRange = timeRange
      (isListed, isDecodable, isEnabled, isDefault, isProtected) = (true, true, true, true, false)
      (hasTimes, isEmpty, alternateGroup) = (true, false, 0)
    }
  }

  var subject: String
  var duration: MediaTime
  var timeRange: MediaTimeRange
  /// Whether the range ends before the asset.
  var isCutAtEnd: Bool
  /// Bytes of the whole source; nil where it does not tell.
  var fileSize: Int64?
  var tracks: [Track]

  var isCutAtStart: Bool { timeRange.start > .zero }

  /// Reads what the plan for a range of an asset needs; decodes a picture where only that tells what a track is.
  static func load(
    _ asset: MediaAsset, range asked: MediaTimeRange, cut: ExportSession.Cut = .automatic
  ) async throws -> ExportFacts {
    let header = try await asset.header()
    let duration = try await asset.load(.duration)
    func refuse(_ reason: String) -> MediaError {
      MediaError(.invalidArgument, operation: "export", subject: asset.subject, reason: reason)
    }
    guard asked.start.isNumeric, asked.duration.isPositiveInfinity || asked.duration.isNumeric else {
      throw refuse("the time range is not valid")
    }
    let start = max(asked.start, .zero)
    var end = asked.end
    if duration.isNumeric {
      guard start < duration || start == .zero else {
        throw refuse("the time range begins at \(start.seconds) s, and the asset ends at \(duration.seconds) s")
      }
      end = min(end, duration)
    }
    guard end > start || asked.duration.isPositiveInfinity || duration == .zero else {
      throw refuse("the time range is empty")
    }
    let range =
      end.isNumeric
      ? MediaTimeRange(start: start, end: end) : MediaTimeRange(start: start, duration: .positiveInfinity)
    let isCutAtEnd = asked.end.isNumeric && (duration.isNumeric ? asked.end < duration : true)
    var facts = ExportFacts(
      subject: asset.subject, duration: duration, timeRange: range, isCutAtEnd: isCutAtEnd, fileSize: header.size,
      tracks: [])
    let (video, sound) = (header.defaultVideoTrack?.id, header.defaultAudioTrack?.id)
    for track in try await asset.load(.tracks) {
      try Task.checkCancellation()
      var fact = try await describe(track, header, range, isCut: start > .zero || isCutAtEnd)
      if cut != .automatic, start > .zero || isCutAtEnd, track.mediaType == .video, fact.isListed, !fact.isEmpty {
        switch try await CutScan(track: track, range: range, isCutAtEnd: isCutAtEnd).run() {
        case .edges(let edges): fact.edges = edges
        case .nothing(let reason): fact.reasonAgainstEdges = reason
        }
      }
      if track.mediaType == .video { fact.isDefault = track.trackID == video }
      if track.mediaType == .audio { fact.isDefault = track.trackID == sound }
      facts.tracks.append(fact)
    }
    if let note = try await asset.noteOfMissingBytes() {
      for index in facts.tracks.indices { facts.tracks[index].notes.append(note) }
    }
    return facts
  }

  private static func describe(
    _ track: AssetTrack, _ header: ContainerHeader, _ range: MediaTimeRange, isCut: Bool
  ) async throws -> Track {
    let container = track.track
    var fact = Track(
      id: track.trackID, mediaType: track.mediaType, codec: container.codec,
      timeRange: try await track.load(.timeRange))
    fact.isListed = container.stream != nil
    fact.isDecodable = container.isDecodable
    fact.isEnabled = container.isEnabled
    fact.isEmpty = container.sampleCount == 0 && !header.containsFragments
    fact.alternateGroup = container.iso.map { Int($0.alternateGroup) } ?? 0
    fact.language = container.language
    fact.isProtected = container.iso?.sampleDescriptions.contains(where: \.isProtected) ?? false
    fact.hasTimes = container.canBeCopied(from: header.container)
    if !fact.isEmpty, fact.isListed {
      let description = try await track.load(.formatDescriptions).first
      (fact.video, fact.audio) = (description?.video, description?.audio)
    }
    fact.bitRate = try await track.load(.bitRate)
    if track.mediaType == .video {
      fact.transform = try await track.load(.preferredTransform)
      fact.frameDuration = try await track.load(.nominalFrameDuration)
      if container.codec == "h264", let bytes = container.stream?.extradata {
        fact.profile = ParameterSets.avc(bytes).map { Int($0.profile) }
      }
    }
    if let listed = try listedBytes(of: container, header, range) {
      (fact.bytes, fact.samples) = (listed.bytes, listed.samples)
    }
    if isCut, range.start > .zero, fact.isListed, !fact.isEmpty, track.mediaType == .video {
      var samples = try Reader(asset: track.asset, timeRange: range).output(for: track).makeAsyncIterator()
      if let first = try await samples.next(), first.presentationTime.isNumeric {
        fact.syncStart = min(range.start, first.presentationTime)
      }
    }
    return fact
  }

  /// Adds up the samples that a movie's tables list within the range, from the sync sample before it on.
  private static func listedBytes(
    of track: ContainerTrack, _ header: ContainerHeader, _ range: MediaTimeRange
  ) throws -> (bytes: Int64, samples: Int)? {
    guard let iso = track.iso, let movie = header.movie, !header.containsFragments,
      let table = try? movie.sampleTable(of: iso, maximumSamples: SampleIndex.maximumSamples)
    else { return nil }
    let timeline = track.timeline
    let (start, end) = (range.start.rational ?? .zero, range.end.rational)
    guard
      let segment = timeline.segments.first(where: { segment in
        !segment.isEmpty && segment.end.map { $0 > start } ?? true
      })
    else { return (0, 0) }
    let first = timeline.tick(at: max(start, segment.start), in: segment) ?? 0
    let last = end.flatMap { end in timeline.tick(at: end, in: segment) } ?? .max
    var (bytes, samples) = (Int64(0), 0)
    for sample in table {
      // What lies before the last sync sample at or before the range is not needed.
      if sample.isSync, sample.presentationTime <= first { (bytes, samples) = (0, 0) }
      if sample.presentationTime >= last, end != nil { continue }
      bytes += Int64(sample.size)
      samples += 1
    }
    return (bytes, samples)
  }
}

extension ContainerTrack {
  /// Whether stored samples have to be given the times at which they are presented.
  func needsTimes(in container: String) -> Bool {
    CodecTraits(codec: codec ?? "").reorders && timing(in: container) != .stored
  }

  /// Whether stored samples say when they are presented, or that follows from the others.
  func canBeCopied(from container: String) -> Bool {
    guard needsTimes(in: container) else { return true }
    return timing(in: container) == .partlyStored || ["mpeg1video", "mpeg2video"].contains(codec ?? "")
  }
}
