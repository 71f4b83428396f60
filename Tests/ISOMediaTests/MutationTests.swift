import ISOMedia
import Testing

/// Damaged bytes never trap, hang or make the readers allocate without bound.
@Suite struct MutationTests {
  /// Numbers that a seed determines (SplitMix64), so that a failure can be repeated.
  struct Generator: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var value = state
      value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
      value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
      return value ^ (value >> 31)
    }
  }

  static func mutated(_ original: [UInt8], _ random: inout Generator) -> [UInt8] {
    var data = original
    for _ in 0..<Int.random(in: 1...8, using: &random) where !data.isEmpty {
      let at = Int.random(in: 0..<data.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: data[at] = UInt8.random(in: 0...255, using: &random)
      case 1: data[at] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2:
        // A word of the kind that breaks arithmetic.
        let words: [UInt32] = [0, 1, 7, 8, 0x7FFF_FFFF, 0x8000_0000, .max]
        let word = words[Int.random(in: 0..<words.count, using: &random)]
        for (index, shift) in [24, 16, 8, 0].enumerated() where (at & ~3) + index < data.count {
          data[(at & ~3) + index] = UInt8(truncatingIfNeeded: word >> UInt32(shift))
        }
      case 3: data.removeSubrange(at..<min(at + 4, data.count))
      case 4: data.insert(contentsOf: data[at..<min(at + 24, data.count)], at: at)
      default: if Int.random(in: 0..<4, using: &random) == 0 { data.removeSubrange(at...) }
      }
    }
    return data
  }

  /// Reads all that can be read of a movie.
  static func exercise(movie bytes: [UInt8]) {
    guard let movie = try? MovieHeader.parse(bytes) else { return }
    _ = movie.metadataEntries(isQuickTime: true)
    _ = movie.neroChapters()
    for track in movie.tracks {
      _ = movie.metadataEntries(of: track, isQuickTime: false)
      _ = movie.timing(of: track)
      _ = movie.totalSampleSize(of: track)
      _ = track.isSelfContained
      if let table = try? movie.sampleTable(of: track, maximumSamples: 5000) {
        for sample in table { _ = sample.presentationTime }
      }
      for entry in track.sampleDescriptions {
        _ = entry.codecString(in: bytes)
        _ = entry.supplementalCodecString
        _ = entry.video?.cleanAperture?.origin(width: 65_535, height: 65_535)
        for child in entry.extensions { exercise(configuration: bytes, in: child.payload) }
      }
    }
  }

  static func exercise(configuration bytes: [UInt8], in range: Range<Int>) {
    _ = AVCConfiguration(bytes, in: range)?.sequenceParameters(in: bytes)
    _ = HEVCConfiguration(bytes, in: range)?.sequenceParameters(in: bytes)
    _ = AVCSequenceParameters(nalUnit: bytes, in: range)
    _ = HEVCSequenceParameters(nalUnit: bytes, in: range)
    _ = AV1Configuration(bytes, in: range)?.codecString()
    _ = VPConfiguration(bytes, in: range)?.codecString()
    _ = VPConfiguration(matroska: Array(bytes[range.clamped(to: 0..<bytes.count)]))
    _ = AudioSpecificConfiguration(bytes, in: range)
    _ = ElementaryStreamDescriptor(bytes, in: range)?.codecString(format: "mp4a", in: bytes)
    _ = DolbyVisionConfiguration(bytes, in: range)
    _ = CodecString.ac4(bytes, in: range)
  }

  static func exercise(file: [UInt8]) {
    for size in [Int64(file.count), nil] {
      _ = FileLayout.scan(size: size, through: .everything, read: reading(file))
      _ = FragmentSurvey.survey(from: 0, size: size, defaults: [], read: reading(file))
    }
    _ = try? SegmentIndex.parse(file)
    if let fragment = try? MovieFragment.parse(file, at: .max, defaults: []) {
      for run in fragment.tracks.flatMap(\.runs) {
        for sample in run.samples(in: file, from: .max).prefix(1000) { _ = sample.offset }
      }
    }
  }

  static let seeds: [[UInt8]] = {
    let fragment = bytes {
      $0.box("moof") {
        $0.fullBox("mfhd") { $0.u32(1) }
        $0.box("traf") {
          $0.fullBox("tfhd", flags: 0x3B) { $0.zeros(28) }
          $0.fullBox("tfdt", version: 1) { $0.u64(.max) }
          $0.fullBox("trun", flags: 0xF05) { $0.raw([0, 0, 0, 3] + [UInt8](1...56)) }
        }
      }
    }
    let entries: [[UInt8]] = [("vide", "hvc1"), ("soun", "mp4a"), ("text", "tx3g")].map {
      handler, format in
      SampleMovie.withEntry(handler: FourCharacterCode(stringLiteral: handler)) {
        SampleMovie.videoEntry(&$0, FourCharacterCode(stringLiteral: format)) { entry in
          for type in ["clap", "colr", "mdcv", "hvcC", "esds", "dvcC", "wave", "sinf", "pasp"] {
            entry.box(FourCharacterCode(stringLiteral: type)) { $0.raw([UInt8](1...40)) }
          }
        }
      }
    }
    return [SampleMovie.header(), fragment] + entries
  }()

  @Test(arguments: 0..<5)
  func mutations(seed: Int) {
    var random = Generator(state: UInt64(seed))
    for _ in 0..<1500 {
      let data = Self.mutated(Self.seeds[seed], &random)
      Self.exercise(movie: data)
      Self.exercise(file: data)
      Self.exercise(configuration: data, in: 0..<data.count)
    }
  }

  @Test func everyCut() {
    for data in Self.seeds {
      for count in 0..<data.count {
        let cut = Array(data[..<count])
        Self.exercise(movie: cut)
        Self.exercise(file: cut)
      }
    }
  }

  @Test(
    .enabled(if: Corpus.root != nil, Corpus.isMissing),
    arguments: [
      "androidx+media/sample_edit_list.mp4", "androidx+media/sample_with_colr_mdcv_and_clli.mp4",
      "meta-pytorch+torchcodec/nasa_13013.mp4", "androidx+media/water_180_mvhevc_5frames.mov",
      "abema+go-mp4/sample_qt.mp4", "Eyevinn+mp4ff/init_prog.mp4",
    ])
  func mutationsOfRealMovies(file: String) throws {
    let original = try #require(try Corpus.layout(file).0.movie?.bytes)
    var random = Generator(state: 7)
    for _ in 0..<300 { Self.exercise(movie: Self.mutated(original, &random)) }
  }
}
