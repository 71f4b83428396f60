/// What a playlist, a manifest or a reference movie may make the library open besides itself.
///
/// Each flag forbids one kind of reference. Flags and raw values are those of AVFoundation's
/// `AVAssetReferenceRestrictions`; the library's default is ``forbidAll``, AVFoundation's is
/// ``avFoundationDefault``. Whatever is left allowed still has to pass the ``ResourcePolicy``.
public struct ReferenceRestrictions: OptionSet, Sendable, Hashable {
  /// The flags as bits.
  public let rawValue: UInt

  /// Restrictions from bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// An asset on a server may not refer to local files.
  public static let forbidRemoteReferenceToLocal = ReferenceRestrictions(rawValue: 1 << 0)
  /// A local asset may not refer to servers.
  public static let forbidLocalReferenceToRemote = ReferenceRestrictions(rawValue: 1 << 1)
  /// An asset on a server may not refer to another origin (scheme, host and port).
  public static let forbidCrossSiteReference = ReferenceRestrictions(rawValue: 1 << 2)
  /// A local asset may not refer to other local files.
  public static let forbidLocalReferenceToLocal = ReferenceRestrictions(rawValue: 1 << 3)
  /// An asset on a server may not refer to its own origin either; AVFoundation forbids this only
  /// within ``forbidAll``.
  public static let forbidSameSiteReference = ReferenceRestrictions(rawValue: 1 << 15)
  /// Only media that is all in one file; the default.
  public static let forbidAll = ReferenceRestrictions(rawValue: 0xFFFF)

  /// What AVFoundation forbids unless told otherwise.
  public static let avFoundationDefault: ReferenceRestrictions = .forbidLocalReferenceToRemote
  /// References stay where the asset is: local files from a local file, the same origin from a
  /// server.
  public static let sameOriginOnly: ReferenceRestrictions = [
    .forbidRemoteReferenceToLocal, .forbidLocalReferenceToRemote, .forbidCrossSiteReference,
  ]
  /// Local files may refer to local files, and nothing else to anything.
  public static let localOnly: ReferenceRestrictions = [
    .forbidRemoteReferenceToLocal, .forbidLocalReferenceToRemote, .forbidCrossSiteReference,
    .forbidSameSiteReference,
  ]

  /// Restrictions by their name on the command line: `none`, `local`, `same-origin` or `all`, each
  /// naming what is allowed; nil for another name.
  public init?(allowing name: String) {
    switch name {
    case "none": self = .forbidAll
    case "local": self = .localOnly
    case "same-origin": self = .sameOriginOnly
    case "all": self = []
    default: return nil
    }
  }
}
