import ISOMedia

/// Rewrites the few boxes of a movie header that this FFmpeg refuses or does not know, so that it opens the rest.
///
/// Every change keeps the sizes, so that no offset moves.
enum MovieMask {
  /// The header with what FFmpeg refuses hidden, and the tracks that it then can't decode; nil without such a box.
  ///
  /// FFmpeg before 7.1 fails as a whole on an AudioSpecificConfig of xHE-AAC (object type 42).
  static func hidingRefused(_ movie: MovieHeader, in bytes: [UInt8]) -> (
    bytes: [UInt8], tracks: Set<UInt32>
  )? {
    var bytes = bytes
    var tracks: Set<UInt32> = []
    for track in movie.tracks {
      for description in track.sampleDescriptions {
        guard let range = description.payload(of: "esds"),
          let descriptor = ElementaryStreamDescriptor(bytes, in: range),
          let configuration = descriptor.decoderConfiguration,
          AudioSpecificConfiguration(bytes, in: configuration)?.objectType == 42
        else { continue }
        if hide(&bytes, "esds", at: range) { tracks.insert(track.trackID) }
      }
    }
    return tracks.isEmpty ? nil : (bytes, tracks)
  }

  /// The header with PCM of ISO/IEC 23003-5 under the names that every FFmpeg knows; nil without any.
  static func renamingPCM(_ movie: MovieHeader) -> [UInt8]? {
    var bytes: [UInt8]?
    for description in movie.tracks.flatMap(\.sampleDescriptions) {
      guard let name = name(of: description) else { continue }
      var edited = bytes ?? movie.bytes
      rename(&edited, description.range.lowerBound + 4, to: name)
      // Later FFmpegs read this box, and refuse it in an entry of another name.
      if let range = description.payload(of: .pcmC) { _ = hide(&edited, "pcmC", at: range) }
      bytes = edited
    }
    return bytes
  }

  private static func name(of description: SampleDescription) -> FourCharacterCode? {
    guard description.protection == nil, let pcm = description.audio?.pcm else { return nil }
    return switch (description.format.description, pcm.sampleSize, pcm.isLittleEndian) {
    // Microsoft's tag 3 behind "ms": IEEE floats, little-endian.
    case ("fpcm", 32, true), ("fpcm", 64, true): FourCharacterCode(rawValue: 0x6D73_0003)
    case ("fpcm", 32, false): "fl32"
    case ("fpcm", 64, false): "fl64"
    case ("ipcm", 16, true): "sowt"
    case ("ipcm", 16, false): "twos"
    // Tag 1: integers, little-endian, of the entry's own size.
    case ("ipcm", 24, true), ("ipcm", 32, true): FourCharacterCode(rawValue: 0x6D73_0001)
    case ("ipcm", 24, false): "in24"
    case ("ipcm", 32, false): "in32"
    default: nil
    }
  }

  /// Makes a box one that readers skip, its payload being at `payload`.
  private static func hide(
    _ bytes: inout [UInt8], _ type: FourCharacterCode, at payload: Range<Int>
  ) -> Bool {
    // Behind a 64-bit size the type would be elsewhere; nobody writes such a box of some bytes.
    let start = payload.lowerBound - 4
    guard start >= 4, payload.lowerBound <= bytes.count,
      bytes[start..<start + 4].elementsEqual(type.description.utf8)
    else { return false }
    rename(&bytes, start, to: "free")
    return true
  }

  private static func rename(_ bytes: inout [UInt8], _ offset: Int, to name: FourCharacterCode) {
    guard offset >= 0, offset + 4 <= bytes.count else { return }
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: name.rawValue >> UInt32(24 - 8 * index))
    }
  }
}
