import LibAV

/// A track of pictures that is copied but for the pictures at the edges of a cut.
struct CutSplice: Sendable {
  let edges: ExportPlan.Edges
  private let coding: SplicedCoding

  /// Opens the encoder where its parameter sets have to be in the header.
  ///
  /// - Returns: The splice, and the set-up bytes for the header; nil where they are the source's.
  static func make(
    _ track: ExportPlan.Track, _ edges: ExportPlan.Edges, source: CodecParameters, container: WritableContainer,
    subject: String, interrupt: Interrupt
  ) async throws -> (CutSplice, header: [UInt8]?) {
    let (coding, header) = try await SplicedCoding.make(
      codec: track.sourceCodec ?? "", settings: track.video, source: source, container: container, subject: subject,
      interrupt: interrupt)
    return (CutSplice(edges: edges, coding: coding), header)
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
      if !hasBegun, edges.encodesHead { packet = try coding.joined(packet) }
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
    guard var encoder = try await coding.encoder(isFirst: isHead || !edges.encodesHead) else { return true }
    for try await sample in try Reader(asset: source.asset, timeRange: range).output(for: source, settings: .video()) {
      guard let picture = sample.pixelBuffer, sample.duration > .zero else { continue }
      let frame = VideoFrame(time: sample.presentationTime, duration: sample.duration, pixelBuffer: picture)
      for made in try await encoder.encode(frame, form: coding.form) where try await !append(made) { return false }
    }
    for made in try await encoder.finish(form: coding.form) where try await !append(made) { return false }
    return true
  }
}
