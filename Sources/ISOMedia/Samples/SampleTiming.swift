/// What `stts` says about a track as a whole, in media ticks.
package struct SampleTiming: Hashable, Sendable {
  package var entryCount: Int
  /// Samples that the entries count; should equal the count of `stsz`.
  package var sampleCount: UInt64 = 0
  package var totalDuration: UInt64 = 0
  /// The shortest duration above zero, the last sample's included; nil when there is none.
  package var minimumDelta: UInt32?
  package var maximumDelta: UInt32?
  /// The duration that most samples have; the shorter of equals.
  package var mostCommonDelta: UInt32?

  /// Some files store a negative duration to pull times back. From here on a value is such a
  /// correction and counts as one tick, as libavformat does (`max_stts_delta`: ten seconds at
  /// 48 kHz below 2^32).
  static func effective(_ delta: UInt32) -> UInt32 { delta > UInt32.max - 480_000 ? 1 : delta }

  /// Walks the entries; nothing else is read. About 2 ns an entry.
  init(_ table: SampleTableLayout.Table?, in bytes: [UInt8]) {
    entryCount = table?.entryCount ?? 0
    guard let table, table.range.upperBound <= bytes.count else { return }
    var histogram = DeltaHistogram()
    var position = table.range.lowerBound
    for _ in 0..<table.entryCount {
      let count = UInt64(bytes.bigEndianUInt32(at: position))
      let delta = Self.effective(bytes.bigEndianUInt32(at: position + 4))
      position += 8
      guard count > 0 else { continue }
      // 2^32 entries of 2^32 samples cannot be: a box's bytes bound the entries.
      sampleCount &+= count
      let (sum, overflow) = totalDuration.addingReportingOverflow(count * UInt64(delta))
      totalDuration = overflow ? .max : sum
      if delta > 0, delta < minimumDelta ?? .max { minimumDelta = delta }
      if delta >= maximumDelta ?? 0 { maximumDelta = delta }
      histogram.add(delta, count)
    }
    mostCommonDelta = histogram.mostCommon
  }
}

/// Counts samples by duration: linear while there are few durations, then an open hash table.
private struct DeltaHistogram {
  private var keys: [UInt32] = []
  private var counts: [UInt64] = []
  private var slots: [Int32] = []
  private static let linearLimit = 8

  mutating func add(_ key: UInt32, _ count: UInt64) {
    if let last = keys.last, last == key {
      counts[counts.count - 1] &+= count
    } else if slots.isEmpty {
      if let index = keys.firstIndex(of: key) {
        counts[index] &+= count
      } else {
        append(key, count)
        if keys.count > Self.linearLimit { buildSlots() }
      }
    } else {
      let slot = slot(for: key)
      if slots[slot] >= 0 {
        counts[Int(slots[slot])] &+= count
      } else {
        slots[slot] = Int32(keys.count)
        append(key, count)
        if keys.count * 2 > slots.count { buildSlots() }
      }
    }
  }

  var mostCommon: UInt32? {
    var best: Int?
    for index in keys.indices {
      guard let current = best else {
        best = index
        continue
      }
      if counts[index] > counts[current]
        || (counts[index] == counts[current] && keys[index] < keys[current])
      {
        best = index
      }
    }
    return best.map { keys[$0] }
  }

  private mutating func append(_ key: UInt32, _ count: UInt64) {
    keys.append(key)
    counts.append(count)
  }

  private mutating func buildSlots() {
    slots = Array(repeating: -1, count: max(64, slots.count * 2))
    for index in keys.indices { slots[slot(for: keys[index])] = Int32(index) }
  }

  private func slot(for key: UInt32) -> Int {
    // Fibonacci hashing; the table is a power of two and at most half full.
    var slot = Int((key &* 2_654_435_769) >> 8) & (slots.count - 1)
    while slots[slot] >= 0, keys[Int(slots[slot])] != key { slot = (slot + 1) & (slots.count - 1) }
    return slot
  }
}

extension MovieHeader {
  /// Durations of a track's samples as a whole; reads `stts` only.
  package func timing(of track: TrackHeader) -> SampleTiming {
    SampleTiming(track.samples.timeToSample, in: bytes)
  }

  /// The sum of a track's sample sizes; reads `stsz` or `stz2` only.
  package func totalSampleSize(of track: TrackHeader) -> UInt64 {
    let layout = track.samples
    if let size = layout.fixedSize { return UInt64(size) * UInt64(layout.sampleCount) }
    guard let table = layout.sizes, table.range.upperBound <= bytes.count else { return 0 }
    var total: UInt64 = 0
    for index in 0..<table.entryCount {
      total &+= UInt64(layout.size(at: index, table, bytes))
    }
    return total
  }
}

extension SampleTableLayout {
  /// The entry of `stsz` or `stz2` at an index below the table's count.
  @inline(__always)
  func size(at index: Int, _ table: Table, _ bytes: [UInt8]) -> UInt32 {
    let start = table.range.lowerBound
    switch sizeBits {
    case 32: return bytes.bigEndianUInt32(at: start + index * 4)
    case 16: return UInt32(bytes.bigEndianUInt16(at: start + index * 2))
    case 8: return UInt32(bytes[start + index])
    default:
      let pair = bytes[start + index / 2]
      return UInt32(index & 1 == 0 ? pair >> 4 : pair & 15)
    }
  }
}
