/// Where a location points, by its text alone.
enum ResourceLocation: Equatable {
  /// A local file: a path, or a `file:` URL.
  case local
  case remote(HTTPURL)
  /// Another scheme: `concat`, `crypto`, `data`, `rtsp`, `subfile` …
  case other(scheme: String)
  case malformed

  /// Takes a text apart that is a URL when a scheme and a colon are in front, and a path otherwise.
  ///
  /// For an asset that the caller named as a path, don't ask: a path may look like anything.
  init(_ text: String) {
    self.init(text, relativeTo: .local)
  }

  /// Takes a reference apart; one without a scheme belongs to where its base is.
  init(_ text: String, relativeTo base: ResourceLocation) {
    guard !text.isEmpty, !text.utf8.contains(0) else {
      self = .malformed
      return
    }
    switch HTTPURL.scheme(of: text) {
    case "file": self = .local
    case "http", "https": self = HTTPURL(text).map(Self.remote) ?? .malformed
    case let scheme?: self = .other(scheme: scheme)
    case nil:
      guard case .remote(let url) = base else {
        self = base == .local ? .local : .malformed
        return
      }
      guard case .url(let resolved) = url.resolving(text) else {
        self = .malformed
        return
      }
      self = .remote(resolved)
    }
  }
}
