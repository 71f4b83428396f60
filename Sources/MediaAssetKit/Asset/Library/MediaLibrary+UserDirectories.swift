public import FoundationEssentials

extension MediaLibrary {
  /// The folder where the user keeps media of a kind, as the desktop knows it; nil when the user has none.
  ///
  /// From `user-dirs.dirs` in `$XDG_CONFIG_HOME` or `~/.config` (`XDG_VIDEOS_DIR`, `XDG_MUSIC_DIR`,
  /// `XDG_PICTURES_DIR`; xdg-user-dirs(1)), else `Videos` (on macOS `Movies`), `Music` and `Pictures` in the home folder.
  /// Whether the folder exists is not looked at.
  public static func userDirectory(for kind: Kind) -> URL? {
    userDirectory(for: kind, environment: ProcessInfo.processInfo.environment) { path in
      try? String(contentsOf: URL(filePath: path), encoding: .utf8)
    }
  }

  /// The user's media of a kind; nil when the user has no folder for it.
  public static func user(_ kind: Kind) -> MediaLibrary? {
    userDirectory(for: kind).map { MediaLibrary(directory: $0) }
  }

  static func userDirectory(
    for kind: Kind, environment: [String: String], read: (String) -> String?
  ) -> URL? {
    var home =
      environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.path(percentEncoded: false)
    while home.count > 1, home.hasSuffix("/") { home.removeLast() }
    // Relative paths in the environment count for nothing (XDG Base Directory Specification).
    let configuration =
      environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.config"
    let (key, name) = names(of: kind)
    let stated = read("\(configuration)/user-dirs.dirs").flatMap {
      statedPath($0, key: key, home: home)
    }
    let path = stated ?? "\(home)/\(name)"
    // A folder that is the home folder itself is switched off.
    return path == home ? nil : URL(filePath: path, directoryHint: .isDirectory)
  }

  private static func names(of kind: Kind) -> (key: String, name: String) {
    switch kind {
    case .video:
      #if canImport(Darwin)
        ("XDG_VIDEOS_DIR", "Movies")
      #else
        ("XDG_VIDEOS_DIR", "Videos")
      #endif
    case .audio: ("XDG_MUSIC_DIR", "Music")
    case .image: ("XDG_PICTURES_DIR", "Pictures")
    }
  }

  /// `XDG_VIDEOS_DIR="$HOME/Films"` or an absolute path, with `\` before a character that would mean something; the last
  /// line counts.
  private static func statedPath(_ text: String, key: String, home: String) -> String? {
    var found: String?
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, parts[0].drop(while: isBlank).prefix(while: { !isBlank($0) }) == key
      else { continue }
      var value = parts[1].drop(while: isBlank)
      guard value.popFirst() == "\"" else { continue }
      var path = ""
      if value.hasPrefix("$HOME/") || value.hasPrefix("$HOME\"") {
        path = home
        value = value.dropFirst("$HOME".count)
      } else if value.first != "/" {
        continue
      }
      while let character = value.popFirst(), character != "\"" {
        path.append(character == "\\" ? value.popFirst() ?? "\\" : character)
      }
      while path.count > 1, path.hasSuffix("/") { path.removeLast() }
      found = path
    }
    return found
  }

  private static func isBlank(_ character: Character) -> Bool {
    character == " " || character == "\t"
  }
}
