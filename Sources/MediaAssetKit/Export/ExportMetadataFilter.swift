import LibAV

extension ExportSession {
  /// Which of an asset's tags and chapters go on.
  public struct MetadataFilter: Sendable {
    enum Rule: Sendable {
      case all, forSharing, none
      case items(@Sendable (MetadataItem) -> Bool)
    }

    let rule: Rule

    /// All but technical ones (brands, encoders).
    public static let all = Self(rule: .all)
    /// All but those that tell where the media was made, when, with what, and by whom; timed metadata, which may tell the
    /// place of every moment, is left out. AVFoundation's filter of this name keeps the camera and the date.
    public static let forSharing = Self(rule: .forSharing)
    /// None, and no chapters.
    public static let none = Self(rule: .none)

    /// Those of the asset's items, in their own key spaces, that a function keeps; chapters stay. What several items stand
    /// for goes on when all of them are kept. The moment that only a header states is asked for as
    /// `commonIdentifierCreationDate`.
    public static func items(_ isKept: @escaping @Sendable (MetadataItem) -> Bool) -> Self {
      Self(rule: .items(isKept))
    }

    /// Whether nothing of the asset's own goes on.
    var keepsNothing: Bool {
      if case .none = rule { true } else { false }
    }

    var isForSharing: Bool {
      if case .forSharing = rule { true } else { false }
    }

    /// Why tracks of timed metadata are left out; nil where they go on.
    var reasonAgainstTimedMetadata: String? {
      switch rule {
      case .forSharing, .none: "timed metadata may tell where and with what it was made"
      case .all, .items: nil
      }
    }
  }
}

/// What a filter refuses of an asset's items, by the names that FFmpeg has for them.
struct RefusedMetadata: Sendable {
  private var names: Set<String> = []
  /// Whether cover art is refused.
  private(set) var refusesArtwork = false

  init(_ asset: MediaAsset, _ filter: ExportSession.MetadataFilter) async throws {
    let isKept: @Sendable (MetadataItem) -> Bool
    switch filter.rule {
    case .all, .none: return
    case .forSharing: isKept = { item in ![item].filteredForSharing().isEmpty }
    case .items(let function): isKept = function
    }
    for item in try await asset.load(.metadata) where !isKept(item) {
      refusesArtwork = refusesArtwork || item.commonKey == .artwork
      names.insert(item.key.lowercased())
      if let name = MetadataTerms.term(of: item.key, in: item.keySpace)?.ffmpeg { names.insert(name.lowercased()) }
      if item.commonKey == .location { names.insert("location") }
      // Free keys have their name beside them.
      if let info = item.extraAttributes.first(where: { $0.key == .info })?.value {
        names.insert(info.lowercased())
      }
    }
    let dates = try await asset.load(.commonMetadata).filtered(by: .commonIdentifierCreationDate)
    if dates.contains(where: { !isKept($0) }) { names.formUnion(["creation_time", "date"]) }
  }

  /// Whether a tag of FFmpeg's name is refused; languages may follow the name.
  func refuses(_ tag: String) -> Bool {
    let tag = tag.lowercased()
    return names.contains(tag) || names.contains(String(tag.prefix { $0 != "-" }))
  }
}
