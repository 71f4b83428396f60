/// The lengths in the header of a fragmented file, whose boxes keep their size: they are filled in when the media is known.
package enum FragmentedEdits {
  /// Bytes that replace others of the movie header.
  package struct Patch: Hashable, Sendable {
    package var offset: Int
    package var bytes: [UInt8]
  }

  /// The length of the movie with its fragments where the header has a place for it, and of every edit of the tracks
  /// that have as many as `edit` says.
  package static func patches(_ movie: [UInt8], header: MovieHeader, _ edit: MovieEdit) -> [Patch] {
    var patches: [Patch] = []
    for track in header.tracks {
      guard let edits = edit.tracks[track.trackID]?.edits, edit.timescale == header.timescale else { continue }
      for container in BoxSequence(movie, in: track.range.lowerBound + 8..<track.range.upperBound)
      where container.type == "edts" {
        for list in BoxSequence(movie, in: container.payload) where list.type == "elst" {
          var reader = ByteReader(movie, in: list.payload)
          let isLong = reader.versionAndFlags().version == 1
          let count = Int(reader.uint32())
          let size = isLong ? 20 : 12
          guard count == edits.count, reader.remaining >= count * size else { continue }
          for (index, entry) in edits.enumerated() {
            var builder = BoxBuilder()
            builder.number(entry.segmentDuration, isLong: isLong)
            builder.number(UInt64(bitPattern: entry.mediaTime), isLong: isLong)
            patches.append(Patch(offset: reader.position + index * size, bytes: builder.bytes))
          }
        }
      }
    }
    if let length = edit.fragmentDuration { patches += lengthPatch(movie, length) }
    return patches
  }

  private static func lengthPatch(_ movie: [UInt8], _ length: UInt64) -> [Patch] {
    guard let box = BoxSequence(movie).first(where: { _ in true }) else { return [] }
    for extends in BoxSequence(movie, in: box.payload) where extends.type == "mvex" {
      for child in BoxSequence(movie, in: extends.payload) where child.type == "mehd" {
        var reader = ByteReader(movie, in: child.payload)
        let isLong = reader.versionAndFlags().version == 1
        guard reader.remaining >= (isLong ? 8 : 4) else { return [] }
        var builder = BoxBuilder()
        builder.number(length, isLong: isLong)
        return [Patch(offset: reader.position, bytes: builder.bytes)]
      }
    }
    return []
  }

  /// Moves the places of fragments that `mfra` lists, when what lies before them has grown or shrunk.
  ///
  /// - Parameter bytes: The box with its header; left as it is where it can't be read.
  package static func moveFragments(by distance: Int64, in bytes: inout [UInt8]) {
    guard let box = BoxSequence(bytes).first(where: { _ in true }), box.type == "mfra", !box.isCutOff else { return }
    let old = bytes
    for track in BoxSequence(old, in: box.payload) where track.type == "tfra" {
      var reader = ByteReader(old, in: track.payload)
      let isLong = reader.versionAndFlags().version == 1
      reader.skip(4)
      let sizes = reader.uint32()
      let numbers = (0..<3).reduce(0) { $0 + Int(sizes >> UInt32(2 * $1) & 3) + 1 }
      let count = Int(reader.uint32())
      let width = isLong ? 8 : 4
      guard reader.remaining / (2 * width + numbers) >= count else { continue }
      for _ in 0..<count {
        reader.skip(width)
        let place = reader.position
        let offset = isLong ? reader.int64() : Int64(reader.uint32())
        reader.skip(numbers)
        var builder = BoxBuilder()
        builder.number(UInt64(bitPattern: max(0, offset &+ distance)), isLong: isLong)
        bytes.replaceSubrange(place..<place + width, with: builder.bytes)
      }
    }
  }
}
