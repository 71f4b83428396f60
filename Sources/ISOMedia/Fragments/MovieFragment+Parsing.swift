extension MovieFragment {
  /// Reads a `moof` box.
  ///
  /// - Parameters:
  ///   - bytes: The box with its header, possibly cut off.
  ///   - fileOffset: Where the box lies in the file; sample offsets start from it.
  ///   - defaults: `trex` of the tracks.
  package static func parse(
    _ bytes: [UInt8], at fileOffset: Int64, defaults: [TrackExtends]
  ) throws(ISOMediaError) -> MovieFragment {
    var top = BoxSequence(bytes)
    guard let moof = top.next(), moof.type == .moof else {
      throw ISOMediaError(bytes.count < 8 ? .truncated : .malformed, path: "moof", offset: 0)
    }
    var fragment = MovieFragment()
    var state = ParseState(bytes, maximumBoxes: 100_000)
    if moof.isCutOff { state.report(.truncated, "moof", at: 0) }
    // Where a track's data starts that says nothing: at the fragment, then behind the track before.
    var implicitBase = fileOffset
    state.forEachBox(in: moof.payload, path: "moof") { box, state in
      switch box.type {
      case .mfhd:
        let number = state.fields(of: box, path: "moof/mfhd") { reader in
          reader.skip(4)
          return reader.uint32()
        }
        if let number { fragment.sequenceNumber = number }
      case .traf:
        var parser = TrackFragmentParser(
          moofOffset: fileOffset, base: implicitBase, defaults: defaults)
        parser.read(box, &state)
        implicitBase = parser.dataEnd
        fragment.tracks.append(parser.fragment)
      default: break
      }
    }
    fragment.problems = state.problems
    return fragment
  }
}

/// Reads one `traf`; keeps what its runs inherit.
private struct TrackFragmentParser {
  var fragment = TrackFragment()
  /// Where the data of the last run ends.
  var dataEnd: Int64
  private let moofOffset: Int64
  private var base: Int64
  private let defaults: [TrackExtends]
  private var values = TrackExtends(trackID: 0)

  init(moofOffset: Int64, base: Int64, defaults: [TrackExtends]) {
    self.moofOffset = moofOffset
    self.base = base
    self.defaults = defaults
    dataEnd = base
  }

  mutating func read(_ traf: Box, _ state: inout ParseState) {
    // Copied out: the closure may not hold self while the state is passed.
    var parser = self
    var hasHeader = false
    state.forEachBox(in: traf.payload, path: "moof/traf") { box, state in
      switch box.type {
      case .tfhd:
        parser.readHeader(box, &state)
        hasHeader = true
      case .tfdt:
        let time = state.fields(of: box, path: "moof/traf/tfdt") { reader in
          let (version, _) = reader.versionAndFlags()
          return version == 1 ? reader.uint64() : UInt64(reader.uint32())
        }
        parser.fragment.baseDecodeTime = time
      case .trun where hasHeader: parser.readRun(box, &state)
      default: break
      }
    }
    if !hasHeader { state.report(.malformed, "moof/traf/tfhd", at: traf.range.lowerBound) }
    self = parser
  }

  private mutating func readHeader(_ box: Box, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    let flags = reader.versionAndFlags().flags
    let id = reader.uint32()
    var values = defaults.first { $0.trackID == id } ?? TrackExtends(trackID: id)
    let explicitBase = flags & 0x1 != 0 ? reader.int64() : nil
    if flags & 0x2 != 0 { values.sampleDescriptionIndex = reader.uint32() }
    if flags & 0x8 != 0 { values.sampleDuration = reader.uint32() }
    if flags & 0x10 != 0 { values.sampleSize = reader.uint32() }
    if flags & 0x20 != 0 { values.sampleFlags = reader.uint32() }
    guard !reader.isExhausted else {
      return state.report(.truncated, "moof/traf/tfhd", at: box.range.lowerBound)
    }
    self.values = values
    fragment.trackID = id
    fragment.isDurationEmpty = flags & 0x1_0000 != 0
    if let explicitBase {
      base = explicitBase
    } else if flags & 0x2_0000 != 0 {
      base = moofOffset
    }
    dataEnd = base
  }

  private mutating func readRun(_ box: Box, _ state: inout ParseState) {
    var reader = ByteReader(state.bytes, in: box.payload)
    let (version, bits) = reader.versionAndFlags()
    let flags = TrackRun.Flags(rawValue: bits)
    var run = TrackRun(
      sampleCount: reader.uint32(), dataOffset: dataEnd, version: version, flags: flags,
      firstSampleFlags: nil, defaultDuration: values.sampleDuration,
      defaultSize: values.sampleSize, defaultFlags: values.sampleFlags,
      descriptionIndex: values.sampleDescriptionIndex, entries: 0..<0)
    if flags.contains(.dataOffset) { run.dataOffset = base &+ Int64(reader.int32()) }
    if flags.contains(.firstSampleFlags) { run.firstSampleFlags = reader.uint32() }
    guard !reader.isExhausted else {
      return state.report(.truncated, "moof/traf/trun", at: box.range.lowerBound)
    }
    run.entries = reader.rest
    let entrySize = run.entrySize
    if entrySize > 0, Int(run.sampleCount) > reader.remaining / entrySize {
      run.sampleCount = UInt32(reader.remaining / entrySize)
      state.report(.truncated, "moof/traf/trun", at: box.range.lowerBound)
    }
    dataEnd = run.dataOffset &+ Int64(truncatingIfNeeded: run.totalSize(in: state.bytes))
    fragment.runs.append(run)
  }
}

extension TrackRun {
  /// The sum of the sample sizes.
  func totalSize(in bytes: [UInt8]) -> UInt64 {
    guard flags.contains(.sizes) else { return UInt64(sampleCount) * UInt64(defaultSize) }
    let stride = entrySize
    var position = entries.lowerBound + (flags.contains(.durations) ? 4 : 0)
    var total: UInt64 = 0
    for _ in 0..<sampleCount {
      guard position + 4 <= entries.upperBound else { break }
      total &+= UInt64(bytes.bigEndianUInt32(at: position))
      position += stride
    }
    return total
  }
}
