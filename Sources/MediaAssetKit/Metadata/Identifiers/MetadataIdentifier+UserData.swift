extension MetadataIdentifier {
  // MARK: QuickTime's user data

  /// Accessibility description.
  public static let quickTimeUserDataAccessibilityDescription = Self(rawValue: "udta/%A9ade")
  /// Album.
  public static let quickTimeUserDataAlbum = Self(rawValue: "udta/%A9alb")
  /// Arranger.
  public static let quickTimeUserDataArranger = Self(rawValue: "udta/%A9arg")
  /// Artist.
  public static let quickTimeUserDataArtist = Self(rawValue: "udta/%A9ART")
  /// Author.
  public static let quickTimeUserDataAuthor = Self(rawValue: "udta/%A9aut")
  /// Chapter.
  public static let quickTimeUserDataChapter = Self(rawValue: "udta/%A9chp")
  /// Comment.
  public static let quickTimeUserDataComment = Self(rawValue: "udta/%A9cmt")
  /// Composer.
  public static let quickTimeUserDataComposer = Self(rawValue: "udta/%A9com")
  /// Copyright.
  public static let quickTimeUserDataCopyright = Self(rawValue: "udta/%A9cpy")
  /// Creation date.
  public static let quickTimeUserDataCreationDate = Self(rawValue: "udta/%A9day")
  /// Credits.
  public static let quickTimeUserDataCredits = Self(rawValue: "udta/%A9src")
  /// Description.
  public static let quickTimeUserDataDescription = Self(rawValue: "udta/%A9des")
  /// Director.
  public static let quickTimeUserDataDirector = Self(rawValue: "udta/%A9dir")
  /// Disclaimer.
  public static let quickTimeUserDataDisclaimer = Self(rawValue: "udta/%A9dis")
  /// Encoded by.
  public static let quickTimeUserDataEncodedBy = Self(rawValue: "udta/%A9enc")
  /// Full name.
  public static let quickTimeUserDataFullName = Self(rawValue: "udta/%A9nam")
  /// Genre.
  public static let quickTimeUserDataGenre = Self(rawValue: "udta/%A9gen")
  /// Host computer.
  public static let quickTimeUserDataHostComputer = Self(rawValue: "udta/%A9hst")
  /// Information.
  public static let quickTimeUserDataInformation = Self(rawValue: "udta/%A9inf")
  /// Keywords.
  public static let quickTimeUserDataKeywords = Self(rawValue: "udta/%A9key")
  /// Location ISO6709.
  public static let quickTimeUserDataLocationISO6709 = Self(rawValue: "udta/%A9xyz")
  /// Make.
  public static let quickTimeUserDataMake = Self(rawValue: "udta/%A9mak")
  /// Model.
  public static let quickTimeUserDataModel = Self(rawValue: "udta/%A9mod")
  /// Original artist.
  public static let quickTimeUserDataOriginalArtist = Self(rawValue: "udta/%A9ope")
  /// Original format.
  public static let quickTimeUserDataOriginalFormat = Self(rawValue: "udta/%A9fmt")
  /// Original source.
  public static let quickTimeUserDataOriginalSource = Self(rawValue: "udta/%A9src")
  /// Performers.
  public static let quickTimeUserDataPerformers = Self(rawValue: "udta/%A9prf")
  /// Phonogram rights.
  public static let quickTimeUserDataPhonogramRights = Self(rawValue: "udta/%A9phg")
  /// Producer.
  public static let quickTimeUserDataProducer = Self(rawValue: "udta/%A9prd")
  /// Product.
  public static let quickTimeUserDataProduct = Self(rawValue: "udta/%A9PRD")
  /// Publisher.
  public static let quickTimeUserDataPublisher = Self(rawValue: "udta/%A9pub")
  /// Software.
  public static let quickTimeUserDataSoftware = Self(rawValue: "udta/%A9swr")
  /// Special playback requirements.
  public static let quickTimeUserDataSpecialPlaybackRequirements = Self(rawValue: "udta/%A9req")
  /// Tagged characteristic.
  public static let quickTimeUserDataTaggedCharacteristic = Self(rawValue: "udta/tagc")
  /// Track.
  public static let quickTimeUserDataTrack = Self(rawValue: "udta/%A9trk")
  /// Track name.
  public static let quickTimeUserDataTrackName = Self(rawValue: "udta/tnam")
  /// URL link.
  public static let quickTimeUserDataURLLink = Self(rawValue: "udta/%A9url")
  /// Warning.
  public static let quickTimeUserDataWarning = Self(rawValue: "udta/%A9wrn")
  /// Writer.
  public static let quickTimeUserDataWriter = Self(rawValue: "udta/%A9wrt")
}

extension MetadataIdentifier {
  // MARK: MP4 and 3GPP user data

  /// Album and track.
  public static let identifier3GPUserDataAlbumAndTrack = Self(rawValue: "uiso/albm")
  /// Author.
  public static let identifier3GPUserDataAuthor = Self(rawValue: "uiso/auth")
  /// Collection.
  public static let identifier3GPUserDataCollection = Self(rawValue: "uiso/coll")
  /// Copyright.
  public static let identifier3GPUserDataCopyright = Self(rawValue: "uiso/cprt")
  /// Description.
  public static let identifier3GPUserDataDescription = Self(rawValue: "uiso/dscp")
  /// Genre.
  public static let identifier3GPUserDataGenre = Self(rawValue: "uiso/gnre")
  /// Keyword list.
  public static let identifier3GPUserDataKeywordList = Self(rawValue: "uiso/kywd")
  /// Location.
  public static let identifier3GPUserDataLocation = Self(rawValue: "uiso/loci")
  /// Media classification.
  public static let identifier3GPUserDataMediaClassification = Self(rawValue: "uiso/clsf")
  /// Media rating.
  public static let identifier3GPUserDataMediaRating = Self(rawValue: "uiso/rtng")
  /// Performer.
  public static let identifier3GPUserDataPerformer = Self(rawValue: "uiso/perf")
  /// Recording year.
  public static let identifier3GPUserDataRecordingYear = Self(rawValue: "uiso/yrrc")
  /// Thumbnail.
  public static let identifier3GPUserDataThumbnail = Self(rawValue: "uiso/thmb")
  /// Title.
  public static let identifier3GPUserDataTitle = Self(rawValue: "uiso/titl")
  /// User rating.
  public static let identifier3GPUserDataUserRating = Self(rawValue: "uiso/urat")
  /// Accessibility description.
  public static let isoUserDataAccessibilityDescription = Self(rawValue: "uiso/ades")
  /// Copyright.
  public static let isoUserDataCopyright = Self(rawValue: "uiso/cprt")
  /// Date.
  public static let isoUserDataDate = Self(rawValue: "uiso/date")
  /// Tagged characteristic.
  public static let isoUserDataTaggedCharacteristic = Self(rawValue: "uiso/tagc")
}

extension MetadataIdentifier {
  // MARK: Shoutcast

  /// Stream title.
  public static let icyMetadataStreamTitle = Self(rawValue: "icy/StreamTitle")
  /// Stream URL.
  public static let icyMetadataStreamURL = Self(rawValue: "icy/StreamUrl")
}
