import FoundationEssentials
import ISOMedia

/// Edits the header of a QuickTime or MPEG-4 file; what lies behind it moves as little as possible.
struct MovieFileEditor {
  let isQuickTime: Bool
  let header: ContainerHeader

  /// Fragments of a day of film.
  private static let maximumBoxes = 1_000_000

  private struct TopBox {
    var type: FourCharacterCode
    var range: Range<Int64>
  }

  func pieces(_ plan: inout MetadataPlan, _ source: inout SourceBytes) throws -> [FilePiece] {
    let size = source.size ?? 0
    let boxes = try topBoxes(&source, size)
    guard let index = boxes.firstIndex(where: { $0.type == "moov" }) else {
      throw EditingFailure.damaged("the movie header can't be found")
    }
    let extent = boxes[index].range
    guard extent.count <= source.maximumBytes else { throw EditingFailure.damaged("the movie header is too large") }
    let old = try source.bytes(at: extent.lowerBound, count: extent.count)
    guard old.count == extent.count, let stored = try? MovieHeader.parse(old), !isCompressed(old) else {
      throw EditingFailure.damaged("the movie header is compressed, cut off or damaged")
    }
    var (base, movie, nero) = (old, stored, nil as [NeroChapter]?)
    if let edit = plan.movieEdit {
      base = try edit.applied(to: old)
      guard let parsed = try? MovieHeader.parse(base) else {
        throw EditingFailure.damaged("the movie header can't be edited")
      }
      movie = parsed
      if edit.dropsNeroChapters, plan.chapters == nil, !stored.neroChapters().isEmpty {
        nero = []
        if header.chapterTracks.isEmpty { plan.lose("chapters", "their list can't follow edits of time") }
      }
    }
    let changes = try Self.changes(&plan)
    let isFragmented = boxes.contains { $0.type == "moof" }
    let chapters = MovieChapters(plan: &plan, movie: movie, header: header, isFragmented: isFragmented)
    let media = ChapterTrackEdit.media(
      chapters?.tracks ?? [], pictures: chapters?.pictures, timescale: movie.timescale)
    // Where the titles lie depends on the header's size, and that only on whether their offset needs 64 bits.
    var new = try edited(base, movie, changes, chapters, nero, mediaOffset: 0, hasLongOffsets: false)
    if plan.movieEdit?.isHeaderOnly == true {
      let kind = boxes.first { $0.type == "ftyp" }
      return (kind.map { [.source($0.range)] } ?? []) + [.bytes(new)]
    }
    func layout(_ new: [UInt8]) -> Layout {
      var layout = Layout(
        boxes: boxes, index: index, old: old, newSize: new.count, isFragmented: isFragmented, fileSize: size)
      if layout.movesMedia, !isFragmented,
        ChunkOffsets.shifted(new, by: layout.shift, from: layout.replaced.upperBound) == nil
      {
        layout.isAppended = true
      }
      return layout
    }
    var place = layout(new)
    if !media.isEmpty {
      let hasLongOffsets = place.end + 8 + Int64(media.count) > Int64(UInt32.max)
      if hasLongOffsets {
        new = try edited(base, movie, changes, chapters, nero, mediaOffset: 0, hasLongOffsets: true)
        place = layout(new)
      }
      // The offset lies beyond what moves, so that it must not move again.
      new = try edited(
        base, movie, changes, chapters, nero,
        mediaOffset: place.end + 8 - (place.movesMedia && !place.isAppended ? place.shift : 0),
        hasLongOffsets: hasLongOffsets)
      guard new.count == place.newSize else { throw EditingFailure.damaged("the header's size does not settle") }
    }
    var pieces = try assemble(place, new, &source)
    if !media.isEmpty { pieces.append(.bytes(Self.box("mdat", media))) }
    return pieces
  }

  private func edited(
    _ old: [UInt8], _ movie: MovieHeader, _ changes: [MetadataBoxChange], _ chapters: MovieChapters?,
    _ nero: [NeroChapter]?, mediaOffset: Int64, hasLongOffsets: Bool
  ) throws -> [UInt8] {
    var editor = MovieMetadataEditor(
      old, isQuickTime: isQuickTime, changes: changes, neroChapters: chapters?.nero ?? nero,
      chapterTracks: chapters.map {
        ChapterTrackEdit(
          movie, removing: $0.removed, adding: $0.tracks, pictures: $0.pictures, mediaOffset: mediaOffset,
          hasLongOffsets: hasLongOffsets)
      })
    do throws(MovieMetadataEditor.Failure) { return try editor.edited() } catch {
      switch error {
      case .header(let fault): throw EditingFailure.damaged("the movie header is damaged: \(fault)")
      case .value(let fault): throw EditingFailure.value(fault.key, fault.reason)
      }
    }
  }

  private func isCompressed(_ movie: [UInt8]) -> Bool {
    for box in BoxSequence(movie) where box.type == "moov" {
      return BoxSequence(movie, in: box.payload).contains { $0.type == "cmov" }
    }
    return false
  }

  /// The boxes of the file up to what is no box.
  private func topBoxes(_ source: inout SourceBytes, _ size: Int64) throws -> [TopBox] {
    var boxes: [TopBox] = []
    var offset: Int64 = 0
    while offset + 8 <= size, boxes.count < Self.maximumBoxes {
      var reader = ByteReader(try source.bytes(at: offset, count: 16))
      var length = Int64(reader.uint32())
      let type = reader.code()
      var headerSize: Int64 = 8
      if length == 1 { (length, headerSize) = (reader.int64(), 16) }
      if length == 0 { length = size - offset }
      guard length >= headerSize, length <= size - offset else {
        // A last box that the file cuts off.
        if length > size - offset { boxes.append(TopBox(type: type, range: offset..<size)) }
        break
      }
      boxes.append(TopBox(type: type, range: offset..<offset + length))
      offset += length
    }
    return boxes
  }

  private static func box(_ type: String, _ payload: [UInt8]) -> [UInt8] {
    (payload.count + 8).bigEndianBytes(4) + Array(type.utf8) + payload
  }

  // MARK: - Layout

  /// Where the new header goes.
  private struct Layout {
    /// What the header takes the place of: the old one, and empty boxes beside it.
    var replaced: Range<Int64>
    var newSize: Int
    /// Bytes of an empty box behind it; 0 for none.
    var padding: Int
    /// How far what follows moves, and whether media is among it.
    var shift: Int64
    var movesMedia: Bool
    /// Puts the header at the end of the file, and an empty box in its old place.
    var isAppended = false
    var fileSize: Int64
    var isFragmented: Bool

    /// The size of the file.
    var end: Int64 { isAppended ? fileSize + Int64(newSize) : fileSize + shift }

    init(
      boxes: [TopBox], index: Int, old: [UInt8], newSize: Int, isFragmented: Bool, fileSize: Int64
    ) {
      self.newSize = newSize
      self.fileSize = fileSize
      self.isFragmented = isFragmented
      replaced = boxes[index].range
      for next in boxes[(index + 1)...] {
        guard next.type == "free" || next.type == "skip" else { break }
        replaced = replaced.lowerBound..<next.range.upperBound
      }
      let room = replaced.count
      if newSize == room || newSize + 8 <= room {
        (padding, shift, movesMedia) = (room - newSize, 0, false)
        return
      }
      // Empty boxes that are too small go on behind it.
      replaced = boxes[index].range
      padding = 0
      shift = Int64(newSize - replaced.count)
      let start = replaced.upperBound
      movesMedia = boxes[(index + 1)...].contains {
        ["mdat", "moof", "mfra", "sidx", "meta", "idat"].contains($0.type) && $0.range.lowerBound >= start
      }
    }
  }

  private func assemble(_ layout: Layout, _ new: [UInt8], _ source: inout SourceBytes) throws -> [FilePiece] {
    let (start, end, size) = (layout.replaced.lowerBound, layout.replaced.upperBound, layout.fileSize)
    let free = layout.padding > 0 ? Self.box("free", [UInt8](repeating: 0, count: layout.padding - 8)) : []
    guard layout.movesMedia else {
      return [.source(0..<start), .bytes(new + free), .source(end..<size)]
    }
    if layout.isAppended {
      // Nothing moves: an empty box takes the header's place.
      let empty = Self.box("free", [UInt8](repeating: 0, count: Int(end - start) - 8))
      return [.source(0..<start), .bytes(empty), .source(end..<size), .bytes(new)]
    }
    guard let moved = ChunkOffsets.shifted(new, by: layout.shift, from: end) else {
      throw EditingFailure(
        code: .operationNotSupported, reason: "the media would lie beyond 4 GiB, where its 32-bit offsets don't reach",
        remedy: "Export the file first, which writes the container anew")
    }
    var pieces: [FilePiece] = [.source(0..<start), .bytes(moved)]
    guard layout.isFragmented else { return pieces + [.source(end..<size)] }
    var copied = end
    for box in try topBoxes(&source, size) where box.range.lowerBound >= end && ["moof", "mfra"].contains(box.type) {
      guard box.range.count <= source.maximumBytes else { continue }
      let bytes = try source.bytes(at: box.range.lowerBound, count: box.range.count)
      let changed =
        box.type == "moof"
        ? ChunkOffsets.shiftedFragment(bytes, by: layout.shift, from: end)
        : ChunkOffsets.shiftedRandomAccess(bytes, by: layout.shift, from: 0)
      guard let changed, changed != bytes else { continue }
      pieces += [.source(copied..<box.range.lowerBound), .bytes(changed)]
      copied = box.range.upperBound
    }
    return pieces + [.source(copied..<size)]
  }

  // MARK: - Values

  static func changes(_ plan: inout MetadataPlan) throws -> [MetadataBoxChange] {
    var found: [MetadataBoxChange] = []
    for change in plan.changes {
      let store: MetadataEntry.Store
      switch change.keySpace {
      case .iTunes, .iTunesFreeform: store = .iTunes
      case .quickTimeMetadata: store = .quickTimeMetadata
      case .quickTimeUserData: store = .quickTimeUserData
      case .isoUserData: store = .isoUserData
      default: continue
      }
      var values: [MetadataBoxChange.Value] = []
      for item in change.items { values.append(try MovieValue.value(of: item, &plan)) }
      found.append(
        MetadataBoxChange(
          store: store, key: change.key, isFreeform: change.keySpace == .iTunesFreeform, values: values))
    }
    return found
  }
}

/// Values of items as boxes store them.
enum MovieValue {
  static func value(of item: MetadataItem, _ plan: inout MetadataPlan) throws -> MetadataBoxChange.Value {
    let name = item.identifier.rawValue
    let content: MetadataBoxChange.Content
    switch item.value {
    case .string(let text):
      if item.key == "loci", item.keySpace == .isoUserData {
        guard let place = GeographicLocation(iso6709: text) else {
          throw EditingFailure.value(name, "\"\(text)\" is no place in ISO 6709, like +48.8577+002.2950/")
        }
        content = .location(stored(place, item))
      } else {
        content = .text(text)
        if item.key == "yrrc", text.count > 4 { plan.lose(name, "only the year is kept") }
      }
    case .integer(let number): content = .integer(number)
    case .number(let number): content = .real(number)
    case .numbers(let numbers): content = .reals(numbers)
    case .position(let number, let count): content = .fraction(number, of: count)
    case .date(let date): content = .text(date.description)
    case .data(let data): content = .data(Array(data))
    }
    return MetadataBoxChange.Value(
      content, type: item.dataType.flatMap { types[$0] },
      language: LanguageName.terminological(item.extendedLanguageTag),
      attributes: item.extraAttributes.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value })
  }

  private static func stored(_ place: GeographicLocation, _ item: MetadataItem) -> StoredLocation {
    func fixed(_ value: Double) -> Int32 { Int32(clamping: Int64((value * 65_536).rounded())) }
    func text(_ name: String) -> String { item.extraAttributes[.init(rawValue: name)] ?? "" }
    return StoredLocation(
      name: text("name"), role: UInt8(text("role")) ?? 0, longitude: fixed(place.longitude),
      latitude: fixed(place.latitude), altitude: fixed(max(-30_000, min(30_000, place.altitude ?? 0))),
      body: text("body"), notes: text("notes"))
  }

  /// Well-known types of numbers; text and pictures find theirs by themselves.
  private static let types: [MetadataDataType: UInt32] = [
    .utf16: 2, .float32: 23, .float64: 24, .int8: 65, .int16: 66, .int32: 67, .int64: 74, .uint8: 75, .uint16: 76,
    .uint32: 77, .uint64: 78, .pointF32: 70, .dimensionsF32: 71, .rectF32: 72, .affineTransformF64: 79,
  ]
}

/// Chapters of an edit in the forms that movies have for them.
struct MovieChapters {
  /// Nero's list; empty removes it.
  var nero: [NeroChapter] = []
  /// Tracks of titles, one a language.
  var tracks: [ChapterTrackEdit.Track] = []
  /// A track of the chapters' pictures.
  var pictures: ChapterPictureTrack?
  var removed: Set<UInt32> = []

  /// nil where the chapters stay.
  init?(plan: inout MetadataPlan, movie: MovieHeader, header: ContainerHeader, isFragmented: Bool) {
    guard let lists = plan.chapters else { return nil }
    removed = Set(header.chapterTracks.compactMap { $0.iso?.trackID })
    let filled = lists.filter { !$0.chapters.isEmpty }
    guard let first = filled.first else { return }
    nero = first.chapters.flattened.map { chapter in
      let ticks = Rational.floor(chapter.start, in: Rational(1, 10_000_000) ?? .one)
      return NeroChapter(start: UInt64(max(0, ticks)), title: chapter.titles.first?.text ?? "")
    }
    if filled.contains(where: { $0.chapters.contains { !$0.children.isEmpty } }) {
      plan.lose("chapters", "chapters within chapters are written one after another")
    }
    let illustrated = filled.map(\.chapters.flattened).first { $0.contains { $0.artwork != nil } }
    guard !isFragmented else {
      if illustrated != nil { plan.lose("chapters", "a fragmented file gets no pictures of chapters") }
      if filled.count > 1 { plan.lose("chapters", "a fragmented file gets the titles of the first language only") }
      if nero.count > 255 { plan.lose("chapters", "a fragmented file gets the first 255 chapters only") }
      return
    }
    for list in filled {
      let (track, isExact) = Self.track(list)
      tracks.append(track)
      if !isExact { plan.lose("chapters", "times are rounded to milliseconds") }
    }
    if let illustrated { pictures = Self.pictures(of: illustrated, &plan) }
  }

  /// The pictures of chapters in the ticks of their times; one that goes on in the next chapter is one.
  private static func pictures(of chapters: [StoredChapter], _ plan: inout MetadataPlan) -> ChapterPictureTrack {
    let (scale, _) = timescale(chapters)
    let tick = Rational(1, Int64(scale)) ?? .one
    func ticks(_ time: Rational) -> Int64 { Rational.floor(time + tick * (Rational(1, 2) ?? .zero), in: tick) }
    var pictures: [ChapterPictureTrack.Picture] = []
    var (position, last) = (Int64(0), Data?.none)
    for (index, chapter) in chapters.enumerated() {
      let next = index + 1 < chapters.count ? chapters[index + 1].start : nil
      let start = max(position, ticks(chapter.start))
      let end = ticks(chapter.end ?? next ?? chapter.start)
      guard let artwork = chapter.artwork, end > start else {
        last = nil
        continue
      }
      if artwork == last, start == position, let index = pictures.indices.last {
        pictures[index].duration = UInt32(clamping: Int64(pictures[index].duration) + end - start)
      } else if let picture = ChapterPictureTrack.Picture(
        start: UInt64(start), duration: UInt32(clamping: end - start), bytes: Array(artwork))
      {
        pictures.append(picture)
      } else {
        plan.lose("chapters", "pictures of chapters that are neither JPEG nor PNG are not written")
      }
      (position, last) = (end, artwork)
    }
    return ChapterPictureTrack(timescale: scale, pictures: pictures)
  }

  private static func track(_ list: ChapterList) -> (ChapterTrackEdit.Track, isExact: Bool) {
    let chapters = list.chapters.flattened
    let (scale, isExact) = timescale(chapters)
    let tick = Rational(1, Int64(scale)) ?? .one
    func ticks(_ time: Rational) -> Int64 { Rational.floor(time + tick * (Rational(1, 2) ?? .zero), in: tick) }
    var samples: [ChapterTrackEdit.Chapter] = []
    let lead = max(0, chapters.first.map { ticks($0.start) } ?? 0)
    var position = lead
    for (index, chapter) in chapters.enumerated() {
      let start = ticks(chapter.start)
      let next = index + 1 < chapters.count ? chapters[index + 1].start : nil
      let end = max(start, ticks(chapter.end ?? next ?? chapter.start))
      if start > position {
        samples.append(.init(duration: UInt32(clamping: start - position), title: nil))
      }
      samples.append(.init(duration: UInt32(clamping: end - start), title: chapter.titles.first?.text ?? ""))
      position = end
    }
    let tag = list.language
    return (
      ChapterTrackEdit.Track(
        timescale: scale, lead: UInt32(clamping: lead), chapters: samples, language: LanguageName.terminological(tag),
        extendedLanguage: LanguageName.extended(tag)), isExact
    )
  }

  /// Ticks in which all times are exact, as long as they fit; milliseconds else.
  private static func timescale(_ chapters: [StoredChapter]) -> (UInt32, isExact: Bool) {
    var scale: Int64 = 1
    var latest = Rational.zero
    for time in chapters.flatMap({ [$0.start, $0.end ?? $0.start] }) {
      latest = max(latest, time)
      let (product, overflow) =
        (scale / Int64(WideArithmetic.greatestCommonDivisor(scale.magnitude, time.denominator.magnitude)))
        .multipliedReportingOverflow(by: time.denominator)
      guard !overflow, product <= 100_000_000 else { return (1000, false) }
      scale = product
    }
    // Players compute with 31 bits; coarse clocks would round what they show.
    while scale < 1000 { scale *= 10 }
    guard Rational.floor(latest, in: Rational(1, scale) ?? .one) < Int64(Int32.max) else {
      return (1000, scale <= 1000)
    }
    return (UInt32(scale), true)
  }
}
