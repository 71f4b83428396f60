import LibAV

/// The stored samples of a track's segments, each at its place in the composition.
struct CopiedSegments {
  private typealias Copied = (source: Composition.Segment.Source, mapping: MediaTimeMapping, isReversed: Bool)

  private let segments: [Copied]
  private let mediaType: MediaType
  private let assets: CompositionAssets

  init(_ track: Composition.Track, range: MediaTimeRange, assets: CompositionAssets) {
    mediaType = track.mediaType
    self.assets = assets
    segments = track.segments.compactMap { segment in
      let shown = segment.timeRange.intersection(range)
      guard let source = segment.source, shown.duration > .zero else { return nil }
      return (source, segment.part(shown).timeMapping, segment.isReversed)
    }
  }

  /// Every picture that a segment shows, in decode order. Decode times are made anew where pictures are reordered: those
  /// of two clips may overlap.
  func pictures(_ append: (SampleBuffer) async throws -> Bool) async throws {
    for (source, mapping, _) in segments {
      let track = try await assets.track(source, .video)
      let reorders = CodecTraits(codec: track.track.codec ?? "").reorders
      var output = try Reader(asset: track.asset, timeRange: mapping.source).output(for: track)
      output.fillsTimes = track.track.needsTimes(in: try await track.asset.header().container)
      for try await sample in output {
        guard sample.presentationTime.isNumeric, sample.presentationTime >= mapping.source.start,
          sample.presentationTime < mapping.source.end, !sample.isHidden
        else { continue }
        let offset = mapping.target.start - mapping.source.start
        let moved = sample.retimed(
          presentationTime: sample.presentationTime + offset,
          decodeTime: reorders || !sample.decodeTime.isNumeric ? .invalid : sample.decodeTime + offset,
          duration: sample.duration)
        guard try await append(moved) else { return }
      }
    }
  }

  /// Every packet whose middle lies in its segment, each at the end of the one before where that is nearer to its place than
  /// half a packet: the error is half of a packet at most, and does not add up.
  /// PCM is cut to the sample.
  func sound(_ append: (SampleBuffer) async throws -> Bool) async throws {
    if let source = segments.first?.source,
      Self.bytesOfSample(try await assets.track(source, .audio).track.codec) != nil
    {
      return try await uncompressed(append)
    }
    var next: MediaTime?
    var usual = MediaTime.zero
    for (source, mapping, _) in segments {
      let track = try await assets.track(source, .audio)
      // A file's last packet is often said to be shorter than what comes of decoding it.
      let isConstant = ["aac", "mp3", "mp2", "ac3", "eac3"].contains(track.track.codec ?? "")
      let offset = mapping.target.start - mapping.source.start
      for try await sample in try Reader(asset: track.asset, timeRange: mapping.source).output(for: track) {
        guard sample.presentationTime.isNumeric, sample.duration.isNumeric else { continue }
        let time = sample.presentationTime + offset
        if isConstant { usual = max(usual, sample.duration) }
        let length = isConstant ? usual : sample.duration
        let half = length.multiplied(by: 1, dividedBy: 2)
        var placed = time
        var moved = sample.retimed(presentationTime: time, duration: length)
        if let end = next {
          // What the codec of a later clip needs to begin lies in the clip before.
          if time + half < max(end, mapping.target.start) { continue }
          // No hole of less than half a packet, no overlap.
          if time - half <= end { placed = end }
          moved = sample.retimed(presentationTime: placed, duration: length).trimmed(start: .zero, end: .zero)
        }
        guard placed + half < mapping.target.end else { continue }
        guard try await append(moved) else { return }
        next = placed + length
      }
    }
  }

  /// Bytes of a sample of PCM whose zero is silence; nil for other codecs. Such sound is cut anywhere.
  static func bytesOfSample(_ codec: String?) -> Int? {
    switch codec ?? "" {
    case "pcm_s16le", "pcm_s16be": 2
    case "pcm_s24le", "pcm_s24be": 3
    case "pcm_s32le", "pcm_s32be", "pcm_f32le", "pcm_f32be": 4
    case "pcm_f64le", "pcm_f64be": 8
    default: nil
    }
  }

  /// Every sample of PCM in the place nearest to its own; where there is none, silence.
  private func uncompressed(_ append: (SampleBuffer) async throws -> Bool) async throws {
    var next: Int64?
    for (source, mapping, _) in segments {
      let track = try await assets.track(source, .audio)
      guard let stream = track.track.stream, stream.sampleRate > 0, stream.channels > 0,
        let size = Self.bytesOfSample(track.track.codec)
      else { continue }
      let (rate, block) = (Int32(clamping: stream.sampleRate), size * stream.channels)
      let tick = Rational(1, Int64(rate)) ?? .one
      func index(_ time: MediaTime) -> Int64 { time.ticks(in: tick) ?? 0 }
      func place(_ bytes: [UInt8], at first: Int64) async throws -> Bool {
        try await append(
          SampleBuffer(
            bytes: bytes, presentationTime: MediaTime(value: first, timescale: rate),
            duration: MediaTime(value: Int64(bytes.count / block), timescale: rate)))
      }
      let (start, end) = (index(mapping.target.start), index(mapping.target.end))
      func fill(to last: Int64) async throws -> Bool {
        while let first = next, first < last {
          let count = min(last - first, 1 << 14)
          guard try await place([UInt8](repeating: 0, count: Int(count) * block), at: first) else { return false }
          next = first + count
        }
        return true
      }
      next = next ?? start
      for try await sample in try Reader(asset: track.asset, timeRange: mapping.source).output(for: track) {
        guard let packet = sample.stored?.packet, sample.presentationTime.isNumeric else { continue }
        let own = start + index(sample.presentationTime - mapping.source.start)
        let first = max(start, own, next ?? start)
        let last = min(end, own + Int64(packet.size / block))
        guard last > first else { continue }
        guard try await fill(to: first) else { return }
        let bytes = packet.withBytes { span in
          (Int(first - own) * block..<Int(last - own) * block).map { span[$0] }
        }
        guard try await place(bytes, at: first) else { return }
        next = last
      }
      // The last segment ends with its source.
      if source != segments.last?.source || mapping != segments.last?.mapping {
        guard try await fill(to: end) else { return }
      }
    }
  }

  /// Every stored cue, cut to its segment at its end.
  func text(_ append: (SampleBuffer) async throws -> Bool) async throws {
    for (source, mapping, _) in segments {
      let track = try await assets.track(source, mediaType)
      let offset = mapping.target.start - mapping.source.start
      for try await sample in try Reader(asset: track.asset, timeRange: mapping.source).output(for: track) {
        guard sample.presentationTime.isNumeric, sample.presentationTime >= mapping.source.start, !sample.isHidden
        else { continue }
        let time = sample.presentationTime + offset
        let duration =
          sample.duration.isNumeric ? min(sample.duration, mapping.target.end - time) : mapping.target.end - time
        guard duration > .zero else { continue }
        let moved = sample.retimed(presentationTime: time, decodeTime: time, duration: duration)
        guard try await append(moved) else { return }
      }
    }
  }

  /// Every cue as text of a codec, cut to its segment at both ends.
  func cues(as codec: String, _ append: (SampleBuffer) async throws -> Bool) async throws {
    for (source, mapping, isReversed) in segments {
      let track = try await assets.track(source, mediaType)
      var moving: [TextCue] = []
      func give() async throws -> Bool {
        do {
          for cue in moving {
            guard try await append(try TextFormat.sample(cue, codec)) else { return false }
          }
        } catch let error as AVError {
          throw MediaError.libav(error, operation: "export", subject: track.subject)
        }
        moving = []
        return true
      }
      let output = try Reader(asset: track.asset, timeRange: mapping.source).output(for: track, settings: .text)
      for try await sample in output {
        guard let cue = sample.cue else { continue }
        var shown = MediaTimeRange(start: cue.time, duration: cue.duration).intersection(mapping.source)
        guard shown.duration > .zero else { continue }
        if isReversed { shown = mapping.source.mirrored(shown) }
        let start = mapping.targetTime(ofSource: shown.start)
        let moved = cue.retimed(start, mapping.targetTime(ofSource: shown.end) - start)
        moving.append(moved)
        if isReversed { continue }
        guard try await give() else { return }
      }
      // The last one comes first.
      moving.reverse()
      guard try await give() else { return }
    }
  }
}
