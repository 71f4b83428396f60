import ISOMedia

/// libFuzzer's entry: reads the bytes as a file, a movie header, a fragment and an index, and edits what can be read.
///
/// Built by `scripts/fuzz boxes` alone. Nothing of FFmpeg is in it: what it finds is the box reader's own fault.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  var layout = FileLayout()
  for size in [nil, Int64(input.count)] {
    layout = FileLayout.scan(size: size, through: .everything) { read(input, $0, $1) }
  }
  let growing = GrowingFile.survey(size: Int64(input.count)) { read(input, $0, $1) }
  precondition(growing.end <= Int64(input.count), "more is complete than there is")
  var movies = layout.movie.map { [$0.bytes] } ?? []
  movies.append(input)
  for movie in movies { exerciseMovie(movie, file: input, fragments: layout.firstFragment?.offset) }
  exerciseFragment(input)
  _ = try? SegmentIndex.parse(input)
  if let index = layout.segmentIndex { _ = try? SegmentIndex.parse(slice(input, from: index.offset)) }
  _ = ChunkOffsets.shiftedRandomAccess(input, by: 1000, from: 0)
  var moved = input
  FragmentedEdits.moveFragments(by: -1, in: &moved)
  return 0
}

private func read(_ input: [UInt8], _ offset: Int64, _ count: Int) -> [UInt8] {
  guard offset >= 0, offset < Int64(input.count), count > 0 else { return [] }
  return Array(input[Int(offset)...].prefix(count))
}

private func slice(_ input: [UInt8], from offset: Int64) -> [UInt8] {
  read(input, offset, input.count)
}

private func exerciseMovie(_ bytes: [UInt8], file: [UInt8], fragments: Int64?) {
  guard let movie = try? MovieHeader.parse(bytes) else { return }
  for isQuickTime in [true, false] { _ = movie.metadataEntries(isQuickTime: isQuickTime) }
  let chapters = movie.neroChapters()
  for track in movie.tracks.prefix(8) { exerciseTrack(track, of: movie) }
  let defaults = movie.movieExtends?.tracks ?? []
  for size in [nil, Int64(file.count)] {
    _ = FragmentSurvey.survey(from: fragments ?? 0, size: size, defaults: defaults) { read(file, $0, $1) }
  }
  if let fragments,
    let fragment = try? MovieFragment.parse(slice(file, from: fragments), at: fragments, defaults: defaults)
  {
    exercise(fragment, in: slice(file, from: fragments))
  }
  edit(movie, chapters: chapters)
}

private func exerciseTrack(_ track: TrackHeader, of movie: MovieHeader) {
  let bytes = movie.bytes
  _ = movie.metadataEntries(of: track, isQuickTime: false)
  _ = movie.timing(of: track)
  _ = movie.totalSampleSize(of: track)
  _ = track.isSelfContained
  _ = track.foreignReference
  if let table = try? movie.sampleTable(of: track, maximumSamples: 5000) {
    var last: Int64 = 0
    for sample in table { last = sample.presentationTime }
    withExtendedLifetime(last) {}
  }
  for entry in track.sampleDescriptions.prefix(16) {
    _ = entry.codecString(in: bytes)
    _ = entry.supplementalCodecString
    _ = entry.video?.cleanAperture?.origin(width: 65_535, height: 65_535)
    for child in entry.extensions.prefix(64) { exerciseConfiguration(bytes, child.payload) }
  }
}

private func exerciseConfiguration(_ bytes: [UInt8], _ range: Range<Int>) {
  _ = AVCConfiguration(bytes, in: range)?.sequenceParameters(in: bytes)
  _ = HEVCConfiguration(bytes, in: range)?.sequenceParameters(in: bytes)
  _ = AV1Configuration(bytes, in: range)?.codecString()
  _ = VPConfiguration(bytes, in: range)?.codecString()
  _ = AudioSpecificConfiguration(bytes, in: range)
  _ = ElementaryStreamDescriptor(bytes, in: range)?.codecString(format: "mp4a", in: bytes)
  _ = DolbyVisionConfiguration(bytes, in: range)
  _ = CodecString.ac4(bytes, in: range)
  if let keys = MetadataSampleDescription(entry: Array(bytes[range.clamped(to: 0..<bytes.count)])) {
    _ = keys.values(in: bytes)
  }
}

private func exerciseFragment(_ bytes: [UInt8]) {
  if let fragment = try? MovieFragment.parse(bytes, at: .max, defaults: []) { exercise(fragment, in: bytes) }
  _ = ChunkOffsets.shiftedFragment(bytes, by: .max, from: 0)
  var moved = bytes
  try? SegmentWriting.setDecodeTimes([1: .max], in: &moved)
}

private func exercise(_ fragment: MovieFragment, in bytes: [UInt8]) {
  for track in fragment.tracks.prefix(64) {
    _ = track.span(in: bytes, from: .max)
    for run in track.runs.prefix(64) {
      for sample in run.samples(in: bytes, from: .max).prefix(1000) { _ = sample.offset }
    }
  }
}

/// Every kind of change; what comes out must be readable again.
private func edit(_ movie: MovieHeader, chapters: [NeroChapter]) {
  let changes = [
    MetadataBoxChange(store: .iTunes, key: "©nam", values: [.init(.text("title"))]),
    MetadataBoxChange(store: .iTunes, key: "com.apple.iTunes.X", isFreeform: true, values: [.init(.text("y"))]),
    MetadataBoxChange(store: .quickTimeMetadata, key: "com.apple.quicktime.title", values: [.init(.text("title"))]),
    MetadataBoxChange(store: .quickTimeUserData, key: "©nam", values: [.init(.text("title"), language: "deu")]),
    MetadataBoxChange(store: .isoUserData, key: "titl", values: []),
  ]
  let track = ChapterTrackEdit.Track(
    timescale: 1000, lead: 1, chapters: [.init(duration: 5, title: "one")], language: "eng", extendedLanguage: "en-GB")
  // The header as a picture: most are none, some are cut off.
  let pictures = [movie.bytes, [0xFF, 0xD8, 0xFF, 0xC0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0]].enumerated().compactMap {
    ChapterPictureTrack.Picture(start: UInt64($0.offset) << 40, duration: 1 << 31, bytes: $0.element)
  }
  let tracks = ChapterTrackEdit(
    movie, removing: Set(movie.tracks.prefix(1).map(\.trackID)), adding: [track],
    pictures: ChapterPictureTrack(timescale: 1000, pictures: pictures), mediaOffset: 1 << 33)
  if let moved = movie.relocatingChunks({ track, number in Int64(track.trackID) << 8 | Int64(number) }) {
    _ = try? MovieHeader.parse(moved)
  }
  for isQuickTime in [true, false] {
    var editor = MovieMetadataEditor(
      movie.bytes, isQuickTime: isQuickTime, changes: changes, neroChapters: chapters, chapterTracks: tracks)
    if let edited = try? editor.edited() { _ = try? MovieHeader.parse(edited) }
  }
  var change = MovieEdit()
  change.timescale = 90_000
  change.mediaDataShift = 1000
  change.fragmentDuration = 1 << 40
  change.dataReference = [0, 0, 0, 12] + Array("alis".utf8) + [0, 0, 0, 0]
  for track in movie.tracks.prefix(8) {
    var edit = TrackEdit()
    edit.edits = track.edits
    edit.isEnabled = false
    edit.references = [TrackReference(type: "chap", trackIDs: [1])]
    edit.language = "deu"
    edit.extendedLanguage = "de-CH"
    edit.cleanAperture = [1, 1, 1, 1, 1, 1, 1, 1]
    change.tracks[track.trackID] = edit
  }
  var rewriter = MovieRewriter(movie.bytes, edit: change)
  if let rewritten = try? rewriter.rewritten() { _ = try? MovieHeader.parse(rewritten) }
  _ = FragmentedEdits.patches(movie.bytes, header: movie, change)
  _ = ChunkOffsets.shifted(movie.bytes, by: -1, from: 0)
}
