extension TrackHeader {
  mutating func readMedia(
    _ mdia: Box, _ limits: MovieHeader.Limits, _ state: inout ParseState
  ) {
    var information: Box?
    state.forEachBox(in: mdia.payload, path: "moov/trak/mdia") { box, state in
      switch box.type {
      case .mdhd: readMediaHeader(box, &state)
      case .hdlr: readHandler(box, &state)
      case .elng:
        var reader = ByteReader(state.bytes, in: box.payload)
        reader.skip(4)
        let tag = reader.terminatedString()
        extendedLanguage = tag.isEmpty ? nil : tag
      case .minf where information == nil: information = box
      default: break
      }
    }
    // Sample descriptions can only be read once the handler is known, wherever `hdlr` is.
    if let information { readMediaInformation(information, limits, &state) }
  }

  private mutating func readMediaHeader(_ box: Box, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    let (version, _) = reader.versionAndFlags()
    let times = reader.times(version)
    let timescale = reader.uint32()
    let duration = reader.duration(version)
    let packed = reader.uint16()
    guard !reader.isExhausted else {
      return state.report(.truncated, "moov/trak/mdia/mdhd", at: box.range.lowerBound)
    }
    (mediaCreationTime, mediaModificationTime) = times
    mediaTimescale = timescale
    mediaDuration = duration
    packedLanguage = packed
    language = LanguageCode.terminological(packed: packed)
  }

  private mutating func readHandler(_ box: Box, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    reader.skip(8)
    let subtype = reader.code()
    guard !reader.isExhausted else {
      return state.report(.truncated, "moov/trak/mdia/hdlr", at: box.range.lowerBound)
    }
    handler = subtype
    guard reader.remaining > 12 else { return }
    reader.skip(12)
    handlerName = Self.name(&reader)
  }

  /// QuickTime counts a handler's name, MP4 ends it with NUL; writers mix the two up.
  private static func name(_ reader: inout ByteReader) -> String {
    let count = Int(reader.bytes[reader.position])
    let text = reader.rest.dropFirst().prefix(count)
    let tail = reader.rest.dropFirst(1 + count)
    // The count is believed when it leads exactly to the end or to the NULs before it.
    if text.count == count, tail.allSatisfy({ reader.bytes[$0] == 0 }),
      !text.contains(where: { reader.bytes[$0] == 0 })
    {
      return reader.pascalString()
    }
    return reader.terminatedString()
  }

  private mutating func readMediaInformation(
    _ minf: Box, _ limits: MovieHeader.Limits, _ state: inout ParseState
  ) {
    state.forEachBox(in: minf.payload, path: "moov/trak/mdia/minf") { box, state in
      switch box.type {
      case .vmhd, .smhd, .nmhd, .gmhd, .sthd, .hmhd: mediaInformationHeader = box.type
      case .dinf: readDataReferences(box, &state)
      case .stbl: readSampleTable(box, limits, &state)
      default: break
      }
    }
  }

  private mutating func readDataReferences(_ dinf: Box, _ state: inout ParseState) {
    state.forEachBox(in: dinf.payload, path: "moov/trak/mdia/minf/dinf") { box, state in
      guard box.type == .dref, dataReferences.isEmpty, box.payload.count >= 8 else { return }
      let entries = box.payload.lowerBound + 8..<box.payload.upperBound
      state.forEachBox(in: entries, path: "moov/trak/mdia/minf/dinf/dref") { entry, state in
        dataReferences.append(DataReference(entry, state.bytes))
      }
    }
  }

  private mutating func readSampleTable(
    _ stbl: Box, _ limits: MovieHeader.Limits, _ state: inout ParseState
  ) {
    state.forEachBox(in: stbl.payload, path: SampleTableLayout.path) { box, state in
      if box.type == .stsd {
        guard sampleDescriptions.isEmpty else { return }
        sampleDescriptions = SampleDescription.all(
          in: box, handler: handler, maximum: limits.sampleDescriptionsPerTrack, &state)
      } else {
        samples.note(box, &state)
      }
    }
    samples.check(at: stbl.range.lowerBound, &state)
  }
}
