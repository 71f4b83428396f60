/// Walks the seven tables of `stbl` side by side.
package struct SampleIterator: IteratorProtocol, Sendable {
  private let layout: SampleTableLayout
  private let bytes: [UInt8]
  private let count: Int
  private var index = 0
  private var decodeTime: Int64 = 0
  private var times: RunCursor
  private var compositions: RunCursor
  private var chunks: ChunkCursor
  /// Position in `stss`, and the sample number there.
  private var syncIndex = 0
  private var nextSync: UInt32?

  init(_ layout: SampleTableLayout, _ bytes: [UInt8], count: Int) {
    self.layout = layout
    self.bytes = bytes
    self.count = count
    times = RunCursor(layout.timeToSample)
    compositions = RunCursor(layout.compositionOffsets)
    chunks = ChunkCursor(layout)
    nextSync = sync(at: 0)
  }

  package mutating func next() -> Sample? {
    guard index < count else { return nil }
    guard let chunk = chunks.next(bytes) else { return nil }
    let size =
      layout.fixedSize ?? layout.sizes.map { layout.size(at: index, $0, bytes) } ?? 0
    // Where `stts` is too short the last duration goes on; without one samples have none.
    let duration = SampleTiming.effective(times.next(bytes))
    let offset = compositions.isEmpty ? 0 : Int32(bitPattern: compositions.next(bytes))
    let sample = Sample(
      decodeTime: decodeTime, compositionOffset: offset, duration: duration,
      offset: chunk.offset, size: size, descriptionIndex: chunk.description,
      isSync: takeSync(), dependency: dependency)
    chunks.advance(by: size)
    decodeTime &+= Int64(duration)
    index += 1
    return sample
  }

  private var dependency: SampleDependency {
    guard let table = layout.dependencies, index < table.entryCount else {
      return SampleDependency(rawValue: 0)
    }
    return SampleDependency(rawValue: bytes[table.range.lowerBound + index])
  }

  private mutating func takeSync() -> Bool {
    guard layout.syncSamples != nil else { return true }
    let number = UInt32(truncatingIfNeeded: index + 1)
    while let sync = nextSync, sync < number { stepSync() }
    guard nextSync == number else { return false }
    stepSync()
    return true
  }

  private mutating func stepSync() {
    syncIndex += 1
    nextSync = sync(at: syncIndex)
  }

  private func sync(at index: Int) -> UInt32? {
    guard let table = layout.syncSamples, index < table.entryCount else { return nil }
    return bytes.bigEndianUInt32(at: table.range.lowerBound + index * 4)
  }
}

/// A position in a run-length table of (count, value) pairs.
private struct RunCursor: Sendable {
  private var position: Int
  private let end: Int
  private var left: UInt32 = 0
  private var value: UInt32 = 0
  let isEmpty: Bool

  init(_ table: SampleTableLayout.Table?) {
    position = table?.range.lowerBound ?? 0
    end = table?.range.upperBound ?? 0
    isEmpty = position == end
  }

  /// The next value; behind the last run its value again.
  @inline(__always)
  mutating func next(_ bytes: [UInt8]) -> UInt32 {
    while left == 0 {
      guard position < end else { return value }
      left = bytes.bigEndianUInt32(at: position)
      value = bytes.bigEndianUInt32(at: position + 4)
      position += 8
    }
    left -= 1
    return value
  }
}

/// A position in `stsc` and `stco`.
private struct ChunkCursor: Sendable {
  private let runs: SampleTableLayout.Table?
  private let offsets: SampleTableLayout.Table?
  private let isWide: Bool
  private var run = -1
  private var chunk = 0
  /// The chunk (1-based) from which the next run holds.
  private var nextRunStart = 1
  private var perChunk: UInt32 = 0
  private var left: UInt32 = 0
  private var offset: Int64 = 0
  private var description: UInt32 = 1

  init(_ layout: SampleTableLayout) {
    runs = layout.sampleToChunk
    offsets = layout.chunkOffsets
    isWide = layout.hasWideChunkOffsets
  }

  /// Where the next sample lies; nil behind the last chunk.
  @inline(__always)
  mutating func next(_ bytes: [UInt8]) -> (offset: Int64, description: UInt32)? {
    while left == 0 {
      guard openChunk(bytes) else { return nil }
    }
    left -= 1
    return (offset, description)
  }

  mutating func advance(by size: UInt32) { offset &+= Int64(size) }

  private mutating func openChunk(_ bytes: [UInt8]) -> Bool {
    guard let runs, let offsets, chunk < offsets.entryCount else { return false }
    chunk += 1
    while chunk >= nextRunStart, run + 1 < runs.entryCount {
      run += 1
      let at = runs.range.lowerBound + run * 12
      perChunk = bytes.bigEndianUInt32(at: at + 4)
      description = bytes.bigEndianUInt32(at: at + 8)
      nextRunStart =
        run + 1 < runs.entryCount ? Int(bytes.bigEndianUInt32(at: at + 12)) : Int.max
    }
    left = perChunk
    let start = offsets.range.lowerBound
    offset =
      isWide
      ? Int64(truncatingIfNeeded: bytes.bigEndianUInt64(at: start + (chunk - 1) * 8))
      : Int64(bytes.bigEndianUInt32(at: start + (chunk - 1) * 4))
    return true
  }
}
