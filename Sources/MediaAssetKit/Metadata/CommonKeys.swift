/// Which common key a native one means.
///
/// AVFoundation's table, and beyond it what services ask for: iTunes' `©day`, `desc` and `gnre`, ID3's `TYER`, Vorbis
/// comments, Matroska, RIFF and APE, none of which AVFoundation counts as common metadata.
enum CommonKeys {
  static func key(of key: String, in space: MetadataKeySpace) -> MetadataCommonKey? {
    switch space {
    case .iTunes: iTunes[key]
    case .id3: id3[key]
    case .quickTimeMetadata:
      key.hasPrefix("com.apple.quicktime.")
        ? quickTime[String(key.dropFirst("com.apple.quicktime.".count))] : plain(key)
    case .quickTimeUserData: userData[key]
    case .isoUserData: iso[key]
    case .vorbisComment: vorbis[key.uppercased()]
    case .matroska: matroska[key.uppercased()]
    case .riffInfo: riff[key]
    case .broadcastWave: broadcastWave[key]
    case .ape: ape[key.lowercased()]
    case .audioFile: audioFile[key.lowercased()] ?? container[key.lowercased()]
    case .container: container[key.lowercased()]
    case .icy: key == "StreamTitle" ? .title : key == "icy-genre" ? .type : nil
    default: nil
    }
  }

  /// Names that FFmpeg makes keys of; of these `creation_time` repeats the header, which is asked itself.
  private static func plain(_ key: String) -> MetadataCommonKey? {
    key == "creation_time" ? nil : container[key.lowercased()]
  }

  private static let iTunes: [String: MetadataCommonKey] = [
    "©nam": .title, "©ART": .artist, "©alb": .albumName, "covr": .artwork, "©wrt": .creator, "©aut": .author,
    "desc": .description, "©des": .description, "©pub": .publisher, "©gen": .type, "gnre": .type, "cprt": .copyrights,
    "©cpy": .copyrights, "©day": .creationDate, "©too": .software,
  ]

  private static let id3: [String: MetadataCommonKey] = [
    "TIT2": .title, "TPE1": .artist, "TALB": .albumName, "APIC": .artwork, "TCOM": .creator, "TEXT": .author,
    "TIT1": .subject, "TIT3": .description, "TPUB": .publisher, "TOPE": .contributor, "TCON": .type,
    "TCOP": .copyrights,
    "TDRC": .creationDate, "TDEN": .creationDate, "TYER": .creationDate, "TSSE": .software, "TLAN": .language,
    "UFID": .identifier,
  ]

  private static let quickTime: [String: MetadataCommonKey] = [
    "title": .title, "artist": .artist, "album": .albumName, "artwork": .artwork, "author": .author,
    "description": .description, "information": .description, "publisher": .publisher, "genre": .type,
    "copyright": .copyrights, "creationdate": .creationDate, "software": .software, "make": .make, "model": .model,
    "location.ISO6709": .location, "content.identifier": .identifier,
    "accessibility.description": .accessibilityDescription,
  ]

  private static let userData: [String: MetadataCommonKey] = [
    "©nam": .title, "©ART": .artist, "©alb": .albumName, "©com": .creator, "©aut": .author, "©des": .description,
    "©inf": .description, "©pub": .publisher, "©gen": .type, "©cpy": .copyrights, "©day": .creationDate,
    "©swr": .software, "©mak": .make, "©mod": .model, "©xyz": .location, "©ade": .accessibilityDescription,
  ]

  private static let iso: [String: MetadataCommonKey] = [
    "titl": .title, "perf": .artist, "albm": .albumName, "thmb": .artwork, "auth": .author, "dscp": .description,
    "gnre": .type, "cprt": .copyrights, "yrrc": .creationDate, "date": .creationDate, "manu": .make, "modl": .model,
    "loci": .location, "ades": .accessibilityDescription,
  ]

  private static let vorbis: [String: MetadataCommonKey] = [
    "TITLE": .title, "ARTIST": .artist, "ALBUM": .albumName, "METADATA_BLOCK_PICTURE": .artwork, "COVERART": .artwork,
    "COMPOSER": .creator, "LYRICIST": .author, "DESCRIPTION": .description, "PUBLISHER": .publisher,
    "ORGANIZATION": .publisher, "GENRE": .type, "COPYRIGHT": .copyrights, "DATE": .creationDate, "ENCODER": .software,
    "LANGUAGE": .language, "LOCATION": .location, "SUBJECT": .subject, "MAKE": .make, "MODEL": .model,
  ]

  private static let matroska: [String: MetadataCommonKey] = [
    "TITLE": .title, "ARTIST": .artist, "LEAD_PERFORMER": .artist, "ALBUM": .albumName, "ATTACHMENT": .artwork,
    "COMPOSER": .creator, "LYRICIST": .author, "SUBJECT": .subject, "DESCRIPTION": .description,
    "SUMMARY": .description,
    "PUBLISHER": .publisher, "GENRE": .type, "COPYRIGHT": .copyrights, "DATEUTC": .creationDate, "DATE": .creationDate,
    "DATE_RELEASED": .creationDate, "DATE_RECORDED": .creationDate, "ENCODER": .software, "WRITINGAPP": .software,
    "RECORDING_LOCATION": .location, "LOCATION": .location, "LANGUAGE": .language, "MAKE": .make, "MODEL": .model,
  ]

  private static let riff: [String: MetadataCommonKey] = [
    "INAM": .title, "TITL": .title, "IART": .artist, "IPRD": .albumName, "IPRT": .albumName, "IALB": .albumName,
    "IWRI": .author, "IMUS": .creator, "ISBJ": .subject, "IPUB": .publisher, "IGNR": .type, "ICOP": .copyrights,
    "ICRD": .creationDate, "IDIT": .creationDate, "ISFT": .software, "ILNG": .language, "ISRC": .source,
    "IMED": .format,
  ]

  private static let broadcastWave: [String: MetadataCommonKey] = [
    "Description": .description, "Originator": .creator, "OriginatorReference": .identifier,
    "OriginationDateTime": .creationDate,
  ]

  private static let ape: [String: MetadataCommonKey] = [
    "title": .title, "artist": .artist, "album": .albumName, "composer": .creator, "lyricist": .author,
    "publisher": .publisher, "genre": .type, "copyright": .copyrights, "year": .creationDate,
    "record date": .creationDate, "language": .language, "cover art (front)": .artwork,
  ]

  private static let audioFile: [String: MetadataCommonKey] = [
    "name": .title, "auth": .author, "(c) ": .copyrights, "encoding application": .software,
    "recorded date": .creationDate,
    "year": .creationDate, "lyricist": .author, "comments": .description,
  ]

  /// FFmpeg's own names, in lower case.
  private static let container: [String: MetadataCommonKey] = [
    "title": .title, "artist": .artist, "album": .albumName, "composer": .creator, "author": .author,
    "description": .description, "publisher": .publisher, "genre": .type, "copyright": .copyrights,
    "date": .creationDate, "creation_time": .creationDate, "creationdate": .creationDate, "encoder": .software,
    "language": .language, "make": .make, "model": .model, "location": .location,
  ]
}
