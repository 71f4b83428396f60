/// Languages of metadata and tracks, compared whatever standard wrote them: `fre`, `fra`, `fr` and `fr-CA` are French.
enum LanguageTag {
  /// BCP 47 with the shortest language (`en`, `pt-BR`); nil for undetermined.
  static func canonical(_ text: String?) -> String? {
    guard let text, let language = LanguageName.terminological(text) else { return nil }
    let parts = text.split(whereSeparator: { $0 == "-" || $0 == "_" }).dropFirst().map(String.init)
    return ([LanguageName.shortest(language)] + parts).joined(separator: "-")
  }

  /// The place of the preferred language that a language is in; nil when it is none of them.
  ///
  /// Regions that differ do not keep languages apart, they are only ranked behind those that agree.
  static func rank(of language: String?, in preferred: [String]) -> Int? {
    guard let tag = canonical(language) else { return nil }
    let base = tag.split(separator: "-")[0]
    for (index, candidate) in preferred.enumerated() {
      guard let wanted = canonical(candidate), wanted.split(separator: "-")[0] == base else { continue }
      return index * 2 + (tag.lowercased() == wanted.lowercased() ? 0 : 1)
    }
    return nil
  }

  /// The index of the best match; nil when no language is preferred, or none of them is there.
  static func best(_ languages: [String?], for preferred: [String]) -> Int? {
    languages.enumerated()
      .compactMap { entry in rank(of: entry.element, in: preferred).map { (rank: $0, index: entry.offset) } }
      .min { ($0.rank, $0.index) < ($1.rank, $1.index) }?.index
  }
}
