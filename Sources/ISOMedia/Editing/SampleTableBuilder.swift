/// Makes the tables of `stbl` of samples in their order, whatever tables they come from.
struct SampleTableBuilder: Sendable {
  private var times: [(count: UInt32, duration: UInt32)] = []
  private var offsets: [(count: UInt32, offset: Int32)] = []
  private var sizes: [UInt32] = []
  private var syncSamples: [UInt32] = []
  private var dependencies: [UInt8] = []
  private var chunks: [(offset: Int64, samples: UInt32, description: UInt32)] = []
  /// Where a chunk ends, so that a sample that follows there belongs to it.
  private var end: Int64 = -1
  /// Of all samples, in ticks.
  private(set) var duration: Int64 = 0

  /// Samples of one chunk at most, as players read whole chunks.
  private static let samplesPerChunk: UInt32 = 1024

  /// - Parameters:
  ///   - scale: Ticks here for one there.
  ///   - shift: How far the samples lie from where they say.
  ///   - descriptions: The numbers here of the descriptions there.
  mutating func append(
    _ table: SampleTable, scale: Int64, shift: Int64, descriptions: [UInt32]
  ) throws(ISOMediaError) {
    end = -1
    for sample in table {
      let failure = ISOMediaError(.limit, path: SampleTableLayout.path, offset: 0)
      let index = Int(sample.descriptionIndex) - 1
      let (ticks, isLong) = Int64(sample.duration).multipliedReportingOverflow(by: scale)
      let (composition, isFar) = Int64(sample.compositionOffset).multipliedReportingOverflow(by: scale)
      let (place, isAway) = sample.offset.addingReportingOverflow(shift)
      guard !isLong, !isFar, !isAway, place >= 0, let length = UInt32(exactly: ticks),
        let offset = Int32(exactly: composition), descriptions.indices.contains(index),
        duration < 1 << 62
      else { throw failure }
      duration += ticks
      sizes.append(sample.size)
      if sample.isSync { syncSamples.append(UInt32(clamping: sizes.count)) }
      dependencies.append(sample.dependency.rawValue)
      if times.last?.duration == length { times[times.count - 1].count += 1 } else { times.append((1, length)) }
      if offsets.last?.offset == offset { offsets[offsets.count - 1].count += 1 } else { offsets.append((1, offset)) }
      let description = descriptions[index]
      if place == end, let last = chunks.last, last.description == description, last.samples < Self.samplesPerChunk {
        chunks[chunks.count - 1].samples += 1
      } else {
        chunks.append((place, 1, description))
      }
      end = place.addingReportingOverflow(Int64(sample.size)).partialValue
    }
  }

  func write(_ builder: inout BoxBuilder) {
    builder.fullBox("stts", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: times.count))
      for time in times {
        builder.append(time.count)
        builder.append(time.duration)
      }
    }
    if offsets.contains(where: { $0.offset != 0 }) {
      builder.fullBox("ctts", version: offsets.contains { $0.offset < 0 } ? 1 : 0, flags: 0) { builder, _ in
        builder.append(UInt32(clamping: offsets.count))
        for entry in offsets {
          builder.append(entry.count)
          builder.append(UInt32(bitPattern: entry.offset))
        }
      }
    }
    if syncSamples.count < sizes.count { list("stss", syncSamples, &builder) }
    if dependencies.contains(where: { $0 != 0 }) {
      builder.fullBox("sdtp", version: 0, flags: 0) { builder, _ in builder.append(dependencies[...]) }
    }
    builder.fullBox("stsc", version: 0, flags: 0) { builder, _ in
      var runs: [(first: UInt32, samples: UInt32, description: UInt32)] = []
      for (index, chunk) in chunks.enumerated()
      where runs.last?.samples != chunk.samples || runs.last?.description != chunk.description {
        runs.append((UInt32(clamping: index + 1), chunk.samples, chunk.description))
      }
      builder.append(UInt32(clamping: runs.count))
      for run in runs { for number in [run.first, run.samples, run.description] { builder.append(number) } }
    }
    builder.fullBox("stsz", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(0))
      builder.append(UInt32(clamping: sizes.count))
      for size in sizes { builder.append(size) }
    }
    builder.fullBox("co64", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: chunks.count))
      for chunk in chunks { builder.append(UInt64(clamping: chunk.offset)) }
    }
  }

  private func list(_ type: FourCharacterCode, _ numbers: [UInt32], _ builder: inout BoxBuilder) {
    builder.fullBox(type, version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: numbers.count))
      for number in numbers { builder.append(number) }
    }
  }
}
