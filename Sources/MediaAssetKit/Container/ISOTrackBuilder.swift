import ISOMedia
import LibAV

/// Makes tracks of an ISO or QuickTime movie header, with what libav knows of each.
struct ISOTrackBuilder {
  let movie: MovieHeader
  let streams: [StreamInfo]
  let isFragmented: Bool
  /// FFmpeg's names and values of the movie's metadata.
  let metadata: [String: String]
  /// Stored seconds at the asset's zero; not zero for fragments that start late and have no edit lists.
  let origin: Rational
  /// Tracks that libav was not shown as they are stored.
  let hidden: Set<UInt32>

  /// Files of more samples are not walked for their first and last picture.
  static let maximumWalkedSamples = 2_000_000

  func tracks() -> [ContainerTrack] {
    let chapters = chapterTrackIDs()
    var remaining = streams.filter { !$0.disposition.contains(.attachedPicture) }
    return movie.tracks.compactMap { iso in
      var stream: StreamInfo?
      if let index = remaining.firstIndex(where: { $0.id == Int(iso.trackID) }) {
        stream = remaining.remove(at: index)
      }
      guard !chapters.contains(iso.trackID),
        let type = MediaType(handler: iso.handler, format: iso.sampleDescriptions.first?.format)
          ?? stream.flatMap({ MediaType($0) })
      else { return nil }
      return track(iso, stream: stream, type: type)
    }
  }

  /// The tracks that only carry chapters, in the file's order.
  func chapterTracks() -> [ContainerTrack] {
    let chapters = chapterTrackIDs()
    return movie.tracks.filter { chapters.contains($0.trackID) }.map { track($0, stream: nil, type: .text) }
  }

  /// Text and picture tracks that only carry another track's chapters.
  private func chapterTrackIDs() -> Set<UInt32> {
    let chapters = Set(movie.tracks.flatMap { $0.references(ofType: "chap") })
    // A track that others show chapters of, and that is itself sound, is no chapter track.
    return chapters.filter { id in movie.track(withID: id).map { $0.handler != "soun" } ?? false }
  }

  private func track(_ iso: TrackHeader, stream: StreamInfo?, type: MediaType) -> ContainerTrack {
    let timescale = Int64(max(1, iso.mediaTimescale))
    let tick = stream?.tick ?? Rational(1, timescale) ?? .one
    let format = iso.sampleDescriptions.first
    var track = ContainerTrack(
      id: Int32(clamping: iso.trackID), mediaType: type, stream: stream, iso: iso,
      codec: Self.codec(format, in: movie.bytes) ?? stream?.codecName,
      timeline: TrackTimeline(timeBase: tick, origin: origin), program: nil,
      isEnabled: iso.flags.contains(.enabled),
      language: iso.language ?? LanguageName.terminological(iso.extendedLanguage),
      extendedLanguage: iso.extendedLanguage, fourCharacterCode: format?.format.description,
      codecString: format.map { $0.codecString(in: movie.bytes) },
      sampleCount: isFragmented ? nil : Int(iso.samples.sampleCount),
      nominalFrameRate: type == .video ? stream?.nominalFrameRate : nil,
      statedBitRate: Self.statedBitRate(format, in: movie.bytes),
      isSelfContained: iso.isSelfContained)
    track.isReadableByLibAV =
      !hidden.contains(iso.trackID) && Self.isDecodableKind(format, in: movie.bytes)
    if type == .video, let video = format?.video { track.spatial = video.spatial }
    place(&track, iso, timescale: timescale)
    return track
  }

  private func place(_ track: inout ContainerTrack, _ iso: TrackHeader, timescale: Int64) {
    let mediaTick = Rational(1, timescale) ?? .one
    if let edits = iso.edits, !edits.isEmpty {
      track.timeline = TrackTimeline(
        timeBase: track.timeline.timeBase, movieTimescale: Int64(movie.timescale),
        edits: edits.map { ($0.segmentDuration, $0.mediaTime, $0.mediaRate) })
      if isFragmented, iso.samples.sampleCount > 0 {
        track.timeline = Self.opened(
          track.timeline, stored: mediaTick * Rational(Int64(clamping: iso.mediaDuration ?? 0)))
      }
      track.firstPresented = track.timeline.start
      if track.mediaType == .audio {
        track.gapless = gapless(track.timeline, iso, mediaTick)
      }
    } else if let stated = statedGapless(track, iso) {
      let source = mediaTick * Rational(Int64(stated.gapless.delay))
      track.timeline = TrackTimeline(
        timeBase: track.timeline.timeBase,
        segments: [
          .init(
            start: .zero, duration: mediaTick * Rational(stated.samples), source: source,
            rate: .one)
        ])
      track.firstPresented = .zero
      track.gapless = stated.gapless
    }
    track.end = track.timeline.end
    guard track.end == nil, !isFragmented else { return }
    let span = Self.mediaSpan(iso, in: movie)
    if track.firstPresented == nil {
      track.firstPresented = mediaTick * Rational(span.start) - origin
    }
    guard span.end > 0 else { return }
    track.end = track.timeline.closed(atMediaEnd: mediaTick * Rational(span.end)).end
  }

  /// The timeline with a last edit that shows all of the header's samples open: its writer knew of no fragments.
  private static func opened(_ timeline: TrackTimeline, stored: Rational) -> TrackTimeline {
    guard var last = timeline.segments.last, let source = last.source, let duration = last.duration,
      last.rate == .one, source + duration >= stored - (Rational(1, 100) ?? .zero)
    else { return timeline }
    last.duration = nil
    return TrackTimeline(
      timeBase: timeline.timeBase, segments: timeline.segments.dropLast() + [last])
  }

  /// First and last moment of the stored samples in media ticks.
  ///
  /// Without composition offsets the header's sum says it; with them the first and the last picture must be found.
  static func mediaSpan(_ iso: TrackHeader, in movie: MovieHeader) -> (start: Int64, end: Int64) {
    if iso.samples.compositionOffsets != nil,
      let table = try? movie.sampleTable(of: iso, maximumSamples: maximumWalkedSamples)
    {
      var (start, end) = (Int64.max, Int64(0))
      for sample in table {
        start = min(start, sample.presentationTime)
        end = max(end, sample.presentationTime &+ Int64(sample.duration))
      }
      if start <= end { return (max(0, start), end) }
    }
    let total = movie.timing(of: iso).totalDuration
    return (0, Int64(clamping: total > 0 ? total : iso.mediaDuration ?? 0))
  }

  /// Samples that an edit list hides before and after a sound.
  private func gapless(_ timeline: TrackTimeline, _ iso: TrackHeader, _ mediaTick: Rational)
    -> GaplessInfo?
  {
    let shown = timeline.segments.filter { !$0.isEmpty }
    guard shown.count == 1, let segment = shown.first, let source = segment.source else {
      return nil
    }
    let delay = Rational.floor(source, in: mediaTick)
    var padding: Int64 = 0
    if let duration = segment.duration, !isFragmented, let stored = iso.mediaDuration {
      let end = Rational.floor(source + duration * segment.rate, in: mediaTick)
      padding = max(0, Int64(clamping: stored) - end)
    }
    return delay > 0 || padding > 0
      ? GaplessInfo(delay: Int(clamping: delay), padding: Int(clamping: padding)) : nil
  }

  /// iTunes' own note of priming, padding and length in samples, for files without an edit list.
  private func statedGapless(_ track: ContainerTrack, _ iso: TrackHeader) -> (
    gapless: GaplessInfo, samples: Int64
  )? {
    guard track.mediaType == .audio, !isFragmented, let text = metadata["iTunSMPB"],
      movie.tracks.filter({ $0.handler == "soun" }).count == 1, let stored = iso.mediaDuration
    else { return nil }
    let fields = text.split(separator: " ").prefix(4).map { Int64($0, radix: 16) }
    guard fields.count == 4, let delay = fields[1], let padding = fields[2],
      let samples = fields[3],
      delay >= 0, padding >= 0, samples > 0, delay < 1 << 20, padding < 1 << 20
    else { return nil }
    // Written for this very sound, the three add up to what is stored; else it is a leftover of another.
    guard delay + padding + samples <= Int64(clamping: stored) + 1024, samples < 1 << 48 else {
      return nil
    }
    return (GaplessInfo(delay: Int(delay), padding: Int(padding)), samples)
  }

  // MARK: - Codecs

  /// FFmpeg's name of a coding that FFmpeg 5.1 does not know, or takes for another; nil for all others.
  static func codec(_ description: SampleDescription?, in bytes: [UInt8]) -> String? {
    guard let description else { return nil }
    switch description.codec {
    case "fpcm":
      guard let pcm = description.audio?.pcm, pcm.sampleSize == 32 || pcm.sampleSize == 64 else {
        return nil
      }
      return "pcm_f\(pcm.sampleSize)\(pcm.isLittleEndian ? "le" : "be")"
    case "ipcm":
      guard let pcm = description.audio?.pcm, [16, 24, 32].contains(pcm.sampleSize) else {
        return nil
      }
      return "pcm_s\(pcm.sampleSize)\(pcm.isLittleEndian ? "le" : "be")"
    default: return nil
    }
  }

  /// False for kinds of a codec that its decoder does not take although it takes the codec.
  private static func isDecodableKind(_ description: SampleDescription?, in bytes: [UInt8]) -> Bool {
    guard let range = description?.payload(of: "esds"),
      let descriptor = ElementaryStreamDescriptor(bytes, in: range), descriptor.objectType == 0x40,
      let configuration = descriptor.decoderConfiguration,
      let audio = AudioSpecificConfiguration(bytes, in: configuration)
    else { return true }
    return audio.objectType != 42 || Formats.decodesExtendedHighEfficiencyAAC
  }

  private static func statedBitRate(_ description: SampleDescription?, in bytes: [UInt8]) -> Double? {
    guard let description else { return nil }
    if let rate = description.audio?.bitRate?.average ?? description.video?.bitRate?.average,
      rate > 0
    {
      return Double(rate)
    }
    guard let range = description.payload(of: "esds"),
      let descriptor = ElementaryStreamDescriptor(bytes, in: range), descriptor.averageBitRate > 0
    else { return nil }
    return Double(descriptor.averageBitRate)
  }

  // MARK: - Duration

  /// The end of the longest presented track, and how sure that is.
  func duration(of tracks: [ContainerTrack], index: SegmentIndex?) -> (Rational?, DurationQuality) {
    // A track without samples ends nowhere.
    let relevant = tracks.filter { $0.end != nil || isFragmented || $0.sampleCount != 0 }
    if !relevant.isEmpty, relevant.allSatisfy({ $0.end != nil }) {
      return (relevant.compactMap(\.end).max(), .exact)
    }
    if let hint = movie.movieExtends?.fragmentDuration, movie.timescale > 0 {
      return (Rational(Int64(clamping: hint), Int64(movie.timescale)), .container)
    }
    if let index, index.timescale > 0 {
      let ticks = index.earliestPresentationTime.addingReportingOverflow(index.duration)
      let mediaEnd = Rational(Int64(clamping: ticks.partialValue), Int64(index.timescale)) ?? .zero
      let track = tracks.first { $0.iso?.trackID == index.referenceID }
      let end = track?.timeline.closed(atMediaEnd: mediaEnd).end ?? mediaEnd - origin
      if !ticks.overflow, end > .zero { return (end, .container) }
    }
    return (nil, .unknown)
  }
}
