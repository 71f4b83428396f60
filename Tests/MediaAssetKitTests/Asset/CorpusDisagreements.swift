import MediaTestSupport

/// Where a peer's statement and this library's rules differ on purpose, with the reason.
enum CorpusDisagreements {
  static func reason(for fact: CorpusFact) -> String? {
    nil
  }
}
