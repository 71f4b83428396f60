/// How much of a file that is being written is complete: whole boxes, and of fragments only those whose media is there too.
package struct GrowingFile: Hashable, Sendable {
  /// Where what is complete ends.
  package var end: Int64 = 0
  /// Whether a movie header lies before ``end``.
  package var hasMovie = false
  /// Complete fragments.
  package var fragmentCount = 0
  /// Whether the list of all fragments (`mfra`), which is written last, is there.
  package var isFinished = false

  /// Fragments of a day of film, with what lies between them.
  package static let maximumBoxes = 1_000_000

  /// Walks the boxes of a file without reading media: one read of 16 bytes for each.
  package static func survey(
    size: Int64, read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) rethrows -> GrowingFile {
    var file = GrowingFile()
    var position: Int64 = 0
    var isInFragment = false
    for _ in 0..<maximumBoxes where position < size {
      let head = try read(position, 16)
      guard head.count >= 8 else { break }
      var length = Int64(head.bigEndianUInt32(at: 0))
      let type = FourCharacterCode(rawValue: head.bigEndianUInt32(at: 4))
      if length == 1, head.count >= 16 { length = Int64(clamping: head.bigEndianUInt64(at: 8)) }
      // A box without a size runs to the end of the file, wherever that is; one of media is still being written.
      if length == 0, type != .mdat { length = size - position }
      guard length >= 8, length <= size - position else { break }
      position += length
      switch type {
      case .moov: file.hasMovie = true
      case .moof: isInFragment = true
      case .mdat where isInFragment:
        isInFragment = false
        file.fragmentCount += 1
      case .mfra: file.isFinished = true
      default: break
      }
      // What stands between a fragment's header and its media belongs to it.
      if !isInFragment { file.end = position }
    }
    return file
  }
}
