public import FoundationEssentials

extension Sequence<MetadataItem> {
  /// The items of an identifier; a common one also finds the native items that mean the same.
  public func filtered(by identifier: MetadataIdentifier) -> [MetadataItem] {
    let common = identifier.keySpace == .common ? identifier.key.map { MetadataCommonKey(rawValue: $0) } : nil
    return filter { $0.identifier == identifier || common != nil && $0.commonKey == common }
  }

  /// The items of a key, in one key space or in all; of all keys for nil.
  public func filtered(byKey key: String?, keySpace: MetadataKeySpace? = nil) -> [MetadataItem] {
    filter { (key == nil || $0.key == key) && (keySpace == nil || $0.keySpace == keySpace) }
  }

  /// The items of a language, given as BCP 47 or ISO 639.
  public func filtered(byLanguage tag: String) -> [MetadataItem] {
    filter { LanguageTag.rank(of: $0.extendedLanguageTag, in: [tag]) != nil }
  }

  /// The items of a locale's language.
  public func filtered(by locale: Locale) -> [MetadataItem] { filtered(byLanguage: locale.identifier) }

  /// The items in any of the preferred languages, those of the first one first; others are left out.
  public func filteredAndSorted(accordingToPreferredLanguages languages: [String]) -> [MetadataItem] {
    let ranked = compactMap { item in
      LanguageTag.rank(of: item.extendedLanguageTag, in: languages).map { (rank: $0, item: item) }
    }
    return ranked.enumerated()
      .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
      .map(\.element.item)
  }

  /// The items without those that tell who or where somebody is: places, accounts, owners, devices' identities.
  public func filteredForSharing() -> [MetadataItem] {
    filter { item in
      item.commonKey != .location && !PersonalKeys.isPersonal(item.key)
    }
  }
}

/// Keys that identify a person, an account or a place.
enum PersonalKeys {
  private static let keys: Set<String> = [
    "apID", "akID", "ownr", "purd", "cnID", "atID", "plID", "geID", "sfID", "xid ", "OWNE", "TOWN", "PRIV", "UFID",
    "POPM",
    "loci", "©xyz", "owner", "account_id",
  ]

  static func isPersonal(_ key: String) -> Bool {
    keys.contains(key) || key.hasPrefix("com.apple.quicktime.location.")
      || key.hasPrefix("com.apple.quicktime.direction.") || key == "com.apple.quicktime.camera.identifier"
      || key == "com.apple.quicktime.rating.user" || key == "com.apple.quicktime.collection.user"
      || key == "com.apple.quicktime.content.identifier" || key.hasPrefix("com.apple.iTunes.iTunes_CDDB")
  }
}
