import FoundationEssentials

/// An export into a folder for HTTP Live Streaming, in place of one into a file.
struct ExportStreaming {
  let asset: MediaAsset
  let name: String
  let streaming: ExportPreset.Streaming
  let options: ExportSession.Options

  func plan() async throws -> ExportPlan {
    let facts = try await facts()
    return plan(facts, try await HLSPlan(asset: asset, options: packaging(facts)))
  }

  func run(to url: URL, board: ProgressBoard) async throws -> ExportPlan {
    let facts = try await facts()
    let packaging = packaging(facts)
    let plan = plan(facts, try await HLSPlan(asset: asset, options: packaging))
    board.begin(total: plan.presentedRange.duration, weights: [1])
    _ = try await HLSPackager(asset: asset, options: packaging).package(to: url) { board.update(track: 0, to: $0) }
    return plan
  }

  private func facts() async throws -> ExportFacts {
    guard options.fileLengthLimit == 0 else {
      throw MediaError(
        .operationNotSupported, operation: "export", subject: asset.subject,
        reason: "a limit of bytes has no meaning for a folder of segments", remedy: "Set a time range")
    }
    return try await ExportFacts.load(asset, range: options.timeRange)
  }

  private func packaging(_ facts: ExportFacts) -> HLSPackager.Options {
    var packaging = HLSPackager.Options()
    packaging.segmentDuration = streaming.segmentDuration
    packaging.makesLadder = streaming.makesLadder
    packaging.overwritesExisting = options.overwritesExisting
    packaging.trackIDs = options.trackIDs
    if facts.isCutAtStart || facts.isCutAtEnd { packaging.timeRange = facts.timeRange }
    return packaging
  }

  private func plan(_ facts: ExportFacts, _ package: HLSPlan) -> ExportPlan {
    var tracks: [ExportPlan.Track] = []
    for fact in facts.tracks {
      var track = ExportPlan.Track(trackID: fact.id, mediaType: fact.mediaType, sourceCodec: fact.codec)
      if let source = package.sources.first(where: { $0.track.trackID == fact.id }) {
        describe(source, fact, &track)
      } else if options.trackIDs.map({ !$0.contains(fact.id) }) ?? false {
        (track.reason, track.isDropIntended) = ("it was not asked for", true)
      } else {
        let reason = package.dropped.first { $0.trackID == fact.id }?.reason
        track.reason = reason ?? "a package holds pictures and sound"
      }
      tracks.append(track)
    }
    var plan = ExportPlan(
      preset: name, fileType: .hls, timeRange: facts.timeRange, presentedRange: facts.timeRange,
      isCutAtEnd: facts.isCutAtEnd, tracks: tracks, expectedFileLength: nil, certainty: .unknown)
    let lengths = plan.kept.map(\.expectedLength)
    if !lengths.contains(nil) {
      // Boxes and playlists are a few percent of the media at most.
      plan.expectedFileLength = lengths.reduce(0) { $0 + ($1 ?? 0) }
      plan.certainty = .good
    }
    return plan
  }

  private func describe(_ source: HLSSource, _ fact: ExportFacts.Track, _ track: inout ExportPlan.Track) {
    if source.copies {
      track.copy("players of HTTP Live Streaming take \(fact.codec ?? "it") as stored")
      (track.size, track.transform) = (fact.video?.encodedSize, fact.transform)
      track.expectedLength = fact.bytes
      if fact.bytes != nil { track.certainty = .good }
      return
    }
    track.action = .encode
    track.codec = fact.mediaType == .video ? "h264" : "aac"
    guard fact.mediaType == .video else {
      track.reason =
        isTaken(fact.codec) ? "the range begins between packets" : "players of HTTP Live Streaming don't take its codec"
      return
    }
    track.size = source.rungs.first?.size
    let sizes = source.rungs.map { "\($0.size)" }.joined(separator: ", ")
    track.reason =
      streaming.makesLadder
      ? "the preset encodes pictures, in \(sizes)"
      : isTaken(fact.codec)
        ? "its first picture is no sync sample" : "players of HTTP Live Streaming don't take its codec"
  }

  private func isTaken(_ codec: String?) -> Bool { codec.map(HLSSource.copied.contains) ?? false }
}
