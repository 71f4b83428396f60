import FoundationEssentials
import MediaAssetKit

/// `metadata --set … --remove … -o OUT` and `chapters --from-file … -o OUT`.
enum MetadataWriting {
  /// The changes that `--set` and `--remove` ask for.
  static func apply(_ arguments: Arguments, to editor: inout MetadataEditor) throws {
    if arguments.has("--remove-all") { editor.removeAll() }
    for key in arguments.values("--remove") { editor.remove(try identifier(key, "--remove")) }
    var items: [MetadataItem] = []
    for pair in arguments.values("--set") {
      guard let equals = pair.firstIndex(of: "="), equals != pair.startIndex else {
        throw UsageError("--set: \(pair.quoted) is no key=value")
      }
      let value = String(pair[pair.index(after: equals)...])
      items.putLast(try item(String(pair[..<equals]), value, "--set"))
    }
    for item in items { editor.set(item) }
  }

  /// An item of a key on the command line: a name, an identifier, or `id3/TXXX:description`; `@` names a picture's file.
  static func item(_ key: String, _ value: String, _ option: String) throws -> MetadataItem {
    // Only ID3 has keys with descriptions.
    let parts = key.hasPrefix("id3/") ? key.split(separator: ":", maxSplits: 1).map(String.init) : [key]
    let identifier = try identifier(parts[0], option)
    guard !value.unicodeScalars.contains("\0") else {
      throw UsageError("\(option): the text contains a zero character")
    }
    var item = MetadataItem(
      keySpace: identifier.keySpace ?? .common, key: identifier.key ?? "", value: .string(value))
    if parts.count > 1 { item.extraAttributes[.info] = parts[1] }
    let isPicture = item.commonKey == .artwork
    if isPicture || item.key == "PRIV" || item.key == "GEOB", value.hasPrefix("@") {
      item.value = .data(try bytes(ofFile: String(value.dropFirst())))
    }
    guard !isPicture || item.dataValue != nil && item.stringValue == nil else {
      throw UsageError("\(option): \(key) takes a picture: \(key)=@cover.jpg")
    }
    guard !isPicture || item.mimeType?.hasPrefix("image/") == true else {
      throw MediaError(
        .invalidArgument, operation: "read", subject: String(value.dropFirst()), reason: "it is no picture",
        remedy: "Covers are JPEG, PNG, GIF, BMP or WebP")
    }
    return item
  }

  static func identifier(_ key: String, _ option: String) throws -> MetadataIdentifier {
    if key.contains("/") {
      let identifier = MetadataIdentifier(rawValue: key)
      guard let space = identifier.keySpace, let name = identifier.key, !space.rawValue.isEmpty, !name.isEmpty else {
        throw UsageError("\(option): \(key.quoted) is no identifier like itsk/%A9nam")
      }
      // Letters beyond ASCII may be written as they are.
      return MetadataIdentifier(key: name, keySpace: space)
    }
    guard let identifier = MetadataIdentifier(named: key) else {
      throw UsageError(
        "\(option): \(key.quoted) is no key; there are \(MetadataIdentifier.writableNames.joined(separator: ", ")), and"
          + " identifiers like itsk/%A9nam, id3/TIT2, vorb/KEY")
    }
    return identifier
  }

  private static func bytes(ofFile path: String) throws -> Data {
    do { return try Data(contentsOf: Input.fileURL(path)) } catch {
      let exists = FileManager.default.fileExists(atPath: Input.fileURL(path).path)
      throw MediaError(
        exists ? .readFailed : .fileNotFound, operation: "read", subject: path,
        reason: exists ? "it is no file that can be read" : "there is no such file")
    }
  }

  /// Writes what an editor has, to a file or to standard output, and says what is lost.
  static func run(_ editor: MetadataEditor, _ arguments: Arguments) async throws -> ExitStatus {
    guard let output = arguments.value("--output"), !output.isEmpty else { throw UsageError("-o is missing") }
    var editor = editor
    editor.overwritesExisting = arguments.has("--overwrite")
    let report: MetadataEditor.Report
    if output == "-" {
      // A file in the temporary folder first: only a complete one is worth handing on.
      let url = FileManager.default.temporaryDirectory
        .appendingPathComponent(".mediakit-\(UInt64.random(in: 0 ... .max)).edit")
      defer { try? FileManager.default.removeItem(at: url) }
      report = try await editor.write(to: url)
      try FileBytes.forEach(url.path) { bytes in
        try Task.checkCancellation()
        try StandardOutput.write(bytes: bytes)
      }
    } else {
      report = try await editor.write(to: Input.fileURL(output))
    }
    for loss in report.losses { StandardError.line("mediakit: warning: \(loss.description.printable)") }
    for change in report.changes { StandardError.line("mediakit: \(change)") }
    return .done
  }

  // MARK: - Chapters

  /// The array that `chapters --json` prints.
  static func chapters(inFile path: String) throws -> [TimedMetadataGroup] {
    let data = try bytes(ofFile: path)
    do { return try JSONDecoder().decode([WrittenChapter].self, from: data).map { try $0.group() } } catch {
      let reason = (error as? WrittenChapter.Fault)?.reason ?? WrittenChapter.reason(error)
      throw MediaError(
        .invalidArgument, operation: "read", subject: path, reason: reason,
        remedy: #"A chapter is {"start": "0/1", "duration": "5/2", "title": "One", "language": "eng"}"#)
    }
  }
}

extension [MetadataItem] {
  /// Adds an item in place of those of the same key: of a key that is named several times the last one counts.
  mutating func putLast(_ item: MetadataItem) {
    removeAll { $0.hasKey(of: item) }
    append(item)
  }
}

extension MetadataItem {
  /// Whether both are of one key; ID3's user texts and comments are told apart by their descriptions.
  fileprivate func hasKey(of other: MetadataItem) -> Bool {
    keySpace == other.keySpace && extraAttributes[.info] == other.extraAttributes[.info]
      && (keySpace == .vorbisComment ? key.uppercased() == other.key.uppercased() : key == other.key)
  }
}

/// A chapter of the array.
private struct WrittenChapter: Decodable {
  struct Fault: Error { var reason: String }

  var start: Time
  var duration: Time?
  var end: Time?
  var title: String?
  var language: String?
  var children: [WrittenChapter]?

  enum CodingKeys: String, CodingKey, CaseIterable {
    case start, duration, end, title, language, children
    /// What `chapters --json` prints besides.
    case hasArtwork
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    // A misspelt field would be a chapter without what it was meant to say.
    if let other = try decoder.container(keyedBy: AnyKey.self).allKeys.first(where: {
      CodingKeys(rawValue: $0.stringValue) == nil
    }) {
      let known = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
      throw Fault(
        reason: "\(Self.place(decoder.codingPath + [other])): there is no such field; possible are \(known)")
    }
    let values = try decoder.container(keyedBy: CodingKeys.self)
    start = try values.decode(Time.self, forKey: .start)
    duration = try values.decodeIfPresent(Time.self, forKey: .duration)
    end = try values.decodeIfPresent(Time.self, forKey: .end)
    title = try values.decodeIfPresent(String.self, forKey: .title)
    language = try values.decodeIfPresent(String.self, forKey: .language)
    children = try values.decodeIfPresent([WrittenChapter].self, forKey: .children)
  }

  /// Where in the array: `[2].title`.
  static func place(_ path: [any CodingKey]) -> String {
    path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue.bounded(to: 60))" }.joined()
  }

  /// What is wrong, and where.
  static func reason(_ error: any Error) -> String {
    let usual = "it is no array of chapters as `chapters --json` prints"
    guard let error = error as? DecodingError else { return usual }
    let (path, words): ([any CodingKey], String) =
      switch error {
      case .keyNotFound(let key, let context): (context.codingPath + [key], "is missing")
      case .typeMismatch(_, let context): (context.codingPath, "is of another kind")
      case .valueNotFound(_, let context): (context.codingPath, "is null")
      case .dataCorrupted(let context): (context.codingPath, "is out of range")
      @unknown default: ([], "")
      }
    return path.isEmpty ? usual : "\(place(path)) \(words)"
  }

  func group() throws -> TimedMetadataGroup {
    let start = start.value
    guard let duration = duration?.value ?? end.map({ $0.value - start }) else {
      throw Fault(reason: "the chapter at \(start.fraction ?? "?") has no duration")
    }
    let range = MediaTimeRange(start: start, duration: duration)
    let title = MetadataItem(
      keySpace: .common, key: MetadataCommonKey.title.rawValue, value: .string(title ?? ""),
      extendedLanguageTag: language, time: start, duration: duration)
    return TimedMetadataGroup(items: [title], timeRange: range, children: try (children ?? []).map { try $0.group() })
  }

  /// A time as text (`5/2`, `2.5`, `00:00:02.5`) or as a number of seconds.
  struct Time: Decodable {
    var value: MediaTime

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      let text: String
      if let words = try? container.decode(String.self) {
        text = words
      } else if let number = try? container.decode(Decimal.self) {
        text = "\(number)"
      } else {
        text = String(try container.decode(Double.self))
      }
      guard let time = TimeText.parse(text) else {
        throw Fault(reason: "\(WrittenChapter.place(decoder.codingPath)): \(text.quoted) is no time")
      }
      value = time
    }
  }
}
