extension MovieHeader {
  /// The header with chunk offsets moved by what `shift` says of each chunk's data reference; boxes keep their sizes.
  ///
  /// - Parameter shift: How far the media of a reference, by its number from 1, lies from where its own file begins.
  /// - Returns: nil where an offset does not fit into its bits.
  package func relocatingChunks(
    _ shift: (_ track: TrackHeader, _ dataReference: UInt16) -> Int64
  ) -> [UInt8]? {
    var result = bytes
    for track in tracks {
      let fits = ChunkOffsets.moveChunks(of: track, bytes, &result, from: .min) { shift(track, $0.dataReferenceIndex) }
      guard fits else { return nil }
    }
    return result
  }
}

/// Which sample description the samples of each chunk have (`stsc`), chunk by chunk.
struct ChunkDescriptions {
  private var reader: ByteReader
  private var next: (first: Int, description: Int)?
  private var current = 0

  init(_ samples: SampleTableLayout, _ bytes: [UInt8]) {
    reader = ByteReader(bytes, in: samples.sampleToChunk?.range ?? 0..<0)
    advance()
  }

  private mutating func advance() {
    guard reader.remaining >= 12 else {
      next = nil
      return
    }
    let first = Int(reader.uint32())
    reader.skip(4)
    next = (first, Int(reader.uint32()))
  }

  /// The number of the description from 0; chunks count from 0 and are asked for in order.
  mutating func description(ofChunk chunk: Int) -> Int {
    while let entry = next, entry.first <= chunk + 1 {
      current = entry.description - 1
      advance()
    }
    return current
  }
}
