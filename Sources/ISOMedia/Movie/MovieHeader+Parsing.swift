extension MovieHeader {
  /// Limits of a parse; entries of lists are further bounded by the bytes that hold them.
  package struct Limits: Sendable {
    package var boxes = 100_000
    package var tracks = 2048
    package var sampleDescriptionsPerTrack = 1024

    package init() {}
  }

  /// Reads a `moov` box.
  ///
  /// - Parameter bytes: The box with its header, possibly cut off.
  /// - Throws: `ISOMediaError` when this is no `moov`, or one that is compressed. Anything else
  ///   that is wrong is in ``problems``.
  package static func parse(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(ISOMediaError) -> MovieHeader {
    var top = BoxSequence(bytes)
    guard let moov = top.next(), moov.type == .moov else {
      throw ISOMediaError(bytes.count < 8 ? .truncated : .malformed, path: "moov", offset: 0)
    }
    var movie = MovieHeader(bytes: bytes)
    var state = ParseState(bytes, maximumBoxes: limits.boxes)
    if moov.isCutOff { state.report(.truncated, "moov", at: 0) }
    var isCompressed = false
    state.forEachBox(in: moov.payload, path: "moov") { box, state in
      switch box.type {
      case .mvhd: movie.readHeader(box, &state)
      case .trak:
        guard movie.tracks.count < limits.tracks else {
          return state.report(.limit, "moov/trak", at: box.range.lowerBound)
        }
        movie.tracks.append(TrackHeader(box, limits: limits, &state))
      case .mvex: movie.movieExtends = MovieExtends(box, &state)
      case .udta where movie.userData == nil: movie.userData = box.payload
      case .meta where movie.metadata == nil: movie.metadata = box.payload
      case .cmov: isCompressed = true
      default: break
      }
    }
    guard !isCompressed || !movie.tracks.isEmpty else {
      throw ISOMediaError(.malformed, path: "moov/cmov", offset: moov.payload.lowerBound)
    }
    if movie.timescale == 0 { state.report(.malformed, "moov/mvhd", at: 0) }
    movie.problems = state.problems
    return movie
  }

  private mutating func readHeader(_ box: Box, _ state: inout ParseState) {
    let parsed = state.fields(of: box, path: "moov/mvhd") { reader in
      var header = self
      let (version, _) = reader.versionAndFlags()
      (header.creationTime, header.modificationTime) = reader.times(version)
      header.timescale = reader.uint32()
      header.duration = reader.duration(version)
      header.preferredRate = reader.int32()
      header.preferredVolume = reader.int16()
      reader.skip(10)
      header.matrix = reader.matrix()
      reader.skip(24)
      header.nextTrackID = reader.uint32()
      return header
    }
    if let parsed { self = parsed }
  }
}

extension MovieExtends {
  init(_ mvex: Box, _ state: inout ParseState) {
    var result = MovieExtends()
    state.forEachBox(in: mvex.payload, path: "moov/mvex") { box, state in
      switch box.type {
      case .mehd:
        result.fragmentDuration =
          state.fields(of: box, path: "moov/mvex/mehd") { reader in
            let (version, _) = reader.versionAndFlags()
            return reader.duration(version)
          } ?? nil
      case .trex:
        let track = state.fields(of: box, path: "moov/mvex/trex") { reader in
          reader.skip(4)
          return TrackExtends(
            trackID: reader.uint32(), sampleDescriptionIndex: reader.uint32(),
            sampleDuration: reader.uint32(), sampleSize: reader.uint32(),
            sampleFlags: reader.uint32())
        }
        if let track { result.tracks.append(track) }
      default: break
      }
    }
    self = result
  }
}

extension ByteReader {
  /// Creation and modification time, 32 bits each before version 1.
  mutating func times(_ version: UInt8) -> (creation: UInt64, modification: UInt64) {
    version == 1 ? (uint64(), uint64()) : (UInt64(uint32()), UInt64(uint32()))
  }

  /// A duration; nil for all ones and zero, which both mean unknown.
  mutating func duration(_ version: UInt8) -> UInt64? {
    if version == 1 {
      let value = uint64()
      return value == .max || value == 0 ? nil : value
    }
    let value = uint32()
    return value == .max || value == 0 ? nil : UInt64(value)
  }
}
