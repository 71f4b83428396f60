import ISOMedia
import LibAV

/// What a plan needs to know of pictures of which some can be copied and some can't.
struct SplicedFacts: Sendable {
  var parts: [ExportPlan.Part]
  /// What the copied pictures are like: those that are encoded have to be like them.
  var codec: String?
  var video: VideoFormat?
  /// H.264's number of the profile.
  var profile: Int?

  var summary: String {
    let encoded = parts.filter { !$0.isCopied }
    let seconds = encoded.reduce(MediaTime.zero) { $0 + $1.timeRange.duration }.seconds
    var reasons: [String] = []
    for part in encoded where !reasons.contains(part.reason) { reasons.append(part.reason) }
    let rounded = (seconds * 100).rounded() / 100
    return "\(rounded) s of it are encoded, because \(reasons.joined(separator: ", and ")); the rest is copied"
  }
}

/// What has to be the same for pictures to share one description.
struct StoredPictureCoding: Hashable {
  var codec: String?
  var parameterSets: [UInt8]
  var size: PixelSize?
  var natural: PixelSize?
  var transform: Orientation?
  var colour: ColourProperties?

  init(_ track: AssetTrack) async throws {
    let description = try await track.load(.formatDescriptions).first
    codec = description?.codec
    parameterSets = description?.parameterSets ?? []
    (size, natural) = (description?.video?.encodedSize, description?.video?.naturalSize)
    colour = description?.video?.colour
    transform = try await track.load(.preferredTransform).orientation
  }
}

/// Decides for every segment of a track of pictures which of them go on as stored, where the others are drawn and encoded.
///
/// Copied ones are coded as most of the film is, drawn nowhere, and as large as what is drawn. Where a segment begins or
/// ends between two sync samples, its pictures at that edge are encoded.
struct CompositionParts {
  let track: Composition.Track
  let range: MediaTimeRange
  /// The size of what is drawn.
  let size: PixelSize
  let assets: CompositionAssets

  private typealias Piece = (segment: Composition.Segment, coding: StoredPictureCoding?, reason: String)

  /// nil where nothing can be copied.
  func find() async throws -> SplicedFacts? {
    var pieces: [Piece] = []
    var lengths: [StoredPictureCoding: MediaTime] = [:]
    for segment in track.segments {
      try Task.checkCancellation()
      let shown = segment.timeRange.intersection(range)
      guard shown.duration > .zero else { continue }
      let piece = try await piece(segment.part(shown))
      if let coding = piece.coding { lengths[coding] = (lengths[coding] ?? .zero) + shown.duration }
      pieces.append(piece)
    }
    guard let most = lengths.max(by: { $0.value < $1.value })?.key else { return nil }
    var parts: [ExportPlan.Part] = []
    var like: AssetTrack?
    for piece in pieces {
      try Task.checkCancellation()
      guard let coding = piece.coding, coding == most, let source = piece.segment.source else {
        let reason = piece.coding == nil ? piece.reason : "a clip is coded differently"
        Self.add(piece.segment.timeRange, isCopied: false, reason, to: &parts)
        continue
      }
      let found = try await assets.track(source, .video)
      let copied = try await copy(piece.segment, of: found, behindEncoded: parts.last?.isCopied == false, to: &parts)
      if copied, like == nil { like = found }
    }
    guard let like, parts.contains(where: \.isCopied) else { return nil }
    let description = try await like.load(.formatDescriptions).first
    var facts = SplicedFacts(parts: parts, codec: description?.codec, video: description?.video)
    if facts.codec == "h264", let bytes = like.track.stream?.extradata {
      facts.profile = ParameterSets.avc(bytes).map { Int($0.profile) }
    }
    return facts
  }

  private func piece(_ segment: Composition.Segment) async throws -> Piece {
    guard let source = segment.source else {
      return (segment, nil, "there is nothing at \(segment.timeRange.start.seconds) s")
    }
    if segment.isScaled { return (segment, nil, segment.reasonAgainstCopying) }
    let found = try await assets.track(source, .video)
    let coding = try await StoredPictureCoding(found)
    guard coding.size == size, coding.natural == size, coding.transform == .up else {
      return (segment, nil, "a clip has another size or turn")
    }
    guard found.track.canBeCopied(from: try await found.asset.header().container) else {
      return (segment, nil, "a clip's samples are stored without the times at which they are presented")
    }
    return (segment, coding, "")
  }

  /// Adds a segment's parts; false where nothing of it is copied.
  private func copy(
    _ segment: Composition.Segment, of source: AssetTrack, behindEncoded: Bool, to parts: inout [ExportPlan.Part]
  ) async throws -> Bool {
    let (part, target) = (segment.timeMapping.source, segment.timeRange)
    let own = try await source.load(.timeRange)
    let isCut = !own.end.isNumeric || part.end < own.end
    guard case .edges(let edges) = try await CutScan(track: source, range: part, isCutAtEnd: isCut).run() else {
      Self.add(target, isCopied: false, "a clip has no pictures at which copies can begin and end", to: &parts)
      return false
    }
    func moved(_ time: MediaTime) -> MediaTime {
      time.isNumeric ? min(max(target.start, target.start + (time - part.start)), target.end) : target.end
    }
    // Behind the last picture there is nothing to see.
    let (first, last) = (moved(edges.copyStart), min(moved(edges.copyEnd), moved(own.end)))
    let isJoint =
      edges.encodesHead || !behindEncoded
      ? true : try await Self.beginsWithJoint(source, at: max(part.start, edges.copyStart))
    guard first < last, edges.copyStart >= part.start, isJoint else {
      Self.add(target, isCopied: false, "a clip has no pictures at which copies can begin and end", to: &parts)
      return false
    }
    let why = "a clip is cut between two sync samples"
    Self.add(MediaTimeRange(start: target.start, end: first), isCopied: false, why, to: &parts)
    Self.add(MediaTimeRange(start: first, end: last), isCopied: true, "", to: &parts)
    parts[parts.count - 1].reorderDelay = max(parts[parts.count - 1].reorderDelay, edges.reorderDelay)
    Self.add(MediaTimeRange(start: last, end: target.end), isCopied: false, why, to: &parts)
    return true
  }

  private static func beginsWithJoint(_ track: AssetTrack, at time: MediaTime) async throws -> Bool {
    let range = MediaTimeRange(start: time, duration: MediaTime(value: 1, timescale: 10_000))
    for try await sample in try Reader(asset: track.asset, timeRange: range).output(for: track) {
      guard sample.presentationTime == time else { continue }
      return CutScan.isJoint(sample, of: track)
    }
    return false
  }

  private static func add(
    _ range: MediaTimeRange, isCopied: Bool, _ reason: String, to parts: inout [ExportPlan.Part]
  ) {
    guard range.duration > .zero else { return }
    if let last = parts.last, last.isCopied == isCopied, isCopied || last.reason == reason || reason.isEmpty {
      parts[parts.count - 1].timeRange = MediaTimeRange(start: last.timeRange.start, end: range.end)
      return
    }
    if let last = parts.last, !last.isCopied, !isCopied {
      parts[parts.count - 1].timeRange = MediaTimeRange(start: last.timeRange.start, end: range.end)
      if !last.reason.contains(reason) { parts[parts.count - 1].reason += ", and " + reason }
      return
    }
    parts.append(ExportPlan.Part(timeRange: range, isCopied: isCopied, reason: reason))
  }
}
