import LibAV

/// A track of pictures that is copied but for the pictures at the edges of a cut.
struct CutSplice: Sendable {
  let edges: ExportPlan.Edges
  private let settings: VideoSettings?
  private let codec: String
  private let subject: String
  private let interrupt: Interrupt
  /// The source's set-up bytes.
  private let extradata: [UInt8]
  /// Open already: its parameter sets are in the header.
  private let opened: VideoEncodingSession?
  private let sets: ParameterSetSplice?
  /// Whether parameter sets travel with the pictures, because the container's header holds none.
  private let carriesSets: Bool

  /// Opens the encoder where its parameter sets have to be in the header.
  ///
  /// - Returns: The splice, and the set-up bytes for the header; nil where they are the source's.
  static func make(
    _ track: ExportPlan.Track, _ edges: ExportPlan.Edges, source: CodecParameters, container: WritableContainer,
    subject: String, interrupt: Interrupt
  ) async throws -> (CutSplice, header: [UInt8]?) {
    let codec = track.sourceCodec ?? ""
    var opened: VideoEncodingSession?
    var sets: ParameterSetSplice?
    if let settings = track.video, codec == "h264" || codec == "hevc" {
      let (session, parameters) = try await EdgeEncoder.prepare(settings, subject: subject, interrupt: interrupt)
      guard let made = ParameterSetSplice(codec: codec, source: source.extradata, encoder: parameters.extradata) else {
        throw MediaError(
          .operationNotSupported, operation: "export", subject: subject,
          reason: "the encoder's parameter sets can't stand beside the source's",
          remedy: "Cut it automatically, or encode the track")
      }
      (opened, sets) = (session, made)
    }
    let splice = CutSplice(
      edges: edges, settings: track.video, codec: codec, subject: subject, interrupt: interrupt,
      extradata: source.extradata, opened: opened, sets: sets,
      carriesSets: !container.isMovie && !["matroska", "webm", "flv"].contains(container.muxer))
    return (splice, sets?.extradata)
  }

  /// Reads, encodes and gives all samples in decode order, without decode times.
  ///
  /// - Parameter append: False ends it.
  func run(
    _ source: AssetTrack, range: MediaTimeRange, append: (SampleBuffer) async throws -> Bool
  ) async throws {
    if edges.encodesHead {
      let head = MediaTimeRange(start: range.start, end: edges.copyStart)
      guard try await encode(source, head, isHead: true, append) else { return }
    }
    let first = max(edges.copyStart, range.start)
    if edges.copyEnd > first {
      let middle =
        edges.copyEnd.isNumeric
        ? MediaTimeRange(start: first, end: edges.copyEnd)
        : MediaTimeRange(start: first, duration: .positiveInfinity)
      guard try await copy(source, middle, append) else { return }
    }
    if edges.encodesTail {
      _ = try await encode(source, MediaTimeRange(start: edges.copyEnd, end: range.end), isHead: false, append)
    }
  }

  private func copy(
    _ source: AssetTrack, _ range: MediaTimeRange, _ append: (SampleBuffer) async throws -> Bool
  ) async throws -> Bool {
    var output = try Reader(asset: source.asset, timeRange: range).output(for: source)
    output.fillsTimes = source.track.needsTimes(in: try await source.asset.header().container)
    var hasBegun = false
    for try await sample in output {
      let time = sample.presentationTime
      guard hasBegun || time == edges.copyStart else { continue }
      guard time >= edges.copyStart, time < edges.copyEnd, var packet = sample.stored?.packet else { continue }
      if !hasBegun, edges.encodesHead { packet = try joined(packet) }
      hasBegun = true
      // The first one may have begun before the range.
      let shown = max(time, range.start)
      let copy = SampleBuffer(
        content: .stored(StoredSample(packet: packet)), presentationTime: shown,
        duration: sample.duration.isNumeric ? sample.duration - (shown - time) : .invalid, isSync: sample.isSync,
        isDisposable: sample.isDisposable)
      guard try await append(copy) else { return false }
    }
    return true
  }

  private func encode(
    _ source: AssetTrack, _ range: MediaTimeRange, isHead: Bool, _ append: (SampleBuffer) async throws -> Bool
  ) async throws -> Bool {
    guard let settings else { return true }
    var session = isHead || !edges.encodesHead ? opened : nil
    if session == nil, let sets {
      // The second part's encoder has to have the first one's parameter sets.
      let made = try await EdgeEncoder.prepare(settings, subject: subject, interrupt: interrupt)
      guard sets.hasSameSets(made.parameters.extradata) else {
        throw MediaError(
          .encodeFailed, operation: "export", subject: subject,
          reason: "the encoder describes the two edges in different ways")
      }
      session = made.session
    }
    var encoder = EdgeEncoder(
      try session ?? EdgeEncoder.makeSession(settings, subject: subject, interrupt: interrupt), subject: subject)
    for try await sample in try Reader(asset: source.asset, timeRange: range).output(for: source, settings: .video()) {
      guard let picture = sample.pixelBuffer, sample.duration > .zero else { continue }
      let frame = VideoFrame(time: sample.presentationTime, duration: sample.duration, pixelBuffer: picture)
      for made in try await encoder.encode(frame, form: form) where try await !append(made) { return false }
    }
    for made in try await encoder.finish(form: form) where try await !append(made) { return false }
    return true
  }

  // MARK: Packets

  private func form(_ packet: Packet, isFirst: Bool) throws -> Packet? {
    guard let sets else { return packet }
    guard let bytes = sets.encoded(packet.bytes, withSets: isFirst && carriesSets) else { return nil }
    return try Packet.copying(bytes, isKey: packet.isKey)
  }

  private func joined(_ packet: Packet) throws -> Packet {
    if let sets { return try Packet.copying(sets.joined(packet.bytes, withSets: carriesSets)) }
    let bytes = SequenceHeader.prefixed(packet.bytes, codec: codec, extradata: extradata)
    return try Packet.copying(bytes)
  }
}
