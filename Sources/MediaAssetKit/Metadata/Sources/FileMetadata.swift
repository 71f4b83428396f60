import ISOMedia
import LibAV

/// Everything that a container says beside its media.
struct FileMetadata: Sendable {
  var items: [MetadataItem] = []
  /// By track.
  var trackItems: [Int32: [MetadataItem]] = [:]
  /// The one to take where no language is asked for comes first.
  var chapters: [ChapterList] = []
  /// What the header states as the moment of its making, beside the items.
  var creationDate: MetadataDate?

  mutating func append(_ other: FileMetadata) {
    items += other.items
    trackItems.merge(other.trackItems) { $0 + $1 }
    chapters += other.chapters
    creationDate = creationDate ?? other.creationDate
  }
}

extension FileMetadata {
  /// Reads what a container says, whatever its kind; damage is stepped over, what the source throws is thrown on.
  static func read(_ header: ContainerHeader, _ source: inout SourceBytes) throws -> FileMetadata {
    if let movie = header.movie {
      return try ISOMetadata(movie: movie, header: header).read(&source)
    }
    var found = FileMetadata()
    var position: Int64 = 0
    // More than one tag may stand before the media.
    for _ in 0..<8 {
      guard let size = ID3Tag.size(try source.bytes(at: position, count: 10)) else { break }
      if let tag = ID3Tag(try source.bytes(at: position, count: size)) { found.append(tag) }
      position += Int64(size)
    }
    switch header.container {
    case "flac": found.append(try XiphMetadata.flac(&source, at: position))
    case "ogg": found.append(try XiphMetadata.ogg(&source))
    case "matroska", "webm":
      var reader = MatroskaMetadata(tracks: header.tracks)
      try reader.read(&source)
      found.append(reader.found)
    case "wav", "w64", "avi": found.append(try ChunkMetadata.riff(&source))
    case "aiff": found.append(try ChunkMetadata.aiff(&source))
    case "caf": found.append(try ChunkMetadata.caf(&source))
    case "mp3", "adts", "ape", "wv", "mpc", "mpc8", "tta", "tak":
      found.append(try TrailingTags.read(&source, hasID3: !found.items.isEmpty))
    default: break
    }
    if found.items.isEmpty { found.items = named(header.metadata) }
    if found.creationDate == nil, let text = header.metadata["creation_time"] {
      found.creationDate = MetadataDate(text)
    }
    return found
  }

  /// Items of containers that are read by FFmpeg's names alone.
  private static func named(_ metadata: [String: String]) -> [MetadataItem] {
    let technical: Set<String> = ["major_brand", "minor_version", "compatible_brands", "duration", "creation_time"]
    return metadata.filter { !technical.contains($0.key.lowercased()) }
      .sorted { $0.key < $1.key }
      .map { MetadataItem(keySpace: .container, key: $0.key, value: .string($0.value), dataType: .utf8) }
  }

  mutating func append(_ tag: ID3Tag) {
    items += ID3Items(tag).items
    let chapters = tag.chapters()
    if !chapters.isEmpty { self.chapters.append(ChapterList(language: nil, chapters: chapters)) }
  }
}
