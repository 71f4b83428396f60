import MediaAssetKit

extension Verb {
  static let chapters = Verb(
    "chapters", "FILE [--json] [--language TAG]…",
    """
    The chapters of FILE, a line each: start, duration, title. In the first of the languages that FILE has
    titles in, else in its own first one.
    """,
    options: [
      Option("--json", "an array of chapters; the keys are in the article \"Command line\""),
      Option("--language", value: "TAG", "the language of the titles: en, fra, pt-BR; may be repeated"),
      Option("--from-file", value: "JSON", "not there yet"),
      Option("--output", short: "-o", value: "OUT", "not there yet"),
    ] + Input.options
  ) { arguments in
    try arguments.refuseWriting(["--from-file", "--output"], what: "chapters")
    let asset = try Input.asset(arguments)
    let chapters = try await asset.loadChapterMetadataGroups(
      bestMatchingPreferredLanguages: arguments.values("--language"))
    if arguments.has("--json") {
      try StandardOutput.print(JSON.array(chapters.map { .object($0.members(withArtwork: true)) }).document)
    } else {
      for line in chapters.flatMap({ $0.lines() }) { try StandardOutput.line(line) }
    }
    return .done
  }
}

extension TimedMetadataGroup {
  /// The chapter for people: start, duration, title; then those within it, indented.
  fileprivate func lines(indent: String = "") -> [String] {
    let times = [timeRange.start, timeRange.duration].map { $0.fraction ?? "-" }.joined(separator: " ")
    return ["\(times) \(indent)\((title ?? "").printable)"] + children.flatMap { $0.lines(indent: indent + "  ") }
  }

  /// The chapter as `info --json` and `chapters --json` have it.
  func members(withArtwork: Bool) -> [(String, JSON)] {
    var members: [(String, JSON)] = [
      ("start", timeRange.start.json), ("duration", timeRange.duration.json), ("title", .text(title)),
      ("language", .text(languageCode)),
    ]
    if withArtwork { members.append(("hasArtwork", .bool(artwork != nil))) }
    if !children.isEmpty {
      members.append(("children", .array(children.map { .object($0.members(withArtwork: withArtwork)) })))
    }
    return members
  }
}
