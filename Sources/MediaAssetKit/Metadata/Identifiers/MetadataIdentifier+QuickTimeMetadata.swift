extension MetadataIdentifier {
  // MARK: QuickTime's keyed metadata

  /// Accessibility description.
  public static let quickTimeMetadataAccessibilityDescription = Self(
    rawValue: "mdta/com.apple.quicktime.accessibility.description")
  /// Album.
  public static let quickTimeMetadataAlbum = Self(rawValue: "mdta/com.apple.quicktime.album")
  /// Arranger.
  public static let quickTimeMetadataArranger = Self(rawValue: "mdta/com.apple.quicktime.arranger")
  /// Artist.
  public static let quickTimeMetadataArtist = Self(rawValue: "mdta/com.apple.quicktime.artist")
  /// Artwork.
  public static let quickTimeMetadataArtwork = Self(rawValue: "mdta/com.apple.quicktime.artwork")
  /// Author.
  public static let quickTimeMetadataAuthor = Self(rawValue: "mdta/com.apple.quicktime.author")
  /// Auto live photo.
  public static let quickTimeMetadataAutoLivePhoto = Self(rawValue: "mdta/com.apple.quicktime.live-photo.auto")
  /// Camera frame readout time.
  public static let quickTimeMetadataCameraFrameReadoutTime = Self(
    rawValue: "mdta/com.apple.quicktime.camera.framereadouttimeinmicroseconds")
  /// Camera identifier.
  public static let quickTimeMetadataCameraIdentifier = Self(rawValue: "mdta/com.apple.quicktime.camera.identifier")
  /// Collection user.
  public static let quickTimeMetadataCollectionUser = Self(rawValue: "mdta/com.apple.quicktime.collection.user")
  /// Comment.
  public static let quickTimeMetadataComment = Self(rawValue: "mdta/com.apple.quicktime.comment")
  /// Composer.
  public static let quickTimeMetadataComposer = Self(rawValue: "mdta/com.apple.quicktime.composer")
  /// Content identifier.
  public static let quickTimeMetadataContentIdentifier = Self(rawValue: "mdta/com.apple.quicktime.content.identifier")
  /// Copyright.
  public static let quickTimeMetadataCopyright = Self(rawValue: "mdta/com.apple.quicktime.copyright")
  /// Creation date.
  public static let quickTimeMetadataCreationDate = Self(rawValue: "mdta/com.apple.quicktime.creationdate")
  /// Credits.
  public static let quickTimeMetadataCredits = Self(rawValue: "mdta/com.apple.quicktime.credits")
  /// Description.
  public static let quickTimeMetadataDescription = Self(rawValue: "mdta/com.apple.quicktime.description")
  /// Detected cat body.
  public static let quickTimeMetadataDetectedCatBody = Self(rawValue: "mdta/com.apple.quicktime.detected-cat-body")
  /// Detected dog body.
  public static let quickTimeMetadataDetectedDogBody = Self(rawValue: "mdta/com.apple.quicktime.detected-dog-body")
  /// Detected face.
  public static let quickTimeMetadataDetectedFace = Self(rawValue: "mdta/com.apple.quicktime.detected-face")
  /// Detected human body.
  public static let quickTimeMetadataDetectedHumanBody = Self(rawValue: "mdta/com.apple.quicktime.detected-human-body")
  /// Detected salient object.
  public static let quickTimeMetadataDetectedSalientObject = Self(
    rawValue: "mdta/com.apple.quicktime.detected-salient-object")
  /// Direction facing.
  public static let quickTimeMetadataDirectionFacing = Self(rawValue: "mdta/com.apple.quicktime.direction.facing")
  /// Direction motion.
  public static let quickTimeMetadataDirectionMotion = Self(rawValue: "mdta/com.apple.quicktime.direction.motion")
  /// Director.
  public static let quickTimeMetadataDirector = Self(rawValue: "mdta/com.apple.quicktime.director")
  /// Display name.
  public static let quickTimeMetadataDisplayName = Self(rawValue: "mdta/com.apple.quicktime.displayname")
  /// Encoded by.
  public static let quickTimeMetadataEncodedBy = Self(rawValue: "mdta/com.apple.quicktime.encodedby")
  /// Genre.
  public static let quickTimeMetadataGenre = Self(rawValue: "mdta/com.apple.quicktime.genre")
  /// Information.
  public static let quickTimeMetadataInformation = Self(rawValue: "mdta/com.apple.quicktime.information")
  /// Is montage.
  public static let quickTimeMetadataIsMontage = Self(rawValue: "mdta/com.apple.quicktime.is-montage")
  /// Keywords.
  public static let quickTimeMetadataKeywords = Self(rawValue: "mdta/com.apple.quicktime.keywords")
  /// Live photo vitality score.
  public static let quickTimeMetadataLivePhotoVitalityScore = Self(
    rawValue: "mdta/com.apple.quicktime.live-photo.vitality-score")
  /// Live photo vitality scoring version.
  public static let quickTimeMetadataLivePhotoVitalityScoringVersion = Self(
    rawValue: "mdta/com.apple.quicktime.live-photo.vitality-scoring-version")
  /// Location body.
  public static let quickTimeMetadataLocationBody = Self(rawValue: "mdta/com.apple.quicktime.location.body")
  /// Location date.
  public static let quickTimeMetadataLocationDate = Self(rawValue: "mdta/com.apple.quicktime.location.date")
  /// Location horizontal accuracy in meters.
  public static let quickTimeMetadataLocationHorizontalAccuracyInMeters = Self(
    rawValue: "mdta/com.apple.quicktime.location.accuracy.horizontal")
  /// Location ISO6709.
  public static let quickTimeMetadataLocationISO6709 = Self(rawValue: "mdta/com.apple.quicktime.location.ISO6709")
  /// Location name.
  public static let quickTimeMetadataLocationName = Self(rawValue: "mdta/com.apple.quicktime.location.name")
  /// Location note.
  public static let quickTimeMetadataLocationNote = Self(rawValue: "mdta/com.apple.quicktime.location.note")
  /// Location role.
  public static let quickTimeMetadataLocationRole = Self(rawValue: "mdta/com.apple.quicktime.location.role")
  /// Make.
  public static let quickTimeMetadataMake = Self(rawValue: "mdta/com.apple.quicktime.make")
  /// Model.
  public static let quickTimeMetadataModel = Self(rawValue: "mdta/com.apple.quicktime.model")
  /// Original artist.
  public static let quickTimeMetadataOriginalArtist = Self(rawValue: "mdta/com.apple.quicktime.originalartist")
  /// Performer.
  public static let quickTimeMetadataPerformer = Self(rawValue: "mdta/com.apple.quicktime.performer")
  /// Phonogram rights.
  public static let quickTimeMetadataPhonogramRights = Self(rawValue: "mdta/com.apple.quicktime.phonogramrights")
  /// Preferred affine transform.
  public static let quickTimeMetadataPreferredAffineTransform = Self(
    rawValue: "mdta/com.apple.quicktime.preferred-affine-transform")
  /// Producer.
  public static let quickTimeMetadataProducer = Self(rawValue: "mdta/com.apple.quicktime.producer")
  /// Publisher.
  public static let quickTimeMetadataPublisher = Self(rawValue: "mdta/com.apple.quicktime.publisher")
  /// Rating user.
  public static let quickTimeMetadataRatingUser = Self(rawValue: "mdta/com.apple.quicktime.rating.user")
  /// Software.
  public static let quickTimeMetadataSoftware = Self(rawValue: "mdta/com.apple.quicktime.software")
  /// Spatial over capture quality score.
  public static let quickTimeMetadataSpatialOverCaptureQualityScore = Self(
    rawValue: "mdta/com.apple.quicktime.spatial-overcapture.quality-score")
  /// Spatial over capture quality scoring version.
  public static let quickTimeMetadataSpatialOverCaptureQualityScoringVersion = Self(
    rawValue: "mdta/com.apple.quicktime.spatial-overcapture.quality-scoring-version")
  /// Title.
  public static let quickTimeMetadataTitle = Self(rawValue: "mdta/com.apple.quicktime.title")
  /// Video orientation.
  public static let quickTimeMetadataVideoOrientation = Self(rawValue: "mdta/com.apple.quicktime.video-orientation")
  /// Year.
  public static let quickTimeMetadataYear = Self(rawValue: "mdta/com.apple.quicktime.year")
  /// iXML.
  public static let quickTimeMetadataiXML = Self(rawValue: "mdta/info.ixml.xml")
}
