import LibAV

/// Mixes the sound of a composition, block by block: each segment is decoded when its turn comes, and let go behind its
/// end, so that no more decoders live than there are tracks.
final class SoundMixer {
  let format: MixFormat
  private let tracks: [Track]
  private let assets: CompositionAssets

  /// One track: its segments by the numbers of their samples.
  private final class Track {
    struct Span {
      var segment: Composition.Segment
      var first: Int64
      var last: Int64
    }

    let subject: String
    let spans: [Span]
    let curve: VolumeCurve
    let pitch: AudioTimePitchAlgorithm
    let tap: AudioTap?
    /// For each channel of the mix the track's channel, and how much of it.
    let routes: [MixLevel.Route]
    /// The span that is read, and how far.
    var current = -1
    var source: StretchedSound?
    var position: Int64 = 0

    init(
      _ track: Composition.Track, _ parameters: AudioMix.InputParameters?, _ format: MixFormat,
      _ pitch: AudioTimePitchAlgorithm
    ) {
      subject = track.subject
      spans = track.segments.filter { !$0.isEmpty }.map { segment in
        Span(
          segment: segment, first: format.sample(at: segment.timeRange.start),
          last: format.sample(at: segment.timeRange.end))
      }
      curve = VolumeCurve(parameters?.ramps ?? [], base: track.preferredVolume, rate: format.sampleRate)
      self.pitch = parameters?.audioTimePitchAlgorithm ?? pitch
      tap = parameters?.audioTapProcessor
      let balance = max(-1, min(1, parameters?.balance ?? 0))
      routes = (0..<format.channels).map { channel in
        let source = parameters?.channelMap.map { channel < $0.count ? $0[channel] : -1 } ?? channel
        let gain: Float = channel == 0 ? min(1, 1 - balance) : channel == 1 ? min(1, 1 + balance) : 1
        return MixLevel.Route(channel: source, gain: format.channels > 1 ? gain : 1)
      }
    }
  }

  init(
    _ composition: Composition, _ mix: AudioMix?, format: MixFormat, pitch: AudioTimePitchAlgorithm,
    assets: CompositionAssets
  ) {
    self.format = format
    self.assets = assets
    tracks = composition.shownTracks(.audio).map { Track($0, mix?.parameters(of: $0.id), format, pitch) }
  }

  /// The sum of all tracks from a sample on.
  func mix(from first: Int64, count: Int) async throws -> [[Float]] {
    var sum = [[Float]](repeating: [Float](repeating: 0, count: count), count: format.channels)
    for track in tracks { try await add(track, to: &sum, from: first, count: count) }
    return sum
  }

  private func add(_ track: Track, to sum: inout [[Float]], from first: Int64, count: Int) async throws {
    let end = first + Int64(count)
    var low = 0
    var high = track.spans.count
    while low < high {
      let middle = (low + high) / 2
      if track.spans[middle].last > first { high = middle } else { low = middle + 1 }
    }
    while low < track.spans.count, track.spans[low].first < end {
      try Task.checkCancellation()
      let span = track.spans[low]
      let (from, to) = (max(first, span.first), min(end, span.last))
      if to > from {
        try await add(track, low, from: from, count: Int(to - from), to: &sum, at: Int(from - first))
      }
      low += 1
    }
  }

  private func add(
    _ track: Track, _ index: Int, from first: Int64, count: Int, to sum: inout [[Float]], at place: Int
  ) async throws {
    let span = track.spans[index]
    if track.current != index || track.position != first || track.source == nil {
      track.source = nil
      track.source = try await open(track, span, skipping: first - span.first)
      (track.current, track.position) = (index, first)
    }
    let level = MixLevel(curve: track.curve, first: first, routes: track.routes)
    if let tap = track.tap {
      var samples = [[Float]](repeating: [Float](repeating: 0, count: count), count: format.channels)
      try await track.source?.add(count, to: &samples, at: 0, MixLevel(channels: format.channels))
      let time = MediaTime(value: first, timescale: Int32(clamping: format.sampleRate))
      level.add(try tap.tapped(samples, at: time, sampleRate: format.sampleRate), to: &sum, at: place)
    } else {
      try await track.source?.add(count, to: &sum, at: place, level)
    }
    track.position = first + Int64(count)
    if track.position >= span.last { track.source = nil }
  }

  private func open(_ track: Track, _ span: Track.Span, skipping skipped: Int64) async throws -> StretchedSound {
    guard let source = span.segment.source else {
      throw MediaError(.unknown, operation: "mix", subject: track.subject, reason: "an empty segment has no sound")
    }
    var segment = span.segment
    if skipped > 0 {
      let start = MediaTime(value: span.first + skipped, timescale: Int32(clamping: format.sampleRate))
      if segment.timeRange.containsTime(start) {
        segment = segment.part(MediaTimeRange(start: start, end: segment.timeRange.end))
      }
    }
    return try await StretchedSound(
      track: try await assets.track(source, .audio), segment: segment, pitch: track.pitch, format: format)
  }
}

/// The sound of a segment at the segment's speed.
final class StretchedSound {
  private let sound: SegmentSound
  private var stretcher: TimeStretcher?
  private var pending: [[Float]]

  init(
    track: AssetTrack, segment: Composition.Segment, pitch: AudioTimePitchAlgorithm, format: MixFormat
  ) async throws {
    let mapping = segment.timeMapping
    pending = [[Float]](repeating: [], count: format.channels)
    var rate = format.sampleRate
    if mapping.source.duration != mapping.target.duration {
      guard let speed = mapping.exactRate, let slowest = Rational(1, 32), speed >= slowest, speed <= Rational(32) else {
        throw MediaError(
          .operationNotSupported, operation: "mix", subject: track.subject,
          reason: "at \(segment.timeRange.start.seconds) s it would play at \(segment.rate) times its speed",
          remedy: "Use speeds from 1/32 to 32, or leave the sound out")
      }
      switch pitch {
      case .varispeed:
        // As many samples for the source's time as the mix has for the segment's.
        let stretched = Rational(Int64(rate)).divided(by: speed)?.rounded() ?? Int64(rate)
        rate = Int(min(768_000, max(1, stretched)))
      default:
        stretcher = TimeStretcher(speed: speed, channels: format.channels, sampleRate: rate)
      }
    }
    sound = try await SegmentSound(
      track: track, range: mapping.source, rate: rate, format: format, isReversed: segment.isReversed)
  }

  /// Adds the next samples to a mix.
  func add(_ count: Int, to sum: inout [[Float]], at place: Int, _ level: MixLevel) async throws {
    guard stretcher != nil else { return try await sound.add(count, to: &sum, at: place, level) }
    while pending[0].count < count {
      guard let more = try await stretcher?.next(sound.read) else { break }
      for channel in pending.indices { pending[channel] += more[channel] }
    }
    let given = min(count, pending[0].count)
    level.add(pending.map { $0[..<given] }, to: &sum, at: place)
    for channel in pending.indices { pending[channel].removeFirst(given) }
  }
}
