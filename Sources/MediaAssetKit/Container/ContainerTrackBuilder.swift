import ISOMedia
import LibAV

/// Joins what libav and the boxes say of each track, and places the tracks on the asset's timeline.
struct ContainerTrackBuilder {
  let container: String
  let streams: [StreamInfo]
  let movie: MovieHeader?
  let programs: [(number: Int, streams: [Int])]
  let isFragmented: Bool

  /// Stored seconds at the asset's zero: the earliest presented sample for clocks that start anywhere.
  var origin: Rational {
    let starts = streams.filter { MediaType($0) == .video || MediaType($0) == .audio }
      .filter { !$0.disposition.contains(.attachedPicture) }
      .compactMap { stream in stream.startTime.map { stream.tick * Rational($0) } }
    guard let earliest = starts.min() else { return .zero }
    if ContainerNames.hasDefinedZero(container) { return .zero }
    return earliest
  }

  func tracks(origin: Rational) -> [ContainerTrack] {
    guard let movie else {
      return streams.compactMap { track($0, origin: origin) }
    }
    let hidden = chapterTrackIDs(movie)
    var remaining = streams
    return movie.tracks.compactMap { iso in
      var stream: StreamInfo?
      if let index = remaining.firstIndex(where: {
        $0.id == Int(iso.trackID) && !$0.disposition.contains(.attachedPicture)
      }) {
        stream = remaining.remove(at: index)
      }
      guard
        let type = MediaType(handler: iso.handler, format: iso.sampleDescriptions.first?.format)
          ?? stream.flatMap({ MediaType($0) }),
        !hidden.contains(iso.trackID)
      else { return nil }
      return track(iso, stream: stream, type: type, movie: movie)
    }
  }

  /// Text and picture tracks that only carry another track's chapters.
  private func chapterTrackIDs(_ movie: MovieHeader) -> Set<UInt32> {
    let chapters = Set(movie.tracks.flatMap { $0.references(ofType: "chap") })
    // A track that others show chapters of, and that is itself sound, is no chapter track.
    return chapters.filter { id in movie.track(withID: id).map { $0.handler != "soun" } ?? false }
  }

  // MARK: - Other containers

  private func track(_ stream: StreamInfo, origin: Rational) -> ContainerTrack? {
    guard !stream.disposition.contains(.attachedPicture), let type = MediaType(stream) else {
      return nil
    }
    let length =
      stream.duration.map { stream.tick * Rational($0) } ?? Self.taggedDuration(stream.metadata)
    var timeline = TrackTimeline(timeBase: stream.tick, origin: origin)
    var end: Rational?
    if let length, ContainerNames.hasDefinedZero(container) || stream.startTime != nil {
      let start = stream.startTime.map { stream.tick * Rational($0) } ?? .zero
      end = start - origin + length
      if start > origin {
        timeline = TrackTimeline(
          timeBase: stream.tick,
          segments: [
            .init(start: .zero, duration: start - origin, source: nil, rate: .one),
            .init(start: start - origin, duration: nil, source: start, rate: .one),
          ])
      }
    }
    let nominal = stream.averageFrameRate.0 > 0 ? stream.averageFrameRate : stream.realFrameRate
    return ContainerTrack(
      id: Int32(clamping: stream.index + 1), mediaType: type, stream: stream, iso: nil,
      timeline: timeline,
      program: programs.first { $0.streams.contains(stream.index) }?.number, isEnabled: true,
      language: LanguageName.terminological(stream.metadata["language"]),
      extendedLanguage: LanguageName.extended(stream.metadata["language"]),
      fourCharacterCode: container == "avi" ? Self.fourCharacters(stream.codecTag) : nil,
      codecString: CodecStrings.string(for: stream),
      sampleCount: stream.frameCount > 0 ? Int(stream.frameCount) : nil,
      frameRate: type == .video
        ? Rational(Int64(nominal.0), Int64(nominal.1)).flatMap { $0 > .zero ? $0 : nil } : nil,
      minFrameDuration: nil, bitRate: stream.bitRate > 0 ? Double(stream.bitRate) : nil,
      isSelfContained: true, end: end)
  }

  /// A tag of four printable characters, as AVI has; libav packs them least significant byte first.
  static func fourCharacters(_ tag: UInt32) -> String? {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
    guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Matroska's per-track statistics tag, `HH:MM:SS.nnnnnnnnn`.
  static func taggedDuration(_ metadata: [String: String]) -> Rational? {
    guard let text = metadata.first(where: { $0.key.hasPrefix("DURATION") })?.value else {
      return nil
    }
    let parts = text.split(separator: ":")
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      hours < 1_000_000
    else { return nil }
    let seconds = parts[2].split(separator: ".")
    guard let whole = seconds.first.flatMap({ Int64($0) }) else { return nil }
    let digits = seconds.count > 1 ? String(seconds[1].prefix(9)) : "0"
    guard let fraction = Int64(digits) else { return nil }
    var unit: Int64 = 1
    for _ in digits { unit *= 10 }
    return Rational(hours * 3600 + minutes * 60 + whole) + (Rational(fraction, unit) ?? .zero)
  }

  // MARK: - ISO media

  private func track(_ iso: TrackHeader, stream: StreamInfo?, type: MediaType, movie: MovieHeader)
    -> ContainerTrack
  {
    let timescale = Int64(max(1, iso.mediaTimescale))
    let tick = stream?.tick ?? Rational(1, timescale) ?? .one
    let timing = movie.timing(of: iso)
    let timeline =
      iso.edits.map { edits in
        TrackTimeline(
          timeBase: tick, movieTimescale: Int64(movie.timescale),
          edits: edits.map { ($0.segmentDuration, $0.mediaTime, $0.mediaRate) })
      } ?? TrackTimeline(timeBase: tick)
    let mediaDuration = timing.totalDuration > 0 ? timing.totalDuration : iso.mediaDuration ?? 0
    var end = timeline.end
    if end == nil, !isFragmented, mediaDuration > 0 {
      let mediaEnd = lastEnd(iso, movie: movie, timing: timing) ?? Int64(clamping: mediaDuration)
      end = timeline.closed(atMediaEnd: (Rational(1, timescale) ?? .one) * Rational(mediaEnd)).end
    }
    let format = iso.sampleDescriptions.first
    let samples = Int(iso.samples.sampleCount)
    var frameRate: Rational?
    if type == .video {
      if samples > 0, mediaDuration > 0 {
        frameRate = Rational(
          reducing: Int128(samples) * Int128(timescale), over: Int128(mediaDuration))
      } else if let stream {
        frameRate = Rational(Int64(stream.averageFrameRate.0), Int64(stream.averageFrameRate.1))
          .flatMap { $0 > .zero ? $0 : nil }
      }
    }
    var bitRate = format?.audio?.bitRate?.average ?? format?.video?.bitRate?.average ?? 0
    if bitRate == 0 { bitRate = UInt32(clamping: stream?.bitRate ?? 0) }
    if bitRate == 0, mediaDuration > 0 {
      bitRate = UInt32(
        clamping: Int64(
          saturating: Double(movie.totalSampleSize(of: iso)) * 8 * Double(timescale)
            / Double(mediaDuration)))
    }
    return ContainerTrack(
      id: Int32(clamping: iso.trackID), mediaType: type, stream: stream, iso: iso,
      timeline: timeline, program: nil,
      isEnabled: iso.flags.contains(.enabled), language: iso.language,
      extendedLanguage: iso.extendedLanguage,
      fourCharacterCode: format?.format.description,
      codecString: format.map { $0.codecString(in: movie.bytes) },
      sampleCount: isFragmented ? nil : samples, frameRate: frameRate,
      minFrameDuration: type == .video
        ? timing.minimumDelta.flatMap { $0 > 0 ? Rational(Int64($0), timescale) : nil } : nil,
      bitRate: bitRate > 0 ? Double(bitRate) : nil, isSelfContained: iso.isSelfContained, end: end)
  }

  /// The end of the last picture in presentation order: later than the sum of durations when composition offsets delay all.
  private func lastEnd(_ iso: TrackHeader, movie: MovieHeader, timing: SampleTiming) -> Int64? {
    guard iso.samples.compositionOffsets != nil,
      let table = try? movie.sampleTable(of: iso, maximumSamples: 1_000_000)
    else { return nil }
    var end: Int64 = 0
    for sample in table { end = max(end, sample.presentationTime &+ Int64(sample.duration)) }
    return end
  }

  // MARK: - Duration

  /// The end of the longest presented track, and how sure it is; closes the tracks' ends where they become known.
  func duration(
    _ tracks: inout [ContainerTrack], origin: Rational, microseconds: Int64?, isEstimated: Bool
  ) -> (Rational?, DurationQuality) {
    let presented = tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
    let relevant = presented.isEmpty ? tracks : presented
    if !relevant.isEmpty, relevant.allSatisfy({ $0.end != nil }) {
      let end = relevant.compactMap(\.end).max()
      // Sample tables and counted formats are exact; a header's sum of milliseconds is the container's word.
      let isExact =
        movie != nil || ["wav", "w64", "flac", "aiff", "caf", "avi", "au"].contains(container)
      return (end, isEstimated ? .estimated : isExact ? .exact : .container)
    }
    if let movie, let hint = movie.movieExtends?.fragmentDuration, hint > 0, movie.timescale > 0 {
      return (Rational(Int64(clamping: hint), Int64(movie.timescale)), .container)
    }
    if movie == nil, let microseconds, microseconds > 0, !isEstimated,
      ContainerNames.hasDefinedZero(container)
    {
      return (Rational(microseconds, 1_000_000), .container)
    }
    return (nil, .unknown)
  }
}

extension StreamInfo {
  /// Seconds of one tick of the stream's time base.
  var tick: Rational {
    Rational(Int64(timeBase.numerator), Int64(timeBase.denominator)).flatMap {
      $0 > .zero ? $0 : nil
    } ?? .one
  }
}
