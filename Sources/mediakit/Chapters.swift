import MediaAssetKit

extension Verb {
  static let chapters = Verb(
    "chapters", "FILE [--json] [--language TAG]… | FILE --from-file JSON -o OUT [--overwrite]",
    """
    The chapters of FILE, a line each: start, duration, title. In the first of the languages that FILE has
    titles in, else in its own first one. With --from-file: writes FILE anew as OUT, with the chapters of an array
    such as --json prints, its media as it is. Titles in several languages are entries of the same time; an empty
    array removes the chapters.
    """,
    options: [
      Option("--json", "an array of chapters; the keys are in the article \"Command line\""),
      Option("--language", value: "TAG", "the language of the titles: en, fra, pt-BR; may be repeated"),
      Option("--from-file", value: "JSON", "the chapters to write"),
      Option("--output", short: "-o", value: "OUT", "the changed file; - writes to standard output"),
      Option("--overwrite", "replace an existing file, which may be FILE itself"),
    ] + Input.options
  ) { arguments in
    if let path = arguments.value("--from-file") {
      try arguments.refuse(["--json", "--language"], with: "--from-file")
      guard arguments.has("--output") else { throw UsageError("-o is missing") }
      var editor = MetadataEditor(try Input.asset(arguments))
      try editor.setChapters(try MetadataWriting.chapters(inFile: path))
      return try await MetadataWriting.run(editor, arguments)
    }
    if let name = ["--output", "--overwrite"].first(where: arguments.has) {
      throw UsageError("\(name) means nothing without --from-file")
    }
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
