public import FoundationEssentials
import ISOMedia

extension Movie {
  /// What becomes of the file that a header is written to.
  public enum HeaderOptions: Sendable, Hashable {
    /// The header takes the place of the one in the file that has the media, which must be the asset's own; the media stays.
    case addMovieHeaderToDestination
    /// The file holds the header and nothing else; whatever was in it is lost.
    case truncateDestinationToMovieHeaderOnly
  }

  /// Writes the new header alone.
  ///
  /// By default that is a reference movie, in a new file; its media stays in the asset's file. It is read where
  /// ``ReferenceRestrictions`` allow one to refer to the other. To a file of its own folder a movie refers by alias, which
  /// every player of QuickTime files follows; to other folders and to servers by URL, local ones relative, so that both can
  /// be moved together.
  ///
  /// - Parameters:
  ///   - url: A local file; an existing one only with options, or where ``metadata`` overwrites.
  ///   - options: What becomes of an existing file. It appears with the new header when that is complete, and never otherwise.
  /// - Throws: As ``write(to:)``; `operationNotSupported` for assets that have no URL or refer to others themselves, for
  ///   chapters, whose titles are media, and for a header that would take the place of its own media.
  @discardableResult
  public func writeHeader(to url: URL, options: HeaderOptions? = nil) async throws -> MetadataEditor.Report {
    if options == .addMovieHeaderToDestination {
      guard let own = asset.url, own.isFileURL, own.standardized == url.standardized else {
        throw Self.unsupported(
          asset, "its media is not in \(url.lastPathComponent)", "Add the header to the asset's own file")
      }
      var movie = self
      movie.metadata.overwritesExisting = true
      return try await movie.write(to: url)
    }
    var editor = metadata
    if options == .truncateDestinationToMovieHeaderOnly { editor.overwritesExisting = true }
    editor.movieEdit = try reference(from: url)
    return try await editor.write(to: url)
  }

  /// The new header as bytes, with its media where the asset is, by an absolute URL.
  ///
  /// - Throws: As ``writeHeader(to:options:)``.
  public func makeMovieHeader() async throws -> Data {
    let folder = MediaConfiguration.current.temporaryDirectory
    let file = folder.appending(path: ".mediaassetkit-header-\(UInt64.random(in: 0 ... .max))")
    var editor = metadata
    editor.movieEdit = try reference(from: nil)
    try await editor.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try Data(contentsOf: file)
  }

  /// The edit of a header that refers to the asset's file; without a place by an absolute URL.
  private func reference(from url: URL?) throws -> MovieHeaderEdit {
    guard joins.isEmpty else {
      throw Self.unsupported(asset, "a header alone can't refer to several files", "Write a movie with its media")
    }
    guard let source = asset.url, header.tracks.allSatisfy(\.isSelfContained) else {
      throw Self.unsupported(asset, "its media is not in one file with a URL", "Write a movie with its media")
    }
    guard metadata.chapterLists == nil else {
      throw Self.unsupported(asset, "a header alone has no place for new chapters", "Write a movie with its media")
    }
    var edit = try headerEdit()
    edit.dataReference = try place(of: source, from: url)
    return MovieHeaderEdit(edit: edit, dropsNeroChapters: isCut, isHeaderOnly: true)
  }

  private func place(of source: URL, from url: URL?) throws -> [UInt8] {
    guard let url, case .file = asset.source else { return MediaReference.url(source.absoluteString) }
    guard source.standardized != url.standardized else {
      throw Self.unsupported(asset, "the header would take the place of its own media", "Write it to another file")
    }
    let folder = url.deletingLastPathComponent().standardized
    let name = source.lastPathComponent
    if source.deletingLastPathComponent().standardized == folder, let alias = MediaReference.alias(fileName: name) {
      return alias
    }
    return MediaReference.url(MediaReference.relative(source, from: folder))
  }
}
