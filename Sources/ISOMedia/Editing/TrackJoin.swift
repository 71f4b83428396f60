/// A track whose samples follow those of another movie's track.
package struct TrackJoin: Hashable, Sendable {
  /// The number of the track that they are added to.
  package var trackID: UInt32
  /// The number of the track that they are of, in its own movie.
  package var otherID: UInt32

  package init(trackID: UInt32, otherID: UInt32) {
    self.trackID = trackID
    self.otherID = otherID
  }
}

extension MovieHeader {
  /// More samples of one track are not put together.
  private static let maximumJoinedSamples = 8_000_000

  /// The header with samples of another movie's tracks behind those of its own; everything else stays as it is.
  ///
  /// Clocks of both become one in which both are exact. Durations and edits of the movie are left to ``MovieRewriter``.
  ///
  /// - Parameters:
  ///   - shift: How far the other movie's media lies in this one's file from where its header says; unused with a reference.
  ///   - reference: An entry of `dref` with its header, where the media stays in the other file.
  /// - Throws: `ISOMediaError` for tracks that are not there, whose tables are damaged, or whose clocks have no common one.
  package func joining(
    _ other: MovieHeader, tracks joins: [TrackJoin], shift: Int64, reference: [UInt8]?
  ) throws(ISOMediaError) -> [UInt8] {
    var joined: [UInt32: JoinedTrack] = [:]
    for join in joins {
      guard let own = track(withID: join.trackID), let added = other.track(withID: join.otherID) else {
        throw ISOMediaError(.malformed, path: "moov/trak", offset: 0)
      }
      joined[join.trackID] = try JoinedTrack(
        own, of: self, added, of: other, shift: reference == nil ? shift : 0, reference: reference,
        maximumSamples: Self.maximumJoinedSamples)
    }
    var builder = BoxBuilder()
    guard let movie = BoxSequence(bytes).first(where: { _ in true }) else {
      throw ISOMediaError(.malformed, path: "moov", offset: 0)
    }
    builder.box("moov") { builder in
      for child in BoxSequence(bytes, in: movie.payload) {
        let track = child.type == "trak" ? tracks.first { $0.range == child.range } : nil
        if let track, let join = joined[track.trackID] {
          join.write(child, &builder)
        } else {
          builder.append(bytes[child.range])
        }
      }
    }
    return builder.bytes
  }
}

/// Samples of two tracks under one clock.
private struct JoinedTrack {
  let bytes: [UInt8]
  let timescale: UInt32
  private(set) var tables = SampleTableBuilder()
  private(set) var descriptions: [[UInt8]] = []
  private(set) var references: [[UInt8]]

  init(
    _ own: TrackHeader, of movie: MovieHeader, _ added: TrackHeader, of other: MovieHeader, shift: Int64,
    reference: [UInt8]?, maximumSamples: Int
  ) throws(ISOMediaError) {
    let failure = ISOMediaError(.malformed, path: "moov/trak/mdia/mdhd", offset: own.range.lowerBound)
    guard own.mediaTimescale > 0, added.mediaTimescale > 0 else { throw failure }
    let (a, b) = (UInt64(own.mediaTimescale), UInt64(added.mediaTimescale))
    var (divisor, rest) = (a, b)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    let common = a / divisor * b
    // Players compute with 31 bits.
    guard common <= UInt64(Int32.max) else { throw failure }
    timescale = UInt32(common)
    bytes = movie.bytes
    references = Self.entries(of: own, movie.bytes)
    if let reference { references.append(reference) }
    let place = reference == nil ? own.dataReferences.firstIndex { $0.isSelfContained } ?? 0 : references.count - 1

    for entry in own.sampleDescriptions { descriptions.append(Array(movie.bytes[entry.range])) }
    try tables.append(
      movie.sampleTable(of: own, maximumSamples: maximumSamples), scale: Int64(common / a), shift: 0,
      descriptions: Array(1...UInt32(max(1, descriptions.count))))
    var numbers: [UInt32] = []
    for entry in added.sampleDescriptions {
      var copy = Array(other.bytes[entry.range])
      // Behind the box's head and six zeros: the number of the data reference.
      guard copy.count >= 16 else { throw failure }
      copy.replaceSubrange(14..<16, with: UInt16(clamping: place + 1).bigEndianBytes())
      if let index = descriptions.firstIndex(of: copy) {
        numbers.append(UInt32(index + 1))
      } else {
        descriptions.append(copy)
        numbers.append(UInt32(descriptions.count))
      }
    }
    try tables.append(
      other.sampleTable(of: added, maximumSamples: maximumSamples), scale: Int64(common / b), shift: shift,
      descriptions: numbers)
  }

  /// The entries of `dref` with their heads.
  private static func entries(of track: TrackHeader, _ bytes: [UInt8]) -> [[UInt8]] {
    track.dataReferences.map { reference in
      // Behind the head come version and flags, which the payload leaves out.
      Array(bytes[max(0, reference.payload.lowerBound - 12)..<reference.payload.upperBound])
    }
  }

  func write(_ track: Box, _ builder: inout BoxBuilder) {
    builder.box("trak") { builder in
      forEach(track, "mdia", &builder) { media, builder in
        builder.box("mdia") { builder in
          for child in BoxSequence(bytes, in: media.payload) {
            switch child.type {
            case "mdhd": header(child, &builder)
            case "minf":
              builder.box("minf") { builder in
                for part in BoxSequence(bytes, in: child.payload) {
                  switch part.type {
                  case "dinf": information(&builder)
                  case "stbl": table(&builder)
                  default: builder.append(bytes[part.range])
                  }
                }
              }
            default: builder.append(bytes[child.range])
            }
          }
        }
      }
    }
  }

  private func forEach(
    _ box: Box, _ type: FourCharacterCode, _ builder: inout BoxBuilder, _ body: (Box, inout BoxBuilder) -> Void
  ) {
    for child in BoxSequence(bytes, in: box.payload) {
      if child.type == type { body(child, &builder) } else { builder.append(bytes[child.range]) }
    }
  }

  private func header(_ box: Box, _ builder: inout BoxBuilder) {
    var reader = ByteReader(bytes, in: box.payload)
    let version = reader.versionAndFlags().version
    func time() -> UInt64 { version == 1 ? reader.uint64() : UInt64(reader.uint32()) }
    let times = (time(), time())
    reader.skip(4)
    _ = time()
    let duration = UInt64(max(0, tables.duration))
    let isLong = max(times.0, times.1, duration) >= UInt64(UInt32.max)
    builder.fullBox("mdhd", version: isLong ? 1 : 0, flags: 0) { builder, isLong in
      builder.number(times.0, isLong: isLong)
      builder.number(times.1, isLong: isLong)
      builder.append(timescale)
      builder.number(duration, isLong: isLong)
      builder.append(bytes[reader.rest])
    }
  }

  private func information(_ builder: inout BoxBuilder) {
    builder.box("dinf") { builder in
      builder.fullBox("dref", version: 0, flags: 0) { builder, _ in
        builder.append(UInt32(clamping: references.count))
        for reference in references { builder.append(reference[...]) }
      }
    }
  }

  private func table(_ builder: inout BoxBuilder) {
    builder.box("stbl") { builder in
      builder.fullBox("stsd", version: 0, flags: 0) { builder, _ in
        builder.append(UInt32(clamping: descriptions.count))
        for entry in descriptions { builder.append(entry[...]) }
      }
      tables.write(&builder)
    }
  }
}
