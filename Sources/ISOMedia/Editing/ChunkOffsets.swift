/// Moves what a file's headers say about where media lies.
package enum ChunkOffsets {
  /// Adds `delta` to every offset from `start` on in `stco`, `co64` and `saio` of a movie header; the box keeps its size.
  ///
  /// Tracks whose media lies in other files stay as they are.
  /// - Returns: nil where an offset no longer fits into its 32 bits, or a box is cut off.
  package static func shifted(_ moov: [UInt8], by delta: Int64, from start: Int64) -> [UInt8]? {
    guard delta != 0 else { return moov }
    var result = moov
    for movie in BoxSequence(moov) where movie.type == "moov" {
      for track in BoxSequence(moov, in: movie.payload) where track.type == "trak" {
        for media in BoxSequence(moov, in: track.payload) where media.type == "mdia" {
          for information in BoxSequence(moov, in: media.payload) where information.type == "minf" {
            guard !isElsewhere(moov, information) else {
              // Some samples of the track may be here all the same.
              guard shiftOwn(track, moov, &result, delta, start) else { return nil }
              continue
            }
            for table in BoxSequence(moov, in: information.payload) where table.type == "stbl" {
              for box in BoxSequence(moov, in: table.payload) {
                guard shift(box, moov, &result, delta, start) else { return nil }
              }
            }
          }
        }
      }
    }
    return result
  }

  /// Adds `delta` to the base offsets of a fragment (`moof`); the box keeps its size.
  package static func shiftedFragment(_ moof: [UInt8], by delta: Int64, from start: Int64) -> [UInt8] {
    var result = moof
    for fragment in BoxSequence(moof) where fragment.type == "moof" {
      for track in BoxSequence(moof, in: fragment.payload) where track.type == "traf" {
        for box in BoxSequence(moof, in: track.payload) {
          if box.type == "saio" { _ = shift(box, moof, &result, delta, start) }
          guard box.type == "tfhd" else { continue }
          var reader = ByteReader(moof, in: box.payload)
          let flags = reader.versionAndFlags().flags
          reader.skip(4)
          guard flags & 1 != 0, reader.remaining >= 8 else { continue }
          move(reader.position, size: 8, moof, &result, delta, start)
        }
      }
    }
    return result
  }

  /// Adds `delta` to the places of fragments in `mfra`; nil where one no longer fits into its 32 bits.
  package static func shiftedRandomAccess(_ mfra: [UInt8], by delta: Int64, from start: Int64) -> [UInt8]? {
    var result = mfra
    for outer in BoxSequence(mfra) where outer.type == "mfra" {
      for box in BoxSequence(mfra, in: outer.payload) where box.type == "tfra" {
        var reader = ByteReader(mfra, in: box.payload)
        let version = reader.versionAndFlags().version
        reader.skip(4)
        let sizes = reader.uint32()
        let count = Int(reader.uint32())
        // The lengths, less one, of the numbers of `traf`, `trun` and sample.
        var rest = 3
        for shift in [4, 2, 0] as [UInt32] { rest += Int(sizes >> shift & 3) }
        let size = version == 1 ? 8 : 4
        guard reader.remaining / (2 * size + rest) >= count else { continue }
        for _ in 0..<count {
          reader.skip(size)
          guard move(reader.position, size: size, mfra, &result, delta, start) else { return nil }
          reader.skip(size + rest)
        }
      }
    }
    return result
  }

  /// Whether a track's media lies in another file.
  private static func isElsewhere(_ bytes: [UInt8], _ information: Box) -> Bool {
    for box in BoxSequence(bytes, in: information.payload) where box.type == "dinf" {
      for list in BoxSequence(bytes, in: box.payload) where list.type == "dref" {
        let start = min(list.payload.lowerBound + 8, list.payload.upperBound)
        let entries = BoxSequence(bytes, in: start..<list.payload.upperBound)
        // Bit 0 of the flags says "this file".
        for entry in entries where entry.payload.count >= 4 && bytes[entry.payload.lowerBound + 3] & 1 == 0 {
          return true
        }
      }
    }
    return false
  }

  /// Moves the chunks of a track that are in this file, of one that has others elsewhere.
  private static func shiftOwn(
    _ track: Box, _ moov: [UInt8], _ result: inout [UInt8], _ delta: Int64, _ start: Int64
  ) -> Bool {
    guard let movie = try? MovieHeader.parse(moov), let header = movie.tracks.first(where: { $0.range == track.range })
    else { return true }
    return moveChunks(of: header, moov, &result, from: start) { entry in
      let index = Int(entry.dataReferenceIndex) - 1
      let isElsewhere =
        header.dataReferences.indices.contains(index) && !header.dataReferences[index].isSelfContained
      return isElsewhere ? 0 : delta
    }
  }

  /// Moves the chunks of a track, each by as much as its samples' description asks for; false where one doesn't fit.
  static func moveChunks(
    of track: TrackHeader, _ bytes: [UInt8], _ result: inout [UInt8], from start: Int64,
    by delta: (SampleDescription) -> Int64
  ) -> Bool {
    let deltas = track.sampleDescriptions.map(delta)
    guard deltas.contains(where: { $0 != 0 }), let offsets = track.samples.chunkOffsets else { return true }
    let size = track.samples.hasWideChunkOffsets ? 8 : 4
    var descriptions = ChunkDescriptions(track.samples, bytes)
    for chunk in 0..<offsets.entryCount {
      let index = descriptions.description(ofChunk: chunk)
      guard deltas.indices.contains(index), deltas[index] != 0 else { continue }
      let place = offsets.range.lowerBound + chunk * size
      guard move(place, size: size, bytes, &result, deltas[index], start) else { return false }
    }
    return true
  }

  private static func shift(
    _ box: Box, _ bytes: [UInt8], _ result: inout [UInt8], _ delta: Int64, _ start: Int64
  ) -> Bool {
    guard ["stco", "co64", "saio"].contains(box.type) else { return true }
    var reader = ByteReader(bytes, in: box.payload)
    let (version, flags) = reader.versionAndFlags()
    if box.type == "saio", flags & 1 != 0 { reader.skip(8) }
    let count = Int(reader.uint32())
    let size = box.type == "co64" || box.type == "saio" && version == 1 ? 8 : 4
    guard reader.remaining / size >= count else { return false }
    for index in 0..<count {
      guard move(reader.position + index * size, size: size, bytes, &result, delta, start) else { return false }
    }
    return true
  }

  @discardableResult
  private static func move(
    _ place: Int, size: Int, _ bytes: [UInt8], _ result: inout [UInt8], _ delta: Int64, _ start: Int64
  ) -> Bool {
    let old =
      size == 8
      ? Int64(bitPattern: bytes.bigEndianUInt64(at: place)) : Int64(bytes.bigEndianUInt32(at: place))
    guard old >= start else { return true }
    let (new, overflow) = old.addingReportingOverflow(delta)
    guard !overflow, new >= 0, size == 8 || new <= Int64(UInt32.max) else { return false }
    result.replaceSubrange(place..<place + size, with: new.bigEndianBytes(size))
    return true
  }
}
