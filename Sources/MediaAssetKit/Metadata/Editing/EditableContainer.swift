/// A container whose metadata is edited in its own way.
enum EditableContainer: Sendable, Hashable {
  case movie(isQuickTime: Bool, is3GPP: Bool)
  /// Sound with an ID3 tag before it.
  case id3
  case flac
  case ogg
  case wave
  case avi
  case aiff
  case matroska(isWebM: Bool)

  init?(_ header: ContainerHeader) {
    if header.movie != nil {
      let is3GPP = header.fileType == .mobile3GPP || header.fileType == .mobile3GPP2
      self = .movie(isQuickTime: header.container == "mov", is3GPP: is3GPP)
      return
    }
    switch header.container {
    case "mp3", "adts": self = .id3
    case "flac": self = .flac
    case "ogg": self = .ogg
    case "wav": self = .wave
    case "avi": self = .avi
    case "aiff": self = .aiff
    case "matroska", "webm": self = .matroska(isWebM: header.container == "webm")
    default: return nil
    }
  }

  /// The key spaces that can be written, the preferred one first.
  var keySpaces: [MetadataKeySpace] {
    switch self {
    case .movie(true, _): [.quickTimeMetadata, .quickTimeUserData, .iTunes, .iTunesFreeform, .isoUserData]
    case .movie(_, true): [.isoUserData, .iTunes, .quickTimeUserData, .quickTimeMetadata, .iTunesFreeform]
    case .movie: [.iTunes, .quickTimeUserData, .quickTimeMetadata, .iTunesFreeform, .isoUserData]
    case .id3: [.id3]
    case .flac, .ogg: [.vorbisComment]
    case .wave: [.riffInfo, .id3]
    case .avi: [.riffInfo]
    case .aiff: [.id3, .audioFile]
    case .matroska: [.matroska]
    }
  }

  /// The parts of the edited file; nil where its form leaves no room for the changes, and it has to be made anew.
  func pieces(
    _ plan: inout MetadataPlan, header: ContainerHeader, _ source: inout SourceBytes
  ) throws -> [FilePiece]? {
    switch self {
    case .movie(let isQuickTime, _):
      try MovieFileEditor(isQuickTime: isQuickTime, header: header).pieces(&plan, &source)
    case .id3: try ID3FileEditor.pieces(&plan, &source)
    case .flac: try FLACEditor.pieces(&plan, &source)
    case .ogg: try OggEditor.pieces(&plan, &source)
    case .wave: try ChunkFileEditor.riff(&plan, &source, keepsPlaces: false)
    case .avi: try ChunkFileEditor.riff(&plan, &source, keepsPlaces: true)
    case .aiff: try ChunkFileEditor.aiff(&plan, &source)
    case .matroska(let isWebM): try MatroskaEditor(isWebM: isWebM).pieces(&plan, &source)
    }
  }
}
