import MediaAssetKit
import Testing

/// AVFoundation's declared identifiers: name, raw value, the key constant of the same name (nil where it declares none),
/// and the constant here.
enum DeclaredIdentifiers {
  struct Row: Sendable, CustomTestStringConvertible {
    let name: String
    let rawValue: String
    let key: String?
    let constant: MetadataIdentifier
    var testDescription: String { name }

    init(_ name: String, _ rawValue: String, _ key: String?, _ constant: MetadataIdentifier) {
      (self.name, self.rawValue, self.key, self.constant) = (name, rawValue, key, constant)
    }
  }

  static let common: [Row] = [
    Row(
      "MetadataCommonIdentifierAccessibilityDescription", "common/accessibilityDescription", "accessibilityDescription",
      .commonIdentifierAccessibilityDescription),
    Row("MetadataCommonIdentifierAlbumName", "common/albumName", "albumName", .commonIdentifierAlbumName),
    Row("MetadataCommonIdentifierArtist", "common/artist", "artist", .commonIdentifierArtist),
    Row("MetadataCommonIdentifierArtwork", "common/artwork", "artwork", .commonIdentifierArtwork),
    Row("MetadataCommonIdentifierAssetIdentifier", "common/identifier", "identifier", .commonIdentifierAssetIdentifier),
    Row("MetadataCommonIdentifierAuthor", "common/author", "author", .commonIdentifierAuthor),
    Row("MetadataCommonIdentifierContributor", "common/contributor", "contributor", .commonIdentifierContributor),
    Row("MetadataCommonIdentifierCopyrights", "common/copyrights", "copyrights", .commonIdentifierCopyrights),
    Row("MetadataCommonIdentifierCreationDate", "common/creationDate", "creationDate", .commonIdentifierCreationDate),
    Row("MetadataCommonIdentifierCreator", "common/creator", "creator", .commonIdentifierCreator),
    Row("MetadataCommonIdentifierDescription", "common/description", "description", .commonIdentifierDescription),
    Row("MetadataCommonIdentifierFormat", "common/format", "format", .commonIdentifierFormat),
    Row("MetadataCommonIdentifierLanguage", "common/language", "language", .commonIdentifierLanguage),
    Row(
      "MetadataCommonIdentifierLastModifiedDate", "common/lastModifiedDate", "lastModifiedDate",
      .commonIdentifierLastModifiedDate),
    Row("MetadataCommonIdentifierLocation", "common/location", "location", .commonIdentifierLocation),
    Row("MetadataCommonIdentifierMake", "common/make", "make", .commonIdentifierMake),
    Row("MetadataCommonIdentifierModel", "common/model", "model", .commonIdentifierModel),
    Row("MetadataCommonIdentifierPublisher", "common/publisher", "publisher", .commonIdentifierPublisher),
    Row("MetadataCommonIdentifierRelation", "common/relation", "relation", .commonIdentifierRelation),
    Row("MetadataCommonIdentifierSoftware", "common/software", "software", .commonIdentifierSoftware),
    Row("MetadataCommonIdentifierSource", "common/source", "source", .commonIdentifierSource),
    Row("MetadataCommonIdentifierSubject", "common/subject", "subject", .commonIdentifierSubject),
    Row("MetadataCommonIdentifierTitle", "common/title", "title", .commonIdentifierTitle),
    Row("MetadataCommonIdentifierType", "common/type", "type", .commonIdentifierType),
  ]

  static let uiso: [Row] = [
    Row("MetadataIdentifier3GPUserDataAlbumAndTrack", "uiso/albm", "albm", .identifier3GPUserDataAlbumAndTrack),
    Row("MetadataIdentifier3GPUserDataAuthor", "uiso/auth", "auth", .identifier3GPUserDataAuthor),
    Row("MetadataIdentifier3GPUserDataCollection", "uiso/coll", "coll", .identifier3GPUserDataCollection),
    Row("MetadataIdentifier3GPUserDataCopyright", "uiso/cprt", "cprt", .identifier3GPUserDataCopyright),
    Row("MetadataIdentifier3GPUserDataDescription", "uiso/dscp", "dscp", .identifier3GPUserDataDescription),
    Row("MetadataIdentifier3GPUserDataGenre", "uiso/gnre", "gnre", .identifier3GPUserDataGenre),
    Row("MetadataIdentifier3GPUserDataKeywordList", "uiso/kywd", "kywd", .identifier3GPUserDataKeywordList),
    Row("MetadataIdentifier3GPUserDataLocation", "uiso/loci", "loci", .identifier3GPUserDataLocation),
    Row(
      "MetadataIdentifier3GPUserDataMediaClassification", "uiso/clsf", "clsf", .identifier3GPUserDataMediaClassification
    ),
    Row("MetadataIdentifier3GPUserDataMediaRating", "uiso/rtng", "rtng", .identifier3GPUserDataMediaRating),
    Row("MetadataIdentifier3GPUserDataPerformer", "uiso/perf", "perf", .identifier3GPUserDataPerformer),
    Row("MetadataIdentifier3GPUserDataRecordingYear", "uiso/yrrc", "yrrc", .identifier3GPUserDataRecordingYear),
    Row("MetadataIdentifier3GPUserDataThumbnail", "uiso/thmb", "thmb", .identifier3GPUserDataThumbnail),
    Row("MetadataIdentifier3GPUserDataTitle", "uiso/titl", "titl", .identifier3GPUserDataTitle),
    Row("MetadataIdentifier3GPUserDataUserRating", "uiso/urat", "urat", .identifier3GPUserDataUserRating),
    Row(
      "MetadataIdentifierISOUserDataAccessibilityDescription", "uiso/ades", "ades", .isoUserDataAccessibilityDescription
    ),
    Row("MetadataIdentifierISOUserDataCopyright", "uiso/cprt", "cprt", .isoUserDataCopyright),
    Row("MetadataIdentifierISOUserDataDate", "uiso/date", "date", .isoUserDataDate),
    Row("MetadataIdentifierISOUserDataTaggedCharacteristic", "uiso/tagc", "tagc", .isoUserDataTaggedCharacteristic),
  ]

  static let id3: [Row] = [
    Row("MetadataIdentifierID3MetadataAlbumSortOrder", "id3/TSOA", "TSOA", .id3MetadataAlbumSortOrder),
    Row("MetadataIdentifierID3MetadataAlbumTitle", "id3/TALB", "TALB", .id3MetadataAlbumTitle),
    Row("MetadataIdentifierID3MetadataAttachedPicture", "id3/APIC", "APIC", .id3MetadataAttachedPicture),
    Row("MetadataIdentifierID3MetadataAudioEncryption", "id3/AENC", "AENC", .id3MetadataAudioEncryption),
    Row("MetadataIdentifierID3MetadataAudioSeekPointIndex", "id3/ASPI", "ASPI", .id3MetadataAudioSeekPointIndex),
    Row("MetadataIdentifierID3MetadataBand", "id3/TPE2", "TPE2", .id3MetadataBand),
    Row("MetadataIdentifierID3MetadataBeatsPerMinute", "id3/TBPM", "TBPM", .id3MetadataBeatsPerMinute),
    Row("MetadataIdentifierID3MetadataComments", "id3/COMM", "COMM", .id3MetadataComments),
    Row("MetadataIdentifierID3MetadataCommercial", "id3/COMR", "COMR", .id3MetadataCommercial),
    Row("MetadataIdentifierID3MetadataCommercialInformation", "id3/WCOM", "WCOM", .id3MetadataCommercialInformation),
    Row("MetadataIdentifierID3MetadataCommerical", "id3/COMR", "COMR", .id3MetadataCommercial),
    Row("MetadataIdentifierID3MetadataComposer", "id3/TCOM", "TCOM", .id3MetadataComposer),
    Row("MetadataIdentifierID3MetadataConductor", "id3/TPE3", "TPE3", .id3MetadataConductor),
    Row(
      "MetadataIdentifierID3MetadataContentGroupDescription", "id3/TIT1", "TIT1", .id3MetadataContentGroupDescription),
    Row("MetadataIdentifierID3MetadataContentType", "id3/TCON", "TCON", .id3MetadataContentType),
    Row("MetadataIdentifierID3MetadataCopyright", "id3/TCOP", "TCOP", .id3MetadataCopyright),
    Row("MetadataIdentifierID3MetadataCopyrightInformation", "id3/WCOP", "WCOP", .id3MetadataCopyrightInformation),
    Row("MetadataIdentifierID3MetadataDate", "id3/TDAT", "TDAT", .id3MetadataDate),
    Row("MetadataIdentifierID3MetadataEncodedBy", "id3/TENC", "TENC", .id3MetadataEncodedBy),
    Row("MetadataIdentifierID3MetadataEncodedWith", "id3/TSSE", "TSSE", .id3MetadataEncodedWith),
    Row("MetadataIdentifierID3MetadataEncodingTime", "id3/TDEN", "TDEN", .id3MetadataEncodingTime),
    Row("MetadataIdentifierID3MetadataEncryption", "id3/ENCR", "ENCR", .id3MetadataEncryption),
    Row("MetadataIdentifierID3MetadataEqualization", "id3/EQUA", "EQUA", .id3MetadataEqualization),
    Row("MetadataIdentifierID3MetadataEqualization2", "id3/EQU2", "EQU2", .id3MetadataEqualization2),
    Row("MetadataIdentifierID3MetadataEventTimingCodes", "id3/ETCO", "ETCO", .id3MetadataEventTimingCodes),
    Row("MetadataIdentifierID3MetadataFileOwner", "id3/TOWN", "TOWN", .id3MetadataFileOwner),
    Row("MetadataIdentifierID3MetadataFileType", "id3/TFLT", "TFLT", .id3MetadataFileType),
    Row(
      "MetadataIdentifierID3MetadataGeneralEncapsulatedObject", "id3/GEOB", "GEOB",
      .id3MetadataGeneralEncapsulatedObject),
    Row("MetadataIdentifierID3MetadataGroupIdentifier", "id3/GRID", "GRID", .id3MetadataGroupIdentifier),
    Row("MetadataIdentifierID3MetadataInitialKey", "id3/TKEY", "TKEY", .id3MetadataInitialKey),
    Row(
      "MetadataIdentifierID3MetadataInternationalStandardRecordingCode", "id3/TSRC", "TSRC",
      .id3MetadataInternationalStandardRecordingCode),
    Row(
      "MetadataIdentifierID3MetadataInternetRadioStationName", "id3/TRSN", "TRSN", .id3MetadataInternetRadioStationName),
    Row(
      "MetadataIdentifierID3MetadataInternetRadioStationOwner", "id3/TRSO", "TRSO",
      .id3MetadataInternetRadioStationOwner),
    Row("MetadataIdentifierID3MetadataInvolvedPeopleList_v23", "id3/IPLS", "IPLS", .id3MetadataInvolvedPeopleList_v23),
    Row("MetadataIdentifierID3MetadataInvolvedPeopleList_v24", "id3/TIPL", "TIPL", .id3MetadataInvolvedPeopleList_v24),
    Row("MetadataIdentifierID3MetadataLanguage", "id3/TLAN", "TLAN", .id3MetadataLanguage),
    Row("MetadataIdentifierID3MetadataLeadPerformer", "id3/TPE1", "TPE1", .id3MetadataLeadPerformer),
    Row("MetadataIdentifierID3MetadataLength", "id3/TLEN", "TLEN", .id3MetadataLength),
    Row("MetadataIdentifierID3MetadataLink", "id3/LINK", "LINK", .id3MetadataLink),
    Row("MetadataIdentifierID3MetadataLyricist", "id3/TEXT", "TEXT", .id3MetadataLyricist),
    Row(
      "MetadataIdentifierID3MetadataMPEGLocationLookupTable", "id3/MLLT", "MLLT", .id3MetadataMPEGLocationLookupTable),
    Row("MetadataIdentifierID3MetadataMediaType", "id3/TMED", "TMED", .id3MetadataMediaType),
    Row("MetadataIdentifierID3MetadataModifiedBy", "id3/TPE4", "TPE4", .id3MetadataModifiedBy),
    Row("MetadataIdentifierID3MetadataMood", "id3/TMOO", "TMOO", .id3MetadataMood),
    Row("MetadataIdentifierID3MetadataMusicCDIdentifier", "id3/MCDI", "MCDI", .id3MetadataMusicCDIdentifier),
    Row("MetadataIdentifierID3MetadataMusicianCreditsList", "id3/TMCL", "TMCL", .id3MetadataMusicianCreditsList),
    Row("MetadataIdentifierID3MetadataOfficialArtistWebpage", "id3/WOAR", "WOAR", .id3MetadataOfficialArtistWebpage),
    Row(
      "MetadataIdentifierID3MetadataOfficialAudioFileWebpage", "id3/WOAF", "WOAF", .id3MetadataOfficialAudioFileWebpage),
    Row(
      "MetadataIdentifierID3MetadataOfficialAudioSourceWebpage", "id3/WOAS", "WOAS",
      .id3MetadataOfficialAudioSourceWebpage),
    Row(
      "MetadataIdentifierID3MetadataOfficialInternetRadioStationHomepage", "id3/WORS", "WORS",
      .id3MetadataOfficialInternetRadioStationHomepage),
    Row(
      "MetadataIdentifierID3MetadataOfficialPublisherWebpage", "id3/WPUB", "WPUB", .id3MetadataOfficialPublisherWebpage),
    Row("MetadataIdentifierID3MetadataOriginalAlbumTitle", "id3/TOAL", "TOAL", .id3MetadataOriginalAlbumTitle),
    Row("MetadataIdentifierID3MetadataOriginalArtist", "id3/TOPE", "TOPE", .id3MetadataOriginalArtist),
    Row("MetadataIdentifierID3MetadataOriginalFilename", "id3/TOFN", "TOFN", .id3MetadataOriginalFilename),
    Row("MetadataIdentifierID3MetadataOriginalLyricist", "id3/TOLY", "TOLY", .id3MetadataOriginalLyricist),
    Row("MetadataIdentifierID3MetadataOriginalReleaseTime", "id3/TDOR", "TDOR", .id3MetadataOriginalReleaseTime),
    Row("MetadataIdentifierID3MetadataOriginalReleaseYear", "id3/TORY", "TORY", .id3MetadataOriginalReleaseYear),
    Row("MetadataIdentifierID3MetadataOwnership", "id3/OWNE", "OWNE", .id3MetadataOwnership),
    Row("MetadataIdentifierID3MetadataPartOfASet", "id3/TPOS", "TPOS", .id3MetadataPartOfASet),
    Row("MetadataIdentifierID3MetadataPayment", "id3/WPAY", "WPAY", .id3MetadataPayment),
    Row("MetadataIdentifierID3MetadataPerformerSortOrder", "id3/TSOP", "TSOP", .id3MetadataPerformerSortOrder),
    Row("MetadataIdentifierID3MetadataPlayCounter", "id3/PCNT", "PCNT", .id3MetadataPlayCounter),
    Row("MetadataIdentifierID3MetadataPlaylistDelay", "id3/TDLY", "TDLY", .id3MetadataPlaylistDelay),
    Row("MetadataIdentifierID3MetadataPopularimeter", "id3/POPM", "POPM", .id3MetadataPopularimeter),
    Row(
      "MetadataIdentifierID3MetadataPositionSynchronization", "id3/POSS", "POSS", .id3MetadataPositionSynchronization),
    Row("MetadataIdentifierID3MetadataPrivate", "id3/PRIV", "PRIV", .id3MetadataPrivate),
    Row("MetadataIdentifierID3MetadataProducedNotice", "id3/TPRO", "TPRO", .id3MetadataProducedNotice),
    Row("MetadataIdentifierID3MetadataPublisher", "id3/TPUB", "TPUB", .id3MetadataPublisher),
    Row("MetadataIdentifierID3MetadataRecommendedBufferSize", "id3/RBUF", "RBUF", .id3MetadataRecommendedBufferSize),
    Row("MetadataIdentifierID3MetadataRecordingDates", "id3/TRDA", "TRDA", .id3MetadataRecordingDates),
    Row("MetadataIdentifierID3MetadataRecordingTime", "id3/TDRC", "TDRC", .id3MetadataRecordingTime),
    Row(
      "MetadataIdentifierID3MetadataRelativeVolumeAdjustment", "id3/RVAD", "RVAD", .id3MetadataRelativeVolumeAdjustment),
    Row(
      "MetadataIdentifierID3MetadataRelativeVolumeAdjustment2", "id3/RVA2", "RVA2",
      .id3MetadataRelativeVolumeAdjustment2),
    Row("MetadataIdentifierID3MetadataReleaseTime", "id3/TDRL", "TDRL", .id3MetadataReleaseTime),
    Row("MetadataIdentifierID3MetadataReverb", "id3/RVRB", "RVRB", .id3MetadataReverb),
    Row("MetadataIdentifierID3MetadataSeek", "id3/SEEK", "SEEK", .id3MetadataSeek),
    Row("MetadataIdentifierID3MetadataSetSubtitle", "id3/TSST", "TSST", .id3MetadataSetSubtitle),
    Row("MetadataIdentifierID3MetadataSignature", "id3/SIGN", "SIGN", .id3MetadataSignature),
    Row("MetadataIdentifierID3MetadataSize", "id3/TSIZ", "TSIZ", .id3MetadataSize),
    Row("MetadataIdentifierID3MetadataSubTitle", "id3/TIT3", "TIT3", .id3MetadataSubTitle),
    Row("MetadataIdentifierID3MetadataSynchronizedLyric", "id3/SYLT", "SYLT", .id3MetadataSynchronizedLyric),
    Row("MetadataIdentifierID3MetadataSynchronizedTempoCodes", "id3/SYTC", "SYTC", .id3MetadataSynchronizedTempoCodes),
    Row("MetadataIdentifierID3MetadataTaggingTime", "id3/TDTG", "TDTG", .id3MetadataTaggingTime),
    Row("MetadataIdentifierID3MetadataTermsOfUse", "id3/USER", "USER", .id3MetadataTermsOfUse),
    Row("MetadataIdentifierID3MetadataTime", "id3/TIME", "TIME", .id3MetadataTime),
    Row("MetadataIdentifierID3MetadataTitleDescription", "id3/TIT2", "TIT2", .id3MetadataTitleDescription),
    Row("MetadataIdentifierID3MetadataTitleSortOrder", "id3/TSOT", "TSOT", .id3MetadataTitleSortOrder),
    Row("MetadataIdentifierID3MetadataTrackNumber", "id3/TRCK", "TRCK", .id3MetadataTrackNumber),
    Row("MetadataIdentifierID3MetadataUniqueFileIdentifier", "id3/UFID", "UFID", .id3MetadataUniqueFileIdentifier),
    Row("MetadataIdentifierID3MetadataUnsynchronizedLyric", "id3/USLT", "USLT", .id3MetadataUnsynchronizedLyric),
    Row("MetadataIdentifierID3MetadataUserText", "id3/TXXX", "TXXX", .id3MetadataUserText),
    Row("MetadataIdentifierID3MetadataUserURL", "id3/WXXX", "WXXX", .id3MetadataUserURL),
    Row("MetadataIdentifierID3MetadataYear", "id3/TYER", "TYER", .id3MetadataYear),
  ]

  static let icy: [Row] = [
    Row("MetadataIdentifierIcyMetadataStreamTitle", "icy/StreamTitle", "StreamTitle", .icyMetadataStreamTitle),
    Row("MetadataIdentifierIcyMetadataStreamURL", "icy/StreamUrl", "StreamUrl", .icyMetadataStreamURL),
  ]

  static let mdta: [Row] = [
    Row(
      "MetadataIdentifierQuickTimeMetadataAccessibilityDescription",
      "mdta/com.apple.quicktime.accessibility.description", "com.apple.quicktime.accessibility.description",
      .quickTimeMetadataAccessibilityDescription),
    Row(
      "MetadataIdentifierQuickTimeMetadataAlbum", "mdta/com.apple.quicktime.album", "com.apple.quicktime.album",
      .quickTimeMetadataAlbum),
    Row(
      "MetadataIdentifierQuickTimeMetadataArranger", "mdta/com.apple.quicktime.arranger",
      "com.apple.quicktime.arranger", .quickTimeMetadataArranger),
    Row(
      "MetadataIdentifierQuickTimeMetadataArtist", "mdta/com.apple.quicktime.artist", "com.apple.quicktime.artist",
      .quickTimeMetadataArtist),
    Row(
      "MetadataIdentifierQuickTimeMetadataArtwork", "mdta/com.apple.quicktime.artwork", "com.apple.quicktime.artwork",
      .quickTimeMetadataArtwork),
    Row(
      "MetadataIdentifierQuickTimeMetadataAuthor", "mdta/com.apple.quicktime.author", "com.apple.quicktime.author",
      .quickTimeMetadataAuthor),
    Row(
      "MetadataIdentifierQuickTimeMetadataAutoLivePhoto", "mdta/com.apple.quicktime.live-photo.auto", nil,
      .quickTimeMetadataAutoLivePhoto),
    Row(
      "MetadataIdentifierQuickTimeMetadataCameraFrameReadoutTime",
      "mdta/com.apple.quicktime.camera.framereadouttimeinmicroseconds",
      "com.apple.quicktime.camera.framereadouttimeinmicroseconds", .quickTimeMetadataCameraFrameReadoutTime),
    Row(
      "MetadataIdentifierQuickTimeMetadataCameraIdentifier", "mdta/com.apple.quicktime.camera.identifier",
      "com.apple.quicktime.camera.identifier", .quickTimeMetadataCameraIdentifier),
    Row(
      "MetadataIdentifierQuickTimeMetadataCollectionUser", "mdta/com.apple.quicktime.collection.user",
      "com.apple.quicktime.collection.user", .quickTimeMetadataCollectionUser),
    Row(
      "MetadataIdentifierQuickTimeMetadataComment", "mdta/com.apple.quicktime.comment", "com.apple.quicktime.comment",
      .quickTimeMetadataComment),
    Row(
      "MetadataIdentifierQuickTimeMetadataComposer", "mdta/com.apple.quicktime.composer",
      "com.apple.quicktime.composer", .quickTimeMetadataComposer),
    Row(
      "MetadataIdentifierQuickTimeMetadataContentIdentifier", "mdta/com.apple.quicktime.content.identifier",
      "com.apple.quicktime.content.identifier", .quickTimeMetadataContentIdentifier),
    Row(
      "MetadataIdentifierQuickTimeMetadataCopyright", "mdta/com.apple.quicktime.copyright",
      "com.apple.quicktime.copyright", .quickTimeMetadataCopyright),
    Row(
      "MetadataIdentifierQuickTimeMetadataCreationDate", "mdta/com.apple.quicktime.creationdate",
      "com.apple.quicktime.creationdate", .quickTimeMetadataCreationDate),
    Row(
      "MetadataIdentifierQuickTimeMetadataCredits", "mdta/com.apple.quicktime.credits", "com.apple.quicktime.credits",
      .quickTimeMetadataCredits),
    Row(
      "MetadataIdentifierQuickTimeMetadataDescription", "mdta/com.apple.quicktime.description",
      "com.apple.quicktime.description", .quickTimeMetadataDescription),
    Row(
      "MetadataIdentifierQuickTimeMetadataDetectedCatBody", "mdta/com.apple.quicktime.detected-cat-body", nil,
      .quickTimeMetadataDetectedCatBody),
    Row(
      "MetadataIdentifierQuickTimeMetadataDetectedDogBody", "mdta/com.apple.quicktime.detected-dog-body", nil,
      .quickTimeMetadataDetectedDogBody),
    Row(
      "MetadataIdentifierQuickTimeMetadataDetectedFace", "mdta/com.apple.quicktime.detected-face", nil,
      .quickTimeMetadataDetectedFace),
    Row(
      "MetadataIdentifierQuickTimeMetadataDetectedHumanBody", "mdta/com.apple.quicktime.detected-human-body", nil,
      .quickTimeMetadataDetectedHumanBody),
    Row(
      "MetadataIdentifierQuickTimeMetadataDetectedSalientObject", "mdta/com.apple.quicktime.detected-salient-object",
      nil, .quickTimeMetadataDetectedSalientObject),
    Row(
      "MetadataIdentifierQuickTimeMetadataDirectionFacing", "mdta/com.apple.quicktime.direction.facing",
      "com.apple.quicktime.direction.facing", .quickTimeMetadataDirectionFacing),
    Row(
      "MetadataIdentifierQuickTimeMetadataDirectionMotion", "mdta/com.apple.quicktime.direction.motion",
      "com.apple.quicktime.direction.motion", .quickTimeMetadataDirectionMotion),
    Row(
      "MetadataIdentifierQuickTimeMetadataDirector", "mdta/com.apple.quicktime.director",
      "com.apple.quicktime.director", .quickTimeMetadataDirector),
    Row(
      "MetadataIdentifierQuickTimeMetadataDisplayName", "mdta/com.apple.quicktime.displayname",
      "com.apple.quicktime.displayname", .quickTimeMetadataDisplayName),
    Row(
      "MetadataIdentifierQuickTimeMetadataEncodedBy", "mdta/com.apple.quicktime.encodedby",
      "com.apple.quicktime.encodedby", .quickTimeMetadataEncodedBy),
    Row(
      "MetadataIdentifierQuickTimeMetadataGenre", "mdta/com.apple.quicktime.genre", "com.apple.quicktime.genre",
      .quickTimeMetadataGenre),
    Row(
      "MetadataIdentifierQuickTimeMetadataInformation", "mdta/com.apple.quicktime.information",
      "com.apple.quicktime.information", .quickTimeMetadataInformation),
    Row(
      "MetadataIdentifierQuickTimeMetadataIsMontage", "mdta/com.apple.quicktime.is-montage",
      "com.apple.quicktime.is-montage", .quickTimeMetadataIsMontage),
    Row(
      "MetadataIdentifierQuickTimeMetadataKeywords", "mdta/com.apple.quicktime.keywords",
      "com.apple.quicktime.keywords", .quickTimeMetadataKeywords),
    Row(
      "MetadataIdentifierQuickTimeMetadataLivePhotoVitalityScore", "mdta/com.apple.quicktime.live-photo.vitality-score",
      nil, .quickTimeMetadataLivePhotoVitalityScore),
    Row(
      "MetadataIdentifierQuickTimeMetadataLivePhotoVitalityScoringVersion",
      "mdta/com.apple.quicktime.live-photo.vitality-scoring-version", nil,
      .quickTimeMetadataLivePhotoVitalityScoringVersion),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationBody", "mdta/com.apple.quicktime.location.body",
      "com.apple.quicktime.location.body", .quickTimeMetadataLocationBody),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationDate", "mdta/com.apple.quicktime.location.date",
      "com.apple.quicktime.location.date", .quickTimeMetadataLocationDate),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationHorizontalAccuracyInMeters",
      "mdta/com.apple.quicktime.location.accuracy.horizontal", nil, .quickTimeMetadataLocationHorizontalAccuracyInMeters
    ),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationISO6709", "mdta/com.apple.quicktime.location.ISO6709",
      "com.apple.quicktime.location.ISO6709", .quickTimeMetadataLocationISO6709),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationName", "mdta/com.apple.quicktime.location.name",
      "com.apple.quicktime.location.name", .quickTimeMetadataLocationName),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationNote", "mdta/com.apple.quicktime.location.note",
      "com.apple.quicktime.location.note", .quickTimeMetadataLocationNote),
    Row(
      "MetadataIdentifierQuickTimeMetadataLocationRole", "mdta/com.apple.quicktime.location.role",
      "com.apple.quicktime.location.role", .quickTimeMetadataLocationRole),
    Row(
      "MetadataIdentifierQuickTimeMetadataMake", "mdta/com.apple.quicktime.make", "com.apple.quicktime.make",
      .quickTimeMetadataMake),
    Row(
      "MetadataIdentifierQuickTimeMetadataModel", "mdta/com.apple.quicktime.model", "com.apple.quicktime.model",
      .quickTimeMetadataModel),
    Row(
      "MetadataIdentifierQuickTimeMetadataOriginalArtist", "mdta/com.apple.quicktime.originalartist",
      "com.apple.quicktime.originalartist", .quickTimeMetadataOriginalArtist),
    Row(
      "MetadataIdentifierQuickTimeMetadataPerformer", "mdta/com.apple.quicktime.performer",
      "com.apple.quicktime.performer", .quickTimeMetadataPerformer),
    Row(
      "MetadataIdentifierQuickTimeMetadataPhonogramRights", "mdta/com.apple.quicktime.phonogramrights",
      "com.apple.quicktime.phonogramrights", .quickTimeMetadataPhonogramRights),
    Row(
      "MetadataIdentifierQuickTimeMetadataPreferredAffineTransform",
      "mdta/com.apple.quicktime.preferred-affine-transform", nil, .quickTimeMetadataPreferredAffineTransform),
    Row(
      "MetadataIdentifierQuickTimeMetadataProducer", "mdta/com.apple.quicktime.producer",
      "com.apple.quicktime.producer", .quickTimeMetadataProducer),
    Row(
      "MetadataIdentifierQuickTimeMetadataPublisher", "mdta/com.apple.quicktime.publisher",
      "com.apple.quicktime.publisher", .quickTimeMetadataPublisher),
    Row(
      "MetadataIdentifierQuickTimeMetadataRatingUser", "mdta/com.apple.quicktime.rating.user",
      "com.apple.quicktime.rating.user", .quickTimeMetadataRatingUser),
    Row(
      "MetadataIdentifierQuickTimeMetadataSoftware", "mdta/com.apple.quicktime.software",
      "com.apple.quicktime.software", .quickTimeMetadataSoftware),
    Row(
      "MetadataIdentifierQuickTimeMetadataSpatialOverCaptureQualityScore",
      "mdta/com.apple.quicktime.spatial-overcapture.quality-score", nil,
      .quickTimeMetadataSpatialOverCaptureQualityScore),
    Row(
      "MetadataIdentifierQuickTimeMetadataSpatialOverCaptureQualityScoringVersion",
      "mdta/com.apple.quicktime.spatial-overcapture.quality-scoring-version", nil,
      .quickTimeMetadataSpatialOverCaptureQualityScoringVersion),
    Row(
      "MetadataIdentifierQuickTimeMetadataTitle", "mdta/com.apple.quicktime.title", "com.apple.quicktime.title",
      .quickTimeMetadataTitle),
    Row(
      "MetadataIdentifierQuickTimeMetadataVideoOrientation", "mdta/com.apple.quicktime.video-orientation", nil,
      .quickTimeMetadataVideoOrientation),
    Row(
      "MetadataIdentifierQuickTimeMetadataYear", "mdta/com.apple.quicktime.year", "com.apple.quicktime.year",
      .quickTimeMetadataYear),
    Row("MetadataIdentifierQuickTimeMetadataiXML", "mdta/info.ixml.xml", "info.ixml.xml", .quickTimeMetadataiXML),
  ]

  static let udta: [Row] = [
    Row(
      "MetadataIdentifierQuickTimeUserDataAccessibilityDescription", "udta/%A9ade", "©ade",
      .quickTimeUserDataAccessibilityDescription),
    Row("MetadataIdentifierQuickTimeUserDataAlbum", "udta/%A9alb", "©alb", .quickTimeUserDataAlbum),
    Row("MetadataIdentifierQuickTimeUserDataArranger", "udta/%A9arg", "©arg", .quickTimeUserDataArranger),
    Row("MetadataIdentifierQuickTimeUserDataArtist", "udta/%A9ART", "©ART", .quickTimeUserDataArtist),
    Row("MetadataIdentifierQuickTimeUserDataAuthor", "udta/%A9aut", "©aut", .quickTimeUserDataAuthor),
    Row("MetadataIdentifierQuickTimeUserDataChapter", "udta/%A9chp", "©chp", .quickTimeUserDataChapter),
    Row("MetadataIdentifierQuickTimeUserDataComment", "udta/%A9cmt", "©cmt", .quickTimeUserDataComment),
    Row("MetadataIdentifierQuickTimeUserDataComposer", "udta/%A9com", "©com", .quickTimeUserDataComposer),
    Row("MetadataIdentifierQuickTimeUserDataCopyright", "udta/%A9cpy", "©cpy", .quickTimeUserDataCopyright),
    Row("MetadataIdentifierQuickTimeUserDataCreationDate", "udta/%A9day", "©day", .quickTimeUserDataCreationDate),
    Row("MetadataIdentifierQuickTimeUserDataCredits", "udta/%A9src", "©src", .quickTimeUserDataCredits),
    Row("MetadataIdentifierQuickTimeUserDataDescription", "udta/%A9des", "©des", .quickTimeUserDataDescription),
    Row("MetadataIdentifierQuickTimeUserDataDirector", "udta/%A9dir", "©dir", .quickTimeUserDataDirector),
    Row("MetadataIdentifierQuickTimeUserDataDisclaimer", "udta/%A9dis", "©dis", .quickTimeUserDataDisclaimer),
    Row("MetadataIdentifierQuickTimeUserDataEncodedBy", "udta/%A9enc", "©enc", .quickTimeUserDataEncodedBy),
    Row("MetadataIdentifierQuickTimeUserDataFullName", "udta/%A9nam", "©nam", .quickTimeUserDataFullName),
    Row("MetadataIdentifierQuickTimeUserDataGenre", "udta/%A9gen", "©gen", .quickTimeUserDataGenre),
    Row("MetadataIdentifierQuickTimeUserDataHostComputer", "udta/%A9hst", "©hst", .quickTimeUserDataHostComputer),
    Row("MetadataIdentifierQuickTimeUserDataInformation", "udta/%A9inf", "©inf", .quickTimeUserDataInformation),
    Row("MetadataIdentifierQuickTimeUserDataKeywords", "udta/%A9key", "©key", .quickTimeUserDataKeywords),
    Row("MetadataIdentifierQuickTimeUserDataLocationISO6709", "udta/%A9xyz", "©xyz", .quickTimeUserDataLocationISO6709),
    Row("MetadataIdentifierQuickTimeUserDataMake", "udta/%A9mak", "©mak", .quickTimeUserDataMake),
    Row("MetadataIdentifierQuickTimeUserDataModel", "udta/%A9mod", "©mod", .quickTimeUserDataModel),
    Row("MetadataIdentifierQuickTimeUserDataOriginalArtist", "udta/%A9ope", "©ope", .quickTimeUserDataOriginalArtist),
    Row("MetadataIdentifierQuickTimeUserDataOriginalFormat", "udta/%A9fmt", "©fmt", .quickTimeUserDataOriginalFormat),
    Row("MetadataIdentifierQuickTimeUserDataOriginalSource", "udta/%A9src", "©src", .quickTimeUserDataOriginalSource),
    Row("MetadataIdentifierQuickTimeUserDataPerformers", "udta/%A9prf", "©prf", .quickTimeUserDataPerformers),
    Row("MetadataIdentifierQuickTimeUserDataPhonogramRights", "udta/%A9phg", "©phg", .quickTimeUserDataPhonogramRights),
    Row("MetadataIdentifierQuickTimeUserDataProducer", "udta/%A9prd", "©prd", .quickTimeUserDataProducer),
    Row("MetadataIdentifierQuickTimeUserDataProduct", "udta/%A9PRD", "©PRD", .quickTimeUserDataProduct),
    Row("MetadataIdentifierQuickTimeUserDataPublisher", "udta/%A9pub", "©pub", .quickTimeUserDataPublisher),
    Row("MetadataIdentifierQuickTimeUserDataSoftware", "udta/%A9swr", "©swr", .quickTimeUserDataSoftware),
    Row(
      "MetadataIdentifierQuickTimeUserDataSpecialPlaybackRequirements", "udta/%A9req", "©req",
      .quickTimeUserDataSpecialPlaybackRequirements),
    Row(
      "MetadataIdentifierQuickTimeUserDataTaggedCharacteristic", "udta/tagc", "tagc",
      .quickTimeUserDataTaggedCharacteristic),
    Row("MetadataIdentifierQuickTimeUserDataTrack", "udta/%A9trk", "©trk", .quickTimeUserDataTrack),
    Row("MetadataIdentifierQuickTimeUserDataTrackName", "udta/tnam", "tnam", .quickTimeUserDataTrackName),
    Row("MetadataIdentifierQuickTimeUserDataURLLink", "udta/%A9url", "©url", .quickTimeUserDataURLLink),
    Row("MetadataIdentifierQuickTimeUserDataWarning", "udta/%A9wrn", "©wrn", .quickTimeUserDataWarning),
    Row("MetadataIdentifierQuickTimeUserDataWriter", "udta/%A9wrt", "©wrt", .quickTimeUserDataWriter),
  ]

  static let itsk: [Row] = [
    Row("MetadataIdentifieriTunesMetadataAccountKind", "itsk/akID", "akID", .iTunesMetadataAccountKind),
    Row("MetadataIdentifieriTunesMetadataAcknowledgement", "itsk/%A9cak", "©cak", .iTunesMetadataAcknowledgement),
    Row("MetadataIdentifieriTunesMetadataAlbum", "itsk/%A9alb", "©alb", .iTunesMetadataAlbum),
    Row("MetadataIdentifieriTunesMetadataAlbumArtist", "itsk/aART", "aART", .iTunesMetadataAlbumArtist),
    Row("MetadataIdentifieriTunesMetadataAppleID", "itsk/apID", "apID", .iTunesMetadataAppleID),
    Row("MetadataIdentifieriTunesMetadataArranger", "itsk/%A9arg", "©arg", .iTunesMetadataArranger),
    Row("MetadataIdentifieriTunesMetadataArtDirector", "itsk/%A9ard", "©ard", .iTunesMetadataArtDirector),
    Row("MetadataIdentifieriTunesMetadataArtist", "itsk/%A9ART", "©ART", .iTunesMetadataArtist),
    Row("MetadataIdentifieriTunesMetadataArtistID", "itsk/atID", "atID", .iTunesMetadataArtistID),
    Row("MetadataIdentifieriTunesMetadataAuthor", "itsk/%A9aut", "©aut", .iTunesMetadataAuthor),
    Row("MetadataIdentifieriTunesMetadataBeatsPerMin", "itsk/tmpo", "tmpo", .iTunesMetadataBeatsPerMin),
    Row("MetadataIdentifieriTunesMetadataComposer", "itsk/%A9wrt", "©wrt", .iTunesMetadataComposer),
    Row("MetadataIdentifieriTunesMetadataConductor", "itsk/%A9con", "©con", .iTunesMetadataConductor),
    Row("MetadataIdentifieriTunesMetadataContentRating", "itsk/rtng", "rtng", .iTunesMetadataContentRating),
    Row("MetadataIdentifieriTunesMetadataCopyright", "itsk/cprt", "cprt", .iTunesMetadataCopyright),
    Row("MetadataIdentifieriTunesMetadataCoverArt", "itsk/covr", "covr", .iTunesMetadataCoverArt),
    Row("MetadataIdentifieriTunesMetadataCredits", "itsk/%A9src", "©src", .iTunesMetadataCredits),
    Row("MetadataIdentifieriTunesMetadataDescription", "itsk/%A9des", "©des", .iTunesMetadataDescription),
    Row("MetadataIdentifieriTunesMetadataDirector", "itsk/%A9dir", "©dir", .iTunesMetadataDirector),
    Row("MetadataIdentifieriTunesMetadataDiscCompilation", "itsk/cpil", "cpil", .iTunesMetadataDiscCompilation),
    Row("MetadataIdentifieriTunesMetadataDiscNumber", "itsk/disk", "disk", .iTunesMetadataDiscNumber),
    Row("MetadataIdentifieriTunesMetadataEQ", "itsk/%A9equ", "©equ", .iTunesMetadataEQ),
    Row("MetadataIdentifieriTunesMetadataEncodedBy", "itsk/%A9enc", "©enc", .iTunesMetadataEncodedBy),
    Row("MetadataIdentifieriTunesMetadataEncodingTool", "itsk/%A9too", "©too", .iTunesMetadataEncodingTool),
    Row("MetadataIdentifieriTunesMetadataExecProducer", "itsk/%A9xpd", "©xpd", .iTunesMetadataExecProducer),
    Row("MetadataIdentifieriTunesMetadataGenreID", "itsk/geID", "geID", .iTunesMetadataGenreID),
    Row("MetadataIdentifieriTunesMetadataGrouping", "itsk/grup", "grup", .iTunesMetadataGrouping),
    Row("MetadataIdentifieriTunesMetadataLinerNotes", "itsk/%A9lnt", "©lnt", .iTunesMetadataLinerNotes),
    Row("MetadataIdentifieriTunesMetadataLyrics", "itsk/%A9lyr", "©lyr", .iTunesMetadataLyrics),
    Row("MetadataIdentifieriTunesMetadataOnlineExtras", "itsk/%A9url", "©url", .iTunesMetadataOnlineExtras),
    Row("MetadataIdentifieriTunesMetadataOriginalArtist", "itsk/%A9ope", "©ope", .iTunesMetadataOriginalArtist),
    Row("MetadataIdentifieriTunesMetadataPerformer", "itsk/%A9prf", "©prf", .iTunesMetadataPerformer),
    Row("MetadataIdentifieriTunesMetadataPhonogramRights", "itsk/%A9phg", "©phg", .iTunesMetadataPhonogramRights),
    Row("MetadataIdentifieriTunesMetadataPlaylistID", "itsk/plID", "plID", .iTunesMetadataPlaylistID),
    Row("MetadataIdentifieriTunesMetadataPredefinedGenre", "itsk/gnre", "gnre", .iTunesMetadataPredefinedGenre),
    Row("MetadataIdentifieriTunesMetadataProducer", "itsk/%A9prd", "©prd", .iTunesMetadataProducer),
    Row("MetadataIdentifieriTunesMetadataPublisher", "itsk/%A9pub", "©pub", .iTunesMetadataPublisher),
    Row("MetadataIdentifieriTunesMetadataRecordCompany", "itsk/%A9mak", "©mak", .iTunesMetadataRecordCompany),
    Row("MetadataIdentifieriTunesMetadataReleaseDate", "itsk/%A9day", "©day", .iTunesMetadataReleaseDate),
    Row("MetadataIdentifieriTunesMetadataSoloist", "itsk/%A9sol", "©sol", .iTunesMetadataSoloist),
    Row("MetadataIdentifieriTunesMetadataSongID", "itsk/cnID", "cnID", .iTunesMetadataSongID),
    Row("MetadataIdentifieriTunesMetadataSongName", "itsk/%A9nam", "©nam", .iTunesMetadataSongName),
    Row("MetadataIdentifieriTunesMetadataSoundEngineer", "itsk/%A9sne", "©sne", .iTunesMetadataSoundEngineer),
    Row("MetadataIdentifieriTunesMetadataThanks", "itsk/%A9thx", "©thx", .iTunesMetadataThanks),
    Row("MetadataIdentifieriTunesMetadataTrackNumber", "itsk/trkn", "trkn", .iTunesMetadataTrackNumber),
    Row("MetadataIdentifieriTunesMetadataTrackSubTitle", "itsk/%A9st3", "©st3", .iTunesMetadataTrackSubTitle),
    Row("MetadataIdentifieriTunesMetadataUserComment", "itsk/%A9cmt", "©cmt", .iTunesMetadataUserComment),
    Row("MetadataIdentifieriTunesMetadataUserGenre", "itsk/%A9gen", "©gen", .iTunesMetadataUserGenre),
  ]

  static let all = common + uiso + id3 + icy + mdta + udta + itsk
}
