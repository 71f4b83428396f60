import LibAV

/// Where the asset and its tracks end, and how sure that is.
struct AssetTiming: Sendable {
  var duration: MediaTime
  var quality: DurationQuality
  /// By track; tracks whose end nobody knows are missing.
  var ends: [Int32: Rational]
  var scan: PacketScan?
}

extension MediaAsset {
  /// The duration, from the header where it is told there, else by reading the packets.
  func timing() async throws -> AssetTiming {
    let cell: LoadCell<AssetTiming> = properties.cell("timing")
    if case .loaded(let timing) = cell.status { return timing }
    return try await cell.value { [self] in
      let header = try await header()
      var ends: [Int32: Rational] = [:]
      for track in header.tracks { if let end = track.end { ends[track.id] = end } }
      if let duration = header.duration, header.durationQuality != .estimated,
        !options.prefersPreciseDurationAndTiming || header.durationQuality == .exact
      {
        return AssetTiming(
          duration: MediaTime(duration), quality: header.durationQuality, ends: ends, scan: nil)
      }
      guard try await mayScan(header) else {
        let known = header.duration.map { MediaTime($0) } ?? .indefinite
        return AssetTiming(
          duration: known, quality: header.duration == nil ? .unknown : .estimated, ends: ends,
          scan: nil)
      }
      return timing(of: header, scan: try await packetScan())
    }
  }

  func packetScan() async throws -> PacketScan {
    let cell: LoadCell<PacketScan> = properties.cell("scan")
    return try await cell.value { [self] in
      let (opened, header) = (try await opened(), try await header())
      let subject = source.subject
      return try await OpeningSession(isRemote: opened.isRemote).run { interrupt in
        try PacketScan.run(
          opened.reader, options: header.demuxerOptions, needsStreamInfo: header.needsStreamInfo,
          subject: subject,
          interrupt: interrupt)
      }
    }
  }

  private func mayScan(_ header: ContainerHeader) async throws -> Bool {
    if options.prefersPreciseDurationAndTiming { return true }
    guard !source.isRemote, let size = header.size else { return false }
    return size <= MediaConfiguration.current.scanLimit
  }

  private func timing(of header: ContainerHeader, scan: PacketScan) -> AssetTiming {
    var ends: [Int32: Rational] = [:]
    for track in header.tracks {
      guard let stream = track.stream, let end = scan.streams[stream.index]?.end else { continue }
      ends[track.id] = track.timeline.closed(atMediaEnd: end).end ?? end
    }
    let presented = header.tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
    let relevant = presented.isEmpty ? header.tracks : presented
    guard let end = relevant.compactMap({ ends[$0.id] }).max() else {
      return AssetTiming(duration: .indefinite, quality: .unknown, ends: ends, scan: scan)
    }
    return AssetTiming(
      duration: MediaTime(end < .zero ? .zero : end), quality: .exact, ends: ends, scan: scan)
  }

  /// The end of a track on the asset's timeline; nil when nobody knows.
  func end(of track: ContainerTrack) async throws -> Rational? {
    if let end = track.end { return end }
    let timing = try await timing()
    return timing.ends[track.id] ?? timing.duration.rational
  }
}
