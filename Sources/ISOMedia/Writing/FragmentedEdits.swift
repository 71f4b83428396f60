/// The edit lists of a fragmented file, whose boxes keep their size: only lengths are filled in.
package enum FragmentedEdits {
  /// Bytes that replace others of the movie header.
  package struct Patch: Hashable, Sendable {
    package var offset: Int
    package var bytes: [UInt8]
  }

  /// Lengths for the last edit of every track that has an edit list, in the movie's ticks of the header itself.
  package static func patches(_ movie: [UInt8], header: MovieHeader, _ edit: MovieEdit) -> [Patch] {
    var patches: [Patch] = []
    for track in header.tracks {
      guard let edits = edit.tracks[track.trackID]?.edits, let length = edits.last?.segmentDuration,
        let scale = edit.timescale, scale > 0
      else { continue }
      for container in BoxSequence(movie, in: track.range.lowerBound + 8..<track.range.upperBound)
      where container.type == "edts" {
        for list in BoxSequence(movie, in: container.payload) where list.type == "elst" {
          var reader = ByteReader(movie, in: list.payload)
          let version = reader.versionAndFlags().version
          let count = Int(reader.uint32())
          let size = version == 1 ? 20 : 12
          guard count > 0, reader.remaining >= count * size else { continue }
          let ticks = length * UInt64(header.timescale) / UInt64(scale)
          var builder = BoxBuilder()
          builder.number(ticks, isLong: version == 1)
          patches.append(Patch(offset: reader.position + (count - 1) * size, bytes: builder.bytes))
        }
      }
    }
    return patches
  }
}
