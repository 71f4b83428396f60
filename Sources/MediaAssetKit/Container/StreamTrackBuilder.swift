import ISOMedia
import LibAV

/// Makes tracks of libav's streams: every container but ISO media.
struct StreamTrackBuilder {
  let container: String
  let streams: [StreamInfo]
  let programs: [(number: Int, streams: [Int])]
  /// The first frame of an MPEG audio file.
  let audioHeader: MPEGAudioHeader?
  /// What the header of a Matroska file says besides.
  let matroska: MatroskaTracks?
  /// Samples by stream, where the demuxer lists them all.
  let listedSamples: [Int: Int]

  private var hasDefinedZero: Bool { ContainerNames.hasDefinedZero(container) }

  /// Stored seconds at the asset's zero: the earliest presented sample for clocks that start anywhere.
  var origin: Rational {
    guard !hasDefinedZero else { return .zero }
    let media = streams.filter {
      [.video, .audio].contains(MediaType($0)) && !$0.disposition.contains(.attachedPicture)
    }
    // Times of MP3 count from the first stored sample, the encoder's delay included.
    if let header = audioHeader {
      return Rational(Int64(header.tag?.gapless?.delay ?? 0), Int64(header.frame.sampleRate))
        ?? .zero
    }
    return media.compactMap { stream in stream.startTime.map { stream.tick * Rational($0) } }.min()
      ?? .zero
  }

  func tracks(origin: Rational) -> [ContainerTrack] {
    streams.compactMap { track($0, origin: origin) }
  }

  private func track(_ stream: StreamInfo, origin: Rational) -> ContainerTrack? {
    guard !stream.disposition.contains(.attachedPicture), let type = MediaType(stream) else {
      return nil
    }
    let entry = matroskaEntry(stream)
    let language = entry?.language ?? stream.metadata["language"]
    var track = ContainerTrack(
      id: Int32(clamping: stream.index + 1), mediaType: type, stream: stream, iso: nil,
      codec: stream.codecName,
      timeline: TrackTimeline(timeBase: stream.tick, origin: origin),
      program: programs.first { $0.streams.contains(stream.index) }?.number,
      isEnabled: entry?.isEnabled ?? true,
      language: LanguageName.terminological(language),
      extendedLanguage: LanguageName.extended(language),
      fourCharacterCode: container == "avi" ? Self.fourCharacters(stream.codecTag) : nil,
      codecString: CodecStrings.string(for: stream),
      sampleCount: listedSamples[stream.index],
      nominalFrameRate: type == .video ? stream.nominalFrameRate : nil,
      statedBitRate: Self.statedBitRate(stream), isSelfContained: true)
    track.uniqueID = entry?.uniqueID
    track.name = entry?.name ?? stream.metadata["title"]
    if type == .video {
      track.spatial.hasStereoLayout = entry.map { $0.stereoMode != 0 } ?? false
      track.spatial.isProjected = entry.map { $0.projection != 0 } ?? false
      track.orientation =
        entry?.roll.flatMap { Self.orientation(counterClockwise: $0) }
        ?? Self.orientation(named: stream.metadata["title"])
    }
    place(&track, stream, origin: origin)
    return track
  }

  /// The header's entry of a stream: libav makes the streams in the same order, unless it leaves one out.
  private func matroskaEntry(_ stream: StreamInfo) -> MatroskaTracks.Entry? {
    guard let entries = matroska?.entries else { return nil }
    let listed = streams.filter {
      $0.kind != .attachment && !$0.disposition.contains(.attachedPicture)
    }
    guard listed.count == entries.count else { return nil }
    return listed.firstIndex { $0.index == stream.index }.map { entries[$0] }
  }

  private static func orientation(counterClockwise degrees: Double) -> Orientation? {
    // Within half a degree of a right angle; others have no orientation.
    let quarters = (degrees / 90).rounded()
    guard abs(degrees - quarters * 90) < 0.5, abs(quarters) < 1000 else { return nil }
    return [.up, .left, .down, .right][(Int(quarters) % 4 + 4) % 4]
  }

  /// HTC's phones wrote the turn into the name of a Matroska track: `htc_video_rotA-090`.
  private static func orientation(named name: String?) -> Orientation? {
    guard let name, name.hasPrefix("htc_video_rotA-") else { return nil }
    return switch name.suffix(3) {
    case "090": .right
    case "180": .down
    case "270": .left
    default: nil
    }
  }

  /// Where the track lies on the asset's timeline, as far as the header tells.
  private func place(_ track: inout ContainerTrack, _ stream: StreamInfo, origin: Rational) {
    let tick = stream.tick
    let length = stream.duration.map { tick * Rational($0) }
    if let header = audioHeader {
      track.firstPresented = .zero
      track.gapless = header.tag?.gapless
      track.sampleCount = header.tag?.frameCount
      track.end = header.presentedSamples.flatMap {
        Rational($0, Int64(header.frame.sampleRate))
      }
      return
    }
    switch container {
    case "ogg":
      // Granule positions count decoded samples; Opus's begin before the sound (RFC 7845, 4.3).
      guard let start = stream.startTime, let length else { return }
      let skip = Rational(stream.opusPreSkip ?? 0, 48_000) ?? .zero
      track.firstPresented = tick * Rational(start) - origin
      track.end = tick * Rational(start) + length - skip - origin
    case "wav", "w64", "aiff", "caf", "au", "flac":
      track.firstPresented = .zero
      track.end = length
      // CAF of PCM: a packet is one sample of each channel.
      if length == nil, stream.codecName?.hasPrefix("pcm_") == true, stream.frameCount > 0 {
        track.end = tick * Rational(stream.frameCount)
      }
    case "matroska", "webm":
      track.firstPresented = stream.startTime.map { max(.zero, tick * Rational($0)) }
      let tagged = Self.taggedDuration(stream.metadata)
      // FFmpeg's muxer writes the time of the end, mkvmerge the length.
      if stream.metadata.keys.contains(where: { $0.hasPrefix("_STATISTICS") }) {
        track.length = tagged
        track.sampleCount = Self.tagged("NUMBER_OF_FRAMES", stream.metadata).flatMap {
          Int(clamping: $0)
        }
        if track.statedBitRate == nil {
          track.statedBitRate = Self.tagged("BPS", stream.metadata).map { Double($0) }
        }
      } else {
        track.end = tagged
      }
    case "avi", "gif", "apng":
      let start = tick * Rational(stream.startTime ?? 0)
      track.firstPresented = start
      track.end = length.map { start + $0 }
      if track.nominalFrameRate == nil, track.mediaType == .video, let count = track.sampleCount,
        let length,
        length > .zero
      {
        track.nominalFrameRate = Rational(Int64(count)) / length
      }
    default:
      // Elsewhere libav guesses lengths from rates or clocks: the first presentation alone is sure.
      guard let start = stream.startTime else { return }
      track.firstPresented = max(.zero, tick * Rational(start) - origin)
    }
  }

  /// A tag of four printable characters, as AVI has; libav packs them least significant byte first.
  static func fourCharacters(_ tag: UInt32) -> String? {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
    guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// What the header states; all ones stand for a variable rate in MPEG-1 video (ISO 11172-2, 2.4.3.2).
  private static func statedBitRate(_ stream: StreamInfo) -> Double? {
    let isVariable = stream.codecName == "mpeg1video" && stream.bitRate == 0x3FFFF * 400
    return stream.bitRate > 0 && !isVariable ? Double(stream.bitRate) : nil
  }

  /// A number of mkvmerge's statistics tags, whose names may end in a language.
  private static func tagged(_ name: String, _ metadata: [String: String]) -> Int64? {
    (metadata[name] ?? metadata.first { $0.key.hasPrefix(name + "-") }?.value).flatMap {
      Int64($0)
    }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Matroska's per-track tag, `HH:MM:SS.nnnnnnnnn`.
  static func taggedDuration(_ metadata: [String: String]) -> Rational? {
    guard let text = metadata.first(where: { $0.key.hasPrefix("DURATION") })?.value else {
      return nil
    }
    let parts = text.split(separator: ":")
    guard parts.count == 3, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
      (0..<1_000_000).contains(hours), (0..<60).contains(minutes)
    else { return nil }
    let seconds = parts[2].split(separator: ".")
    guard let whole = seconds.first.flatMap({ Int64($0) }), (0..<60).contains(whole) else {
      return nil
    }
    let digits = seconds.count > 1 ? String(seconds[1].prefix(9)) : "0"
    guard let fraction = Int64(digits), fraction >= 0 else { return nil }
    var unit: Int64 = 1
    for _ in digits { unit *= 10 }
    let total = Rational(hours * 3600 + minutes * 60 + whole) + (Rational(fraction, unit) ?? .zero)
    return total > .zero ? total : nil
  }

  // MARK: - Duration

  /// The end of the asset as the header tells it, and how sure that is.
  func duration(
    of tracks: [ContainerTrack], microseconds: Int64?, isEstimated: Bool
  ) -> (Rational?, DurationQuality) {
    let presented = tracks.filter { $0.mediaType == .video || $0.mediaType == .audio }
    let relevant = presented.isEmpty ? tracks : presented
    let ends = relevant.compactMap(\.end)
    switch container {
    case "wav", "w64", "aiff", "caf", "au", "gif", "apng":
      if ends.count == relevant.count, let end = ends.max() { return (end, .exact) }
    case "flac", "avi", "ogg", "mp3":
      if ends.count == relevant.count, let end = ends.max() { return (end, .container) }
    case "matroska", "webm":
      if let microseconds, microseconds > 0 {
        return (Rational(microseconds, 1_000_000), .container)
      }
      if ends.count == relevant.count, let end = ends.max() { return (end, .container) }
    case "mpegts", "mpegps", "adts", "amr":
      // What libav says of these it has estimated from the bit rate or from the clock at both ends.
      if let microseconds, microseconds > 0 {
        return (Rational(microseconds, 1_000_000), .estimated)
      }
    default: break
    }
    guard let microseconds, microseconds > 0 else { return (nil, .unknown) }
    let isStated = !isEstimated && hasDefinedZero
    return (Rational(microseconds, 1_000_000), isStated ? .container : .estimated)
  }
}
