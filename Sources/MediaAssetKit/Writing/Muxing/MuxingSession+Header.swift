import LibAV

/// The beginning of a file.
extension MuxingSession {
  /// Describes the tracks to the muxer and writes its header, once every track is known.
  func writeHeader(_ core: WriterCore, _ batch: [(track: Int, sample: QueuedSample)]) throws {
    try open()
    guard let output else { return }
    self.core = core
    start = core.sessionStart ?? .zero
    var muxer = try Muxer.make(format: container.muxer, output: output, interrupt: interrupt)
    if !container.isMovie { muxer.setAvoidsNegativeTimes() }
    let items = try WriterMetadata(options.metadataItems, in: container, subject: path)
    muxer.setMetadata(options.metadata.merging(items.tags) { $1 })
    var leading: [Int: Int] = [:]
    var leads: [Int: (packet: Int64, limit: Int64)] = [:]
    var made: [Stream?] = []
    let tracks = core.tracks
    for (index, track) in tracks.enumerated() {
      guard let parameters = track.parameters else {
        made.append(nil)
        continue
      }
      if !container.isMovie, track.mediaType == .audio, !track.plan.isEncoded, parameters.sampleRate > 0,
        let first = batch.first(where: { $0.track == index })?.sample ?? core.firstSample(of: index),
        case let lead = start - first.presentation, lead.isNumeric,
        let samples = lead.ticks(in: Rational(1, Int64(parameters.sampleRate)) ?? .one)
      {
        if lead > .zero {
          let packet = first.duration.ticks(in: Rational(1, Int64(parameters.sampleRate)) ?? .one) ?? 0
          // What the codec needs to warm up stays: a twentieth of a second, or two packets where they are long.
          let limit = max(Int64(parameters.sampleRate / 20), 2 * packet)
          leads[index] = (packet, limit)
          // Told is what is before the start in the first packet that stays.
          let dropped = packet > 0 && samples > limit ? (samples - limit + packet - 1) / packet : 0
          leading[index] = Int(samples - dropped * packet)
        } else if parameters.codecName == "opus" {
          // A cut between two packets: nothing of the first one is hidden, whatever the source's beginning had.
          leading[index] = 0
        }
      }
      let number = try muxer.addStream(
        parameters, track.streamOptions(parameters, in: container, leading: leading[index], isFragmented: isFragmented))
      let isReordering = track.mediaType == .video && !track.plan.isEncoded
      let isOpus = parameters.codecName == "opus"
      // What a source that is passed on says of other codecs its times say already.
      let padding = leading[index] ?? (isOpus || track.plan.isEncoded ? parameters.initialPadding : 0)
      let hasDelay = track.mediaType == .audio && Muxer.leavesCodecDelay(container.muxer)
      let delay = hasDelay ? padding : 0
      let hasEqualFrames = ["aac", "ac3", "eac3", "mp3", "mp2", "mp1"].contains(parameters.codecName)
      let frame = MediaTime(
        value: Int64(track.plan.isEncoded ? parameters.frameSize : 0),
        timescale: Int32(clamping: max(1, parameters.sampleRate)))
      if !isOpus, delay > 0 {
        delays[UInt64(number + 1)] = UInt64(delay) * 1_000_000_000 / UInt64(max(1, parameters.sampleRate))
      }
      made.append(
        Stream(
          number: number, tally: TrackTally(tick: .one), plan: track.plan, mediaType: track.mediaType,
          times: DecodeTimeMaker(reorders: isReordering), sampleRate: parameters.sampleRate,
          isStrict: !["matroska", "webm", "avi"].contains(container.muxer),
          codecDelay: MediaTime(
            value: Int64(delay), timescale: isOpus ? 48_000 : Int32(clamping: max(1, parameters.sampleRate))),
          frameLength: hasEqualFrames ? frame : .invalid,
          tellsExcess: !(container.isMatroska && ["ac3", "eac3"].contains(parameters.codecName)),
          packetLength: leads[index]?.packet ?? 0, leadLimit: leads[index]?.limit ?? 0))
    }
    guard made.contains(where: { $0 != nil }) else {
      throw MediaError(
        .operationNotSupported, operation: "write", subject: path, reason: "no input has any samples",
        remedy: "Append at least one sample")
    }
    var covers: [(stream: Int, bytes: [UInt8])] = []
    for picture in options.pictures {
      guard let size = picture.statedSize else { continue }
      let number = try muxer.addCover(codec: picture.codec, width: size.width, height: size.height)
      covers.append((number, picture.bytes))
    }
    try muxer.setChapters(options.chapters)
    try muxer.writeHeader(options: muxerOptions(tracks))
    for cover in covers { try muxer.writeCover(cover.bytes, stream: cover.stream) }
    for index in made.indices {
      guard let number = made[index]?.number else { continue }
      let base = muxer.timeBase(stream: number)
      let tick = Rational(Int64(base.numerator), Int64(base.denominator)) ?? .one
      made[index]?.tally = TrackTally(tick: tick)
      if let delay = tracks[index].plan.reorderDelay?.ticks(in: tick, rounding: .up) {
        made[index]?.times = DecodeTimeMaker(reorders: true, delay: delay)
      }
    }
    streams = made
    numbers = made.map { $0?.number }
    let reference = tracks.firstIndex { $0.mediaType == .video && $0.parameters != nil }
    referenceStream = (reference ?? made.firstIndex { $0 != nil }).flatMap { made[$0]?.number } ?? 0
    muxer.writesLargePacketsDirectly = container.isMovie && !isFragmented
    try releaseHead(output, &muxer, tracks)
    self.muxer = consume muxer
    hasHeader = true
  }

  /// Leaves a gap for the movie header behind `ftyp`, where it is to come first.
  private func releaseHead(_ output: OutputFile, _ muxer: inout Muxer, _ tracks: [WriterCore.Track]) throws {
    try muxer.flushBuffer()
    // The head of a fragmented file is released when the first fragment is complete.
    if isFragmented { return }
    guard container.isMovie, options.shouldOptimizeForNetworkUse else {
      try output.release(gapAt: 0, length: 0)
      return
    }
    let head = output.heldBytes
    let size = head.count >= 8 ? head[..<4].reduce(0) { $0 << 8 | Int64($1) } : 0
    let counts = tracks.map { $0.plan.expectedSampleCount.map(Int64.init) }
    // A sample takes 4 bytes of size, up to 8 of reordering, and its share of chunks and runs; 64 KiB hold a few minutes.
    let known =
      counts.allSatisfy { $0 != nil } ? counts.reduce(0) { $0 + ($1 ?? 0) } * 20 + 4096 * Int64(counts.count) : nil
    // A hundred samples a second are pictures and sound of most films.
    let hinted = options.overallDurationHint.ticks(in: .one).map { max(1, min($0, 100_000)) * 2000 + 8192 }
    try output.release(gapAt: size, length: known ?? hinted ?? 65_536)
  }

  private func muxerOptions(_ tracks: [WriterCore.Track]) -> [String: String] {
    var values = container.options.merging(options.muxerOptions) { $1 }
    guard container.isMovie else { return values }
    // The edit lists are written by this library, exactly, when the file is complete.
    var flags: [String] = []
    if isFragmented {
      flags += ["frag_custom", "delay_moov", "default_base_moof"]
      values["fragment_index"] = String(max(1, options.initialMovieFragmentSequenceNumber))
    } else {
      values["use_editlist"] = "0"
    }
    if let more = values["movflags"] { flags.append(more) }
    if !flags.isEmpty { values["movflags"] = flags.joined(separator: "+") }
    if let scale = WriterCore.Track.commonVideoTimescale(tracks) { values["video_track_timescale"] = String(scale) }
    return values
  }
}
