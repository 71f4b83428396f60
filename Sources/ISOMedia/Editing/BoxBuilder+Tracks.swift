/// The boxes that tracks of chapters have in common, be they titles or pictures.
extension BoxBuilder {
  /// `tkhd` of a track that is part of the movie, but not shown: players find it by its reference.
  mutating func hiddenTrackHeader(
    id: UInt32, movie: MovieHeader, duration: UInt64, alternateGroup: Int16 = 0, width: UInt16 = 0, height: UInt16 = 0
  ) {
    fullBox("tkhd", version: Self.version(for: duration), flags: 2) { builder, isLong in
      builder.number(movie.modificationTime, isLong: isLong)
      builder.number(movie.modificationTime, isLong: isLong)
      builder.append(id)
      builder.append(UInt32(0))
      builder.number(duration, isLong: isLong)
      builder.append(UInt64(0))
      builder.append(UInt16(0))
      builder.append(UInt16(bitPattern: alternateGroup))
      builder.append(UInt32(0))
      for number in [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000] as [UInt32] { builder.append(number) }
      builder.append(UInt32(width) << 16)
      builder.append(UInt32(height) << 16)
    }
  }

  mutating func mediaHeader(movie: MovieHeader, timescale: UInt32, duration: UInt64, language: String?) {
    fullBox("mdhd", version: Self.version(for: duration), flags: 0) { builder, isLong in
      builder.number(movie.modificationTime, isLong: isLong)
      builder.number(movie.modificationTime, isLong: isLong)
      builder.append(timescale)
      builder.number(duration, isLong: isLong)
      builder.append(LanguageCode.packed(language))
      builder.append(UInt16(0))
    }
  }

  mutating func mediaHandler(_ type: FourCharacterCode) {
    box("hdlr") { builder in
      builder.append(UInt32(0))
      // QuickTime's media handler; MP4 has zero here.
      builder.append(FourCharacterCode(stringLiteral: "mhlr").rawValue)
      builder.append(type.rawValue)
      for _ in 0..<3 { builder.append(UInt32(0)) }
      builder.append(UInt8(0))
    }
  }

  /// `dinf` of media that is in the same file.
  mutating func ownDataReference() {
    box("dinf") { builder in
      builder.fullBox("dref", version: 0, flags: 0) { builder, _ in
        builder.append(UInt32(1))
        builder.fullBox("url ", version: 0, flags: 1) { _, _ in }
      }
    }
  }

  /// `elst`; nil media shows nothing.
  mutating func editList(_ edits: [(duration: UInt64, media: UInt64?)]) {
    box("edts") { builder in
      builder.fullBox("elst", version: 1, flags: 0) { builder, _ in
        builder.append(UInt32(clamping: edits.count))
        for edit in edits {
          builder.append(edit.duration)
          builder.append(edit.media ?? .max)
          builder.append(UInt32(0x10000))
        }
      }
    }
  }

  /// `stts` of samples that each last as long as is said.
  mutating func sampleDurations(_ durations: [UInt32]) {
    fullBox("stts", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: durations.count))
      for duration in durations {
        builder.append(UInt32(1))
        builder.append(duration)
      }
    }
  }

  mutating func sampleSizes(_ sizes: [Int]) {
    fullBox("stsz", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(0))
      builder.append(UInt32(clamping: sizes.count))
      for size in sizes { builder.append(UInt32(clamping: size)) }
    }
  }

  /// `stco` or `co64`.
  mutating func chunkOffsets(_ offsets: [Int64], areLong: Bool) {
    fullBox(areLong ? "co64" : "stco", version: 0, flags: 0) { builder, _ in
      builder.append(UInt32(clamping: offsets.count))
      for offset in offsets {
        if areLong { builder.append(UInt64(clamping: offset)) } else { builder.append(UInt32(clamping: offset)) }
      }
    }
  }

  private static func version(for duration: UInt64) -> UInt8 { duration > UInt64(UInt32.max) - 1 ? 1 : 0 }
}

extension MovieHeader {
  /// Ticks of a track in the movie's own; 0 where they don't fit.
  func ticks(_ ticks: UInt64, of timescale: UInt32, roundedUp: Bool) -> UInt64 {
    let divisor = UInt64(max(1, timescale))
    let (high, low) = ticks.multipliedFullWidth(by: UInt64(max(1, self.timescale)))
    guard high < divisor else { return 0 }
    let (quotient, remainder) = divisor.dividingFullWidth((high, low))
    return quotient &+ (roundedUp && remainder > 0 ? 1 : 0)
  }
}
