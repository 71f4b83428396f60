/// A `sidx` box: the subsegments of a file with their sizes and durations.
package struct SegmentIndex: Hashable, Sendable {
  package struct Reference: Hashable, Sendable {
    /// Whether it leads to another index instead of media.
    package var isIndex: Bool
    package var size: UInt32
    /// In ``SegmentIndex/timescale``.
    package var duration: UInt32
    package var startsWithStreamAccessPoint: Bool
    package var streamAccessPointType: UInt8
  }

  /// The track (or other stream) whose times these are.
  package var referenceID: UInt32
  package var timescale: UInt32
  package var earliestPresentationTime: UInt64
  /// Of the first subsegment, from the byte behind the box.
  package var firstOffset: UInt64
  package var references: [Reference]

  /// The sum of the durations.
  package var duration: UInt64 { references.reduce(0) { $0 + UInt64($1.duration) } }

  /// Reads a box with its header; references that are cut off are left out.
  package static func parse(_ bytes: [UInt8]) throws(ISOMediaError) -> SegmentIndex {
    var top = BoxSequence(bytes)
    guard let box = top.next(), box.type == .sidx else {
      throw ISOMediaError(bytes.count < 8 ? .truncated : .malformed, path: "sidx", offset: 0)
    }
    var reader = ByteReader(bytes, in: box.payload)
    let (version, _) = reader.versionAndFlags()
    let id = reader.uint32()
    let timescale = reader.uint32()
    let time = version == 0 ? UInt64(reader.uint32()) : reader.uint64()
    let offset = version == 0 ? UInt64(reader.uint32()) : reader.uint64()
    reader.skip(2)
    let count = min(Int(reader.uint16()), reader.remaining / 12)
    guard !reader.isExhausted else { throw ISOMediaError(.truncated, path: "sidx", offset: 0) }
    var references: [Reference] = []
    references.reserveCapacity(count)
    for _ in 0..<count {
      let size = reader.uint32()
      let duration = reader.uint32()
      let access = reader.uint32()
      references.append(
        Reference(
          isIndex: size >> 31 == 1, size: size & 0x7FFF_FFFF, duration: duration,
          startsWithStreamAccessPoint: access >> 31 == 1,
          streamAccessPointType: UInt8(access >> 28 & 7)))
    }
    return SegmentIndex(
      referenceID: id, timescale: timescale, earliestPresentationTime: time, firstOffset: offset,
      references: references)
  }
}
