extension MetadataIdentifier {
  // MARK: iTunes

  /// Account kind.
  public static let iTunesMetadataAccountKind = Self(rawValue: "itsk/akID")
  /// Acknowledgement.
  public static let iTunesMetadataAcknowledgement = Self(rawValue: "itsk/%A9cak")
  /// Album.
  public static let iTunesMetadataAlbum = Self(rawValue: "itsk/%A9alb")
  /// Album artist.
  public static let iTunesMetadataAlbumArtist = Self(rawValue: "itsk/aART")
  /// Apple ID.
  public static let iTunesMetadataAppleID = Self(rawValue: "itsk/apID")
  /// Arranger.
  public static let iTunesMetadataArranger = Self(rawValue: "itsk/%A9arg")
  /// Art director.
  public static let iTunesMetadataArtDirector = Self(rawValue: "itsk/%A9ard")
  /// Artist.
  public static let iTunesMetadataArtist = Self(rawValue: "itsk/%A9ART")
  /// Artist ID.
  public static let iTunesMetadataArtistID = Self(rawValue: "itsk/atID")
  /// Author.
  public static let iTunesMetadataAuthor = Self(rawValue: "itsk/%A9aut")
  /// Beats per min.
  public static let iTunesMetadataBeatsPerMin = Self(rawValue: "itsk/tmpo")
  /// Composer.
  public static let iTunesMetadataComposer = Self(rawValue: "itsk/%A9wrt")
  /// Conductor.
  public static let iTunesMetadataConductor = Self(rawValue: "itsk/%A9con")
  /// Content rating.
  public static let iTunesMetadataContentRating = Self(rawValue: "itsk/rtng")
  /// Copyright.
  public static let iTunesMetadataCopyright = Self(rawValue: "itsk/cprt")
  /// Cover art.
  public static let iTunesMetadataCoverArt = Self(rawValue: "itsk/covr")
  /// Credits.
  public static let iTunesMetadataCredits = Self(rawValue: "itsk/%A9src")
  /// Description.
  public static let iTunesMetadataDescription = Self(rawValue: "itsk/%A9des")
  /// Director.
  public static let iTunesMetadataDirector = Self(rawValue: "itsk/%A9dir")
  /// Disc compilation.
  public static let iTunesMetadataDiscCompilation = Self(rawValue: "itsk/cpil")
  /// Disc number.
  public static let iTunesMetadataDiscNumber = Self(rawValue: "itsk/disk")
  /// EQ.
  public static let iTunesMetadataEQ = Self(rawValue: "itsk/%A9equ")
  /// Encoded by.
  public static let iTunesMetadataEncodedBy = Self(rawValue: "itsk/%A9enc")
  /// Encoding tool.
  public static let iTunesMetadataEncodingTool = Self(rawValue: "itsk/%A9too")
  /// Exec producer.
  public static let iTunesMetadataExecProducer = Self(rawValue: "itsk/%A9xpd")
  /// Genre ID.
  public static let iTunesMetadataGenreID = Self(rawValue: "itsk/geID")
  /// Grouping.
  public static let iTunesMetadataGrouping = Self(rawValue: "itsk/grup")
  /// Liner notes.
  public static let iTunesMetadataLinerNotes = Self(rawValue: "itsk/%A9lnt")
  /// Lyrics.
  public static let iTunesMetadataLyrics = Self(rawValue: "itsk/%A9lyr")
  /// Online extras.
  public static let iTunesMetadataOnlineExtras = Self(rawValue: "itsk/%A9url")
  /// Original artist.
  public static let iTunesMetadataOriginalArtist = Self(rawValue: "itsk/%A9ope")
  /// Performer.
  public static let iTunesMetadataPerformer = Self(rawValue: "itsk/%A9prf")
  /// Phonogram rights.
  public static let iTunesMetadataPhonogramRights = Self(rawValue: "itsk/%A9phg")
  /// Playlist ID.
  public static let iTunesMetadataPlaylistID = Self(rawValue: "itsk/plID")
  /// Predefined genre.
  public static let iTunesMetadataPredefinedGenre = Self(rawValue: "itsk/gnre")
  /// Producer.
  public static let iTunesMetadataProducer = Self(rawValue: "itsk/%A9prd")
  /// Publisher.
  public static let iTunesMetadataPublisher = Self(rawValue: "itsk/%A9pub")
  /// Record company.
  public static let iTunesMetadataRecordCompany = Self(rawValue: "itsk/%A9mak")
  /// Release date.
  public static let iTunesMetadataReleaseDate = Self(rawValue: "itsk/%A9day")
  /// Soloist.
  public static let iTunesMetadataSoloist = Self(rawValue: "itsk/%A9sol")
  /// Song ID.
  public static let iTunesMetadataSongID = Self(rawValue: "itsk/cnID")
  /// Song name.
  public static let iTunesMetadataSongName = Self(rawValue: "itsk/%A9nam")
  /// Sound engineer.
  public static let iTunesMetadataSoundEngineer = Self(rawValue: "itsk/%A9sne")
  /// Thanks.
  public static let iTunesMetadataThanks = Self(rawValue: "itsk/%A9thx")
  /// Track number.
  public static let iTunesMetadataTrackNumber = Self(rawValue: "itsk/trkn")
  /// Track sub title.
  public static let iTunesMetadataTrackSubTitle = Self(rawValue: "itsk/%A9st3")
  /// User comment.
  public static let iTunesMetadataUserComment = Self(rawValue: "itsk/%A9cmt")
  /// User genre.
  public static let iTunesMetadataUserGenre = Self(rawValue: "itsk/%A9gen")
}
