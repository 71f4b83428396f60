import FoundationEssentials

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An export with typed items: the new file is tagged by ``MetadataEditor`` before it gets its name.
struct ExportTagging {
  let options: ExportSession.Options
  /// Exports with other options.
  let export: (ExportSession.Options, URL) async throws -> Void

  /// What the file could not hold.
  func run(to url: URL) async throws -> [MetadataEditor.Loss] {
    // A file that grows under its own name can't be written twice.
    guard !options.movieFragmentInterval.isValid else { return try await runAtOnce(to: url) }
    let path = url.path(percentEncoded: false)
    let (descriptor, temporary) = try AtomicFile.create(beside: path)
    close(descriptor)
    defer { unlink(temporary) }
    var inner = options
    inner.overwritesExisting = true
    inner.synchronizesToDisk = false
    try await export(inner, URL(filePath: temporary))
    var editor = MetadataEditor(MediaAsset(url: URL(filePath: temporary)))
    editor.overwritesExisting = options.overwritesExisting
    editor.synchronizesToDisk = options.synchronizesToDisk
    for identifier in options.removedMetadata { editor.remove(identifier) }
    for item in options.metadata { editor.set(item) }
    return try await editor.write(to: url).losses
  }

  private func runAtOnce(to url: URL) async throws -> [MetadataEditor.Loss] {
    var inner = options
    var losses: [MetadataEditor.Loss] = []
    for identifier in options.removedMetadata {
      if let name = Self.name(of: identifier) { inner.metadataTags[name] = "" }
    }
    for item in options.metadata {
      guard let name = Self.name(of: item.identifier), let text = item.value.string, !text.isEmpty else {
        losses.append(.init(subject: item.identifier.rawValue, reason: "a fragmented file has no place for it"))
        continue
      }
      inner.metadataTags[name] = text
    }
    try await export(inner, url)
    return losses
  }

  /// FFmpeg's name.
  private static func name(of identifier: MetadataIdentifier) -> String? {
    guard let space = identifier.keySpace, let key = identifier.key else { return nil }
    return MetadataTerms.term(of: key, in: space)?.ffmpeg
  }
}
