import ISOMedia
import LibAV

/// What is special in QuickTime and MPEG-4 files: fragments, and the header that libav can't write wholly.
extension MuxingSession {
  func cutFragment(_ packet: Packet, _ times: Muxer.Times, _ stream: Stream) throws {
    guard stream.number == referenceStream else { return }
    guard let begin = fragmentStart else {
      fragmentStart = times.decoding
      return
    }
    let isInitial = !hasFragments && options.initialMovieFragmentInterval.isNumeric
    let interval = isInitial ? options.initialMovieFragmentInterval : options.movieFragmentInterval
    guard packet.isKey, let length = interval.ticks(in: stream.tally.tick), times.decoding - begin >= length else {
      return
    }
    fragmentStart = times.decoding
    try endFragment(stream)
  }

  /// - Parameter current: The stream that is being written and so not among the others.
  func endFragment(_ current: Stream? = nil) throws {
    // The first call writes the header alone.
    if !hasFragments {
      try muxer?.flush()
      if let output {
        try MovieCompletion(output: output, path: path, tagging: try tagging()).writeHead(headEdit(current))
      }
    }
    hasFragments = true
    try muxer?.flush()
  }

  /// What is known of the movie when its first fragment is complete.
  private func headEdit(_ current: Stream?) -> MovieEdit {
    var made = movieEdit(streams.indices.compactMap { index in streams[index].map { (index, $0) } }, current)
    made.keepsDurations = true
    made.leavesRoom = true
    let hint = options.overallDurationHint
    if let tick = Rational(1, Int64(made.timescale ?? 1000)), let ticks = hint.ticks(in: tick) {
      made.fragmentDuration = UInt64(max(0, ticks))
    }
    for (id, track) in made.tracks {
      guard var edits = track.edits, !edits.isEmpty else { continue }
      // 0: until the media ends.
      edits[edits.count - 1].segmentDuration = 0
      made.tracks[id]?.edits = edits
      headEdits[Int(id) - 1] = edits.count
    }
    return made
  }

  /// Writes the movie header anew: edit lists, groups and what else libav can't write; first in the file where asked.
  func completeMovie(_ output: OutputFile) throws {
    var edit = movieEdit(streams.indices.compactMap { index in streams[index].map { (index, $0) } })
    if isFragmented {
      for (id, track) in edit.tracks {
        guard let edits = track.edits, edits.count == 1, headEdits[Int(id) - 1] == 2 else { continue }
        let nothing = EditListEntry(segmentDuration: 0, mediaTime: -1, mediaRate: 0x10000)
        edit.tracks[id]?.edits = [nothing] + edits
      }
      edit.fragmentDuration = edit.tracks.values.compactMap { $0.edits?.reduce(0) { $0 + $1.segmentDuration } }.max()
    }
    try MovieCompletion(output: output, path: path, tagging: isFragmented ? nil : try tagging()).run(
      edit, isFragmented: isFragmented, isFirst: options.shouldOptimizeForNetworkUse)
  }

  /// The items of the file and its tracks; nil for none.
  private func tagging() throws -> MovieTagging? {
    try MovieTagging(
      movie: options.metadataItems, tracks: core?.tracks ?? [], numbers: numbers, container: container, path: path)
  }

  /// What libav can't write of the tracks.
  private func movieEdit(_ tracks: [(index: Int, stream: Stream)], _ current: Stream? = nil) -> MovieEdit {
    let timescale = movieTimescale(tracks.map(\.stream) + (current.map { [$0] } ?? []))
    var edit = MovieEdit()
    edit.timescale = UInt32(clamping: timescale)
    for (index, stream) in tracks { edit.tracks[UInt32(stream.number + 1)] = trackEdit(stream, timescale, index) }
    if let current { edit.tracks[UInt32(current.number + 1)] = trackEdit(current, timescale, nil) }
    return edit
  }

  private func trackEdit(_ stream: Stream, _ timescale: Int64, _ index: Int?) -> TrackEdit {
    var track = TrackEdit()
    track.edits = stream.tally.edits(timescale: timescale, limit: limit(stream))
    if isFragmented, !hasFragments, stream.tally.count == 0 { track.edits = expectedEdits(stream, timescale, index) }
    track.isEnabled = stream.plan.isEnabled
    track.alternateGroup = stream.plan.alternateGroup ?? 0
    track.extendedLanguage = stream.plan.extendedLanguage
    track.language = stream.plan.metadata["language"]
    track.volume = stream.plan.volume
    track.cleanAperture = stream.plan.cleanAperture
    track.metadata = stream.plan.metadataEntry.map {
      MetadataTrackEdit(entry: $0, isQuickTime: container.muxer == "mov")
    }
    let references = Swift.Dictionary(grouping: stream.plan.associations) { $0.kind }
    track.references = references.sorted { $0.key < $1.key }.compactMap { kind, targets in
      let ids = targets.compactMap { numbers[$0.track].map { UInt32($0 + 1) } }
      guard kind.unicodeScalars.count == 4, !ids.isEmpty else { return nil }
      return TrackReference(type: FourCharacterCode(stringLiteral: kind), trackIDs: ids)
    }
    return track
  }

  /// The edits of a track that has no sample in the first fragment: how long nothing is shown, its first sample tells
  /// where that is queued, else the end.
  private func expectedEdits(_ stream: Stream, _ timescale: Int64, _ index: Int?) -> [EditListEntry] {
    let first = index.flatMap { core?.firstSample(of: $0) }?.presentation
    let tick = Rational(1, timescale) ?? .one
    let empty = first.flatMap { ($0 - start).ticks(in: tick) } ?? 0
    return [
      EditListEntry(segmentDuration: UInt64(max(0, empty)), mediaTime: -1, mediaRate: 0x10000),
      EditListEntry(segmentDuration: 0, mediaTime: 0, mediaRate: 0x10000),
    ]
  }

  /// Ticks of the movie in which the edits of all tracks are exact, where that is possible.
  private func movieTimescale(_ streams: [Stream]) -> Int64 {
    if options.movieTimeScale > 0 { return Int64(options.movieTimeScale) }
    // What is written first of a fragmented file holds for all of it.
    let scales = streams.filter { isFragmented || $0.tally.count > 0 }.map { Int64($0.tally.tick.denominator) }
    var common: Int64 = 1
    for scale in scales {
      let divisor = Int64(WideArithmetic.greatestCommonDivisor(UInt128(common), UInt128(scale)))
      let (product, overflow) = common.multipliedReportingOverflow(by: scale / max(1, divisor))
      if overflow || product > Int64(Int32.max) { return scales.max() ?? 1000 }
      common = product
    }
    return max(common, 600)
  }
}
