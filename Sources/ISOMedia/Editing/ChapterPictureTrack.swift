/// A track of pictures that others name beside their chapters' titles (`chap`): each picture is on show for a time.
package struct ChapterPictureTrack: Hashable, Sendable {
  package struct Picture: Hashable, Sendable {
    /// In ticks of the track.
    package var start: UInt64
    package var duration: UInt32
    package var bytes: [UInt8]
    /// `jpeg` or `png `.
    package var codec: FourCharacterCode
    package var width: UInt16
    package var height: UInt16

    /// A picture that tells its own size; nil for what is neither JPEG nor PNG, or is damaged.
    package init?(start: UInt64, duration: UInt32, bytes: [UInt8]) {
      guard let head = PictureHead(bytes) else { return nil }
      self.start = start
      self.duration = duration
      self.bytes = bytes
      (codec, width, height) = (head.codec, head.width, head.height)
    }
  }

  /// Ticks a second.
  package var timescale: UInt32
  /// In their order; none overlaps another.
  package var pictures: [Picture]

  package init(timescale: UInt32, pictures: [Picture]) {
    self.timescale = timescale
    self.pictures = pictures
  }

  /// `trak`; the pictures lie one behind the other from an offset in the file.
  func bytes(id: UInt32, movie: MovieHeader, offset: Int64, hasLongOffsets: Bool) -> [UInt8] {
    let edits = edits(movie)
    let total = edits.reduce(0) { $0 &+ $1.duration }
    var builder = BoxBuilder()
    builder.box("trak") { builder in
      builder.hiddenTrackHeader(
        id: id, movie: movie, duration: total, width: pictures.map(\.width).max() ?? 0,
        height: pictures.map(\.height).max() ?? 0)
      builder.editList(edits)
      builder.box("mdia") { media(&$0, movie: movie, offset: offset, hasLongOffsets: hasLongOffsets) }
    }
    return builder.bytes
  }

  /// When pictures are on show in the movie's ticks, nil media for nothing.
  ///
  /// Times that the movie's ticks don't hold are rounded inwards, so that no picture reaches into the next chapter.
  private func edits(_ movie: MovieHeader) -> [(duration: UInt64, media: UInt64?)] {
    var edits: [(duration: UInt64, media: UInt64?)] = []
    var position: UInt64 = 0
    var media: UInt64 = 0
    for picture in pictures {
      let start = movie.ticks(picture.start, of: timescale, roundedUp: true)
      let end = movie.ticks(picture.start &+ UInt64(picture.duration), of: timescale, roundedUp: false)
      if start < end, start >= position {
        if start > position { edits.append((start - position, nil)) }
        edits.append((end - start, media))
        position = end
      }
      media += UInt64(picture.duration)
    }
    return edits
  }

  private func media(_ builder: inout BoxBuilder, movie: MovieHeader, offset: Int64, hasLongOffsets: Bool) {
    let duration = pictures.reduce(UInt64(0)) { $0 + UInt64($1.duration) }
    builder.mediaHeader(movie: movie, timescale: timescale, duration: duration, language: nil)
    builder.mediaHandler("vide")
    builder.box("minf") { builder in
      builder.fullBox("vmhd", version: 0, flags: 1) { builder, _ in builder.append(UInt64(0)) }
      builder.ownDataReference()
      builder.box("stbl") { table(&$0, offset: offset, hasLongOffsets: hasLongOffsets) }
    }
  }

  private struct Kind: Hashable {
    var codec: FourCharacterCode
    var width: UInt16
    var height: UInt16
  }

  private func table(_ builder: inout BoxBuilder, offset: Int64, hasLongOffsets: Bool) {
    var kinds: [Kind] = []
    // A chunk for each picture: chunks have samples of one description only.
    var chunks: [(first: UInt32, kind: UInt32)] = []
    for (index, picture) in pictures.enumerated() {
      let kind = Kind(codec: picture.codec, width: picture.width, height: picture.height)
      if !kinds.contains(kind) { kinds.append(kind) }
      let number = UInt32(clamping: (kinds.firstIndex(of: kind) ?? 0) + 1)
      if chunks.last?.kind != number { chunks.append((UInt32(clamping: index + 1), number)) }
    }
    builder.fullBox("stsd", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: kinds.count))
      for kind in kinds { Self.description(kind, &builder) }
    }
    builder.sampleDurations(pictures.map(\.duration))
    builder.fullBox("stsc", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: chunks.count))
      for chunk in chunks { for number in [chunk.first, 1, chunk.kind] { builder.append(number) } }
    }
    builder.sampleSizes(pictures.map(\.bytes.count))
    var position = offset
    let offsets = pictures.map { picture in
      defer { position += Int64(picture.bytes.count) }
      return position
    }
    builder.chunkOffsets(offsets, areLong: hasLongOffsets)
  }

  private static func description(_ kind: Kind, _ builder: inout BoxBuilder) {
    builder.box(kind.codec) { builder in
      builder.append([0, 0, 0, 0, 0, 0, 0, 1][...])
      builder.append([UInt8](repeating: 0, count: 16)[...])
      builder.append(kind.width)
      builder.append(kind.height)
      // 72 dots an inch both ways, one picture a sample, no name, 24 bits, no palette.
      builder.append(UInt32(72 << 16))
      builder.append(UInt32(72 << 16))
      builder.append(UInt32(0))
      builder.append(UInt16(1))
      builder.append([UInt8](repeating: 0, count: 32)[...])
      builder.append(UInt16(24))
      builder.append(UInt16.max)
    }
  }
}
