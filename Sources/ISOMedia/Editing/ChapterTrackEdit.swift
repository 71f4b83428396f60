/// Chapter tracks of a movie: which go, which come, and which tracks name them.
package struct ChapterTrackEdit: Sendable {
  /// A chapter of a track to write, in ticks.
  package struct Chapter: Hashable, Sendable {
    package var duration: UInt32
    /// nil for a gap.
    package var title: String?

    package init(duration: UInt32, title: String?) {
      self.duration = duration
      self.title = title
    }
  }

  /// A track of titles in one language.
  package struct Track: Hashable, Sendable {
    /// Ticks a second.
    package var timescale: UInt32
    package var chapters: [Chapter]
    /// What lies before the first chapter: an empty edit where the movie's ticks hold it, a gap else.
    package var lead: UInt32
    /// ISO 639-2/T.
    package var language: String?
    /// BCP 47, where it says more.
    package var extendedLanguage: String?

    package init(
      timescale: UInt32, lead: UInt32 = 0, chapters: [Chapter], language: String?, extendedLanguage: String?
    ) {
      self.timescale = timescale
      self.lead = lead
      self.chapters = chapters
      self.language = language
      self.extendedLanguage = extendedLanguage
    }

    /// The samples one after another: length, title, and the mark that it is UTF-8.
    package var samples: [[UInt8]] {
      chapters.map { chapter in
        guard let title = chapter.title else { return [0, 0] }
        let text = Array(title.utf8.prefix(0xFFFF))
        let length = [UInt8(text.count >> 8), UInt8(text.count & 0xFF)]
        return length + text + [0, 0, 0, 12] + Array("encd".utf8) + [0, 0, 1, 0]
      }
    }
  }

  var removed: Set<UInt32> = []
  /// The tracks that name the chapters.
  var named: Set<UInt32> = []
  var added: [[UInt8]] = []
  var addedIDs: [UInt32] = []
  var nextTrackID: UInt32?

  /// The bytes of all samples, in the order of the tracks; those of the pictures come last.
  package static func media(
    _ tracks: [Track], pictures: ChapterPictureTrack? = nil, timescale: UInt32
  ) -> [UInt8] {
    tracks.flatMap { $0.settled(timescale).samples.flatMap(\.self) } + (pictures?.pictures.flatMap(\.bytes) ?? [])
  }

  /// - Parameters:
  ///   - movie: The header as it is.
  ///   - removed: Tracks that go.
  ///   - tracks: Tracks that come.
  ///   - pictures: A track of pictures that comes behind them.
  ///   - mediaOffset: Where the samples of the first one lie in the file; those of the others follow.
  ///   - hasLongOffsets: Whether offsets take 64 bits; by the first one where nothing is said.
  package init(
    _ movie: MovieHeader, removing removed: Set<UInt32>, adding tracks: [Track], pictures: ChapterPictureTrack? = nil,
    mediaOffset: Int64, hasLongOffsets: Bool? = nil
  ) {
    let hasLongOffsets = hasLongOffsets ?? (mediaOffset > Int64(UInt32.max))
    self.removed = removed
    let kept = movie.tracks.filter { !removed.contains($0.trackID) }
    named = Set(kept.filter { $0.handler == "vide" || $0.handler == "soun" }.map(\.trackID))
    var next = max(movie.nextTrackID, (movie.tracks.map(\.trackID).max() ?? 0) &+ 1, 1)
    if next == .max { next = (kept.map(\.trackID).max() ?? 0) &+ 1 }
    var offset = mediaOffset
    let group = tracks.count > 1 ? (kept.map(\.alternateGroup).max() ?? 0) &+ 1 : 0
    for track in tracks.map({ $0.settled(movie.timescale) }) {
      let samples = track.samples
      added.append(
        ChapterTrackWriter(
          id: next, track: track, movie: movie, alternateGroup: group, sizes: samples.map(\.count), offset: offset,
          hasLongOffset: hasLongOffsets
        ).bytes)
      addedIDs.append(next)
      next &+= 1
      offset += samples.reduce(0) { $0 + Int64($1.count) }
    }
    if let pictures, !pictures.pictures.isEmpty {
      added.append(pictures.bytes(id: next, movie: movie, offset: offset, hasLongOffsets: hasLongOffsets))
      addedIDs.append(next)
      next &+= 1
    }
    if !addedIDs.isEmpty { nextTrackID = next }
  }

  func trackID(of track: Box, _ bytes: [UInt8]) -> UInt32 {
    for box in BoxSequence(bytes, in: track.payload) where box.type == "tkhd" {
      var reader = ByteReader(bytes, in: box.payload)
      let (version, _) = reader.versionAndFlags()
      reader.skip(version == 1 ? 16 : 8)
      return reader.uint32()
    }
    return 0
  }
}

extension ChapterTrackEdit.Track {
  /// The track with a gap for its lead where the movie's ticks can't hold that.
  fileprivate func settled(_ timescale: UInt32) -> Self {
    guard lead > 0, UInt64(lead) * UInt64(timescale) % UInt64(max(1, self.timescale)) != 0 else { return self }
    var track = self
    track.chapters.insert(.init(duration: lead, title: nil), at: 0)
    track.lead = 0
    return track
  }
}

/// `trak` of a text track that carries chapters.
private struct ChapterTrackWriter {
  let id: UInt32
  let track: ChapterTrackEdit.Track
  let movie: MovieHeader
  let alternateGroup: Int16
  let sizes: [Int]
  let offset: Int64
  let hasLongOffset: Bool

  private var mediaDuration: UInt64 { track.chapters.reduce(0) { $0 + UInt64($1.duration) } }

  var bytes: [UInt8] {
    var builder = BoxBuilder()
    builder.box("trak") { builder in
      builder.hiddenTrackHeader(
        id: id, movie: movie, duration: movieTicks(mediaDuration) &+ movieTicks(UInt64(track.lead)),
        alternateGroup: alternateGroup)
      if track.lead > 0 {
        builder.editList([(movieTicks(UInt64(track.lead)), nil), (movieTicks(mediaDuration), 0)])
      }
      builder.box("mdia") { builder in
        builder.mediaHeader(
          movie: movie, timescale: track.timescale, duration: mediaDuration, language: track.language)
        if let tag = track.extendedLanguage {
          builder.fullBox("elng", version: 0, flags: 0) { builder, _ in
            builder.append(Array(tag.utf8)[...])
            builder.append(UInt8(0))
          }
        }
        builder.mediaHandler("text")
        builder.box("minf") { builder in
          genericHeader(&builder)
          builder.ownDataReference()
          builder.box("stbl") { table(&$0) }
        }
      }
    }
    return builder.bytes
  }

  /// Rounded up, so that nothing is cut off.
  private func movieTicks(_ ticks: UInt64) -> UInt64 { movie.ticks(ticks, of: track.timescale, roundedUp: true) }

  private func genericHeader(_ builder: inout BoxBuilder) {
    builder.box("gmhd") { builder in
      builder.fullBox("gmin", version: 0, flags: 0) { builder, _ in
        for number in [0x40, 0x8000, 0x8000, 0x8000, 0, 0] as [UInt16] { builder.append(number) }
      }
      builder.box("text") { builder in
        let matrix: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
        for number in matrix { builder.append(number) }
      }
    }
  }

  private func table(_ builder: inout BoxBuilder) {
    builder.fullBox("stsd", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(1))
      builder.box("text") { builder in
        builder.append([0, 0, 0, 0, 0, 0, 0, 1][...])
        // Flags, justification, background, box, style: 43 bytes, and a font's name of no length.
        builder.append(UInt32(1))
        builder.append([UInt8](repeating: 0, count: 39)[...])
      }
    }
    builder.sampleDurations(track.chapters.map(\.duration))
    builder.fullBox("stsc", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(1))
      for number in [1, UInt32(clamping: track.chapters.count), 1] as [UInt32] { builder.append(number) }
    }
    builder.sampleSizes(sizes)
    builder.chunkOffsets([offset], areLong: hasLongOffset)
  }
}
