import ISOMedia
import LibAV

/// Every stored sample of a track in decode order: from the sample tables where the file has them, else from its packets.
final class SampleIndex: Sendable {
  struct Entry: Sendable, Hashable {
    /// Stored times in ticks; nil where the file gives none.
    var presentation: Int64?
    var decode: Int64?
    var duration: UInt32
    var size: UInt32
    /// nil where the bytes are put together from several places, or lie in another file.
    var offset: Int64?
    var isSync: Bool
    var dependency: SampleDependency
  }

  let timeline: TrackTimeline
  let entries: [Entry]
  /// Decode positions in order of presentation.
  private let shown: [Int32]
  /// The place of each decode position in that order.
  private let ranks: [Int32]

  /// More samples than that are not listed, so that memory stays bounded.
  static let maximumSamples = 2_000_000

  init(timeline: TrackTimeline, entries: [Entry]) {
    self.timeline = timeline
    self.entries = entries
    func time(_ index: Int) -> Int64 { entries[index].presentation ?? entries[index].decode ?? .min }
    let order = entries.indices.sorted { (time($0), $0) < (time($1), $1) }
    shown = order.map { Int32($0) }
    var ranks = [Int32](repeating: 0, count: entries.count)
    for (rank, position) in order.enumerated() { ranks[position] = Int32(rank) }
    self.ranks = ranks
  }

  var count: Int { entries.count }
  func rank(_ position: Int) -> Int { Int(ranks[position]) }
  func position(rank: Int) -> Int { Int(shown[rank]) }

  /// The last sample in presentation order with a stored time at or before `tick`; nil when all are later.
  func position(presentedAt tick: Int64) -> Int? {
    search { entries[position(rank: $0)].presentation ?? entries[position(rank: $0)].decode ?? .min <= tick }
      .map(position(rank:))
  }

  /// The last sample in decode order with a decode time at or before `tick`; nil when all are later.
  func position(decodedAt tick: Int64) -> Int? {
    search { entries[$0].decode ?? entries[$0].presentation ?? .min <= tick }
  }

  /// The last index for which a condition holds that is true up to somewhere.
  private func search(_ isBefore: (Int) -> Bool) -> Int? {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if isBefore(middle) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

extension AssetTrack {
  /// The index of the track's samples; made once and shared.
  func sampleIndex() async throws -> SampleIndex {
    let cell: LoadCell<SampleIndex> = asset.properties.cell("\(track.id).sampleIndex")
    return try await cell.value { [self] in
      let header = try await asset.header()
      if let iso = track.iso, let movie = header.movie, !header.containsFragments {
        return try listedIndex(iso, movie)
      }
      let source = try await trackSource()
      let (timeline, subject) = (track.timeline, subject)
      return try await OpeningSession(isRemote: source.isRemote).run { interrupt in
        try Self.scannedIndex(source, timeline, subject: subject, interrupt: interrupt)
      }
    }
  }

  /// From `stbl`, without reading media.
  private func listedIndex(_ iso: TrackHeader, _ movie: MovieHeader) throws -> SampleIndex {
    let table: SampleTable
    do {
      table = try movie.sampleTable(of: iso, maximumSamples: SampleIndex.maximumSamples)
    } catch { throw Self.tooMany(subject) }
    var entries: [SampleIndex.Entry] = []
    entries.reserveCapacity(table.count)
    var lowestOffset: Int64 = 0
    for sample in table where sample.size > 0 {
      lowestOffset = min(lowestOffset, Int64(sample.compositionOffset))
      entries.append(
        SampleIndex.Entry(
          presentation: sample.presentationTime, decode: sample.decodeTime, duration: sample.duration,
          size: sample.size, offset: track.isSelfContained ? sample.offset : nil, isSync: sample.isSync,
          dependency: sample.dependency))
    }
    // Decode times never lie behind presentation times: where offsets are negative, all are earlier by the largest.
    if lowestOffset < 0 {
      for index in entries.indices { entries[index].decode = entries[index].decode.map { $0 + lowestOffset } }
    }
    return SampleIndex(timeline: track.timeline, entries: entries)
  }

  private static func scannedIndex(
    _ source: TrackSource, _ timeline: TrackTimeline, subject: String, interrupt: Interrupt
  ) throws -> SampleIndex {
    var demuxer = try source.openDemuxer(interrupt: interrupt)
    var entries: [SampleIndex.Entry] = []
    var damage = SampleDamage()
    while let packet = try demuxer.readPastDamage(subject: subject, &damage) {
      if interrupt.isRaised { throw CancellationError() }
      guard packet.streamIndex == source.streamIndex, !PacketScan.isJunk(packet, codec: source.codec) else { continue }
      guard entries.count < SampleIndex.maximumSamples else { throw tooMany(subject) }
      entries.append(
        SampleIndex.Entry(
          presentation: packet.pts, decode: packet.dts, duration: UInt32(clamping: packet.duration),
          size: UInt32(clamping: packet.size), offset: packet.position, isSync: packet.isKey,
          // 8: no sample depends on it.
          dependency: SampleDependency(rawValue: packet.isDisposable ? 2 << 2 : 0)))
    }
    return SampleIndex(timeline: timeline, entries: entries)
  }

  private static func tooMany(_ subject: String) -> MediaError {
    MediaError(
      .limitExceeded, operation: "read", subject: subject,
      reason: "it has more than \(SampleIndex.maximumSamples) samples", remedy: "Read its samples one by one")
  }
}
