extension TrackHeader {
  init(_ trak: Box, limits: MovieHeader.Limits, _ state: inout ParseState) {
    var track = TrackHeader(range: trak.range)
    state.forEachBox(in: trak.payload, path: "moov/trak") { box, state in
      switch box.type {
      case .tkhd: track.readTrackHeader(box, &state)
      case .edts: track.readEdits(box, &state)
      case .mdia: track.readMedia(box, limits, &state)
      case .tref: track.readReferences(box, &state)
      case .tapt: track.readApertures(box, &state)
      case .load:
        track.loadSettings = state.fields(of: box, path: "moov/trak/load") { reader in
          TrackLoadSettings(
            preloadStart: reader.uint32(), preloadDuration: reader.uint32(),
            preloadFlags: reader.uint32(), defaultHints: reader.uint32())
        }
      case .udta where track.userData == nil: track.userData = box.payload
      case .meta where track.metadata == nil: track.metadata = box.payload
      default: break
      }
    }
    if track.trackID == 0 { state.report(.malformed, "moov/trak/tkhd", at: trak.range.lowerBound) }
    if track.mediaTimescale == 0 {
      state.report(.malformed, "moov/trak/mdia/mdhd", at: trak.range.lowerBound)
    }
    self = track
  }

  private mutating func readTrackHeader(_ box: Box, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    let (version, flags) = reader.versionAndFlags()
    let times = reader.times(version)
    let id = reader.uint32()
    reader.skip(4)
    let duration = reader.duration(version)
    reader.skip(8)
    let layer = reader.int16()
    let group = reader.int16()
    let volume = reader.int16()
    reader.skip(2)
    let matrix = reader.matrix()
    let size = (reader.uint32(), reader.uint32())
    guard !reader.isExhausted else {
      return state.report(.truncated, "moov/trak/tkhd", at: box.range.lowerBound)
    }
    self.flags = Flags(rawValue: flags)
    (creationTime, modificationTime) = times
    trackID = id
    self.duration = duration
    self.layer = layer
    alternateGroup = group
    self.volume = volume
    self.matrix = matrix
    (width, height) = size
  }

  private mutating func readEdits(_ edts: Box, _ state: inout ParseState) {
    state.forEachBox(in: edts.payload, path: "moov/trak/edts") { box, state in
      guard box.type == .elst, edits == nil else { return }
      var reader = ByteReader(state.bytes, in: box.payload)
      let (version, _) = reader.versionAndFlags()
      let claimed = Int(reader.uint32())
      let count = min(claimed, reader.remaining / (version == 1 ? 20 : 12))
      if count < claimed || reader.isExhausted {
        state.report(.truncated, "moov/trak/edts/elst", at: box.range.lowerBound)
      }
      var entries: [EditListEntry] = []
      entries.reserveCapacity(count)
      for _ in 0..<count {
        entries.append(
          version == 1
            ? EditListEntry(
              segmentDuration: reader.uint64(), mediaTime: reader.int64(),
              mediaRate: reader.int32())
            : EditListEntry(
              segmentDuration: UInt64(reader.uint32()), mediaTime: Int64(reader.int32()),
              mediaRate: reader.int32()))
      }
      edits = entries
    }
  }

  private mutating func readReferences(_ tref: Box, _ state: inout ParseState) {
    state.forEachBox(in: tref.payload, path: "moov/trak/tref") { box, state in
      var reader = ByteReader(state.bytes, in: box.payload)
      var ids: [UInt32] = []
      ids.reserveCapacity(reader.remaining / 4)
      while reader.remaining >= 4 {
        let id = reader.uint32()
        if id != 0 { ids.append(id) }
      }
      references.append(TrackReference(type: box.type, trackIDs: ids))
    }
  }

  private mutating func readApertures(_ tapt: Box, _ state: inout ParseState) {
    var result = TrackApertures()
    state.forEachBox(in: tapt.payload, path: "moov/trak/tapt") { box, state in
      guard [.clef, .prof, .enof].contains(box.type) else { return }
      let size = state.fields(of: box, path: "moov/trak/tapt/\(box.type)") { reader in
        reader.skip(4)
        return TrackApertures.Size(width: reader.uint32(), height: reader.uint32())
      }
      switch box.type {
      case .clef: result.clean = size
      case .prof: result.production = size
      default: result.encodedPixels = size
      }
    }
    apertures = result
  }
}
