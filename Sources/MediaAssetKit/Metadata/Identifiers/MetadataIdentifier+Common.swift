extension MetadataIdentifier {
  // MARK: Common

  /// Accessibility description.
  public static let commonIdentifierAccessibilityDescription = Self(rawValue: "common/accessibilityDescription")
  /// Album name.
  public static let commonIdentifierAlbumName = Self(rawValue: "common/albumName")
  /// Artist.
  public static let commonIdentifierArtist = Self(rawValue: "common/artist")
  /// Artwork.
  public static let commonIdentifierArtwork = Self(rawValue: "common/artwork")
  /// Asset identifier.
  public static let commonIdentifierAssetIdentifier = Self(rawValue: "common/identifier")
  /// Author.
  public static let commonIdentifierAuthor = Self(rawValue: "common/author")
  /// Contributor.
  public static let commonIdentifierContributor = Self(rawValue: "common/contributor")
  /// Copyrights.
  public static let commonIdentifierCopyrights = Self(rawValue: "common/copyrights")
  /// Creation date.
  public static let commonIdentifierCreationDate = Self(rawValue: "common/creationDate")
  /// Creator.
  public static let commonIdentifierCreator = Self(rawValue: "common/creator")
  /// Description.
  public static let commonIdentifierDescription = Self(rawValue: "common/description")
  /// Format.
  public static let commonIdentifierFormat = Self(rawValue: "common/format")
  /// Language.
  public static let commonIdentifierLanguage = Self(rawValue: "common/language")
  /// Last modified date.
  public static let commonIdentifierLastModifiedDate = Self(rawValue: "common/lastModifiedDate")
  /// Location.
  public static let commonIdentifierLocation = Self(rawValue: "common/location")
  /// Make.
  public static let commonIdentifierMake = Self(rawValue: "common/make")
  /// Model.
  public static let commonIdentifierModel = Self(rawValue: "common/model")
  /// Publisher.
  public static let commonIdentifierPublisher = Self(rawValue: "common/publisher")
  /// Relation.
  public static let commonIdentifierRelation = Self(rawValue: "common/relation")
  /// Software.
  public static let commonIdentifierSoftware = Self(rawValue: "common/software")
  /// Source.
  public static let commonIdentifierSource = Self(rawValue: "common/source")
  /// Subject.
  public static let commonIdentifierSubject = Self(rawValue: "common/subject")
  /// Title.
  public static let commonIdentifierTitle = Self(rawValue: "common/title")
  /// Type.
  public static let commonIdentifierType = Self(rawValue: "common/type")
}
