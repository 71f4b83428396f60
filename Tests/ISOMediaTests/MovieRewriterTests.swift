import Testing

@testable import ISOMedia

/// A movie header written anew: what was asked for changes, everything else stays.
@Suite struct MovieRewriterTests {
  private static func box(_ type: FourCharacterCode, _ payload: [UInt8]) -> [UInt8] {
    var builder = BoxBuilder()
    builder.box(type) { $0.append(payload[...]) }
    return builder.bytes
  }

  private static func words(_ numbers: [UInt32]) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  }

  /// One track of two chunks, by the letter of ISO/IEC 14496-12.
  private static func movie(offsets: [UInt32]) -> [UInt8] {
    let matrix: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
    let header = box("mvhd", words([0, 1, 2, 1000, 2000, 0x10000, 0x100_0000, 0, 0] + matrix + [0, 0, 0, 0, 0, 0, 2]))
    let trackHeader = box("tkhd", words([3, 1, 2, 1, 0, 2000, 0, 0, 0, 0] + matrix + [64 << 16, 48 << 16]))
    let mediaHeader = box("mdhd", words([0, 1, 2, 48_000, 96_000, 0x55C4_0000]))
    let table = box(
      "stbl", box("stco", words([0, UInt32(offsets.count)] + offsets)) + box("stsz", words([0, 10, 2])))
    let media = box("mdia", mediaHeader + box("minf", table))
    return box("moov", header + box("trak", trackHeader + box("edts", box("elst", words([0, 0]))) + media))
  }

  private static func rewritten(_ bytes: [UInt8], _ edit: MovieEdit) throws -> MovieHeader {
    var rewriter = MovieRewriter(bytes, edit: edit)
    return try MovieHeader.parse(try rewriter.rewritten())
  }

  @Test func editsLengthsAndOffsets() throws {
    var track = TrackEdit()
    track.edits = [
      EditListEntry(segmentDuration: 500, mediaTime: -1, mediaRate: 0x10000),
      EditListEntry(segmentDuration: 1500, mediaTime: 1024, mediaRate: 0x10000),
    ]
    track.alternateGroup = 7
    track.isEnabled = false
    track.volume = 0x80
    track.language = "deu"
    track.extendedLanguage = "de-AT"
    track.references = [TrackReference(type: "cdsc", trackIDs: [4, 5])]
    var edit = MovieEdit()
    edit.tracks[1] = track
    edit.timescale = 600
    edit.mediaDataShift = 100
    let movie = try Self.rewritten(Self.movie(offsets: [40, 50]), edit)
    // The tables that this movie lacks are missed as before, and nothing else.
    let before = try MovieHeader.parse(Self.movie(offsets: [40, 50]))
    #expect(movie.problems.map(\.path) == before.problems.map(\.path))
    #expect(movie.timescale == 600)
    #expect(movie.duration == 2000)
    let result = try #require(movie.tracks.first)
    #expect(result.edits == track.edits)
    #expect(result.duration == 2000)
    #expect(result.alternateGroup == 7)
    #expect(!result.flags.contains(.enabled) && result.flags.contains(.inMovie))
    #expect(result.volume == 0x80)
    #expect(result.language == "deu")
    #expect(result.extendedLanguage == "de-AT")
    #expect(result.references == track.references)
    #expect(result.width == 64 << 16 && result.mediaTimescale == 48_000 && result.mediaDuration == 96_000)
    let offsets = try #require(result.samples.chunkOffsets)
    #expect(Array(movie.bytes[offsets.range]) == Self.words([140, 150]))
  }

  /// Nothing asked for: nothing changes but what has to.
  @Test func unchanged() throws {
    let bytes = Self.movie(offsets: [40, 50])
    var rewriter = MovieRewriter(bytes, edit: MovieEdit())
    #expect(try rewriter.rewritten() == bytes)
  }

  /// Long movies and far offsets take 64 bits.
  @Test func wideNumbers() throws {
    var track = TrackEdit()
    track.edits = [EditListEntry(segmentDuration: 1 << 40, mediaTime: 0, mediaRate: 0x10000)]
    var edit = MovieEdit()
    edit.tracks[1] = track
    edit.mediaDataShift = 1 << 33
    let movie = try Self.rewritten(Self.movie(offsets: [40, 50]), edit)
    #expect(movie.duration == 1 << 40)
    #expect(movie.tracks.first?.duration == 1 << 40)
    #expect(movie.tracks.first?.edits == track.edits)
    let offsets = try #require(movie.tracks.first?.samples.chunkOffsets)
    #expect(Array(movie.bytes[offsets.range]) == Self.words([2, 40, 2, 50]))
  }

  /// Whatever the bytes are, an answer or an error.
  @Test func damagedBytes() throws {
    let bytes = Self.movie(offsets: [40, 50])
    var edit = MovieEdit()
    edit.tracks[1] = TrackEdit()
    edit.mediaDataShift = .max
    for end in 0...bytes.count {
      var rewriter = MovieRewriter(Array(bytes[..<end]), edit: edit)
      _ = try? rewriter.rewritten()
    }
    for place in bytes.indices {
      for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
        var damaged = bytes
        damaged[place] = value
        var rewriter = MovieRewriter(damaged, edit: edit)
        _ = try? rewriter.rewritten()
      }
    }
  }
}
