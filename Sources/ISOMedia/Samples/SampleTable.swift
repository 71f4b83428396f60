/// The samples of a track in decode order, read from the tables of `stbl` while iterating.
///
/// Takes no memory of its own: `Array(table)` or `for sample in table` costs some nanoseconds a
/// sample. Tables that contradict each other shorten the sequence and are named in ``problems``.
package struct SampleTable: Sequence, Sendable {
  package let layout: SampleTableLayout
  let bytes: [UInt8]
  /// How many samples there are: the sizes and the chunks both have them.
  package private(set) var count = 0
  package private(set) var problems: [ISOMediaError] = []

  /// Prepares the tables of a track; reads `stsc` only.
  ///
  /// - Parameter maximumSamples: A file of a few bytes can claim 2^32 samples (of equal size, in
  ///   one chunk), so the caller says how many it is ready to handle.
  /// - Throws: `ISOMediaError` of kind `limit` above that.
  package init(
    _ layout: SampleTableLayout, in bytes: [UInt8], maximumSamples: Int
  ) throws(ISOMediaError) {
    self.layout = layout
    self.bytes = bytes
    guard layout.sampleCount > 0 else { return }
    for table in [
      layout.sizes, layout.timeToSample, layout.compositionOffsets, layout.syncSamples,
      layout.sampleToChunk, layout.chunkOffsets, layout.dependencies,
    ] where (table?.range.upperBound ?? 0) > bytes.count {
      throw ISOMediaError(.truncated, path: SampleTableLayout.path, offset: bytes.count)
    }
    let claimed = Int(layout.sampleCount)
    count = Swift.min(claimed, mapChunks(upTo: claimed))
    if count < claimed { report(.truncated, "stsc") }
    guard count <= maximumSamples else {
      throw ISOMediaError(
        .limit, path: SampleTableLayout.path, offset: layout.sizes?.range.lowerBound ?? 0)
    }
  }

  /// How many samples the chunks hold, or `limit` when that is fewer; reports damaged runs.
  private mutating func mapChunks(upTo limit: Int) -> Int {
    guard let runs = layout.sampleToChunk, let chunks = layout.chunkOffsets else { return 0 }
    var total = 0
    for index in 0..<runs.entryCount {
      let at = runs.range.lowerBound + index * 12
      let first = Int(bytes.bigEndianUInt32(at: at))
      let perChunk = Int(bytes.bigEndianUInt32(at: at + 4))
      var next = chunks.entryCount + 1
      if index + 1 < runs.entryCount { next = Int(bytes.bigEndianUInt32(at: at + 12)) }
      // A run that starts where the next one does is empty, and some writers leave many.
      guard index > 0 || first == 1, first <= next else {
        report(.malformed, "stsc")
        return total
      }
      if next > chunks.entryCount + 1 { report(.malformed, "stsc") }
      next = Swift.min(next, chunks.entryCount + 1)
      guard first <= next else { return total }
      // Both factors are below 2^32.
      let (product, overflow) = (next - first).multipliedReportingOverflow(by: perChunk)
      if overflow || product >= limit - total { return limit }
      total += product
    }
    return total
  }

  private mutating func report(_ kind: ISOMediaError.Kind, _ box: String) {
    problems.append(
      ISOMediaError(
        kind, path: "\(SampleTableLayout.path)/\(box)",
        offset: layout.sampleToChunk?.range.lowerBound ?? 0))
  }

  package var underestimatedCount: Int { count }

  package func makeIterator() -> SampleIterator { SampleIterator(layout, bytes, count: count) }
}

extension MovieHeader {
  /// The samples of a track that lie in the movie header (fragments not included).
  package func sampleTable(
    of track: TrackHeader, maximumSamples: Int
  ) throws(ISOMediaError) -> SampleTable {
    try SampleTable(track.samples, in: bytes, maximumSamples: maximumSamples)
  }
}
