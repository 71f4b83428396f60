/// A `moof` box: the samples of a stretch of time.
package struct MovieFragment: Sendable {
  /// `mfhd`; fragments count up.
  package var sequenceNumber: UInt32 = 0
  package var tracks: [TrackFragment] = []
  package var problems: [ISOMediaError] = []
}

/// A `traf` box: one track's part of a fragment.
package struct TrackFragment: Sendable {
  package var trackID: UInt32 = 0
  /// `tfdt`: decode time of the first sample in media ticks; nil when it goes on where the
  /// fragment before ended.
  package var baseDecodeTime: UInt64?
  /// The fragment says that there is a gap of the default duration and no samples.
  package var isDurationEmpty = false
  package var runs: [TrackRun] = []

  package var sampleCount: UInt64 { runs.reduce(0) { $0 &+ UInt64($1.sampleCount) } }
}

/// A `trun` box: consecutive samples, whose entries are read while iterating.
package struct TrackRun: Sendable {
  /// What the box claims; runs whose samples all use the defaults need no bytes for it.
  package var sampleCount: UInt32
  /// Offset of the first sample in the file.
  package var dataOffset: Int64
  package var version: UInt8
  package var flags: Flags
  package var firstSampleFlags: UInt32?
  package var defaultDuration: UInt32
  package var defaultSize: UInt32
  package var defaultFlags: UInt32
  package var descriptionIndex: UInt32
  /// The per-sample fields in the fragment's bytes.
  package var entries: Range<Int>

  package struct Flags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let dataOffset = Flags(rawValue: 0x1)
    package static let firstSampleFlags = Flags(rawValue: 0x4)
    package static let durations = Flags(rawValue: 0x100)
    package static let sizes = Flags(rawValue: 0x200)
    package static let sampleFlags = Flags(rawValue: 0x400)
    package static let compositionOffsets = Flags(rawValue: 0x800)
  }

  /// Bytes of one entry: 0 to 16.
  var entrySize: Int {
    let fields: [Flags] = [.durations, .sizes, .sampleFlags, .compositionOffsets]
    return fields.reduce(0) { $0 + (flags.contains($1) ? 4 : 0) }
  }

  /// The samples in decode order.
  ///
  /// - Parameters:
  ///   - bytes: The fragment's bytes.
  ///   - start: Decode time of the first one.
  package func samples(in bytes: [UInt8], from start: Int64) -> TrackRunSamples {
    TrackRunSamples(self, bytes, start)
  }
}

/// The samples of a run, read while iterating; the caller bounds how many it takes.
package struct TrackRunSamples: Sequence, IteratorProtocol, Sendable {
  private let run: TrackRun
  private var reader: ByteReader
  private var index: UInt32 = 0
  /// Where the next sample would start, in time and in the file.
  package private(set) var decodeTime: Int64
  package private(set) var offset: Int64

  init(_ run: TrackRun, _ bytes: [UInt8], _ start: Int64) {
    self.run = run
    reader = ByteReader(bytes, in: run.entries)
    decodeTime = start
    offset = run.dataOffset
  }

  package mutating func next() -> Sample? {
    guard index < run.sampleCount else { return nil }
    let duration = run.flags.contains(.durations) ? reader.uint32() : run.defaultDuration
    let size = run.flags.contains(.sizes) ? reader.uint32() : run.defaultSize
    var flags = run.flags.contains(.sampleFlags) ? reader.uint32() : run.defaultFlags
    if index == 0, let first = run.firstSampleFlags { flags = first }
    let shift = run.flags.contains(.compositionOffsets) ? reader.int32() : 0
    guard !reader.isExhausted else { return nil }
    let sample = Sample(
      decodeTime: decodeTime, compositionOffset: shift, duration: duration, offset: offset,
      size: size, descriptionIndex: run.descriptionIndex, isSync: flags & 0x1_0000 == 0,
      dependency: SampleDependency(rawValue: UInt8(truncatingIfNeeded: flags >> 20)))
    decodeTime &+= Int64(duration)
    offset &+= Int64(size)
    index += 1
    return sample
  }
}
