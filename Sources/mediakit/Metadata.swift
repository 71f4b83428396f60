import FoundationEssentials
import MediaAssetKit

extension Verb {
  static let metadata = Verb(
    "metadata",
    "FILE [--format ID] [--json [--with-data]] | FILE --set KEY=VALUE… --remove KEY… -o OUT [--overwrite]",
    """
    What FILE says beside its media, by key space: native items first, then those of the common key space.
    With --track: what it says of a track. With --set, --remove or --remove-all: writes FILE anew as OUT, its media
    byte by byte as it is.
    KEY is a name (title, artist, albumName, creationDate, description, artwork, trackNumber, comment, …) or an
    identifier (itsk/%A9nam, mdta/com.apple.quicktime.title, id3/TXXX:description, vorb/KEY). A picture is named as
    artwork=@cover.jpg. What OUT can't hold is told on stderr.
    """,
    options: [
      Option(
        "--format", value: "ID",
        "only this format or key space: com.apple.itunes, com.apple.quicktime.mdta, org.id3, itsk, common, …"),
      Option("--track", value: "ID", "the items of a track"),
      Option("--json", "an array of items; the keys are in the article \"Command line\""),
      Option("--with-data", "binary values in base64, with --json"),
      Option(
        "--set", value: "KEY=VALUE", "replaces what FILE says under a key; may be repeated, of one key the last counts"),
      Option("--remove", value: "KEY", "removes what FILE says under a key; may be repeated"),
      Option("--remove-all", "removes everything that can be removed"),
      Option("--output", short: "-o", value: "OUT", "the changed file; - writes to standard output"),
      Option("--overwrite", "replace an existing file, which may be FILE itself"),
    ] + Input.options
  ) { arguments in
    if arguments.has("--set") || arguments.has("--remove") || arguments.has("--remove-all") {
      try arguments.refuse(["--json", "--with-data", "--format", "--track"], with: "--set and --remove")
      var editor = MetadataEditor(try Input.asset(arguments))
      try MetadataWriting.apply(arguments, to: &editor)
      return try await MetadataWriting.run(editor, arguments)
    }
    if let name = ["--output", "--overwrite"].first(where: arguments.has) {
      throw UsageError("\(name) means nothing without --set or --remove")
    }
    if arguments.has("--with-data"), !arguments.has("--json") {
      throw UsageError("--with-data means nothing without --json")
    }
    let asset = try Input.asset(arguments)
    var items = try await items(of: asset, arguments)
    if let format = arguments.value("--format") {
      items = items.filter { $0.isOf(format) }
    }
    if arguments.has("--json") {
      let json = JSON.array(items.map { $0.json(withData: arguments.has("--with-data")) })
      try StandardOutput.print(json.document)
    } else {
      for item in items { try StandardOutput.line(item.line) }
    }
    return .done
  }

  private static func items(of asset: MediaAsset, _ arguments: Arguments) async throws -> [MetadataItem] {
    guard let id = try arguments.integer("--track", in: 0...Int32.max) else {
      let (native, common) = try await asset.load(.metadata, .commonMetadata)
      return native + common
    }
    guard let track = try await asset.loadTrack(withTrackID: id) else {
      throw MediaError(
        .noSourceTrack, operation: "read", subject: try arguments.operand("FILE"), reason: "it has no track \(id)",
        remedy: "`mediakit info` lists its tracks")
    }
    let (native, common) = try await track.load(.metadata, .commonMetadata)
    return native + common
  }
}

extension MetadataItem {
  /// Whether the item is of a format or a key space, by either's name.
  fileprivate func isOf(_ name: String) -> Bool {
    keySpace.rawValue == name || identifier.rawValue.hasPrefix(name + "/")
      || keySpace != .common && MetadataFormat(keySpace: keySpace).rawValue == name
  }

  /// What people are shown of the value.
  var shownValue: String {
    guard case .data(let data) = value else { return shownText.printable }
    return "\(mimeType ?? "data"), \(data.count) bytes"
  }

  /// Text as it is, moments in ISO 8601.
  fileprivate var shownText: String {
    if commonKey == .creationDate || commonKey == .lastModifiedDate, let date = metadataDate, date.hasTime {
      return date.description
    }
    return stringValue ?? ""
  }

  fileprivate var line: String {
    let language = extendedLanguageTag.map { " [\($0)]" } ?? ""
    return "\(identifier.rawValue.padded(to: 40))\(shownValue)\(language.printable)"
  }

  /// The item as `metadata --json` has it.
  func json(withData: Bool = false) -> JSON {
    var extra = extraAttributes.map { ($0.key.rawValue, JSON.string($0.value)) }
    extra.sort { $0.0 < $1.0 }
    return .object(members(withData: withData) + [("dataType", .text(dataType?.rawValue)), ("extra", .object(extra))])
  }

  /// The item as `info --json` has it.
  var shortJSON: JSON { .object(members(withData: false)) }

  private func members(withData: Bool) -> [(String, JSON)] {
    [
      ("identifier", .string(identifier.rawValue)),
      ("keySpace", .string(keySpace.rawValue)),
      ("key", .string(key)),
      ("commonKey", .text(commonKey?.rawValue)),
      ("value", jsonValue(withData: withData)),
      ("language", .text(extendedLanguageTag)),
    ]
  }

  private func jsonValue(withData: Bool) -> JSON {
    switch value {
    case .integer(let number): return .integer(number)
    case .number(let number): return .number(number)
    case .numbers(let numbers): return .array(numbers.map(JSON.number))
    case .data(let data):
      var members: [(String, JSON)] = [
        ("mime", .text(mimeType)), ("bytes", .integer(Int64(data.count))),
      ]
      if withData { members.append(("base64", .string(data.base64EncodedString()))) }
      return .object(members)
    case .string, .position, .date: return .string(shownText)
    }
  }
}
