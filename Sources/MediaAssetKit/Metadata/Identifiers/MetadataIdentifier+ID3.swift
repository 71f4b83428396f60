extension MetadataIdentifier {
  // MARK: ID3

  /// Album sort order.
  public static let id3MetadataAlbumSortOrder = Self(rawValue: "id3/TSOA")
  /// Album title.
  public static let id3MetadataAlbumTitle = Self(rawValue: "id3/TALB")
  /// Attached picture.
  public static let id3MetadataAttachedPicture = Self(rawValue: "id3/APIC")
  /// Audio encryption.
  public static let id3MetadataAudioEncryption = Self(rawValue: "id3/AENC")
  /// Audio seek point index.
  public static let id3MetadataAudioSeekPointIndex = Self(rawValue: "id3/ASPI")
  /// Band.
  public static let id3MetadataBand = Self(rawValue: "id3/TPE2")
  /// Beats per minute.
  public static let id3MetadataBeatsPerMinute = Self(rawValue: "id3/TBPM")
  /// Comments.
  public static let id3MetadataComments = Self(rawValue: "id3/COMM")
  /// Commercial.
  public static let id3MetadataCommercial = Self(rawValue: "id3/COMR")
  /// Commercial information.
  public static let id3MetadataCommercialInformation = Self(rawValue: "id3/WCOM")
  /// Composer.
  public static let id3MetadataComposer = Self(rawValue: "id3/TCOM")
  /// Conductor.
  public static let id3MetadataConductor = Self(rawValue: "id3/TPE3")
  /// Content group description.
  public static let id3MetadataContentGroupDescription = Self(rawValue: "id3/TIT1")
  /// Content type.
  public static let id3MetadataContentType = Self(rawValue: "id3/TCON")
  /// Copyright.
  public static let id3MetadataCopyright = Self(rawValue: "id3/TCOP")
  /// Copyright information.
  public static let id3MetadataCopyrightInformation = Self(rawValue: "id3/WCOP")
  /// Date.
  public static let id3MetadataDate = Self(rawValue: "id3/TDAT")
  /// Encoded by.
  public static let id3MetadataEncodedBy = Self(rawValue: "id3/TENC")
  /// Encoded with.
  public static let id3MetadataEncodedWith = Self(rawValue: "id3/TSSE")
  /// Encoding time.
  public static let id3MetadataEncodingTime = Self(rawValue: "id3/TDEN")
  /// Encryption.
  public static let id3MetadataEncryption = Self(rawValue: "id3/ENCR")
  /// Equalization.
  public static let id3MetadataEqualization = Self(rawValue: "id3/EQUA")
  /// Equalization2.
  public static let id3MetadataEqualization2 = Self(rawValue: "id3/EQU2")
  /// Event timing codes.
  public static let id3MetadataEventTimingCodes = Self(rawValue: "id3/ETCO")
  /// File owner.
  public static let id3MetadataFileOwner = Self(rawValue: "id3/TOWN")
  /// File type.
  public static let id3MetadataFileType = Self(rawValue: "id3/TFLT")
  /// General encapsulated object.
  public static let id3MetadataGeneralEncapsulatedObject = Self(rawValue: "id3/GEOB")
  /// Group identifier.
  public static let id3MetadataGroupIdentifier = Self(rawValue: "id3/GRID")
  /// Initial key.
  public static let id3MetadataInitialKey = Self(rawValue: "id3/TKEY")
  /// International standard recording code.
  public static let id3MetadataInternationalStandardRecordingCode = Self(rawValue: "id3/TSRC")
  /// Internet radio station name.
  public static let id3MetadataInternetRadioStationName = Self(rawValue: "id3/TRSN")
  /// Internet radio station owner.
  public static let id3MetadataInternetRadioStationOwner = Self(rawValue: "id3/TRSO")
  /// Involved people list v23.
  public static let id3MetadataInvolvedPeopleList_v23 = Self(rawValue: "id3/IPLS")
  /// Involved people list v24.
  public static let id3MetadataInvolvedPeopleList_v24 = Self(rawValue: "id3/TIPL")
  /// Language.
  public static let id3MetadataLanguage = Self(rawValue: "id3/TLAN")
  /// Lead performer.
  public static let id3MetadataLeadPerformer = Self(rawValue: "id3/TPE1")
  /// Length.
  public static let id3MetadataLength = Self(rawValue: "id3/TLEN")
  /// Link.
  public static let id3MetadataLink = Self(rawValue: "id3/LINK")
  /// Lyricist.
  public static let id3MetadataLyricist = Self(rawValue: "id3/TEXT")
  /// MPEG location lookup table.
  public static let id3MetadataMPEGLocationLookupTable = Self(rawValue: "id3/MLLT")
  /// Media type.
  public static let id3MetadataMediaType = Self(rawValue: "id3/TMED")
  /// Modified by.
  public static let id3MetadataModifiedBy = Self(rawValue: "id3/TPE4")
  /// Mood.
  public static let id3MetadataMood = Self(rawValue: "id3/TMOO")
  /// Music CD identifier.
  public static let id3MetadataMusicCDIdentifier = Self(rawValue: "id3/MCDI")
  /// Musician credits list.
  public static let id3MetadataMusicianCreditsList = Self(rawValue: "id3/TMCL")
  /// Official artist webpage.
  public static let id3MetadataOfficialArtistWebpage = Self(rawValue: "id3/WOAR")
  /// Official audio file webpage.
  public static let id3MetadataOfficialAudioFileWebpage = Self(rawValue: "id3/WOAF")
  /// Official audio source webpage.
  public static let id3MetadataOfficialAudioSourceWebpage = Self(rawValue: "id3/WOAS")
  /// Official internet radio station homepage.
  public static let id3MetadataOfficialInternetRadioStationHomepage = Self(rawValue: "id3/WORS")
  /// Official publisher webpage.
  public static let id3MetadataOfficialPublisherWebpage = Self(rawValue: "id3/WPUB")
  /// Original album title.
  public static let id3MetadataOriginalAlbumTitle = Self(rawValue: "id3/TOAL")
  /// Original artist.
  public static let id3MetadataOriginalArtist = Self(rawValue: "id3/TOPE")
  /// Original filename.
  public static let id3MetadataOriginalFilename = Self(rawValue: "id3/TOFN")
  /// Original lyricist.
  public static let id3MetadataOriginalLyricist = Self(rawValue: "id3/TOLY")
  /// Original release time.
  public static let id3MetadataOriginalReleaseTime = Self(rawValue: "id3/TDOR")
  /// Original release year.
  public static let id3MetadataOriginalReleaseYear = Self(rawValue: "id3/TORY")
  /// Ownership.
  public static let id3MetadataOwnership = Self(rawValue: "id3/OWNE")
  /// Part of a set.
  public static let id3MetadataPartOfASet = Self(rawValue: "id3/TPOS")
  /// Payment.
  public static let id3MetadataPayment = Self(rawValue: "id3/WPAY")
  /// Performer sort order.
  public static let id3MetadataPerformerSortOrder = Self(rawValue: "id3/TSOP")
  /// Play counter.
  public static let id3MetadataPlayCounter = Self(rawValue: "id3/PCNT")
  /// Playlist delay.
  public static let id3MetadataPlaylistDelay = Self(rawValue: "id3/TDLY")
  /// Popularimeter.
  public static let id3MetadataPopularimeter = Self(rawValue: "id3/POPM")
  /// Position synchronization.
  public static let id3MetadataPositionSynchronization = Self(rawValue: "id3/POSS")
  /// Private.
  public static let id3MetadataPrivate = Self(rawValue: "id3/PRIV")
  /// Produced notice.
  public static let id3MetadataProducedNotice = Self(rawValue: "id3/TPRO")
  /// Publisher.
  public static let id3MetadataPublisher = Self(rawValue: "id3/TPUB")
  /// Recommended buffer size.
  public static let id3MetadataRecommendedBufferSize = Self(rawValue: "id3/RBUF")
  /// Recording dates.
  public static let id3MetadataRecordingDates = Self(rawValue: "id3/TRDA")
  /// Recording time.
  public static let id3MetadataRecordingTime = Self(rawValue: "id3/TDRC")
  /// Relative volume adjustment.
  public static let id3MetadataRelativeVolumeAdjustment = Self(rawValue: "id3/RVAD")
  /// Relative volume adjustment2.
  public static let id3MetadataRelativeVolumeAdjustment2 = Self(rawValue: "id3/RVA2")
  /// Release time.
  public static let id3MetadataReleaseTime = Self(rawValue: "id3/TDRL")
  /// Reverb.
  public static let id3MetadataReverb = Self(rawValue: "id3/RVRB")
  /// Seek.
  public static let id3MetadataSeek = Self(rawValue: "id3/SEEK")
  /// Set subtitle.
  public static let id3MetadataSetSubtitle = Self(rawValue: "id3/TSST")
  /// Signature.
  public static let id3MetadataSignature = Self(rawValue: "id3/SIGN")
  /// Size.
  public static let id3MetadataSize = Self(rawValue: "id3/TSIZ")
  /// Sub title.
  public static let id3MetadataSubTitle = Self(rawValue: "id3/TIT3")
  /// Synchronized lyric.
  public static let id3MetadataSynchronizedLyric = Self(rawValue: "id3/SYLT")
  /// Synchronized tempo codes.
  public static let id3MetadataSynchronizedTempoCodes = Self(rawValue: "id3/SYTC")
  /// Tagging time.
  public static let id3MetadataTaggingTime = Self(rawValue: "id3/TDTG")
  /// Terms of use.
  public static let id3MetadataTermsOfUse = Self(rawValue: "id3/USER")
  /// Time.
  public static let id3MetadataTime = Self(rawValue: "id3/TIME")
  /// Title description.
  public static let id3MetadataTitleDescription = Self(rawValue: "id3/TIT2")
  /// Title sort order.
  public static let id3MetadataTitleSortOrder = Self(rawValue: "id3/TSOT")
  /// Track number.
  public static let id3MetadataTrackNumber = Self(rawValue: "id3/TRCK")
  /// Unique file identifier.
  public static let id3MetadataUniqueFileIdentifier = Self(rawValue: "id3/UFID")
  /// Unsynchronized lyric.
  public static let id3MetadataUnsynchronizedLyric = Self(rawValue: "id3/USLT")
  /// User text.
  public static let id3MetadataUserText = Self(rawValue: "id3/TXXX")
  /// User URL.
  public static let id3MetadataUserURL = Self(rawValue: "id3/WXXX")
  /// Year.
  public static let id3MetadataYear = Self(rawValue: "id3/TYER")
}
