extension SampleDescription {
  static let path = "\(SampleTableLayout.path)/stsd"

  /// The entries of an `stsd` box.
  static func all(
    in box: Box, handler: FourCharacterCode, maximum: Int, _ state: inout ParseState
  ) -> [SampleDescription] {
    guard box.payload.count >= 8 else {
      state.report(.truncated, path, at: box.range.lowerBound)
      return []
    }
    let version = state.bytes[box.payload.lowerBound]
    var result: [SampleDescription] = []
    let entries = box.payload.lowerBound + 8..<box.payload.upperBound
    state.forEachBox(in: entries, path: path) { entry, state in
      guard result.count < maximum else {
        return state.report(.limit, path, at: entry.range.lowerBound)
      }
      guard entry.payload.count >= 8 else {
        return state.report(.truncated, "\(path)/\(entry.type)", at: entry.range.lowerBound)
      }
      result.append(
        SampleDescription(entry, handler: handler, tableVersion: version, &state))
    }
    return result
  }

  private init(
    _ box: Box, handler: FourCharacterCode, tableVersion: UInt8, _ state: inout ParseState
  ) {
    format = box.type
    range = box.range
    media = .other
    var reader = ByteReader(state.bytes, in: box.payload)
    reader.skip(6)
    dataReferenceIndex = reader.uint16()
    switch Kind(format: format, handler: handler) {
    case .video: readVideo(&reader, &state)
    case .audio: readAudio(&reader, tableVersion, &state)
    case .timecode: readTimecode(&reader, &state)
    case .text: readText(&reader, &state)
    case .other:
      // Hint entries: versions and a packet size come first.
      if handler == .hint { reader.skip(8) }
      readExtensions(in: reader.rest, isWave: false, &state)
      if format == .mebx, let keys = MetadataSampleDescription(entry: Array(state.bytes[range])) {
        media = .metadata(keys)
      }
    }
    if reader.isExhausted {
      state.report(.truncated, "\(Self.path)/\(format)", at: box.range.lowerBound)
    }
  }

  private enum Kind {
    case video, audio, timecode, text, other

    init(format: FourCharacterCode, handler: FourCharacterCode) {
      switch (format, handler) {
      case (.tmcd, _): self = .timecode
      case (.tx3g, _), (.wvtt, _), (.stpp, _), (.c608, _), (.c708, _), (.sbtt, _), (.stxt, _),
        (.text, _):
        self = .text
      case (.mp4s, _), (.mebx, _): self = .other
      case (.encv, _), (.drmi, _), (_, .vide), (_, .pict), (_, .auxv): self = .video
      case (.enca, _), (.drms, _), (_, .soun): self = .audio
      case (.avc1, _), (.hvc1, _), (.hev1, _), (.av01, _), (.vp09, _), (.mp4v, _): self = .video
      case (.mp4a, _): self = .audio
      case (_, .sbtl), (_, .subt), (_, .text), (_, .clcp): self = .text
      default: self = .other
      }
    }
  }

  private mutating func readTimecode(_ reader: inout ByteReader, _ state: inout ParseState) {
    reader.skip(4)
    let timecode = TimecodeSampleDescription(
      flags: TimecodeSampleDescription.Flags(rawValue: reader.uint32()),
      timescale: reader.uint32(), frameDuration: reader.uint32(),
      numberOfFrames: reader.uint8())
    guard !reader.isExhausted else { return }
    media = .timecode(timecode)
    if reader.remaining > 1 { reader.skip(1) }
    readExtensions(in: reader.rest, isWave: false, &state)
  }

  private mutating func readText(_ reader: inout ByteReader, _ state: inout ParseState) {
    var text = TextSampleDescription()
    switch codec {
    case .tx3g:
      text.displayFlags = reader.uint32()
      reader.skip(26)
      if !reader.isExhausted { readExtensions(in: reader.rest, isWave: false, &state) }
    case .text:
      text.displayFlags = reader.uint32()
    case .stpp:
      text.kind = reader.terminatedString()
    case .sbtt, .stxt:
      _ = reader.terminatedString()
      text.kind = reader.terminatedString()
    default:
      readExtensions(in: reader.rest, isWave: false, &state)
    }
    media = .text(text)
  }

  /// Notes the boxes in `range` and reads those that are the same in every kind of entry.
  mutating func readExtensions(in range: Range<Int>, isWave: Bool, _ state: inout ParseState) {
    state.forEachBox(in: range, path: "\(Self.path)/\(format)") { box, state in
      extensions.append(Extension(type: box.type, payload: box.payload))
      switch box.type {
      case .sinf where protection == nil: readProtection(box, &state)
      case .wave where !isWave: readExtensions(in: box.payload, isWave: true, &state)
      default: break
      }
    }
  }

  private mutating func readProtection(_ sinf: Box, _ state: inout ParseState) {
    var scheme = ProtectionScheme()
    state.forEachBox(in: sinf.payload, path: "\(Self.path)/\(format)/sinf") { box, state in
      var reader = ByteReader(state.bytes, in: box.payload)
      switch box.type {
      case .frma where reader.remaining >= 4: scheme.originalFormat = reader.code()
      case .schm where reader.remaining >= 8:
        reader.skip(4)
        scheme.scheme = reader.code()
        if reader.remaining >= 4 { scheme.schemeVersion = reader.uint32() }
      default: break
      }
    }
    protection = scheme
  }
}
