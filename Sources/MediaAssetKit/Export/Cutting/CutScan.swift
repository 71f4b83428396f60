import ISOMedia
import LibAV

/// Looks at the stored pictures around both ends of a range: where copies can begin and end.
struct CutScan {
  let track: AssetTrack
  let range: MediaTimeRange
  let isCutAtEnd: Bool

  /// What was found.
  enum Outcome: Sendable {
    case edges(ExportPlan.Edges)
    /// Why nothing can be copied.
    case nothing(String)
  }

  /// Pictures behind a joint that are looked at for reordering: codecs in use hold back 16 at most.
  private static let window = 17

  /// Codecs whose copies can follow encoded pictures.
  private static let joined: Set<String> = ["h264", "hevc", "vp8", "vp9", "av1", "mpeg2video", "mpeg1video"]

  func run() async throws -> Outcome {
    let container = track.track
    let codec = container.codec ?? ""
    if let iso = container.iso, iso.sampleDescriptions.count > 1 {
      return .nothing("it is coded in more than one way")
    }
    let access = RandomAccess(codec: codec, extradata: container.stream?.extradata ?? [])
    let isIntraOnly = CodecTraits(codec: codec).isIntraOnly
    guard isIntraOnly || Self.joined.contains(codec) else {
      return .nothing("copies of \(codec) can't follow encoded pictures")
    }
    guard let start = range.start.rational else { return .nothing("the range has no start") }
    let planner = CutPlanner(start: start, end: isCutAtEnd ? range.end.rational : nil)
    func sample(_ buffer: SampleBuffer) -> CutSample? {
      guard let time = buffer.presentationTime.rational, let packet = buffer.stored?.packet else { return nil }
      let isJoint = buffer.isSync && (isIntraOnly || Self.isJoint(packet, codec, access))
      return CutSample(
        time: time, decodeTime: buffer.decodeTime.rational, isSync: buffer.isSync, isJoint: isJoint)
    }
    var samples: [CutSample] = []
    var following: Int?
    let last = try await lastSync()
    for try await buffer in try await output(range) {
      guard let sample = sample(buffer) else { return .nothing("its samples don't say when they are shown") }
      samples.append(sample)
      if let count = following {
        following = count + 1
        if count >= Self.window { break }
      } else if sample.isJoint, sample.time > start {
        following = 0
      } else if let last, sample.time > last, sample.time > start {
        // No joint is left; what is decoded behind this may only be shown before it.
        following = 0
      }
    }
    guard let beginning = planner.beginning(samples) else {
      return whole ?? .nothing("no sync sample at which copies can begin lies within the range")
    }
    var edges = ExportPlan.Edges(
      copyStart: MediaTime(beginning.time), copyEnd: .positiveInfinity, encodesHead: beginning.hasHead,
      encodesTail: false, reorderDelay: MediaTime(beginning.delay))
    guard let end = planner.end else { return .edges(edges) }
    samples = []
    // The last sync sample within the range, and what follows it.
    let endRange = MediaTimeRange(
      start: max(MediaTime(max(beginning.time, start)), range.end - Self.moment), end: range.end)
    for try await buffer in try await output(endRange) {
      guard let sample = sample(buffer) else { return .nothing("its samples don't say when they are shown") }
      samples.append(sample)
    }
    guard let found = planner.end(samples, first: beginning.time) else {
      return whole ?? .nothing("no group of pictures lies whole in the range")
    }
    edges.encodesTail = found.hasTail
    edges.copyEnd = found.time < end ? MediaTime(found.time) : range.end
    return .edges(edges)
  }

  /// A short range in which nothing can be copied is one edge.
  private var whole: Outcome? {
    guard isCutAtEnd, range.duration <= Self.longest else { return nil }
    return .edges(
      ExportPlan.Edges(
        copyStart: range.end, copyEnd: range.end, encodesHead: true, encodesTail: false, reorderDelay: .zero))
  }

  /// About the longest group of pictures in use: more of them is no edge.
  private static let longest = MediaTime(value: 12, timescale: 1)

  /// Shorter than any picture.
  private static let moment = MediaTime(value: 1, timescale: 10_000)

  /// When the last sync sample is shown, where a table lists them all: behind it nothing has to be looked at.
  private func lastSync() async throws -> Rational? {
    let header = try await track.asset.header()
    // Groups of samples can mark more of them.
    guard let iso = track.track.iso, let movie = header.movie, !header.containsFragments,
      movie.bytes.firstRange(of: Array("sgpd".utf8)) == nil, track.track.timeline.segments.count == 1,
      let segment = track.track.timeline.segments.first,
      let table = try? movie.sampleTable(of: iso, maximumSamples: SampleIndex.maximumSamples)
    else { return nil }
    var last: Int64?
    for sample in table where sample.isSync { last = max(last ?? .min, sample.presentationTime) }
    return last.map { track.track.timeline.time(ofTick: $0, in: segment) }
  }

  private func output(_ range: MediaTimeRange) async throws -> TrackOutput {
    var output = try Reader(asset: track.asset, timeRange: range).output(for: track)
    output.fillsTimes = track.track.needsTimes(in: try await track.asset.header().container)
    return output
  }

  /// Whether copies that begin with a sample can follow encoded pictures.
  static func isJoint(_ sample: SampleBuffer, of track: AssetTrack) -> Bool {
    let codec = track.track.codec ?? ""
    guard sample.isSync, let packet = sample.stored?.packet else { return false }
    if CodecTraits(codec: codec).isIntraOnly { return true }
    return isJoint(packet, codec, RandomAccess(codec: codec, extradata: track.track.stream?.extradata ?? []))
  }

  /// Whether nothing that is decoded from here on, and shown from here on, leans on what was there before.
  private static func isJoint(_ packet: Packet, _ codec: String, _ access: RandomAccess) -> Bool {
    switch codec {
    // A set of parameters takes effect at an IDR picture only.
    case "h264": access.start(at: packet) == .closed
    default: access.start(at: packet) != .none
    }
  }
}
