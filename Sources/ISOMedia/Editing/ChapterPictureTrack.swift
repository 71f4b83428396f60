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
    let edits = edits(movie.timescale)
    let total = edits.reduce(0) { $0 &+ $1.duration }
    let largest = (width: pictures.map(\.width).max() ?? 0, height: pictures.map(\.height).max() ?? 0)
    var builder = BoxBuilder()
    builder.box("trak") { builder in
      // Part of the movie, but not shown: players find it by its reference.
      builder.fullBox("tkhd", version: total > UInt64(UInt32.max) - 1 ? 1 : 0, flags: 2) { builder, isLong in
        builder.number(movie.modificationTime, isLong: isLong)
        builder.number(movie.modificationTime, isLong: isLong)
        builder.append(id)
        builder.append(UInt32(0))
        builder.number(total, isLong: isLong)
        for _ in 0..<2 { builder.append(UInt64(0)) }
        for number in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] as [UInt32] { builder.append(number) }
        builder.append(UInt32(largest.width) << 16)
        builder.append(UInt32(largest.height) << 16)
      }
      builder.box("edts") { builder in
        builder.fullBox("elst", version: 1, flags: 0) { builder, _ in
          builder.append(UInt32(clamping: edits.count))
          for edit in edits {
            builder.append(edit.duration)
            builder.append(edit.media ?? .max)
            builder.append(UInt32(0x10000))
          }
        }
      }
      builder.box("mdia") { media(&$0, movie: movie, offset: offset, hasLongOffsets: hasLongOffsets) }
    }
    return builder.bytes
  }

  /// When pictures are on show in the movie's ticks, nil media for nothing.
  ///
  /// Times that the movie's ticks don't hold are rounded inwards, so that no picture reaches into the next chapter.
  private func edits(_ movieTimescale: UInt32) -> [(duration: UInt64, media: UInt64?)] {
    let (to, from) = (UInt64(max(1, movieTimescale)), UInt64(max(1, timescale)))
    func ticks(_ time: UInt64, up: Bool) -> UInt64 {
      let (high, low) = time.multipliedFullWidth(by: to)
      guard high < from else { return 0 }
      let (quotient, remainder) = from.dividingFullWidth((high, low))
      return quotient &+ (up && remainder > 0 ? 1 : 0)
    }
    var edits: [(duration: UInt64, media: UInt64?)] = []
    var position: UInt64 = 0
    var media: UInt64 = 0
    for picture in pictures {
      let start = ticks(picture.start, up: true)
      let end = ticks(picture.start &+ UInt64(picture.duration), up: false)
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
    builder.fullBox("mdhd", version: duration > UInt64(UInt32.max) - 1 ? 1 : 0, flags: 0) { builder, isLong in
      builder.number(movie.modificationTime, isLong: isLong)
      builder.number(movie.modificationTime, isLong: isLong)
      builder.append(timescale)
      builder.number(duration, isLong: isLong)
      builder.append(LanguageCode.packed(nil))
      builder.append(UInt16(0))
    }
    builder.box("hdlr") { builder in
      builder.append(UInt32(0))
      // QuickTime's media handler; MP4 has zero here.
      builder.append(FourCharacterCode(stringLiteral: "mhlr").rawValue)
      builder.append(FourCharacterCode(stringLiteral: "vide").rawValue)
      for _ in 0..<3 { builder.append(UInt32(0)) }
      builder.append(UInt8(0))
    }
    builder.box("minf") { builder in
      builder.fullBox("vmhd", version: 0, flags: 1) { builder, _ in builder.append(UInt64(0)) }
      builder.box("dinf") { builder in
        builder.fullBox("dref", version: 0, flags: 0) { builder, _ in
          builder.append(UInt32(1))
          builder.fullBox("url ", version: 0, flags: 1) { _, _ in }
        }
      }
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
    builder.fullBox("stts", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: pictures.count))
      for picture in pictures {
        builder.append(UInt32(1))
        builder.append(picture.duration)
      }
    }
    builder.fullBox("stsc", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: chunks.count))
      for chunk in chunks { for number in [chunk.first, 1, chunk.kind] { builder.append(number) } }
    }
    builder.fullBox("stsz", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(0))
      builder.append(UInt32(clamping: pictures.count))
      for picture in pictures { builder.append(UInt32(clamping: picture.bytes.count)) }
    }
    builder.fullBox(hasLongOffsets ? "co64" : "stco", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: pictures.count))
      var position = offset
      for picture in pictures {
        builder.number(UInt64(clamping: position), isLong: hasLongOffsets)
        position += Int64(picture.bytes.count)
      }
    }
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

/// What the first bytes of a picture say of it.
private struct PictureHead {
  var codec: FourCharacterCode
  var width: UInt16
  var height: UInt16

  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      reader.skip(16)
      guard let width = UInt16(exactly: reader.uint32()), let height = UInt16(exactly: reader.uint32()),
        width > 0, height > 0
      else { return nil }
      (codec, self.width, self.height) = ("png ", width, height)
      return
    }
    guard reader.uint16() == 0xFFD8 else { return nil }
    while reader.remaining >= 4 {
      guard reader.uint8() == 0xFF else { return nil }
      var marker = reader.uint8()
      while marker == 0xFF { marker = reader.uint8() }
      // Marks without a segment.
      if marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
      let length = Int(reader.uint16())
      guard length >= 2, marker != 0xDA, marker != 0xD9 else { return nil }
      // Starts of frames, but for the tables that have numbers among them.
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker) {
        reader.skip(1)
        (height, width) = (reader.uint16(), reader.uint16())
        guard !reader.isExhausted, width > 0, height > 0 else { return nil }
        codec = "jpeg"
        return
      }
      reader.skip(length - 2)
    }
    return nil
  }
}
