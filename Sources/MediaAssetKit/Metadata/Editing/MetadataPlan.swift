/// What an edit makes of a container's native keys, worked out from what the file has and what is asked for.
struct MetadataPlan: Sendable {
  /// One key and all items that it is to have; none removes it.
  struct Change: Sendable {
    var keySpace: MetadataKeySpace
    var key: String
    var items: [MetadataItem]

    var identifier: MetadataIdentifier { MetadataIdentifier(key: key, keySpace: keySpace) }
  }

  private(set) var changes: [Change] = []
  var losses: [MetadataEditor.Loss] = []
  /// nil keeps the chapters.
  var chapters: [ChapterList]?
  /// What else becomes of a movie's header.
  let movieEdit: MovieHeaderEdit?
  private let existing: [MetadataItem]
  private let spaces: [MetadataKeySpace]

  init(kind: EditableContainer, existing: [MetadataItem], editor: MetadataEditor) {
    self.init(spaces: kind.keySpaces, existing: existing, editor: editor)
  }

  /// - Parameter spaces: The key spaces that the container can be written in, the preferred one first.
  init(spaces: [MetadataKeySpace], existing: [MetadataItem], editor: MetadataEditor) {
    self.existing = existing
    self.spaces = spaces
    chapters = editor.chapterLists
    movieEdit = editor.movieEdit
    if editor.removesEverything {
      for item in existing { remove(item.identifier) }
    }
    for identifier in editor.removed { remove(identifier) }
    var order: [MetadataIdentifier] = []
    var groups: [MetadataIdentifier: [MetadataItem]] = [:]
    for item in editor.added {
      if groups[item.identifier] == nil { order.append(item.identifier) }
      groups[item.identifier, default: []].append(item)
    }
    for identifier in order { set(groups[identifier] ?? [], for: identifier) }
  }

  /// The changes of some key spaces.
  func changes(in spaces: MetadataKeySpace...) -> [Change] { changes.filter { spaces.contains($0.keySpace) } }

  mutating func lose(_ subject: String, _ reason: String) {
    let loss = MetadataEditor.Loss(subject: subject, reason: reason)
    if !losses.contains(loss) { losses.append(loss) }
  }

  // MARK: - Removing

  private mutating func remove(_ identifier: MetadataIdentifier) {
    for item in existing where Self.means(item, identifier) {
      guard spaces.contains(item.keySpace) else {
        lose(item.identifier.rawValue, "items of the key space \(item.keySpace) can't be removed here")
        continue
      }
      put(Change(keySpace: item.keySpace, key: item.key, items: []))
    }
  }

  /// Whether an item is of an identifier, or means what a common one says.
  private static func means(_ item: MetadataItem, _ identifier: MetadataIdentifier) -> Bool {
    if item.identifier == identifier { return true }
    if identifier.keySpace == .vorbisComment, item.keySpace == .vorbisComment {
      return item.key.uppercased() == identifier.key?.uppercased()
    }
    guard identifier.keySpace == .common, let key = identifier.key else { return false }
    return item.commonKey?.rawValue == key || MetadataTerms.term(of: item.key, in: item.keySpace)?.name == key
  }

  private mutating func put(_ change: Change) {
    if let index = changes.firstIndex(where: { $0.identifier == change.identifier }) {
      changes[index] = change
    } else {
      changes.append(change)
    }
  }

  // MARK: - Setting

  private mutating func set(_ items: [MetadataItem], for identifier: MetadataIdentifier) {
    let places = places(for: identifier)
    guard !places.isEmpty else {
      return lose(identifier.rawValue, "the container has no place for it")
    }
    for place in places {
      let new = items.map { item in
        var item = item
        (item.keySpace, item.key) = (place.space, place.key)
        return item
      }
      let current = changes.first { $0.keySpace == place.space && $0.key == place.key }?.items
      let old = current ?? existing.filter { $0.keySpace == place.space && $0.key == place.key }
      let kept = old.filter { old in !new.contains { Self.replaces($0, old) } }
      put(Change(keySpace: place.space, key: place.key, items: kept + new))
    }
  }

  /// Whether a new item takes the place of one of the same key.
  private static func replaces(_ new: MetadataItem, _ old: MetadataItem) -> Bool {
    if let language = new.extendedLanguageTag,
      LanguageTag.canonical(language) != LanguageTag.canonical(old.extendedLanguageTag), old.extendedLanguageTag != nil
    {
      return false
    }
    if new.commonKey == .artwork {
      let type = new.extraAttributes[.pictureType] ?? "Cover (front)"
      return ["Other", type, nil].contains(old.extraAttributes[.pictureType])
    }
    // Comments, user texts and private data are told apart by their descriptions.
    guard new.keySpace == .id3, ["TXXX", "WXXX", "COMM", "USLT", "GEOB", "PRIV", "UFID", "POPM"].contains(new.key)
    else { return true }
    return (new.extraAttributes[.info] ?? "") == (old.extraAttributes[.info] ?? "")
  }

  private typealias Place = (space: MetadataKeySpace, key: String)

  /// The native keys that are to have the items of an identifier.
  private mutating func places(for identifier: MetadataIdentifier) -> [Place] {
    guard let space = identifier.keySpace, let key = identifier.key, !key.isEmpty else { return [] }
    if spaces.contains(space) { return [(space, space == .vorbisComment ? key.uppercased() : key)] }
    guard let term = MetadataTerms.term(of: key, in: space) else { return [] }
    var places: [Place] = []
    for space in spaces {
      let found = existing.filter {
        $0.keySpace == space && Self.means($0, MetadataIdentifier(key: term.name, keySpace: .common))
      }
      guard let first = found.first else { continue }
      // One key of each space has it from now on; numbers of genres and years alone can't hold what comes.
      let preferred = term.keys[space]
      let kept = preferred ?? first.key
      for item in found where item.key != kept { put(Change(keySpace: space, key: item.key, items: [])) }
      places.append((space, kept))
    }
    guard places.isEmpty else { return places }
    for space in spaces { if let key = term.keys[space] { return [(space, key)] } }
    return []
  }
}
