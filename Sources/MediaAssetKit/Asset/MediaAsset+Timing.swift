import ISOMedia
import LibAV

/// Where the asset and its tracks end, and how sure that is.
struct AssetTiming: Sendable {
  var duration: MediaTime
  var quality: DurationQuality
  /// By track, on the asset's timeline; tracks whose ends nobody knows are missing.
  var starts: [Int32: Rational] = [:]
  var ends: [Int32: Rational] = [:]
  /// Samples by track, where they were counted.
  var counts: [Int32: Int] = [:]
  /// Media ticks that those samples take in decode order.
  var ticks: [Int32: UInt64] = [:]
  /// The shortest picture by track, where packets were read.
  var shortest: [Int32: Rational] = [:]
  /// Stored bytes by track, where packets were read.
  var bytes: [Int32: Int64] = [:]
}

extension MediaAsset {
  /// The duration, from the header where it is told there, else from the fragments or by reading the packets.
  func timing() async throws -> AssetTiming {
    let header = try await header()
    let known = timing(of: header)
    let isSure = [.exact, .container].contains(header.durationQuality)
    if isSure, !options.prefersPreciseDurationAndTiming || header.durationQuality == .exact {
      return known
    }
    let cell: LoadCell<AssetTiming> = properties.cell("timing")
    return try await cell.value { [self] in
      if header.containsFragments {
        if options.prefersPreciseDurationAndTiming || !source.isRemote {
          return timing(of: header, survey: try await fragmentSurvey())
        }
        return known
      }
      guard mayScan(header) else { return known }
      return timing(of: header, scan: try await packetScan(.everything))
    }
  }

  /// First and last presented moment of a track; the end is nil when nobody knows.
  func range(of track: ContainerTrack) async throws -> (start: Rational, end: Rational?) {
    let timing = try await timing()
    var start = track.firstPresented ?? timing.starts[track.id]
    var counted: Rational?
    if start == nil {
      let header = try await header()
      if header.containsFragments {
        if !source.isRemote {
          let survey = self.timing(of: header, survey: try await fragmentSurvey())
          start = survey.starts[track.id]
          counted = survey.ends[track.id]
        }
      } else if let stream = track.stream {
        let beginning = try await packetScan(.beginnings).streams[stream.index]?.start
        start = beginning.map { max(.zero, $0 - header.origin) }
      }
    }
    let first = start ?? track.timeline.start
    let end =
      counted ?? track.end ?? track.length.map { first + $0 } ?? timing.ends[track.id]
      ?? timing.duration.rational
    return (first, end)
  }

  /// Where a track ends that is stored in fragments; nil for one that is not, and for remote files, which are not walked.
  func fragmentEnd(of track: ContainerTrack) async throws -> Rational? {
    let header = try await header()
    guard header.containsFragments, !source.isRemote else { return nil }
    return timing(of: header, survey: try await fragmentSurvey()).ends[track.id]
  }

  /// What the samples of a track add up to, where the header does not say: fragments are walked, packets are not
  /// read again.
  func countedTiming(_ header: ContainerHeader) async throws -> AssetTiming {
    let timing = try await timing()
    guard header.containsFragments, timing.counts.isEmpty, !source.isRemote else { return timing }
    return self.timing(of: header, survey: try await fragmentSurvey())
  }

  private func packetScan(_ extent: PacketScan.Extent) async throws -> PacketScan {
    let cell: LoadCell<PacketScan> = properties.cell("scan.\(extent)")
    return try await cell.value { [self] in
      let (opened, header) = (try await opened(), try await header())
      let subject = subject
      return try await OpeningSession(isRemote: opened.isRemote).run { interrupt in
        try PacketScan.run(
          header.reader(over: opened.reader), extent: extent, options: header.demuxerOptions,
          needsStreamInfo: header.needsStreamInfo, subject: subject, interrupt: interrupt)
      }
    }
  }

  private func fragmentSurvey() async throws -> FragmentSurvey {
    let cell: LoadCell<FragmentSurvey> = properties.cell("fragments")
    return try await cell.value { [self] in
      let (opened, header) = (try await opened(), try await header())
      guard let offset = header.firstFragment, let movie = header.movie else {
        return FragmentSurvey()
      }
      let reader = opened.reader
      return try await OpeningSession(isRemote: opened.isRemote).run { interrupt in
        try FragmentSurvey.survey(
          from: offset, size: reader.length, defaults: movie.movieExtends?.tracks ?? [],
          decodeTimes: Dictionary(
            movie.tracks.map { ($0.trackID, Int64(clamping: movie.timing(of: $0).totalDuration)) }
          ) { first, _ in first }
        ) { offset, count in
          if interrupt.isRaised { throw CancellationError() }
          return try reader.bytes(at: offset, count: count, interrupt: interrupt)
        }
      }
    }
  }

  private func mayScan(_ header: ContainerHeader) -> Bool {
    if options.prefersPreciseDurationAndTiming { return true }
    guard !source.isRemote, let size = header.size else { return false }
    return size <= MediaConfiguration.current.scanLimit
  }

  // MARK: - From what was found

  private func timing(of header: ContainerHeader) -> AssetTiming {
    var timing = AssetTiming(
      duration: header.duration.map { MediaTime($0) } ?? .indefinite,
      quality: header.duration == nil ? .unknown : header.durationQuality)
    for track in header.tracks { timing.ends[track.id] = track.end }
    return timing
  }

  private func timing(of header: ContainerHeader, survey: FragmentSurvey) -> AssetTiming {
    var timing = timing(of: header)
    guard let movie = header.movie else { return timing }
    for track in header.tracks {
      guard let iso = track.iso else { continue }
      let tick = Rational(1, Int64(max(1, iso.mediaTimescale))) ?? .one
      let stored = Int64(clamping: movie.timing(of: iso).totalDuration)
      let span = survey.spans[iso.trackID]
      timing.counts[track.id] = Int(
        clamping: UInt64(iso.samples.sampleCount) + (span?.sampleCount ?? 0))
      guard span != nil || stored > 0 else { continue }
      let decoded = span.map {
        $0.decodeEnd.subtractingReportingOverflow($0.decodeStart).partialValue
      }
      timing.ticks[track.id] = UInt64(clamping: stored) &+ UInt64(clamping: decoded ?? 0)
      let header = iso.samples.sampleCount > 0 ? ISOTrackBuilder.mediaSpan(iso, in: movie) : nil
      let end = max(header?.end ?? 0, span?.presentationEnd ?? 0)
      timing.ends[track.id] = track.timeline.closed(atMediaEnd: tick * Rational(end)).end
      let first = min(header?.start ?? .max, span?.presentationStart ?? .max)
      if let segment = track.timeline.segments.first(where: { !$0.isEmpty }), first < .max {
        let time = track.timeline.time(ofStored: tick * Rational(first), in: segment)
        timing.starts[track.id] = max(track.timeline.start, time)
      }
    }
    return finish(timing, header, isComplete: survey.isComplete)
  }

  private func timing(of header: ContainerHeader, scan: PacketScan) -> AssetTiming {
    var timing = timing(of: header)
    for track in header.tracks {
      guard let index = track.stream?.index, let stream = scan.streams[index] else { continue }
      timing.counts[track.id] = stream.packets
      timing.bytes[track.id] = stream.bytes
      timing.shortest[track.id] = stream.shortestDuration
      if let start = stream.start { timing.starts[track.id] = max(.zero, start - header.origin) }
      if let end = stream.end {
        timing.ends[track.id] = track.timeline.closed(atMediaEnd: end).end ?? end
      }
    }
    return finish(timing, header, isComplete: scan.isComplete)
  }

  private func finish(_ found: AssetTiming, _ header: ContainerHeader, isComplete: Bool)
    -> AssetTiming
  {
    var timing = found
    // Transport streams carry tables and texts beside the media, whose clock says nothing of an end.
    let media = header.tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
    let relevant = media.isEmpty || header.movie != nil ? header.tracks : media
    guard let end = relevant.compactMap({ timing.ends[$0.id] }).max() else { return timing }
    timing.duration = MediaTime(max(.zero, end))
    timing.quality = isComplete ? .exact : .estimated
    return timing
  }
}
