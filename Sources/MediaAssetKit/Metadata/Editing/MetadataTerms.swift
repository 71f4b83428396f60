/// What keys of different key spaces have in common, for writing: the common keys, and names of ours beyond them
/// (`albumArtist`, `trackNumber`, …).
enum MetadataTerms {
  struct Term: Sendable {
    var name: String
    /// By key space; where a space has no key for it, none.
    var keys: [MetadataKeySpace: String]
    /// FFmpeg's name, for what its muxers write.
    var ffmpeg: String?
  }

  /// A term by its name, or by a name that people use for it.
  static func term(_ name: String) -> Term? {
    byName[name] ?? aliases[name.lowercased()].flatMap { byName[$0] } ?? byLowercase[name.lowercased()]
  }

  /// What a native key means; nil for what has no equal elsewhere.
  static func term(of key: String, in space: MetadataKeySpace) -> Term? {
    if space == .common { return byName[key] }
    if let common = CommonKeys.key(of: key, in: space) { return byName[common.rawValue] }
    let key = [.vorbisComment, .matroska].contains(space) ? key.uppercased() : key
    return byKey[space]?[key]
  }

  /// The names of all terms.
  static var names: [String] { all.map(\.name) }

  private static let spaces: [MetadataKeySpace] = [
    .iTunes, .id3, .quickTimeMetadata, .quickTimeUserData, .isoUserData, .vorbisComment, .matroska, .riffInfo,
  ]

  private static let all: [Term] = table.split(separator: "\n").map { line in
    let cells = line.split(separator: "|").map(String.init)
    var keys: [MetadataKeySpace: String] = [:]
    for (space, cell) in zip(spaces, cells.dropFirst()) where cell != "-" {
      keys[space] = space == .quickTimeMetadata ? "com.apple.quicktime." + cell : cell
    }
    let ffmpeg = cells.count > spaces.count + 1 && cells[spaces.count + 1] != "-" ? cells[spaces.count + 1] : nil
    return Term(name: cells[0], keys: keys, ffmpeg: ffmpeg)
  }

  private static let byName = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  private static let byLowercase = Dictionary(
    all.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
  private static let byKey: [MetadataKeySpace: [String: Term]] = {
    var found: [MetadataKeySpace: [String: Term]] = [:]
    for term in all {
      for (space, key) in term.keys where found[space]?[key] == nil { found[space, default: [:]][key] = term }
    }
    return found
  }()

  private static let aliases: [String: String] = [
    "album": "albumName", "genre": "type", "date": "creationDate", "year": "creationDate", "composer": "creator",
    "copyright": "copyrights", "encoder": "software", "track": "trackNumber", "disc": "discNumber",
    "disk": "discNumber", "album_artist": "albumArtist", "albumartist": "albumArtist", "cover": "artwork",
    "bpm": "beatsPerMinute", "encoded_by": "encodedBy", "lyricist": "author", "creation_time": "creationDate",
    "sort_name": "sortTitle", "sort_artist": "sortArtist", "sort_album": "sortAlbum",
    "sort_album_artist": "sortAlbumArtist", "sort_composer": "sortComposer", "season_number": "season",
    "episode_sort": "episode", "episode_id": "episodeID",
  ]

  /// Term, then iTunes, ID3, QuickTime's keys, user data of QuickTime and of ISO, Vorbis comments, Matroska, RIFF, FFmpeg.
  private static let table = """
    title|©nam|TIT2|title|©nam|titl|TITLE|TITLE|INAM|title
    artist|©ART|TPE1|artist|©ART|perf|ARTIST|ARTIST|IART|artist
    albumName|©alb|TALB|album|©alb|albm|ALBUM|ALBUM|IPRD|album
    artwork|covr|APIC|artwork|-|thmb|METADATA_BLOCK_PICTURE|ATTACHMENT|-|-
    creator|©wrt|TCOM|-|©com|-|COMPOSER|COMPOSER|IMUS|composer
    author|©aut|TEXT|author|©aut|auth|LYRICIST|LYRICIST|IWRI|author
    subject|-|TIT1|-|-|-|SUBJECT|SUBJECT|ISBJ|subject
    description|desc|TIT3|description|©des|dscp|DESCRIPTION|DESCRIPTION|-|description
    publisher|©pub|TPUB|publisher|©pub|-|PUBLISHER|PUBLISHER|IPUB|publisher
    contributor|-|TOPE|-|-|-|-|-|-|-
    type|©gen|TCON|genre|©gen|gnre|GENRE|GENRE|IGNR|genre
    copyrights|cprt|TCOP|copyright|©cpy|cprt|COPYRIGHT|COPYRIGHT|ICOP|copyright
    creationDate|©day|TDRC|creationdate|©day|yrrc|DATE|DATE|ICRD|date
    software|©too|TSSE|software|©swr|-|ENCODER|ENCODER|ISFT|encoder
    language|-|TLAN|-|-|-|LANGUAGE|LANGUAGE|ILNG|language
    make|-|-|make|©mak|manu|MAKE|MAKE|-|make
    model|-|-|model|©mod|modl|MODEL|MODEL|-|model
    location|-|-|location.ISO6709|©xyz|loci|LOCATION|RECORDING_LOCATION|-|location
    identifier|-|UFID|content.identifier|-|-|-|-|-|-
    source|-|-|-|-|-|-|-|ISRC|-
    format|-|-|-|-|-|-|-|IMED|-
    accessibilityDescription|-|-|accessibility.description|©ade|ades|-|-|-|-
    albumArtist|aART|TPE2|-|-|-|ALBUMARTIST|ALBUM_ARTIST|-|album_artist
    comment|©cmt|COMM|comment|©cmt|-|COMMENT|COMMENT|ICMT|comment
    lyrics|©lyr|USLT|-|-|-|LYRICS|LYRICS|-|lyrics
    grouping|©grp|TIT1|-|-|-|GROUPING|GROUPING|-|grouping
    trackNumber|trkn|TRCK|-|©trk|-|TRACKNUMBER|PART_NUMBER|-|track
    discNumber|disk|TPOS|-|-|-|DISCNUMBER|DISC|-|disc
    beatsPerMinute|tmpo|TBPM|-|-|-|BPM|BPM|-|-
    compilation|cpil|TCMP|-|-|-|COMPILATION|COMPILATION|-|compilation
    encodedBy|©enc|TENC|encodedby|©enc|-|ENCODED-BY|ENCODED_BY|ITCH|encoded_by
    director|©dir|-|director|©dir|-|DIRECTOR|DIRECTOR|-|director
    producer|©prd|-|producer|©prd|-|PRODUCER|PRODUCER|-|producer
    performer|©prf|-|performer|©prf|-|PERFORMER|LEAD_PERFORMER|-|-
    conductor|©con|TPE3|-|-|-|CONDUCTOR|CONDUCTOR|-|-
    keywords|keyw|-|keywords|©key|kywd|KEYWORDS|KEYWORDS|IKEY|keywords
    synopsis|ldes|-|-|-|-|SYNOPSIS|SYNOPSIS|-|synopsis
    show|tvsh|-|-|-|-|SHOW|SHOW|-|show
    season|tvsn|-|-|-|-|SEASON|SEASON|-|season_number
    episode|tves|-|-|-|-|EPISODE|EPISODE|-|episode_sort
    episodeID|tven|-|-|-|-|-|EPISODE_ID|-|episode_id
    network|tvnn|-|-|-|-|-|NETWORK|-|network
    sortTitle|sonm|TSOT|-|-|-|TITLESORT|-|-|-
    sortArtist|soar|TSOP|-|-|-|ARTISTSORT|-|-|-
    sortAlbum|soal|TSOA|-|-|-|ALBUMSORT|-|-|-
    sortAlbumArtist|soaa|TSO2|-|-|-|ALBUMARTISTSORT|-|-|-
    sortComposer|soco|TSOC|-|-|-|COMPOSERSORT|-|-|-
    isrc|-|TSRC|-|-|-|ISRC|ISRC|-|-
    mood|-|TMOO|-|-|-|MOOD|MOOD|-|-
    phonogramRights|©phg|TPRO|phonogramrights|©phg|-|-|-|-|-
    """
}
