/// Where the tables of `stbl` lie and what their heads say; no entry is read.
package struct SampleTableLayout: Hashable, Sendable {
  /// A table of entries of one size. Its count is never above what the bytes hold.
  package struct Table: Hashable, Sendable {
    package var version: UInt8
    package var entryCount: Int
    /// The entries in the movie's bytes.
    package var range: Range<Int>
  }

  /// The number of samples that `stsz` or `stz2` claims; with ``fixedSize`` no bytes prove it.
  package var sampleCount: UInt32 = 0
  /// The size of every sample where they are all equal.
  package var fixedSize: UInt32?
  /// Bits of one entry of ``sizes``: 32, or 4, 8 or 16 with `stz2`.
  package var sizeBits = 32
  package var sizes: Table?
  /// `stts`.
  package var timeToSample: Table?
  /// `ctts`; version 0 entries are read as signed too, because many writers put signed ones there.
  package var compositionOffsets: Table?
  /// `cslg`.
  package var compositionShift: CompositionShift?
  /// `stss`; nil when every sample is a sync sample.
  package var syncSamples: Table?
  /// `stsc`.
  package var sampleToChunk: Table?
  /// `stco` or `co64`.
  package var chunkOffsets: Table?
  package var hasWideChunkOffsets = false
  /// `sdtp`, one byte a sample.
  package var dependencies: Table?

  package var syncSampleCount: Int? { syncSamples?.entryCount }

  static let path = "moov/trak/mdia/minf/stbl"
}

/// `cslg`: how composition times relate to decode times, in media ticks.
package struct CompositionShift: Hashable, Sendable {
  package var compositionToDecodeShift: Int64
  package var leastDecodeToDisplayDelta: Int64
  package var greatestDecodeToDisplayDelta: Int64
  package var compositionStartTime: Int64
  package var compositionEndTime: Int64
}

extension SampleTableLayout {
  /// Takes note of a child of `stbl`; the first of a kind counts.
  mutating func note(_ box: Box, _ state: inout ParseState) {
    switch box.type {
    case .stts where timeToSample == nil:
      timeToSample = Self.table(box, entrySize: 8, &state)
    case .ctts where compositionOffsets == nil:
      compositionOffsets = Self.table(box, entrySize: 8, &state)
    case .stss where syncSamples == nil: syncSamples = Self.table(box, entrySize: 4, &state)
    case .stsc where sampleToChunk == nil:
      sampleToChunk = Self.table(box, entrySize: 12, &state)
    case .stco where chunkOffsets == nil: chunkOffsets = Self.table(box, entrySize: 4, &state)
    case .co64 where chunkOffsets == nil:
      chunkOffsets = Self.table(box, entrySize: 8, &state)
      hasWideChunkOffsets = chunkOffsets != nil
    case .stsz where sizes == nil && fixedSize == nil: noteSizes(box, isCompact: false, &state)
    case .stz2 where sizes == nil && fixedSize == nil: noteSizes(box, isCompact: true, &state)
    case .sdtp where dependencies == nil && box.payload.count >= 4:
      dependencies = Table(
        version: 0, entryCount: box.payload.count - 4,
        range: box.payload.lowerBound + 4..<box.payload.upperBound)
    case .cslg where compositionShift == nil:
      compositionShift = state.fields(of: box, path: "\(Self.path)/cslg") { reader in
        let version = reader.versionAndFlags().version
        func next() -> Int64 { version == 1 ? reader.int64() : Int64(reader.int32()) }
        return CompositionShift(
          compositionToDecodeShift: next(), leastDecodeToDisplayDelta: next(),
          greatestDecodeToDisplayDelta: next(), compositionStartTime: next(),
          compositionEndTime: next())
      }
    default: break
    }
  }

  /// Reports tables that are missing although there are samples.
  func check(at offset: Int, _ state: inout ParseState) {
    guard sampleCount > 0 else { return }
    if timeToSample == nil { state.report(.malformed, "\(Self.path)/stts", at: offset) }
    if sampleToChunk == nil { state.report(.malformed, "\(Self.path)/stsc", at: offset) }
    if chunkOffsets == nil { state.report(.malformed, "\(Self.path)/stco", at: offset) }
  }

  private mutating func noteSizes(_ box: Box, isCompact: Bool, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    let (version, _) = reader.versionAndFlags()
    let word = reader.uint32()
    let count = reader.uint32()
    guard !reader.isExhausted else {
      return state.report(.truncated, "\(Self.path)/\(box.type)", at: box.range.lowerBound)
    }
    if !isCompact, word != 0 {
      fixedSize = word
      sampleCount = count
      return
    }
    sizeBits = isCompact ? Int(word & 0xFF) : 32
    guard [4, 8, 16, 32].contains(sizeBits) else {
      return state.report(.malformed, "\(Self.path)/\(box.type)", at: box.range.lowerBound)
    }
    let available = reader.remaining * 8 / sizeBits
    let kept = min(Int(count), available)
    if kept < Int(count) {
      state.report(.truncated, "\(Self.path)/\(box.type)", at: box.range.lowerBound)
    }
    sampleCount = UInt32(kept)
    sizes = Table(version: version, entryCount: kept, range: reader.rest)
  }

  private static func table(_ box: Box, entrySize: Int, _ state: inout ParseState) -> Table? {
    var reader = ByteReader(state.bytes, in: box.payload)
    let (version, _) = reader.versionAndFlags()
    let claimed = Int(reader.uint32())
    guard !reader.isExhausted else {
      state.report(.truncated, "\(path)/\(box.type)", at: box.range.lowerBound)
      return nil
    }
    let count = min(claimed, reader.remaining / entrySize)
    if count < claimed {
      state.report(.truncated, "\(path)/\(box.type)", at: box.range.lowerBound)
    }
    return Table(
      version: version, entryCount: count,
      range: reader.position..<reader.position + count * entrySize)
  }
}
