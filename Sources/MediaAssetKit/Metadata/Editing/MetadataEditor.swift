public import FoundationEssentials
import LibAV

/// Changes what a file says beside its media, without encoding anything: the media's bytes stay as they are.
///
/// ```swift
/// var editor = MetadataEditor(MediaAsset(url: song))
/// editor.set(.commonIdentifierTitle, to: "A new title")
/// editor.remove(.commonIdentifierArtwork)
/// let report = try await editor.write(to: changed)
/// for loss in report.losses { print(loss) }
/// ```
///
/// QuickTime and MPEG-4 files, MP3 and AAC with ID3, FLAC, Ogg, Matroska, WebM, WAV, AVI and AIFF are edited in their own
/// way: only the boxes, frames, blocks, comments, elements and chunks that change are written anew, everything else is
/// copied. Other containers that can be written, and Matroska files without room for a change, are remuxed: their samples
/// stay, the container around them is FFmpeg's.
///
/// Items go into the key space that they are of where the container has it, else into the one that means the same by
/// ``MetadataItem/commonKey``; what has no place is in ``Report/losses``.
public struct MetadataEditor: Sendable {
  /// The asset whose file is changed; it is read, never written.
  public let asset: MediaAsset
  /// Replaces an existing file, which may be the asset's own, when the new one is complete; false by default.
  public var overwritesExisting = false
  /// Waits until the disk has the file before it gets its name; true by default.
  public var synchronizesToDisk = true

  var removed: [MetadataIdentifier] = []
  var removesEverything = false
  var added: [MetadataItem] = []
  var chapterLists: [ChapterList]?
  /// What a ``Movie`` changes besides.
  var movieEdit: MovieHeaderEdit?
  /// The source with other files behind it that the edited header needs.
  var joinedReader: (any RandomAccessReader)?

  /// An editor of an asset; does no I/O.
  public init(_ asset: MediaAsset) { self.asset = asset }

  /// Whether nothing is asked for yet.
  public var isEmpty: Bool { removed.isEmpty && !removesEverything && added.isEmpty && chapterLists == nil }

  /// Replaces what the file says under an item's identifier, and the item's language where it has one.
  ///
  /// A common identifier stands for every native key that means the same. Items that are set under one identifier are kept
  /// side by side where the container can hold several.
  public mutating func set(_ item: MetadataItem) { added.append(item) }

  /// Replaces what the file says under an identifier by a text.
  public mutating func set(_ identifier: MetadataIdentifier, to text: String) {
    set(MetadataItem(keySpace: identifier.keySpace ?? .common, key: identifier.key ?? "", value: .string(text)))
  }

  /// Removes all items of an identifier; a common one removes all that mean the same. None is no error.
  public mutating func remove(_ identifier: MetadataIdentifier) { removed.append(identifier) }

  /// Removes all items that the editor of the container knows; what is set besides is written.
  public mutating func removeAll() { removesEverything = true }

  /// Replaces all chapters: groups in the order of their times, with a title each. No groups remove the chapters.
  ///
  /// Titles in several languages are groups of the same times whose titles differ in ``TimedMetadataGroup/extendedLanguageTag``.
  ///
  /// - Throws: ``MediaError`` with `invalidArgument` for chapters without times, before zero, or that overlap another one of
  ///   their language.
  public mutating func setChapters(_ groups: [TimedMetadataGroup]) throws {
    chapterLists = try ChapterSorting.lists(groups)
  }

  /// What became of an edit.
  public struct Report: Sendable, Hashable {
    /// What could not be written, or not in full.
    public var losses: [Loss] = []
    /// Whether the container was made anew by FFmpeg.
    public var isRemuxed = false
    /// What else differs from the source, in words; of remuxed files.
    public var changes: [String] = []
  }

  /// Something that the file can't hold.
  public struct Loss: Sendable, Hashable, Codable, CustomStringConvertible {
    /// What it is: an identifier, or `chapters`.
    public var subject: String
    /// Why, as a sentence without a full stop.
    public var reason: String

    /// Both in one line.
    public var description: String { "\(subject): \(reason)" }
  }

  /// Writes the file with the changes; returns when it is complete.
  ///
  /// The file appears under its name when it is complete, and never otherwise. Costs copying the media. The asset keeps what
  /// it has loaded: make a new one to read what was written.
  ///
  /// - Parameter url: A local file; the asset's own only with ``overwritesExisting``.
  /// - Throws: ``MediaError``: `fileAlreadyExists`, `fileNotFound` (of the folder), `invalidArgument` for text with a zero
  ///   character and for values that their key can't have, `operationNotSupported` for containers that can't be written,
  ///   `fileFailedToParse` for damaged ones, `writeFailed`. `CancellationError` when the task is cancelled.
  @discardableResult
  public func write(to url: URL) async throws -> Report {
    try Task.checkCancellation()
    guard url.isFileURL else {
      throw MediaError(
        .invalidArgument, operation: "write", subject: url.absoluteString, reason: "this is no file URL",
        remedy: "Write a local file")
    }
    try checkTexts()
    let path = url.path(percentEncoded: false)
    try AtomicFile.checkAbsent(path, overwrite: overwritesExisting)
    let header = try await asset.header()
    let found = try await asset.fileMetadata()
    guard let kind = EditableContainer(header) else { return try await remux(to: url, header: header, found: found) }
    try await checkChapters()
    let plan = MetadataPlan(kind: kind, existing: found.items, editor: self)
    let opened = try await asset.opened()
    let reader = joinedReader ?? opened.reader
    let limit = Int(clamping: asset.options.policy.maximumHeaderBytes)
    let (subject, options) = (asset.subject, (overwritesExisting, synchronizesToDisk))
    let losses: [Loss]? = try await OpeningSession(isRemote: opened.isRemote).run { [plan] interrupt in
      var plan = plan
      let read: (Int64, Int) throws -> [UInt8] = { offset, count in
        if interrupt.isRaised { throw CancellationError() }
        return try reader.bytes(at: offset, count: count, interrupt: interrupt)
      }
      guard let size = reader.length else {
        throw MediaError(
          .operationNotSupported, operation: "edit", subject: subject, reason: "its size is not known",
          remedy: "Save it to a file first")
      }
      var source = SourceBytes(size: size, maximumBytes: limit, read: read)
      do {
        guard let pieces = try kind.pieces(&plan, header: header, &source) else { return nil }
        try EditedFile(path: path, overwrites: options.0, synchronizes: options.1)
          .write(pieces, read: read)
      } catch let error as EditingFailure {
        throw error.error(subject: subject)
      }
      return plan.losses
    }
    guard let losses else { return try await remux(to: url, header: header, found: found) }
    return Report(losses: losses)
  }

  private func checkTexts() throws {
    for item in added {
      let texts = [item.key, item.value.string ?? "", item.extendedLanguageTag ?? ""] + item.extraAttributes.values
      guard texts.allSatisfy({ !$0.utf8.contains(0) }) else {
        throw MediaError(
          .invalidArgument, operation: "edit", subject: item.identifier.rawValue,
          reason: "the text contains a zero character, which ends texts in files", remedy: "Leave it out")
      }
    }
  }

  /// Chapters have to lie within the asset, which only its duration tells.
  func checkChapters() async throws {
    guard let lists = chapterLists, lists.contains(where: { !$0.chapters.isEmpty }) else { return }
    guard let end = try await asset.load(.duration).rational else { return }
    for chapter in lists.flatMap(\.chapters) {
      // Files round the ends of their last chapters to their own ticks.
      let limit = end + (Rational(1, 20) ?? .zero)
      guard chapter.start < end, chapter.end.map({ $0 <= limit }) ?? true else {
        throw MediaError(
          .invalidArgument, operation: "edit", subject: asset.subject,
          reason: "the chapter at \(chapter.start) lasts beyond the end at \(end)",
          remedy: "Times are seconds from the beginning of the media")
      }
    }
  }
}

/// A fault that an editor finds: of the file, or of a value.
struct EditingFailure: Error {
  var code: MediaError.Code
  var subject: String?
  var reason: String
  var remedy = ""

  static func damaged(_ reason: String) -> EditingFailure {
    EditingFailure(
      code: .fileFailedToParse, reason: reason, remedy: "Export the file first, which writes the container anew")
  }

  static func value(_ identifier: String, _ reason: String) -> EditingFailure {
    EditingFailure(code: .invalidArgument, subject: identifier, reason: reason)
  }

  func error(subject: String) -> MediaError {
    MediaError(code, operation: "edit", subject: self.subject ?? subject, reason: reason, remedy: remedy)
  }
}

extension MetadataIdentifier {
  /// The identifier of a name that people use: a common key (`title`, `creationDate`), one of the names beyond them that
  /// ``MetadataEditor`` translates (`albumArtist`, `trackNumber`, `comment`, `lyrics`), or another name of one (`album`,
  /// `genre`, `date`). Case does not matter; nil for anything else.
  public init?(named name: String) {
    guard let term = MetadataTerms.term(name) else { return nil }
    self.init(key: term.name, keySpace: .common)
  }

  /// The names that ``init(named:)`` knows, without the other names.
  public static var writableNames: [String] { MetadataTerms.names }
}
