import MediaAssetKit

extension Verb {
  static let list = Verb(
    "list", "DIR [--videos] [--audio] [--images] [--json]",
    """
    The media files below DIR, a path a line: a folder's files by name, then its folders by name. Folders
    that can't be read are told on standard error; the rest is listed.
    """,
    options: [
      Option("--videos", "videos; without any of these three, all kinds"),
      Option("--audio", "sound"),
      Option("--images", "images"),
      Option("--hidden", "also what has a name that begins with a dot"),
      Option("--follow", "follow symbolic links to folders"),
      Option("--json", "an array of {\"path\", \"kind\"}"),
    ]
  ) { arguments in
    let path = try arguments.operand("DIR")
    var library = MediaLibrary(directory: Input.fileURL(path))
    library.includesHiddenFiles = arguments.has("--hidden")
    library.followsFolderLinks = arguments.has("--follow")
    library.problemHandler = { StandardError.line("mediakit: warning: \($0)") }

    let prefix = path.hasSuffix("/") ? path : path + "/"
    var isFirst = true
    for try await item in library.items(of: kinds(arguments)) {
      let path = prefix + item.relativePath
      if arguments.has("--json") {
        let object = JSON.object([("path", .string(path)), ("kind", .string(item.kind.rawValue))])
        try StandardOutput.write((isFirst ? "[\n  " : ",\n  ") + object.compact)
      } else {
        try StandardOutput.line(StandardOutput.isTerminal ? path.printable : path)
      }
      isFirst = false
    }
    if arguments.has("--json") { try StandardOutput.write(isFirst ? "[]\n" : "\n]\n") }
    return .done
  }

  private static func kinds(_ arguments: Arguments) -> MediaLibrary.Kinds {
    var kinds: MediaLibrary.Kinds = []
    if arguments.has("--videos") { kinds.insert(.videos) }
    if arguments.has("--audio") { kinds.insert(.audio) }
    if arguments.has("--images") { kinds.insert(.images) }
    return kinds.isEmpty ? .all : kinds
  }
}
