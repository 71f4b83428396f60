/// Rewrites `moov`: a new box of another size, whose chunk offsets follow the media data.
///
/// Pure: bytes in, bytes out. Boxes that it does not know are kept as they are.
package struct MovieRewriter: Sendable {
  private let bytes: [UInt8]
  private let edit: MovieEdit
  private var isWide = false

  /// - Parameter bytes: `moov` with its header.
  package init(_ bytes: [UInt8], edit: MovieEdit) {
    self.bytes = bytes
    self.edit = edit
  }

  /// The new `moov`.
  ///
  /// - Throws: `ISOMediaError` where the box is none or its header boxes are cut off.
  package mutating func rewritten() throws(ISOMediaError) -> [UInt8] {
    guard let movie = children(0..<bytes.count).first, movie.type == "moov", !movie.isCutOff else {
      throw ISOMediaError(.malformed, path: "moov", offset: 0)
    }
    // 64-bit offsets for all when one needs them: their size decides nothing, the header lies before or behind the data.
    isWide = try largestOffset(movie) > Int64(UInt32.max)
    var writer = BoxBuilder()
    try writer.box("moov") { writer throws(ISOMediaError) in
      for child in children(movie.payload) {
        switch child.type {
        case "mvhd": try writeMovieHeader(child, &writer)
        case "trak": try writeTrack(child, &writer)
        case "mvex" where edit.fragmentDuration != nil: writeExtends(child, &writer)
        default: writer.append(bytes[child.range])
        }
      }
    }
    return writer.bytes
  }

  private func children(_ range: Range<Int>) -> [Box] { Array(BoxSequence(bytes, in: range)) }

  private func child(_ type: FourCharacterCode, of range: Range<Int>) -> Box? {
    children(range).first { $0.type == type }
  }

  // MARK: Movie header

  private func writeMovieHeader(_ box: Box, _ writer: inout BoxBuilder) throws(ISOMediaError) {
    var reader = ByteReader(bytes, in: box.payload)
    let (version, flags) = reader.versionAndFlags()
    let creation = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    let modification = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    let timescale = reader.uint32()
    let old = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    guard !reader.isExhausted else { throw ISOMediaError(.truncated, path: "moov/mvhd", offset: box.range.lowerBound) }
    let lengths = edit.tracks.values.compactMap(\.duration)
    let duration = edit.leavesRoom ? 0 : edit.keepsDurations ? old : lengths.max() ?? old
    writer.fullBox("mvhd", version: Self.version(duration, creation, modification), flags: flags) { writer, isLong in
      writer.number(creation, isLong: isLong)
      writer.number(modification, isLong: isLong)
      writer.append(edit.timescale ?? timescale)
      writer.number(duration, isLong: isLong)
      // Rate, volume, ten reserved bytes, matrix.
      var rest = reader
      guard rest.remaining >= 52 else { return writer.append(bytes[rest.rest]) }
      let (rate, volume) = (rest.uint32(), rest.uint16())
      writer.append(edit.preferredRate.map { UInt32(bitPattern: $0) } ?? rate)
      writer.append(edit.preferredVolume.map { UInt16(bitPattern: $0) } ?? volume)
      writer.append(bytes[rest.range(10)])
      Self.write(rest.matrix(), or: edit.matrix, &writer)
      writer.append(bytes[rest.rest])
    }
  }

  private static func write(_ old: TransformMatrix, or new: TransformMatrix?, _ writer: inout BoxBuilder) {
    let matrix = new ?? old
    for number in [
      matrix.a, matrix.b, matrix.u, matrix.c, matrix.d, matrix.v, matrix.x, matrix.y, matrix.w,
    ] {
      writer.append(UInt32(bitPattern: number))
    }
  }

  private func writeExtends(_ box: Box, _ writer: inout BoxBuilder) {
    writer.box("mvex") { writer in
      writer.fullBox("mehd", version: 1, flags: 0) { writer, _ in writer.append(edit.fragmentDuration ?? 0) }
      for child in children(box.payload) where child.type != "mehd" { writer.append(bytes[child.range]) }
    }
  }

  private static func version(_ numbers: UInt64...) -> UInt8 { numbers.contains { $0 >= UInt64(UInt32.max) } ? 1 : 0 }

  // MARK: Tracks

  private func writeTrack(_ track: Box, _ writer: inout BoxBuilder) throws(ISOMediaError) {
    var id: UInt32 = 0
    if let header = child("tkhd", of: track.payload) {
      var reader = ByteReader(bytes, in: header.payload)
      let (version, _) = reader.versionAndFlags()
      reader.skip(version == 1 ? 16 : 8)
      id = reader.uint32()
    }
    let change = edit.tracks[id] ?? TrackEdit()
    try writer.box("trak") { writer throws(ISOMediaError) in
      var hasReferences = false
      for child in children(track.payload) {
        switch child.type {
        case "tkhd":
          try writeTrackHeader(child, change, &writer)
          if let edits = change.edits, !edits.isEmpty { writeEdits(edits, &writer) }
        case "edts" where change.edits != nil: break
        case "tref":
          hasReferences = true
          writer.box("tref") { writer in
            writer.append(bytes[child.payload])
            writeReferences(change.references, &writer)
          }
        case "mdia":
          if !hasReferences, !change.references.isEmpty {
            hasReferences = true
            writer.box("tref") { writeReferences(change.references, &$0) }
          }
          try writeMedia(child, change, &writer)
        default: writer.append(bytes[child.range])
        }
      }
    }
  }

  private func writeReferences(_ references: [TrackReference], _ writer: inout BoxBuilder) {
    for reference in references {
      writer.box(reference.type) { writer in for id in reference.trackIDs { writer.append(id) } }
    }
  }

  private func writeTrackHeader(_ box: Box, _ change: TrackEdit, _ writer: inout BoxBuilder) throws(ISOMediaError) {
    var reader = ByteReader(bytes, in: box.payload)
    let (version, oldFlags) = reader.versionAndFlags()
    let creation = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    let modification = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    let id = reader.uint32()
    let reserved = reader.uint32()
    let old = version == 1 ? reader.uint64() : UInt64(reader.uint32())
    let zeros = reader.uint64()
    let layer = reader.uint16()
    let group = reader.uint16()
    let volume = reader.uint16()
    guard !reader.isExhausted else {
      throw ISOMediaError(.truncated, path: "moov/trak/tkhd", offset: box.range.lowerBound)
    }
    var flags = oldFlags
    if let isEnabled = change.isEnabled { flags = isEnabled ? flags | 1 : flags & ~1 }
    let duration = edit.leavesRoom ? 0 : edit.keepsDurations ? old : change.duration ?? old
    writer.fullBox("tkhd", version: Self.version(duration, creation, modification), flags: flags) { writer, isLong in
      writer.number(creation, isLong: isLong)
      writer.number(modification, isLong: isLong)
      writer.append(id)
      writer.append(reserved)
      writer.number(duration, isLong: isLong)
      writer.append(zeros)
      writer.append(change.layer.map { UInt16(bitPattern: $0) } ?? layer)
      writer.append(change.alternateGroup.map { UInt16(bitPattern: $0) } ?? group)
      writer.append(change.volume.map { UInt16(bitPattern: $0) } ?? volume)
      var rest = reader
      guard rest.remaining >= 38 else { return writer.append(bytes[rest.rest]) }
      writer.append(rest.uint16())
      Self.write(rest.matrix(), or: change.matrix, &writer)
      writer.append(bytes[rest.rest])
    }
  }

  private func writeEdits(_ edits: [EditListEntry], _ writer: inout BoxBuilder) {
    let isLong =
      edit.leavesRoom || edits.contains { $0.segmentDuration > UInt64(UInt32.max) || $0.mediaTime > Int64(Int32.max) }
    writer.box("edts") { writer in
      writer.fullBox("elst", version: isLong ? 1 : 0, flags: 0) { writer, isLong in
        writer.append(UInt32(clamping: edits.count))
        for entry in edits {
          writer.number(entry.segmentDuration, isLong: isLong)
          if isLong {
            writer.append(UInt64(bitPattern: entry.mediaTime))
          } else {
            writer.append(UInt32(bitPattern: Int32(clamping: entry.mediaTime)))
          }
          writer.append(UInt32(bitPattern: entry.mediaRate))
        }
      }
    }
  }

  // MARK: Media

  private func writeMedia(_ media: Box, _ change: TrackEdit, _ writer: inout BoxBuilder) throws(ISOMediaError) {
    try writer.box("mdia") { writer throws(ISOMediaError) in
      for child in children(media.payload) {
        switch child.type {
        case "elng" where change.extendedLanguage != nil: break
        case "hdlr": writeHandler(child, change.metadata, &writer)
        case "mdhd": writer.append(mediaHeader(child, change)[...])
        case "minf":
          try writer.box("minf") { writer throws(ISOMediaError) in
            for part in children(child.payload) {
              if part.type == "stbl" {
                try writeSampleTable(part, change, &writer)
              } else if part.type == "dinf", let reference = edit.dataReference {
                writer.box("dinf") { writer in
                  writer.fullBox("dref", version: 0, flags: 0) { writer, _ in
                    writer.append(UInt32(1))
                    writer.append(reference[...])
                  }
                }
              } else if part.type == "gmhd", let metadata = change.metadata {
                writeBaseHeader(part, metadata, &writer)
              } else {
                writer.append(bytes[part.range])
              }
            }
          }
        default: writer.append(bytes[child.range])
        }
        if child.type == "mdhd", let tag = change.extendedLanguage {
          writer.fullBox("elng", version: 0, flags: 0) { writer, _ in
            writer.append(Array(tag.utf8)[...])
            writer.append([0][...])
          }
        }
      }
    }
  }

  /// The track's own name for what it holds, in place of that of the kind of metadata that libav took it for.
  private func writeHandler(_ box: Box, _ metadata: MetadataTrackEdit?, _ writer: inout BoxBuilder) {
    guard let metadata, box.payload.count >= 24 else { return writer.append(bytes[box.range]) }
    let name = Array("Timed Metadata".utf8)
    writer.box("hdlr") { writer in
      writer.append(bytes[box.payload.lowerBound..<box.payload.lowerBound + 24])
      writer.append((metadata.isQuickTime ? [UInt8(name.count)] + name : name + [0])[...])
    }
  }

  /// `gmhd` with `gmin` alone in QuickTime files; `nmhd`, of which MPEG-4 says that it suits metadata.
  private func writeBaseHeader(_ box: Box, _ metadata: MetadataTrackEdit, _ writer: inout BoxBuilder) {
    guard metadata.isQuickTime else { return writer.fullBox("nmhd", version: 0, flags: 0) { _, _ in } }
    writer.box("gmhd") { writer in
      for part in children(box.payload) where part.type == "gmin" { writer.append(bytes[part.range]) }
    }
  }

  private func mediaHeader(_ box: Box, _ change: TrackEdit) -> [UInt8] {
    var header = Array(bytes[box.range])
    let version = box.payload.isEmpty ? 0 : bytes[box.payload.lowerBound]
    // Behind the times: two of 32 or 64 bits, the timescale and the length.
    let place = box.payload.lowerBound - box.range.lowerBound + (version == 1 ? 32 : 20)
    guard let letters = change.language?.utf8, letters.count == 3, letters.allSatisfy({ (97...122).contains($0) }),
      place + 2 <= header.count
    else { return header }
    let packed = letters.reduce(UInt16(0)) { $0 << 5 | UInt16($1 - 0x60) }
    (header[place], header[place + 1]) = (UInt8(packed >> 8), UInt8(packed & 0xFF))
    return header
  }

  private func writeSampleTable(_ table: Box, _ change: TrackEdit, _ writer: inout BoxBuilder) throws(ISOMediaError) {
    try writer.box("stbl") { writer throws(ISOMediaError) in
      for child in children(table.payload) {
        switch child.type {
        case "stco", "co64":
          let offsets = try offsets(child)
          writer.fullBox(isWide ? "co64" : "stco", version: 0, flags: 0) { writer, _ in
            writer.append(UInt32(clamping: offsets.count))
            for offset in offsets {
              let moved = offset &+ edit.mediaDataShift
              if isWide {
                writer.append(UInt64(bitPattern: moved))
              } else {
                writer.append(UInt32(truncatingIfNeeded: moved))
              }
            }
          }
        case "stsd" where change.metadata != nil:
          writer.fullBox("stsd", version: 0, flags: 0) { writer, _ in
            writer.append(UInt32(1))
            writer.append((change.metadata?.entry ?? [])[...])
          }
        case "stsd" where change.cleanAperture != nil: writeDescriptions(child, change, &writer)
        default: writer.append(bytes[child.range])
        }
      }
    }
  }

  /// Puts `clap` behind what the first picture description holds.
  private func writeDescriptions(_ box: Box, _ change: TrackEdit, _ writer: inout BoxBuilder) {
    writer.box("stsd") { writer in
      let head = box.payload.lowerBound..<min(box.payload.lowerBound + 8, box.payload.upperBound)
      writer.append(bytes[head])
      for (index, entry) in children(head.upperBound..<box.payload.upperBound).enumerated() {
        guard index == 0, let aperture = change.cleanAperture else {
          writer.append(bytes[entry.range])
          continue
        }
        writer.box(entry.type) { writer in
          // 78 bytes of a visual sample entry come before its boxes.
          let boxes = min(entry.payload.lowerBound + 78, entry.payload.upperBound)
          writer.append(bytes[entry.payload.lowerBound..<boxes])
          for part in children(boxes..<entry.payload.upperBound) where part.type != "clap" {
            writer.append(bytes[part.range])
          }
          writer.box("clap") { writer in for number in aperture { writer.append(number) } }
        }
      }
    }
  }

  private func offsets(_ box: Box) throws(ISOMediaError) -> [Int64] {
    var reader = ByteReader(bytes, in: box.payload)
    _ = reader.versionAndFlags()
    let count = Int(reader.uint32())
    let size = box.type == "co64" ? 8 : 4
    guard reader.remaining / size >= count else {
      throw ISOMediaError(.truncated, path: "moov/trak/mdia/minf/stbl/stco", offset: box.range.lowerBound)
    }
    return (0..<count).map { _ in size == 8 ? reader.int64() : Int64(reader.uint32()) }
  }

  private func largestOffset(_ movie: Box) throws(ISOMediaError) -> Int64 {
    var largest: Int64 = 0
    for track in children(movie.payload) where track.type == "trak" {
      guard let media = child("mdia", of: track.payload), let information = child("minf", of: media.payload),
        let table = child("stbl", of: information.payload)
      else { continue }
      for box in children(table.payload) where box.type == "stco" || box.type == "co64" {
        for offset in try offsets(box) {
          largest = max(largest, offset.addingReportingOverflow(edit.mediaDataShift).partialValue)
        }
      }
    }
    return largest
  }
}
